"""The model's tokenizer as an engine needs it: chat to text, text to token ids, heads of texts."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from madm2.engines.load_faults import excerpt, explain
from madm2.errors import UserError
from madm2.types import Message


class ChatTokenizer:
    """A tokenizer with its chat template.

    Raises:
        UserError: it cannot be loaded, or has no chat template.
    """

    def __init__(self, path: str, *, revision: str | None = None, trust_code: bool = False) -> None:
        from transformers import AutoTokenizer

        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(
                path, revision=revision, trust_remote_code=trust_code
            )
        except Exception as error:  # the many ways to fail share no class
            raise explain(error, path) or UserError(
                f"the tokenizer of {path} cannot be loaded",
                have=excerpt(str(error)),
                need="the model's tokenizer files (tokenizer.json, tokenizer_config.json)",
                fix="copy or download them into the model folder again",
            ) from error
        # Several named templates are possible; plain chats use the default one.
        template = self._tokenizer.chat_template
        if isinstance(template, Mapping):
            template = template.get("default")
        if not template:
            raise UserError(
                f"the tokenizer of {path} has no chat template",
                need="chat_template.jinja, or chat_template in tokenizer_config.json",
                fix="pick the instruction-tuned variant of the model (-Instruct, -chat)",
            )
        self.template_sha256 = hashlib.sha256(replace_surrogates(template).encode()).hexdigest()

    def render(self, messages: Sequence[Message]) -> str:
        """Fill the chat template; messages it refuses (a system one, say) are merged and retried.

        Raises:
            UserError: the template refuses the merged messages too.
        """
        from jinja2 import TemplateError

        chat = [{"role": m.role, "content": settled_end(m.content)} for m in messages]
        for attempt in (chat, merged_for_strict_templates(chat)):
            try:
                return str(
                    self._tokenizer.apply_chat_template(
                        attempt, tokenize=False, add_generation_prompt=True
                    )
                )
            except TemplateError as error:
                refusal = error
        raise UserError(
            "the model's chat template refuses the prompt",
            have=f"roles {[m.role for m in messages]}: {refusal}",
            fix="use another prompt set (--prompts) or a model with a usual chat template",
        ) from refusal

    def encode(self, text: str, *, special_tokens: bool) -> list[int]:
        """Turn text into token ids, with or without what the tokenizer adds (BOS)."""
        encoded = self._tokenizer(replace_surrogates(text), add_special_tokens=special_tokens)
        return list(encoded["input_ids"])

    def head(self, text: str, n_tokens: int) -> str:
        """Return the longest prefix of `text` that its first `n_tokens` tokens spell."""
        clean = replace_surrogates(text)
        if not self._tokenizer.is_fast:
            ids = self.encode(clean, special_tokens=False)
            if len(ids) <= n_tokens:
                return text
            return str(self._tokenizer.decode(ids[:n_tokens])).rstrip("\ufffd")
        encoded = self._tokenizer(clean, add_special_tokens=False, return_offsets_mapping=True)
        spans = encoded["offset_mapping"]
        if len(spans) <= n_tokens:
            return text
        if n_tokens < 1:
            return ""
        # A character may be spread over several tokens, all with its span: do not cut into it.
        return clean[: min(spans[n_tokens - 1][1], spans[n_tokens][0])]


def prompt_sha256(ids: Sequence[int]) -> str:
    """Return the sha256 of token ids, each as four bytes, little-endian, in order."""
    return hashlib.sha256(struct.pack(f"<{len(ids)}I", *ids)).hexdigest()


def replace_surrogates(text: str) -> str:
    """Join surrogate pairs, and replace lone surrogates (no tokenizer takes them) by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def settled_end(text: str) -> str:
    """Drop replacement characters from the end of a message.

    They are what is left of a character that was cut in two. vLLM's detokenizer waits for the
    rest of it, and when a prompt ends in one, puts the whole prompt in front of the answer.
    """
    clean = replace_surrogates(text)
    return clean.rstrip("\ufffd \t\r\n") if clean.rstrip().endswith("\ufffd") else clean


def merged_for_strict_templates(chat: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Make system messages the user's, and join neighbours of one role by a blank line."""
    merged: list[dict[str, str]] = []
    for message in chat:
        role = "user" if message["role"] == "system" else message["role"]
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"] += "\n\n" + message["content"]
        else:
            merged.append({"role": role, "content": message["content"]})
    return merged
