"""How the answers of a debate become one: Free-MAD, the last judge, and what is recorded."""

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
from madm2.attacks import spelled
from madm2.cli import main
from madm2.conduct import Conduct
from madm2.decisions.base import cluster_rounds
from madm2.decisions.freemad import draw, parse_weights, trajectory_scores
from madm2.engines import ScriptedEngine
from madm2.errors import UserError
from madm2.instruments import INSTRUMENTS
from madm2.runs.samples import sample_from_dict, sample_to_dict
from madm2.settings import FREEMAD_WEIGHTS
from madm2.types import Question, Request, Sample
from tests.unit.planted import PlantedEngine, says
from tests.unit.test_replay import document, flags, only, record, replay

QUESTION = Question(5, "math", "What is 2 + 2?", "4", "math")


def numbered(rounds: str) -> tuple[tuple[int | None, ...], ...]:
    """`AAB ABB` as clusters; - is an unparsed answer."""
    return tuple(tuple("ABC".find(x) if x != "-" else None for x in row) for row in rounds.split())


@pytest.mark.parametrize(
    ("rounds", "scores"),
    [
        ("AAB ABB", [37.5, 45]),
        ("AAAB AABB", [67.5, 45]),
        ("AAAB ABBB", [45, 60]),
        ("AAAA ABBB", [52.5, 45]),
        ("AAB CCB", [15, 30, 30]),
        ("ABC ABC", [30, 30, 30]),
        ("AAB ABB BBB", [29.167, 68.333]),
        ("AAB", [40, 20]),
        # An unparsed answer earns and costs nothing, first, in between or last.
        ("A-- A--", [30]),
        ("AB- ABB", [30, 45]),
        ("AAB -AB", [50, 30]),
        ("A -", [20]),
        ("A - A", [30]),
        ("A - B", [20, 10]),
        ("- -", []),
        ("", []),
    ],
)
def test_golden_scores(rounds: str, scores: list[float]) -> None:
    found = trajectory_scores(numbered(rounds), FREEMAD_WEIGHTS)
    assert [float(score) for score in found] == pytest.approx(scores, abs=1e-3)


@settings(deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([0, 1, 2, None]), min_size=4, max_size=4), max_size=5),
    st.permutations(range(4)),
)
def test_the_order_of_the_agents_does_not_matter(
    rounds: list[list[int | None]], order: list[int]
) -> None:
    one = tuple(map(tuple, rounds))
    other = tuple(tuple(row[agent] for agent in order) for row in rounds)
    assert trajectory_scores(one, FREEMAD_WEIGHTS) == trajectory_scores(other, FREEMAD_WEIGHTS)


def test_scores_that_are_equal_on_paper_are_equal() -> None:
    # As floats, 20/3 + 10 + 20 in two orders need not be.
    assert len(set(trajectory_scores(numbered("AB BA AB"), FREEMAD_WEIGHTS))) == 1
    assert trajectory_scores(numbered("A A A"), parse_weights("1,1,1,1"))[0] == Fraction(11, 6)


def test_the_lot_falls_by_seed_and_question_alone() -> None:
    drawn = [draw([0, 2, 3], seed, q) for seed in range(20) for q in range(30)]
    assert drawn == [draw([0, 2, 3], seed, q) for seed in range(20) for q in range(30)]
    assert set(drawn) == {0, 2, 3} and min(Counter(drawn).values()) > 140


@pytest.mark.parametrize(
    "text", ["", "1,2,3", "1,2,3,4,5", "1,2,x,4", "1,-2,3,4", "0,0,0,0", "1e9,1,1,1"]
)
def test_weights_that_are_none(text: str) -> None:
    with pytest.raises(UserError, match="weights of freemad"):
        parse_weights(text)


@settings(deadline=None)
@given(st.integers(0, 999999), st.integers(1, 999999))
def test_a_number_is_spelled_so_that_it_is_read_again(top: int, bottom: int) -> None:
    assert Fraction(spelled(Fraction(top, bottom))) == Fraction(top, bottom)


@pytest.mark.parametrize(
    ("instrument", "answers", "clusters", "leaders"),
    [
        ("paper", (("4", None), ("5", "4.0")), ((0, None), (1, 0)), ("4", "5")),
        ("released", (("4", ""), ("5", "4")), ((0, None), (1, 0)), ("4", "5")),
        ("released", (("", ""),), ((None, None),), ()),
        ("paper", ((None, ""),), ((None, None),), ()),
    ],
)
def test_clusters_over_rounds(
    instrument: Any, answers: Any, clusters: object, leaders: object
) -> None:
    assert cluster_rounds(INSTRUMENTS[instrument], QUESTION, answers) == (clusters, leaders)


