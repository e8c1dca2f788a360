"""SGF: the same board as with sgfmill after every move, or an expected error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sgfmill import boards, sgf, sgf_moves

from engine.games.rules.game import IllegalMoveError, NotApplicableError, SizeError
from protocol.gtp.gogui import points
from protocol.gtp.parser import GtpError
from protocol.gtp.rules import Rules
from protocol.gtp.sgf import SgfError, read_sgf
from scripts.laboratory.fuzzing.ingredients import as_bytes, damaged, random_bytes, saved
from scripts.laboratory.fuzzing.target import require

if TYPE_CHECKING:
    from random import Random

    from protocol.gtp.match import Match

_MARKS = {"b": "X", "w": "O", None: "."}
GOOD = b"(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[5.5]PB[A]PW[B];B[ee];W[cc];B[gc](;W[cg])(;W[gg];B[]))"
_FOREIGN = (
    GOOD,
    b"(;SZ[13]HA[2]AB[jd][dj]PL[W];W[gg];B[tt];W[])",
    b"(;FF[3]GM[1]SZ[19]AB[aa:cc]AW[ss]C[a \\] bracket];B[pd]BL[10.5];W[dp]C[good\n])",
    b"(;GM[2]SZ[9];B[ee])(;SZ[9];W[aa])",
    b"(;SZ[9:9]KM[0];B[ee];W[ee])",
)
_SNIPPETS = as_bytes(
    (
        *("(", ")", ";", "[", "]", "\\", ":", "B[", "W[", "AB[aa]", "AW[bb]", "AE[cc]", "SZ[5]", "SZ[19]"),
        *("KM[", "KM[nan]", "KM[-1e9]", "KM[0]", "SZ[0]", "SZ[1]", "SZ[99999]", "PL[B]", "PL[x]", "GM[1]"),
        *("HA[9]", "FF[4]", "CA[latin-1]", "CA[no such]", "CA[utf-7]", "[tt]", "[]", "[aa:zz]", "(;" * 50),
        *(b"\xff", b"\xc3\xa9", b"\0", "B[ee]", "\n", "x"),
    )
)


def make(rng: Random) -> bytes:
    """A game, mostly damaged, or rarely random bytes."""
    kind = rng.random()
    if kind < 0.05:
        return random_bytes(rng, 100)
    data = rng.choice(_FOREIGN) if kind < 0.3 else _random_game(rng)
    return damaged(data, rng, rng.randrange(5), _SNIPPETS)


def check(data: bytes) -> int:
    """Read the whole game, and the position before its third move."""
    path = saved("game.sgf", data)
    for before in (None, 3):
        try:
            match = read_sgf(str(path), Rules("go"), before)
        except (SgfError, GtpError, SizeError, IllegalMoveError, NotApplicableError):
            continue
        theirs = _by_sgfmill(data, before)
        require(theirs is None or _board(match) == theirs, f"not the board {theirs}")
    return 2


def _board(match: Match) -> list[list[str]]:
    return points(match.game, match.state)


def _by_sgfmill(data: bytes, before: int | None) -> list[list[str]] | None:
    """The rows of the board from the top, as sgfmill plays the game; None if sgfmill is stricter."""
    try:
        record: Any = sgf.Sgf_game.from_bytes(data)
        board, plays = sgf_moves.get_setup_and_moves(record, boards.Board(record.get_size()))
    except ValueError:  # an empty value, stones and a move in the first node
        return None
    for colour, point in plays[: None if before is None else before - 1]:
        if point is not None:
            board.play(*point, colour)
    side = range(board.side)
    return [[_MARKS[board.get(row, column)] for column in side] for row in reversed(side)]


def _random_game(rng: Random) -> bytes:
    """Stones at random points; some games are legal."""
    size = rng.choice((2, 3, 5, 7, 9, 9, 13, 19))
    letters = "abcdefghijklmnopqrs"[:size]
    points = [column + row for column in letters for row in letters]
    rng.shuffle(points)
    moves = [
        f";{'BW'[number % 2]}[{point if rng.random() < 0.97 else ''}]"
        for number, point in enumerate(points[: rng.randrange(len(points) + 1)])
    ]
    komi = rng.choice(("", "KM[6.5]", "KM[0]", "KM[-5]"))
    return f"(;GM[1]SZ[{size}]{komi}{''.join(moves)})".encode()
