"""Positions that searches asked about: what is noted of them, and that noting them changes nothing."""

import random
import struct
from dataclasses import dataclass, replace
from itertools import product

import pytest

from engine.board.fen import START_FEN, format_fen, parse_fen
from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.search.constants import UNKNOWN
from engine.search.engine import Engine
from engine.search.selfplay import SelfPlayer, Teacher
from eval.evaluator import Evaluator
from eval.linear import Linear
from eval.outcome import STANDARD as RULES
from eval.training.packing import Sampler
from eval.weight_file import STANDARD, load

GAMES = {False: START_FEN, True: "8/5kp1/8/8/8/8/2KP4/8 b - - 0 60"}
HOMES = ((4, 7), (4, 0))
NO_ROOKS = (-1, -1, -1, -1)


def linear() -> Linear:
    return Linear(load(STANDARD))


def player(evaluator: Evaluator, nodes: int) -> SelfPlayer:
    rules = replace(RULES, level_score=32000)
    return SelfPlayer(Engine.single(evaluator, 1).searchers[0], nodes, 8 * nodes, rules)


@dataclass(frozen=True)
class Noted:
    pieces: tuple[int, ...]
    score: int
    result: int
    ply: int
    game: int

    def position(self, rooks: tuple[int, ...] = NO_ROOKS) -> Position:
        return Position.set_up(self.pieces, 0, rooks)

    def possible_positions(self) -> list[Position]:
        """The positions with all castling rights that the mover's kings and rooks allow, and the other's."""
        choices: list[tuple[int, ...]] = []
        for colour, (king, rook) in product((0, 1), HOMES):
            at_home = self.pieces[king + 56 * colour] == 8 * colour + 5
            has_rook = self.pieces[rook + 56 * colour] == 8 * colour + 3
            choices.append((-1, rook + 56 * colour) if at_home and has_rook else (-1,))
        return [self.position(rooks) for rooks in product(*choices)]


def noted(records: bytes) -> list[Noted]:
    found = []
    for occupied, packed, score, result, ply, game in struct.iter_unpack("<Q16shBBI", records):
        halves = [half for byte in packed for half in (byte & 15, byte >> 4)]
        men = iter(halves)
        pieces = tuple(next(men) if occupied >> square & 1 else 7 for square in range(64))
        assert not any(men)
        found.append(Noted(pieces, score, result, ply, game))
    return found


def sample(is_pure: bool, one_in: int = 2, game: int = 3, teacher: Evaluator | None = None) -> Sampler:
    inner = linear()
    sampler = Sampler(inner, teacher or inner, one_in, 100_000)
    sampler.begin(game)
    assert player(sampler, 10 if is_pure else 100).play(parse_fen(GAMES[is_pure]))
    return sampler


@pytest.fixture(scope="module")
def sampler(is_pure: bool) -> Sampler:
    return sample(is_pure)


def test_the_score_is_the_static_value_of_what_the_record_says(sampler: Sampler) -> None:
    found = noted(sampler.records())
    assert len(found) == sampler.count > 30
    evaluator = linear()
    for each in found:
        positions = each.possible_positions()
        assert not positions[0].checkers
        assert each.score in {evaluator.static_value(position) for position in positions}
        assert each.result == 1
        assert each.game == 3


def test_one_in_so_many_is_noted_and_the_same_each_time(sampler: Sampler, is_pure: bool) -> None:
    assert sample(is_pure).records() == sampler.records()
    other = sample(is_pure, game=4)
    assert {each.pieces for each in noted(other.records())} != {
        each.pieces for each in noted(sampler.records())
    }
    everything = sample(is_pure, one_in=1).count
    assert everything / 4 < sampler.count < everything


def test_noting_changes_no_move(is_pure: bool) -> None:
    start = parse_fen(GAMES[is_pure])
    nodes = 10 if is_pure else 100
    plain = player(linear(), nodes)
    plies = plain.play(start)
    noting = player(Sampler(linear(), Teacher(player(linear(), nodes)), 8, 1000), nodes)
    assert noting.play(start) == plies
    assert noting.moves[:plies] == plain.moves[:plies]


def test_there_is_room_for_so_many() -> None:
    inner = linear()
    sampler = Sampler(inner, inner, 1, 50)
    player(sampler, 10).play(parse_fen(GAMES[True]))
    assert len(sampler.records()) == 50 * 32
    sampler.begin(1)
    assert sampler.records() == b""


@pytest.mark.parametrize(
    "fen",
    [
        "7k/8/8/8/8/8/1q6/K7 w - - 0 1",  # check
        "k7/8/8/8/8/8/1QQQ4/7K b - - 0 1",  # worth too much
    ],
)
def test_what_is_left_out(fen: str) -> None:
    inner = linear()
    sampler = Sampler(inner, inner, 1, 10)
    assert sampler.static_value(parse_fen(fen)) == inner.static_value(parse_fen(fen))
    assert sampler.count == 0


@pytest.mark.parametrize(("fen", "turned"), [(START_FEN.replace(" w ", " b "), START_FEN)])
def test_the_mover_is_white(fen: str, turned: str) -> None:
    inner = linear()
    sampler = Sampler(inner, inner, 1, 10)
    sampler.static_value(parse_fen(fen))
    (record,) = noted(sampler.records())
    assert record.pieces == tuple(parse_fen(turned).piece_at(square) for square in range(64))
    assert record.ply == 1


def played(rng: random.Random, plies: int) -> Position:
    position = parse_fen(START_FEN)
    for _ in range(plies):
        if moves := legal_moves(position):
            position.make(rng.choice(moves))
    return position


def test_a_teacher_knows_nothing_of_earlier_moves(is_pure: bool) -> None:
    nodes = 20 if is_pure else 300
    teacher = Teacher(player(linear(), nodes))
    scores = []
    for seed in range(3 if is_pure else 40):
        position = played(random.Random(seed), 20 + seed)
        teacher.forget()
        scores.append(teacher.static_value(position))
        if scores[-1] != UNKNOWN:
            alone = player(linear(), nodes)
            assert alone.think(parse_fen(format_fen(position)))[1] == scores[-1]
    assert is_pure or len(set(scores)) > 5


@pytest.mark.parametrize(
    "fen",
    [
        "7k/8/8/3q4/8/4N3/8/K7 w - - 0 1",  # a capture is best
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",  # stalemate
    ],
)
def test_a_teacher_knows_no_score(fen: str) -> None:
    assert Teacher(player(linear(), 50)).static_value(parse_fen(fen)) == UNKNOWN
