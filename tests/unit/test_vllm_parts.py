"""The parts of the vLLM adapter that need no vLLM: text, hashes, sampling settings, sums."""

from __future__ import annotations

import hashlib
import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madm2.engines.logprobs import summarise
from madm2.engines.tokenizer import (
    merged_for_strict_templates,
    prompt_sha256,
    replace_surrogates,
    settled_end,
)
from madm2.engines.vllm import sampling_keywords
from madm2.types import Sampling

any_text = st.text(st.characters(categories=[*"LMNPSZ", "Cc", "Cs"]), max_size=40)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("plain", "plain"),
        ("\ud800", "\ufffd"),
        ("a\udfffb", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ud83d\ude00", "\ufffd😀"),
        ("😀 é \0", "😀 é \0"),
    ],
    ids=ascii,
)
def test_surrogates(text: str, want: str) -> None:
    assert replace_surrogates(text) == want


@given(any_text)
def test_any_text_can_be_encoded_afterwards(text: str) -> None:
    clean = replace_surrogates(text)
    clean.encode("utf-8")
    assert replace_surrogates(clean) == clean


@given(any_text)
def test_no_message_ends_in_a_replacement_character(text: str) -> None:
    settled = settled_end(text)
    assert not settled.rstrip().endswith("\ufffd")
    assert replace_surrogates(text).startswith(settled)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("the end\ufffd", "the end"),
        ("the end\ufffd \n", "the end"),
        ("the\ufffd end \n", "the\ufffd end \n"),
        ("the end \n", "the end \n"),
        ("\ufffd", ""),
    ],
    ids=ascii,
)
def test_a_cut_character_at_the_end_goes(text: str, want: str) -> None:
    assert settled_end(text) == want


@pytest.mark.parametrize(
    ("chat", "want"),
    [
        ([("user", "a")], [("user", "a")]),
        ([("system", "s"), ("user", "a")], [("user", "s\n\na")]),
        (
            [("system", "s"), ("user", "a"), ("assistant", "b"), ("user", "c")],
            [("user", "s\n\na"), ("assistant", "b"), ("user", "c")],
        ),
        (
            [("user", "a"), ("user", "b"), ("assistant", "c"), ("system", "d"), ("user", "e")],
            [("user", "a\n\nb"), ("assistant", "c"), ("user", "d\n\ne")],
        ),
        ([("system", "s")], [("user", "s")]),
        ([], []),
    ],
)
def test_merging_for_strict_templates(
    chat: list[tuple[str, str]], want: list[tuple[str, str]]
) -> None:
    messages = [{"role": role, "content": content} for role, content in chat]
    merged = merged_for_strict_templates(messages)
    assert [(m["role"], m["content"]) for m in merged] == want
    assert [(m["role"], m["content"]) for m in messages] == chat


def test_the_prompt_hash_is_pinned() -> None:
    assert prompt_sha256([1, 256]) == hashlib.sha256(b"\1\0\0\0\0\1\0\0").hexdigest()
    assert prompt_sha256([]) == hashlib.sha256(b"").hexdigest()


@pytest.mark.parametrize(
    ("max_tokens", "min_tokens", "room", "want"),
    [(100, 0, 500, (100, 0)), (100, 0, 30, (30, 0)), (100, 50, 30, (30, 30)), (1, 0, 1, (1, 0))],
)
def test_lengths_fit_the_room_behind_the_prompt(
    max_tokens: int, min_tokens: int, room: int, want: tuple[int, int]
) -> None:
    sampling = Sampling(max_tokens=max_tokens, min_tokens=min_tokens)
    keywords = sampling_keywords(sampling, seed=1, room=room)
    assert (keywords["max_tokens"], keywords["min_tokens"]) == want


def test_every_sampling_setting_reaches_the_engine() -> None:
    sampling = Sampling(0.3, 0.9, 40, 0.05, 0.1, 0.2, 1.1, 77, 5, True, ("a", "b"))
    assert sampling_keywords(sampling, seed=9, room=1000) == {
        "temperature": 0.3,
        "top_p": 0.9,
        "top_k": 40,
        "min_p": 0.05,
        "presence_penalty": 0.1,
        "frequency_penalty": 0.2,
        "repetition_penalty": 1.1,
        "max_tokens": 77,
        "min_tokens": 5,
        "ignore_eos": True,
        "stop": ["a", "b"],
        "seed": 9,
        "n": 1,
        "logprobs": 1,
        "prompt_logprobs": None,
        "stop_token_ids": [],
        "include_stop_str_in_output": False,
        "detokenize": True,
        "skip_special_tokens": True,
        "spaces_between_special_tokens": True,
    }


def entries(**logprobs: float) -> dict[int, SimpleNamespace]:
    return {int(k[1:]): SimpleNamespace(logprob=v) for k, v in logprobs.items()}


def test_sums_of_log_probabilities() -> None:
    positions = [entries(t5=-0.5), entries(t7=-2.0, t3=-0.25), entries(t9=-1.0, t1=-1.0)]
    summary = summarise([5, 7, 9], positions)
    assert (summary.count, summary.sampled_sum, summary.top_sum) == (3, -3.5, -1.75)


@pytest.mark.parametrize("value", [-math.inf, math.nan, -1e9])
def test_impossible_log_probabilities_stay_finite(value: float) -> None:
    summary = summarise([1, 1], [entries(t1=value, t2=-0.5), entries(t1=value)])
    assert -1000 < summary.sampled_sum <= summary.top_sum < 0
    assert math.isfinite(summary.perplexity)


def test_no_tokens_give_an_empty_summary() -> None:
    assert summarise([], []).count == 0


@pytest.mark.parametrize("positions", [[], [entries(t1=-1.0)] * 2])
def test_tokens_without_log_probabilities_are_an_error(
    positions: list[dict[int, SimpleNamespace]],
) -> None:
    with pytest.raises(ValueError, match="zip"):
        summarise([1], positions)
