"""The values that flow through a debate, from a question to its verdict.

Everything here is frozen and knows nothing of engines, files or prompts. Agents are counted
from 0 and rounds from 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

AnswerType = Literal["numeric", "math", "choice", "text"]
InstrumentName = Literal["paper", "released"]
Status = Literal["correct", "incorrect", "no_answer", "grader_timeout", "bad_gold"]
QuestionId = str | int


@dataclass(frozen=True, slots=True)
class Question:
    """One row of a dataset.

    `gold` is the source's answer field as it stands (for GSM8K and MATH a whole solution);
    `options` are the texts of a multiple-choice question, option A first.
    """

    id: QuestionId
    dataset: str
    query: str
    gold: str
    answer_type: AnswerType
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestKey:
    """What a completion is for; unique within a run.

    `purpose` is `answer`, or what a pruner (`judge`) or a decision (`decision`) asks for; what
    reads a memory that was tampered with names it `tampered`. `agent` is the agent that
    answers, or whose memory is judged. `index` counts several samples of the same kind.
    """

    question_id: QuestionId
    round: int
    purpose: str
    agent: int
    index: int = 0

    def __str__(self) -> str:
        """The key as messages to people say it."""
        sample = f", sample {self.index}" if self.index else ""
        place = f"question {self.question_id}, round {self.round}"
        return f"{place}, {self.purpose}, agent {self.agent}{sample}"


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling settings of one request, in vLLM's names; `top_k` -1 means all tokens.

    `keep_stop` leaves the stop string that ended a text in it. It is for labels, so a prompt that
    opens the thinking itself does not stop there.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = -1
    min_p: float = 0.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    repetition_penalty: float = 1.0
    max_tokens: int = 4096
    min_tokens: int = 0
    ignore_eos: bool = False
    stop: tuple[str, ...] = ()
    keep_stop: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """One completion that a method or pruner needs.

    `reads` names the earlier completions that the messages show, in their order.
    """

    key: RequestKey
    messages: tuple[Message, ...]
    sampling: Sampling
    reads: tuple[RequestKey, ...] = ()


@dataclass(frozen=True, slots=True)
class LogprobSummary:
    """Log-probabilities (natural log) of one completion's tokens, summed.

    `sampled_sum` runs over the tokens that were sampled, `top_sum` over the most likely token
    at each position.
    """

    count: int
    sampled_sum: float
    top_sum: float

    @property
    def perplexity(self) -> float:
        """Exponential of minus the mean log-probability of the sampled tokens (inf for none)."""
        return math.exp(-self.sampled_sum / self.count) if self.count else math.inf

    @property
    def released_score(self) -> float:
        """What the released code calls perplexity: exp of plus the mean of the rank-1 tokens."""
        return math.exp(self.top_sum / self.count) if self.count else math.inf


@dataclass(frozen=True, slots=True)
class Completion:
    """What the engine answered to one request.

    `finish_reason` is `stop`, `length`, or `prompt_too_long` for a prompt that the model
    cannot take (then the text is empty). `prompt_sha256` is over the token ids sent.
    """

    key: RequestKey
    text: str
    input_tokens: int
    output_tokens: int
    logprobs: LogprobSummary
    finish_reason: str
    seed: int
    prompt_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """An agent's solution of the previous round, as the next round may see it.

    `answer` is what the run's instrument read in the completion, None when nothing was found.
    """

    agent: int
    round: int
    completion: Completion
    answer: str | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why one memory was kept or masked: a score, a label, or both.

    `label` is `yes`, `no` or `not_sure`; `source` says where a label came from: `tag`, `bare`
    (a bare leading word, where the prompts allow it), `none` (no label found), or `gold` (the
    oracle's). `attack` says what was done to the memory on its way: `drop` or `tamper`.
    """

    score: float | None = None
    label: str | None = None
    source: str | None = None
    attack: str | None = None


@dataclass(frozen=True, slots=True)
class Mask:
    """Which memories of the previous round a round may see: one `keep` entry an agent.

    `completions` are what the pruner itself asked the model for.
    """

    strategy: str
    keep: tuple[bool, ...]
    evidence: tuple[Evidence, ...]
    completions: tuple[Completion, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a debate; `mask` is what was applied before it (None in round 1)."""

    index: int
    mask: Mask | None
    prompts: tuple[tuple[Message, ...], ...]
    completions: tuple[Completion, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """All rounds of one question; `method` names what produced them.

    `debated` is what the route decided after round 1; None where there is no route.
    `decided_by` is what the decision asked the model for, after the last round.
    """

    question: Question
    method: str
    rounds: tuple[Round, ...]
    debated: bool | None = None
    decided_by: tuple[Completion, ...] = ()

    def completions(self) -> Iterator[Completion]:
        """All completions, those of pruners and the decision too, in the order of the rounds."""
        for rnd in self.rounds:
            if rnd.mask is not None:
                yield from rnd.mask.completions
            yield from rnd.completions
        yield from self.decided_by


@dataclass(frozen=True, slots=True)
class Vote:
    """The outcome of a vote over one round's answers.

    `answer` is None when nobody gave one (the released instrument votes over normalised
    values, which may be numbers); `count` is the winner's votes; `tie` says that another
    cluster had as many; `clusters` numbers the cluster of each agent (None: no vote).
    """

    answer: str | float | None
    count: int
    tie: bool
    consensus: bool
    clusters: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """How a decision other than the last vote came to its answer, under one instrument.

    `scores` has one score a cluster; `clusters[r][a]` numbers the cluster of agent a's answer
    in the r-th of the rounds that were scored (None: no answer). `winner` is the cluster that
    was chosen, None when nobody answered; `tie` says that another one had as high a score.
    """

    decision: str
    scores: tuple[float, ...]
    clusters: tuple[tuple[int | None, ...], ...]
    winner: int | None
    tie: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """A graded answer; `grader` names the instrument."""

    status: Status
    answer: str | float | None
    grader: InstrumentName


@dataclass(frozen=True, slots=True)
class Score:
    """One instrument's reading of a transcript.

    `answers[r][a]` is what agent a said in round r + 1, `votes[r]` the vote over that round. The
    verdict is on the last vote's answer, or on what `choice` chose.
    """

    answers: tuple[tuple[str | None, ...], ...]
    votes: tuple[Vote, ...]
    verdict: Verdict
    choice: Choice | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """A transcript with the scores of both instruments."""

    transcript: Transcript
    scores: dict[InstrumentName, Score] = field(default_factory=dict)
