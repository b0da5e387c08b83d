"""What went wrong in a download, and what to do about it, in one message."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass

from madm2.datasets.spec import Source
from madm2.errors import UserError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NOT_FOUND, _TIMED_OUT, _TOO_MANY = 404, 408, 429
_TRANSPORTS = ("requests", "urllib3", "httpx", "httpx2", "httpcore")


class NoConnectionError(UserError):
    """The hub cannot be reached: no other dataset can be had from it either."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A failed download.

    Args:
        error: the message for the user.
        transient: whether it may pass by itself, and the hub's client has not waited already.
        retry_after: seconds that the hub asked to wait, where it did.
    """

    error: UserError
    transient: bool = False
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class _Failure:
    """A failed download before it is named: its exceptions, outermost first, and what it was of."""

    chain: tuple[BaseException, ...]
    source: Source
    what: str

    @property
    def own(self) -> str:
        return f"or bring your own copy: --source DIR with {self.source.files[0]}"

    def has(self, kind: type[BaseException]) -> bool:
        return any(isinstance(error, kind) for error in self.chain)


def explained(error: Exception, source: Source, name: str) -> Fault:
    """Name the fault behind an exception of the hub's client; what is no fault is raised again."""
    failure = _Failure(tuple(_chain(error)), source, f"{name} of {source.repo}")
    fault = _on_this_machine(failure) or _answered(failure) or _on_the_way(failure)
    if fault is None:
        raise error
    return fault


def _on_this_machine(failure: _Failure) -> Fault | None:
    from huggingface_hub import constants, errors

    if failure.has(errors.OfflineModeIsEnabled) or constants.HF_HUB_OFFLINE:
        return _fault(
            f"{failure.what} is not in the cache, and HF_HUB_OFFLINE is set",
            fix=f"unset HF_HUB_OFFLINE to download it, {failure.own}",
        )
    for error in failure.chain:
        if isinstance(error, OSError) and error.errno in _FULL:
            return _fault(
                f"no room to download {failure.what}",
                have=error.strerror or str(error),
                fix="free some space, or let HF_HOME name a folder on another disk",
            )
        if isinstance(error, OSError) and error.errno and error.filename:
            return _fault(
                f"cannot write {error.filename}",
                have=error.strerror or str(error),
                fix="let HF_HOME name a folder that you may write into",
            )
    return None


def _answered(failure: _Failure) -> Fault | None:
    """The hub's own answer, where it gave one that is not the file."""
    from huggingface_hub import errors

    source, what = failure.source, failure.what
    status, retry_after = _response(failure.chain)
    moved = f"was the dataset moved? see {source.page}; {failure.own}"
    have = f"{status} from {_endpoint()}"
    if failure.has(errors.GatedRepoError) or status in (401, 403):
        return Fault(_refused(source, what, status))
    if failure.has(errors.RevisionNotFoundError):
        return _fault(
            f"{source.repo} has no commit {source.revision}",
            need="the commit that the registry pins",
            fix=moved,
        )
    if status == _NOT_FOUND or failure.has(errors.RepositoryNotFoundError):
        return _fault(f"the hub has no {what}", have, fix=f"is HF_ENDPOINT a full mirror? {moved}")
    if status == _TOO_MANY:
        wait = f"{retry_after:.0f} s" if retry_after else "some minutes"
        return _fault(
            f"the hub refuses more requests for now ({what})",
            have,
            fix=f"wait {wait} and run this again; HF_TOKEN=... raises the limit",
            transient=_left_to_us(failure),
            retry_after=retry_after,
        )
    if status is not None and (status >= 500 or status == _TIMED_OUT):
        return _fault(
            f"the hub cannot answer for {what}",
            have,
            fix=f"run this again in some minutes, {failure.own}",
            transient=_left_to_us(failure),
            retry_after=retry_after,
        )
    if status is not None:
        fix = f"check HF_ENDPOINT and the proxy, {failure.own}"
        return _fault(f"the hub refuses {what}", have, fix=fix)
    return None


def _on_the_way(failure: _Failure) -> Fault | None:
    from huggingface_hub import errors

    if failure.has(errors.FileMetadataError):
        return _fault(
            f"{_endpoint()} does not answer as the hub does",
            have=f"no commit or checksum for {failure.what}",
            fix="check HF_ENDPOINT and the proxy",
        )
    if any("Consistency check failed" in str(error) for error in failure.chain):
        return _fault(
            f"{failure.what} was cut off on its way",
            have=str(failure.chain[0]).split("\n")[0],
            fix="run this again; nothing of it was kept",
            transient=_left_to_us(failure),
        )
    if any(
        isinstance(error, (ConnectionError, TimeoutError))
        or type(error).__module__.split(".")[0] in _TRANSPORTS
        for error in failure.chain
    ):
        error = NoConnectionError(
            f"no connection to the hub for {failure.what}",
            have=f"{type(failure.chain[-1]).__name__} from {_endpoint()}",
            fix=f"check the network, the proxy and HF_ENDPOINT, {failure.own}",
        )
        return Fault(error, transient=_left_to_us(failure))
    return None


def _fault(
    problem: str,
    have: str = "",
    *,
    fix: str,
    need: str = "",
    transient: bool = False,
    retry_after: float | None = None,
) -> Fault:
    return Fault(UserError(problem, have=have, need=need, fix=fix), transient, retry_after)


def _refused(source: Source, what: str, status: int | None) -> UserError:
    from huggingface_hub import get_token

    have = f"{status or 401} from {_endpoint()}"
    fix = "make a token at https://huggingface.co/settings/tokens and set HF_TOKEN=..."
    if get_token():
        have += ", with a token"
        fix = "is the token still good, may it read this dataset?"
    if source.gated:
        fix = f"accept the terms at {source.page} with your account; then {fix}"
    return UserError(f"the hub does not give {what} to you", have=have, fix=fix)


def _left_to_us(failure: _Failure) -> bool:
    """Whether the hub's client raised at once, without waiting and trying again itself.

    Releases from 1.0 on retry everything but a server's error while a file is transferred.
    """
    import huggingface_hub

    if huggingface_hub.__version__.startswith("0."):
        return True
    error = failure.chain[0]
    if not isinstance(error, huggingface_hub.errors.HfHubHTTPError):
        return False
    return error.response is not None and error.response.status_code >= 500


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _response(chain: tuple[BaseException, ...]) -> tuple[int | None, float | None]:
    """Status and Retry-After seconds of the response that an exception of the chain carries."""
    for error in chain:
        response = getattr(error, "response", None)
        if response is not None:
            wait = response.headers.get("Retry-After", "")
            return response.status_code, float(wait) if wait.isdecimal() else None
    return None, None


def _endpoint() -> str:
    from huggingface_hub import constants

    return str(constants.ENDPOINT)
