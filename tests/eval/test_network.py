"""The value network against its oracle and against itself, by whatever moves a position is met."""

import random
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import chess
import pytest

from engine.board.fen import START_FEN, format_fen, mirrored, parse_fen
from engine.board.move import is_capture, is_castling, is_en_passant, is_promotion
from engine.board.movegen import legal_moves
from engine.board.position import COMPILED, Position
from eval.endings import won_ending
from eval.material import worth
from eval.network import Network
from eval.network_file import NetworkWeights
from tests.engine.board.games import chess960_start
from tests.engine.search.searching import sized
from tests.eval.boards import all_kinds, few_pieces, from_book, many_pieces, ours
from tests.eval.ending_oracle import LIMIT
from tests.eval.network_oracle import NetworkOracle
from tests.eval.some_networks import (
    BY_RANK,
    EACH_SQUARE,
    ONE_BUCKET,
    SHAPES,
    extreme_network,
    random_network,
    shaped,
)

STARTS = (
    START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/3k4/2p5/8/3K4/4P3/8 w - - 0 1",  # kings that walk from half to half
    "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQkq - 0 1",
    "4k3/2p1p1p1/8/1P1P1P1P/1p1p1p1p/8/2P1P1P1/4K3 w - - 0 1",  # captures en passant
)


@cache
def sample() -> list[chess.Board]:
    """What the values are compared with their oracle on."""
    return all_kinds(sized(30, 6))


def scratch(weights: NetworkWeights, position: Position) -> int:
    """The value by an evaluator that has seen nothing else, of a position without a history."""
    pieces = [position.piece_at(square) for square in range(64)]
    return Network(weights).static_value(Position.set_up(pieces, position.side))


@pytest.mark.parametrize("shape", SHAPES)
def test_value_is_what_the_oracle_says(shape: str) -> None:
    weights = shaped(shape)
    oracle, network = NetworkOracle(weights), Network(weights)
    values = set()
    for board in sample():
        value = network.static_value(ours(board))
        assert value == oracle.value(board), board.fen()
        values.add(value)
    assert len(values) > 0.9 * len(sample())


@pytest.mark.parametrize("won", [False, True])
@pytest.mark.parametrize("drawish", [False, True])
def test_endings_are_judged_as_the_network_says(won: bool, drawish: bool) -> None:
    weights = random_network(10, 32, BY_RANK, won=won, drawish=drawish)
    oracle, network = NetworkOracle(weights), Network(weights)
    decided = 0
    for seed in range(sized(300, 60)):
        board = few_pieces(seed)
        position, value = ours(board), oracle.value(board)
        if value is None:
            decided += 1
            value = (
                worth(position, 0) + won_ending(position, 0) - worth(position, 1) - won_ending(position, 1)
            )
            value = -value if position.side else value
        assert network.static_value(position) == value, board.fen()
    assert (decided > 0) == won


def test_endings_can_be_switched() -> None:
    position = parse_fen("8/8/4k3/8/8/8/8/1N2KB2 w - - 0 1")
    network = Network(random_network(10, won=True, drawish=True))
    won = network.static_value(position)
    assert won > 600 + 1000
    network.won_endings = False
    assert network.static_value(position) != won
    drawn = parse_fen("8/8/4k3/8/8/8/4n3/1N2K3 w - - 0 1")
    assert network.static_value(drawn) == 0
    network.drawish_endings = False
    assert network.static_value(drawn) != 0


