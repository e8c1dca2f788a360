"""How the men of each game look in colours, and what its sides are called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import chess

from protocol.cli.terminal.board import MEN, MOVED, SQUARES, Look, piece_glyph

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.games.rules.game import Game

_DISC = ("  ▄▄▄  ", " █████ ", "  ▀▀▀  ")
_CROSS = (" ▀▄ ▄▀ ", "   █   ", " ▄▀ ▀▄ ")
_NOUGHT = ("  ▄▄▄  ", " █   █ ", "  ▀▀▀  ")
_BLACK, _WHITE = "#000000", "#ffffff"
_PLAYERS = ("#d75f5f", "#5f87d7", "#5faf5f", "#d7af5f")
_DIGITS = "1234"


@dataclass(frozen=True, slots=True)
class Man:
    """A man: one character in a colour, and three lines of seven characters where there is room for them."""

    glyph: str
    colour: str
    large: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GameLook:
    """The men by their marks in the text of a board; colours of dark and light squares, and of the last move.

    `home` has the marks of men that colour their whole square. `points`: men stand where lines cross.
    `piles`: several men, written one after the other, stand on a square of `width` characters, and an empty
    mark is no square. `numbered`: empty dark squares show their numbers. `moves`: men move from square to
    square.
    """

    men: Mapping[str, Man]
    squares: tuple[str, str] = ("#303030", "#3a3a3a")
    marked: tuple[str, str] = ("#5f5f00", "#5f5f00")
    home: Mapping[str, str] = field(default_factory=dict)
    empty: Man = field(default_factory=lambda: Man(" ", _WHITE))
    width: int = 3
    points: bool = False
    piles: bool = False
    numbered: bool = False
    moves: bool = False


_STONES = {"X": Man("●", _BLACK, _DISC), "O": Man("●", _WHITE, _DISC)}
_CHESSMEN = {
    letter: Man(piece_glyph(piece, Look.COLOURED), MEN[piece.color])
    for letter in "PNBRQKpnbrqk"
    for piece in (chess.Piece.from_symbol(letter),)
}
_PIECES = {digit: Man("●", colour) for digit, colour in zip(_DIGITS, _PLAYERS, strict=True)}
_NUMBERS = {digit: Man(digit, colour) for digit, colour in zip(_DIGITS, _PLAYERS, strict=True)}

GRIDS: Mapping[str, GameLook] = {
    "tictactoe": GameLook({"X": Man("X", "#ff8787", _CROSS), "O": Man("O", "#87d7ff", _NOUGHT)}),
    "connectfour": GameLook(
        {"X": Man("●", "#ff5f5f", _DISC), "O": Man("●", "#ffd75f", _DISC)},
        squares=("#005faf", "#005faf"),
        marked=("#0087d7", "#0087d7"),
        empty=Man("●", "#003a6b", _DISC),
    ),
    "othello": GameLook(_STONES, squares=("#1c7a4a", "#1f8250"), marked=("#87af00", "#87af00")),
    "go": GameLook(
        _STONES,
        squares=("#d7af5f", "#d7af5f"),
        marked=("#d78700", "#d78700"),
        empty=Man("", "#875f00"),
        points=True,
    ),
    "checkers": GameLook(
        {
            "b": Man("●", _BLACK, _DISC),
            "w": Man("●", _WHITE, _DISC),
            "B": Man("♚", _BLACK),
            "W": Man("♚", _WHITE),
        },
        squares=("#5f8f5f", "#d7d7af"),
        marked=("#afaf00", "#d7d700"),
        empty=Man("", "#3f6f3f"),
        numbered=True,
        moves=True,
    ),
    "chess": GameLook(_CHESSMEN, squares=SQUARES, marked=MOVED, moves=True),
    "virus": GameLook(
        {digit: Man(digit, _BLACK) for digit in _DIGITS},
        home=dict(zip(_DIGITS, _PLAYERS, strict=True)),
        empty=Man("·", "#6c6c6c"),
    ),
    "focus": GameLook(
        _NUMBERS,
        width=7,
        piles=True,
        moves=True,
    ),
}
"""Games on boards of squares."""

LINES: Mapping[str, Mapping[str, Man]] = {
    "backgammon": {"X": Man("●", _PLAYERS[0]), "O": Man("●", _PLAYERS[1])},
    "chinesecheckers": {**_PIECES, ".": Man("·", "#808080")},
    "nim": {"o": Man("●", _PLAYERS[3])},
}
"""Games whose boards stay as they are written, but for these marks."""

_SIDES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "tree": (("", "MAX"), ("", "MIN")),
    "tictactoe": (("X", "X"), ("O", "O")),
    "connectfour": (("X", "X"), ("O", "O")),
    "backgammon": (("X", "X"), ("O", "O")),
    "othello": (("X", "Black"), ("O", "White")),
    "go": (("X", "Black"), ("O", "White")),
    "checkers": (("b", "Black"), ("w", "White")),
    "chess": (("k", "Black"), ("K", "White")),
}
"""The mark and the name of each player of a game of two."""
_STONE_GAMES = ("othello", "go")


def side_name(game: Game[Any], player: int) -> str:
    """The name of a player: `X`, `Black`, `MAX` in a tree, or `p3`."""
    sides = _SIDES.get(game.name, ())
    return sides[player][1] if game.players == len(sides) else f"p{player + 1}"


def marked_name(game: Game[Any], player: int) -> str:
    """The name with the mark on the board in plain text, where that is another: `Black (X)`."""
    name = side_name(game, player)
    return f"{name} ({_SIDES[game.name][player][0]})" if game.name in _STONE_GAMES else name


def man_of(game: Game[Any], player: int) -> tuple[Man, str | None] | None:
    """A man of a player in colours, and the colour behind it; None in a game without men of its own."""
    sides = _SIDES.get(game.name)
    mark = sides[player][0] if sides and game.players == len(sides) else str(player + 1)
    look = GRIDS.get(game.name)
    if look is not None:
        return look.men[mark], look.home.get(mark, look.squares[0])
    man = LINES.get(game.name, {}).get(mark)
    return None if man is None else (man, None)
