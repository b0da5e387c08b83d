"""The download command against the loopback's hub: fixtures and short forms for its tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from madm2.datasets import download
from madm2.datasets.registry import DATASETS
from tests.unit.hub_emulator import Hub, serving
from tests.unit.hub_rows import source_files


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub, and the hub's client told of it as its environment variables would."""
    with serving() as hub:
        point_client_at(hub.endpoint, tmp_path / "home", monkeypatch)
        yield hub


def point_client_at(endpoint: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    constants = huggingface_hub.constants
    monkeypatch.setattr(constants, "ENDPOINT", endpoint)
    template = endpoint + "/{repo_id}/resolve/{revision}/{filename}"
    for place in (constants, huggingface_hub.file_download):  # releases differ in which is read
        monkeypatch.setattr(place, "HUGGINGFACE_CO_URL_TEMPLATE", template, raising=False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(home / "hub"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(home / "token"))
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def publish(hub: Hub, name: str, rows: int = 3) -> None:
    source = DATASETS[name].source
    hub.add(source.repo, source.revision, source_files(name, rows))


def bring(folder: Path, *args: str) -> int:
    places = ["--dataset_dir", str(folder / "data"), "--output_dir", str(folder / "out")]
    return download.main([*args, *places])


def meta(folder: Path, name: str) -> dict[str, object]:
    return json.loads((folder / "out" / name / f"{name}.meta.json").read_text())
