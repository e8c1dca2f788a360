"""The linear evaluation against its oracle, and what must hold of it wherever and whenever it is asked."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.fen import mirrored, parse_fen
from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.search.constants import MATE_BOUND
from eval.evaluator import Trace
from eval.features import FEATURES, TERMS, WEIGHTS
from eval.linear import Linear
from eval.weight_file import LARGEST_WEIGHT, Weights
from tests.engine.board.games import boards, play
from tests.engine.search.oracles import VALUES, random_board
from tests.engine.search.searching import sized
from tests.eval.boards import all_kinds, few_pieces, from_book, many_pieces, ours
from tests.eval.ending_oracle import LIMIT, verdict
from tests.eval.feature_oracle import FACTORS, RULES, counts, feature_of
from tests.eval.some_weights import standard_weights

BASIC = Weights((0,) * WEIGHTS, (0,) * WEIGHTS)
ROOTS = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/PP3k2/8/8/8/8/2K3pp/8 b - - 0 1",
    "4k3/8/8/3pP3/8/8/2B5/R3K2R w KQ d6 0 2",
    "8/5PK1/8/4PNp1/8/8/pP2k3/8 w - - 0 1",
)


def any_weights(seed: int, largest: int = LARGEST_WEIGHT) -> Weights:
    rng = random.Random(seed)
    middle, endgame = ([rng.randint(-largest, largest) for _ in range(WEIGHTS)] for _ in range(2))
    return Weights(tuple(middle), tuple(endgame))


@cache
def sample() -> list[chess.Board]:
    return all_kinds(sized(80, 50))


def for_mover(position: Position, value: int) -> int:
    """White's value as the side to move sees it."""
    return -value if position.side else value


def check(linear: Linear, board: chess.Board, weights: Weights) -> None:
    told, expected = linear.trace(ours(board)), verdict(board, weights)
    wrong = {
        index: f"{feature_of(index)}: {told.counts.get(index)} not {expected.counts.get(index)}"
        for index in told.counts.keys() | expected.counts.keys()
        if told.counts.get(index) != expected.counts.get(index)
    }
    assert not wrong, board.fen()
    scale = told.scale if expected.scale is None else expected.scale
    value = told.value if expected.value is None else expected.value
    assert told == Trace(expected.counts, expected.material, expected.phase, scale, expected.known, value), (
        board.fen()
    )


@pytest.mark.parametrize("weights", [standard_weights(), any_weights(1)], ids=["standard", "at random"])
def test_trace_is_what_the_oracle_says(weights: Weights) -> None:
    linear = Linear(weights)
    for board in sample():
        check(linear, board, weights)


@settings(max_examples=sized(40, 15))
@given(boards(), st.integers(0, 2**32), st.integers(0, 100))
def test_trace_follows_any_game(start: chess.Board, seed: int, plies: int) -> None:
    for _ in play(start, random.Random(seed), plies):
        pass
    check(Linear(BASIC), start, BASIC)


def test_the_sample_has_some_of_everything() -> None:
    """Else the comparison would prove little."""
    met = {index for board in sample() for index in counts(board)}
    for feature in FEATURES:
        some = {index for index in met if feature_of(index) == feature.name}
        assert len(some) >= 0.6 * feature.size, feature.name
    verdicts = [verdict(board, BASIC) for board in sample()]
    assert {each.scale for each in verdicts} > {0, 48, 52, 58, 64, None}
    assert {each.phase for each in verdicts} == {*range(25)}


def test_oracle_has_a_rule_for_each_feature() -> None:
    assert RULES.keys() | FACTORS.keys() == {feature.name for feature in FEATURES}
    assert not RULES.keys() & FACTORS.keys()


# What it tells people


def worth(board: chess.Board, colour: bool) -> int:
    return sum(VALUES[kind] * len(board.pieces(kind, colour)) for kind in range(chess.PAWN, chess.KING))


@pytest.mark.parametrize("weights", [standard_weights(), any_weights(9)], ids=["standard", "at random"])
def test_explanation_adds_up_what_each_side_counts(weights: Weights) -> None:
    term_of = [feature.term for feature in FEATURES for _ in range(feature.size)]
    for board in sample()[: sized(200, 60)]:
        told, trace = Linear(weights).explain(ours(board)), Linear(weights).trace(ours(board))
        assert (told.phase, told.scale, told.value) == (trace.phase, trace.scale, trace.value)
        assert [term.name for term in told.terms] == ["Material", *TERMS]
        assert bool(told.note) == trace.known
        white, black = worth(board, chess.WHITE), worth(board, chess.BLACK)
        assert (told.terms[0].white, told.terms[0].black) == ((white, white), (black, black))
        for term in told.terms[1:]:
            counted = [(index, both) for index, both in trace.counts.items() if term_of[index] == term.name]
            for side, parts in enumerate((term.white, term.black)):
                for row, part in zip((weights.middle, weights.endgame), parts, strict=True):
                    assert part == sum(row[index] * both[side] for index, both in counted)


