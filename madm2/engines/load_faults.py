"""Turns what goes wrong while a model loads into errors that name the fix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from madm2.errors import UserError

# (pattern over an exception's class name and message, problem, fix); the first match wins.
_FAULTS: tuple[tuple[str, str, str], ...] = (
    (
        r"gatedrepo|gated repo|awaiting a review",
        "the model hub does not give out {model} without permission",
        "accept the licence on the model's page, then: hf auth login (or set HF_TOKEN)",
    ),
    (
        r"localentrynotfound|offlinemode|couldn't connect|connectionerror|connecttimeout"
        r"|max retries exceeded|name resolution|outgoing traffic has been disabled",
        "the model hub cannot be reached to fetch {model}",
        "check the network and HF_ENDPOINT, or pass --model_path with a local folder",
    ),
    (
        r"repositorynotfound|revisionnotfound|not a valid model identifier"
        r"|is not a local folder|invalid rev id|not a valid git identifier",
        "the model hub has no such model or revision: {model}",
        "check the spelling of model_path and --revision, or pass --model_path with a local folder",
    ),
    (
        r"derived max_model_len|max_model_len.{0,80}(greater|larger|longer) than",
        "max_model_len is longer than {model} allows",
        "lower it: --set max_model_len=N with the model's own length, or leave it out",
    ),
    (
        r"no available memory for the cache|out ?of ?memory|free memory on device"
        r"|available memory on node|can't allocate memory|cannot allocate memory",
        "there is not enough memory to load {model}",
        "--set max_model_len=N for shorter texts; --set gpu_memory_utilization=F, higher for a "
        "larger cache, lower beside another program; --gpu_id 0,1 --parallel for two GPUs; on a "
        "CPU --set kv_cache_memory_bytes=N",
    ),
    (
        r"larger than the (maximum number of tokens|available kv cache)|at least one request",
        "the KV cache is too small for one answer of full length",
        "shorten it with --set max_model_len=N, or raise gpu_memory_utilization "
        "(on a CPU kv_cache_memory_bytes)",
    ),
    (
        r"no kernel image|not compatible with the current pytorch|sm_\d+ is not compatible",
        "the installed vLLM does not support this GPU",
        "newer GPUs need a current vLLM: pip install -r requirements-latest.txt in a fresh "
        "environment",
    ),
    (
        r"nvidia driver",
        "the NVIDIA driver of this machine is missing, or too old for the installed torch",
        "install or update it: nvidia-smi must work and show a CUDA version as new as torch's",
    ),
    (
        r"bfloat16 is only supported on gpus",
        "this GPU does not compute in bfloat16",
        "--set dtype=half",
    ),
    (
        r"not supported with sliding window",
        "this vLLM cannot cache prefixes of a model with a sliding window",
        "--set enable_prefix_caching=false",
    ),
    (
        r"architectures.{0,200}not supported|does not recognize this architecture"
        r"|unrecognized model|unknown architecture",
        "the installed vLLM does not know the architecture of {model}",
        "a current vLLM may: pip install -r requirements-latest.txt in a fresh environment",
    ),
    (
        r"cannot find any model weights|weight files referenced in index"
        r"|filenotfound.{0,500}\.(safetensors|bin|pt)\b"
        r"|safetensorerror|safetensors_rust|pytorchstreamreader|were not initialized from",
        "the weights of {model} are missing or incomplete",
        "download the folder again (hf download); every shard that "
        "model.safetensors.index.json names must be there",
    ),
    (
        r"trust_remote_code|custom code",
        "{model} wants to run Python code of its own",
        "if you trust its authors: --set trust_remote_code=true",
    ),
    (
        r"jsondecodeerror|expecting value|not a valid json|unicodedecodeerror",
        "a JSON file of {model} is damaged",
        "download config.json and the tokenizer files again",
    ),
    (
        r"validation errors? for|validationerror|is smaller than max_model_len|load ?format"
        r"|unknown (dtype|quantization)",
        "vLLM refuses an engine argument",
        "correct it in configs.yaml or in --set",
    ),
    (
        r"engine core initialization failed|worker.{0,40}(died|failed)",
        "the engine's worker process did not start",
        "its own message is printed above; common causes are memory (--set max_model_len=N) "
        "and GPUs that another program holds",
    ),
)


@contextmanager
def explained(model: str) -> Iterator[None]:
    """Raise known faults of the enclosed loading as UserError; let unknown ones through."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        known = explain(error, model)
        if known is None:
            raise
        raise known from error


def explain(error: BaseException, model: str) -> UserError | None:
    """Find the fault that an exception, or one that caused it, stands for."""
    for told in _chain(error):
        for pattern, problem, fix in _FAULTS:
            match = re.search(pattern, told, re.IGNORECASE | re.DOTALL)
            if match:
                start = told.rfind("\n", 0, match.start()) + 1
                return UserError(problem.format(model=model), have=excerpt(told[start:]), fix=fix)
    return None


def excerpt(text: str, limit: int = 300) -> str:
    """A library's message on one line, cut short."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _chain(error: BaseException) -> Iterator[str]:
    """Class name and message of the exception and of those behind it, as Python shows them."""
    current: BaseException | None = error
    while current is not None:
        yield f"{type(current).__name__}: {current}"
        hidden = current.__suppress_context__
        current = current.__cause__ or (None if hidden else current.__context__)
