"""A small stand-in for the model hub on the loopback: files at a commit, and faults on demand.

It answers what the hub's client asks while it downloads a dataset's file: the headers of a file
(commit, checksum, size, where the bytes lie), and its bytes, whole or from a place on.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

COMMIT = "c0ffee" * 6 + "c0ff"  # of a repository that no commit was named for


@dataclass
class Fault:
    """What goes wrong with the next requests: `times` of them, for paths that hold `path`."""

    method: str = "GET"
    path: str = ""
    status: int = 0  # answered instead; 0: the file is sent, damaged
    headers: dict[str, str] = field(default_factory=dict)
    cut_after: int | None = None  # the connection closes after so many bytes
    truncate: int | None = None  # so many bytes are sent as if they were all
    alter: bool = False  # one byte is another
    times: int = 1


@dataclass
class Hub:
    """What the hub holds, and what it was asked."""

    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    commits: dict[str, str] = field(default_factory=dict)
    gated: dict[str, str] = field(default_factory=dict)  # repository: the token that opens it
    faults: list[Fault] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    endpoint: str = ""

    def add(self, repo: str, commit: str | None, files: dict[str, bytes]) -> None:
        self.files.setdefault(repo, {}).update(files)
        self.commits[repo] = commit or COMMIT

    def fault(self, method: str, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.times > 0 and fault.method == method and fault.path in path:
                fault.times -= 1
                return fault
        return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def log_message(self, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = unquote(self.path.split("?")[0])
        self.hub.requests.append(f"{self.command} {path}")
        fault = self.hub.fault(self.command, path)
        if fault and fault.status:
            return self._send(fault.status, fault.headers)
        if path.startswith("/lfs/"):
            repo, _, name = path.removeprefix("/lfs/").partition("//")
            return self._send_bytes(self.hub.files[repo][name], {}, fault)
        if not path.startswith("/datasets/") or "/resolve/" not in path:
            return self._send(404, {"X-Error-Code": "RepoNotFound"})
        repo, _, rest = path.removeprefix("/datasets/").partition("/resolve/")
        revision, _, name = rest.partition("/")
        if repo not in self.hub.files:
            return self._send(401, {"X-Error-Code": "RepoNotFound"})
        if repo in self.hub.gated:
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            if token != self.hub.gated[repo]:
                return self._send(403 if token else 401, {"X-Error-Code": "GatedRepo"})
        commit = self.hub.commits[repo]
        if revision not in (commit, "main"):
            return self._send(404, {"X-Error-Code": "RevisionNotFound"})
        if name not in self.hub.files[repo]:
            return self._send(404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit})
        content = self.hub.files[repo][name]
        headers = {"X-Repo-Commit": commit}
        if name.endswith((".jsonl", ".csv")):  # as git keeps small files
            git = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
            return self._send_bytes(content, {**headers, "ETag": f'"{git}"'}, fault)
        headers |= {
            "X-Linked-Etag": f'"{hashlib.sha256(content).hexdigest()}"',
            "X-Linked-Size": str(len(content)),
            # Large files lie on another host.
            "Location": f"{self.hub.endpoint.replace('127.0.0.1', 'localhost')}/lfs/{repo}//{name}",
        }
        return self._send(302, headers)

    def _send(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": "0", **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _send_bytes(self, content: bytes, headers: dict[str, str], fault: Fault | None) -> None:
        start = 0
        if asked := self.headers.get("Range"):
            start = int(asked.removeprefix("bytes=").partition("-")[0])
        body = content[start:]
        if fault and fault.alter:
            body = bytes([body[0] ^ 1]) + body[1:]
        if fault and fault.truncate is not None:
            body = body[: fault.truncate]
        self.send_response(206 if start else 200)
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        if fault and fault.cut_after is not None:
            self.wfile.write(body[: fault.cut_after])
            self.wfile.flush()
            self.close_connection = True
            return
        self.wfile.write(body)


@contextmanager
def serving() -> Iterator[Hub]:
    """A hub on a free port of the loopback."""
    hub = Hub()
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
