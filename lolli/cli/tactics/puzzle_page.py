"""Puzzles as a page to solve them on: one self-contained HTML file, in which all answers stand."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess

from lolli.cli.pgn.game_reader import header_text
from lolli.cli.reports.board_image import moved_squares, shared_definitions
from lolli.cli.reports.output_files import BOARD, STYLE, html_page
from lolli.cli.tactics.puzzle import line_words
from lolli.cli.terminal.words import DASH, counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from lolli.cli.tactics.puzzle import Puzzle

_FOLDER = Path(__file__).parent / "page"
_UNKNOWN = frozenset(("", "?", "????.??.??"))
_DIGITS = 16


def puzzles_page(puzzles: Sequence[Puzzle], title: str) -> str:
    """The page of these puzzles, of which there is at least one."""
    return html_page(
        _FOLDER / "puzzles.html",
        title=title,
        styles=(STYLE, _FOLDER / "puzzles.css"),
        scripts=(BOARD, _FOLDER / "puzzles.js"),
        definitions=shared_definitions(),
        data={"name": _name(puzzles), "puzzles": [_content(puzzle) for puzzle in puzzles]},
        count=counted(len(puzzles), "puzzle"),
    )


def _name(puzzles: Iterable[Puzzle]) -> str:
    """By which a browser remembers what was solved on this page, wherever it lies."""
    fens = "\n".join(puzzle.board.fen() for puzzle in puzzles)
    return f"lolli-puzzles-{hashlib.sha256(fens.encode()).hexdigest()[:_DIGITS]}"


def _content(puzzle: Puzzle) -> dict[str, Any]:
    """What the script needs: all positions of the line, the answers, and the legal moves beside them."""
    board = puzzle.board.copy()
    last = (puzzle.last.from_square, puzzle.last.to_square) if puzzle.last else ()
    before = [chess.square_name(square) for square in last]
    steps, answers = [_step(board, before)], []
    for number, move in enumerate(puzzle.line):
        if number % 2 == 0:
            legal = {each.uci(): board.san(each) for each in board.legal_moves}
            answers.append({"uci": move.uci(), "legal": legal, "castling": _castling(board, legal)})
        squares = [chess.square_name(square) for square in moved_squares(board, move)]
        board.push(move)
        steps.append(_step(board, squares))
    return {
        "white": puzzle.board.turn == chess.WHITE,
        "chess960": puzzle.board.chess960,
        "task": puzzle.task,
        "line": line_words(puzzle.board, puzzle.line),
        "story": puzzle.story,
        "origin": _origin(puzzle),
        "steps": steps,
        "answers": answers,
    }


def _castling(board: chess.Board, legal: Collection[str]) -> dict[str, str]:
    """The moves in `legal` that castle, by their other names: the king goes to its target, or takes the rook.

    What is the name of another move, in Chess960, is left out.
    """
    names = {}
    for move in board.generate_castling_moves():
        king, target = moved_squares(board, move)
        rook = move.to_square
        if not board.chess960:
            rook = chess.square(7 if target > king else 0, chess.square_rank(king))
        names.update({chess.Move(king, square).uci(): move.uci() for square in {target, rook} - {king}})
    return {name: move for name, move in names.items() if name not in legal}


def _step(board: chess.Board, squares: Sequence[str]) -> dict[str, Any]:
    king = board.king(board.turn)
    check = {"check": chess.square_name(king)} if king is not None and board.is_check() else {}
    return {"fen": board.fen(), "squares": list(squares), **check}


def _origin(puzzle: Puzzle) -> str:
    """The players, the date and the place in the file."""
    texts = {name: header_text(value) for name, value in puzzle.headers.items()}
    known = {name: text for name, text in texts.items() if text not in _UNKNOWN}
    players = f"{known.get('White', 'White')} {DASH} {known.get('Black', 'Black')}"
    return ", ".join(filter(None, (players, known.get("Date", ""), puzzle.source)))
