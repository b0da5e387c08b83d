"""The model hub: is it there, who is logged in, has it a model, and what is in its cache."""

from __future__ import annotations

import http.client
import json
import os
import threading
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from madm2.check import Check, failed, ok, warning

TIMEOUT_S = 8
_TRUE = ("1", "TRUE", "YES", "ON")
_LOGIN_FIX = "hf auth login, or set HF_TOKEN"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the hub answered: an HTTP status, and JSON where it sent some."""

    status: int
    value: Any = None


def endpoint() -> str:
    """Address of the hub."""
    return (os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")


def is_offline() -> bool:
    """Whether the environment forbids asking the hub."""
    names = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    return any(os.environ.get(name, "").upper() in _TRUE for name in names)


def cache_folder() -> Path:
    """Where the hub's client keeps what it downloaded."""
    cache = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    return Path(os.path.expanduser(cache)) if cache else _home() / "hub"


def cached_snapshot(hub_id: str, revision: str | None, cache: Path) -> Path | None:
    """The folder of a model in the cache; None when nothing of it is there."""
    entry = cache / f"models--{hub_id.replace('/', '--')}"
    try:
        commit = (entry / "refs" / (revision or "main")).read_text().strip()
    except OSError:
        commit = revision or ""
    folder = entry / "snapshots" / commit
    return folder if commit and folder.is_dir() else None


def check_hub() -> tuple[Check, bool]:
    """Whether the hub can be reached; a missing one is a warning, and never a hang."""
    if is_offline():
        return ok("Hub", "not asked: HF_HUB_OFFLINE is set; local models only"), False
    answer, fault = ask("HEAD", "")
    if answer is not None and answer.status < 500:
        return ok("Hub", f"{endpoint()} can be reached"), True
    fix = "check the network, its proxy and HF_ENDPOINT; a local model folder needs no hub"
    why = fault if answer is None else f"answers with HTTP status {answer.status}"
    return warning("Hub", f"{endpoint()}: {why}", fix), False


def check_login(is_reachable: bool) -> Check:
    """Whose token the hub would see; the token itself is never shown."""
    name = "Hub login"
    token, place = _token()
    if not token:
        return ok(name, "no token; public models need none")
    if not is_reachable:
        return ok(name, f"a token from {place} (not tried: the hub was not reached)")
    answer, fault = ask("GET", "/api/whoami-v2", token)
    if answer is not None and answer.status in (401, 403):
        refusal = f"the hub refuses the token from {place} (HTTP {answer.status})"
        return warning(name, refusal, _LOGIN_FIX)
    if answer is None or answer.status != 200:
        why = fault if answer is None else f"HTTP {answer.status}"
        return warning(name, f"a token from {place}, but the hub did not say whose: {why}")
    user = answer.value.get("name") if isinstance(answer.value, dict) else None
    return ok(name, f"{user or 'a user'}, by the token from {place}")


def check_hub_model(hub_id: str, revision: str | None) -> tuple[Check, int]:
    """Whether the hub gives out a model; also the bytes of its weights, 0 where unknown."""
    name, at = "Model", revision or "main"
    token, _ = _token()
    answer, fault = ask("HEAD", f"/{hub_id}/resolve/{at}/config.json", token)
    if answer is None or answer.status >= 500:
        why = fault or f"HTTP status {answer.status if answer else ''}"
        return failed(name, f"the hub did not say whether it has {hub_id}: {why}", "try again"), 0
    if answer.status in (401, 403):
        fix = f"check its spelling, accept the licence on {endpoint()}/{hub_id}, then: {_LOGIN_FIX}"
        return failed(name, f"the hub does not give out {hub_id} (HTTP {answer.status})", fix), 0
    if answer.status >= 400:
        fix = "check the spelling of model_path and --revision"
        return failed(name, f"the hub has no {hub_id} at {at} (HTTP {answer.status})", fix), 0
    listing, _ = ask("GET", f"/api/models/{hub_id}/revision/{at}?blobs=true", token)
    size = _weights_size(listing.value) if listing and listing.status == 200 else 0
    told = f"{size / 1e9:,.1f} GB" if size else "of unknown size"
    return warning(name, f"{hub_id}, {told}, must be downloaded first: the run does it"), size


def ask(method: str, path: str, token: str = "") -> tuple[Answer | None, str]:
    """Ask the hub, for TIMEOUT_S at most; without an answer, the reason.

    It is asked in a thread: a name server that is silent outlasts the timeout of a connection.
    """
    results: list[tuple[Answer | None, str]] = []
    url = endpoint() + path
    asker = threading.Thread(target=lambda: results.append(_ask(method, url, token)), daemon=True)
    asker.start()
    asker.join(TIMEOUT_S + 1)
    return results[0] if results else (None, f"no answer within {TIMEOUT_S} s")


class _StayHere(urllib.request.HTTPRedirectHandler):
    """Takes a redirection for an answer: followed, it would carry the token to another host."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _ask(method: str, url: str, token: str) -> tuple[Answer | None, str]:
    try:
        if not url.startswith(("http://", "https://")):
            return None, "HF_ENDPOINT must begin with https://"
        headers = {"User-Agent": "madm2"} | ({"Authorization": f"Bearer {token}"} if token else {})
        request = urllib.request.Request(url, method=method, headers=headers)
        with urllib.request.build_opener(_StayHere).open(request, timeout=TIMEOUT_S) as response:
            raw = response.read()
            status = int(response.status)
    except urllib.error.HTTPError as error:
        return Answer(error.code), ""
    except (OSError, http.client.HTTPException) as error:
        return None, str(getattr(error, "reason", "") or error) or type(error).__name__
    except ValueError:  # its message may quote the token
        return None, "HF_ENDPOINT or the token holds what cannot be sent"
    try:
        return Answer(status, json.loads(raw) if raw else None), ""
    except ValueError:
        return Answer(status), ""


def _weights_size(listing: object) -> int:
    files = listing.get("siblings") if isinstance(listing, dict) else None
    sizes: dict[str, int] = {}
    for file in files if isinstance(files, list) else []:
        name, size = str(file.get("rfilename")), file.get("size")
        if "/" not in name and isinstance(size, int):
            kind = name.rpartition(".")[2]
            sizes[kind] = sizes.get(kind, 0) + size
    return sizes.get("safetensors") or sizes.get("bin") or 0


def _home() -> Path:
    home = os.environ.get("HF_HOME")
    if not home:
        home = os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return Path(os.path.expanduser(home))


def _token() -> tuple[str, str]:
    """The token, and where it is from; both empty when there is none."""
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        if token := os.environ.get(name, "").strip():
            return token, name
    file = Path(os.path.expanduser(os.environ.get("HF_TOKEN_PATH") or _home() / "token"))
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        token = ""
    return (token, str(file)) if token else ("", "")
