"""Where material sees no difference the play is sensible all the same, and no score tells of it."""

import chess
import pytest

from engine.board.fen import START_FEN, format_fen, mirrored, parse_fen
from engine.board.movegen import MoveStack, legal_moves
from engine.board.notation import move_text
from engine.board.position import Position
from engine.search.limits import Limits, Settings
from engine.search.ordering import preference
from tests.engine.search.oracles import random_board
from tests.engine.search.searching import opened, search, sized

CASTLING = [
    ("rnbqk2r/ppppppbp/5np1/8/2PP4/2N2N2/PP2PPPP/R1BQKB1R b KQkq - 4 4", {"e8g8"}),
    ("r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9", {"e1g1", "e1c1"}),
    ("r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 4 4", {"e8g8"}),
]


AS_IT_IS = {"correction_history": 0}
"""Scores that are material alone, not mended by what the search has learned."""


def preferences(position: Position) -> dict[int, int]:
    stack = MoveStack()
    return {move: preference(position, move, stack) for move in legal_moves(position)}


def by_text(fen: str) -> dict[str, int]:
    return {move_text(move): liking for move, liking in preferences(parse_fen(fen)).items()}


def test_opening_develops() -> None:
    board, reports = chess.Board(), []
    with opened(Settings(parameters=AS_IT_IS)) as session:
        for _ in range(8):
            heard = search(session, Limits(depth=5), START_FEN, [move.uci() for move in board.move_stack])
            board.push_uci(heard.best)
            reports.append(heard.last)
    played = chess.Board()
    for ply, move in enumerate(board.move_stack):
        kind = played.piece_type_at(move.from_square)
        if kind == chess.KNIGHT:
            assert chess.square_file(move.to_square) not in {0, 7}, "a knight on the rim"
        if ply < 6:
            assert kind in {chess.PAWN, chess.KNIGHT, chess.BISHOP}
            assert kind != chess.PAWN or chess.square_file(move.from_square) in {2, 3, 4, 5}
        assert kind != chess.KING or played.is_castling(move)
        played.push(move)
    assert all(report.score.value % 100 == 0 for report in reports)


@pytest.mark.parametrize(("fen", "moves"), CASTLING)
@pytest.mark.parametrize("depth", [2, 4])
def test_castles_when_it_can(fen: str, moves: set[str], depth: int) -> None:
    with opened(Settings(parameters=AS_IT_IS)) as session:
        heard = search(session, Limits(depth=depth), fen)
    assert heard.best in moves
    assert heard.value == 0


@pytest.mark.parametrize(
    ("fen", "better", "worse"),
    [
        (START_FEN, "e2e4", "a2a4"),
        (START_FEN, "d2d4", "h2h3"),
        (START_FEN, "g1f3", "g1h3"),
        (START_FEN, "b1c3", "b1a3"),
        (START_FEN, "c2c4", "g2g4"),
        ("r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9", "e1g1", "e1e2"),
        ("r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9", "e1g1", "h1g1"),
        ("8/8/4k3/8/8/8/P6P/K7 w - - 0 1", "a1b2", "a1b1"),  # in the endgame the king comes out
        ("6k1/5ppp/8/8/8/8/PPP2PPP/R5K1 w - - 0 1", "a1d1", "g1h1"),
        ("4k3/8/8/3P4/8/8/P7/4K3 w - - 0 1", "d5d6", "a2a3"),
    ],
)
def test_sensible_move_is_preferred(fen: str, better: str, worse: str) -> None:
    likings = by_text(fen)
    assert likings[better] > likings[worse]


def test_colours_are_alike_and_the_position_is_left_as_it_was() -> None:
    for seed in range(sized(100, 30)):
        fen = random_board(seed).fen()
        position = parse_fen(fen)
        before = format_fen(position), position.key, position.height
        ours = preferences(position)
        assert (format_fen(position), position.key, position.height) == before
        theirs = preferences(mirrored(position))
        assert {move ^ 0b111000_111000: liking for move, liking in ours.items()} == theirs
