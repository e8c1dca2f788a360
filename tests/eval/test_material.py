"""Material is counted as python-chess counts it, and the same from either side."""

import random

import chess

from engine.board.fen import mirrored, parse_fen
from eval.material import Material

VALUES = {chess.PAWN: 100, chess.KNIGHT: 300, chess.BISHOP: 300, chess.ROOK: 500, chess.QUEEN: 900}


def boards(games: int, plies: int) -> list[chess.Board]:
    """Positions of random games."""
    chance = random.Random(7)
    result = []
    for _ in range(games):
        board = chess.Board()
        for _ in range(plies):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(chance.choice(moves))
            result.append(board.copy(stack=False))
    return result


def count(board: chess.Board, colour: chess.Color) -> int:
    return sum(value * len(board.pieces(kind, colour)) for kind, value in VALUES.items())


def test_values_are_1_3_3_5_9() -> None:
    for piece, value in (("P", 100), ("N", 300), ("B", 300), ("R", 500), ("Q", 900)):
        position = parse_fen(f"4k3/8/8/8/8/8/{piece}7/4K3 w - - 0 1")
        assert Material().judge(position) == value


def test_agrees_with_python_chess_from_the_side_to_move() -> None:
    for board in boards(10, 120):
        difference = count(board, chess.WHITE) - count(board, chess.BLACK)
        expected = difference if board.turn else -difference
        assert Material().judge(parse_fen(board.fen())) == expected


def test_terms_add_up() -> None:
    for board in boards(3, 100):
        terms = Material().terms(parse_fen(board.fen()))
        assert sum(white for _, white, _ in terms) == count(board, chess.WHITE)
        assert sum(black for _, _, black in terms) == count(board, chess.BLACK)


def test_symmetric_under_exchange_of_colours() -> None:
    for board in boards(5, 100):
        position = parse_fen(board.fen())
        assert Material().judge(mirrored(position)) == Material().judge(position)
