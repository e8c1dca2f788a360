"""Enhanced alpha-beta: with nothing on it is alpha-beta; what is on saves nodes and keeps the value."""

from __future__ import annotations

from dataclasses import fields
from random import Random

import pytest

from engine.games.catalogue import game
from engine.games.rules.tictactoe import TicTacToeGame
from engine.games.rules.tree import TreeGame, parse_tree
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Meter, SearchLimits
from engine.games.search.enhanced_alphabeta import Additions, EnhancedAlphaBeta
from engine.games.search.iterative_deepening import deepen
from engine.games.search.minimax import minimax
from engine.games.search.transpositions import Entry, Transpositions
from engine.system import memory
from tests.engine.games.search.random_trees import random_tree

TREE, GAME = game("tree"), game("tictactoe")
POSITION = TicTacToeGame().position
NAMES = [field.name for field in fields(Additions)]
KEEPING = ["transpositions", "principal", "killers", "history"]  # the value of a search so deep
NOTHING = dict.fromkeys(NAMES, False)


def test_with_nothing_on_it_visits_what_alphabeta_visits() -> None:
    for seed in range(300):
        tree, plain, enhanced = random_tree(Random(seed), 5), Meter(), Meter()
        for depth in (2, 9):
            expected = alphabeta(tree, depth, TREE.estimate, plain)
            found = EnhancedAlphaBeta(TREE, **NOTHING)(tree, depth, TREE.estimate, enhanced)
            assert found == expected
            assert enhanced.counts == plain.counts


@pytest.mark.parametrize("on", [*([name] for name in KEEPING), KEEPING, NAMES])
def test_value_is_minimax_on_random_trees(on: list[str]) -> None:
    for seed in range(100):
        tree = random_tree(Random(seed), 6)
        search = EnhancedAlphaBeta(TreeGame(), **{**NOTHING, **dict.fromkeys(on, True)})
        expected = minimax(tree, 99, TREE.estimate, Meter()).value
        decision = deepen(search, tree, TREE.estimate, SearchLimits(depth=9)) if tree.children else None
        assert decision is None or (decision.value, decision.exact) == (expected, True)


@pytest.mark.parametrize("on", [*([name] for name in KEEPING), KEEPING])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_value_is_minimax_at_a_horizon(on: list[str], depth: int) -> None:
    # In tic-tac-toe a state has always as many plies before it, so the table knows no deeper values.
    for board in (".../.../...", "X../.O./...", "XO./.O./X.."):
        search = EnhancedAlphaBeta(GAME, **{**NOTHING, **dict.fromkeys(on, True)})
        expected = minimax(POSITION(board), depth, GAME.estimate, Meter())
        found = search(POSITION(board), depth, GAME.estimate, Meter())
        assert found.value == pytest.approx(expected.value)


@pytest.mark.parametrize("name", KEEPING)
def test_each_addition_saves_nodes(name: str) -> None:
    counts = []
    for on in (False, True):
        search = EnhancedAlphaBeta(GAME, **{**NOTHING, "principal": name == "history", name: on})
        counts.append(deepen(search, GAME.start(), GAME.estimate, SearchLimits(depth=9)).counts.visited)
    assert counts[1] < counts[0]


def test_quiescence_sees_the_win_behind_the_horizon() -> None:
    state = POSITION("XO./.O./X..")  # X is to move, and both threaten
    quiet = EnhancedAlphaBeta(GAME, **{**NOTHING, "quiescence": True})
    assert quiet(state, 0, GAME.estimate, Meter()).value == 1
    assert EnhancedAlphaBeta(GAME, **NOTHING)(state, 0, GAME.estimate, Meter()).value < 1


def test_a_singular_move_is_looked_at_deeper() -> None:
    state, limits = GAME.start(), SearchLimits(depth=6)
    deepest = []
    for on in (False, True):
        search = EnhancedAlphaBeta(GAME, **{**NOTHING, "transpositions": True, "singular": on})
        farthest = 0

        def estimate(state: object) -> tuple[float, float]:
            nonlocal farthest
            farthest = max(farthest, 9 - len(state.moves()))  # type: ignore[attr-defined] # a state
            values = GAME.estimate(state)
            return values[0], values[1]

        deepen(search, state, estimate, limits)
        deepest.append(farthest)
    assert deepest[0] == 6 < deepest[1]


def test_a_table_from_before_serves_the_next_move() -> None:
    search = EnhancedAlphaBeta(GAME)
    first = deepen(search, GAME.start(), GAME.estimate, SearchLimits(depth=9))
    after = GAME.start().play(first.move)
    again = deepen(search, after, GAME.estimate, SearchLimits(depth=9))
    fresh = deepen(EnhancedAlphaBeta(GAME), after, GAME.estimate, SearchLimits(depth=9))
    assert again.value == fresh.value == 0
    assert again.counts.visited < fresh.counts.visited / 10


def test_a_proof_from_the_table_is_no_estimate() -> None:
    search = EnhancedAlphaBeta(GAME)
    deepen(search, GAME.start(), GAME.estimate, SearchLimits(depth=9))
    assert deepen(search, GAME.start(), GAME.estimate, SearchLimits(depth=2)).exact
    shallow = EnhancedAlphaBeta(GAME)
    deepen(shallow, GAME.start(), GAME.estimate, SearchLimits(depth=4))
    assert not deepen(shallow, GAME.start(), GAME.estimate, SearchLimits(depth=4)).exact


def test_a_full_table_forgets_the_oldest() -> None:
    table = Transpositions(entries=4)
    states = [parse_tree(str(i)) for i in range(6)]
    entries = [Entry(i, 0.0, True, True, ()) for i in range(6)]
    for state, entry in zip(states, entries, strict=True):
        table.put(state, entry)
        assert len(table) <= 4
        assert table.get(state) is entry
    assert table.get(states[0]) is None
    assert table.get(states[4]) is entries[4]


def test_a_table_begins_anew_and_stays_small_when_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    left = [1 << 30]
    monkeypatch.setattr(memory, "available", lambda: left[0])
    table = Transpositions(entries=100_000)
    entry = Entry(1, 0.0, True, True, ())
    largest = 0
    for number in range(5_000):
        if number == 1_000:
            left[0] = 0
        if number == 1_100:
            left[0] = 1 << 30
        table.put(parse_tree(str(number)), entry)
        largest = max(largest, len(table))
    assert 1_000 <= largest <= 1_100
    assert len(table) > 500
    assert table.get(parse_tree("4999")) is entry


@pytest.mark.parametrize(
    ("at_least", "at_most", "value", "settled"),
    [(True, True, 0.5, True), (True, False, 0.5, False), (True, False, 0.9, True), (False, True, 0.1, True)],
)
def test_an_entry_settles_what_it_knows(at_least: bool, at_most: bool, value: float, settled: bool) -> None:
    entry = Entry(3, value, at_least, at_most, ())
    assert entry.settles(3, 0.2, 0.8) is settled
    assert not entry.settles(4, 0.2, 0.8)
