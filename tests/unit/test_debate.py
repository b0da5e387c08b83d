"""The debate loop and the library's entry point, on the scripted engine."""

from __future__ import annotations

import pytest

from madm2.api import Agent, MultiAgentDebate
from madm2.engines import ScriptedEngine
from madm2.errors import UserError
from madm2.methods import METHODS
from madm2.prompts import load_prompts
from madm2.pruners import PRUNERS, without_model
from madm2.settings import DebateSettings
from madm2.types import (
    Completion,
    Evidence,
    LogprobSummary,
    Mask,
    Question,
    Request,
    Sampling,
    Transcript,
)


def mad(questions: list[Question], **options: object) -> MultiAgentDebate:
    return MultiAgentDebate(Agent(ScriptedEngine(questions)), "arithmetic", **options)


@pytest.mark.parametrize("strategy", ["naive", "subjective", "objective"])
@pytest.mark.parametrize(("agents", "rounds"), [(1, 1), (1, 3), (2, 2), (3, 2), (7, 5)])
def test_every_round_has_every_agent_and_a_mask_of_their_number(
    sums: list[Question], strategy: str, agents: int, rounds: int
) -> None:
    results = mad(sums, num_agents=agents, max_round=rounds, prune_strategy=strategy)(sums)
    assert [s.transcript.question for s in results.samples] == sums
    for sample in results.samples:
        assert [r.index for r in sample.transcript.rounds] == list(range(1, rounds + 1))
        for rnd in sample.transcript.rounds:
            assert [c.key.agent for c in rnd.completions] == list(range(agents))
            assert (rnd.mask is None) == (rnd.index == 1)
            if rnd.mask:
                assert len(rnd.mask.keep) == len(rnd.mask.evidence) == agents
        for score in sample.scores.values():
            assert len(score.answers) == len(score.votes) == rounds


def test_only_voting_is_one_round(sums: list[Question]) -> None:
    voted = mad(sums, max_round=4, only_voting=True)(sums)
    single = mad(sums, max_round=1)(sums)
    assert voted.samples == single.samples
    assert all(len(s.transcript.rounds) == 1 for s in voted.samples)


@pytest.mark.parametrize("instrument", ["paper", "released"])
def test_a_run_is_a_function_of_its_seed(sums: list[Question], instrument: str) -> None:
    first = mad(sums, prune_strategy="subjective", instrument=instrument)(sums)
    again = mad(sums, prune_strategy="subjective", instrument=instrument, max_live_questions=1)(
        sums
    )
    other = mad(sums, prune_strategy="subjective", instrument=instrument, seed=43)(sums)
    assert first.samples == again.samples
    assert first.samples != other.samples


def script(
    question: Question,
    settings: DebateSettings,
    strategy: str,
    texts: dict[tuple[int, str], list[str]],
) -> tuple[Transcript, list[list[Request]]]:
    """Run one debate, answering agent a of (round, purpose) with texts[round, purpose][a]."""
    debate = METHODS["mad"].run(question, settings, PRUNERS[strategy])
    batches: list[list[Request]] = []
    answers: list[Completion] | None = None
    while True:
        try:
            requests = next(debate) if answers is None else debate.send(answers)
        except StopIteration as end:
            return end.value, batches
        batches.append(requests)
        answers = []
        for request in requests:
            key = request.key
            text = texts[key.round, key.purpose][key.agent]
            logprobs = LogprobSummary(10, -1.0 - key.agent, -0.5)
            answers.append(Completion(key, text, 1, 10, logprobs, "stop", 0))


QUESTION = Question(5, "math", "What is 2 + 2?", "4", "math")
ANSWERS = {
    (1, "answer"): [f"<think>thought {a}</think>\n<answer>{a}</answer>" for a in range(3)],
    (2, "answer"): ["<answer>4</answer>"] * 3,
}


