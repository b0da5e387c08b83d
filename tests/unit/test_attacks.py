"""Attacks on memories: who is compromised, what is said instead, what is untouched and recorded."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madm2.api import Agent, MultiAgentDebate
from madm2.attacks import Attack, parse_attack, wrong_answer
from madm2.cli import main
from madm2.conduct import Conduct
from madm2.engines import ScriptedEngine
from madm2.errors import UserError
from madm2.instruments import INSTRUMENTS
from madm2.methods import METHODS
from madm2.pruners import PRUNERS
from madm2.runs.samples import sample_from_dict, sample_to_dict
from madm2.types import Question, Request
from tests.unit.planted import PlantedEngine, says
from tests.unit.test_replay import document, flags, only, record, replay

DEBATES = [name for name in METHODS if METHODS[name].reads]
TAMPER, DROP = (Attack(kind, Fraction(1, 4)) for kind in ("tamper", "drop"))


@settings(deadline=None)
@given(st.fractions(0, 1, max_denominator=1000), st.integers(1, 12), st.integers(0, 99))
def test_floor_of_share_times_agents_and_a_half(share: Fraction, n: int, seed: int) -> None:
    struck = Attack("drop", share).agents(n, seed, "q")
    assert len(struck) == int(share * n + Fraction(1, 2)) and struck <= set(range(n))
    assert struck == Attack("tamper", share).agents(n, seed, "q")
    assert struck <= Attack("drop", min(share + Fraction(1, n), Fraction(1))).agents(n, seed, "q")


@pytest.mark.parametrize(
    ("share", "agents", "number"),
    [
        ("0", 4, 0),
        ("0.1", 4, 0),
        ("0.125", 4, 1),
        ("1/8", 4, 1),
        ("0.5", 3, 2),
        ("1", 3, 3),
        (".3", 5, 2),
    ],
)
def test_how_many(share: str, agents: int, number: int) -> None:
    attack = parse_attack("drop", share)
    assert attack is not None and len(attack.agents(agents, 1, 1)) == number


def test_every_agent_is_as_likely() -> None:
    struck = Counter(a for q in range(400) for a in TAMPER.agents(4, 42, q))
    assert set(struck) == {0, 1, 2, 3} and min(struck.values()) > 70


@pytest.mark.parametrize(
    ("answer_type", "dataset", "gold", "options", "wrong"),
    [
        ("numeric", "gsm8k", "She has 18.\n#### 18", (), "19"),
        ("numeric", "gsm8k", "#### 1,000", (), "1001"),
        ("numeric", "gsm8k", "99", (), "100"),
        ("numeric", "gsm8k", "-4", (), "-5"),
        ("numeric", "gsm8k", "3.5", (), "3.6"),
        ("numeric", "gsm8k", "nobody knows", (), "0"),
        ("numeric", "aime24", "073", (), "074"),
        ("math", "math", "so $\\boxed{\\frac{1}{2}}$", (), "\\frac{1}{3}"),
        ("math", "math", "$\\boxed{(1, 2)}$", (), "(1, 3)"),
        ("math", "math", "$\\boxed{x^2+3}$", (), "x^2+4"),
        ("math", "math", "$\\boxed{5^0}$", (), "5^1"),
        ("math", "math", "$\\boxed{1^2}$", (), "2^2"),  # 1^3 would still be right
        ("math", "math", "$\\boxed{\\pi}$", (), "0"),
        ("math", "math", "", (), "0"),
        ("choice", "mmlu_pro", "B", ("red", "green", "blue"), "C"),
        ("choice", "mmlu_pro", "C", ("red", "green", "blue"), "A"),
        ("choice", "mmlu_pro", "(a)", ("red", "green"), "B"),
        ("choice", "mmlu_pro", "A", ("red",), "B"),
        ("choice", "own", "D", (), "A"),
        ("text", "strategyqa", "yes", (), "no"),
        ("text", "strategyqa", "False", (), "true"),
        ("text", "musique", "Paris", (), "not Paris"),
    ],
)  # fmt: skip
def test_the_wrong_answer(
    answer_type: Any, dataset: str, gold: str, options: tuple[str, ...], wrong: str
) -> None:
    question = Question(1, dataset, "?", gold, answer_type, options)
    assert wrong_answer(question) == wrong == wrong_answer(question)


@settings(deadline=None)
@given(st.integers(-(10**6), 10**6), st.sampled_from(["numeric", "math"]))
def test_the_wrong_answer_is_wrong(number: int, answer_type: Any) -> None:
    question = Question(1, "own", "?", str(number), answer_type)
    for instrument in INSTRUMENTS.values():
        vote = instrument.vote([wrong_answer(question)], question)
        assert instrument.grade(vote, question).status == "incorrect"


QUESTION = Question(5, "math", "What is 2 + 2?", "4", "math")


def debated(
    attack: Attack | None, behaviour: Any, *, strategy: str = "naive", method: str = "mad",
    agents: int = 4, rounds: int = 2, instrument: Any = "paper", decision: str = "majority",
) -> tuple[Any, PlantedEngine]:  # fmt: skip
    engine = PlantedEngine(behaviour)
    mad = MultiAgentDebate(
        Agent(engine), "math", agents, rounds, strategy, method=method,
        instrument=instrument, conduct=Conduct(decision, attack=attack),
    )  # fmt: skip
    return mad([QUESTION]).samples[0], engine


def believer(request: Request) -> str:
    """Right alone; believes whoever is certain."""
    if request.key.purpose == "judge":
        return "<label>YES</label>"
    return says("5" if "certain: 5" in request.messages[0].content else "4")


@pytest.mark.parametrize("method", DEBATES)
@pytest.mark.parametrize("strategy", list(PRUNERS))
@pytest.mark.parametrize("kind", ["drop", "tamper"])
@pytest.mark.parametrize("instrument", ["paper", "released"])
def test_every_mask_and_method_under_attack(
    method: str, strategy: str, kind: str, instrument: str
) -> None:
    for share in (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)):
        attack = Attack(kind, share)
        struck = attack.agents(4, 42, QUESTION.id)
        how = {"strategy": strategy, "method": method, "instrument": instrument, "rounds": 3}
        sample, engine = debated(attack, believer, **how)
        clean, _ = debated(None, believer, **how)
        rounds = sample.transcript.rounds
        assert rounds[0] == clean.transcript.rounds[0], "answers of agents are their own"
        assert sample.scores["paper"].answers[0] == ("4",) * 4
        for rnd in rounds[1:]:
            mask = rnd.mask
            marks = {a: e.attack for a, e in enumerate(mask.evidence) if e.attack}
            assert marks == dict.fromkeys(struck, kind) and len(mask.keep) == 4
            if kind == "drop":
                assert not any(mask.keep[a] for a in struck)
            for agent in range(4):
                request = engine.asked[rnd.completions[agent].key]
                seen = [a for a in METHODS[method].reads(agent, 4) if mask.keep[a]]
                assert [key.agent for key in request.reads] == seen
                for key in request.reads:
                    assert (key.purpose == "tampered") == (kind == "tamper" and key.agent in struck)
                text = request.messages[0].content
                assert text.count("certain: 5") == sum(a in struck for a in seen) * (
                    kind == "tamper"
                )
        row = json.loads(json.dumps(sample_to_dict(sample)))
        assert sample_from_dict(row) == sample


def test_a_tampered_memory_keeps_its_perplexity_and_can_be_the_only_one_kept() -> None:
    sample, engine = debated(Attack("tamper", Fraction(1)), believer, strategy="objective")
    clean, _ = debated(None, believer, strategy="objective")
    mine, theirs = sample.transcript.rounds[1].mask, clean.transcript.rounds[1].mask
    assert mine.keep == theirs.keep == (True, False, False, False)
    assert [e.score for e in mine.evidence] == [e.score for e in theirs.evidence]
    assert sample.scores["paper"].verdict.answer == "5"


def test_the_oracle_sees_through_what_was_tampered_with() -> None:
    sample, _ = debated(TAMPER, believer, strategy="oracle")
    keep = sample.transcript.rounds[1].mask.keep
    assert {a for a, kept in enumerate(keep) if not kept} == TAMPER.agents(4, 42, QUESTION.id)
    assert sample.scores["paper"].verdict.status == "correct"


@pytest.mark.parametrize(
    ("attack", "decision", "answer"),
    [
        (None, "majority", "4"),
        (TAMPER, "majority", "5"),  # all fall for it in the last round
        (TAMPER, "freemad", "4"),  # 80 - 37.5 + 10 for the one that is not told, against 45
        (DROP, "majority", "4"),
    ],
)
def test_what_an_attack_does_to_a_decision(
    attack: Attack | None, decision: str, answer: str
) -> None:
    def behave(request: Request) -> str:
        return says("4") if request.key.agent == 3 else believer(request)

    sample, _ = debated(attack, behave, decision=decision)
    assert sample.scores["paper"].verdict.answer == answer


def test_a_route_goes_by_the_agents_own_answers(sums: list[Question]) -> None:
    routed = []
    for attack in (None, Attack("tamper", Fraction(1))):
        mad = MultiAgentDebate(
            Agent(ScriptedEngine(sums)),
            "arithmetic",
            route="majority:0.9",
            conduct=Conduct(attack=attack),
        )
        routed.append([s.transcript.debated for s in mad(sums).samples])
    assert routed[0] == routed[1]


RUN = ["--num_agents", 4, "--prune_strategy", "subjective"]
HALF = ["--attack", "tamper", "--compromised", "0.5"]


def test_an_attacked_run_is_recorded_and_replays_as_itself_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    attacked, clean = record(tmp_path / "a", *RUN, *HALF), record(tmp_path / "c", *RUN)
    said = capsys.readouterr().out
    assert ", attack tamper 0.5, seed 42" in said and "memories attacked" in said
    assert attacked.name == f"{clean.name}_attack-tamper_compromised-0.5"
    assert document(attacked)["attacked"] == {"tamper": 60} and not document(clean)["attacked"]
    assert replay(attacked, tmp_path / "again") == 0
    again = only(tmp_path / "again")
    assert (again / "samples.jsonl").read_bytes() == (attacked / "samples.jsonl").read_bytes()
    for source, other in (
        (attacked, ["--attack", "none"]),
        (attacked, ["--attack", "drop"]),
        (attacked, ["--compromised", "0.25"]),
        (attacked, ["--compromised", "1"]),
        (clean, HALF),
        (clean, ["--attack", "drop", "--compromised", "0.5"]),
    ):
        assert replay(source, tmp_path / "none", *other) == 2
        assert "needs completions that are not recorded" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
    # Rounds that no attack has reached yet are the same, and so are shares of as many agents.
    assert replay(attacked, tmp_path / "vote", "--only_voting") == 0
    assert replay(attacked, tmp_path / "same", "--compromised", "0.45") == 0


@pytest.mark.parametrize("kind", ["drop", "tamper"])
@pytest.mark.parametrize("method", DEBATES)
def test_the_released_form_of_an_attacked_run_replays(
    tmp_path: Path, kind: str, method: str
) -> None:
    how = ["--method", method, "--num_agents", 4, "--max_round", 3, "--instrument", "released"]
    attacked = record(tmp_path, *how, "--attack", kind, "--compromised", "1/3")
    beside = attacked.with_name(f"{attacked.name}.json")
    assert replay(beside, tmp_path / "again", "--dataset", "arithmetic") == 0
    assert only(tmp_path / "again").name == attacked.name
    assert document(only(tmp_path / "again"))["accuracy"] == document(attacked)["accuracy"]


def test_a_stopped_run_under_attack_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = record(tmp_path, *RUN, *HALF)
    step, steps = ScriptedEngine.step, iter(range(100))

    def stop(self: ScriptedEngine) -> object:
        if next(steps) >= 2:
            raise KeyboardInterrupt
        return step(self)

    monkeypatch.setattr(ScriptedEngine, "step", stop)
    assert main(flags(tmp_path / "stopped", *RUN, *HALF)) == 130
    monkeypatch.setattr(ScriptedEngine, "step", step)
    assert main(flags(tmp_path / "stopped", *RUN, *HALF)) == 0
    mine = only(tmp_path / "stopped") / "samples.jsonl"
    assert mine.read_bytes() == (whole / "samples.jsonl").read_bytes()


def test_an_api_user_hears_of_an_attack_that_nobody_would_notice(sums: list[Question]) -> None:
    with pytest.raises(UserError, match="an attack needs a second round"):
        MultiAgentDebate(
            Agent(ScriptedEngine(sums)), "arithmetic", max_round=1, conduct=Conduct(attack=DROP)
        )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--attack", "tamper", "--compromised", "1.5"], "need: a number from 0 to 1"),
        (["--attack", "tamper", "--compromised=-0.5"], "need: a number from 0 to 1"),
        (["--attack", "tamper", "--compromised", "nan"], "need: a number from 0 to 1"),
        (["--attack", "tamper", "--compromised", "1/0"], "need: a number from 0 to 1"),
        (["--attack", "tamper", "--compromised", "some"], "need: a number from 0 to 1"),
        (["--attack", "tamper", "--compromised", "1e-999999999"], "need: a number from 0 to 1"),
        (["--compromised", "1.5"], "--compromised goes with --attack"),
        (["--attack", "tamper"], "does not say how many"),
        (["--attack", "temper", "--compromised", "0.5"], "did you mean 'tamper'?"),
        (["--attack", "drop", "--compromised", "0.5", "--max_round", "1"], "needs a second round"),
        (
            ["--attack", "drop", "--compromised", "0.5", "--method", "cot_sc"],
            "needs a second round",
        ),
    ],
)
def test_mistakes(
    tmp_path: Path, args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(flags(tmp_path, *args)) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and message in said and said.count("\n") <= 4
    assert not list(tmp_path.iterdir())
