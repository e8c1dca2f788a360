"""The doors of what is read in one go: files and texts.

Each is a module with `make(rng)`, which gives a case, and `check(data)`, which gives the number of answers or
raises StumbleError. They are called in a process of their own, so that whoever waits for the answer hears of
a hang and of the end of that process, too.
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
from protocol.complaint import located
from scripts.laboratory.fuzzing.door import CaseResult, Process, ProcessDoor, StumbleError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from scripts.laboratory.fuzzing.door import Door


_ROOT = Path(__file__).parents[3]
_ADDRESSES = 2 << 30
"""Bytes: what asks for more has a MemoryError, and not the machine's last memory."""
_CHECKED_EVERY = 50  # cases: memory and stderr are looked at


class Parser(Protocol):
    """A module of one format."""

    def make(self, rng: Random) -> bytes:
        """A case."""

    def check(self, data: bytes) -> int:
        """The number of answers. Raises StumbleError, and whatever the parser raises and should not."""


def parser(name: str) -> Parser:
    """The module of that door."""
    return cast("Parser", import_module(f"scripts.laboratory.fuzzing.formats.{name}"))


class ParserDoor(ProcessDoor):
    """A parser in its own process."""

    def __init__(self, name: str) -> None:
        super().__init__(Process([sys.executable, "-c", _SERVE, str(_ROOT), name]))
        self._parser = parser(name)
        self._cases = 0

    def make(self, rng: Random) -> bytes:
        """See Door."""
        return self._parser.make(rng)

    def run(self, cases: Sequence[bytes]) -> Iterator[CaseResult]:
        """See Door."""
        for data in cases:
            began = time.monotonic()
            answer = self._told(data)
            if isinstance(answer, str):
                raise StumbleError(answer)
            yield CaseResult(answer, time.monotonic() - began)

    def _told(self, data: bytes) -> int | str:
        """What the process has to say of a case; one that says nothing, or too much, is ended."""
        try:
            self._process.send(b64encode(data))
            answer: int | str = json.loads(self._process.receive())
            self._cases += 1
            if self._cases % _CHECKED_EVERY == 0:
                self._process.check()
        except (StumbleError, ValueError) as error:
            self._process.kill()
            raise error if isinstance(error, StumbleError) else StumbleError(str(error)) from None
        return answer

    def recover(self) -> None:
        """See Door: a process that is still there is as good as before."""


_SERVE = """
import sys
sys.path[0] = sys.argv[1]
from scripts.laboratory.fuzzing.doors import serve
serve(sys.argv[2])
"""


def serve(name: str) -> None:
    """Check the cases that come on stdin, a line of base64 each, until `quit`.

    The answer is a line of JSON: how many answers there were, or as a text what went wrong.
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
    except StumbleError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - whatever it is, the parser should not have raised it
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
    "weights": 4,
    "book": 1,
    "tables": 1,
    "journal": 1,
}
"""How many of a hundred cases over all doors are for each: more where a case is quick."""
_DIALOGUES = {
    "uci": "uci:uci",
    "uci-searching": "uci:uci_searching",
    "options": "uci:options",
    "gtp": "gtp:gtp",
}
"""The doors of the engine itself, and what makes one; the others are parsers, modules of the same name."""
NAMES = tuple(_SHARES)
_LONGEST = 1000
"""Cases that are done in one go, by a process that is started for them."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """`count` cases of a door, from number `first` on."""

    door: str
    first: int
    count: int


def opened(name: str, command: Sequence[str]) -> Door:
    """The door of that name; `command` starts the engine."""
    if name not in _DIALOGUES:
        return ParserDoor(name)
    module, _, function = _DIALOGUES[name].partition(":")
    door: Door = getattr(import_module(f"{__package__}.{module}"), function)(command)
    return door


def shared_out(names: Sequence[str], count: int) -> dict[str, int]:
    """How many cases each of these doors gets; of many about `count`, of few at least one each."""
    whole = sum(_SHARES[name] for name in names)
    return {name: math.ceil(count * _SHARES[name] / whole) for name in names}


def stretches(counts: dict[str, int], first: int) -> list[Stretch]:
    """Pieces of work for processes beside each other; the doors by turns, so that none is left to the end."""
    begins = range(0, max(counts.values(), default=0), _LONGEST)
    return [
        Stretch(name, first + begin, min(_LONGEST, count - begin))
        for begin in begins
        for name, count in counts.items()
        if begin < count
    ]
