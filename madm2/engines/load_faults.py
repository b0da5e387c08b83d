"""Turns what goes wrong while a model loads into errors that name the fix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from madm2.errors import UserError

# (pattern over type names and messages of the whole cause chain, problem, fix); first match wins.
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
        "free the device (another program may hold it), spread the model with --gpu_id 0,1 "
        "--parallel, or shorten it with --set max_model_len=N; on a CPU also "
        "--set kv_cache_memory_bytes=N",
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
        r"cannot find any model weights|no such file.{0,300}\.(safetensors|bin|pt)\b"
        r"|safetensorerror|safetensors_rust|pytorchstreamreader|were not initialized from",
        "the weights of {model} are missing or incomplete",
        "download the folder again (hf download); every shard that "
        "model.safetensors.index.json names must be there",
    ),
    (
        r"tokenizer",
        "the tokenizer of {model} cannot be loaded",
        "the folder must hold the model's tokenizer files (tokenizer.json, "
        "tokenizer_config.json): copy or download them again",
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
        r"validation error for|validationerror|is smaller than max_model_len|invalid value",
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
    chain = list(_chain(error))
    told = "\n".join(f"{type(e).__name__}: {e}" for e in chain)
    for pattern, problem, fix in _FAULTS:
        match = re.search(pattern, told, re.IGNORECASE | re.DOTALL)
        if match:
            return UserError(problem.format(model=model), have=_excerpt(told, match), fix=fix)
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _excerpt(told: str, match: re.Match[str], limit: int = 300) -> str:
    """The lines around the match: what the library itself said, cut short."""
    start = told.rfind("\n", 0, match.start()) + 1
    end = told.find("\n", match.end())
    said = " ".join(told[start : len(told) if end < 0 else end].split())
    return said if len(said) <= limit else said[: limit - 1] + "…"
