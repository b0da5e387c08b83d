"""Headroom: what a vote leaves on the table, and how much of it the final answers take up.

The measures of "When Debate Helps" (arXiv 2610.04686), over recorded runs and without a model:
`python -m madm2.report.headroom DIR...`
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from madm2.command import Parser, run_command
from madm2.errors import UserError
from madm2.instruments import INSTRUMENTS, Instrument
from madm2.report.released import released_samples
from madm2.runs.layout import RunPaths
from madm2.runs.samples import read_samples, sample_from_dict
from madm2.types import Sample, Vote

_COLUMNS = ("hit", "vote", "headroom", "final", "gain", "recovery", "new", "loss", "rho", "lift")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question: an agent is right (P), the vote (V, a tie is wrong), the final answer (D)."""

    hit: bool
    vote: bool
    final: bool


@dataclass(frozen=True, slots=True)
class Headroom:
    """The measures over some questions, as exact fractions.

    Args:
        questions: how many.
        hit: E[P]; `vote`: E[V]; `final`: E[D].
        recovery: R = Pr(D | P, not V); `new`: I = Pr(D | neither); `loss`: L = Pr(not D | V);
            each None where there is no such question.
        stray: questions where the vote is right and no agent is.
        lift: E[D] minus the right first votes.
    """

    questions: int
    hit: Fraction
    vote: Fraction
    final: Fraction
    recovery: Fraction | None
    new: Fraction | None
    loss: Fraction | None
    stray: int
    lift: Fraction

    @property
    def headroom(self) -> Fraction:
        """H = E[P] - E[V]."""
        return self.hit - self.vote

    @property
    def gain(self) -> Fraction:
        """G = E[D] - E[V]."""
        return self.final - self.vote

    @property
    def rho(self) -> Fraction | None:
        """G / H, None when H is 0."""
        return self.gain / self.headroom if self.headroom else None

    @property
    def identity_gap(self) -> Fraction:
        """G - (H·R + (1 - E[P])·I - E[V]·L): 0 unless there are stray questions."""
        parts = (
            (self.headroom, self.recovery),
            (1 - self.hit, self.new),
            (-self.vote, self.loss),
        )
        return self.gain - sum(weight * (rate or 0) for weight, rate in parts)


def headroom(outcomes: Sequence[Outcome], first_votes: Sequence[bool]) -> Headroom:
    """Measure the outcomes of a run's questions; `first_votes` says whose first vote was right.

    Raises:
        UserError: there are none.
    """
    n = len(outcomes)
    if not n:
        raise UserError("there are no questions to measure")

    def share(flags: Iterable[bool]) -> Fraction | None:
        found = list(flags)
        return Fraction(sum(found), len(found)) if found else None

    final = Fraction(sum(o.final for o in outcomes), n)
    return Headroom(
        n,
        Fraction(sum(o.hit for o in outcomes), n),
        Fraction(sum(o.vote for o in outcomes), n),
        final,
        share(o.final for o in outcomes if o.hit and not o.vote),
        share(o.final for o in outcomes if not o.hit and not o.vote),
        share(not o.final for o in outcomes if o.vote),
        sum(o.vote and not o.hit for o in outcomes),
        final - Fraction(sum(first_votes), n),
    )


def outcomes_of(sample: Sample, instrument: Instrument) -> list[Outcome]:
    """A sample's outcome for each of its rounds, as one instrument sees it."""
    question, score = sample.transcript.question, sample.scores[instrument.name]
    known: dict[str | float | None, bool] = {}

    def right(vote: Vote) -> bool:
        if vote.answer not in known:
            known[vote.answer] = instrument.grade(vote, question).status == "correct"
        return known[vote.answer]

    final = right(Vote(score.verdict.answer, 1, tie=False, consensus=True, clusters=(0,)))
    return [
        Outcome(
            any(right(instrument.vote([answer], question)) for answer in dict.fromkeys(row)),
            not vote.tie and right(vote),
            final,
        )
        for row, vote in zip(score.answers, score.votes, strict=True)
    ]


