"""The weights of a model folder: every shard there and whole, without reading the tensors."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from madm2.check import Check, failed, ok, refused
from madm2.errors import UserError
from madm2.model_folder.files import Source, listed, read_json, require_file

NAME = "Weights"
_INDEX = "model.safetensors.index.json"
_BIN_INDEX = "pytorch_model.bin.index.json"
_CONSOLIDATED_INDEX = "consolidated.safetensors.index.json"
_NO_WEIGHTS = re.compile(r"(adapter_model\.|training_args|optimizer|scheduler|scaler|rng_state).*")
_NUMBERED = re.compile(r"(.+)-(\d+)-of-(\d+)(\.\w+)")
_LONGEST_HEADER = 100_000_000  # the format's own limit
_SHOWN = 5


def check_weights(folder: Path, source: Source) -> list[Check]:
    """Check the files that vLLM would load from this folder."""
    try:
        sets = _weight_sets(folder, source)
    except UserError as error:
        return [refused(NAME, error)]
    return [check for index, files in sets for check in _check_set(folder, source, index, files)]


def safetensors_header(path: Path, source: Source) -> Mapping[str, Any]:
    """Read the header of a safetensors file: what each tensor is and where it ends.

    Raises:
        UserError: the file is cut off or damaged: its size is not what the header says.
    """
    again = source.fetch(path.name)
    size = path.stat().st_size
    with path.open("rb") as file:
        # A safetensors file: the header's length, the header (JSON), the tensors.
        length = int.from_bytes(file.read(8), "little")
        if 2 <= length <= _LONGEST_HEADER and size < 8 + length or size < 8:
            raise UserError(f"{path.name} is cut off within its header: {size:,} bytes", fix=again)
        raw = file.read(length) if length <= _LONGEST_HEADER else b""
    try:
        header = json.loads(raw)
        header.pop("__metadata__", None)
        end = max((int(tensor["data_offsets"][1]) for tensor in header.values()), default=0)
    except (ValueError, AttributeError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise UserError(
            f"{path.name} is damaged: it does not begin as a safetensors file", fix=again
        ) from error
    if not header:
        raise UserError(f"{path.name} holds no tensors", fix=again)
    whole = 8 + length + end
    if size < whole:
        raise UserError(f"{path.name} is cut off: {size:,} of {whole:,} bytes", fix=again)
    if size > whole:
        raise UserError(
            f"{path.name} is damaged: {size:,} bytes where its header says {whole:,}", fix=again
        )
    return dict(header)


def _weight_sets(folder: Path, source: Source) -> list[tuple[str, list[str]]]:
    """Names of the weight files by the index that would list them; safetensors go first."""
    names = sorted(name for name in os.listdir(folder) if _is_weights(name))
    tensors = [n for n in names if n.endswith(".safetensors")]
    consolidated = [n for n in tensors if n.startswith("consolidated")]
    sharded = [n for n in tensors if n not in consolidated]
    bins = [n for n in names if n.endswith(".bin")]
    others = [n for n in names if n.endswith((".pt", ".gguf"))]
    has_index = os.path.lexists(folder / _INDEX)
    sets = [(_CONSOLIDATED_INDEX, consolidated)] if consolidated else []
    if sharded or (has_index and not consolidated and not bins):
        sets.append((_INDEX, sharded))
    elif not sets and (bins or os.path.lexists(folder / _BIN_INDEX)):
        sets.append((_BIN_INDEX, bins))
    elif not sets and others:
        sets.append(("", others))
    if not sets:
        unfinished = source.leftovers()
        begun = f"; an unfinished download: {listed(unfinished)}" if unfinished else ""
        raise UserError(
            f"no weights: model.safetensors is missing, and so is {_INDEX}{begun}",
            fix=source.fetch(),
        )
    return sets


def _is_weights(name: str) -> bool:
    is_kind = name.endswith((".safetensors", ".bin", ".pt", ".gguf"))
    return is_kind and not _NO_WEIGHTS.match(name)


def _check_set(folder: Path, source: Source, index: str, present: Sequence[str]) -> list[Check]:
    placed: dict[str, set[str]] = {}
    if index and os.path.lexists(folder / index):
        try:
            placed = _read_index(folder / index, source)
        except UserError as error:
            return [refused(NAME, error)]
        needed, told = sorted(placed), f"named by {index}"
    else:
        needed, told = _with_missing_numbers(present), "by the numbers of the others"
    missing = [name for name in needed if not os.path.lexists(folder / name)]
    problems = []
    if missing:
        count = f"{len(missing)} of {len(needed)} shards missing"
        problems.append(failed(NAME, f"{count}: {listed(missing)} ({told})", source.fetch()))
    faults = []
    for name in needed:
        if name not in missing:
            try:
                _require_whole(folder / name, source, placed.get(name, ()), index)
            except UserError as error:
                faults.append(refused(NAME, error))
    problems += faults[:_SHOWN]
    if len(faults) > _SHOWN:
        problems.append(failed(NAME, f"{len(faults) - _SHOWN} more shards", source.fetch()))
    size = sum((folder / name).stat().st_size for name in needed) if not problems else 0
    files = needed[0] if len(needed) == 1 else f"{len(needed)} shards"
    return problems or [ok(NAME, f"{files}, {size / 1e9:,.2f} GB")]


def _read_index(path: Path, source: Source) -> dict[str, set[str]]:
    """The tensors that an index places in each shard."""
    shard_of = read_json(path, source).get("weight_map")
    if not isinstance(shard_of, dict) or not all(isinstance(s, str) for s in shard_of.values()):
        raise UserError(f"{path.name} is damaged: no weight_map", fix=source.fetch(path.name))
    placed: dict[str, set[str]] = {}
    for tensor, shard in shard_of.items():
        placed.setdefault(shard, set()).add(tensor)
    if not placed:
        raise UserError(f"{path.name} names no shards", fix=source.fetch(path.name))
    return placed


def _with_missing_numbers(present: Sequence[str]) -> list[str]:
    """The shards that are there, and those that `-00001-of-00003` says there should be."""
    needed = set(present)
    for name in present:
        if match := _NUMBERED.fullmatch(name):
            stem, digits, total, suffix = match.groups()
            width = len(digits)
            # A wrong name must not make a list of a billion others.
            for number in range(1, min(int(total), 10_000) + 1):
                needed.add(f"{stem}-{number:0{width}}-of-{total}{suffix}")
    return sorted(needed)


def _require_whole(path: Path, source: Source, tensors: Collection[str], index: str) -> None:
    require_file(path, source)
    if path.suffix == ".safetensors":
        lacking = sorted(set(tensors) - set(safetensors_header(path, source)))
        if lacking:
            raise UserError(
                f"{path.name} is not the shard that {index} means: "
                f"it lacks {len(lacking)} of {len(tensors)} tensors, such as {lacking[0]}",
                fix=source.fetch(path.name, index),
            )
        return
    with path.open("rb") as file:
        head = file.read(4)
    if path.suffix == ".gguf":
        if head != b"GGUF":
            raise UserError(f"{path.name} is not a GGUF file", fix=source.fetch(path.name))
    elif head[:2] == b"PK":
        # PyTorch writes zip files; the record at the end is what a cut loses.
        if not zipfile.is_zipfile(path):
            raise UserError(
                f"{path.name} is cut off: the zip record at its end is missing",
                fix=source.fetch(path.name),
            )
    elif head[:1] != b"\x80":  # the pickle of PyTorch before 1.6, whose end cannot be told
        raise UserError(f"{path.name} is not a PyTorch file", fix=source.fetch(path.name))
