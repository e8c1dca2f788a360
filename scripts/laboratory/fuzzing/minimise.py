"""Smaller inputs that still make the same thing happen.

Delta debugging: leave out half, then quarters, and so on, whatever is not needed (Zeller and Hildebrandt,
Simplifying and Isolating Failure-Inducing Input, 2002).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Items = TypeVar("Items", "list[bytes]", bytes)


def needed(items: Items, happens: Callable[[Items], bool], tries: int) -> Items:
    """The items without most of those that are not needed for it to happen; at most so many are tried."""
    size = len(items) // 2
    while size and tries > 0:
        begin, smaller = 0, False
        while begin < len(items) and tries > 0:
            fewer = items[:begin] + items[begin + size :]
            tries -= 1
            if happens(fewer):
                items, smaller = fewer, True
            else:
                begin += size
        if not smaller or size > len(items):
            size //= 2
    return items


def minimised(lines: Sequence[bytes], happens: Callable[[Sequence[bytes]], bool], tries: int) -> list[bytes]:
    """First without the lines, then in each line without the characters that are not needed."""
    left = needed(list(lines), happens, tries // 2)
    tries //= 2 * max(1, len(left))
    for number in range(len(left)):

        def happens_with(line: bytes, number: int = number) -> bool:
            return happens([*left[:number], line, *left[number + 1 :]])

        left[number] = needed(left[number], happens_with, tries)
    return left
