"""Whether the tokenizer of a folder is the model's: ids, special tokens, the chat template's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from madm2.check import Check, failed, ok, warning
from madm2.model_folder.files import Source, listed
from madm2.model_folder.vocabulary import SETTINGS, Vocabulary

NAME = "Tokenizer"
# Models pad their embedding, by a few percent: a smaller vocabulary than this is a stranger's.
_USUAL_SHARE, _LEAST_SHARE = 0.9, 0.5
_CONTROL = re.compile(r"<\|[\w.\- ]+\|>")
_TEXT_CONFIGS = ("text_config", "llm_config", "language_config", "thinker_config")


def check_tokenizer(
    vocabulary: Vocabulary,
    source: Source,
    config: Mapping[str, Any],
    generation: Mapping[str, Any],
    template: str,
) -> list[Check]:
    """Compare a tokenizer with the model that lies beside it.

    Args:
        vocabulary: the tokenizer's tokens.
        source: where the folder's files come from.
        config: config.json.
        generation: generation_config.json, empty when there is none.
        template: text of the chat template, empty when there is none.
    """
    if not vocabulary.tokens:
        return [ok(NAME, f"{vocabulary.file} (its tokens are not read)")]
    names = [n for n in (vocabulary.file, SETTINGS) if n == SETTINGS or n.endswith(".json")]
    fix = f"take the model's own tokenizer: {source.fetch(*names)}"
    problems = [
        *_size_problems(vocabulary, _vocab_size(config), template, fix),
        *_mixed_files(vocabulary, fix),
        *_ending_problems(vocabulary, _ids("eos_token_id", config, generation), fix),
        *_beginning_problems(vocabulary, _ids("bos_token_id", config, generation), fix),
        *_template_problems(vocabulary, template, fix),
    ]
    # Beside what certainly fails, suspicions tell nothing new.
    certain = [problem for problem in problems if problem.status == "failed"]
    fine = ok(NAME, f"{vocabulary.file}, {len(vocabulary.tokens):,} tokens")
    return certain or problems or [fine]


def _size_problems(
    vocabulary: Vocabulary, size: int | None, template: str, fix: str
) -> Iterator[Check]:
    if size is None:
        return
    highest = max(vocabulary.tokens)
    if highest >= size:
        beyond = {i for i in vocabulary.tokens if i >= size}
        what = (
            f"{vocabulary.file} has {len(beyond):,} token ids that the model lacks: "
            f"they go up to {highest}, its vocab_size in config.json is {size}"
        )
        used = {t for i in beyond if (t := vocabulary.tokens[i]) in vocabulary.named.values()}
        used |= {t for i in beyond if (t := vocabulary.tokens[i]) in template}
        if beyond <= vocabulary.added and not used:
            yield warning(NAME, f"{what} (added tokens, which no chat of ours holds)", fix)
        else:
            yield failed(NAME, f"{what}: a wrong tokenizer", fix)
    count = len(vocabulary.tokens)
    if count < size * _LEAST_SHARE:
        yield failed(
            NAME,
            f"{vocabulary.file} has {count:,} tokens, the model's vocab_size in config.json "
            f"is {size:,}: a wrong tokenizer",
            fix,
        )
    elif count < size * _USUAL_SHARE:
        yield warning(
            NAME,
            f"{vocabulary.file} has {count:,} tokens, far fewer than the model's vocab_size "
            f"{size:,} in config.json: a wrong tokenizer?",
            fix,
        )


def _mixed_files(vocabulary: Vocabulary, fix: str) -> Iterator[Check]:
    declared = vocabulary.declared
    strange = [t for i, t in sorted(declared.items()) if vocabulary.tokens.get(i) != t]
    if len(strange) * 2 > len(declared):
        yield failed(
            NAME,
            f"{SETTINGS} belongs to another tokenizer than {vocabulary.file}: {len(strange)} of "
            f"its {len(declared)} added tokens are not there, such as {strange[0]!r}",
            fix,
        )


def _ending_problems(vocabulary: Vocabulary, ids: Mapping[int, str], fix: str) -> Iterator[Check]:
    """Problems of the token that ends an answer; without it, no answer ends."""
    own = vocabulary.named.get("eos_token")
    own_id = None if own is None else vocabulary.id_of(own)
    if own is not None and own_id is None and own not in vocabulary.declared.values():
        yield failed(NAME, f"eos_token {own!r} of {SETTINGS} is not in {vocabulary.file}", fix)
    if not ids or (own_id is not None and own_id in ids):
        return
    known = {i: vocabulary.tokens[i] for i in ids if i in vocabulary.tokens}
    said = ", ".join(f"eos_token_id {i} of {file}" for i, file in ids.items())
    if not known:
        yield failed(NAME, f"{said} is no token of {vocabulary.file}: a wrong tokenizer", fix)
        return
    meant = " or ".join(repr(text) for text in known.values())
    if not any(_is_special(vocabulary, i) for i in known):
        yield failed(
            NAME,
            f"{said} is the ordinary text {meant} in {vocabulary.file}: a wrong tokenizer",
            fix,
        )
    elif own_id is not None:
        yield warning(
            NAME,
            f"{said} is {meant} in {vocabulary.file}, but its eos_token is {own!r} ({own_id}): "
            "a wrong tokenizer?",
            fix,
        )


def _beginning_problems(
    vocabulary: Vocabulary, ids: Mapping[int, str], fix: str
) -> Iterator[Check]:
    """Problems of bos_token_id; only warnings: well-known models name a token of no use there."""
    own = vocabulary.named.get("bos_token")
    own_id = None if own is None else vocabulary.id_of(own)
    for number, file in ids.items():
        if number not in vocabulary.tokens:
            what = f"no token of {vocabulary.file}"
        elif own is not None and own_id not in ids:
            what = f"{vocabulary.tokens[number]!r} in {vocabulary.file}, which begins with {own!r}"
        else:
            continue
        yield warning(NAME, f"bos_token_id {number} of {file} is {what}: a wrong tokenizer?", fix)


def _template_problems(vocabulary: Vocabulary, template: str, fix: str) -> Iterator[Check]:
    written = sorted(set(_CONTROL.findall(template)))
    texts = set(vocabulary.tokens.values()) | set(vocabulary.declared.values())
    if written and texts.isdisjoint(written):
        yield warning(
            NAME,
            f"the chat template writes {listed(written)}, which {vocabulary.file} spells as "
            "ordinary text: a wrong tokenizer?",
            fix,
        )


def _is_special(vocabulary: Vocabulary, number: int) -> bool:
    text = vocabulary.tokens[number]
    is_marked = number in vocabulary.added or number in vocabulary.declared
    return is_marked or text in vocabulary.named.values() or (text[:1], text[-1:]) == ("<", ">")


def _vocab_size(config: Mapping[str, Any]) -> int | None:
    for part in (config, *(config.get(name) for name in _TEXT_CONFIGS)):
        size = part.get("vocab_size") if isinstance(part, Mapping) else None
        if type(size) is int and size > 0:
            return size
    return None


def _ids(key: str, config: Mapping[str, Any], generation: Mapping[str, Any]) -> dict[int, str]:
    """The ids that the model's files give a role, each with its file; there may be several."""
    found: dict[int, str] = {}
    places = [("generation_config.json", generation), ("config.json", config)]
    places += [("config.json", config.get(name) or {}) for name in _TEXT_CONFIGS]
    for file, values in places:
        value = values.get(key) if isinstance(values, Mapping) else None
        for number in value if isinstance(value, list) else [value]:
            if type(number) is int and number >= 0:
                found.setdefault(number, file)
    return found
