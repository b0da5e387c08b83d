"""What the preflight asks of a model hub, with a small hub in this process."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from madm2.doctor import hub
from madm2.doctor.command import build_parser
from madm2.doctor.model import Download, check_model

TOKEN = "hf_secret"
LISTING = {
    "siblings": [
        {"rfilename": "model-00001-of-00002.safetensors", "size": 9_000_000_000},
        {"rfilename": "model-00002-of-00002.safetensors", "size": 6_000_000_000},
        {"rfilename": "pytorch_model.bin", "size": 15_100_000_000},
        {"rfilename": "original/consolidated.00.safetensors", "size": 15_000_000_000},
        {"rfilename": "README.md"},
    ]
}


class _Hub(BaseHTTPRequestHandler):
    """Knows one open and one gated model, and one token."""

    asked: list[tuple[str, str | None]] = []

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        token = self.headers.get("Authorization")
        self.asked.append((self.path, token))
        status, value = self._found(token)
        body = json.dumps(value).encode() if self.command == "GET" else b""
        self.send_response(status)
        if status == 307:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _found(self, token: str | None) -> tuple[int, object]:
        match self.path:
            case "/":
                return 200, None
            case "/api/whoami-v2":
                return (200, {"name": "ada"}) if token == f"Bearer {TOKEN}" else (401, None)
            case "/open/model/resolve/main/config.json":
                return 307, None
            case "/api/models/open/model/revision/main?blobs=true":
                return 200, LISTING
            case "/gated/model/resolve/main/config.json":
                return 403, None
            case "/down/model/resolve/main/config.json":
                return 503, None
        return 404, None

    def log_message(self, *args: object) -> None:
        """Stay silent."""


@pytest.fixture(autouse=True)
def _no_login(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "environ", os.environ.copy())
    for name in [*os.environ]:
        if name.startswith(("HF_", "HUGGING", "TRANSFORMERS_")) or name.lower().endswith("_proxy"):
            del os.environ[name]
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))


@pytest.fixture
def model_hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str | None]]]:
    """The small hub, running; what it was asked, and with which authorization."""
    monkeypatch.setattr(_Hub, "asked", [])
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}/")
    yield _Hub.asked
    server.shutdown()
    server.server_close()


def test_a_hub_that_answers(model_hub: list[tuple[str, str | None]]) -> None:
    check, is_reachable = hub.check_hub()
    assert (check.status, is_reachable) == ("ok", True)
    assert model_hub == [("/", None)]


def test_offline_asks_nothing(
    model_hub: list[tuple[str, str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "true")
    check, is_reachable = hub.check_hub()
    assert (check.status, is_reachable, model_hub) == ("ok", False, [])


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://no host", "ftp://x", "nonsense"])
def test_a_hub_that_is_not_there(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", address)
    check, is_reachable = hub.check_hub()
    assert (check.status, is_reachable) == ("warning", False)
    assert address in check.detail and "HF_ENDPOINT" in check.fix


def test_a_hub_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setattr(hub, "TIMEOUT_S", 0.2)
        check, is_reachable = hub.check_hub()
    assert (check.status, is_reachable) == ("warning", False)


def test_names_that_are_never_resolved_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    never = threading.Event()
    monkeypatch.setattr(hub, "_ask", lambda *args: never.wait())
    monkeypatch.setattr(hub, "TIMEOUT_S", 0)
    check, _ = hub.check_hub()
    assert check.status == "warning" and "no answer within" in check.detail
    never.set()


@pytest.mark.parametrize(
    ("token", "status", "told"),
    [("", "ok", "no token"), (TOKEN, "ok", "ada, by the token"), ("old", "warning", "refuses")],
)
@pytest.mark.parametrize("place", ["HF_TOKEN", "file"])
def test_login(
    model_hub: list[tuple[str, str | None]],
    monkeypatch: pytest.MonkeyPatch,
    token: str,
    status: str,
    told: str,
    place: str,
) -> None:
    file = Path(os.environ["HF_HOME"]) / "token"
    if place == "HF_TOKEN":
        monkeypatch.setenv("HF_TOKEN", token)
    else:
        file.parent.mkdir()
        file.write_text(f"{token}\n")
    check = hub.check_login(True)
    assert check.status == status and told in check.detail
    if token:
        where = "HF_TOKEN" if place == "HF_TOKEN" else str(file)
        assert f"the token from {where}" in check.detail
        assert f" {token}" not in str(check)
    assert len(model_hub) == bool(token)


def test_a_token_that_cannot_be_sent_is_not_shown(
    model_hub: list[tuple[str, str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", f"{TOKEN}\n{TOKEN}")
    check = hub.check_login(True)
    assert check.status == "warning" and TOKEN not in str(check)


def test_a_token_is_not_tried_without_a_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    check = hub.check_login(False)
    assert check.status == "ok" and TOKEN not in str(check)


@pytest.mark.parametrize(
    ("hub_id", "status", "told", "size"),
    [
        ("open/model", "warning", "open/model, 15.0 GB, must be downloaded", 15_000_000_000),
        ("gated/model", "failed", "does not give out gated/model (HTTP 403)", 0),
        ("no/model", "failed", "the hub has no no/model at main (HTTP 404)", 0),
        ("down/model", "failed", "did not say whether it has down/model", 0),
    ],
)
def test_models_of_the_hub(
    model_hub: list[tuple[str, str | None]],
    tmp_path: Path,
    hub_id: str,
    status: str,
    told: str,
    size: int,
) -> None:
    args = build_parser().parse_args(["--model_path", hub_id])
    download = Download(tmp_path)
    (check,) = check_model(args, True, download)
    assert (check.status, check.name, download.size) == (status, "Model", size)
    assert told in check.detail
    assert bool(check.fix) == (status == "failed")


def test_a_token_stays_with_the_hub(
    model_hub: list[tuple[str, str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    hub.check_hub_model("open/model", None)
    assert {token for _, token in model_hub} == {f"Bearer {TOKEN}"}
    assert "/elsewhere" not in {path for path, _ in model_hub}


@pytest.mark.parametrize(
    ("environment", "want"),
    [
        ({"HF_HOME": "/a"}, "/a/hub"),
        ({"HF_HOME": "/a", "HF_HUB_CACHE": "/b"}, "/b"),
        ({"HF_HOME": "/a", "HUGGINGFACE_HUB_CACHE": "/c"}, "/c"),
        ({"HF_HOME": "", "XDG_CACHE_HOME": "/d"}, "/d/huggingface/hub"),
        ({"HF_HOME": "", "HOME": "/e"}, "/e/.cache/huggingface/hub"),
    ],
)
def test_the_cache(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], want: str) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert hub.cache_folder() == Path(want)


def test_a_commit_in_the_cache(tmp_path: Path) -> None:
    snapshot = tmp_path / "models--some--model" / "snapshots" / "0123abcd"
    snapshot.mkdir(parents=True)
    assert hub.cached_snapshot("some/model", "0123abcd", tmp_path) == snapshot
    assert hub.cached_snapshot("some/model", None, tmp_path) is None
    assert hub.cached_snapshot("other/model", "0123abcd", tmp_path) is None
