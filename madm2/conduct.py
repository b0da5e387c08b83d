"""What a debate does beside its method: its stance, an attack on it, and how it is decided."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from madm2.attacks import Attack, parse_attack, spelled
from madm2.decisions import DECISIONS
from madm2.decisions.freemad import parse_weights
from madm2.errors import UserError, unknown_name
from madm2.prompts import STANCES
from madm2.settings import FREEMAD_WEIGHTS, FreeMadWeights

# What a run does that says nothing of it, or was recorded before it could be said.
PLAIN: Mapping[str, Any] = {
    "decision": "majority",
    "freemad_weights": "20,25,30,20",
    "stance": "neutral",
    "attack": None,
    "compromised": None,
}


@dataclass(frozen=True, slots=True)
class Conduct:
    """How a debate is conducted; `conduct_of` makes one of flags, and checks it.

    Args:
        decision: a registered decision.
        weights: of the decision `freemad`.
        stance: which of the prompt set's debate prompts is used.
        attack: what befalls memories; None for nothing.
    """

    decision: str = "majority"
    weights: FreeMadWeights = FREEMAD_WEIGHTS
    stance: str = "neutral"
    attack: Attack | None = None

    def settings(self) -> dict[str, object]:
        """As plain values, by the names of the flags."""
        return {
            "decision": self.decision,
            "freemad_weights": ",".join(spelled(weight) for weight in self.weights),
            "stance": self.stance,
            "attack": self.attack and self.attack.kind,
            "compromised": self.attack and spelled(self.attack.compromised),
        }

    def choices(self) -> dict[str, object]:
        """What is not plain, for the name of the run's folder."""
        return {name: value for name, value in self.settings().items() if value != PLAIN[name]}

    def __str__(self) -> str:
        """What is not plain, for people."""
        said = self.choices()
        if self.attack is not None:
            said["attack"] = f"{self.attack.kind} {said.pop('compromised')}"
        return "".join(f", {name.replace('_', ' ')} {value}" for name, value in said.items())


PLAIN_CONDUCT = Conduct()


def conduct_of(args: argparse.Namespace, rounds: int) -> Conduct:
    """The choices of a run.

    Args:
        args: the flags.
        rounds: of the run.

    Raises:
        UserError: an unknown name, a value out of range, or what the run has no use for.
    """
    decision, stance = args.decision or "majority", args.stance or "neutral"
    check_names(decision, stance, rounds)
    if args.freemad_weights is not None and decision != "freemad":
        if args.freemad_weights != PLAIN["freemad_weights"]:
            raise UserError(
                "--freemad_weights goes with --decision freemad", have=f"--decision {decision}"
            )
    attack = parse_attack(args.attack, args.compromised)
    for flag, plain in (("stance", stance == "neutral"), ("attack", attack is None)):
        if rounds == 1 and not plain:
            raise UserError(
                f"--{flag} needs a second round, in which agents read each other",
                have=f"--{flag} {getattr(args, flag)}, and one round",
            )
    weights = parse_weights(args.freemad_weights or PLAIN["freemad_weights"])
    return Conduct(decision, weights, stance, attack)


def conduct_in_name(name: str) -> dict[str, Any]:
    """The flags that the name of a run's folder, or of a file beside it, tells of."""
    flags: dict[str, Any] = dict(PLAIN)
    for flag, form in (
        ("decision", "|".join(DECISIONS)),
        ("freemad_weights", r"[\d.]+(?:-[\d.]+){3}"),
        ("stance", "[a-z]+"),
        ("attack", "[a-z]+"),
        ("compromised", r"[\d.]*\d(?:-\d+)?"),
    ):
        if found := re.search(rf"_{flag}-({form})(?=_|\.json|\Z)", name, re.ASCII):
            joint = {"freemad_weights": ",", "compromised": "/"}.get(flag, "-")
            flags[flag] = found[1].replace("-", joint)
    return flags


def check_names(decision: str, stance: str, rounds: int) -> None:
    """Refuse names that nobody knows, and a decision that needs more rounds.

    Raises:
        UserError: either.
    """
    if stance not in STANCES:
        raise unknown_name("stance", stance, STANCES)
    if DECISIONS[decision].least_rounds > rounds:
        raise UserError(
            f"the decision {decision} looks at how answers change, and needs two rounds",
            have=f"{rounds} round",
            fix="--max_round 2, or --decision majority",
        )


def require_same_stance(recorded: Mapping[str, Any], conduct: Conduct, rounds: int) -> None:
    """Refuse to replay answers to one debate prompt as those to another.

    Args:
        recorded: the flags of the recorded run.
        conduct: of the replay.
        rounds: of the replay; a single one has no debate prompt.

    Raises:
        UserError: the stance is not the recorded one.
    """
    there = recorded.get("stance") or "neutral"
    if rounds > 1 and there != conduct.stance:
        raise UserError(
            "--stance cannot change in a replay",
            have=f"{there!r} there, {conduct.stance!r} now",
            fix="leave --stance out, or run it with a model",
        )
