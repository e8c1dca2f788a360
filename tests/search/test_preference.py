"""With material alone the play is sensible, and the score is still nothing but material."""

import chess
import pytest

from engine.board.fen import START_FEN, parse_fen
from engine.board.movegen import MoveStack
from engine.board.notation import move_text, parse_move
from engine.search.preference import preference
from engine.search.techniques import Techniques
from tests.search.searching import deepening, sized

CASTLING_POSSIBLE = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 6"


def liking(fen: str, text: str) -> int:
    position = parse_fen(fen)
    return preference(position, parse_move(position, text), MoveStack())


def best_move(fen: str, depth: int) -> tuple[str, int]:
    run = deepening(fen, Techniques())
    for _ in run.run(depth):
        pass
    return move_text(run.best.move), run.best.score


@pytest.mark.parametrize(
    ("better", "worse"),
    [("e2e4", "a2a3"), ("g1f3", "g1h3"), ("d2d4", "h2h4"), ("b1c3", "b1a3"), ("e2e4", "f2f3")],
)
def test_centre_and_development_before_the_rim(better: str, worse: str) -> None:
    assert liking(START_FEN, better) > liking(START_FEN, worse)


def test_castles_rather_than_walk() -> None:
    assert liking(CASTLING_POSSIBLE, "e1g1") > max(
        liking(CASTLING_POSSIBLE, text) for text in ("e1f1", "e1e2")
    )


def test_preference_leaves_the_position_as_it_was() -> None:
    position = parse_fen(CASTLING_POSSIBLE)
    before = (position.key, position.side, position.height)
    for move in (parse_move(position, text) for text in ("e1g1", "c4f7", "f3e5")):
        preference(position, move, MoveStack())
    assert (position.key, position.side, position.height) == before


def test_first_moves_develop() -> None:
    board = chess.Board()
    for _ in range(5):
        text, score = best_move(board.fen(), sized(6, 3))
        assert score % 100 == 0
        move = chess.Move.from_uci(text)
        piece = board.piece_at(move.from_square)
        assert piece is not None
        if piece.piece_type == chess.KNIGHT:
            assert chess.square_file(move.to_square) not in (0, 7)
        assert piece.piece_type in (chess.PAWN, chess.KNIGHT, chess.BISHOP)
        board.push(move)
