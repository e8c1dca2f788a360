"""What weaker players see: which of two moves is harder to see, and what no player overlooks."""

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text, parse_move
from engine.search.limits import FULL_STRENGTH, WEAKEST_LEVEL, Handicap, Limits, Settings
from engine.search.report import Bound, Report, Score
from engine.search.sight import Sight, difficulty
from tests.engine.search.searching import opened, search, sized
from tests.engine.sessions import KIWIPETE, POSITIONS

SEES_MATES, NOT_ABSURD = 14, 5  # levels
ALL, NOTHING = 1e6, -1e6  # Elo


@pytest.mark.parametrize(
    ("fen", "easy", "hard"),
    [
        ("4k3/8/8/8/8/8/1B6/4K3 w - - 0 1", "b2c3", "b2g7"),  # near, far
        ("4k3/8/8/3R4/8/8/8/4K3 w - - 0 1", "d5d7", "d5d3"),  # forward, backward
        ("4K3/8/8/8/3r4/8/8/4k3 b - - 0 1", "d4d2", "d4d6"),  # the same for Black
        ("4k3/8/8/3p4/8/2N5/8/4K3 w - - 0 1", "c3d5", "c3b5"),  # a capture, a quiet move
        ("4k3/8/8/1q1p4/8/2N5/8/4K3 w - - 0 1", "c3b5", "c3d5"),  # a queen, a pawn
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "a1a7"),  # a check, a quiet move as long but one
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a7a8n"),
        ("4k3/8/8/8/4N3/8/8/K3R3 w - - 0 1", "e4f6", "e4c5"),  # a direct check, an uncovered one
        ("4k3/8/5p2/3pP3/8/8/8/4K3 w - d6 0 1", "e5f6", "e5d6"),  # en passant is strange
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "h1f1"),
        ("4k3/8/8/8/8/3P4/3N4/4K3 w - - 0 1", "d3d4", "d2b3"),  # a pawn, a knight
    ],
)
def test_what_is_easier_to_see(fen: str, easy: str, hard: str) -> None:
    position = parse_fen(fen)
    before = position.key
    easier, harder = (difficulty(position, parse_move(position, move)) for move in (easy, hard))
    assert easier < harder
    assert position.key == before


def test_a_recapture_is_easy_to_see() -> None:
    position = parse_fen("4k3/8/8/1p1p4/8/2N5/8/4K3 w - - 0 1")
    first, other = (parse_move(position, move) for move in ("c3d5", "c3b5"))
    black = parse_fen("4k3/8/2p5/3P4/8/8/8/4K3 b - - 0 1")
    taken = parse_move(black, "c6d5")
    assert difficulty(position, first, taken) < difficulty(position, first)
    assert difficulty(position, other, taken) == difficulty(position, other)


def lines(fen: str, *told: tuple[int, str]) -> list[Report]:
    """Lines of these scores and moves, at depth 3."""
    found = []
    for line, (score, text) in enumerate(told, 1):
        position, moves = parse_fen(fen), []
        for word in text.split():
            moves.append(parse_move(position, word))
            position.make(moves[-1])
        found.append(Report(3, 3, line, Score(score), Bound.EXACT, 1, 1, 0, 0, tuple(moves)))
    return found


def beliefs(fen: str, told: list[Report], rating: float, seed: int = 1) -> dict[str, float]:
    found = Sight(parse_fen(fen), rating, random.Random(seed)).lines(told)
    return {move_text(move): value for move, value in found}


HANGING = "4k3/8/8/7b/8/8/3R4/K2N4 w - - 0 1"  # the bishop attacks the knight
GUARDED = [(150, "d1c3 e8e7"), (-150, "d2f2 h5d1"), (-150, "a1b1 h5d1")]


def test_who_sees_everything_believes_the_search() -> None:
    told = lines(HANGING, *GUARDED)
    assert beliefs(HANGING, told, ALL) == {"d1c3": 150, "d2f2": -150, "a1b1": -150}


def test_who_sees_nothing_still_moves() -> None:
    told = lines(HANGING, *GUARDED)
    chosen = {move for seed in range(30) for move in beliefs(HANGING, told, NOTHING, seed)}
    assert chosen == {"d1c3", "d2f2", "a1b1"}


