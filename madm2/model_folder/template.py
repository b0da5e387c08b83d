"""The chat template of a model folder: where it may lie, and which one a chat would use."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from madm2.check import Check, failed, ok, refused, warning
from madm2.errors import UserError
from madm2.model_folder.files import Source, listed, read_json, require_file

NAME = "Chat template"
_FILE = "chat_template.jinja"
_NAMED = "additional_chat_templates"
_FILES_SINCE = (4, 47)  # the first transformers that reads templates from files of their own


def check_template(
    folder: Path, source: Source, settings: Mapping[str, Any]
) -> tuple[list[Check], str]:
    """Check the chat template; also returns its text, empty when there is none.

    Args:
        folder: the model folder.
        source: where its files come from.
        settings: tokenizer_config.json.
    """
    try:
        where, text = _template(folder, source, settings)
    except UserError as error:
        return [refused(NAME, error)], ""
    if not text.strip():
        return [failed(NAME, f"the chat template in {where} is empty", source.fetch())], ""
    if where == "chat_template.json":
        note = "only in chat_template.json, which tokenizers do not read"
        return [warning(NAME, note, f"put its text into {folder / _FILE}")], text
    if "messages" not in text:
        note = f"the chat template in {where} does not use `messages`: is it one?"
        return [warning(NAME, note, source.fetch())], text
    return [ok(NAME, where)], text


def _template(folder: Path, source: Source, settings: Mapping[str, Any]) -> tuple[str, str]:
    """Where the template lies and its text, as the installed transformers would choose."""
    files = sorted((folder / _NAMED).glob("*.jinja"))
    named = {f"{_NAMED}/{path.name}": path for path in files}
    default = named.get(f"{_NAMED}/default.jinja")
    in_settings = settings.get("chat_template")
    for where, path in ((_FILE, folder / _FILE), (f"{_NAMED}/default.jinja", default)):
        if path is None or not (path.exists() or path.is_symlink()):
            continue
        if not _reads_files():
            if in_settings:
                break
            raise UserError(
                f"{where} is a file that transformers {version('transformers')} does not read",
                fix=f"put its text into {folder / 'tokenizer_config.json'} as chat_template",
            )
        require_file(path, source)
        return where, path.read_text(encoding="utf-8", errors="replace")
    if isinstance(in_settings, list):
        texts = {t.get("name"): t.get("template") for t in in_settings if isinstance(t, dict)}
        if "default" in texts:
            return "tokenizer_config.json (default)", str(texts["default"] or "")
        raise UserError(
            "tokenizer_config.json has named chat templates, but none is called default",
            have=listed([str(name) for name in texts]),
            fix=f"put the one for plain chats into {folder / _FILE}",
        )
    if in_settings is not None:
        return "tokenizer_config.json", str(in_settings)
    if (folder / "chat_template.json").exists():
        template = read_json(folder / "chat_template.json", source).get("chat_template")
        return "chat_template.json", template if isinstance(template, str) else ""
    if named:
        raise UserError(
            "there are named chat templates, but none is called default",
            have=listed(list(named)),
            fix=f"put the one for plain chats into {folder / _FILE}",
        )
    raise UserError(
        f"no chat template: neither {_FILE} nor chat_template in tokenizer_config.json",
        fix="pick the instruction-tuned variant of the model (-Instruct, -chat), "
        f"or put its template into {folder / _FILE}",
    )


def _reads_files() -> bool:
    try:
        parts = version("transformers").split(".")
        return (int(parts[0]), int(parts[1])) >= _FILES_SINCE
    except (PackageNotFoundError, ValueError, IndexError):
        return True