# One value for one position


@pytest.mark.parametrize("weights", [standard_weights(), any_weights(2)], ids=["standard", "at random"])
def test_evaluation_is_that_of_the_trace_however_often_asked(weights: Weights) -> None:
    warm = Linear(weights)
    for _ in range(2):
        for board in sample():
            position = ours(board)
            value = warm.static_value(position)
            assert for_mover(position, warm.trace(position).value) == value, board.fen()
            assert warm.static_value(position) == value, board.fen()
    for board in sample()[: sized(40, 20)]:
        assert Linear(weights).static_value(ours(board)) == warm.static_value(ours(board)), board.fen()


def walk(position: Position, depth: int, width: int, rng: random.Random) -> Iterator[None]:
    """A few moves at each node, a pass wherever there may be one; yields at each node, going and coming."""
    yield
    if depth == 0:
        return
    if not position.checkers:
        position.make_null()
        yield from walk(position, depth - 1, width, rng)
        position.unmake_null()
    moves = legal_moves(position)
    for move in rng.sample(moves, min(width, len(moves))):
        position.make(move)
        yield from walk(position, depth - 1, width, rng)
        position.unmake()
        yield


@pytest.mark.parametrize("fen", ROOTS)
def test_every_node_of_a_tree_is_judged_as_if_met_first(fen: str) -> None:
    weights = any_weights(4, 200)
    warm, tracer = Linear(weights), Linear(weights)
    position = parse_fen(fen)
    for nodes, _ in enumerate(walk(position, 3, sized(9, 5), random.Random(fen))):
        value = warm.static_value(position)
        assert value == for_mover(position, tracer.trace(position).value)
        if nodes % 100 == 0:
            assert value == Linear(weights).static_value(position)


# Symmetries


def endgame(trace: Trace, weights: Weights) -> int:
    """White's advantage in the endgame before it is scaled."""
    return trace.material + sum(
        weights.endgame[index] * (white - black) for index, (white, black) in trace.counts.items()
    )


@pytest.mark.parametrize("weights", [standard_weights(), any_weights(6)], ids=["standard", "at random"])
def test_exchanging_the_colours_exchanges_the_counts(weights: Weights) -> None:
    linear = Linear(weights)
    for board in sample():
        position = ours(board)
        other = mirrored(position)
        trace, flipped = linear.trace(position), linear.trace(other)
        exchanged = {index: (black, white) for index, (white, black) in trace.counts.items()}
        expected = replace(trace, counts=exchanged, material=-trace.material, value=-trace.value)
        if endgame(trace, weights) == 0:  # nobody is ahead whose chances could be scaled
            flipped = replace(flipped, scale=trace.scale)
        assert flipped == expected, board.fen()
        assert linear.static_value(other) == linear.static_value(position), board.fen()


def test_mirroring_the_board_changes_nothing() -> None:
    linear = Linear(any_weights(7))
    for met in sample():
        board = met.copy(stack=False)
        board.castling_rights = chess.BB_EMPTY
        other = board.transform(chess.flip_horizontal)
        if board.ep_square is not None:
            other.ep_square = board.ep_square ^ 7
        assert linear.trace(ours(other)) == linear.trace(ours(board)), board.fen()
        assert linear.static_value(ours(other)) == linear.static_value(ours(board)), board.fen()


# The range


@pytest.mark.parametrize("make", [random_board, from_book, few_pieces, many_pieces])
def test_worst_weights_for_a_position_stay_clear_of_mates(make: Callable[[int], chess.Board]) -> None:
    """Every weight as large as it may be, with the sign that drives the value up or down."""
    for seed in range(sized(20, 8)):
        board = make(seed)
        counted = counts(board)
        for sense in (LARGEST_WEIGHT, -LARGEST_WEIGHT):
            row = [0] * WEIGHTS
            for index, (white, black) in counted.items():
                row[index] = sense * ((white > black) - (white < black))
            weights = Weights(tuple(row), tuple(row))
            assert abs(Linear(weights).static_value(ours(board))) <= LIMIT < MATE_BOUND
            check(Linear(weights), board, weights)
