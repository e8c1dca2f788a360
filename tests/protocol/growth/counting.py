"""How the work of reading a text grows with its length: operations are counted, the clock is not looked at.

An operation is a line of Python that runs, python-chess's and sgfmill's included, or a character that a
method of a text takes, such as `replace`. What C does beyond that is not seen: regular expressions, which
test_patterns.py looks at one by one, operators between texts or lists, and compiled modules, which count
where the tests run plain. So there is a second measure, the processor's time, for texts a thousand times
as long.
"""

import gc
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

Read = Callable[[str], object]
Make = Callable[[int], str]

MOST_PER_DOUBLING = 2.3
_TIMES = 8
_MOST_TIME = 2.5 * _TIMES  # for _TIMES as much text: a quadratic reader takes 64 times as long
_LONG_ENOUGH = 0.04  # seconds, so that ticks and other programs do not matter
_LONG_TEXT = 1 << 18  # characters
_READINGS = 6
_TEXT_METHODS = (str, bytes, bytearray)
_POSITIONED = frozenset(("find", "rfind", "index", "rindex", "startswith", "endswith", "join"))
# They need not look at all of the text, or it is not the text that they look at.


def operations(call: Callable[[], object]) -> int:
    """How many operations a call takes. The first time something is called it may take more."""
    count = 0

    def trace(_frame: FrameType, event: str, _arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    def profile(_frame: FrameType, event: str, function: Any) -> None:
        nonlocal count
        if event == "c_call":
            text = getattr(function, "__self__", None)
            count += 1
            if isinstance(text, _TEXT_METHODS) and function.__name__ not in _POSITIONED:
                count += len(text)

    before = sys.gettrace(), sys.getprofile()
    sys.settrace(trace)
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])
    return count


def growth(read: Read, make: Make, size: int) -> list[float]:
    """By what the operations are multiplied as the size is doubled, and doubled again."""
    read(make(size))
    texts = [make(size * times) for times in (1, 2, 4)]
    first, second, third = (operations(lambda text=text: read(text)) for text in texts)  # type: ignore[misc]
    return [second / first, third / second]


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
