"""Mates and draws: found, exactly scored, and so also with a table full of other searches."""

import random
from collections.abc import Iterator

import chess
import pytest

from engine.board.fen import parse_fen
from engine.board.notation import move_text, parse_move
from engine.board.position import COMPILED
from engine.search.constants import MATE
from engine.search.limits import Limits
from engine.search.report import Bound, Score
from engine.search.table import Table
from engine.session import Session
from tests.engine.search.searching import (
    SURE,
    Recorder,
    changed,
    deepening,
    iterations,
    last,
    nodes,
    only,
    opened,
    search,
    sized,
)

ROOK_MATE = "6k1/8/5K2/8/8/8/8/R7 w - - 0 1"  # in two, by quiet moves only
QUEEN_MATE = "5k2/8/3K4/8/8/8/8/6Q1 w - - 0 1"

LIGHT = [
    ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", 1, 2),
    ("k2r4/8/8/8/8/8/5PPP/6K1 b - - 0 1", 1, 2),
    ("6rk/6pp/8/6N1/8/8/8/K7 w - - 0 1", 1, 2),
    ("8/5P1k/5K2/8/8/8/8/8 w - - 0 1", 2, 4),  # by promotion to a rook
    ("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w - - 0 1", 2, 3),
    ("2bqkbn1/2pppp2/np2N3/r3P1p1/p2N2B1/5Q2/PPPPKPP1/RNB2r2 w - - 0 1", 2, 3),
    (QUEEN_MATE, 2, 4),
    (ROOK_MATE, 2, 4),
    ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3, 4),
    ("1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1", 3, 5),
]
HEAVY = [
    ("3k4/8/8/3K4/8/8/8/R7 w - - 0 1", 3, 8),
    ("5r1k/6pp/8/6N1/2Q5/8/8/K7 w - - 0 1", 4, 8),  # smothered
    ("8/3k4/8/8/8/8/1R6/R3K3 w - - 0 1", 5, 10),
]
MATES = [*LIGHT, *HEAVY[: sized(3, 0)]]
"""Position, moves to mate, and a depth that suffices to see that there is none shorter."""


@pytest.fixture
def session() -> Iterator[Session]:
    with opened(megabytes=4) as session:
        yield session


@pytest.fixture
def sure(session: Session) -> Session:
    session.settings.parameters = SURE
    return session


def value_of(mate: int) -> int:
    """The score of mate in `mate` moves, or of being mated when negative."""
    return MATE - 2 * mate + 1 if mate > 0 else -MATE - 2 * mate


def assert_mates(fen: str, heard: Recorder, mate: int) -> None:
    assert heard.mate == mate
    assert heard.value == value_of(mate)
    assert heard.last.bound is Bound.EXACT
    board = chess.Board(fen)
    for move in heard.last.moves:
        board.push_uci(move_text(move))
    assert board.is_checkmate()
    assert len(heard.last.moves) == (2 * mate - 1 if mate > 0 else -2 * mate)


@pytest.mark.parametrize(("fen", "mate", "depth"), MATES)
def test_mate_is_found(sure: Session, fen: str, mate: int, depth: int) -> None:
    assert_mates(fen, search(sure, Limits(depth=depth), fen), mate)


@pytest.mark.parametrize(("fen", "mate", "depth"), LIGHT[-4:])
def test_mates_in_the_table_count_from_their_own_positions(fen: str, mate: int, depth: int) -> None:
    table, position = Table(1), parse_fen(fen)
    use = changed(**SURE, horizon_extension=0)  # with it mated positions are not stored
    (line,) = last(deepening(fen, use, table=table), depth).lines
    for left, move in enumerate(line.moves, 2 - 2 * mate):
        position.make(move)
        score = (table.probe(position.table_key()) >> 16 & 0xFFFF) - 32768
        assert score == (MATE + left if left % 2 else -MATE - left)


@pytest.mark.parametrize(("fen", "mate", "depth"), MATES if COMPILED else LIGHT[:3])
def test_mate_is_found_in_spite_of_guesses(session: Session, fen: str, mate: int, depth: int) -> None:
    """Later than without them, because what is left out at little depth may be the key; but exactly."""
    heard = search(session, Limits(depth=2 * depth + 12, nodes=1_500_000), fen)
    assert_mates(fen, heard, mate)


