"""All fuzz targets by name: the engine's dialogues, and the parsers of files and texts.

A parser's target is a module of `formats` with `make(rng)`, which makes a case, and `check(data)`, which
returns the number of answers or raises CaseError. `check` is called in a separate process, so that a hang or
a crash is seen.
"""

from __future__ import annotations

import faulthandler
import json
import math
import sys
import time
from base64 import b64decode, b64encode
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from engine import system
from protocol.text import located
from scripts.laboratory.fuzzing.target import CaseError, CaseResult, Process, ProcessTarget

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from scripts.laboratory.fuzzing.target import FuzzTarget


_ROOT = Path(__file__).parents[3]
_ADDRESSES = 2 << 30
"""Limit of a parser's address space in bytes, beyond which it gets a MemoryError."""
_CHECKED_EVERY = 50  # cases between checks of memory and stderr


class Parser(Protocol):
    """The interface of the modules in `formats`."""

    def make(self, rng: Random) -> bytes:
        """Make a case."""

    def check(self, data: bytes) -> int:
        """Check a case. The number of answers. Raises CaseError, or whatever the parser should not raise."""


def parser(name: str) -> Parser:
    """The module of target `name`."""
    return cast("Parser", import_module(f"scripts.laboratory.fuzzing.formats.{name}"))


class ParserTarget(ProcessTarget):
    """A parser in a separate process."""

    def __init__(self, name: str) -> None:
        super().__init__(Process([sys.executable, "-c", _SERVE, str(_ROOT), name]))
        self._parser = parser(name)
        self._cases = 0

    def make(self, rng: Random) -> bytes:
        """See FuzzTarget."""
        return self._parser.make(rng)

    def run(self, cases: Sequence[bytes]) -> Iterator[CaseResult]:
        """See FuzzTarget."""
        for data in cases:
            began = time.monotonic()
            answer = self._answer(data)
            if isinstance(answer, str):
                raise CaseError(answer)
            yield CaseResult(answer, time.monotonic() - began)

    def _answer(self, data: bytes) -> int | str:
        """The process's answer to a case. A process that does not answer properly is killed."""
        try:
            self._process.send(b64encode(data))
            answer: int | str = json.loads(self._process.receive())
            self._cases += 1
            if self._cases % _CHECKED_EVERY == 0:
                self._process.check()
        except (CaseError, ValueError) as error:
            self._process.kill()
            raise error if isinstance(error, CaseError) else CaseError(str(error)) from None
        return answer

    def recover(self) -> None:
        """See FuzzTarget. A process that still runs can go on."""


_SERVE = """
import sys
sys.path[0] = sys.argv[1]
from scripts.laboratory.fuzzing.targets import serve
serve(sys.argv[2])
"""


def serve(name: str) -> None:
    """Check the cases on stdin, one line of base64 each, until `quit`.

    The answer is a line of JSON: the number of answers, or a string that says what went wrong.
    """
    faulthandler.enable()
    system.set_limit("RLIMIT_AS", _ADDRESSES)
    checking = parser(name)
    for line in sys.stdin.buffer:
        if line == b"quit\n":
            break
        print(json.dumps(_checked(checking, b64decode(line))), flush=True)


def _checked(checking: Parser, data: bytes) -> int | str:
    try:
        return checking.check(data)
    except CaseError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - the parser should not have raised it, whatever it is
        return located(error)


_SHARES = {
    "uci": 20,
    "uci-searching": 10,
    "options": 4,
    "gtp": 10,
    "fen": 26,
    "epd": 7,
    "text": 8,
    "pgn": 4,
    "sgf": 4,
    "weights": 2,
    "network": 2,
    "book": 1,
    "tables": 1,
    "journal": 1,
}
"""The share of each target in 100 cases; larger for targets with quick cases."""
_DIALOGUES = {
    "uci": "uci_target:uci",
    "uci-searching": "uci_target:uci_searching",
    "options": "uci_target:options",
    "gtp": "gtp_target:gtp",
}
"""The engine's dialogues as `module:function`. All other targets are modules in `formats`."""
NAMES = tuple(_SHARES)
_LONGEST = 1000
"""The number of cases in a stretch, which gets a process of its own."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """`count` cases of a target, starting with number `first`."""

    target: str
    first: int
    count: int


def opened(name: str, command: Sequence[str]) -> FuzzTarget:
    """Target `name`; `command` starts the engine."""
    if name not in _DIALOGUES:
        return ParserTarget(name)
    module, _, function = _DIALOGUES[name].partition(":")
    target: FuzzTarget = getattr(import_module(f"{__package__}.{module}"), function)(command)
    return target


def shared_out(names: Sequence[str], count: int) -> dict[str, int]:
    """The number of cases of each target: at least one each, and in all about `count`."""
    whole = sum(_SHARES[name] for name in names)
    return {name: math.ceil(count * _SHARES[name] / whole) for name in names}


def stretches(counts: dict[str, int], first: int) -> list[Stretch]:
    """Stretches for parallel processes, with the targets by turns."""
    begins = range(0, max(counts.values(), default=0), _LONGEST)
    return [
        Stretch(name, first + begin, min(_LONGEST, count - begin))
        for begin in begins
        for name, count in counts.items()
        if begin < count
    ]
