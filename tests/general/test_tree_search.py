"""The compiled UCT."""

import threading
import time
from collections.abc import Sequence

import pytest

from engine.games.connectfour import ConnectFour
from engine.general.limits import Limits
from engine.general.tree_options import TreeOptions
from engine.general.tree_search import TreeSearch

VARIANTS = {
    "plain": TreeOptions(solver=False),
    "solver": TreeOptions(),
    "rave": TreeOptions(rave=500),
    "patient": TreeOptions(expand_after=4, rave=200, solver=False),
}


def after(moves: Sequence[int]) -> ConnectFour:
    """Connect Four after some moves; columns count from 0."""
    state = ConnectFour()
    for move in moves:
        state = state.play(move)
    return state


@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize(
    ("moves", "best"),
    [
        ([0, 3, 0, 3, 0, 3], 0),  # four on top of three
        ([2, 0, 3, 1, 4, 0, 1], None),  # open threes cannot be held
        ([3, 0, 3, 0, 3], 3),  # the other one must be stopped
    ],
)
def test_plays_what_everybody_would(options: TreeOptions, moves: Sequence[int], best: int | None) -> None:
    state = after(moves)
    decision = TreeSearch(options=options).choose(state, Limits(playouts=400))
    assert decision.move in state.moves()
    assert best is None or decision.move == best


@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_same_seed_same_tree(options: TreeOptions) -> None:
    first, second, other = (
        TreeSearch(seed, options=options).choose(after([3]), Limits(playouts=300)) for seed in (1, 1, 2)
    )
    assert (first.tried, first.line, first.counts) == (second.tried, second.line, second.counts)
    assert first.tried != other.tried


def test_number_of_playouts_is_exact() -> None:
    player = TreeSearch(options=TreeOptions(playouts=77))
    assert player.choose(after([]), Limits()).counts.playouts == 77
    assert player.choose(after([]), Limits(playouts=123)).counts.playouts == 123
    assert player.choose(after([]), Limits(playouts=0)).counts.playouts == 0


def test_stop_answers_at_once() -> None:
    player = TreeSearch()
    stopper = threading.Timer(0.2, player.stop)
    stopper.start()
    began = time.monotonic()
    decision = player.choose(after([]), Limits(seconds=30))
    assert time.monotonic() - began < 2
    assert decision.counts.playouts > 0
    stopper.join()
