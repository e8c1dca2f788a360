"""Dialogues over GTP, in all games: each line is answered once and in order; a failure changes nothing.

No line ends the process, takes much memory or time, or touches a file outside its working directory: see
`harmless`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING
from zlib import crc32

from engine.games.catalogue import GAMES
from engine.games.rules.tree import TREES
from engine.games.searchers import SEARCHERS, Option
from protocol.gtp.commands import COMMANDS
from protocol.gtp.parser import Request, parse
from scripts.laboratory.fuzzing.dialogue import (
    FILES,
    HOSTILE,
    Dialogue,
    as_bytes,
    damaged,
    random_bytes,
    require,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


LIMITS = "seconds=0.05 depth=1 nodes=200 playouts=20"
"""The limits of each search, set again after `search-algorithm`, whose options may take their place."""

_GENERATING = ("lz-genmove_analyze", "kata-genmove_analyze")
LEGAL_MOVE = "play @ @"
"""Stands for a legal move of the side to move, which only the process knows: see Gtp."""

_WORDS = (
    *("b", "w", "B", "White", "p1", "p3", "p9", "dice", "A1", "b2", "C3", "D4", "E5", "pass", "resign", "31"),
    *("0", "1", "2", "3", "7", "9", "19", "-1", "1e9", "nan", "true", "none", "alive", "dead", "7-3", "#"),
    *("\t", "((1,2),(3", "depth=2", "depth=x", "=", "players=4", "komi=5.5", "8/5,6/5", "..X/.O./X.O"),
    *("size=9", *GAMES, *SEARCHERS, *FILES),
)
_OPTIONS = (
    *("komi=0.5", "komi=nan", "komi=1e999", "players=2", "players=3", "players=6", "players=99", "board=hex"),
    *("superko=true", "piles=7,5,3", "piles=50", "rules=x", "tree=lecture", "=", "a=b=c", "rows=6"),
)
_COLOURS = ("b", "w", "b", "w", "p1", "p2", "p3", "dice")
_MOVES = (
    *("A1", "b2", "C3", "D4", "E5", "pass", "H8", "J9", "0", "1", "3", "7-3", "5-2", "31", "66", "8/5,6/5"),
    *("24/23", "bar/22", "A1-B2", "c3-c5", "D4:2", "A1B2", "c3c4"),
    *("11-15", "22x15x8", "22x8", "e2e4", "e7e5", "Nf3", "O-O", "exd5", "a7a8q", "b8=N+", "0000"),
)
_GAMES = [name for name in FILES if name.endswith(".sgf")]
_TEXTS = {
    "tree": ("", *TREES, *TREES.values(), "((1,2),(3,4))", "p3(7/1/4,1/2/3)", "((1,2),(3"),
    "nim": ("", "7,5,3", "50,50,50", "51", "3+4"),
    "checkers": ("", "W:W22,32:B18,11,7", "B:W6,7,14,15:BK2", "W:W1", "W:W5:B29", "W:W40:B1"),
    "chess": ("", "8/P7/4k3/8/8/3K4/6p1/8 w - - 0 80", "7k/5Q2/8/8/8/8/8/K7 w - - 99 9", "8/8/8/8 w", "x"),
}
"""The texts that games take."""
_LARGEST_TABLE = 16  # megabytes
_SNIPPETS = as_bytes((*" abw19C-()#=", *_WORDS, *HOSTILE))
_COMMENT = b"# left out"


def make_line(rng: Random) -> bytes:
    """Make a line of any kind."""
    kind = rng.random()
    if kind < 0.55:
        line = _sensible(rng)
    elif kind < 0.75:
        line = " ".join([rng.choice(list(COMMANDS)), *rng.choices(_WORDS, k=rng.randrange(4))])
    elif kind < 0.8:
        return harmless(random_bytes(rng, 60))
    else:
        return harmless(damaged(_sensible(rng).encode(), rng, rng.randrange(1, 4), _SNIPPETS))
    identity = rng.choice(("", "", f"{rng.randrange(100)} ", "0" * rng.randrange(300) + "1 "))
    return harmless((identity + line).encode())


def harmless(line: bytes) -> bytes:
    """The line without line breaks, or a comment in its place if it could do harm."""
    line = line.replace(b"\n", b"\r")
    request = parse(line.decode("utf-8", "replace"))
    if request is None:
        return line if b"interrupt" not in line else _COMMENT
    if request.name in ("quit", "search-limits"):
        return _COMMENT
    if request.name == "loadsgf" and not _is_here(" ".join(request.arguments)):
        return _COMMENT
    if any(_is_large(word) for word in request.arguments):
        return _COMMENT
    return line


def _is_here(path: str) -> bool:
    named, _, _ = path.partition(" ")
    return named in FILES or not any(sign in path for sign in ("/", "\\", "~"))


def _is_large(word: str) -> bool:
    """Whether the word asks for a large table."""
    name, _, value = word.partition("=")
    try:
        return name.lower() == "megabytes" and int(value) > _LARGEST_TABLE
    except ValueError:
        return False


def _sensible(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.3:
        return rng.choice((LEGAL_MOVE, LEGAL_MOVE, f"play {rng.choice(_COLOURS)} {rng.choice(_MOVES)}"))
    if kind < 0.55:
        return f"{rng.choice(_SEARCHING)} {rng.choice(_COLOURS)}"
    if kind < 0.65:
        return rng.choice(
            ("undo", "clear_board", "final_score", "showboard", "search-stats", "search-visits")
        )
    if kind < 0.75:
        return _searcher(rng)
    if kind < 0.85:
        return _game(rng)
    return rng.choice(
        (
            f"boardsize {rng.choice((2, 3, 5, 8, 9, 13, 19, 25, 0))}",
            f"komi {rng.choice(('6.5', '0', '-3', '1e5', 'nan'))}",
            f"time_settings {rng.randrange(60)} {rng.randrange(10)} {rng.randrange(5)}",
            f"time_left {rng.choice(_COLOURS)} {rng.choice(('10', '0', '-1', '0.5', '1e300'))} 1",
            f"fixed_handicap {rng.randrange(11)}",
            f"place_free_handicap {rng.randrange(11)}",
            f"set_free_handicap {' '.join(rng.choices(_MOVES[:8], k=3))}",
            f"final_status_list {rng.choice(('dead', 'alive', 'seki'))}",
            f"loadsgf {_file(rng)}{rng.choice(('', ' 3', ' 0'))}",
            f"search-level {rng.randrange(8)}",
        )
    )


def _file(rng: Random) -> str:
    return rng.choice(("good.sgf", rng.choice(_GAMES), rng.choice(FILES)))


def _searcher(rng: Random) -> str:
    searcher = SEARCHERS[rng.choice(list(SEARCHERS))]
    options = rng.sample(searcher.options, min(len(searcher.options), rng.randrange(3)))
    return " ".join(
        ["search-algorithm", searcher.name, *(f"{each.name}={_value(each, rng)}" for each in options)]
    )


def _value(option: Option, rng: Random) -> object:
    if rng.random() < 0.2:
        return rng.choice(("", "x", "-1", "nan", "1e999", "true", "0"))
    return rng.choice((option.least, option.most, option.default, *option.choices, 1, 5, "on", "off", 0.5))


def _game(rng: Random) -> str:
    name = rng.choice(list(GAMES))
    text = ""
    if name in _TEXTS or rng.random() < 0.1:
        text = rng.choice(_TEXTS.get(name, ("x", "7,5,3")))
    options = rng.sample(_OPTIONS, rng.choice((0, 0, 0, 0, 1, 2)))
    return " ".join(["set_game", name, *options, text])


_SEARCHING = ("genmove", "genmove", "genmove", "reg_genmove", "reg_genmove", *_GENERATING)
CHANGING = {
    *("boardsize", "clear_board", "komi", "play", "genmove", "undo", "gg-undo", "loadsgf", "set_game"),
    *("fixed_handicap", "place_free_handicap", "set_free_handicap", *_GENERATING),
}
"""The commands that may change the answer to `showboard`."""
_SEARCHED = ("othello", "go", "connectfour", "virus", "focus", "chinesecheckers")
_MORE_OFTEN = ("go",) * 4
"""Go has commands that no other game has."""
_LONG = "search-limits seconds=20 depth=60 nodes=2000000000 playouts=2000000000"
_LIMITED = f"search-limits {LIMITS}"
_IN_PEACE = 0.8
"""The share of the groups in which each line waits for the answer to the one before it."""


@dataclass(frozen=True, slots=True)
class GtpAnswer:
    """An answer."""

    good: bool
    id: str
    lines: tuple[str, ...]


def _chooses_searcher(request: Request | None) -> bool:
    return request is not None and request.name == "search-algorithm"


class Gtp(Dialogue):
    """Sends each line after the answer to the one before it, or all lines during an interrupted search."""

    def __init__(self, command: Sequence[str]) -> None:
        limits = [f"--{name}" if i % 2 == 0 else name for i, name in enumerate(_WORDS_OF_LIMITS)]
        super().__init__([*command, "gtp", "--seed", "1", *limits])

    def make(self, rng: Random) -> bytes:
        """See Dialogue."""
        return make_line(rng)

    def run(self, lines: Sequence[bytes]) -> Iterator[tuple[int, float]]:
        """See Dialogue."""
        chance = Random(crc32(lines[0]))  # the lines up to a failure are for the same game
        self._get(f"set_game {chance.choice((*GAMES, *_MORE_OFTEN))}")
        self._get("time_settings 0 1 0")
        self._get(_LIMITED)
        if chance.random() < _IN_PEACE:
            self._before = self._get("showboard")
            for line in lines:
                began = time.monotonic()
                count = self._take(line)
                yield count, time.monotonic() - began
        else:
            yield from self._take_during_search(lines, chance.choice(_SEARCHED))
        self.process.check()

    def _take(self, line: bytes) -> int:
        """Send a line and check its answer. The number of answers."""
        if line == LEGAL_MOVE.encode():
            line = self._legal_move()
        request = parse(line.decode("utf-8", "replace").rstrip("\r\n"))
        self.process.send(line)
        if request is not None and COMMANDS.get(request.name, COMMANDS["name"]).endless:
            self.process.send(b"")  # it goes on until the next line
        said = self._answer_to(request) if request is not None else None
        if _chooses_searcher(request):
            self._get(_LIMITED)
        after = self._get("showboard")
        if request is None or said is None:
            require(after == self._before, f"a comment changed the board: {line[:200]!r}")
            return 0
        if not said.good or request.name not in CHANGING:
            require(after == self._before, f"the board is another after {line[:200]!r}: {said.lines}")
        elif request.name == "play":
            self._get("undo")
            require(self._get("showboard") == self._before, f"undo does not take back {line[:200]!r}")
            self.process.send(line)
            require(self._answer_to(request).good, f"illegal after undo: {line[:200]!r}")
            require(self._get("showboard") == after, f"another board after undo and {line[:200]!r}")
        self._before = after
        return 1

    def _legal_move(self) -> bytes:
        """A `play` command with a legal move, or with any move if the game is over."""
        mover, _, rest = self._before[-1].partition(" ")
        if rest != "to move":
            return b"play b pass"
        (move,) = self._get(f"reg_genmove {mover}")
        return f"play {mover} {move.strip()}".encode()

    def _take_during_search(self, cases: Sequence[bytes], game: str) -> Iterator[tuple[int, float]]:
        began = time.monotonic()
        requests = [parse(line.decode("utf-8", "replace").rstrip("\r\n")) for line in cases]
        for command in (f"set_game {game}", "search-algorithm uct", _LONG):
            self._get(command)
        lines = [b"77 genmove b"]
        for line, request in zip(cases, requests, strict=True):
            lines += [line, _LIMITED.encode()] if _chooses_searcher(request) else [line]
        self.process.send(b"\n".join([*lines, b"# interrupt"]))
        require(self._answer_to(Request("77", "genmove")).good, "no move from a search that is interrupted")
        for request in requests:
            if request is not None:
                self._answer_to(request)
            if _chooses_searcher(request):
                self._answer_to(Request("", _LIMITED))
            yield int(request is not None), time.monotonic() - began
            began = time.monotonic()

    def _get(self, line: str) -> tuple[str, ...]:
        """Send a line that must succeed. Its answer."""
        self.process.send(line.encode())
        said = self._answer_to(Request("", line))
        require(said.good, f"{line}: {said.lines}")
        return said.lines

    def _answer_to(self, request: Request) -> GtpAnswer:
        first, *rest = self.process.until("")
        sign, told = first[:1], first[1:]
        require(sign in ("=", "?") and sign, f"not an answer: {first!r}")
        require(told.startswith(request.id), f"the answer to another id: {first!r}, not {request.id!r}")
        text = told.removeprefix(request.id)
        require(text[:1] in ("", " "), f"the answer to another id: {first!r}, not {request.id!r}")
        require(sign == "=" or text.strip(), "a failure without a reason")
        return GtpAnswer(sign == "=", request.id, (text, *rest))


_WORDS_OF_LIMITS = [word for pair in LIMITS.replace("seconds", "time").split() for word in pair.split("=")]
