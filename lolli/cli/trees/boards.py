"""States of games, small enough to stand in the nodes of a drawn tree."""

from collections.abc import Sequence
from typing import Any

from engine.games.rules.game import Game
from lolli.cli.terminal.board import GRIDS, Man

UNIT = 10
"""The width of a square in the drawings here, whose scale is up to the caller."""
_SMALL, _LARGE = 3, 9  # columns up to which squares are drawn in the greatest and the middle size
_SIZES = (14.0, 7.0, 5.0)  # pixels of a square
_PAPER = "#f7f5ef"
_ON_PAPER = {
    "tictactoe": (("#ffffff", "#ffffff"), {"X": "#c02626", "O": "#24568f"}),
    "virus": ((_PAPER, _PAPER), {}),
    "focus": ((_PAPER, _PAPER), {}),
}
"""Squares and men of a game whose colours in a terminal are for a dark ground."""
_KINGS = {"B", "W"}  # of checkers; in chess B is a bishop
_FIRST = 48  # the code of the character that stands for the first mark of a coded board

Squares = Sequence[Sequence[str]]
"""Marks in rows from the top, empty where there is no square."""


def square_size(squares: Squares) -> float:
    """The pixels of a square in a node."""
    columns = len(squares[0])
    return _SIZES[(columns > _SMALL) + (columns > _LARGE)]


def split_piles(piles: str, move: str) -> str:
    """The piles, such as `5-2-1`, after a move of Nim, such as `4-1`; also those too small to be split."""
    left, made = (list(map(int, text.split("-"))) for text in (piles, move))
    left.remove(sum(made))
    return "-".join(map(str, sorted(left + made, reverse=True)))


def board_svg(game: Game[Any], squares: Squares) -> str:
    """A board as SVG, squares of UNIT pixels, its upper left corner at the origin."""
    parts = [
        f'<g transform="translate({UNIT * column} {UNIT * row})">{square_svg(game, mark, row + column)}</g>'
        for row, marks in enumerate(squares)
        for column, mark in enumerate(marks)
        if mark
    ]
    return "".join(parts)


def square_svg(game: Game[Any], mark: str, place: int) -> str:
    """A square with what stands on it; `place` is even for one of the upper left corner's colour."""
    look = GRIDS[game.name]
    colours, paper = _ON_PAPER.get(game.name, (look.squares, {}))
    fill = look.home.get(mark) or colours[place % 2 == 0]
    man = look.men.get(mark[-1], look.empty)
    colour = paper.get(mark, man.colour)
    drawn = f'<path d="M0 0H10V10H0Z" fill="{fill}" stroke="#808080" stroke-width=".4"/>'
    if man is look.empty and not look.empty.large:
        return drawn
    if look.piles:
        return drawn + _disc(colour, str(len(mark)) if len(mark) > 1 else "")
    return drawn + _man_svg(man, mark, colour)


def _man_svg(man: Man, mark: str, colour: str) -> str:
    is_king = mark in _KINGS and man.glyph == "♚"
    if man.glyph == "●" or is_king:
        return _disc(colour, man.glyph if is_king else "")
    if mark == "X":
        return f'<path d="M2.4 2.4 7.6 7.6M7.6 2.4 2.4 7.6" stroke="{colour}" stroke-width="1.5"/>'
    if mark == "O":
        return f'<circle cx="5" cy="5" r="2.8" fill="none" stroke="{colour}" stroke-width="1.4"/>'
    return _letter(man.glyph, colour, 8)


def _disc(colour: str, sign: str) -> str:
    edge, other = ("#606060", "#000000") if colour == "#ffffff" else (colour, "#ffffff")
    disc = f'<circle cx="5" cy="5" r="3.6" fill="{colour}" stroke="{edge}" stroke-width=".6"/>'
    return disc + (_letter(sign, other, 5) if sign else "")


def _letter(text: str, colour: str, size: int) -> str:
    return f'<text x="5" y="{5 + 0.36 * size:.1f}" style="font-size:{size}px;fill:{colour}">{text}</text>'


def coded_board(squares: Squares, marks: dict[str, int]) -> str:
    """A character a square, for the place of its mark in `marks`, which grows by new ones."""
    return "".join(chr(_FIRST + marks.setdefault(mark, len(marks))) for row in squares for mark in row)
