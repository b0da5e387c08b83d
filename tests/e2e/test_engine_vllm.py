"""The vLLM adapter on a real engine and a tiny random model."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from madm2.engines.logprobs import summarise
from madm2.engines.vllm import VllmEngine
from madm2.errors import UserError
from madm2.types import Completion, LogprobSummary, Message, Request, RequestKey, Sampling

pytestmark = pytest.mark.real_engine

MAX_MODEL_LEN = 256
QUESTION = (Message("user", "what is the answer, and the number that agents think?"),)


@pytest.fixture(scope="module")
def engine(tiny_model: Path) -> Iterator[VllmEngine]:
    engine = VllmEngine(
        str(tiny_model),
        engine_args={
            "dtype": "float32",
            "max_model_len": MAX_MODEL_LEN,
            "kv_cache_memory_bytes": 64 << 20,
        },
    )
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def reference(tiny_model: Path) -> tuple[Any, Any]:
    """The tokenizer and model as transformers loads them."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(tiny_model, dtype="float32")
    return AutoTokenizer.from_pretrained(tiny_model), model.eval()


def key(index: int = 0, purpose: str = "answer") -> RequestKey:
    return RequestKey("q", 1, purpose, 0, index)


def request(index: int = 0, messages: Sequence[Message] = QUESTION, **sampling: Any) -> Request:
    return Request(key(index), tuple(messages), Sampling(**{"max_tokens": 24, **sampling}))


def drain(engine: VllmEngine, count: int) -> dict[int, Completion]:
    """Step until `count` completions are in; by their index."""
    done: dict[int, Completion] = {}
    for _ in range(5000):
        for completion in engine.step():
            assert completion.key.index not in done
            done[completion.key.index] = completion
        if len(done) == count:
            return done
    raise AssertionError(f"{len(done)} of {count} completions came")


def ask(engine: VllmEngine, seed: int = 1, **sampling: Any) -> Completion:
    engine.submit(request(**sampling), seed)
    return drain(engine, 1)[0]


def rendered(text: str) -> str:
    return f"<|bos|><|user|>{text}<|end|><|assistant|>"


def test_every_request_comes_back_once_with_its_own_key(engine: VllmEngine) -> None:
    lengths = [1 + 7 * i % 30 for i in range(20)]
    for i, length in enumerate(lengths):
        engine.submit(request(i, max_tokens=length, ignore_eos=True), seed=100 + i)
    done = drain(engine, len(lengths))
    assert [done[i].output_tokens for i in range(20)] == lengths
    assert [done[i].seed for i in range(20)] == [100 + i for i in range(20)]
    assert {c.finish_reason for c in done.values()} == {"length"}
    assert all(c.logprobs.count == c.output_tokens for c in done.values())
    assert engine.step() == []


def test_one_completion_a_request_and_never_a_partial_one(engine: VllmEngine) -> None:
    engine.submit(request(max_tokens=30, ignore_eos=True), seed=1)
    steps = [engine.step() for _ in range(40)]
    assert [c.output_tokens for step in steps for c in step] == [30]


def test_the_seed_decides_the_text(engine: VllmEngine) -> None:
    same, again, other = ask(engine, 7), ask(engine, 7), ask(engine, 8)
    assert same.text == again.text
    assert same.text != other.text


@pytest.mark.parametrize("seed", [0, 1, 2**31 - 1])
def test_any_31_bit_seed_is_taken(engine: VllmEngine, seed: int) -> None:
    assert ask(engine, seed).text == ask(engine, seed).text


def test_a_greedy_answer_does_not_depend_on_the_seed(engine: VllmEngine) -> None:
    assert ask(engine, 1, temperature=0.0).text == ask(engine, 2, temperature=0.0).text


def test_the_end_token_ends_an_answer(engine: VllmEngine) -> None:
    for i in range(40):
        engine.submit(request(i, max_tokens=200), seed=i)
    stopped = [c for c in drain(engine, 40).values() if c.finish_reason == "stop"]
    assert stopped
    assert not any("<|end|>" in c.text for c in stopped)


def test_a_stop_string_ends_the_answer_and_is_kept_out(engine: VllmEngine) -> None:
    free = ask(engine, 3, max_tokens=60, ignore_eos=True).text
    assert len(free) > 20
    stop = free[10:12]
    cut = ask(engine, 3, max_tokens=60, ignore_eos=True, stop=(stop,))
    assert cut.finish_reason == "stop"
    assert cut.text == free[: free.index(stop)]
    assert cut.logprobs.count == cut.output_tokens > 0


def test_min_tokens_holds_back_the_end(engine: VllmEngine) -> None:
    for i in range(20):
        engine.submit(request(i, max_tokens=120, min_tokens=110), seed=i)
    assert all(c.output_tokens >= 110 for c in drain(engine, 20).values())


