"""Work done in a thread of its own, in order, while whoever hands it over goes on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")


class Background(Generic[T]):
    """Hands items to a function in another thread, one after the other, as they were given.

    What the function raises is raised again by the next `put`, or at the end of the block. After
    an exception in the block, items that wait are dropped.

    Args:
        work: called with each item.
        depth: items that may wait; then `put` waits too.
    """

    def __init__(self, work: Callable[[T], None], depth: int) -> None:
        self._work = work
        self._queue: queue.Queue[T | None] = queue.Queue(depth)
        self._error: BaseException | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def put(self, item: T) -> None:
        """Hand over an item."""
        self._raise()
        self._queue.put(item)

    def __enter__(self) -> Background[T]:
        """Start the thread."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait until all is done."""
        self._stopped = kind is not None
        self._queue.put(None)
        self._thread.join()
        if kind is None:
            self._raise()

    def _raise(self) -> None:
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            if self._error is None and not self._stopped:
                try:
                    self._work(item)
                except BaseException as error:  # it belongs to whoever waits for the work
                    self._error = error
