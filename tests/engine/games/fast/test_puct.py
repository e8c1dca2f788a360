"""PUCT: what it finds with a network that knows nothing, and what it leaves behind."""

from array import array
from typing import Any

import pytest

from engine.games.catalogue import game
from engine.games.fast.nodes import Nodes
from engine.games.fast.puct import PuctOptions, PuctTree
from engine.games.fast.puct_games import PuctGames, PuctGamesOptions, replay
from engine.games.rules.compiled_state import CompiledState
from engine.system.control import Control

WIN, LOSS = 3, 1


def after(name: str, texts: str) -> CompiledState:
    rules = game(name)
    state = rules.start()
    for text in texts.split():
        state = state.play(rules.parse(state, text))
    assert isinstance(state, CompiledState)
    return state


class Buffers:
    """An evaluator that knows nothing: all moves are equally good, and no position is better than another."""

    def __init__(self, state: CompiledState, rows: int) -> None:
        squares = state.plane_rows * state.plane_columns
        self.planes: Any = memoryview(array("f", bytes(4 * rows * squares * state.plane_count)))
        self.policy: Any = memoryview(array("f", bytes(4 * rows * (squares + 1))))
        self.values: Any = memoryview(array("f", bytes(4 * rows)))


def searched(state: CompiledState, playouts: int, batch: int = 1, **options: Any) -> PuctTree:
    nodes = Nodes(8, amaf=False, priors=True)
    tree = PuctTree(nodes, Control(), state, 1, PuctOptions(batch=batch, **options))
    buffers = Buffers(state, batch)
    tree.begin(state, reuse=False)
    tree.limit(playouts, 1 << 60)
    while tree.gather(buffers.planes, batch):
        tree.absorb(buffers.policy, buffers.values)
    return tree


def test_a_forced_win_is_found() -> None:
    tree = searched(after("connectfour", "D1 D2 E1 E2"), 2_000)  # two open ends are one too many
    assert tree.outcome == WIN


def test_all_but_the_only_defence_are_proven_lost() -> None:
    tree = searched(after("connectfour", "D1 A1 D2 A2 D3"), 200)
    assert [tree.seen(child)[0] for child in tree.children(0) if tree.seen(child)[3] != LOSS] == [3]


@pytest.mark.parametrize("batch", [1, 4, 32])
@pytest.mark.parametrize("solver", [False, True])
def test_virtual_losses_leave_no_trace(batch: int, solver: bool) -> None:
    tree = searched(after("connectfour", "D1 D2"), 500, batch, solver=solver)
    assert tree.waiting == 0
    assert tree.played == 500

    def check(node: int) -> None:
        visits = [tree.seen(child)[1] for child in tree.children(node)]
        own = tree.seen(node)[1]
        if visits and (node == 0 or tree.seen(node)[3] == 0):
            assert own == 1 + sum(visits)
        assert -1 <= tree.seen(node)[2] <= 1
        for child in tree.children(node):
            check(child)

    check(0)
    assert tree.seen(0)[1] == 500


@pytest.mark.parametrize("batch", [1, 8])
def test_random_games_are_mixed_into_the_value(batch: int) -> None:
    """The evaluator says a win everywhere; a random game has a whole result."""
    state = after("connectfour", "D1")
    found = {}
    for games, mixing in ((0, 0.5), (1, 0.0), (1, 1.0), (3, 0.5)):
        options = PuctOptions(batch=batch, games=games, mixing=mixing, solver=False, exploration=20)
        tree = PuctTree(Nodes(8, amaf=False, priors=True), Control(), state, 1, options)
        buffers = Buffers(state, batch)
        buffers.values[:] = memoryview(array("f", [1.0] * batch))
        tree.begin(state, reuse=False)
        tree.limit(40, 1 << 60)
        while tree.gather(buffers.planes, batch):
            tree.absorb(buffers.policy, buffers.values)
        leaves = [tree.seen(child)[2] for node in tree.children(0) for child in tree.children(node)]
        once = [tree.seen(child)[1] == 1 for node in tree.children(0) for child in tree.children(node)]
        found[games, mixing] = {round(-mean, 6) for mean, seen in zip(leaves, once, strict=True) if seen}
    assert found[0, 0.5] == found[1, 0.0] == {1.0}
    assert found[1, 1.0] >= {-1.0, 1.0}
    assert found[1, 1.0] <= {-1.0, 0.0, 1.0}
    assert found[3, 0.5] <= {round(0.5 + 0.5 * total / 3, 6) for total in range(-3, 4)}


def test_random_games_count_for_who_wins_them() -> None:
    tree = searched(game("go", komi=99.0).start(5), 20, solver=False, games=1, mixing=1.0)
    assert all(tree.seen(child)[2] < -0.9 for child in tree.children(0) if tree.seen(child)[1])


@pytest.mark.parametrize("batch", [1, 8])
def test_a_leaf_is_evaluated_at_its_nth_visit(batch: int) -> None:
    state = after("connectfour", "D1")
    options = PuctOptions(batch=batch, games=1, expand_after=5, solver=False)
    tree = PuctTree(Nodes(8, amaf=False, priors=True), Control(), state, 1, options)
    buffers = Buffers(state, batch)
    tree.begin(state, reuse=False)
    tree.limit(600, 1 << 60)
    evaluated = 0
    while count := tree.gather(buffers.planes, batch):
        evaluated += count
        tree.absorb(buffers.policy, buffers.values)
    below = [node for child in tree.children(0) for node in tree.children(child)]
    nodes = [*tree.children(0), *below]
    assert any(len(tree.children(node)) for node in below)
    for node in nodes:
        assert (len(tree.children(node)) > 0) == (tree.seen(node)[1] >= 5)
    assert (tree.played, tree.expanded) == (600, evaluated)
    assert evaluated < 600 / 4


@pytest.mark.parametrize("name", ["connectfour", "othello", "go"])
def test_games_side_by_side_are_legal_and_repeatable(name: str) -> None:
    first = game(name).start(5 if name == "go" else None)

    def played() -> list[tuple[bytes, float]]:
        options = PuctGamesOptions(full=8, fast=4, share=0.5, opening=3, longest=60)
        games = PuctGames(first, 6, 1, PuctOptions(batch=1, megabytes=1), options)
        buffers = Buffers(first, 6)
        found: list[tuple[bytes, float]] = []
        while len(found) < 6:
            if games.gather(buffers.planes):
                games.absorb(buffers.policy, buffers.values)
            for each in games.take_games():
                wanted: Any = memoryview(array("B", bytes(len(each.moves) // 2)))
                last = first.copy()
                moves: Any = memoryview(array("H", each.moves))
                assert replay(last, moves, wanted, buffers.planes) == -1
                assert last == each.last
                found.append((each.moves, each.result))
        return found

    assert played() == played()


@pytest.mark.parametrize(("noise", "tried"), [(0.0, 1), (1e-9, 7)])
def test_the_urgency_of_first_plays_is_reduced_unless_there_is_noise(noise: float, tried: int) -> None:
    first = game("connectfour").start()
    search = PuctOptions(batch=1, megabytes=1, reduction=100.0)
    games = PuctGames(first, 1, 1, search, PuctGamesOptions(full=8, share=1.0, noise=noise, longest=1))
    buffers = Buffers(first, 1)
    while not games.finished:
        if games.gather(buffers.planes):
            games.absorb(buffers.policy, buffers.values)
    visits: Any = memoryview(games.take_games()[0].visits).cast("H")
    assert sum(count > 0 for count in visits) == tried