@pytest.mark.parametrize(
    "sampling",
    [
        {"temperature": 1.0},
        {"temperature": 0.5},
        {"temperature": 2.0},
        {"temperature": 0.0},
        {"temperature": 0.7, "top_k": 5},
        {"temperature": 0.7, "repetition_penalty": 1.5},
    ],
    ids=str,
)
def test_logprobs_are_those_of_the_distribution_sampled_from(
    engine: VllmEngine,
    reference: tuple[Any, Any],
    monkeypatch: pytest.MonkeyPatch,
    sampling: dict[str, Any],
) -> None:
    """Sums equal those of transformers' own forward pass, after temperature and the rest."""
    import torch

    tokens: dict[int, list[int]] = {}

    def spy(token_ids: Sequence[int], positions: Any) -> LogprobSummary:
        summary = summarise(token_ids, positions)
        tokens[id(summary)] = list(token_ids)
        return summary

    monkeypatch.setattr("madm2.engines.vllm.summarise", spy)
    tokenizer, model = reference
    prompt = tokenizer(rendered(QUESTION[0].content), add_special_tokens=False)["input_ids"]
    for i in range(8):
        engine.submit(request(i, ignore_eos=True, **sampling), seed=i)
    for completion in drain(engine, 8).values():
        answer = tokens[id(completion.logprobs)]
        with torch.no_grad():
            logits = model(torch.tensor([prompt + answer])).logits[0, len(prompt) - 1 : -1]
        for position, row in enumerate(logits):
            seen = list({*prompt, *answer[:position]})
            penalty = sampling.get("repetition_penalty", 1.0)
            row[seen] = torch.where(row[seen] > 0, row[seen] / penalty, row[seen] * penalty)
        logits = logits.double() / (sampling["temperature"] or 1.0)
        if top_k := sampling.get("top_k"):
            least = logits.topk(top_k).values[:, -1:]
            logits = logits.masked_fill(logits < least, -math.inf)
        logprobs = logits.log_softmax(-1)
        assert completion.logprobs == LogprobSummary(
            count=24,
            sampled_sum=pytest.approx(logprobs[range(24), answer].sum().item(), abs=1e-3),
            top_sum=pytest.approx(logprobs.max(-1).values.sum().item(), abs=1e-3),
        )


def test_log_probabilities_order(engine: VllmEngine) -> None:
    for i in range(20):
        engine.submit(request(i), seed=i)
    for completion in drain(engine, 20).values():
        summary = completion.logprobs
        assert summary.sampled_sum <= summary.top_sum <= 0
        assert summary.perplexity >= 1 >= summary.released_score > 0


def test_greedy_tokens_are_the_most_likely_ones(engine: VllmEngine) -> None:
    summary = ask(engine, temperature=0.0).logprobs
    assert summary.sampled_sum == pytest.approx(summary.top_sum)


@pytest.mark.parametrize("over", [0, 1, 500])
def test_a_prompt_without_room_is_an_empty_counted_completion(
    engine: VllmEngine, over: int
) -> None:
    frame = len("x") + 3  # bos, user, the text, end, assistant: one more than the text's own
    text = "Z" * (MAX_MODEL_LEN - frame + over)
    engine.submit(request(messages=[Message("user", text)]), seed=5)
    (completion,) = engine.step()
    assert completion.input_tokens == MAX_MODEL_LEN + over
    assert completion.finish_reason == "prompt_too_long"
    assert (completion.text, completion.output_tokens, completion.seed) == ("", 0, 5)
    assert completion.logprobs.count == 0 and completion.logprobs.perplexity == math.inf
    assert engine.step() == []


def test_the_longest_prompt_leaves_room_for_one_token(engine: VllmEngine) -> None:
    text = "Z" * (MAX_MODEL_LEN - 5)
    engine.submit(request(messages=[Message("user", text)], min_tokens=3, ignore_eos=True), 1)
    completion = drain(engine, 1)[0]
    assert completion.input_tokens == MAX_MODEL_LEN - 1
    assert (completion.output_tokens, completion.finish_reason) == (1, "length")


def test_the_prompt_hash_is_over_the_token_ids(
    engine: VllmEngine, reference: tuple[Any, Any]
) -> None:
    ids = reference[0](rendered(QUESTION[0].content), add_special_tokens=False)["input_ids"]
    completion = ask(engine)
    assert completion.input_tokens == len(ids)
    packed = b"".join(struct.pack("<I", i) for i in ids)
    assert completion.prompt_sha256 == hashlib.sha256(packed).hexdigest()


