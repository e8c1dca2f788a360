"""The work of a fuzzing process: stretches of cases, and smaller cases that still fail.

Cases are minimised by delta debugging, which leaves out halves, then quarters and so on (Zeller and
Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from protocol.text import located
from scripts.laboratory.fuzzing.target import CaseError, FuzzTarget, SilenceError, case
from scripts.laboratory.fuzzing.targets import opened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scripts.laboratory.fuzzing.targets import Stretch


Items = TypeVar("Items", "list[bytes]", bytes)


def needed(items: Items, happens: Callable[[Items], bool], tries: int) -> Items:
    """Items with which it still happens, after at most `tries` attempts to leave some out."""
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
    """The lines without those, and then without the characters, that are not needed for it to happen."""
    left = needed(list(lines), happens, tries // 2)
    tries //= 2 * max(1, len(left))
    for number in range(len(left)):

        def happens_with(line: bytes, number: int = number) -> bool:
            return happens([*left[:number], line, *left[number + 1 :]])

        left[number] = needed(left[number], happens_with, tries)
    return left


_WRONG = (CaseError, IndexError, ValueError)
"""The exceptions of a target; the last two if an answer is malformed."""
_VARIES = re.compile(r"[0-9]+|'[^']*'|/\S+")
_SAME = 60
"""Failures are of one kind if their messages, without numbers and names, agree in this many characters."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong at case `number`, and lines that reproduce it in a new process.

    `alone`: whether they do; otherwise the failure depends on earlier input.
    """

    target: str
    number: int
    what: str
    lines: tuple[bytes, ...]
    alone: bool

    @property
    def kind(self) -> str:
        """Equal for failures that probably have the same cause."""
        return _VARIES.sub("", self.what)[:_SAME]


@dataclass(slots=True)
class FuzzOutcome:
    """The results of cases: `slowest` in seconds, at case `slowest_case`; `peak` in bytes."""

    target: str
    cases: int = 0
    answers: int = 0
    slowest: float = 0.0
    slowest_case: int = 0
    peak: int = 0
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: FuzzOutcome) -> None:
        """Add the results of other cases."""
        self.cases += other.cases
        self.answers += other.answers
        if other.slowest > self.slowest:
            self.slowest, self.slowest_case = other.slowest, other.slowest_case
        self.peak = max(self.peak, other.peak)
        self.failures += other.failures


class Fuzzer:
    """Runs stretches of the cases of a seed. See scripts.laboratory.jobs.JobWorker."""

    def __init__(self, seed: int, command: Sequence[str]) -> None:
        """`command` starts the engine."""
        self._seed = seed
        self._command = command
        self._target: FuzzTarget | None = None

    def work(self, stretch: Stretch) -> FuzzOutcome:
        """Run all cases, whether they fail or not."""
        self._target = target = opened(stretch.target, self._command)
        done = FuzzOutcome(stretch.target)
        beyond = stretch.first + stretch.count
        for first in range(stretch.first, beyond, target.together):
            numbers = range(first, min(first + target.together, beyond))
            self._run(target, numbers, [case(target, self._seed, number) for number in numbers], done)
        try:
            target.close()
        except CaseError as error:
            done.failures.append(Failure(done.target, beyond - 1, str(error), (), alone=False))
        done.peak = max(done.peak, target.peak())
        self.close()
        return done

    def close(self) -> None:
        """Kill the target."""
        if self._target is not None:
            self._target.kill()
            self._target = None

    def _run(self, target: FuzzTarget, numbers: range, cases: list[bytes], done: FuzzOutcome) -> None:
        """Run cases that share a state."""
        count = 0
        try:
            for answer in target.run(cases):
                done.answers += answer.count
                if answer.seconds > done.slowest:
                    done.slowest, done.slowest_case = answer.seconds, numbers[count]
                count += 1
        except _WRONG as error:
            done.peak = max(done.peak, target.peak())
            target.recover()
            number = numbers[min(count, len(numbers) - 1)]
            found = Failure(done.target, number, _message(error), tuple(cases[: count + 1]), alone=False)
            is_new = found.kind not in {each.kind for each in done.failures}
            done.failures.append(
                smaller(found, target) if is_new and not isinstance(error, SilenceError) else found
            )
        done.cases += len(cases)


def failure_of(target: FuzzTarget, lines: Sequence[bytes]) -> str:
    """How these lines fail; empty if they do not."""
    try:
        for _ in target.run(lines):
            pass
    except _WRONG as error:
        target.recover()
        return _message(error)
    return ""


def _message(error: Exception) -> str:
    return str(error) if isinstance(error, CaseError) else located(error)


def smaller(failure: Failure, target: FuzzTarget) -> Failure:
    """The same failure with fewer and shorter lines, if they are found quickly."""

    def happens(lines: Sequence[bytes]) -> bool:
        return replace(failure, what=failure_of(target, lines)).kind == failure.kind

    target.kill()
    if not happens(failure.lines):
        return failure
    return replace(failure, lines=tuple(minimised(failure.lines, happens, target.tries)), alone=True)