def debated(
    rounds: str, *, decision: str, judge: str = "", instrument: Any = "paper", seed: int = 1
) -> tuple[Sample, PlantedEngine]:
    """One question, answered agent by agent as in `44- 454`; the gold is 4."""
    planned = rounds.split()

    def behave(request: Request) -> str:
        if request.key.purpose == "decision":
            return judge
        said = planned[request.key.round - 1][request.key.agent]
        return says("" if said == "-" else said)

    engine = PlantedEngine(behave)
    mad = MultiAgentDebate(
        Agent(engine), "math", len(planned[0]), len(planned), "naive",
        conduct=Conduct(decision), instrument=instrument, seed=seed,
    )  # fmt: skip
    return mad([QUESTION]).samples[0], engine


@pytest.mark.parametrize(
    ("rounds", "majority", "freemad"),
    [
        ("4445 4555", "5", "5"),
        ("4444 4555", "5", "4"),  # a crowd that conforms at the last moment does not carry the day
        ("4455 4445", "4", "4"),
        ("44- 44-", "4", "4"),
        ("--- ---", None, None),
    ],
)
@pytest.mark.parametrize("instrument", ["paper", "released"])
def test_the_vote_and_the_trajectory(
    rounds: str, majority: str | None, freemad: str | None, instrument: Any
) -> None:
    for decision, wanted in (("majority", majority), ("freemad", freemad)):
        sample, engine = debated(rounds, decision=decision, instrument=instrument)
        for name, score in sample.scores.items():
            assert (score.verdict.answer or None) == wanted, (decision, name)
            assert (score.verdict.status == "correct") == (wanted == "4")
            assert (score.choice is None) == (decision == "majority")
            assert len(score.votes) == 2, "the votes of the rounds are as ever"
        assert {key.purpose for key in engine.asked} == {"answer"}


def test_a_tie_of_scores_is_drawn_and_recorded() -> None:
    winners = []
    for seed in range(12):
        sample, _ = debated("45 45", decision="freemad", seed=seed)
        paper, released = sample.scores["paper"], sample.scores["released"]
        assert paper.choice and paper.choice.tie and paper.choice.scores == (30.0, 30.0)
        assert paper.choice == released.choice
        assert paper.verdict.answer == "45"[paper.choice.winner or 0]
        winners.append(paper.verdict.answer)
    assert set(winners) == {"4", "5"}


@pytest.mark.parametrize(
    ("rounds", "judge", "wanted", "tie", "asked"),
    [
        ("444 445", "", "4", False, False),
        ("444 545", "", "5", False, False),
        ("4455 4455", says("5"), "5", True, True),
        ("4455 5544", says("4.0"), "4", True, True),
        ("4455 5544", says("7"), "5", True, True),  # not one of the candidates
        ("4455 5544", "no idea", "5", True, True),
        ("44 --", "", None, False, False),
        ("44 -5", "", "5", False, False),  # an unparsed answer is no candidate
        ("456", says("6"), "6", True, True),  # one round is enough
    ],
)
def test_the_last_judge(
    rounds: str, judge: str, wanted: str | None, tie: bool, asked: bool
) -> None:
    sample, engine = debated(rounds, decision="last_judge", judge=judge)
    score = sample.scores["paper"]
    assert score.verdict.answer == wanted and score.choice is not None
    assert score.choice.tie == tie
    requests = [r for key, r in engine.asked.items() if key.purpose == "decision"]
    assert len(requests) == len(sample.transcript.decided_by) == asked
    for request in requests:
        last = rounds.split()[-1]
        firsts = [last.index(x) for x in dict.fromkeys(last) if x != "-"]
        assert [key.agent for key in request.reads] == firsts
        assert {key.round for key in request.reads} == {len(rounds.split())}
        for agent in firsts:
            assert f"<answer>{last[agent]}</answer>" in request.messages[0].content


def test_samples_are_read_as_they_were_written_and_so_are_older_ones() -> None:
    for decision in ("majority", "freemad", "last_judge"):
        sample, _ = debated("4455 5544", decision=decision, judge=says("4"))
        row = json.loads(json.dumps(sample_to_dict(sample)))
        assert sample_from_dict(row) == sample
    sample, _ = debated("4455 5544", decision="majority")
    row = json.loads(json.dumps(sample_to_dict(sample)))
    del row["decided_by"], row["scores"]["paper"]["choice"], row["scores"]["released"]["choice"]
    assert sample_from_dict(row) == sample


RUN = ["--num_agents", 4, "--max_round", 3]


