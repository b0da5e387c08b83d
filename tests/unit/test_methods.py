"""Methods and routes: who is asked, who reads whom, and where a question ends."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madm2.api import Agent, MultiAgentDebate
from madm2.engines import ScriptedEngine
from madm2.errors import UserError
from madm2.instruments import INSTRUMENTS
from madm2.methods import METHODS
from madm2.methods.sparse_mad import neighbours
from madm2.prompts import load_prompts
from madm2.pruners import PRUNERS
from madm2.routing import Route, parse_route
from madm2.settings import DebateSettings
from madm2.types import Completion, LogprobSummary, Question, Request, RequestKey, Transcript, Vote

QUESTION = Question(5, "math", "What is 2 + 2?", "\\boxed{4}", "math")
DEBATES = [name for name in METHODS if METHODS[name].reads]
Answer = Callable[[RequestKey], str]


def mad(questions: list[Question], **options: object) -> MultiAgentDebate:
    return MultiAgentDebate(Agent(ScriptedEngine(questions)), "arithmetic", **options)


def tagged(key: RequestKey) -> str:
    return f"<answer>{key.agent} of round {key.round}</answer>"


def conduct(
    method: str, answer: Answer = tagged, strategy: str = "naive", **options: object
) -> tuple[Transcript, list[list[Request]]]:
    """Run one question; `answer` is what is said to a key."""
    settings = DebateSettings(load_prompts("default"), **options)
    debate = METHODS[method].run(QUESTION, settings, PRUNERS[strategy])
    batches: list[list[Request]] = []
    answers: list[Completion] | None = None
    while True:
        try:
            requests = next(debate) if answers is None else debate.send(answers)
        except StopIteration as end:
            return end.value, batches
        batches.append(requests)
        answers = [
            Completion(r.key, answer(r.key), 1, 9, LogprobSummary(9, -1.0, -0.5), "stop", 0)
            for r in requests
        ]


def readers(batch: list[Request]) -> list[list[int]]:
    return [[key.agent for key in request.reads] for request in batch]


@pytest.mark.parametrize(
    ("agents", "want"),
    [
        (1, [[]]),
        (2, [[1], [0]]),
        (3, [[1, 2], [0, 2], [0, 1]]),
        (4, [[1, 3], [0, 2], [1, 3], [0, 2]]),
        (5, [[1, 4], [0, 2], [1, 3], [2, 4], [0, 3]]),
        (6, [[1, 5], [0, 2], [1, 3], [2, 4], [3, 5], [0, 4]]),
        (7, [[1, 6], [0, 2], [1, 3], [2, 4], [3, 5], [4, 6], [0, 5]]),
    ],
)
def test_in_a_ring_everyone_reads_its_neighbours(agents: int, want: list[list[int]]) -> None:
    transcript, batches = conduct("sparse_mad", num_agents=agents, max_round=3)
    assert [len(batch) for batch in batches] == [agents] * 3
    assert [key for request in batches[0] for key in request.reads] == []
    for number, batch in enumerate(batches[1:], start=1):
        assert readers(batch) == want
        for request in batch:
            assert {key.round for key in request.reads} <= {number}
            prompt = request.messages[0].content
            seen = [a for a in range(agents) if f"{a} of round {number}<" in prompt]
            assert seen == want[request.key.agent]
    for rnd, batch in zip(transcript.rounds, batches, strict=True):
        assert rnd.prompts == tuple(request.messages for request in batch)
    if agents == 1:
        assert batches[2][0].messages == batches[0][0].messages, "nobody to read: asked afresh"


@given(st.integers(1, 40))
def test_a_ring_is_mutual_and_nobody_reads_itself(agents: int) -> None:
    ring = [neighbours(agent, agents) for agent in range(agents)]
    for agent, seen in enumerate(ring):
        assert len(seen) == len(set(seen)) == min(2, agents - 1)
        assert agent not in seen and list(seen) == sorted(seen)
        assert all(agent in ring[other] for other in seen)


def test_in_a_full_debate_everyone_reads_everyone() -> None:
    _, batches = conduct("mad", num_agents=4)
    assert readers(batches[1]) == [[0, 1, 2, 3]] * 4
    assert len({request.messages for request in batches[1]}) == 1


def test_a_mask_is_over_all_and_each_reads_the_kept_ones_among_its_neighbours() -> None:
    labels = {0: "NO", 1: "YES", 2: "NO", 3: "YES", 4: "NO"}

    def answer(key: RequestKey) -> str:
        judged = f"<label>{labels[key.agent]}</label>"
        return judged if key.purpose == "judge" else tagged(key)

    transcript, batches = conduct("sparse_mad", answer, "subjective", num_agents=5)
    assert transcript.rounds[1].mask.keep == (False, True, False, True, False)
    assert readers(batches[2]) == [[1], [], [1, 3], [], [3]]
    for agent in (1, 3):
        assert batches[2][agent].messages == batches[0][agent].messages, "asked afresh"


def test_chain_of_thought_is_one_answer_whatever_the_settings() -> None:
    transcript, batches = conduct("cot", num_agents=5, max_round=4)
    assert [[str(r.key) for r in batch] for batch in batches] == [
        ["question 5, round 1, answer, agent 0"]
    ]
    assert len(transcript.rounds) == 1 and transcript.rounds[0].mask is None
    assert (transcript.method, transcript.debated) == ("cot", None)


def test_self_consistency_is_one_round_of_the_same_prompt() -> None:
    transcript, batches = conduct("cot_sc", num_agents=6, max_round=4)
    (batch,) = batches
    assert [request.key.agent for request in batch] == list(range(6))
    assert {request.messages for request in batch} == {conduct("cot")[1][0][0].messages}
    assert (transcript.method, len(transcript.rounds)) == ("cot_sc", 1)


def test_methods_sample_the_same_first_answers(sums: list[Question]) -> None:
    texts = {}
    for method in METHODS:
        samples = mad(sums, method=method, num_agents=6, prune_strategy="naive")(sums).samples
        texts[method] = [
            [(c.seed, c.text) for c in s.transcript.rounds[0].completions] for s in samples
        ]
    assert texts["mad"] == texts["sparse_mad"] == texts["cot_sc"]
    assert texts["cot"] == [row[:1] for row in texts["mad"]]


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
@pytest.mark.parametrize("strategy", list(PRUNERS))
@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_under_every_mask(
    sums: list[Question], method: str, strategy: str, instrument: str
) -> None:
    options = {"method": method, "prune_strategy": strategy, "instrument": instrument}
    debates = METHODS[method].reads is not None
    agents = 1 if method == "cot" else 4
    rounds = 3 if debates else 1
    results = mad(sums, num_agents=4, max_round=3, **options)(sums)
    for sample in results.samples:
        assert sample.transcript.method == method and sample.transcript.debated is None
        assert [len(r.completions) for r in sample.transcript.rounds] == [agents] * rounds
        for rnd in sample.transcript.rounds[1:]:
            assert rnd.mask.strategy == strategy
            assert len(rnd.mask.keep) == len(rnd.mask.evidence) == agents
        assert all(len(score.votes) == rounds for score in sample.scores.values())
    assert results.summary.answers == agents * rounds * len(sums)
    assert results.summary.memories == agents * (rounds - 1) * len(sums)
    again = mad(sums, num_agents=4, max_round=3, max_live_questions=1, **options)(sums)
    assert again.samples == results.samples


@pytest.mark.parametrize(
    ("text", "count", "agents", "debates"),
    [
        ("majority:0.67", 2, 3, True),
        ("majority:0.66", 2, 3, False),
        ("majority:2/3", 2, 3, False),
        ("majority:2/3", 1, 3, True),
        ("majority:1", 3, 3, False),
        ("majority:1", 2, 3, True),
        ("majority:1.0", 5, 6, True),
        ("majority:0.6", 3, 5, False),
        ("majority:0.7", 7, 10, False),
        ("majority:0.5", 1, 2, False),
        ("majority:.000001", 0, 3, True),
        ("majority:.000001", 1, 3, False),
        ("majority:1", 1, 1, False),
    ],
)
def test_a_route_debates_below_its_threshold(
    text: str, count: int, agents: int, debates: bool
) -> None:
    vote = Vote("4", count, tie=False, consensus=False, clusters=())
    route = parse_route(text)
    assert route is not None and route.debates(vote, agents) is debates


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("majority:0.50", "majority:0.5"),
        ("majority:1/2", "majority:0.5"),
        ("majority:4/6", "majority:2/3"),
        ("majority:0.666667", "majority:0.666667"),
        ("majority:1.000", "majority:1"),
        ("majority:1/524288", "majority:1/524288"),
        ("majority:0.000001", "majority:0.000001"),
    ],
)
def test_a_route_has_one_name(text: str, name: str) -> None:
    assert str(parse_route(text)) == name


@given(st.fractions(0, 1, max_denominator=10**6).filter(bool))
def test_a_routes_name_is_read_again(threshold: Fraction) -> None:
    assert parse_route(str(Route(threshold))) == Route(threshold)


@pytest.mark.parametrize(
    "text",
    ["", "majority", "majority:", "majority:0", "majority:1.1", "majority:-1", "majority:nan",
     "majority:inf", "majority:1/0", "majority:.", "majority:0.", "majority:3/2", "majority:0.5 ", "majority:1e-2",
     "majority:٠.٥", "half", "None"],
)  # fmt: skip
def test_a_route_that_is_none(text: str) -> None:
    with pytest.raises(UserError, match=r"majority:0\.67"):
        parse_route(text)


def votes(*answers: str) -> Answer:
    """In round 1 each agent gives its own answer, afterwards all say 4."""
    return lambda key: f"<answer>{answers[key.agent] if key.round == 1 else 4}</answer>"


@pytest.mark.parametrize("method", DEBATES)
@pytest.mark.parametrize(
    ("instrument", "answers", "debated"),
    [
        ("paper", ["4", "4", "5"], False),
        ("paper", ["4", "4.0", "5"], False),
        ("paper", ["4", "6", "5"], True),
        ("paper", ["", "", "5"], True),
        ("paper", ["", "", ""], True),
        ("released", ["4", "4", "5"], False),
        ("released", ["4", "4.0", "5"], True),
        ("released", ["", "", "5"], False),
    ],
)
def test_the_runs_own_vote_routes(
    method: str, instrument: str, answers: list[str], debated: bool
) -> None:
    transcript, batches = conduct(
        method, votes(*answers), route=parse_route("majority:2/3"), max_round=3,
        instrument=INSTRUMENTS[instrument],
    )  # fmt: skip
    assert transcript.debated is debated
    assert len(transcript.rounds) == len(batches) == (3 if debated else 1)


@pytest.mark.parametrize("strategy", list(PRUNERS))
@pytest.mark.parametrize("method", DEBATES)
def test_a_routed_run_is_counted(sums: list[Question], method: str, strategy: str) -> None:
    options = {"method": method, "prune_strategy": strategy, "max_round": 3}
    routed = mad(sums, route="majority:1", **options)(sums)
    summary = routed.summary
    full = mad(sums, **options)(sums)
    assert 0 < summary.debated < summary.routed == len(sums)
    assert summary.debated == sum(len(s.transcript.rounds) == 3 for s in routed.samples)
    assert summary.boundaries == 2 * summary.debated
    assert summary.from_dict(summary.as_dict()) == summary
    for sample, other in zip(routed.samples, full.samples, strict=True):
        rounds = sample.transcript.rounds
        assert rounds == other.transcript.rounds[: len(rounds)]
        assert sample.transcript.debated == (len(rounds) == 3)
    assert full.summary.routed == full.summary.debated == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "sparse"}, "did you mean 'sparse_mad'?"),
        ({"method": "cot", "route": "majority:0.5"}, "cot has no rounds"),
        ({"method": "cot_sc", "route": "majority:0.5"}, "cot_sc has no rounds"),
        ({"route": "majority:2"}, "have: 'majority:2'"),
        ({"route": "majority:0.5", "max_round": 1}, "needs a second round"),
        ({"route": "majority:0.5", "only_voting": True}, "needs a second round"),
        ({"random_keep": 0}, "random_keep must be a whole number ≥ 1"),
        ({"method": "cot_sc", "num_agents": 0}, "num_agents must be"),
    ],
)
def test_wrong_options(sums: list[Question], options: dict[str, object], message: str) -> None:
    with pytest.raises(UserError) as error:
        mad(sums, **options)
    assert message in str(error.value)
