"""Fixtures of the end-to-end tests: a tiny model, and when the real engine cannot run here."""

from __future__ import annotations

from pathlib import Path

import pytest

from madm2.engines import device
from madm2.errors import UserError


def why_no_real_engine() -> str | None:
    """Say why vLLM cannot run here; None when it can. A vLLM that is installed but broken can."""
    try:
        device.require_device(device.detect_device(), 1)
    except UserError as error:
        return error.problem
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    marked = [item for item in items if item.get_closest_marker("real_engine")]
    reason = why_no_real_engine() if marked else None
    for item in marked:
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=f"needs the real engine: {reason}"))
    if marked and reason is None:
        # Now: building the tiny model imports torch, and then it is too late.
        device.prepare_environment(device.detect_device(), 1)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny random chat model; see tiny_model.py."""
    pytest.importorskip("transformers", reason="needs the engine's packages")
    from tests.e2e.tiny_model import build_tiny_model

    return build_tiny_model(tmp_path_factory.mktemp("tiny-model"))
