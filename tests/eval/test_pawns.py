"""The table that remembers pawn structure and shelter."""

import random

from engine.board.position import Position
from eval.features import WEIGHTS
from eval.linear import Linear
from eval.weight_file import Weights
from tests.engine.search.searching import sized
from tests.eval.boards import ours, scattered


def test_what_is_remembered_belongs_to_these_pawns_and_kings() -> None:
    """The same pawns with the kings elsewhere, the same kings with other pawns, again and again."""
    rng = random.Random(1)
    middle, endgame = (tuple(rng.randint(-300, 300) for _ in range(WEIGHTS)) for _ in range(2))
    weights = Weights(middle, endgame)
    warm = Linear(weights)
    positions: list[Position] = []
    for seed in range(sized(30, 12)):
        board = scattered(seed, "KkPPPPppppRrBn")
        for colour in (True, False):
            for square in rng.sample(range(64), 12):
                other = board.copy()
                other.remove_piece_at(other.king(colour) or 0)
                if other.piece_at(square) is None:
                    other.set_piece_at(square, board.piece_at(board.king(colour) or 0))
                    if other.is_valid():
                        positions.append(ours(other))
    assert len(positions) > sized(250, 90)
    for _ in range(2):
        rng.shuffle(positions)
        for position in positions:
            assert warm.static_value(position) == Linear(weights).static_value(position)


def test_entry_is_kept_only_until_another_needs_its_place() -> None:
    """Far more pawn structures than the table has entries."""
    weights = Weights((7,) * WEIGHTS, tuple(index - 500 for index in range(WEIGHTS)))
    warm = Linear(weights)
    boards = [scattered(seed, "KkPPppQq") for seed in range(sized(1500, 300))]
    values = [warm.static_value(ours(board)) for board in boards]
    assert [warm.static_value(ours(board)) for board in boards] == values
    for board, value in list(zip(boards, values, strict=True))[:: sized(15, 5)]:
        trace = warm.trace(ours(board))
        assert value == (trace.value if board.turn else -trace.value)
