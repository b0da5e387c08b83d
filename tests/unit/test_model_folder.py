"""Checks of a model folder: every fault is found, and the file and the fix are named."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madm2.errors import UserError
from madm2.model_folder import check_model_folder, require_model_folder, template
from tests.conftest import ROOT
from tests.unit.fake_model import (
    LFS_POINTER,
    SHARDS,
    TEMPLATE,
    WORDS,
    cut,
    edit_json,
    make_model,
    not_ok,
    relink,
    safetensors,
    write_json,
)

INDEX = "model.safetensors.index.json"
Edit = Callable[[Path], object]


def single(folder: Path, name: str, content: bytes) -> None:
    """Put one weight file in the place of the two shards."""
    for old in (*SHARDS, INDEX):
        (folder / old).unlink()
    (folder / name).write_bytes(content)


def grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


def torch_zip(folder: Path) -> Path:
    path = folder.parent / "weights.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", b"weights" * 99)
    return path


def test_a_whole_folder_is_in_order(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "model")
    assert [(c.status, c.name, c.detail) for c in check_model_folder(folder)] == [
        ("ok", "Model config", "config.json, llama"),
        ("ok", "Weights", "2 shards, 0.00 GB"),
        ("ok", "Tokenizer", "tokenizer.json, 8 tokens"),
        ("ok", "Chat template", "tokenizer_config.json"),
    ]
    require_model_folder(folder)


WEIGHT_FAULTS: list[tuple[str, Edit, list[str]]] = [
    ("one shard missing", lambda d: (d / SHARDS[1]).unlink(), ["1 of 2 shards missing", SHARDS[1]]),
    (
        "all shards missing",
        lambda d: [(d / shard).unlink() for shard in SHARDS],
        ["2 of 2 shards missing", *SHARDS],
    ),
    ("shard cut in its tensors", lambda d: cut(d / SHARDS[0], -45), [SHARDS[0], "cut off"]),
    ("shard cut by one byte", lambda d: cut(d / SHARDS[1], -1), [SHARDS[1], "cut off"]),
    ("shard cut in its header", lambda d: cut(d / SHARDS[1], 30), [SHARDS[1], "cut off"]),
    ("shard cut in its length", lambda d: cut(d / SHARDS[1], 5), [SHARDS[1], "cut off"]),
    ("empty shard", lambda d: cut(d / SHARDS[0], 0), [SHARDS[0], "empty"]),
    ("too long", lambda d: grow(d / SHARDS[0]), [SHARDS[0], "damaged"]),
    ("no safetensors", lambda d: (d / SHARDS[0]).write_text("<html>" * 99), [SHARDS[0], "damaged"]),
    (
        "header no JSON",
        lambda d: (d / SHARDS[0]).write_bytes((9).to_bytes(8, "little") + b"{no json}"),
        [SHARDS[0], "damaged"],
    ),
    (
        "header without offsets",
        lambda d: (d / SHARDS[0]).write_bytes((9).to_bytes(8, "little") + b'{"a": {}}'),
        [SHARDS[0], "damaged"],
    ),
    (
        "LFS pointer",
        lambda d: (d / SHARDS[1]).write_text(LFS_POINTER),
        [SHARDS[1], "is a Git LFS pointer", "git lfs pull"],
    ),
    ("broken link", lambda d: relink(d / SHARDS[1]), [SHARDS[1], "broken link", "blobs/0123abcd"]),
    (
        "a folder",
        lambda d: ((d / SHARDS[1]).unlink(), (d / SHARDS[1]).mkdir()),
        [SHARDS[1], "is not a file"],
    ),
    (
        "the first shard twice",
        lambda d: (d / SHARDS[1]).write_bytes((d / SHARDS[0]).read_bytes()),
        [SHARDS[1], "not the shard", "lacks 2 of 2 tensors", "layers.1"],
    ),
    (
        "a shard of another cut",
        lambda d: (d / SHARDS[1]).write_bytes(safetensors({"norm": 5})),
        [SHARDS[1], "lacks 1 of 2 tensors, such as layers.1"],
    ),
    ("index damaged", lambda d: cut(d / INDEX, 40), [INDEX, "damaged"]),
    ("index without a map", lambda d: edit_json(d / INDEX, weight_map=None), [INDEX, "damaged"]),
    ("index of nothing", lambda d: edit_json(d / INDEX, weight_map={}), [INDEX, "names no shards"]),
    ("index empty", lambda d: cut(d / INDEX, 0), [INDEX, "is empty"]),
    ("index is an LFS pointer", lambda d: (d / INDEX).write_text(LFS_POINTER), [INDEX, "git lfs"]),
    ("index broken link", lambda d: relink(d / INDEX), [INDEX, "broken link"]),
    (
        "no index, a number missing",
        lambda d: [(d / name).unlink() for name in (INDEX, SHARDS[0])],
        [SHARDS[0], "1 of 2 shards missing"],
    ),
    (
        "no weights at all",
        lambda d: [(d / name).unlink() for name in (INDEX, *SHARDS)],
        ["no weights", "model.safetensors"],
    ),
    (
        "the optimizer's file only",
        lambda d: single(d, "optimizer.bin", b"PK"),
        ["no weights", "model.safetensors"],
    ),
    ("single cut", lambda d: single(d, "model.safetensors", safetensors({"a": 9})[:-3]), ["cut"]),
    (
        "bin cut",
        lambda d: single(d, "pytorch_model.bin", torch_zip(d).read_bytes()[:-30]),
        ["pytorch_model.bin", "cut off"],
    ),
    (
        "bin is a page",
        lambda d: single(d, "pytorch_model.bin", b"<html>"),
        ["pytorch_model.bin", "not a PyTorch file"],
    ),
    (
        "bin shard missing",
        lambda d: (
            single(d, "pytorch_model-00001-of-00002.bin", torch_zip(d).read_bytes()),
            write_json(
                d / "pytorch_model.bin.index.json",
                {"weight_map": {"a": "pytorch_model-00002-of-00002.bin"}},
            ),
        ),
        ["pytorch_model-00002-of-00002.bin", "missing"],
    ),
    ("not a gguf", lambda d: single(d, "model.gguf", b"<html>"), ["model.gguf", "not a GGUF"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "told"), [w[1:] for w in WEIGHT_FAULTS], ids=[w[0] for w in WEIGHT_FAULTS]
)
def test_a_fault_of_the_weights_is_named(tmp_path: Path, edit: Edit, told: list[str]) -> None:
    folder = make_model(tmp_path / "model")
    edit(folder)
    (check,) = not_ok(check_model_folder(folder))
    assert (check.status, check.name) == ("failed", "Weights")
    for text in told:
        assert text in f"{check.detail} {check.fix}"
    assert "hf download OWNER/NAME" in check.fix and str(folder) in check.fix
    with pytest.raises(UserError) as caught:
        require_model_folder(folder)
    assert str(folder) in caught.value.problem
    assert (caught.value.have, caught.value.fix) == (check.detail, check.fix)


SOUND: list[tuple[str, Edit]] = [
    ("single file", lambda d: single(d, "model.safetensors", safetensors({"a": 9, "b": 0}))),
    ("shards without an index", lambda d: (d / INDEX).unlink()),
    ("consolidated as well", lambda d: (d / "consolidated.safetensors").write_bytes(safetensors({"a": 1}))),
    ("consolidated only", lambda d: single(d, "consolidated.safetensors", safetensors({"a": 1}))),
    ("pytorch zip", lambda d: single(d, "pytorch_model.bin", torch_zip(d).read_bytes())),
    ("pytorch pickle", lambda d: single(d, "pytorch_model.bin", b"\x80\x02}.")),
    ("an optimizer beside", lambda d: (d / "optimizer.bin").write_bytes(b"?")),
    ("gguf", lambda d: single(d, "model.gguf", b"GGUF\x03")),
    ("template file", lambda d: (edit_json(d / "tokenizer_config.json", chat_template=None), (d / "chat_template.jinja").write_text(TEMPLATE))),
    ("template list", lambda d: edit_json(d / "tokenizer_config.json", chat_template=[{"name": "default", "template": TEMPLATE}])),
    ("template folder", lambda d: (edit_json(d / "tokenizer_config.json", chat_template=None), (d / "additional_chat_templates").mkdir(), (d / "additional_chat_templates" / "default.jinja").write_text(TEMPLATE))),
    ("no generation config", lambda d: (d / "generation_config.json").unlink()),
    ("special tokens in their file", lambda d: (edit_json(d / "tokenizer_config.json", eos_token=None), write_json(d / "special_tokens_map.json", {"eos_token": "<|end|>"}))),
    ("unigram", lambda d: edit_json(d / "tokenizer.json", model={"type": "Unigram", "vocab": [[w, 0.0] for w in WORDS]})),
    ("sentencepiece", lambda d: ((d / "tokenizer.json").unlink(), (d / "tokenizer.model").write_bytes(b"\n\x0e"))),
    ("vocab and merges", lambda d: ((d / "tokenizer.json").unlink(), (d / "merges.txt").write_text("#version: 0.2\n"), write_json(d / "vocab.json", {w: i for i, w in enumerate(WORDS)}))),
    ("no vocab_size", lambda d: edit_json(d / "config.json", vocab_size=None)),
    ("no eos anywhere", lambda d: (edit_json(d / "config.json", eos_token_id=None), (d / "generation_config.json").unlink())),
]  # fmt: skip


@pytest.mark.parametrize("edit", [s[1] for s in SOUND], ids=[s[0] for s in SOUND])
def test_unusual_folders_are_in_order(
    tmp_path: Path, edit: Edit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(template, "version", lambda name: "4.51.3")
    folder = make_model(tmp_path / "model")
    edit(folder)
    assert not_ok(check_model_folder(folder)) == []


@given(st.data())
def test_a_safetensors_file_cut_anywhere_is_found(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    lengths = st.dictionaries(st.text(max_size=4), st.integers(1, 50), min_size=1, max_size=4)
    whole = safetensors(data.draw(lengths))
    folder = make_model(tmp_path_factory.mktemp("cut") / "model")
    single(folder, "model.safetensors", whole[: data.draw(st.integers(0, len(whole) - 1))])
    (check,) = not_ok(check_model_folder(folder))
    assert check.status == "failed" and check.detail.startswith("model.safetensors is ")


@pytest.mark.parametrize("place", [".", ".cache/huggingface/download"])
def test_what_an_unfinished_download_left_is_named(tmp_path: Path, place: str) -> None:
    folder = make_model(tmp_path / "model")
    (folder / place).mkdir(parents=True, exist_ok=True)
    (folder / place / "model.safetensors.0123.incomplete").touch()
    (check,) = not_ok(check_model_folder(folder))
    assert (check.status, check.name) == ("warning", "Download")
    assert "model.safetensors.0123.incomplete" in check.detail
    require_model_folder(folder)  # what it means to load is there


def cached_model(root: Path) -> Path:
    """A hub cache entry as the hub's client lays it out: a snapshot of links to blobs."""
    made = make_model(root / "made")
    entry = root / "hub" / "models--some--model-7b"
    snapshot = entry / "snapshots" / "0123abcd"
    (entry / "blobs").mkdir(parents=True)
    snapshot.mkdir(parents=True)
    for number, path in enumerate(sorted(made.iterdir())):
        path.rename(entry / "blobs" / f"blob{number}")
        (snapshot / path.name).symlink_to(f"../../blobs/blob{number}")
    return snapshot


