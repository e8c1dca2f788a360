"""`lolli diagram`: a position as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from protocol.cli.evaluators import BadInputError
from protocol.cli.report_files import check_target, needing_packages, picture_kind, write_result
from protocol.given_file import STDIO

if TYPE_CHECKING:
    from collections.abc import Sequence

    import chess
    import chess.svg

    from protocol.cli.reports.diagram import Squares

_COLORS = ("green", "red", "yellow", "blue")


@click.command(
    epilog="""\b
Examples:
  lolli diagram startpos -o board.svg
  lolli diagram "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -" -o board.png --size 800
  lolli diagram --moves "e4 e5 Nf3 Nc6 Bb5" -o ruy-lopez.png --arrow a7a6 --mark c6
  lolli diagram game.pgn --ply 41 --flip --arrow d8h4:red > board.svg""",
)
@click.argument("words", nargs=-1, type=click.Path(), metavar="[FEN|FILE|MOVES]")
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(),
    default=STDIO,
    metavar="FILE",
    help="The picture to write, .svg or .png; otherwise SVG goes to stdout.",
)
@click.option("--size", type=click.IntRange(16, 10_000), default=600, show_default=True, metavar="PIXELS")
@click.option("--flip", is_flag=True, help="Put Black at the bottom.")
@click.option("--moves", metavar="MOVES", help="Play these from the position.")
@click.option("--game", type=click.IntRange(1), metavar="N", help="Which game or position of a file.")
@click.option("--ply", type=click.IntRange(0), metavar="N", help="Play only so many moves of both sides.")
@click.option(
    "--arrow",
    "arrows",
    multiple=True,
    metavar="SQUARES",
    help="Draw an arrow, as in e2e4 or e2e4:red (green, red, yellow, blue); e4 is a circle.",
)
@click.option("--mark", "marked", multiple=True, metavar="SQUARE", help="Colour a square.")
@click.option("--last", metavar="MOVE", help="Show this as the last move; otherwise the last one played is.")
def command(  # noqa: PLR0913, PLR0917 - an argument for each option
    words: tuple[str, ...],
    target: str,
    size: int,
    flip: bool,
    moves: str | None,
    game: int | None,
    ply: int | None,
    arrows: tuple[str, ...],
    marked: tuple[str, ...],
    last: str | None,
) -> None:
    """Draw a position: a FEN, `startpos`, moves, or a file with any of these or with a game in PGN."""
    from protocol.cli.reports.diagram import board_png, board_svg  # noqa: PLC0415 - python-chess takes its time

    kind = "svg" if target == STDIO else picture_kind(target)
    check_target(target, *words)
    board = _board(words, moves, game, ply)
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


def _board(words: Sequence[str], moves: str | None, game: int | None, ply: int | None) -> chess.Board:
    from protocol.cli.analysis.recognition import RecognitionError, play_moves, recognise_words  # noqa: PLC0415 - as above
    from protocol.cli.terminal.console import messages  # noqa: PLC0415

    try:
        setup, *others = recognise_words(words, game=game, ply=ply)
        play_moves(setup.board, moves or "")
    except RecognitionError as error:
        raise BadInputError(str(error)) from None
    if others:
        raise BadInputError(f"there are {1 + len(others)} positions: choose one with --game N")
    if setup.assumed:
        messages().print(f"Assumed: {setup.assumed}.")
    return setup.board


def _last_squares(board: chess.Board) -> Squares | None:
    """Those of the last move that was played."""
    from protocol.cli.reports.diagram import moved_squares  # noqa: PLC0415 - as above

    before = board.copy()
    move = before.pop() if before.move_stack else None
    return moved_squares(before, move) if move else None


def _square(name: str) -> chess.Square:
    import chess  # noqa: PLC0415 - as above

    if name not in chess.SQUARE_NAMES:
        raise BadInputError(f"{name!r} is no square: they are a1 to h8")
    return chess.parse_square(name)


def _squares(text: str) -> Squares:
    if len(text) != 4:
        raise BadInputError(f"{text!r} does not name two squares, as e2e4 does")
    return _square(text[:2]), _square(text[2:])


def _arrow(text: str) -> chess.svg.Arrow:
    import chess.svg  # noqa: PLC0415 - as above

    squares, _, color = text.partition(":")
    if color and color not in _COLORS:
        raise BadInputError(f"{color!r} is no colour for an arrow: {', '.join(_COLORS)}")
    tail, head = _squares(squares if len(squares) > 2 else 2 * squares)
    return chess.svg.Arrow(tail, head, color=color or "green")
