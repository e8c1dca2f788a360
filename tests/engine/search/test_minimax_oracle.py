"""The search with all that is selective switched off finds what trying everything finds."""

from collections.abc import Iterator
from functools import cache
from itertools import product

import chess
import pytest

from engine.board.fen import START_FEN
from engine.board.notation import move_text
from engine.search.parameters import Parameters
from tests.engine.search.oracles import Minimax, random_board
from tests.engine.search.searching import EXACT, deepening, iterations, only, sized

POSITIONS = [
    ("8/8/8/8/5k2/8/4P3/4K3 w - - 0 1", 3),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 3),
    ("8/P7/8/8/8/8/1p6/k1K5 w - - 0 1", 3),
    ("4k3/8/8/2pPp3/8/8/8/4K3 w - e6 0 1", 3),
    ("7k/8/4Q3/6K1/8/8/8/8 w - - 0 1", 3),  # stalemate is near
    ("6k1/5ppp/8/8/8/8/r7/1K5R b - - 0 1", 3),
    ("k7/8/1K6/8/8/8/8/7R w - - 99 80", 3),  # mate comes before the fifty moves
    ("8/8/1k6/8/8/3R4/8/3K4 w - - 98 120", 3),
    ("8/8/8/8/2n5/8/1k1P4/4K3 b - - 0 1", 3),  # what is left cannot mate
    (START_FEN, 2),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2),
    ("r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", 2),
]
LIGHT = [fen for fen, depth in POSITIONS if depth == 3]


@cache
def values(fen: str, depth: int, quiescence: bool = False) -> dict[str, int]:
    return Minimax(chess.Board(fen), quiescence).moves(depth)


def check(fen: str, depth: int, use: Parameters) -> None:
    """Hold each depth of a search against the oracle: the value, and that the move has it."""
    for iteration in iterations(deepening(fen, use), depth):
        reached, best = iteration.depth, iteration.best
        expected = values(fen, reached, use.quiescence)
        assert best.score == max(expected.values()), (fen, reached)
        assert expected[move_text(best.move)] == best.score, (fen, reached)


@pytest.mark.parametrize("names", [(), *((name,) for name in EXACT), EXACT], ids="+".join)
def test_value_is_that_of_minimax(names: tuple[str, ...]) -> None:
    for fen, depth in POSITIONS:
        check(fen, sized(depth, 2 if fen in LIGHT else 1), only(*names))


@pytest.mark.parametrize("fen", LIGHT)
def test_value_is_that_of_minimax_at_depth_3(fen: str) -> None:
    check(fen, 3, only(*EXACT))


def combinations() -> Iterator[tuple[str, ...]]:
    """Of all sets of exact techniques one in 7, or in plain Python one in 229."""
    sets = product(*(("", name) for name in EXACT))
    for index, names in enumerate(sets):
        if index % sized(7, 229) == 0:
            yield tuple(name for name in names if name)


def test_sets_of_techniques_find_the_same_value() -> None:
    for index, names in enumerate(combinations()):
        fen = LIGHT[index % len(LIGHT)]
        check(fen, sized(3, 2), only(*names))


def test_value_is_that_of_minimax_in_random_positions() -> None:
    for seed in range(sized(30, 10)):
        board = random_board(seed, 160)
        check(board.fen(), sized(2, 1), only(*EXACT[seed % 3 :]))


@pytest.mark.parametrize("seed", range(sized(24, 8)))
def test_quiescence_is_that_of_minimax_over_captures(seed: int) -> None:
    board = random_board(1000 + seed, 160)
    remembers = ("quiescence_table",) if seed % 2 else ()
    names = ("quiescence", "quiescence_exchange", "ordering", *remembers, *EXACT[: 1 + seed % len(EXACT)])
    check(board.fen(), 1, only(*names))
