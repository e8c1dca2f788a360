"""The door of GTP: every line is answered once, in order; what fails changes nothing."""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING
from zlib import crc32

from engine.games.players.catalogue import GAMES
from protocol.gtp.lines import Request, parse

from .door import CaseResult, Door, require
from .gtp_lines import LEGAL_MOVE, LIMITS, make_line
from .process import Process, ProcessDoor
from .uci_files import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CHANGING = {
    *("boardsize", "clear_board", "komi", "play", "genmove", "undo", "gg-undo", "loadsgf", "set_game"),
    *("fixed_handicap", "place_free_handicap", "set_free_handicap"),
}
"""The commands that may change what `showboard` shows."""
_SEARCHED = ("othello", "go", "connectfour", "virus", "focus", "chinesecheckers")
_MORE_OFTEN = ("go",) * 4
"""It has commands that no other game has."""
_LONG = "search-limits seconds=20 depth=60 nodes=2000000000 playouts=2000000000"
_IN_PEACE = 0.8
"""The part of the groups of lines in which each line waits for the answer to the one before it."""


@dataclass(frozen=True, slots=True)
class Said:
    """One answer."""

    good: bool
    id: str
    lines: tuple[str, ...]


class GtpDoor(ProcessDoor):
    """Each line comes when the one before it is answered, or all come during a search that is interrupted."""

    together = 40
    tries = 40

    def __init__(self, command: Sequence[str]) -> None:
        limits = [f"--{name}" if i % 2 == 0 else name for i, name in enumerate(_WORDS_OF_LIMITS)]
        super().__init__(Process([*command, "gtp", "--seed", "1", *limits], prepare))

    def make(self, rng: Random) -> bytes:
        """See Door."""
        return make_line(rng)

    def run(self, cases: Sequence[bytes]) -> Iterator[CaseResult]:
        """See Door."""
        chance = Random(crc32(cases[0]))  # so that the lines up to one that stumbles are of the same game
        self._get(f"set_game {chance.choice((*GAMES, *_MORE_OFTEN))}")
        self._get("time_settings 0 1 0")
        self._get(f"search-limits {LIMITS}")
        if chance.random() < _IN_PEACE:
            self._before = self._get("showboard")
            for line in cases:
                began = time.monotonic()
                count = self._take(line)
                yield CaseResult(count, time.monotonic() - began)
        else:
            yield from self._take_during_search(cases, chance.choice(_SEARCHED))
        self._process.check()

    def _take(self, line: bytes) -> int:
        """Send a line and judge its answer; how many answers came."""
        if line == LEGAL_MOVE.encode():
            line = self._legal_move()
        request = parse(line.decode("utf-8", "replace").rstrip("\r\n"))
        self._process.send(line)
        said = self._answer_to(request) if request is not None else None
        after = self._get("showboard")
        if request is None or said is None:
            require(after == self._before, f"a comment changed the board: {line[:200]!r}")
            return 0
        if not said.good or request.name not in CHANGING:
            require(after == self._before, f"the board is another after {line[:200]!r}: {said.lines}")
        elif request.name == "play":
            self._get("undo")
            require(self._get("showboard") == self._before, f"undo does not take back {line[:200]!r}")
            self._process.send(line)
            require(self._answer_to(request).good, f"illegal after undo: {line[:200]!r}")
            require(self._get("showboard") == after, f"another board after undo and {line[:200]!r}")
        self._before = after
        return 1

    def _legal_move(self) -> bytes:
        """A legal move of whoever is to move; of nobody where the game is over."""
        mover, _, rest = self._before[-1].partition(" ")
        if rest != "to move":
            return b"play b pass"
        (move,) = self._get(f"reg_genmove {mover}")
        return f"play {mover} {move.strip()}".encode()

    def _take_during_search(self, cases: Sequence[bytes], game: str) -> Iterator[CaseResult]:
        began = time.monotonic()
        requests = [parse(line.decode("utf-8", "replace").rstrip("\r\n")) for line in cases]
        for command in (f"set_game {game}", "search-algorithm uct", _LONG):
            self._get(command)
        self._process.send(b"\n".join([b"77 genmove b", *cases, b"# interrupt"]))
        require(self._answer_to(Request("77", "genmove")).good, "no move from a search that is interrupted")
        for request in requests:
            if request is not None:
                self._answer_to(request)
            yield CaseResult(int(request is not None), time.monotonic() - began)
            began = time.monotonic()

    def _get(self, line: str) -> tuple[str, ...]:
        """What is said to a line that has to succeed."""
        self._process.send(line.encode())
        said = self._answer_to(Request("", line))
        require(said.good, f"{line}: {said.lines}")
        return said.lines

    def _answer_to(self, request: Request) -> Said:
        first, *rest = self._process.until("")
        sign, told = first[:1], first[1:]
        require(sign in ("=", "?") and sign, f"not an answer: {first!r}")
        require(told.startswith(request.id), f"the answer to another id: {first!r}, not {request.id!r}")
        text = told.removeprefix(request.id)
        require(text[:1] in ("", " "), f"the answer to another id: {first!r}, not {request.id!r}")
        require(sign == "=" or text.strip(), "a failure without a reason")
        return Said(sign == "=", request.id, (text, *rest))


_WORDS_OF_LIMITS = [word for pair in LIMITS.replace("seconds", "time").split() for word in pair.split("=")]


def gtp(command: Sequence[str]) -> Door:
    """Lines of all kinds, in all games."""
    return GtpDoor(command)