@pytest.mark.parametrize(("fen", "mate", "depth"), MATES)
def test_search_for_a_mate_ends_with_it(session: Session, fen: str, mate: int, depth: int) -> None:
    heard = search(session, Limits(mate=mate), fen)
    assert_mates(fen, heard, mate)
    assert heard.last.depth <= depth


@pytest.mark.parametrize(
    ("fen", "mate", "deepest"),
    [("8/8/8/3k4/8/8/4P3/4K3 w - - 0 1", 1, 4), ("8/8/8/3k4/8/8/4P3/4K3 w - - 0 1", 2, 6), (ROOK_MATE, 1, 4)],
)
def test_search_for_a_mate_ends_where_there_is_none(
    session: Session, fen: str, mate: int, deepest: int
) -> None:
    """By itself; the limit of nodes is for searches that do not."""
    heard = search(session, Limits(mate=mate, nodes=1_000_000), fen)
    assert heard.last.depth <= deepest
    assert heard.last.nodes < 1_000_000


def test_search_for_a_mate_sees_zugzwang(session: Session) -> None:
    """Morphy's problem: after 1.Ra6 any move lets White mate, and a pass would not."""
    fen = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
    heard = search(session, Limits(mate=2, nodes=sized(100_000, 10_000)), fen)
    assert_mates(fen, heard, 2)
    assert heard.best == "a1a6"
    session.new_game()
    assert search(session, Limits(depth=5), fen).last.nodes == nodes(
        fen, 5
    )  # nothing of it stays switched off


def test_search_for_a_mate_believes_nothing_from_before(session: Session) -> None:
    """On the way back to where the king has been twice lie draws, for a search that knows of it."""
    fen, shuffled = "1k6/8/3K4/8/8/6R1/8/8 w - - 0 1", ["d6c5", "b8c8", "c5d6", "c8b8", "d6c5", "b8c8"]
    search(session, Limits(depth=8), fen, shuffled)
    fen = "2k5/8/8/2K5/8/6R1/8/8 w - - 6 4"
    assert_mates(fen, search(session, Limits(mate=3, depth=8), fen), 3)


@pytest.mark.parametrize(("fen", "mate", "depth"), MATES)
def test_mate_stays_exact_while_it_is_played(sure: Session, fen: str, mate: int, depth: int) -> None:
    """Each side in turn searches with what the table has from before."""
    line = [move_text(move) for move in search(sure, Limits(depth=depth), fen).last.moves]
    for played in range(1, len(line)):
        left = mate - (played + 1) // 2
        heard = search(sure, Limits(depth=depth), fen, line[:played])
        assert heard.mate == (left if played % 2 == 0 else -left)
        assert heard.value == value_of(heard.mate)


FULL_WIDTH = ("alpha_beta", "ordering", "killers", "history", "principal_variation", "mate_distance")


def proved(fen: str, depth: int) -> int | None:
    """The value to a depth with nothing left out, or None where that takes too long."""
    reached = last(deepening(fen, only(*FULL_WIDTH), node_limit=sized(500_000, 20_000)), depth)
    return reached.best.score if reached.finished else None


def assert_real(fen: str, heard: Recorder) -> bool:
    """Check the score of a near mate against the truth."""
    claim = heard.mate
    if claim is None or abs(claim) > 3:
        return False
    truth = proved(fen, 2 * claim - 1 if claim > 0 else -2 * claim)
    if truth is not None:
        assert truth >= heard.value if claim > 0 else truth <= heard.value, (fen, claim)
    return truth is not None


@pytest.mark.parametrize("singular", [False, True])
def test_mates_that_are_claimed_are_real(session: Session, singular: bool) -> None:
    """In that many moves or fewer, in random positions, with all that is known from the others."""
    session.settings.parameters = {"singular_extensions": int(singular)}
    rng, found = random.Random(4), 0
    while found < sized(24, 6):
        fen = random_endgame(rng)
        heard = search(session, Limits(nodes=sized(30_000, 2_000)), fen)
        found += heard.last.bound is Bound.EXACT and assert_real(fen, heard)


