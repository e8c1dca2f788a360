"""UCT to read, and flat Monte-Carlo."""

from __future__ import annotations

from random import Random
from sys import getsizeof

import pytest

from engine.games.catalogue import game
from engine.games.rules.game import State
from engine.games.rules.tictactoe import TicTacToeGame
from engine.games.rules.tree import Tree, parse_tree
from engine.games.search.basics import Meter, SearchLimits
from engine.games.search.lookup import solve
from engine.games.search.monte_carlo import monte_carlo, random_playout
from engine.games.search.uct import uct
from engine.system import memory
from tests.engine.games.search.fours import after
from tests.engine.games.search.random_trees import random_tree

POSITION = TicTacToeGame().position


def playouts(number: int) -> Meter:
    return Meter(SearchLimits(playouts=number))


@pytest.mark.parametrize("final", ["visits", "rate"])
def test_finds_a_best_move_of_small_trees(final: str) -> None:
    for seed in range(40):
        tree = random_tree(Random(seed), 4, payoffs=1)
        if tree.player < 0:
            continue
        values = solve(tree)
        decision = uct(tree, playouts(1_500), seed=seed, final=final)
        assert values[tree.play(decision.move)][tree.player] == values[tree][tree.player]
        assert decision.value == pytest.approx(values[tree][tree.player], abs=0.2)


@pytest.mark.parametrize("search", [uct, monte_carlo])
def test_chance_falls_by_its_probabilities(search: object) -> None:
    assert callable(search)
    tree = parse_tree("([0.1:1,0.3:0.5,0.6:0],0.2,[0.9:-1,0.1:1])")  # 0.25, 0.2, -0.8
    decision = search(tree, playouts(4_000), seed=1)
    means = {tried.move: tried.mean for tried in decision.tried}
    assert means[1] == pytest.approx(0.2)
    assert means[0] == pytest.approx(0.25, abs=0.05)
    assert means[2] == pytest.approx(-0.8, abs=0.2)
    assert decision.move == 0


def test_each_of_three_players_has_its_own_interest() -> None:
    # Paranoid would fear 3 or 5 after the first move, 4 after the second, and so on; nobody is out to hurt.
    tree = parse_tree("p1(p2(3/9/0, 5/0/0), p3(4/0/0, 6/0/9))")
    decision = uct(tree, playouts(500), payoffs=(0, 9))
    assert decision.move == 1
    assert decision.line == (1, 1)
    assert decision.value == pytest.approx(6, abs=0.3)


@pytest.mark.parametrize(("position", "moves"), [("XOX/.O./X.O", "A2"), ("..X/.O./X.O", "A3")])
def test_tic_tac_toe(position: str, moves: str) -> None:
    tictactoe, state = game("tictactoe"), POSITION(position)
    for seed in range(5):
        decision = uct(state, playouts(300), seed=seed)
        assert tictactoe.text(state, decision.move) == moves


@pytest.mark.parametrize("search", [uct, monte_carlo])
@pytest.mark.parametrize(("columns", "best"), [("141414", 0), ("14141", 0)])
def test_wins_at_once_or_does_not_lose(search: object, columns: str, best: int) -> None:
    assert callable(search)
    assert search(after(columns), playouts(350)).move == best


def test_flat_monte_carlo_is_deceived_where_the_tree_is_not() -> None:
    # One reply of seven refutes the first move; all replies to the second are drawn.
    tree = parse_tree("((1,1,1,1,1,1,-1),(0,0))")
    assert monte_carlo(tree, playouts(5_000)).move == 0
    assert uct(tree, playouts(5_000)).move == 1


def test_games_are_shared_evenly() -> None:
    decision = monte_carlo(after(""), playouts(7 * 50))
    assert {tried.visits for tried in decision.tried} == {50}
    assert decision.value == max(tried.mean for tried in decision.tried)


@pytest.mark.parametrize("growth", [1, 5, 20])
def test_a_tree_that_grows_no_more_is_still_used(growth: int) -> None:
    meter = playouts(300)
    state = TicTacToeGame().start()
    decision = uct(state, meter, megabytes=growth * (getsizeof(state) + 600) / 2**20)
    assert meter.expanded == growth
    assert sum(tried.visits for tried in decision.tried) == 300
    assert len(decision.tried) == min(growth, 9)
    tree = parse_tree("([0.1:1,0.3:0.5,0.6:0],0.2,[0.9:-1,0.1:1])")
    assert sum(tried.visits for tried in uct(tree, playouts(300), megabytes=0.001).tried) == 300


def test_a_tree_grows_no_more_when_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    left = iter([1 << 30, 1 << 30, 1 << 30, 0])  # before the search, and then every 256 nodes
    monkeypatch.setattr(memory, "available", lambda: next(left))
    meter = playouts(2_000)
    decision = uct(after(""), meter)
    assert meter.expanded == 512
    assert sum(tried.visits for tried in decision.tried) == 2_000


def test_a_playout_is_repeatable_and_legal() -> None:
    for state in (after(""), game("tictactoe").start(), parse_tree("([0.5:1,0.5:2],3)")):
        results = [random_playout(state, seed) for seed in range(30)]
        assert results == [random_playout(state, seed) for seed in range(30)]
        assert len(set(map(tuple, results))) > 1
    assert random_playout(parse_tree("7"), 0) == (7, -7)


def test_whatever_judges_a_state_can_be_passed_in() -> None:
    seeds = []

    def playout(state: State, seed: int) -> tuple[float, float]:
        assert isinstance(state, Tree)
        seeds.append(seed)
        return state.payoffs[0], state.payoffs[1]

    tree = parse_tree("((1,-1),(0.5,0.5))")
    assert uct(tree, playouts(200), seed=3, playout=playout).move == 1
    assert seeds == [(3 << 32) + i for i in range(200)]
    assert monte_carlo(tree, playouts(10), playout=playout).move == 1
