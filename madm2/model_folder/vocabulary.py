"""The tokens of a tokenizer as its files list them, read without a tokenizer library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from madm2.errors import UserError
from madm2.model_folder.files import Source, read_json, require_file

SETTINGS = "tokenizer_config.json"
_ROLES = ("bos_token", "eos_token", "pad_token", "unk_token")
# Where a tokenizer may lie when there is no tokenizer.json; their tokens are not read.
_OPAQUE = ("*.model", "*.tiktoken", "vocab.txt", "tekken.json", "tokenization_*.py")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the files say.

    Args:
        file: the file that holds the tokens.
        tokens: text by id; empty when they cannot be read.
        added: ids that were added to the trained ones, most of them special.
        declared: the added tokens by id as tokenizer_config.json has them.
        named: text of bos_token, eos_token, pad_token and unk_token, where they are set.
    """

    file: str
    tokens: Mapping[int, str]
    added: frozenset[int]
    declared: Mapping[int, str]
    named: Mapping[str, str]

    def id_of(self, text: str) -> int | None:
        """Id of a token, None when there is no such token."""
        return next((i for i, token in self.tokens.items() if token == text), None)


def read_vocabulary(folder: Path, source: Source, settings: Mapping[str, Any]) -> Vocabulary:
    """Read the tokenizer files of a folder.

    Raises:
        UserError: none is there, or one is damaged.
    """
    declared = {
        int(number): _text(entry)
        for number, entry in _object(settings.get("added_tokens_decoder")).items()
        if str(number).isdecimal()
    }
    special = {}
    if _lies(folder / "special_tokens_map.json"):
        special = read_json(folder / "special_tokens_map.json", source)
    named = {
        role: text for role in _ROLES if (text := _text(settings.get(role, special.get(role))))
    }
    if _lies(folder / "tokenizer.json"):
        document = read_json(folder / "tokenizer.json", source)
        vocab = _object(document.get("model")).get("vocab")
        tokens, extra = _tokens(vocab), document.get("added_tokens")
        added = {e["id"]: _text(e) for e in _list(extra) if type(_object(e).get("id")) is int}
        if not tokens and not added:
            raise UserError(
                "tokenizer.json is damaged: it lists no tokens", fix=source.fetch("tokenizer.json")
            )
        return Vocabulary("tokenizer.json", tokens | added, frozenset(added), declared, named)
    if _lies(folder / "vocab.json"):
        tokens = _tokens(read_json(folder / "vocab.json", source))
        require_file(folder / "merges.txt", source)
        more = folder / "added_tokens.json"
        added = _tokens(read_json(more, source)) if _lies(more) else {}
        ids = frozenset(added) | frozenset(declared)
        return Vocabulary("vocab.json", tokens | added | declared, ids, declared, named)
    opaque = sorted(path for pattern in _OPAQUE for path in folder.glob(pattern))
    if not opaque:
        raise UserError(
            "no tokenizer: tokenizer.json is missing, and so are tokenizer.model and vocab.json",
            fix=source.fetch(),
        )
    require_file(opaque[0], source)
    return Vocabulary(opaque[0].name, {}, frozenset(declared), declared, named)


def _tokens(vocab: object) -> dict[int, str]:
    """Text by id, of a mapping text → id or of a list of (text, score)."""
    if isinstance(vocab, dict):
        return {number: text for text, number in vocab.items() if type(number) is int}
    return {i: str(entry[0]) for i, entry in enumerate(_list(vocab)) if _list(entry)}


def _text(token: object) -> str:
    """Text of a token, which may be an object with its `content`."""
    content = token.get("content") if isinstance(token, dict) else token
    return content if isinstance(content, str) else ""


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _lies(path: Path) -> bool:
    return path.exists() or path.is_symlink()