def test_the_released_instrument_doubles_the_bos_token(
    engine: VllmEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_prompt", engine._encode)
    single = ask(engine)
    monkeypatch.setattr(engine, "_double_bos", True)
    double = ask(engine)
    assert double.input_tokens == single.input_tokens + 1
    assert double.prompt_sha256 != single.prompt_sha256


def test_cancelled_requests_do_not_come_back(engine: VllmEngine) -> None:
    long = Message("user", "Z" * MAX_MODEL_LEN)
    for i in range(6):
        engine.submit(request(i, max_tokens=100, ignore_eos=True), seed=i)
    engine.submit(request(6, messages=[long]), seed=6)
    engine.submit(request(7, messages=[long]), seed=7)
    engine.cancel([key(6)])
    assert [c.key.index for c in engine.step()] == [7]
    engine.step()
    engine.cancel([key(1), key(4), key(99)])
    engine.submit(request(8, max_tokens=3, ignore_eos=True), seed=8)
    assert sorted(drain(engine, 5)) == [0, 2, 3, 5, 8]
    assert engine.step() == []


def test_cancelling_everything_leaves_an_idle_engine(engine: VllmEngine) -> None:
    for i in range(3):
        engine.submit(request(i), seed=i)
    engine.step()
    engine.cancel({key(i) for i in range(3)})
    assert not engine._engine.has_unfinished_requests()
    assert [engine.step() for _ in range(3)] == [[], [], []]
    assert ask(engine).output_tokens > 0


def test_requests_may_arrive_while_others_run(engine: VllmEngine) -> None:
    alone = ask(engine, 42, max_tokens=20, ignore_eos=True)
    done: dict[int, Completion] = {}
    for i in range(15):
        engine.submit(request(i, max_tokens=20, ignore_eos=True), seed=40 + i)
        done |= {c.key.index: c for c in engine.step()}
    assert len(done) < 15
    done |= drain(engine, 15 - len(done))
    assert sorted(done) == list(range(15))
    assert done[2].text == alone.text


@pytest.mark.parametrize(
    "text",
    ["\ud800 the answer", "the answer \udfff", "\ud83d\ude00", "nul \0 and \x1b", "", "\ufffd"],
    ids=ascii,
)
def test_odd_texts_are_taken_and_not_echoed(engine: VllmEngine, text: str) -> None:
    marked = "echoed words " + text
    engine.submit(request(messages=[Message("user", marked)], ignore_eos=True), seed=1)
    completion = drain(engine, 1)[0]
    assert completion.output_tokens == 24
    assert "echoed words" not in completion.text


def test_a_template_without_system_role_gets_one_message(
    engine: VllmEngine, reference: tuple[Any, Any]
) -> None:
    chat = [Message("system", "be brief"), *QUESTION]
    engine.submit(request(messages=chat), seed=1)
    completion = drain(engine, 1)[0]
    whole = rendered("be brief\n\n" + QUESTION[0].content)
    ids = reference[0](whole, add_special_tokens=False)["input_ids"]
    assert completion.input_tokens == len(ids)


@pytest.mark.parametrize(
    "text",
    ["the answer is the number", "naïve 数学 😀😀 end", "", "\ufffd\ufffd", "x" * 50, "😀" * 9],
    ids=ascii,
)
def test_head_is_a_prefix_of_at_most_that_many_tokens(
    engine: VllmEngine, reference: tuple[Any, Any], text: str
) -> None:
    count = len(reference[0](text, add_special_tokens=False)["input_ids"])
    heads = [engine.head(text, n) for n in range(count + 2)]
    assert heads[0] == "" and heads[count] == heads[count + 1] == text
    for n, head in enumerate(heads):
        assert text.startswith(head)
        assert len(reference[0](head, add_special_tokens=False)["input_ids"]) <= n
    assert heads == sorted(heads, key=len)


def test_head_of_a_lone_surrogate(engine: VllmEngine) -> None:
    assert engine.head("\ud800", 100) == "\ud800"
    assert engine.head("ab \ud800 cd", 2) == "ab"


def test_the_description_is_json_and_names_what_matters(
    engine: VllmEngine, tiny_model: Path
) -> None:
    told = json.loads(json.dumps(engine.describe()))
    assert told["engine"] == "vllm"
    assert told["model_path"] == str(tiny_model)
    assert told["max_model_len"] == MAX_MODEL_LEN
    assert told["dtype"] == "float32"
    assert told["engine_args"]["max_model_len"] == MAX_MODEL_LEN
    assert {"torch", "transformers"} < set(told["versions"])
    template = (tiny_model / "chat_template.jinja").read_text(encoding="utf-8")
    assert told["chat_template_sha256"] == hashlib.sha256(template.encode()).hexdigest()
    assert told["devices"] and all(told["devices"])
    assert "VLLM_LOGGING_LEVEL" in told["environment"]
    assert "VLLM_DIST_IDENT" not in told["environment"]  # another one in every process


@pytest.mark.parametrize("temperature", [-1.0, math.nan])
def test_refused_sampling_settings_are_a_user_error(engine: VllmEngine, temperature: float) -> None:
    with pytest.raises(UserError, match="refuses the sampling settings"):
        engine.submit(request(temperature=temperature), seed=1)
    assert engine.step() == []
