"""The journal of a run: every completion, a line each, on disk before anything is made of it."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from madm2.errors import UserError
from madm2.jsonl import parse_object
from madm2.types import Completion, LogprobSummary, RequestKey

VERSION = 1
SECONDS_BETWEEN_SYNCS = 1.0

Cut = tuple[str, int, int]
"""A text that was cut for a prompt: its sha256, the tokens allowed, the characters kept."""


def cut_key(text: str, n_tokens: int) -> tuple[str, int]:
    """What a cut of this text to so many tokens is known by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), n_tokens


@dataclass(frozen=True, slots=True)
class Record:
    """A completion, and what it answered.

    Args:
        completion: what the engine returned.
        messages_sha256: hash of the chat messages sent.
        sampling: the sampling settings, as plain values.
        reads: the earlier completions that the messages show.
        cuts: what was cut to make the messages.
        seconds: seconds the engine had worked for this run when the completion came.
        shared: it was generated for another run, and is used for this one too.
    """

    completion: Completion
    messages_sha256: str
    sampling: dict[str, Any]
    reads: tuple[RequestKey, ...] = ()
    cuts: tuple[Cut, ...] = ()
    seconds: float = 0.0
    shared: bool = False


class Journal:
    """An append-only file of completions, and an index of what it holds.

    `seconds` is the largest of the records', `cuts` what their prompts had cut;
    `shared_input_tokens` and `shared_output_tokens` count what other runs have paid for. Only
    places in the file are kept in memory. Opening drops a torn last line, with a note: its
    completion is asked again.

    Args:
        path: `journal.jsonl`; made with its header if it is not there.
        read_only: leave the file as it is, torn line and all.

    Raises:
        UserError: a damaged line before the last, a key that stands twice, another version.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.seconds = 0.0
        self.cuts: dict[tuple[str, int], int] = {}
        self.shared_input_tokens = 0
        self.shared_output_tokens = 0
        self._places: dict[RequestKey, tuple[int, int]] = {}
        self._unsynced = False
        self._failure: OSError | None = None
        self._closed = threading.Event()
        flags = os.O_RDONLY if read_only else os.O_RDWR | os.O_CREAT | os.O_APPEND
        try:
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, "Is a directory")
            self._handle = os.open(path, flags | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise UserError(f"cannot use {path}", have=error.strerror or str(error)) from error
        try:
            self._size = self._scan()
            if not read_only:
                self._repair()
        except BaseException:
            os.close(self._handle)
            raise
        # A disk that is slow to sync must not hold up the engine.
        self._syncing = threading.Thread(target=self._keep_synced, daemon=True)
        if not read_only:
            self._syncing.start()

    def __len__(self) -> int:
        """Completions recorded."""
        return len(self._places)

    def __contains__(self, key: object) -> bool:
        """Whether the key's completion is recorded."""
        return key in self._places

    def __iter__(self) -> Iterator[RequestKey]:
        """Keys in the order in which they were recorded."""
        return iter(self._places)

    def read(self, key: RequestKey) -> Record:
        """The record of a key that is in the journal."""
        offset, length = self._places[key]
        line = os.pread(self._handle, length, offset)
        return _record(parse_object(line, f"{self.path}, the line of {key}"))

    def append(self, records: Sequence[Record]) -> None:
        """Write records through to the operating system; to the disk at most every second.

        Raises:
            UserError: the file cannot take them (a full disk); what is whole in it stays.
        """
        places, lines, at = {}, list[bytes](), self._size
        for record in records:
            line = json.dumps(_row(record)).encode() + b"\n"
            places[record.completion.key] = (at, len(line))
            at += len(line)
            lines.append(line)
        self._write(b"".join(lines))
        self._places |= places
        self._size = at
        for record in records:
            self._note(record)
        self._unsynced = True

    def close(self) -> None:
        """Sync and close; calling it again does nothing."""
        if self._handle < 0:
            return
        self._closed.set()
        if self._syncing.is_alive():
            self._syncing.join()
        try:
            if self._unsynced:
                os.fsync(self._handle)
        finally:
            os.close(self._handle)
            self._handle = -1

    def _note(self, record: Record) -> None:
        self.seconds = max(self.seconds, record.seconds)
        self.cuts |= {(digest, tokens): chars for digest, tokens, chars in record.cuts}
        if record.shared:
            self.shared_input_tokens += record.completion.input_tokens
            self.shared_output_tokens += record.completion.output_tokens

    def _keep_synced(self) -> None:
        while not self._closed.wait(SECONDS_BETWEEN_SYNCS):
            if self._unsynced:
                self._unsynced = False
                try:
                    os.fsync(self._handle)
                except OSError as error:
                    self._failure = error
                    return

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            if self._failure is not None:
                raise self._failure
            while view:
                view = view[os.write(self._handle, view) :]
        except OSError as error:
            raise UserError(
                f"cannot write {self.path}",
                have=error.strerror or str(error),
                fix="make room for it; the run goes on from what is recorded",
            ) from error

    def _scan(self) -> int:
        """Index the file; return the size of its whole lines."""
        size = number = 0
        torn: _DamagedError | None = None
        with open(self._handle, "rb", closefd=False) as file:
            for number, line in enumerate(file, start=1):
                if torn is not None:
                    raise torn
                try:
                    self._take(line, number, size)
                except _DamagedError as error:
                    if number == 1 and line.endswith(b"\n"):
                        raise
                    torn = error
                else:
                    size += len(line)
        return size

    def _take(self, line: bytes, number: int, offset: int) -> None:
        """Index one line; UserError, naming it, when it is damaged."""
        where = f"{self.path}, line {number}"
        if not line.endswith(b"\n"):
            raise _DamagedError(f"{where} is cut off")
        try:
            row = parse_object(line, where)
            record = None if number == 1 else _record(row)
        except (KeyError, TypeError, ValueError, UserError) as error:
            raise _DamagedError(
                f"{where} is damaged",
                have=error.have if isinstance(error, UserError) else repr(error),
                need="the header" if number == 1 else "one completion a line",
                fix="begin the run anew with --overwrite"
                if number == 1
                else f"delete it (sed -i {number}d {self.path}), and the run asks for its "
                "completion again",
            ) from error
        if record is None:
            if row.get("journal") != VERSION:
                raise UserError(
                    f"{where} is not the header of a journal that this version reads",
                    have=str(row)[:80],
                    need=json.dumps({"journal": VERSION}),
                    fix="use the version that wrote it, or begin anew with --overwrite",
                )
            return
        key = record.completion.key
        if key in self._places:
            raise UserError(
                f"{where} records {key} a second time",
                fix=f"delete one of the two: sed -i {number}d {self.path}",
            )
        self._places[key] = (offset, len(line))
        self._note(record)

    def _repair(self) -> None:
        torn = os.fstat(self._handle).st_size - self._size
        if torn:
            os.ftruncate(self._handle, self._size)
            print(
                f"note: the last line of {self.path} was damaged ({torn} bytes) and is dropped; "
                "what it recorded is asked again",
                file=sys.stderr,
            )
        if not self._size:
            header = json.dumps({"journal": VERSION}).encode() + b"\n"
            self._write(header)
            self._size = len(header)


