"""Packed positions are evaluated as positions are."""

from array import array

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from eval.batch import BatchEvaluator
from eval.choice import Choices
from eval.training.game_file import pack_position
from protocol.evaluation import scale_of
from tests.engine.board.games import boards
from tests.engine.board.test_packed import played

CHOICES = Choices()


@pytest.mark.parametrize("name", CHOICES.names)
@given(board=boards(), seed=st.integers(0, 2**32 - 1), plies=st.lists(st.integers(0, 40), max_size=5))
def test_values(name: str, board: chess.Board, seed: int, plies: list[int]) -> None:
    """One after the other, in any order, on the scale of the searches and on the evaluator's own."""
    choice = CHOICES[name]
    positions = []
    for count in plies:
        played(board, seed, count)
        positions.append(parse_fen(board.shredder_fen() if board.chess960 else board.fen()))
    data = b"".join(map(pack_position, positions))
    evaluator = choice.make()
    own = [evaluator.static_value(position) for position in positions]
    scales = [scale_of(position, choice.outcome, normalises=True) for position in positions]
    assert choice.outcome is not None
    for unit, expected in (
        (lambda _: 100.0, own),
        (choice.outcome.even, [scale.centipawns(value) for scale, value in zip(scales, own, strict=True)]),
    ):
        out = array("i", bytes(4 * len(positions)))
        assert BatchEvaluator(choice.make(), unit).evaluate(data, out, 0, len(positions)) == len(positions)
        assert [*out] == expected


def test_it_stops_at_what_is_no_position() -> None:
    good = pack_position(parse_fen(chess.STARTING_FEN))
    out = array("i", [7] * 4)
    judge = BatchEvaluator(CHOICES["material"].make(), lambda _: 100.0)
    assert judge.evaluate(good + good + bytes(32) + good, out, 1, 4) == 2
    assert [*out] == [7, 0, 7, 7]