def test_the_next_round_reads_what_is_kept_and_nothing_else() -> None:
    settings = DebateSettings(load_prompts("default"))
    judges = ["<label>YES</label>", "<label>NO</label>", "hm"]
    texts = ANSWERS | {(2, "judge"): judges}
    transcript, batches = script(QUESTION, settings, "subjective", texts)
    assert [[r.key.purpose for r in b] for b in batches] == [
        ["answer"] * 3,
        ["judge"] * 3,
        ["answer"] * 3,
    ]
    mask = transcript.rounds[1].mask
    assert mask.keep == (True, False, True)
    assert [e.label for e in mask.evidence] == ["yes", "no", "not_sure"]
    for agent, request in enumerate(batches[1]):
        assert f"thought {agent}" in request.messages[0].content
        assert QUESTION.query in request.messages[0].content
    for request in batches[2]:
        prompt = request.messages[0].content
        assert "thought 0" in prompt and "thought 2" in prompt and "thought 1" not in prompt
        assert "<solution>\n<think>thought 0</think>\n<answer>0</answer>\n</solution>" in prompt


def test_a_judge_that_stopped_in_its_thinking_is_asked_again() -> None:
    stop = Sampling(stop=("###", "</label>"), keep_stop=True)
    settings = DebateSettings(load_prompts("default"), judge_sampling=stop)
    debate = METHODS["mad"].run(QUESTION, settings, PRUNERS["subjective"])

    def answers(requests: list[Request], texts: list[str]) -> list[Completion]:
        nothing = LogprobSummary(1, -1.0, -1.0)
        pairs = zip(requests, texts, strict=True)
        return [Completion(r.key, text, 1, 1, nothing, "stop", 0) for r, text in pairs]

    judges = debate.send(answers(next(debate), ANSWERS[1, "answer"]))
    assert [r.sampling for r in judges] == [stop] * 3
    texts = [
        "<label>NO</label>",
        "<think>is it <label>NO</label>",
        "<think>x</think><label>NO</label>",
    ]
    [again] = debate.send(answers(judges, texts))
    assert (again.key.agent, again.key.index, again.key.purpose) == (1, 1, "judge")
    assert again.sampling == Sampling(stop=("###",))
    assert again.messages == judges[1].messages and again.reads == judges[1].reads
    last = debate.send(
        answers([again], ["<think>is it <label>NO</label>?</think><label>YES</label>"])
    )
    with pytest.raises(StopIteration) as end:
        debate.send(answers(last, ANSWERS[2, "answer"]))
    mask = end.value.value.rounds[1].mask
    assert mask.keep == (False, True, False)
    assert [c.key.index for c in mask.completions] == [0, 0, 0, 1]


def test_strict_masks_what_is_not_sure() -> None:
    settings = DebateSettings(load_prompts("default"), strict=True)
    texts = ANSWERS | {(2, "judge"): ["<label>YES</label>", "<label>NO</label>", "hm"]}
    transcript, _ = script(QUESTION, settings, "subjective", texts)
    assert transcript.rounds[1].mask.keep == (True, False, False)


@pytest.mark.parametrize("instrument", ["paper", "released"])
def test_a_question_whose_memories_are_all_masked_is_asked_afresh(instrument: str) -> None:
    from madm2.instruments import INSTRUMENTS

    settings = DebateSettings(load_prompts("default"), instrument=INSTRUMENTS[instrument])
    texts = ANSWERS | {(2, "judge"): ["<label>NO</label>"] * 3}
    _, batches = script(QUESTION, settings, "subjective", texts)
    assert batches[2][0].messages == batches[0][0].messages


def test_the_released_instrument_shows_memories_as_python_dicts() -> None:
    from madm2.instruments import INSTRUMENTS

    settings = DebateSettings(load_prompts("default"), instrument=INSTRUMENTS["released"])
    _, batches = script(QUESTION, settings, "naive", ANSWERS)
    assert "{'think': 'thought 0', 'answer': '0'}" in batches[1][0].messages[0].content


def test_a_long_thinking_is_shown_up_to_its_limit() -> None:
    settings = DebateSettings(
        load_prompts("default"),
        memory_max_tokens=3,
        head=lambda text, n: " ".join(text.split()[:n]),
    )
    long = "one two three four five</think>\nThe sum is 4.\n<answer>4</answer>"
    _, batches = script(QUESTION, settings, "naive", ANSWERS | {(1, "answer"): [long] * 3})
    prompt = batches[1][0].messages[0].content
    assert "<think>one two three</think>\nThe sum is 4.\n<answer>4</answer>" in prompt


def test_objective_masks_by_perplexity() -> None:
    transcript, _ = script(QUESTION, DebateSettings(load_prompts("default")), "objective", ANSWERS)
    mask = transcript.rounds[1].mask
    assert mask.keep == (True, False, False)
    assert [round(e.score, 3) for e in mask.evidence] == [1.105, 1.221, 1.35]