def test_a_snapshot_of_a_hub_cache(tmp_path: Path) -> None:
    snapshot = cached_model(tmp_path)
    assert not_ok(check_model_folder(snapshot)) == []
    (snapshot / SHARDS[0]).resolve().unlink()
    (snapshot.parent.parent / "blobs" / "77ff.incomplete").touch()
    left, broken = not_ok(check_model_folder(snapshot))
    assert "77ff.incomplete" in left.detail
    assert f"{SHARDS[0]} is a broken link to ../../blobs/" in broken.detail
    command = f"hf download some/model-7b {SHARDS[0]} --revision 0123abcd"
    assert broken.fix.startswith(command)


def test_the_entry_of_a_hub_cache_is_not_the_model(tmp_path: Path) -> None:
    snapshot = cached_model(tmp_path)
    check = check_model_folder(snapshot.parent.parent)[0]
    assert check.status == "failed" and str(snapshot) in check.fix


@pytest.mark.parametrize(
    ("engine_args", "edit"),
    [
        ({"load_format": "dummy"}, lambda d: (d / SHARDS[0]).unlink()),
        ({"tokenizer": "another/one"}, lambda d: (d / "tokenizer.json").unlink()),
    ],
)
def test_what_the_engine_reads_elsewhere_is_not_checked(
    tmp_path: Path, engine_args: dict[str, object], edit: Edit
) -> None:
    folder = make_model(tmp_path / "model")
    edit(folder)
    assert not_ok(check_model_folder(folder))
    require_model_folder(folder, engine_args=engine_args)


