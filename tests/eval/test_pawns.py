"""Pawn structure and shelter by hand, and the table that remembers them."""

import random

import pytest

from engine.board.fen import parse_fen
from engine.board.position import Position
from eval.features import FEATURES, WEIGHTS
from eval.linear import Linear
from eval.weight_file import Weights
from tests.engine.search.searching import sized
from tests.eval.boards import ours, scattered

START = {feature.name: feature.start for feature in FEATURES}
LENGTHS = {feature.name: feature.shape for feature in FEATURES}
BASIC = Weights((0,) * WEIGHTS, (0,) * WEIGHTS)
Counts = dict[tuple[int, ...], tuple[int, int]]


def told(fen: str, name: str) -> Counts:
    """What White and Black have of a feature, by its axes."""
    (*_, last) = LENGTHS[name]
    size = next(feature.size for feature in FEATURES if feature.name == name)
    counts = Linear(BASIC).trace(parse_fen(fen)).counts
    found = {place: counts[START[name] + place] for place in range(size) if START[name] + place in counts}
    if len(LENGTHS[name]) == 1:
        return {(place,): count for place, count in found.items()}
    return {(place // last, place % last): count for place, count in found.items()}


W, B, BOTH, TWO = (1, 0), (0, 1), (1, 1), (2, 0)


@pytest.mark.parametrize(
    ("pawns", "name", "expected"),
    [
        # from White's eighth rank down to the first; the kings stand on e8 and e1
        ("8/8/8/8/8/8/P7/8", "isolated", {(1,): W}),
        ("8/p7/8/8/8/8/P7/8", "isolated", {(0,): BOTH}),
        ("8/8/8/p7/8/8/PP6/8", "isolated", {(0,): B}),
        ("8/8/8/8/8/P7/P7/8", "isolated", {(1,): TWO}),
        ("8/8/8/8/P7/8/1P6/8", "isolated", {}),
        ("8/8/8/8/P7/8/P7/8", "doubled", {(0,): W}),
        ("8/8/8/P7/P7/8/P7/8", "doubled", {(0,): TWO}),
        ("8/p7/8/8/8/p7/P7/8", "doubled", {(0,): B}),
        ("8/8/8/8/8/8/PPP5/8", "phalanx", {(1,): (3, 0)}),
        ("8/8/8/8/8/1P6/P1P5/8", "phalanx", {}),
        ("8/pp6/8/8/8/8/8/8", "phalanx", {(1,): (0, 2)}),
        ("8/8/8/8/8/1P6/P1P5/8", "supported", {(2,): W}),
        ("8/p7/1p6/2p5/8/8/8/8", "supported", {(2,): B, (3,): B}),
        ("8/8/8/8/8/P6P/7P/8", "supported", {}),  # the edges are no neighbours
        # backward: the neighbours are ahead and the square ahead is guarded by a pawn
        ("8/8/8/2p5/P7/8/1P6/8", "backward", {}),
        ("8/8/8/p7/2P5/8/1P6/8", "backward", {}),
        ("8/8/8/8/p1P5/8/1P6/8", "backward", {(1,): W}),
        ("8/8/1p6/8/p1P5/8/1P6/8", "backward", {(0,): BOTH}),
        ("8/8/8/8/p1P5/8/PP6/8", "backward", {}),  # one beside it is level
        ("8/8/8/8/pn6/8/1P6/8", "backward", {}),  # isolated
        ("8/3p4/8/2p1P3/8/8/8/8", "backward", {(1,): B}),
        # passed: nobody on the three files ahead, no own pawn ahead
        ("8/8/8/3P4/8/8/8/8", "passed", {(4,): W}),
        ("8/8/2p5/3P4/8/8/8/8", "passed", {}),
        ("8/8/8/2pP4/8/8/8/8", "passed", {(4,): W, (3,): B}),
        ("8/8/3p4/3P4/8/8/8/8", "passed", {}),
        ("8/8/1p6/3P4/8/8/8/8", "passed", {(4,): W, (2,): B}),
        ("8/8/8/3P4/3P4/8/8/8", "passed", {(4,): W}),
        ("8/P7/7p/8/8/8/8/8", "passed", {(6,): W, (2,): B}),
        # candidates: their own file is free, and enough pawns help
        ("8/8/1p6/8/8/8/PP6/8", "candidate", {(1,): W}),
        ("8/1p6/8/8/8/8/P7/8", "candidate", {}),
        ("8/p1p5/8/8/8/8/PPP5/8", "candidate", {(1,): W}),
        ("8/p1p5/8/8/8/8/PP6/8", "candidate", {}),
        ("8/pp6/8/8/8/1P6/8/8", "candidate", {(1,): B}),
        ("8/8/8/3P4/3P4/8/8/8", "candidate", {(3,): W}),  # only an own pawn is in its way
        ("8/p1p5/8/8/1P6/2P5/8/8", "candidate", {}),
        ("8/8/p7/8/1P6/2P5/8/8", "candidate", {(3,): W}),
        # a king's steps to the square ahead, from the fourth rank on
        ("8/8/8/8/8/P7/8/8", "own king to passed", {}),
        ("8/8/8/8/P7/8/8/8", "own king to passed", {(4,): W}),
        ("8/8/8/8/P7/8/8/8", "enemy king to passed", {(4,): W}),
        ("8/4P3/8/8/8/8/8/8", "own king to passed", {(7,): W}),
        ("8/4P3/8/8/8/8/8/8", "enemy king to passed", {(0,): W}),
        ("8/8/8/8/7p/8/8/8", "own king to passed", {(5,): B}),
        ("8/8/8/8/7p/8/8/8", "enemy king to passed", {(3,): B}),
    ],
)
def test_pawns_by_hand(pawns: str, name: str, expected: Counts) -> None:
    assert told(f"4k3{pawns[1:-1]}4K3 w - - 0 1", name) == expected


def test_what_is_remembered_belongs_to_these_pawns_and_kings() -> None:
    """The same pawns with the kings elsewhere, the same kings with other pawns, time and again."""
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
