"""An engine behind a journal asks only for what is not recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from madm2.api import Agent, MultiAgentDebate
from madm2.engines import Engine, ScriptedEngine
from madm2.engines.journaled import JournaledEngine
from madm2.errors import UserError
from madm2.journal import Journal
from madm2.types import Message, Question, Request, RequestKey, Sampling


def no_engine() -> Engine:
    raise AssertionError("the engine was loaded")


def request(agent: int = 0, text: str = "What is 1 + 30?", **sampling: float) -> Request:
    key = RequestKey(1, 1, "answer", agent)
    return Request(key, (Message("user", text),), Sampling(**sampling))


def recorded(path: Path, sums: list[Question], *requests: Request) -> None:
    journal = Journal(path)
    engine = JournaledEngine(lambda: ScriptedEngine(sums), journal)
    for one in requests:
        engine.submit(one, 5)
    assert len(engine.step()) == len(requests)
    journal.close()


def test_a_debate_over_a_whole_journal_loads_no_engine(
    tmp_path: Path, sums: list[Question]
) -> None:
    results = []
    for make_engine in (lambda: ScriptedEngine(sums), no_engine):
        journal = Journal(tmp_path / "journal.jsonl")
        engine = JournaledEngine(make_engine, journal)
        mad = MultiAgentDebate(Agent(engine), "arithmetic", prune_strategy="subjective")
        results.append(mad(sums).samples)
        journal.close()
    assert results[0] == results[1]
    assert len(journal) == sum(len(list(s.transcript.completions())) for s in results[0])


def test_only_what_is_missing_is_asked(tmp_path: Path, sums: list[Question]) -> None:
    recorded(tmp_path / "j", sums, request(0), request(1))
    inner = ScriptedEngine(sums)
    engine = JournaledEngine(lambda: inner, Journal(tmp_path / "j"))
    for agent in range(3):
        engine.submit(request(agent), 5)
    assert [key.agent for key in inner._queue] == [2]
    assert {c.key.agent for c in engine.step()} == {0, 1}
    assert {c.key.agent for c in engine.step()} == {2}
    assert len(Journal(tmp_path / "j", read_only=True)) == 3


@pytest.mark.parametrize("other", [request(text="What is 1 + 31?"), request(temperature=0.5)])
def test_another_prompt_or_sampling_is_an_error(
    tmp_path: Path, sums: list[Question], other: Request
) -> None:
    recorded(tmp_path / "j", sums, request())
    engine = JournaledEngine(no_engine, Journal(tmp_path / "j"))
    with pytest.raises(UserError, match="question 1, round 1, answer, agent 0"):
        engine.submit(other, 5)


def test_a_text_is_cut_once(tmp_path: Path, sums: list[Question]) -> None:
    text = "one two three four five " * 3
    engine = JournaledEngine(lambda: ScriptedEngine(sums), Journal(tmp_path / "j"))
    assert engine.head(text, 2) == "one two"
    assert engine.head("ab", 2) == "ab"
    engine.submit(request(), 5)
    engine.step()
    engine.journal.close()
    engine = JournaledEngine(no_engine, Journal(tmp_path / "j"))
    assert engine.head(text, 2) == "one two"
    with pytest.raises(AssertionError, match="loaded"):
        engine.head(text, 3)


def test_what_is_cancelled_is_not_returned(tmp_path: Path, sums: list[Question]) -> None:
    recorded(tmp_path / "j", sums, request(0))
    engine = JournaledEngine(lambda: ScriptedEngine(sums), Journal(tmp_path / "j"))
    for agent in range(3):
        engine.submit(request(agent), 5)
    engine.cancel([request(0).key, request(1).key])
    assert [c.key.agent for c in engine.step()] == [2]


def test_seconds_go_on_from_the_journal(tmp_path: Path, sums: list[Question]) -> None:
    recorded(tmp_path / "j", sums, request(0))
    journal = Journal(tmp_path / "j")
    engine = JournaledEngine(lambda: ScriptedEngine(sums), journal)
    engine.submit(request(0), 5)
    engine.step()
    assert engine.seconds == journal.seconds, "what is recorded takes no engine's time"
    engine.submit(request(1), 5)
    engine.step()
    assert engine.seconds > journal.read(request(0).key).seconds


def test_a_first_round_is_shared_where_it_is_the_same(tmp_path: Path, sums: list[Question]) -> None:
    recorded(tmp_path / "donor", sums, request(0), request(1, text="another"), request(2))
    donor = Journal(tmp_path / "donor", read_only=True)
    inner = ScriptedEngine(sums)
    engine = JournaledEngine(lambda: inner, Journal(tmp_path / "j"), [donor])
    engine.submit(request(0), 5)
    engine.submit(request(1), 5)  # another prompt
    engine.submit(request(2), 6)  # another seed
    later = replace(request(0), key=RequestKey(1, 2, "answer", 0))
    engine.submit(later, 5)
    assert {key.agent for key in inner._queue} == {0, 1, 2} and len(inner._queue) == 3
    [given] = engine.step()
    assert given == donor.read(request(0).key).completion
    engine.step()
    engine.journal.close()
    journal = Journal(tmp_path / "j")
    assert [journal.read(key).shared for key in journal] == [True, False, False, False]
    assert journal.shared_output_tokens == given.output_tokens > 0
    assert journal.shared_input_tokens == given.input_tokens > 0
