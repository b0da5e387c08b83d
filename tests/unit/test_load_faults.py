"""What libraries say when a model does not load, and the error that users see."""

from __future__ import annotations

import pytest

from madm2.engines.load_faults import excerpt, explain, explained
from madm2.errors import UserError


class SafetensorError(Exception):
    pass


class GatedRepoError(OSError):
    pass


class ValidationError(ValueError):
    pass


# (what is raised, a part of the problem, a part of the fix); wordings of vLLM 0.6.3 and 0.32,
# transformers 4 and 5, torch.
CASES = [
    (GatedRepoError("401 Client Error"), "without permission", "hf auth login"),
    (
        OSError("You are trying to access a gated repo.\nMake sure"),
        "without permission",
        "HF_TOKEN",
    ),
    (
        OSError("We couldn't connect to 'https://hub' to load the files"),
        "cannot be reached",
        "--model_path",
    ),
    (
        OSError("x/y is not a local folder and is not a valid model identifier listed"),
        "no such model",
        "--revision",
    ),
    (
        ValidationError(
            "1 validation error for ModelConfig\n  Value error, User-specified max_model_len "
            "(999999) is greater than the derived max_model_len (2048)"
        ),
        "longer than m allows",
        "--set max_model_len",
    ),
    (
        ValueError(
            "User-specified max_model_len (9) is greater than the derived max_model_len "
            "(max_position_embeddings=4 or model_max_length=None in model's config.json)."
        ),
        "longer than m allows",
        "--set max_model_len",
    ),
    (
        ValueError("No available memory for the cache blocks. Try increasing `gpu_memory"),
        "not enough memory",
        "gpu_memory_utilization",
    ),
    (
        RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has"),
        "not enough memory",
        "--parallel",
    ),
    (MemoryError("Cannot allocate memory"), "not enough memory", "max_model_len"),
    (
        ValueError(
            "Free memory on device cuda:0 (3.0/80.0 GiB) on startup is less than desired GPU "
            "memory utilization (0.9, 72.0 GiB)."
        ),
        "not enough memory",
        "gpu_memory_utilization",
    ),
    (
        ValueError(
            "The model's max seq len (131072) is larger than the maximum number of tokens that "
            "can be stored in KV cache (40000)."
        ),
        "KV cache is too small",
        "max_model_len",
    ),
    (
        ValueError(
            "To serve at least one request with the model's max seq len (2048), (2 GiB KV cache "
            "is needed, which is larger than the available KV cache memory (1 GiB)."
        ),
        "KV cache is too small",
        "max_model_len",
    ),
    (
        RuntimeError("CUDA error: no kernel image is available for execution on the device"),
        "does not support this GPU",
        "requirements-latest.txt",
    ),
    (
        ValueError("Bfloat16 is only supported on GPUs with compute capability of at least 8.0."),
        "bfloat16",
        "dtype=half",
    ),
    (
        NotImplementedError("Prefix caching is not supported with sliding window. Run with"),
        "sliding window",
        "enable_prefix_caching=false",
    ),
    (
        ValueError("Model architectures ['Foo'] are not supported for now. Supported"),
        "architecture of m",
        "requirements-latest.txt",
    ),
    (
        ValueError("model type `foo` but Transformers does not recognize this architecture."),
        "architecture of m",
        "requirements-latest.txt",
    ),
    (RuntimeError("Cannot find any model weights with `m`"), "weights of m", "every shard"),
    (SafetensorError("Error while deserializing header"), "weights of m", "every shard"),
    (
        FileNotFoundError("No such file or directory: 'm/model-00002-of-00004.safetensors'"),
        "weights of m",
        "every shard",
    ),
    (
        FileNotFoundError("Weight files referenced in index but missing: {'m/a.safetensors'}"),
        "weights of m",
        "every shard",
    ),
    (
        ValueError("Loading m requires you to pass trust_remote_code=True"),
        "Python code of its own",
        "trust_remote_code=true",
    ),
    (OSError("the config file at 'config.json' is not a valid JSON file."), "damaged", "download"),
    (
        ValidationError("2 validation errors for ModelConfig\ndtype\n  Input should be 'auto'"),
        "refuses an engine argument",
        "--set",
    ),
    (ValueError("Unknown dtype: foo"), "refuses an engine argument", "--set"),
    (ValueError("Unknown quantization method: nope."), "refuses an engine argument", "--set"),
    (ValueError("'nope' is not a valid LoadFormat"), "refuses an engine argument", "--set"),
    (RuntimeError("Found no NVIDIA driver on your system."), "NVIDIA driver", "nvidia-smi"),
    (ValueError("Load format `nope` is not supported"), "refuses an engine argument", "--set"),
    (
        RuntimeError("Engine core initialization failed. See root cause above."),
        "worker process did not start",
        "printed above",
    ),
]


@pytest.mark.parametrize(("error", "problem", "fix"), CASES, ids=lambda case: str(case)[:40])
def test_known_faults_name_their_fix(error: Exception, problem: str, fix: str) -> None:
    told = explain(error, "m")
    assert told is not None
    assert problem in told.problem
    assert fix in told.fix
    assert told.have and "\n" not in told.have


def test_the_cause_behind_an_exception_counts() -> None:
    try:
        try:
            raise SafetensorError("header too small")
        except SafetensorError as inner:
            raise RuntimeError("load failed") from inner
    except RuntimeError as outer:
        told = explain(outer, "m")
    assert told is not None and "weights of m" in told.problem


def test_a_hidden_context_does_not_count() -> None:
    try:
        try:
            raise OSError("couldn't connect")
        except OSError:
            raise KeyError("bug") from None
    except KeyError as outer:
        assert explain(outer, "m") is None


def test_an_unknown_fault_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError), explained("m"):
        raise ZeroDivisionError("a bug")


def test_a_known_fault_keeps_its_cause() -> None:
    cause = SafetensorError("header too small")
    with pytest.raises(UserError) as caught, explained("m"):
        raise cause
    assert caught.value.__cause__ is cause


def test_a_user_error_passes_unchanged() -> None:
    mine = UserError("out of memory")
    with pytest.raises(UserError) as caught, explained("m"):
        raise mine
    assert caught.value is mine


def test_an_excerpt_is_one_short_line() -> None:
    assert excerpt(" a\n  b ") == "a b"
    assert len(excerpt("x" * 1000)) == 300
