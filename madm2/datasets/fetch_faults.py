"""What went wrong in a download, and what to do about it, in one message."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass

from madm2.datasets.spec import Source
from madm2.errors import UserError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_TOO_MANY, _TIMED_OUT = 429, 408


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


def explained(error: Exception, source: Source, name: str) -> Fault:
    """Name the fault behind an exception of the hub's client; what is no fault is raised again."""
    from huggingface_hub import errors

    chain = list(_chain(error))
    page, what = source.page, f"{name} of {source.repo}"
    own = f"or bring your own copy: --source DIR with {source.files[0]}"
    if any(isinstance(e, errors.OfflineModeIsEnabled) for e in chain) or _offline():
        return Fault(
            UserError(
                f"{what} is not in the cache, and HF_HUB_OFFLINE is set",
                fix=f"unset HF_HUB_OFFLINE to download it, {own}",
            )
        )
    if full := next((e for e in chain if isinstance(e, OSError) and e.errno in _FULL), None):
        return Fault(
            UserError(
                f"no room to download {what}",
                have=full.strerror or str(full),
                fix="free some space, or let HF_HOME name a folder on another disk",
            )
        )
    status, retry_after = _response(chain)
    gated = any(isinstance(e, errors.GatedRepoError) for e in chain)
    if gated or status in (401, 403):
        return Fault(_refused(source, what, status))
    if any(isinstance(e, errors.RevisionNotFoundError) for e in chain):
        return Fault(
            UserError(
                f"{source.repo} has no commit {source.revision}",
                need="the commit that the registry pins",
                fix=f"was the dataset moved? see {page}; {own}",
            )
        )
    if status == 404 or any(isinstance(e, errors.RepositoryNotFoundError) for e in chain):
        return Fault(
            UserError(
                f"the hub has no {what}",
                have=f"404 from {_endpoint()}",
                fix=f"is HF_ENDPOINT a full mirror? was the dataset moved? see {page}; {own}",
            )
        )
    if status == _TOO_MANY:
        wait = f"{retry_after:.0f} s" if retry_after else "some minutes"
        return Fault(
            UserError(
                f"the hub refuses more requests for now ({what})",
                have=f"429 from {_endpoint()}",
                fix=f"wait {wait} and run this again; HF_TOKEN=... raises the limit",
            ),
            transient=_left_to_us(error),
            retry_after=retry_after,
        )
    if status is not None and (status >= 500 or status == _TIMED_OUT):
        return Fault(
            UserError(
                f"the hub cannot answer for {what}",
                have=f"{status} from {_endpoint()}",
                fix=f"run this again in some minutes, {own}",
            ),
            transient=_left_to_us(error),
            retry_after=retry_after,
        )
    if status is not None:
        return Fault(
            UserError(
                f"the hub refuses {what}",
                have=f"{status} from {_endpoint()}",
                fix=f"check HF_ENDPOINT and the proxy, {own}",
            )
        )
    if any(isinstance(e, errors.FileMetadataError) for e in chain):
        return Fault(
            UserError(
                f"{_endpoint()} does not answer as the hub does",
                have=f"no commit or checksum for {what}",
                fix="check HF_ENDPOINT and the proxy",
            )
        )
    if any("Consistency check failed" in str(e) for e in chain):
        return Fault(
            UserError(
                f"{what} was cut off on its way",
                have=str(error).split("\n")[0],
                fix="run this again; nothing of it was kept",
            ),
            transient=_left_to_us(error),
        )
    local = next((e for e in chain if isinstance(e, OSError) and e.errno and e.filename), None)
    if local is not None:
        return Fault(
            UserError(
                f"cannot write {local.filename}",
                have=local.strerror or str(local),
                fix="let HF_HOME name a folder that you may write into",
            )
        )
    if _is_connection(chain):
        return Fault(
            UserError(
                f"no connection to the hub for {what}",
                have=f"{type(chain[-1]).__name__} from {_endpoint()}",
                fix=f"check the network, the proxy and HF_ENDPOINT, {own}",
            ),
            transient=_left_to_us(error),
        )
    raise error


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


def _left_to_us(error: Exception) -> bool:
    """Whether the hub's client raised at once, without waiting and trying again itself.

    Releases from 1.0 on retry everything but a server's error while a file is transferred.
    """
    import huggingface_hub

    if huggingface_hub.__version__.startswith("0."):
        return True
    return isinstance(error, huggingface_hub.errors.HfHubHTTPError) and (
        error.response is not None and error.response.status_code >= 500
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _response(chain: list[BaseException]) -> tuple[int | None, float | None]:
    """Status and Retry-After seconds of the response that an exception of the chain carries."""
    for error in chain:
        response = getattr(error, "response", None)
        if response is not None:
            wait = response.headers.get("Retry-After", "")
            return response.status_code, float(wait) if wait.isdecimal() else None
    return None, None


def _is_connection(chain: list[BaseException]) -> bool:
    """Whether a transport's exception is in the chain: of requests, httpx or the system."""
    return any(
        isinstance(e, (ConnectionError, TimeoutError))
        or type(e).__module__.split(".")[0]
        in ("requests", "urllib3", "httpx", "httpx2", "httpcore")
        for e in chain
    )


def _endpoint() -> str:
    from huggingface_hub import constants

    return str(constants.ENDPOINT)


def _offline() -> bool:
    from huggingface_hub import constants

    return bool(constants.HF_HUB_OFFLINE)
