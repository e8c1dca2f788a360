"""Signals that wait: when they are seen, when they are raised, and that they do what they did afterwards."""

import signal

import pytest

from eval.training.interruption import PostponedInterruption


def interrupt(times: int, seen: list[bool], error: Exception | None = None) -> None:
    """Send this process signals within an interruption; what `came` was after each."""
    with PostponedInterruption() as interruption:
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
            seen.append(interruption.came)
        if error is not None:
            raise error


def test_nothing_comes() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with PostponedInterruption() as interruption:
        assert signal.getsignal(signal.SIGTERM) is not before
    assert not interruption.came
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_first_one_waits_for_the_end() -> None:
    seen: list[bool] = []
    with pytest.raises(KeyboardInterrupt):
        interrupt(1, seen)
    assert seen == [True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_one_does_not_wait() -> None:
    seen: list[bool] = []
    with pytest.raises(KeyboardInterrupt):
        interrupt(2, seen)
    assert seen == [True]


def test_an_error_goes_before() -> None:
    with pytest.raises(ValueError, match="another"):
        interrupt(1, [], ValueError("another"))


def test_what_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        seen: list[bool] = []
        interrupt(1, seen)
        assert seen == [False]
    finally:
        signal.signal(signal.SIGINT, before)
