"""Stances choose the debate prompt; and what they do to planted behaviours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from madm2.api import Agent, MultiAgentDebate
from madm2.cli import main
from madm2.conduct import Conduct
from madm2.engines import ScriptedEngine
from madm2.errors import UserError
from madm2.prompts import STANCES, load_prompts
from madm2.types import Question, Request
from tests.unit.planted import PlantedEngine, says
from tests.unit.test_replay import document, flags, only, record, replay

QUESTION = Question(5, "math", "What is 2 + 2?", "4", "math")


@pytest.mark.parametrize("prompt_set", ["default", "small"])
def test_each_stance_has_a_debate_prompt_of_its_own(prompt_set: str) -> None:
    prompts = load_prompts(prompt_set)
    chosen = {stance: prompts.for_run(stance=stance, chooses=False) for stance in STANCES}
    assert (
        len({p.debate for p in chosen.values()}) == len({p.sha256() for p in chosen.values()}) == 3
    )
    assert chosen["neutral"].debate == prompts.debate
    for stance, one in chosen.items():
        assert (one.cot, one.judge, one.format) == (prompts.cot, prompts.judge, prompts.format)
        (message,) = one.debate_with("Why {context}?", "MEMORIES")
        assert "Why {context}?" in message.content and "MEMORIES" in message.content
        assert "{question}" not in message.content and "{format}" not in message.content
        assert one.for_run(stance=stance, chooses=False) == one
        assert one.ask("Why?") == prompts.ask("Why?")
        assert one.sha256() != prompts.for_run(stance=stance, chooses=True).sha256()


@pytest.mark.parametrize(
    ("stance", "words"),
    [
        ("anticonformity", ["mistaken", "mislead", "your conclusion", "fault", "reason", "unsure"]),
        ("conformity", ["agree"]),
    ],
)
def test_the_default_set_says_what_a_stance_is(stance: str, words: list[str]) -> None:
    text = load_prompts("default").stances[stance]
    assert all(word in text for word in words)


@pytest.mark.parametrize(
    ("yaml", "message"),
    [
        ("stances: {stubborn: '{question} {context}'}", "unknown stance"),
        ("stances: {conformity: '{question}'}", "lacks the slot {context}"),
        ("stances: [conformity]", "must map stances"),
        ("stances: {conformity: 5}", "must map stances"),
        ("choose: '{question}'", "lacks the slot {context}"),
        ("choose: 5", "'choose' in"),
    ],
)
def test_a_prompt_file_with_a_wrong_stance(tmp_path: Path, yaml: str, message: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "cot: c\ndebate: '{question} {context}'\njudge: '{question} {solution}'\n" + yaml
    )
    with pytest.raises(UserError) as error:
        load_prompts(str(path))
    assert message in str(error.value)


def test_a_prompt_file_without_stances_has_the_neutral_one_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "COT_PROMPT='c'\nDEBATE_PROMPT='{question} {context}'\nPRUNE_PROMPT='{question} {solution}'"
    )
    own = ["--prompts", path, "--limit", 2]
    assert main(flags(tmp_path / "out", *own)) == 0
    for more, what in ((["--stance", "conformity"], "the stance 'conformity'"), (["--decision", "last_judge"], "to choose")):  # fmt: skip
        assert main(flags(tmp_path / "none", *own, *more)) == 2
        assert what in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def shown(request: Request) -> list[str]:
    """The answers that a prompt shows."""
    parts = request.messages[0].content.split("<answer>")[1:]
    return [part.split("</answer>")[0] for part in parts if len(part.split("</answer>")[0]) == 1]


def follower_or_critic(request: Request) -> str:
    """Three start wrong and one right; asked to conform they go with the most, asked to be critical
    of peers they see the fault of the others and come round to what is right, or keep it."""
    first = "5554"[request.key.agent]
    prompt = request.messages[0].content
    if request.key.round == 1:
        return says(first)
    if "should agree on" in prompt:
        seen = shown(request)
        return says(max(sorted(set(seen)), key=seen.count))
    if "keep your conclusion" in prompt:
        return says("4" if request.key.agent in (0, 1, 3) else first)
    return says(first)


@pytest.mark.parametrize(
    ("decision", "stance", "last", "answer"),
    [
        ("majority", "conformity", "5555", "5"),
        ("freemad", "conformity", "5555", "5"),  # FREE-MAD-C
        ("majority", "anticonformity", "4454", "4"),
        ("freemad", "anticonformity", "4454", "4"),  # FREE-MAD-N: 60 against 45
        ("majority", "neutral", "5554", "5"),
    ],
)
def test_a_crowd_and_a_right_minority(decision: str, stance: str, last: str, answer: str) -> None:
    engine = PlantedEngine(follower_or_critic)
    mad = MultiAgentDebate(
        Agent(engine), "math", 4, 2, "naive", conduct=Conduct(decision, stance=stance)
    )
    score = mad([QUESTION]).samples[0].scores["paper"]
    assert "".join(a or "-" for a in score.answers[-1]) == last
    assert score.verdict.answer == answer


def test_the_first_round_does_not_know_of_the_stance(sums: list[Question]) -> None:
    first: list[Any] = []
    for stance in STANCES:
        mad = MultiAgentDebate(
            Agent(ScriptedEngine(sums)), "arithmetic", conduct=Conduct(stance=stance)
        )
        first.append([s.transcript.rounds[0] for s in mad(sums).samples])
    assert first[0] == first[1] == first[2]


def test_a_run_names_its_stance_and_no_replay_changes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = record(tmp_path, "--stance", "anticonformity", "--decision", "freemad")
    assert source.name.endswith("_decision-freemad_stance-anticonformity")
    assert document(source)["settings"]["stance"] == "anticonformity"
    assert ", decision freemad, stance anticonformity, seed 42" in capsys.readouterr().out
    assert replay(source, tmp_path / "again") == 0
    assert only(tmp_path / "again").name == source.name
    plain = record(tmp_path / "plain")
    for run, stance in ((source, "neutral"), (source, "conformity"), (plain, "conformity")):
        assert replay(run, tmp_path / "none", "--stance", stance) == 2
        assert "--stance cannot change in a replay" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--stance", "stubborn"], "unknown stance 'stubborn'"),
        (["--stance", "conformty"], "did you mean 'conformity'?"),
        (["--stance", "conformity", "--max_round", "1"], "needs a second round"),
        (["--stance", "conformity", "--mode", "cot"], "needs a second round"),
    ],
)
def test_mistakes(
    tmp_path: Path, args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(flags(tmp_path, *args)) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and message in said and said.count("\n") <= 4
    assert not list(tmp_path.iterdir())