def test_a_hub_id_passes_and_a_known_one_is_in_the_fix(tmp_path: Path) -> None:
    require_model_folder("Qwen/Qwen2.5-7B-Instruct")
    folder = make_model(tmp_path / "model")
    (folder / SHARDS[0]).unlink()
    (check,) = not_ok(check_model_folder(folder, hub_id="Qwen/Qwen2.5-7B-Instruct"))
    assert check.fix == f"hf download Qwen/Qwen2.5-7B-Instruct --local-dir {folder}"


def test_a_path_without_a_folder_fails(tmp_path: Path) -> None:
    (check,) = check_model_folder(tmp_path / "nowhere")
    assert check.status == "failed" and "nowhere" in check.detail


def test_many_bad_shards_are_summed_up(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "model")
    names = [f"model-{i:05}-of-00040.safetensors" for i in range(1, 41)]
    single(folder, names[0], safetensors({"a": 1})[:-1])
    for name in names[1:20]:
        (folder / name).write_bytes(safetensors({"a": 1})[:-1])
    checks = not_ok(check_model_folder(folder))
    assert "20 of 40 shards missing" in checks[0].detail and "16 more" in checks[0].detail
    assert len(checks) == 7 and checks[-1].detail == "15 more shards"


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys, madm2.model_folder; "
        "print([m for m in ('torch', 'vllm', 'transformers', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
