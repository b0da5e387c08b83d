"""A model folder of a few hundred bytes: its files as a real one has them, its tensors all zero."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from madm2.check import Check

WORDS = ("<|end|>", "<|user|>", "<|assistant|>", "a", "b", "c", "d", "e")
TEMPLATE = "{% for message in messages %}<|user|>{{ message.content }}<|end|>{% endfor %}"
LFS_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 3945441440\n"
SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")


def safetensors(tensors: Mapping[str, int]) -> bytes:
    """A safetensors file with one-dimensional uint8 tensors of these lengths."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, length in tensors.items():
        header[name] = {"dtype": "U8", "shape": [length], "data_offsets": [end, end + length]}
        end += length
    raw = json.dumps(header).encode()
    return len(raw).to_bytes(8, "little") + raw + bytes(end)


def write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value))


def tokenizer(words: Sequence[str], special: int = 3) -> dict[str, object]:
    """A tokenizer.json of these words, the first of them special."""
    added = [{"id": i, "content": w, "special": True} for i, w in enumerate(words[:special])]
    vocab = {word: i for i, word in enumerate(words)}
    return {"added_tokens": added, "model": {"type": "BPE", "vocab": vocab, "merges": []}}


def settings(words: Sequence[str] = WORDS, special: int = 3) -> dict[str, object]:
    """Its tokenizer_config.json."""
    declared = {str(i): {"content": w, "special": True} for i, w in enumerate(words[:special])}
    return {
        "eos_token": words[0],
        "pad_token": {"content": words[0]},
        "added_tokens_decoder": declared,
        "chat_template": TEMPLATE,
    }


def make_model(folder: Path) -> Path:
    """Write a model of two shards that is in order."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(
        folder / "config.json",
        {"model_type": "llama", "vocab_size": len(WORDS), "bos_token_id": 1, "eos_token_id": 0},
    )
    write_json(folder / "generation_config.json", {"eos_token_id": [0, 2]})
    write_json(folder / "tokenizer.json", tokenizer(WORDS))
    write_json(folder / "tokenizer_config.json", settings())
    parts = ({"embed": 40, "layers.0": 30}, {"layers.1": 30, "norm": 5})
    for name, tensors in zip(SHARDS, parts, strict=True):
        (folder / name).write_bytes(safetensors(tensors))
    shard_of = {t: name for name, part in zip(SHARDS, parts, strict=True) for t in part}
    write_json(
        folder / "model.safetensors.index.json",
        {"metadata": {"total_size": 105}, "weight_map": shard_of},
    )
    return folder


def edit_json(path: Path, **changes: object) -> None:
    """Change keys of a JSON file; None takes a key out."""
    value = json.loads(path.read_text()) | changes
    write_json(path, {k: v for k, v in value.items() if v is not None})


def not_ok(checks: list[Check]) -> list[Check]:
    """The checks that found something."""
    return [check for check in checks if check.status != "ok"]


def cut(path: Path, size: int) -> None:
    """Keep so many bytes of a file; a negative size is cut off its end."""
    path.write_bytes(path.read_bytes()[:size])


def relink(path: Path) -> None:
    """Put a link that leads nowhere in the place of a file."""
    path.unlink()
    path.symlink_to("../../blobs/0123abcd")
