"""How the time of reading a text grows with its length, in processor time for long texts."""

import gc
import time
from collections.abc import Callable

Read = Callable[[str], object]
Make = Callable[[int], str]

_TIMES = 8
_MOST_TIME = 2.5 * _TIMES  # for _TIMES as much text: a quadratic reader takes 64 times as long
_LONG_ENOUGH = 0.04  # seconds, so that ticks and other programs do not matter
_LONG_TEXT = 1 << 18  # characters
_READINGS = 6


def assert_time_grows_linearly(read: Read, make: Make, size: int) -> None:
    """Fails where a text that is 8 times as long takes far more than 8 times the processor's time.

    Begins with the size and goes up until reading takes long enough to be measured or the text is long. Other
    programs share the processor's caches and can double a time, but none makes one shorter: of several
    readings of each text the fastest counts.
    """
    read(make(size))
    while (short := _seconds(read, make(size))) < _LONG_ENOUGH and len(make(size)) < _LONG_TEXT:
        size *= 2
    brief, lengthy = make(size), make(_TIMES * size)
    long = _seconds(read, lengthy)
    for _ in range(_READINGS - 1):
        if long <= _MOST_TIME * max(short, _LONG_ENOUGH):
            return
        short, long = min(short, _seconds(read, brief)), min(long, _seconds(read, lengthy))
    assert long <= _MOST_TIME * max(short, _LONG_ENOUGH), f"{long / short:.0f} times as long, size {size}"


def _seconds(read: Read, text: str) -> float:
    """The processor's time of one reading, without that of the garbage collector."""
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        read(text)
        return time.process_time() - began
    finally:
        gc.enable()