@pytest.mark.parametrize("instrument", ["paper", "released"])
@pytest.mark.parametrize("masks", ["naive", "subjective"])
def test_freemad_offline_is_freemad_live(tmp_path: Path, instrument: str, masks: str) -> None:
    how = [*RUN, "--instrument", instrument, "--prune_strategy", masks]
    plain = record(tmp_path, *how)
    assert replay(plain, tmp_path / "off", "--decision", "freemad") == 0
    assert main(flags(tmp_path / "live", *how, "--decision", "freemad")) == 0
    offline, live = only(tmp_path / "off"), only(tmp_path / "live")
    assert offline.name == live.name and live.name.endswith("_decision-freemad")
    assert (offline / "samples.jsonl").read_bytes() == (live / "samples.jsonl").read_bytes()
    assert (live / "samples.jsonl").read_bytes() != (plain / "samples.jsonl").read_bytes()
    # And back, with the weights that went with it left behind.
    weighed = ["--decision", "freemad", "--freemad_weights", "1,0,1,0.5"]
    assert main(flags(tmp_path / "weighed", *how, *weighed)) == 0
    source = only(tmp_path / "weighed")
    assert source.name.endswith("_decision-freemad_freemad_weights-1-0-1-0.5")
    assert replay(source, tmp_path / "back", "--decision", "majority") == 0
    back = only(tmp_path / "back")
    assert (back / "samples.jsonl").read_bytes() == (plain / "samples.jsonl").read_bytes()
    if instrument == "released":
        beside = source.with_name(f"{source.name}.json")
        assert replay(beside, tmp_path / "form", "--dataset", "arithmetic") == 0
        assert only(tmp_path / "form").name == source.name
        assert document(only(tmp_path / "form"))["accuracy"] == document(source)["accuracy"]


def test_the_last_judge_is_recorded_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = record(tmp_path, *RUN, "--decision", "last_judge")
    assert "of them for decision calls" in capsys.readouterr().out
    asked = document(judged)["calls"]["decision"]
    assert asked == document(judged)["tied_decisions"]["paper"] > 0
    assert replay(judged, tmp_path / "again") == 0
    again = only(tmp_path / "again")
    assert (again / "samples.jsonl").read_bytes() == (judged / "samples.jsonl").read_bytes()
    assert replay(judged, tmp_path / "freemad", "--decision", "freemad") == 0
    usage = json.loads(judged.with_name(f"{judged.name}.json").read_text())["token_usage_summary"]
    assert usage["total_output_tokens"] == document(judged)["output_tokens"]["total"]
    assert main(flags(tmp_path / "plain", *RUN)) == 0
    capsys.readouterr()
    assert replay(only(tmp_path / "plain"), tmp_path / "x", "--decision", "last_judge") == 2
    assert f"{asked} for {asked} questions" in capsys.readouterr().err


def test_replays_with_fewer_rounds_leave_behind_what_needs_two(tmp_path: Path) -> None:
    more = ["--stance", "conformity", "--attack", "drop", "--compromised", "0.5"]
    source = record(tmp_path, *RUN, "--decision", "freemad", *more)
    assert replay(source, tmp_path / "vote", "--only_voting") == 0
    assert replay(source, tmp_path / "chains", "--method", "cot_sc") == 0
    for part in ("vote", "chains"):
        settings = document(only(tmp_path / part))["settings"]
        assert (settings["decision"], settings["stance"]) == ("majority", "neutral")
        assert settings["attack"] is None and settings["compromised"] is None


def test_an_api_user_hears_of_a_decision_that_needs_two_rounds(sums: list[Question]) -> None:
    agent = Agent(ScriptedEngine(sums))
    with pytest.raises(UserError, match="needs two rounds"):
        MultiAgentDebate(agent, "arithmetic", max_round=1, conduct=Conduct("freemad"))
    with pytest.raises(UserError, match="unknown decision"):
        MultiAgentDebate(agent, "arithmetic", conduct=Conduct("freemadd"))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--decision", "freemd"], "did you mean 'freemad'?"),
        (["--decision", ""], "--decision is empty"),
        (["--decision", "freemad", "--max_round", "1"], "needs two rounds"),
        (["--decision", "freemad", "--only_voting"], "needs two rounds"),
        (["--decision", "freemad", "--method", "cot_sc"], "needs two rounds"),
        (["--decision", "freemad", "--freemad_weights", "20,25,30"], "need: for a first answer"),
        (["--decision", "freemad", "--freemad_weights", "a,b,c,d"], "need: for a first answer"),
        (["--decision", "freemad", "--freemad_weights=-1,2,3,4"], "need: for a first answer"),
        (["--freemad_weights", "1,1,1,1"], "--freemad_weights goes with --decision freemad"),
    ],
)
def test_mistakes(
    tmp_path: Path, args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(flags(tmp_path, *args)) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and message in said and said.count("\n") <= 4
    assert not list(tmp_path.iterdir())
