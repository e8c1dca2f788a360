"""`lolli diagram`: a position as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chess
import chess.svg
import click

from lolli.cli.analysis.notation import RecognitionError
from lolli.cli.analysis.recognition import file_text, recognise_placements
from lolli.cli.given_file import STDIO, BadInputError, bad_input, check_target, is_handed_over, write_result
from lolli.cli.reports import needing_packages, picture_kind
from lolli.cli.reports.pictures import board_png, board_svg, moved_squares
from lolli.cli.shared_options import (
    board_size_option,
    flag_option,
    number_option,
    output_option,
    position_options,
    recognised_positions,
    refuse,
    report_assumptions,
)
from lolli.cli.terminal.board import BoardSize, board_lines, size_for
from lolli.cli.terminal.screen import messages, output

if TYPE_CHECKING:
    from lolli.cli.reports.pictures import Squares

_OF_PICTURES = ("target", "size", "arrows", "marked")
_COLORS = ("green", "red", "yellow", "blue")


@click.command(
    epilog="""\b
Examples:
  lolli diagram startpos -o board.svg
  lolli diagram "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -" -o board.png --size 800
  lolli diagram --moves "e4 e5 Nf3 Nc6 Bb5" -o ruy-lopez.png --arrow a7a6 --mark c6
  lolli diagram game.pgn --ply 41 --flip --arrow d8h4:red > board.svg
  lolli diagram "8/8/3p4/8/3N4/8/8/8" -o fork.svg       a position without kings
  lolli diagram --moves "e4 e5 Nf3" --text"""
)
@click.argument("words", nargs=-1, type=click.Path(), metavar="[POSITION]")
@output_option("FILE", "The .svg or .png file to write. Default: SVG to stdout.", default=STDIO)
@number_option(
    "--size",
    least=16,
    most=10_000,
    default=600,
    metavar="PIXELS",
    help="The width and height of the picture.",
)
@flag_option("--flip", help="Show the board with Black at the bottom.")
@position_options
@click.option(
    "--arrow",
    "arrows",
    multiple=True,
    metavar="SQUARES",
    help="Draw an arrow, as in e2e4 or e2e4:red (green, red, yellow, blue); one square gets a circle.",
)
@click.option("--mark", "marked", multiple=True, metavar="SQUARE", help="Colour a square.")
@click.option(
    "--last", metavar="MOVE", help="Highlight this move, as in e2e4. Default: the last move played."
)
@flag_option("--text", help="Print the board as `lolli analyse` does, in place of a picture.")
@board_size_option
def command(  # noqa: PLR0917 - an argument for each option
    words: tuple[str, ...],
    target: str,
    size: int,
    flip: bool,
    arrows: tuple[str, ...],
    marked: tuple[str, ...],
    last: str | None,
    text: bool,
    board_size: BoardSize | None,
    **position: Any,
) -> None:
    """Draw a position as SVG or PNG, or with --text in the terminal.

    POSITION is as for `lolli analyse`, but need not be legal: kings may be missing, and pawns may stand
    anywhere. What is not legal has no moves, so --moves and --ply need a legal position.
    """
    if text:
        refuse(_OF_PICTURES, "cannot be combined with --text")
        _print(_board(words, **position), flip, _squares(last) if last else None, board_size)
        return
    kind = "svg" if target == STDIO else picture_kind(target)
    check_target(target, *words)
    board = _board(words, **position)
    svg = board_svg(
        board,
        orientation=not flip,
        last=_squares(last) if last else _last_squares(board),
        arrows=[_arrow(each) for each in arrows],
        marked=[_square(each) for each in marked],
        size=size,
    )
    with needing_packages("a PNG"):
        content = board_png(svg) if kind == "png" else svg + "\n"
    write_result(target, content)


def _print(board: chess.Board, flip: bool, last: Squares | None, size: BoardSize | None) -> None:
    console = output()
    squares = last or _last_squares(board)
    move = chess.Move(*squares) if squares else None
    size = size_for(console, size, beside=0, around=1)
    for line in board_lines(board, flipped=flip, last=move, size=size):
        console.print(line, soft_wrap=True)


def _board(words: tuple[str, ...], **position: Any) -> chess.Board:
    if len(words) == 1 and is_handed_over(words[0]):  # it can be read only once
        with bad_input(RecognitionError, prefix="standard input: "):
            words = (f"{file_text(words[0])}\n",)  # text, whatever it says
    try:
        found = recognised_positions(words, **position)
    except BadInputError as error:
        return _illegal(words, error, **position)
    _check_one(len(found))
    report_assumptions(found)
    return found[0].board


def _illegal(
    words: tuple[str, ...], error: BadInputError, moves: str | None, game: int | None, ply: int | None
) -> chess.Board:
    try:
        boards = recognise_placements(words, game=game)
    except RecognitionError:
        boards = []
    if not boards:
        raise error
    _check_one(len(boards))
    if moves is not None or ply is not None:
        raise BadInputError(f"--moves and --ply need a legal position: {error.message}")
    note = "drawn as it stands; it has no legal moves and cannot be analysed"
    messages().print(f"Not a legal position ({error.message}): {note}.")
    return boards[0]


def _check_one(count: int) -> None:
    if count > 1:
        raise BadInputError(f"{count} positions found: choose one with --game N")


def _last_squares(board: chess.Board) -> Squares | None:
    before = board.copy()
    move = before.pop() if before.move_stack else None
    return moved_squares(before, move) if move else None


def _square(name: str) -> chess.Square:
    if name not in chess.SQUARE_NAMES:
        raise BadInputError(f"not a square: {name!r}")
    return chess.parse_square(name)


def _squares(text: str) -> Squares:
    if len(text) != 4:
        raise BadInputError(f"not two squares, as in e2e4: {text!r}")
    return _square(text[:2]), _square(text[2:])


def _arrow(text: str) -> chess.svg.Arrow:
    squares, _, color = text.partition(":")
    if color and color not in _COLORS:
        raise BadInputError(f"unknown colour {color!r}: choose from {', '.join(_COLORS)}")
    tail, head = _squares(squares if len(squares) > 2 else 2 * squares)
    return chess.svg.Arrow(tail, head, color=color or "green")
