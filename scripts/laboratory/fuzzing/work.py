"""Smaller inputs that still make the same thing happen.

Delta debugging: leave out half, then quarters, and so on, whatever is not needed (Zeller and Hildebrandt,
Simplifying and Isolating Failure-Inducing Input, 2002).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from protocol.complaint import located
from scripts.laboratory.fuzzing.door import Door, SilenceError, StumbleError, case
from scripts.laboratory.fuzzing.doors import opened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scripts.laboratory.fuzzing.doors import Stretch


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


_WRONG = (StumbleError, IndexError, ValueError)
"""What a door raises: the last two where answers are not even of the form in which they are looked at."""
_VARIES = re.compile(r"[0-9]+|'[^']*'|/\S+")
_SAME = 60
"""Characters of a message without what varies by which a stumble is taken for the same as another."""


@dataclass(frozen=True, slots=True)
class Stumble:
    """What went wrong at the case of that number, and lines from the start that make it happen.

    `alone`: whether they do; otherwise it happens only after what the process was told before.
    """

    door: str
    number: int
    what: str
    lines: tuple[bytes, ...]
    alone: bool

    @property
    def kind(self) -> str:
        """The same for stumbles that are probably of one cause."""
        return _VARIES.sub("", self.what)[:_SAME]


@dataclass(slots=True)
class FuzzOutcome:
    """What came of some cases: `slowest` in seconds, at the case of that number; `peak` in bytes."""

    door: str
    cases: int = 0
    answers: int = 0
    slowest: float = 0.0
    slowest_case: int = 0
    peak: int = 0
    stumbles: list[Stumble] = field(default_factory=list)

    def add(self, other: FuzzOutcome) -> None:
        """Take in what came of others."""
        self.cases += other.cases
        self.answers += other.answers
        if other.slowest > self.slowest:
            self.slowest, self.slowest_case = other.slowest, other.slowest_case
        self.peak = max(self.peak, other.peak)
        self.stumbles += other.stumbles


class Fuzzer:
    """Does stretches; all cases are those of the seed. See scripts.laboratory.jobs.Worker."""

    def __init__(self, seed: int, command: Sequence[str]) -> None:
        """`command` starts the engine."""
        self._seed = seed
        self._command = command
        self._door: Door | None = None

    def work(self, stretch: Stretch) -> FuzzOutcome:
        """Do all cases, whatever becomes of them."""
        self._door = door = opened(stretch.door, self._command)
        done = FuzzOutcome(stretch.door)
        beyond = stretch.first + stretch.count
        for first in range(stretch.first, beyond, door.together):
            numbers = range(first, min(first + door.together, beyond))
            self._run(door, numbers, [case(door, self._seed, number) for number in numbers], done)
        try:
            door.close()
        except StumbleError as error:
            done.stumbles.append(Stumble(done.door, beyond - 1, str(error), (), alone=False))
        done.peak = max(done.peak, door.peak())
        self.close()
        return done

    def close(self) -> None:
        """End what is still open."""
        if self._door is not None:
            self._door.kill()
            self._door = None

    def _run(self, door: Door, numbers: range, cases: list[bytes], done: FuzzOutcome) -> None:
        """Cases that share a state."""
        count = 0
        try:
            for answer in door.run(cases):
                done.answers += answer.count
                if answer.seconds > done.slowest:
                    done.slowest, done.slowest_case = answer.seconds, numbers[count]
                count += 1
        except _WRONG as error:
            done.peak = max(done.peak, door.peak())
            door.recover()
            number = numbers[min(count, len(numbers) - 1)]
            found = Stumble(done.door, number, _told(error), tuple(cases[: count + 1]), alone=False)
            is_new = found.kind not in {each.kind for each in done.stumbles}
            done.stumbles.append(
                smaller(found, door) if is_new and not isinstance(error, SilenceError) else found
            )
        done.cases += len(cases)


def stumble_of(door: Door, lines: Sequence[bytes]) -> str:
    """What goes wrong with these lines; empty where nothing does."""
    try:
        for _ in door.run(lines):
            pass
    except _WRONG as error:
        door.recover()
        return _told(error)
    return ""


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, StumbleError) else located(error)


def smaller(stumble: Stumble, door: Door) -> Stumble:
    """The same stumble by fewer and shorter lines, where that is found soon."""

    def happens(lines: Sequence[bytes]) -> bool:
        return replace(stumble, what=stumble_of(door, lines)).kind == stumble.kind

    door.kill()
    if not happens(stumble.lines):
        return stumble
    return replace(stumble, lines=tuple(minimised(stumble.lines, happens, door.tries)), alone=True)