def random_endgame(rng: random.Random, most: int = 8) -> str:
    while True:
        board = chess.Board(None)
        squares = rng.sample(range(64), 2 + rng.randrange(2, most + 1))
        for colour in chess.COLORS:
            board.set_piece_at(squares.pop(), chess.Piece(chess.KING, colour))
        for square in squares:
            kind = rng.choice((1, 1, 2, 3, 4, 4, 5, 5))
            if kind != chess.PAWN or 8 <= square < 56:
                board.set_piece_at(square, chess.Piece(kind, rng.random() < 0.6))
        board.turn = rng.random() < 0.7
        if board.is_valid() and any(board.legal_moves):
            return board.fen()


def test_scores_of_mates() -> None:
    for moves in range(1, 50):
        assert Score(value_of(moves)).mate() == moves
        assert Score(value_of(-moves)).mate() == -moves
    assert Score(-MATE).mate() == 0
    assert Score(0).mate() is None
    assert Score(12300).mate() is None


STALEMATES = [
    "k7/P7/2K5/8/8/8/8/8 w - - 0 1",
    "4rb1k/6pp/8/3Q4/8/8/2q5/K7 w - - 0 1",  # the king must take the queen on g8
]


@pytest.mark.parametrize("fen", STALEMATES)
def test_stalemate_ahead_is_drawn(sure: Session, fen: str) -> None:
    for _ in range(2):
        assert search(sure, Limits(depth=4), fen).value == 0


# The clock of the fifty moves: a rook's mate in two needs three plies, a queen's too.


@pytest.mark.parametrize("fen", [ROOK_MATE, QUEEN_MATE])
@pytest.mark.parametrize("order", [1, -1])
def test_mate_counts_up_to_the_hundredth_ply(sure: Session, fen: str, order: int) -> None:
    for clock in list(range(86, 100))[::order]:
        heard = search(sure, Limits(depth=5), fen.replace(" 0 1", f" {clock} 90"))
        assert heard.value == (value_of(2) if clock + 3 <= 100 else 0), clock


def test_mate_comes_before_the_fifty_moves(sure: Session) -> None:
    fen = "k7/8/1K6/8/8/8/8/7R w - - 99 80"
    for _ in range(2):
        assert search(sure, Limits(depth=4), fen).mate == 1
        assert search(sure, Limits(depth=4), fen.replace("w - - 99", "w - - 0")).mate == 1
    for move in ("h1h7", "h1a1"):
        assert search(sure, Limits(depth=4, search_moves=(number(fen, move),)), fen).value == 0


def number(fen: str, text: str) -> int:
    with opened() as session:
        session.set_position(fen)
        return parse_move(session.position, text)


def test_fifty_moves_draw_what_the_table_takes_for_won(session: Session) -> None:
    won = "8/8/8/3k4/8/8/8/RR2K3 w - - {} 90"
    assert search(session, Limits(depth=5), won.format(0)).value > 800
    assert search(session, Limits(depth=5), won.format(99)).value == 0
    assert search(session, Limits(depth=5), won.format(98)).value == 0
    assert search(session, Limits(depth=5), won.format(0)).value > 800


SHUFFLE = ["a1a2", "d5e5", "a2a1", "e5d5"]


def test_third_occurrence_is_drawn_whatever_the_table_says(session: Session) -> None:
    fen = "8/8/8/3k4/8/8/8/R3K3 w - - 0 1"
    move = number(fen, "a1a2")
    for _ in range(2):
        for depth in (1, 4):
            once = Limits(depth=depth, search_moves=(move,))
            assert search(session, once, fen).value >= 400
            assert search(session, once, fen, SHUFFLE * 2).value == 0


@pytest.mark.parametrize(("upcoming_repetition", "depth"), [(1, 4), (0, 5)])
def test_perpetual_check_is_seen_a_ply_earlier(upcoming_repetition: int, depth: int) -> None:
    """Qe8+ Kh7 Qh5+ Kg8, and Qe8+ would be the fifth ply; Black threatens mate, and has a rook for a pawn."""
    use = changed(**{**SURE, "horizon_extension": 0, "upcoming_repetition": upcoming_repetition})
    found = iterations(deepening("6k1/6p1/8/7Q/8/8/qr4PP/6K1 w - - 0 1", use), 6)
    assert [each.depth for each in found if each.best.score == 0] == [*range(depth, 7)]