class _DamagedError(UserError):
    """A line that is no whole completion."""


def _row(record: Record) -> dict[str, Any]:
    c = record.completion
    row: dict[str, Any] = {
        "key": _key_list(c.key),
        "seed": c.seed,
        "text": c.text,
        "finish_reason": c.finish_reason,
        "input_tokens": c.input_tokens,
        "output_tokens": c.output_tokens,
        "logprobs": {
            "count": c.logprobs.count,
            "sampled_sum": c.logprobs.sampled_sum,
            "top_sum": c.logprobs.top_sum,
        },
        "prompt_sha256": c.prompt_sha256,
        "messages_sha256": record.messages_sha256,
        "sampling": record.sampling,
        "reads": [_key_list(key) for key in record.reads],
        "seconds": round(record.seconds, 3),
    }
    if record.cuts:
        row["cuts"] = [list(cut) for cut in record.cuts]
    if record.shared:
        row["shared"] = True
    return row


def _record(row: dict[str, Any]) -> Record:
    """A record from its row; KeyError, TypeError or ValueError when it is none."""
    logprobs = row["logprobs"]
    for value, kind in (
        (row["text"], str),
        (row["finish_reason"], str),
        (row["prompt_sha256"], str),
        (row["seconds"], (int, float)),
        (row["input_tokens"], int),
        (row["output_tokens"], int),
        (logprobs["count"], int),
        (logprobs["sampled_sum"], (int, float)),
        (logprobs["top_sum"], (int, float)),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"{value!r} is not of the kind that belongs there")
    return Record(
        Completion(
            key=_key(row["key"]),
            text=row["text"],
            input_tokens=row["input_tokens"],
            output_tokens=row["output_tokens"],
            logprobs=LogprobSummary(
                logprobs["count"], logprobs["sampled_sum"], logprobs["top_sum"]
            ),
            finish_reason=row["finish_reason"],
            seed=row["seed"],
            prompt_sha256=row["prompt_sha256"],
        ),
        row["messages_sha256"],
        row["sampling"],
        tuple(_key(key) for key in row["reads"]),
        tuple((digest, tokens, chars) for digest, tokens, chars in row.get("cuts", ())),
        row["seconds"],
        bool(row.get("shared")),
    )


def _key_list(key: RequestKey) -> list[str | int]:
    return [key.question_id, key.round, key.purpose, key.agent, key.index]


def _key(parts: list[Any]) -> RequestKey:
    question_id, round_index, purpose, agent, index = parts
    if not isinstance(question_id, (int, str)):
        raise TypeError(f"no question has the id {question_id!r}")
    return RequestKey(question_id, round_index, sys.intern(purpose), agent, index)
