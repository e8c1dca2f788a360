"""Singular extensions where they matter: positions in which the win hangs on a line of only moves."""

import pytest

from engine.board.position import COMPILED
from engine.search.parameters import NUMBERS, Parameters
from tests.engine.search.searching import (
    changed,
    deepening,
    iterations,
    nodes,
    sized,
    without,
)

WINS = (
    "k5N1/8/8/4p3/8/K5P1/7R/8 w - - 0 1",
    "8/8/3Q1q2/7K/8/1k6/6P1/8 w - - 0 1",
    "3R4/8/7k/P7/8/7b/K7/8 w - - 0 1",
    "8/7P/3K2P1/1p5P/8/8/2n1k3/8 w - - 0 1",
    "8/R4K2/8/3P4/6P1/2p5/5k2/8 w - - 0 1",
    "8/1B4p1/2K1k3/8/8/P7/8/1N6 w - - 0 1",
    "8/B7/2k1p3/8/4K3/8/3P4/8 w - - 0 1",
    "8/5k2/2K5/8/1p6/8/3Q4/8 w - - 0 1",
)
WON = 1100
DEPTH = NUMBERS["singular_depth"].default


def plain() -> Parameters:
    return without("singular_extensions")


def depth_of_win(fen: str, use: Parameters) -> int:
    return next(each.depth for each in iterations(deepening(fen, use), 30) if each.best.score >= WON)


@pytest.mark.skipif(not COMPILED, reason="takes a minute")
def test_wins_are_seen_at_less_depth() -> None:
    """Over the positions together, with check extensions, with which they were found."""
    checks = [changed(check_extension=1, singular_extensions=on) for on in (1, 0)]
    with_it, without_it = (sum(depth_of_win(fen, use) for fen in WINS) for use in checks)
    assert with_it < without_it


def test_flag_changes_the_search_from_its_depth_on() -> None:
    below, beyond = DEPTH - 1, DEPTH + 1
    assert all(nodes(fen, below, plain()) == nodes(fen, below) for fen in WINS[: sized(8, 1)])
    assert any(nodes(fen, beyond, plain()) != nodes(fen, beyond) for fen in WINS)
