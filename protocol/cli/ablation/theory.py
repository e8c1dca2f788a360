"""The theoretical size of a tree `depth` plies deep, with `b` legal moves in each position.

D. E. Knuth, R. W. Moore: An Analysis of Alpha-Beta Pruning. Artificial Intelligence 6 (1975).
"""

from __future__ import annotations

import math
from statistics import geometric_mean
from typing import TYPE_CHECKING

from engine.board.fen import parse_fen
from engine.board.perft import perft

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PLIES = 2  # one of each side


def mean_moves(fens: Iterable[str]) -> float:
    """b: the geometric mean over positions and sides, from the number of lines of two plies."""
    return geometric_mean(math.sqrt(max(perft(parse_fen(fen), _PLIES), 1)) for fen in fens)


def minimax_leaves(b: float, depth: int) -> float:
    """b^m: all leaves."""
    return b**depth


def unordered_leaves(b: float, depth: int) -> float:
    """b^(3m/4): about the leaves of alpha-beta with moves in random order, for moderate b."""
    return math.pow(b, 3 * depth / 4)


def best_leaves(b: float, depth: int) -> float:
    """b^⌈m/2⌉ + b^⌊m/2⌋ - 1: the leaves of alpha-beta with the best move first everywhere, the minimum."""
    return b ** (depth - depth // 2) + b ** (depth // 2) - 1


def expected_leaves(on: frozenset[str], b: float, depth: int) -> float | None:
    """The leaves that theory expects of a search with the techniques `on`; None if it has no formula."""
    theories = {
        frozenset[str](): minimax_leaves,
        frozenset({"alpha_beta"}): unordered_leaves,
        frozenset({"alpha_beta", "ordering"}): best_leaves,
    }
    theory = theories.get(on)
    return theory(b, depth) if theory else None


def branching(counts: Sequence[float]) -> float | None:
    """The effective branching factor from the nodes to each depth, from 1: the geometric mean of N(d)/N(d-1).

    It is over the last four depths, or two if there are fewer: an even number, since odd and even depths
    alternate. None if only one depth was finished.
    """
    if len(counts) < 2:
        return None
    steps = max(min(len(counts) - 1, 4) // 2 * 2, 1)
    return math.pow(counts[-1] / counts[-1 - steps], 1 / steps)