def headroom_by_round(samples: Sequence[Sample], instrument: Instrument) -> dict[str, Headroom]:
    """The measures of every round, and `overall`.

    A question that was not debated stands in later rounds as its last one left it. Overall an
    agent is right when it is in any round, and the vote is that of the last round.
    """
    rows = [outcomes_of(sample, instrument) for sample in samples]
    first = [row[0].vote for row in rows]
    tables = {
        f"round {index + 1}": headroom([row[min(index, len(row) - 1)] for row in rows], first)
        for index in range(max(map(len, rows), default=0))
    }
    whole = [Outcome(any(o.hit for o in row), row[-1].vote, row[-1].final) for row in rows]
    return tables | {"overall": headroom(whole, first)}


def load_samples(source: Path, dataset: str | None = None) -> list[Sample]:
    """The samples of a run folder, or of a results file that the released code wrote.

    Args:
        source: either.
        dataset: of a file whose dataset cannot be told.

    Raises:
        UserError: it is neither, or it is damaged.
    """
    if not source.is_dir():
        return list(released_samples(source, dataset))
    path = RunPaths(source).samples
    try:
        return [sample_from_dict(row) for row in read_samples(path)]
    except FileNotFoundError as error:
        raise UserError(
            f"{source} holds no finished run",
            need="a run folder with samples.jsonl, or a released results file",
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} is damaged", have=repr(error)) from error


def table(rows: dict[str, Headroom]) -> str:
    """The measures in percent, ready to print; an empty place is a rate of no question."""
    lines = [f"{'':<10}" + "".join(f"{name:>10}" for name in _COLUMNS)]
    for name, row in rows.items():
        cells = (getattr(row, column) for column in _COLUMNS)
        shown = ("" if cell is None else f"{float(100 * cell):.1f}" for cell in cells)
        lines.append(f"{name:<10}" + "".join(f"{text:>10}" for text in shown))
    lines += [f"{name}: {line}" for name, row in rows.items() for line in _remarks(row)]
    if all(row.identity_gap == 0 for row in rows.values()):
        lines.append("gain = headroom x recovery + (1 - hit) x new - vote x loss: holds")
    return "\n".join(lines)


def _remarks(row: Headroom) -> Iterable[str]:
    if row.stray:
        yield f"the vote is right and no agent is on {row.stray} of {row.questions} questions"
    if gap := row.identity_gap:
        yield f"the gain and its parts differ by {float(100 * gap):+.2f} points"


def as_dict(row: Headroom) -> dict[str, float | int | None]:
    """The measures as plain values."""
    values = {name: getattr(row, name) for name in (*_COLUMNS, "identity_gap")}
    floats = {name: None if value is None else float(value) for name, value in values.items()}
    return {"questions": row.questions, **floats, "stray": row.stray}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""

    def body() -> None:
        parser = Parser(
            "python -m madm2.report.headroom",
            "What the votes of recorded runs left on the table, and what their final answers took.",
        )
        parser.add_argument(
            "runs", nargs="+", type=Path, metavar="RUN", help="run folders or released files"
        )
        parser.add_argument("--dataset", help="of a released file that does not tell")
        parser.add_argument("--json", action="store_true", help="a JSON object a run and a line")
        args = parser.parse_args(argv)
        for source in args.runs:
            samples = load_samples(source, args.dataset)
            found = {
                name: headroom_by_round(samples, instrument)
                for name, instrument in INSTRUMENTS.items()
            }
            if args.json:
                plain = {
                    name: {place: as_dict(row) for place, row in rows.items()}
                    for name, rows in found.items()
                }
                print(json.dumps({"run": str(source), **plain}))
                continue
            print(f"{source}: {len(samples)} questions, in percent")
            for name, rows in found.items():
                print(f"\n{name} instrument\n{table(rows)}")
            print()

    return run_command(body)


if __name__ == "__main__":
    sys.exit(main())