def test_a_threat_is_overlooked_in_all_lines_or_in_none() -> None:
    """Both happen, and those who overlook it believe the knight to be safe where it stands."""
    told = lines(HANGING, *GUARDED)
    found = [beliefs(HANGING, told, 500, seed) for seed in range(200)]
    both = [each for each in found if {"d2f2", "a1b1"} <= set(each)]
    overlooked = [each["d2f2"] > 0 for each in both]
    assert overlooked == [each["a1b1"] > 0 for each in both]
    assert len(set(overlooked)) == 2


@given(st.integers(0, 10_000), st.floats(-500, 3500))
def test_equal_seeds_see_the_same(seed: int, rating: float) -> None:
    told = lines(HANGING, *GUARDED)
    assert beliefs(HANGING, told, rating, seed) == beliefs(HANGING, told, rating, seed)


@pytest.mark.parametrize("level", [WEAKEST_LEVEL, 4, 9, 14, 19])
@pytest.mark.parametrize("fen", POSITIONS)
def test_equal_seeds_play_equal_legal_moves(fen: str, level: int) -> None:
    limits = Limits(nodes=sized(3000, 60))
    with opened(Settings(handicap=Handicap.of_level(level))) as session:
        played = []
        for seed in (1, 2, 1):
            session.new_game()
            session.chooser = random.Random(seed)
            played.append(search(session, limits, fen).outcomes[0].best)
            assert played[-1] in legal_moves(session.position)
    assert played[0] == played[2]


def with_a_mate(count: int) -> list[str]:
    """Positions of games at random in which the side to move can mate."""
    chooser, found = random.Random(5), list[str]()
    while len(found) < count:
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 200:
            before = board.fen()
            moves = list(board.legal_moves)
            for move in moves:
                board.push(move)
                mate = board.is_checkmate()
                board.pop()
                if mate:
                    found.append(before)
                    break
            board.push(chooser.choice(moves))
    return found[:count]


@pytest.mark.parametrize("level", [SEES_MATES, 16, FULL_STRENGTH - 1])
def test_a_mate_in_one_is_always_played_from_some_level_on(level: int) -> None:
    with opened(Settings(handicap=Handicap.of_level(level))) as session:
        session.chooser = random.Random(1)
        for fen in with_a_mate(sized(30, 3)):
            board = chess.Board(fen)
            board.push_uci(search(session, Limits(nodes=sized(4000, 300)), fen).best)
            assert board.is_checkmate(), fen


def test_a_beginner_overlooks_mates() -> None:
    with opened(Settings(handicap=Handicap.of_level(WEAKEST_LEVEL))) as session:
        session.chooser = random.Random(1)
        mates = 0
        for fen in with_a_mate(sized(30, 6)):
            board = chess.Board(fen)
            board.push_uci(search(session, Limits(nodes=sized(4000, 300)), fen).best)
            mates += board.is_checkmate()
    assert 0 < mates < sized(30, 6)


QUEENS = [
    "r1bqkbnr/ppp2ppp/2np4/4p3/4P3/5Q2/PPPP1PPP/RNB1KBNR w KQkq - 0 4",
    "rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR b KQkq - 0 3",
    "r4rk1/ppp2ppp/2n2n2/3q4/3P4/2N2N2/PPP2PPP/R2Q1RK1 b - - 0 12",
]


def hangs_the_queen(board: chess.Board) -> bool:
    """Whether the side to move can take a queen with a piece that is at most three squares away."""
    for move in board.legal_moves:
        near = chess.square_distance(move.from_square, move.to_square) <= 3
        if near and board.piece_type_at(move.to_square) == chess.QUEEN:
            return True
    return False


@pytest.mark.parametrize("level", [NOT_ABSURD, 7, 12])
@pytest.mark.parametrize("fen", QUEENS)
def test_the_queen_is_not_hung_where_that_is_obvious(fen: str, level: int) -> None:
    with opened(Settings(handicap=Handicap.of_level(level))) as session:
        for seed in range(sized(15, 2)):
            session.chooser = random.Random(seed)
            board = chess.Board(fen)
            move = chess.Move.from_uci(search(session, Limits(), fen).best)
            takes = board.piece_type_at(move.to_square) == chess.QUEEN
            board.push(move)
            assert takes or not hangs_the_queen(board), (seed, move)


def test_the_position_is_left_as_it_was() -> None:
    position = parse_fen(KIWIPETE)
    key = position.key
    told = lines(KIWIPETE, (0, "e2a6 b4c3 b2c3"), (-30, "e5g6 f7g6"))
    assert Sight(position, 1000, random.Random(1)).lines(told)
    assert position.key == key
