"""Correction history: what was off is learned, within bounds, by side to move and by what positions share."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from engine.board.position import Position
from engine.search.correction import Correction
from engine.search.parameters import Parameters

ROOT = "r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/2N1B3/PP2BPPP/R2Q1RK1 w - - 0 11"
PAWNS_ELSEWHERE = "r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/P1N1B3/1P2BPPP/R2Q1RK1 w - - 0 11"
PIECES_ELSEWHERE = "2rqr1k1/pp2bppp/2n1bn2/3p4/3N4/2N1B3/PP2BPPP/2RQR1K1 w - - 0 11"
ALL_ELSEWHERE = "2rqr1k1/pp2bppp/2n1bn2/3p4/3N4/P1N1B3/1P2BPPP/2RQR1K1 w - - 0 11"
KNIGHTS_ELSEWHERE = "r2q1rk1/pp2bppp/4bn2/n2p4/8/1NN1B3/PP2BPPP/R2Q1RK1 w - - 0 11"
WEIGHTS = ("correction_pawns", "correction_pieces", "correction_minor")


def weights(**given: int) -> Parameters:
    """These, and no other weight."""
    parameters = Parameters()
    parameters.reset({**dict.fromkeys(WEIGHTS, 0), **given})
    return parameters


UNITS = weights(**dict.fromkeys(WEIGHTS, 4096))
LARGEST = 1024  # of each of the four that are added up


def position(fen: str = ROOT) -> Position:
    return parse_fen(fen)


def other_side(fen: str) -> str:
    return fen.replace(" w ", " b ")


def learned(*differences: int, depth: int = 8, fen: str = ROOT) -> Correction:
    correction = Correction()
    for difference in differences:
        correction.learn(position(fen), difference, depth)
    return correction


@pytest.mark.parametrize("difference", [30, -30, 400, -400])
def test_what_is_known_moves_towards_the_difference(difference: int) -> None:
    correction = Correction()
    before = 0
    for _ in range(20):
        correction.learn(position(), difference, 6)
        found = correction.find(position(), UNITS)
        assert found > before if difference > 0 else found < before
        before = found
    for _ in range(40):
        correction.learn(position(), -difference, 6)
    assert (correction.find(position(), UNITS) > 0) == (difference < 0)


def test_what_was_found_deeper_counts_more() -> None:
    assert 0 < learned(40, depth=2).find(position(), UNITS) < learned(40, depth=6).find(position(), UNITS)


@given(st.lists(st.tuples(st.integers(-31000, 31000), st.integers(1, 255)), max_size=40))
def test_it_stays_within_bounds(lessons: list[tuple[int, int]]) -> None:
    correction = Correction()
    for difference, depth in lessons:
        correction.learn(position(), difference, depth)
        assert abs(correction.find(position(), UNITS)) <= 4 * LARGEST


def test_sides_to_move_are_kept_apart() -> None:
    correction = learned(300)
    assert correction.find(position(other_side(ROOT)), UNITS) == 0
    correction.learn(position(other_side(ROOT)), -300, 8)
    assert correction.find(position(), UNITS) == learned(300).find(position(), UNITS)


def test_colours_are_kept_apart() -> None:
    """The one side's pieces teach nothing about the other's that stand likewise."""
    mirrored = chess.Board(ROOT).mirror().fen()
    assert learned(300).find(position(mirrored), UNITS) == 0


def test_pawns_pieces_and_minor_pieces_are_known_by_themselves() -> None:
    correction = learned(300)
    pawns, pieces, minor = (correction.find(position(), weights(**{name: 4096})) for name in WEIGHTS)
    assert 0 < pawns == minor < pieces
    assert correction.find(position(), UNITS) == pawns + pieces + minor
    assert correction.find(position(PAWNS_ELSEWHERE), UNITS) == pieces + minor
    assert correction.find(position(PIECES_ELSEWHERE), UNITS) == pawns + minor
    assert correction.find(position(ALL_ELSEWHERE), UNITS) == minor
    assert correction.find(position(KNIGHTS_ELSEWHERE), UNITS) == pawns
    weighed = weights(correction_pawns=2 * 4096, correction_pieces=3 * 4096, correction_minor=4096)
    assert correction.find(position(), weighed) == 2 * pawns + 3 * pieces + minor


def test_cleared_it_knows_nothing() -> None:
    correction = learned(300, 300)
    correction.learn(position(other_side(ROOT)), -200, 9)
    correction.clear()
    assert correction.find(position(), UNITS) == correction.find(position(other_side(ROOT)), UNITS) == 0
