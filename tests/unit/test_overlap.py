from __future__ import annotations

import threading

import pytest

from madm2.overlap import Background


def test_items_are_worked_on_in_order_by_another_thread() -> None:
    seen: list[tuple[int, bool]] = []
    here = threading.current_thread()
    with Background[int](lambda i: seen.append((i, threading.current_thread() is here)), 2) as work:
        for i in range(50):
            work.put(i)
    assert seen == [(i, False) for i in range(50)]


def test_what_the_work_raises_is_raised_to_the_caller() -> None:
    def fail(item: int) -> None:
        raise ValueError(f"no {item}")

    with pytest.raises(ValueError, match="no 0"):
        with Background(fail, 1) as work:
            for i in range(1000):
                work.put(i)
    with pytest.raises(ValueError, match="no 7"):
        with Background(fail, 1) as work:
            work.put(7)


def test_after_an_exception_what_waits_is_dropped() -> None:
    started, go_on = threading.Event(), threading.Event()
    seen: list[int] = []

    def slow(item: int) -> None:
        started.set()
        go_on.wait(10)
        seen.append(item)

    def interrupted() -> None:
        with Background(slow, 5) as work:
            work.put(1)
            started.wait(10)
            work.put(2)
            threading.Timer(0.2, go_on.set).start()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert seen == [1]
