"""What theory says, held against trees that are counted."""

from math import inf

import chess
import pytest

from engine.board.fen import START_FEN
from protocol.cli.ablation.theory import (
    best_leaves,
    branching,
    expected_leaves,
    mean_moves,
    minimax_leaves,
    unordered_leaves,
)

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"


def leaves_of_alpha_beta(width: int, depth: int, alpha: float = -inf, beta: float = inf) -> tuple[int, int]:
    """Value and leaves visited of a tree where all leaves are worth 0, so that every first move is best."""
    if depth == 0:
        return 0, 1
    leaves = 0
    for _ in range(width):
        value, visited = leaves_of_alpha_beta(width, depth - 1, -beta, -alpha)
        leaves += visited
        alpha = max(alpha, -value)
        if alpha >= beta:
            break
    return int(alpha), leaves


@pytest.mark.parametrize(("width", "depth"), [(2, 1), (2, 5), (3, 4), (5, 3), (6, 2), (1, 3)])
def test_the_best_case_is_what_alpha_beta_visits_there(width: int, depth: int) -> None:
    assert best_leaves(width, depth) == leaves_of_alpha_beta(width, depth)[1]
    assert minimax_leaves(width, depth) == width**depth


def test_35_becomes_6() -> None:
    assert best_leaves(35, 8) / best_leaves(35, 6) == pytest.approx(35, rel=0.001)
    assert best_leaves(35, 8) ** (1 / 8) == pytest.approx(6, abs=0.5)
    assert best_leaves(35, 8) < unordered_leaves(35, 8) < minimax_leaves(35, 8)


def test_each_figure_belongs_to_its_search() -> None:
    assert expected_leaves(frozenset(), 35, 4) == minimax_leaves(35, 4)
    assert expected_leaves(frozenset({"alpha_beta"}), 35, 4) == unordered_leaves(35, 4)
    assert expected_leaves(frozenset({"ordering", "alpha_beta"}), 35, 4) == best_leaves(35, 4)
    assert expected_leaves(frozenset({"ordering", "alpha_beta", "table"}), 35, 4) is None


def test_mean_moves_are_those_of_both_sides() -> None:
    board = chess.Board(KIWIPETE)
    replies = 0
    for move in list(board.legal_moves):
        board.push(move)
        replies += board.legal_moves.count()
        board.pop()
    assert mean_moves([KIWIPETE]) == pytest.approx(replies**0.5)
    assert mean_moves([START_FEN]) == pytest.approx(20)
    assert mean_moves([START_FEN, KIWIPETE]) == pytest.approx((20 * replies**0.5) ** 0.5)
    assert mean_moves([STALEMATE]) == 1


def test_branching_is_that_of_a_tree_that_grows_evenly() -> None:
    assert branching([]) is branching([7]) is None
    for depth in range(2, 9):
        assert branching([5 * 3.0**each for each in range(depth)]) == pytest.approx(3)
    alternating = [1.0, 8, 16, 128, 256, 2048, 4096]  # by 8 and by 2
    assert branching(alternating) == branching(alternating[:-1]) == pytest.approx(4)
    assert branching([1, 1, 1, 1, 16, 16, 16, 16, 16]) == pytest.approx(1)  # over the last four
