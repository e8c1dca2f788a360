"""Material against counting with python-chess."""

import chess
import pytest

from engine.board.fen import mirrored, parse_fen
from eval.evaluator import Evaluator, Explanation, Term
from eval.material import Material
from tests.engine.search.oracles import VALUES, random_board
from tests.engine.search.searching import sized

NAMES = ["Pawns", "Knights", "Bishops", "Rooks", "Queens"]


def counted(board: chess.Board, colour: bool) -> list[tuple[str, int]]:
    return [
        (name, VALUES[kind] * len(board.pieces(kind, colour))) for kind, name in enumerate(NAMES, start=1)
    ]


def balance(board: chess.Board) -> int:
    ours, theirs = counted(board, board.turn), counted(board, not board.turn)
    return sum(worth for _, worth in ours) - sum(worth for _, worth in theirs)


def phase(board: chess.Board) -> int:
    """24 with all pieces of the start position or more, 0 with none."""
    worth = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}
    return min(24, sum(worth.get(piece.piece_type, 0) for piece in board.piece_map().values()))


@pytest.mark.parametrize("chess960", [False, True])
def test_is_what_python_chess_counts(chess960: bool) -> None:
    for seed in range(sized(120, 60)):
        board = random_board(seed, 250, chess960)
        position = parse_fen(board.fen())
        assert Material().static_value(position) == balance(board)
        assert Material().static_value(mirrored(position)) == balance(board)
        white, black = counted(board, chess.WHITE), counted(board, chess.BLACK)
        terms = [Term(name, (w, w), (b, b)) for (name, w), (_, b) in zip(white, black, strict=True)]
        value = balance(board) if board.turn else -balance(board)
        assert Material().explain(position) == Explanation(tuple(terms), phase(board), 64, value, "")


def test_evaluator_without_judgement_sees_no_difference() -> None:
    position = parse_fen("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1")
    assert Evaluator().static_value(position) == 0
    assert Evaluator().explain(position) == Explanation((), 4, 64, 0)
