"""Which method the flags mean, and its agents and rounds: `--method`, and the released spelling."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from madm2.errors import UserError, unknown_name
from madm2.methods import METHODS
from madm2.routing import Route, parse_route

_NUM_AGENTS, _MAX_ROUND, _PATHS = 3, 2, 6


@dataclass(frozen=True, slots=True)
class Shape:
    """What a run does with a question, whichever flags said it.

    Args:
        method: a registered method.
        num_agents: agents a round; the paths of cot_sc.
        rounds: at most; a route may end a question before.
        route: which questions are debated; None for all.
    """

    method: str
    num_agents: int
    rounds: int
    route: Route | None


def named_method(args: argparse.Namespace) -> str | None:
    """The method that `--method`, `--mode` and `--self_consistency` name together, if any.

    Raises:
        UserError: an unknown name, or flags that contradict each other.
    """
    mode, method = args.mode, args.method
    if mode not in (None, "mad", "cot"):
        raise unknown_name("mode", mode, ("mad", "cot"))
    if method is not None and method not in METHODS:
        raise unknown_name("method", method, METHODS)
    if args.self_consistency and mode != "cot" and method != "cot_sc":
        raise UserError("--self_consistency goes with --mode cot", fix="or --method cot_sc")
    if mode is None or method is None:
        chain = "cot_sc" if args.self_consistency else "cot"
        return method or (chain if mode == "cot" else mode)
    is_chain = METHODS[method].reads is None
    if is_chain != (mode == "cot") or (args.self_consistency and method == "cot"):
        flags = f"--mode {mode}" + " --self_consistency" * args.self_consistency
        raise UserError(
            "--mode and --method name different methods",
            have=f"{flags}, --method {method}",
            fix=f"leave {flags} out",
        )
    return str(method)


def shape_of(args: argparse.Namespace) -> Shape:
    """The run's method, agents, rounds and route.

    Raises:
        UserError: flags that contradict each other, or that the method has no use for.
    """
    method = named_method(args) or "mad"
    paths = args.num_reasoning_paths
    if paths is not None and method != "cot_sc":
        raise UserError(
            "--num_reasoning_paths goes with --method cot_sc",
            have=f"--method {method}",
            fix="--num_agents says how many debate" if method != "cot" else "",
        )
    if METHODS[method].reads is None:
        num_agents = 1 if method == "cot" else paths or _PATHS
        _refuse_debate_flags(args, method, num_agents)
        return Shape(method, num_agents, 1, None)
    rounds = 1 if args.only_voting else args.max_round or _MAX_ROUND
    route = parse_route(args.route)
    if route and rounds == 1:
        raise UserError(
            "--route needs a second round, which it decides on",
            have="--only_voting" if args.only_voting else "--max_round 1",
        )
    return Shape(method, args.num_agents or _NUM_AGENTS, rounds, route)


def _refuse_debate_flags(args: argparse.Namespace, method: str, num_agents: int) -> None:
    what = "one answer" if method == "cot" else f"a vote over {num_agents} paths"
    for flag, value, neutral in (
        ("num_agents", args.num_agents, num_agents),
        ("max_round", args.max_round, 1),
        ("prune_strategy", args.prune_strategy, "naive"),
        ("route", args.route, "none"),
    ):
        if value is not None and value != neutral:
            more = "--num_reasoning_paths says how many" if flag == "num_agents" else ""
            raise UserError(
                f"--{flag} is for debates, and {method} is none",
                have=f"--{flag} {value}",
                need=f"{method} is {what} a question",
                fix=more if method == "cot_sc" and more else f"leave --{flag} out",
            )


def recorded_flags(recorded: Mapping[str, Any], args: argparse.Namespace) -> dict[str, Any]:
    """A recorded run's flags, as far as a replay that names its own method can begin with them.

    Args:
        recorded: with `method` and the number of its agents as `num_agents`.
        args: the flags of the replay alone.
    """
    flags = dict(recorded)
    flags["method"] = method = named_method(args) or recorded["method"]
    if method in METHODS and METHODS[method].reads is None:
        agents = flags.pop("num_agents")
        flags |= {"max_round": None, "only_voting": False, "prune_strategy": "naive", "route": None}
        flags |= {"num_reasoning_paths": agents} if method == "cot_sc" else {}
    elif args.only_voting or args.max_round == 1:
        flags["route"] = None
    # What goes with a choice goes when another one is made.
    if args.decision not in (None, "freemad"):
        flags["freemad_weights"] = None
    if args.attack == "none":
        flags["compromised"] = None
    # A single round has no debate prompt, no memories to attack, no changes of mind.
    if METHODS[method].reads is None or args.only_voting or args.max_round == 1:
        flags |= {"stance": None, "attack": None, "compromised": None}
        if flags.get("decision") == "freemad":
            flags |= {"decision": None, "freemad_weights": None}
    return flags