def test_judges_are_sampled_with_their_own_settings() -> None:
    settings = DebateSettings(
        load_prompts("default"),
        sampling=Sampling(max_tokens=9),
        judge_sampling=Sampling(max_tokens=2),
    )
    texts = ANSWERS | {(2, "judge"): ["<label>YES</label>"] * 3}
    _, batches = script(QUESTION, settings, "subjective", texts)
    assert [b[0].sampling.max_tokens for b in batches] == [9, 2, 9]


def test_adding_a_pruner_is_one_registration(sums: list[Question]) -> None:
    def keep_first(question: Question, memories, settings: DebateSettings) -> Mask:
        keep = tuple(memory.agent == 0 for memory in memories)
        return Mask("keep_first", keep, tuple(Evidence(score=m.agent) for m in memories))

    PRUNERS.add("keep_first", without_model(keep_first))
    try:
        results = mad(sums, prune_strategy="keep_first")(sums)
        assert results.summary.kept_memories == len(sums)
        with pytest.raises(ValueError, match="twice"):
            PRUNERS.add("keep_first", without_model(keep_first))
    finally:
        del PRUNERS._entries["keep_first"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_agents": 0}, "num_agents must be"),
        ({"max_round": 0}, "max_round must be"),
        ({"objective_keep": 0}, "objective_keep must be"),
        ({"max_live_questions": 0}, "max_live_questions must be"),
        ({"prune_strategy": "objectve"}, "did you mean 'objective'?"),
        ({"instrument": "relesed"}, "did you mean 'released'?"),
        ({"seed": -1}, "seed must be a whole number ≥ 0"),
        ({"seed": "41"}, "seed must be a whole number ≥ 0"),
        ({"answer_type": "numerc"}, "did you mean 'numeric'?"),
        ({"max_round": 0, "only_voting": True}, "max_round must be"),
    ],
)
def test_wrong_options(sums: list[Question], options: dict[str, object], message: str) -> None:
    with pytest.raises(UserError) as error:
        mad(sums, **options)
    assert message in str(error.value)


def test_rows_may_be_plain_mappings(sums: list[Question]) -> None:
    rows = [{"id": q.id, "query": q.query, "answer": q.gold} for q in sums]
    assert mad(sums)(rows).samples == mad(sums)(sums).samples
    with pytest.raises(UserError, match="same id"):
        mad(sums)([rows[0], rows[0] | {"id": str(rows[0]["id"])}])
    with pytest.raises(UserError, match="question 1 is not a mapping"):
        mad(sums)([rows[0], "What is 1 + 1?"])


def test_a_prompt_that_is_too_long_is_counted(sums: list[Question]) -> None:
    agent = Agent(ScriptedEngine(sums, max_model_len=5))
    results = MultiAgentDebate(agent, "arithmetic", prune_strategy="objective")(sums)
    summary = results.summary
    assert summary.finish_reasons["prompt_too_long"] == summary.calls.total() == 72
    assert summary.unparsed["paper"] == summary.answers
    assert summary.statuses["paper"]["no_answer"] == len(sums)
    assert summary.kept_memories == len(sums), "of empty completions the first is kept"


@pytest.mark.parametrize(
    ("text", "thinking", "rest"),
    [
        ("<think>a</think>b", "a", "b"),
        ("a</think>\n b ", "a", "b"),
        ("<think>a", "a", ""),
        ("b", "", "b"),
        ("pre<think>a</think>post", "a", "prepost"),
        ("<think>a\n<answer>4</answer>", "a", "<answer>4</answer>"),
        ("", "", ""),
    ],
)
def test_thinking_and_the_rest(text: str, thinking: str, rest: str) -> None:
    from madm2.instruments import split_thinking

    assert split_thinking(text) == (thinking, rest)


def test_the_released_instrument_joins_memories_by_a_line_break() -> None:
    from madm2.instruments import INSTRUMENTS

    settings = DebateSettings(load_prompts("default"), instrument=INSTRUMENTS["released"])
    _, batches = script(QUESTION, settings, "naive", ANSWERS)
    assert "'answer': '0'}\n{'think': 'thought 1'" in batches[1][0].messages[0].content