@pytest.mark.parametrize("rules", [False, True], ids=["bare", "rules"])
def test_explanation_is_what_the_oracle_says(rules: bool) -> None:
    weights = random_network(10, won=True, drawish=True) if rules else shaped("32x3")
    oracle, network = NetworkOracle(weights), Network(weights)
    for board in [*sample()[: sized(40, 5)], *(few_pieces(seed) for seed in range(sized(60, 10)))]:
        told, sense = network.explain(ours(board)), 1 if board.turn else -1
        parts = told.network
        assert parts is not None
        assert parts.buckets == tuple(sense * oracle.in_bucket(board, bucket) for bucket in range(8))
        assert parts.used == (len(board.piece_map()) - 1) // 4
        assert told.value == sense * network.static_value(ours(board))
        assert told.terms == ()
        value = parts.buckets[parts.used]
        if oracle.value(board) is None:
            assert "known ending" in told.note
        else:
            assert told.note == ""
            assert abs(told.value) == abs(value) * told.scale // 64
        for square in range(64):
            piece = board.piece_at(square)
            if piece is None or piece.piece_type == chess.KING:
                assert parts.men[square] is None
                continue
            without = board.copy(stack=False)
            without.remove_piece_at(square)
            change = value - sense * oracle.in_bucket(without, (len(without.piece_map()) - 1) // 4)
            assert parts.men[square] == (change if piece.color else -change)


# However a position is met


class Walk:
    """A position that goes forward and back by all that may happen to one; what happened is counted."""

    def __init__(self, fen: str, seed: int) -> None:
        self.position = parse_fen(fen)
        self.counts = dict.fromkeys(("castling", "promotion", "en passant", "pass", "copy", "advance"), 0)
        self._rng = random.Random(f"{fen} {seed}")
        self._made: list[bool] = []  # what can be taken back: whether a pass

    def step(self) -> bool:
        moves = legal_moves(self.position)
        dice = self._rng.random()
        if self._made and (dice < 0.25 or not moves):
            if self._made.pop():
                self.position.unmake_null()
            else:
                self.position.unmake()
        elif not moves or self.position.halfmoves > 120:
            return False
        elif dice < 0.32 and not self.position.checkers and not (self._made and self._made[-1]):
            self.position.make_null()
            self._made.append(True)
            self.counts["pass"] += 1
        elif dice < 0.34:
            self.position = self.position.copy()
            self.counts["copy"] += 1
        else:
            self._play(moves)
        return True

    def _play(self, moves: list[int]) -> None:
        rare = []
        if self._rng.random() < 0.5:
            rare = [move for move in moves if is_castling(move) or is_promotion(move) or is_en_passant(move)]
        move = self._rng.choice(rare or moves)
        self.counts["castling"] += is_castling(move)
        self.counts["promotion"] += is_promotion(move)
        self.counts["en passant"] += is_en_passant(move)
        if not self._made and self._rng.random() < 0.5:
            self.position.advance(move)
            self.counts["advance"] += 1
        else:
            self.position.make(move)
            self._made.append(False)


def start(seed: int) -> str:
    """Where a walk may begin: every other time in Chess960."""
    if seed % 2:
        rng = random.Random(seed)
        return chess960_start(rng.randrange(960), rng.randrange(960)).fen()
    return STARTS[seed // 2 % len(STARTS)]


def walks(weights: NetworkWeights, values: int, steps: int) -> dict[str, int]:
    """Compare `values` values on walks with those from scratch; the counts of what happened."""
    network, happened = Network(weights), dict(Walk(START_FEN, 0).counts)
    rng = random.Random(values)
    seen = seed = 0
    while seen < values:
        seed += 1
        walk = Walk(start(seed), seed)
        for _ in range(steps):
            if not walk.step():
                break
            if rng.random() < 0.5:
                seen += 1
                value = network.static_value(walk.position)
                assert value == scratch(weights, walk.position), format_fen(walk.position, chess960=True)
        happened |= {name: happened[name] + count for name, count in walk.counts.items()}
    return happened


@pytest.mark.parametrize("shape", SHAPES)
def test_incremental_values_are_those_from_scratch(shape: str) -> None:
    happened = walks(shaped(shape), sized(3000, 60), 150)
    assert not COMPILED or min(happened.values()) > 10, happened


def test_long_game_is_judged_the_same_when_taken_back() -> None:
    """Longer than there are slots."""
    weights = shaped("32x3")
    for seed in range(sized(6, 1)):
        network, rng, position = Network(weights), random.Random(seed), ours(from_book(seed))
        values = [network.static_value(position)]
        while len(values) < sized(500, 300) and (moves := legal_moves(position)):
            quiet = [move for move in moves if not is_capture(move)]
            position.make(rng.choice(quiet or moves))
            values.append(network.static_value(position))
        while len(values) > 1:
            assert network.static_value(position) == values.pop()
            position.unmake()


def test_colours_and_sides_of_the_board_are_alike() -> None:
    network = Network(shaped("96x3"))
    for board in sample():
        value = network.static_value(ours(board))
        assert network.static_value(mirrored(ours(board))) == value
        if not board.castling_rights and board.ep_square is None:
            assert network.static_value(ours(board.transform(chess.flip_horizontal))) == value


# One set of weights for all


def test_evaluators_in_threads_share_weights() -> None:
    weights = shaped("256")
    boards = [ours(board) for board in sample()]
    expected = [scratch(weights, position) for position in boards]
    found: list[list[int]] = []

    def judge() -> None:
        network = Network(weights)
        mine = [position.copy() for position in boards]
        values = [[network.static_value(position) for position in mine] for _ in range(sized(40, 2))]
        found.extend(values)

    threads = [threading.Thread(target=judge) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2 * sized(40, 2)
    assert all(values == expected for values in found)


# The largest numbers


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("make", [few_pieces, from_book, many_pieces])
def test_extreme_weights_overflow_nowhere(make: Callable[[int], chess.Board], sense: int) -> None:
    """As large as the proof allows, for each of the numbers."""
    for places in (ONE_BUCKET, EACH_SQUARE):
        weights = extreme_network(sense, places)
        network, oracle = Network(weights), NetworkOracle(weights)
        for seed in range(sized(40, 8)):
            board = make(seed)
            value = network.static_value(ours(board))
            assert value == oracle.value(board)
            assert abs(value) <= LIMIT


def test_outputs_at_their_bound_are_clamped() -> None:
    """The totals fill 32 bits."""
    for sense in (1, -1):
        weights = replace(
            extreme_network(1, ONE_BUCKET), output_biases=(sense * (2**31 - 1),) * 8, scale=10_000
        )
        values = [Network(weights).static_value(ours(from_book(seed))) for seed in range(5)]
        assert {*values} == {sense * LIMIT}


def test_sums_follow_a_game_at_their_bound() -> None:
    walks(extreme_network(1, EACH_SQUARE), sized(2000, 40), 100)
