"""Lines of GTP for all games: good ones, known words in any order, damaged ones, and any bytes.

None of them ends the process, takes much memory or much time, or touches a file outside the folder in which
the process was started: see `harmless`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.players.catalogue import GAMES
from engine.games.players.options import Option
from engine.games.players.searchers import SEARCHERS
from engine.games.rules.tree import TREES
from protocol.gtp.commands import COMMANDS
from protocol.gtp.parser import parse

from .mutation import HOSTILE, as_bytes, damaged, random_bytes
from .uci_files import FILES

if TYPE_CHECKING:
    from random import Random

LIMITS = "seconds=0.05 depth=1 nodes=200 playouts=20"
"""Of each search, whatever its options allow."""

LEGAL_MOVE = "play @ @"
"""Stands for a move of whoever is to move, which only the process knows: see gtp.GtpDoor."""

_WORDS = (
    *("b", "w", "B", "White", "p1", "p3", "p9", "dice", "A1", "b2", "C3", "D4", "E5", "pass", "resign", "31"),
    *(
        "0",
        "1",
        "2",
        "3",
        "7",
        "9",
        "19",
        "-1",
        "1e9",
        "nan",
        "true",
        "none",
        "alive",
        "dead",
        "7-3",
        "#",
        "\t",
    ),
    *("((1,2),(3", "depth=2", "depth=x", "=", "players=4", "komi=5.5", "8/5,6/5", "..X/.O./X.O", "size=9"),
    *(*GAMES, *SEARCHERS, *FILES),
)
_OPTIONS = (
    *(
        "komi=0.5",
        "komi=nan",
        "komi=1e999",
        "players=2",
        "players=3",
        "players=6",
        "players=99",
        "superko=true",
    ),
    *("piles=7,5,3", "piles=50", "board=hex", "rules=x", "tree=lecture", "=", "a=b=c", "rows=6", "columns=7"),
)
_COLOURS = ("b", "w", "b", "w", "p1", "p2", "p3", "dice")
_MOVES = (
    *("A1", "b2", "C3", "D4", "E5", "pass", "H8", "J9", "0", "1", "3", "7-3", "5-2", "31", "66", "8/5,6/5"),
    *("24/23", "bar/22", "A1-B2", "c3-c5", "D4:2", "A1B2", "c3c4"),
)
_GAMES = [name for name in FILES if name.endswith(".sgf")]
_TEXTS = {
    "tree": ("", *TREES, *TREES.values(), "((1,2),(3,4))", "p3(7/1/4,1/2/3)", "((1,2),(3"),
    "nim": ("", "7,5,3", "50,50,50", "51", "3+4"),
}
"""What games may be given as a text."""
_LARGEST_TABLE = 16  # megabytes
_SNIPPETS = as_bytes((*" abw19C-()#=", *_WORDS, *HOSTILE))
_COMMENT = b"# left out"


def make_line(rng: Random) -> bytes:
    """Any line."""
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
    """The line without its breaks, or a comment in its place: see the beginning of this file."""
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
    """Whether it asks for more memory than the usual tables have."""
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
        return f"{rng.choice(('genmove', 'genmove', 'reg_genmove'))} {rng.choice(_COLOURS)}"
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
