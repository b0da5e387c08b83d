"""Checks of a model folder's JSON files, tokenizer and chat template: found, and named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from madm2.model_folder import check_model_folder, template
from tests.unit.fake_model import (
    LFS_POINTER,
    TEMPLATE,
    WORDS,
    cut,
    edit_json,
    make_model,
    not_ok,
    relink,
    settings,
    tokenizer,
    write_json,
)

Edit = Callable[[Path], object]


def swap_tokenizer(folder: Path, words: list[str], special: int = 3) -> None:
    """Copy another model's tokenizer over this one's."""
    write_json(folder / "tokenizer.json", tokenizer(words, special))
    write_json(folder / "tokenizer_config.json", settings(words, special))


def one_named_template(folder: Path) -> None:
    templates = [{"name": "tool_use", "template": TEMPLATE}]
    edit_json(folder / "tokenizer_config.json", chat_template=templates)


OTHER_FAULTS: list[tuple[str, Edit, str, list[str]]] = [
    ("no config", lambda d: (d / "config.json").unlink(), "Model config", ["config.json is missing"]),
    ("config cut", lambda d: cut(d / "config.json", 20), "Model config", ["config.json", "damaged"]),
    ("config a list", lambda d: write_json(d / "config.json", []), "Model config", ["config.json"]),
    ("config link", lambda d: relink(d / "config.json"), "Model config", ["config.json", "link"]),
    ("no tokenizer.json", lambda d: (d / "tokenizer.json").unlink(), "Tokenizer", ["tokenizer.json is missing"]),
    ("tokenizer cut", lambda d: cut(d / "tokenizer.json", 99), "Tokenizer", ["tokenizer.json", "damaged"]),
    ("tokenizer empty", lambda d: cut(d / "tokenizer.json", 0), "Tokenizer", ["tokenizer.json", "empty"]),
    ("tokenizer of nothing", lambda d: write_json(d / "tokenizer.json", {}), "Tokenizer", ["tokenizer.json", "no tokens"]),
    ("tokenizer pointer", lambda d: (d / "tokenizer.json").write_text(LFS_POINTER), "Tokenizer", ["tokenizer.json", "git lfs pull"]),
    ("settings cut", lambda d: cut(d / "tokenizer_config.json", 9), "Tokenizer", ["tokenizer_config.json", "damaged"]),
    ("generation cut", lambda d: cut(d / "generation_config.json", 9), "Tokenizer", ["generation_config.json", "damaged"]),
    ("no merges", lambda d: ((d / "tokenizer.json").unlink(), write_json(d / "vocab.json", {w: i for i, w in enumerate(WORDS)})), "Tokenizer", ["merges.txt is missing"]),
    ("no template", lambda d: edit_json(d / "tokenizer_config.json", chat_template=None), "Chat template", ["no chat template", "tokenizer_config.json", "chat_template.jinja", "-Instruct"]),
    ("empty template", lambda d: edit_json(d / "tokenizer_config.json", chat_template=" "), "Chat template", ["tokenizer_config.json is empty"]),
    ("empty template file", lambda d: (d / "chat_template.jinja").write_text(""), "Chat template", ["chat_template.jinja is empty"]),
    ("template file pointer", lambda d: (d / "chat_template.jinja").write_text(LFS_POINTER), "Chat template", ["chat_template.jinja", "git lfs"]),
    ("no default template", one_named_template, "Chat template", ["none is called default", "tool_use"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "name", "told"), [f[1:] for f in OTHER_FAULTS], ids=[f[0] for f in OTHER_FAULTS]
)
def test_other_faults_are_named(tmp_path: Path, edit: Edit, name: str, told: list[str]) -> None:
    folder = make_model(tmp_path / "model")
    edit(folder)
    (check,) = not_ok(check_model_folder(folder))
    assert (check.status, check.name) == ("failed", name)
    for text in told:
        assert text in f"{check.detail} {check.fix}"
    assert check.fix


WRONG_TOKENIZERS: list[tuple[str, Edit, str, str]] = [
    ("larger", lambda d: swap_tokenizer(d, [*WORDS, "f", "g"]), "failed", "they go up to 9, its vocab_size in config.json is 8"),
    ("larger by a special token in use", lambda d: swap_tokenizer(d, [*WORDS[3:], "f", "g", "h", *WORDS[:3]][::-1]), "failed", "vocab_size"),
    ("larger by an unused added token", lambda d: write_json(d / "tokenizer.json", tokenizer(WORDS) | {"added_tokens": [{"id": i, "content": w} for i, w in enumerate([*WORDS[:3]])] + [{"id": 8, "content": "<image>"}]}), "warning", "which no chat of ours holds"),
    ("far smaller", lambda d: edit_json(d / "config.json", vocab_size=50), "failed", "8 tokens, the model's vocab_size in config.json is 50"),
    ("smaller", lambda d: edit_json(d / "config.json", vocab_size=11), "warning", "far fewer"),
    ("size in text_config", lambda d: edit_json(d / "config.json", vocab_size=None, text_config={"vocab_size": 7}), "failed", "vocab_size in config.json is 7"),
    ("eos is no token", lambda d: (edit_json(d / "config.json", eos_token_id=99), edit_json(d / "generation_config.json", eos_token_id=None)), "failed", "eos_token_id 99 of config.json is no token"),
    ("eos is a word", lambda d: (edit_json(d / "config.json", eos_token_id=5), edit_json(d / "generation_config.json", eos_token_id=[5])), "failed", "ordinary text 'c'"),
    ("eos is another special token", lambda d: (edit_json(d / "config.json", eos_token_id=2), edit_json(d / "generation_config.json", eos_token_id=2)), "warning", "its eos_token is '<|end|>' (0)"),
    ("bos is no token", lambda d: edit_json(d / "config.json", bos_token_id=77), "warning", "bos_token_id 77 of config.json is no token"),
    ("bos is another", lambda d: edit_json(d / "tokenizer_config.json", bos_token="<|assistant|>"), "warning", "bos_token_id 1 of config.json is '<|user|>'"),
    ("settings name a strange eos", lambda d: edit_json(d / "tokenizer_config.json", eos_token="</s>"), "failed", "eos_token '</s>'"),
    ("settings of another", lambda d: edit_json(d / "tokenizer_config.json", added_tokens_decoder={"0": {"content": "<s>"}, "9": {"content": "</s>"}}), "failed", "2 of its 2 added tokens"),
    ("template of another", lambda d: edit_json(d / "tokenizer_config.json", chat_template="{{ messages }}<|im_start|>"), "warning", "<|im_start|>"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "status", "told"), [w[1:] for w in WRONG_TOKENIZERS], ids=[w[0] for w in WRONG_TOKENIZERS]
)  # fmt: skip
def test_a_wrong_tokenizer_is_named(tmp_path: Path, edit: Edit, status: str, told: str) -> None:
    folder = make_model(tmp_path / "model")
    edit(folder)
    check = next(c for c in not_ok(check_model_folder(folder)) if told in c.detail)
    assert (check.status, check.name) == (status, "Tokenizer")
    assert "tokenizer.json" in check.fix and "hf download" in check.fix


def test_old_transformers_read_no_template_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(template, "version", lambda name: "4.46.2")
    folder = make_model(tmp_path / "model")
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    assert not_ok(check_model_folder(folder)) == []  # the one in tokenizer_config.json is read
    edit_json(folder / "tokenizer_config.json", chat_template=None)
    (check,) = not_ok(check_model_folder(folder))
    assert "chat_template.jinja is a file that transformers 4.46.2 does not read" in check.detail


def test_a_processors_template_is_a_warning(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "model")
    edit_json(folder / "tokenizer_config.json", chat_template=None)
    write_json(folder / "chat_template.json", {"chat_template": TEMPLATE})
    (check,) = not_ok(check_model_folder(folder))
    assert (check.status, check.name) == ("warning", "Chat template")
    assert "chat_template.json" in check.detail
