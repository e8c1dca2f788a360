"""The compiled UCT: the same as the readable one, and what it has beyond that."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TypeAlias

import pytest

from engine.games.catalogue import game
from engine.games.fast.nodes import Nodes
from engine.games.fast.uct import UctOptions, UctTree
from engine.games.players.trees import FastUctPlayer, fast_uct
from engine.games.search.basics import Meter, SearchLimits
from engine.games.search.uct import uct
from engine.system.control import Control
from engine.system.memory import NoMemoryError
from tests.engine.games.fast import amaf_oracle
from tests.engine.games.search.fours import after, drawn_by_lot, value

Dump: TypeAlias = "tuple[tuple[int, int, float, int], list[Dump]]"

PLAIN = UctOptions(solver=False, reuse=False, megabytes=16)
VARIANTS = {
    "plain": PLAIN,
    "solver": UctOptions(megabytes=16),
    "rave": UctOptions(rave=500, megabytes=16),
    "patient": UctOptions(expand_after=4, rave=200, solver=False, megabytes=16),
}
OPENINGS = ("", "4", "44", "443", "1234567", "4444442", "23163416124767223154467471272416755633")


@pytest.mark.parametrize("columns", OPENINGS)
@pytest.mark.parametrize(("exploration", "final"), [(1.0, "visits"), (0.5, "rate"), (1.5, "visits")])
def test_grows_the_same_tree_as_the_readable_one(columns: str, exploration: float, final: str) -> None:
    state = after(columns)
    options = UctOptions(
        solver=False, reuse=False, exploration=exploration, by_win_rate=final == "rate", megabytes=4
    )
    for seed, playouts in ((0, 100), (1, 333), (2, 500)):
        meter = Meter(SearchLimits(playouts=playouts))
        expected = uct(state, meter, seed=seed, exploration=exploration, final=final)
        found = FastUctPlayer(seed, options=options).choose(state, SearchLimits(playouts=playouts))
        assert found.tried == expected.tried
        assert (found.move, found.value, found.line) == (expected.move, expected.value, expected.line)


@pytest.mark.parametrize(
    ("name", "players", "size"),
    [("virus", 2, 5), ("virus", 3, 5), ("virus", 4, 6), ("othello", 2, 6)],
)
def test_grows_the_same_tree_for_any_number_of_players(name: str, players: int, size: int) -> None:
    rules = game(name, players)
    state = rules.start(size)
    for _ in range(2):
        expected = uct(state, Meter(SearchLimits(playouts=120)), seed=7, payoffs=rules.payoffs)
        found = FastUctPlayer(7, rules.payoffs, PLAIN).choose(state, SearchLimits(playouts=120))
        assert [(each.move, each.visits) for each in found.tried] == [
            (each.move, each.visits) for each in expected.tried
        ]
        assert found.value == pytest.approx(expected.value)
        assert found.line[0] == expected.line[0]
        state = state.play(found.move)


@pytest.mark.parametrize(
    ("name", "players", "number"), [("virus", 2, 150), ("virus", 3, 150), ("focus", 2, 8)]
)
def test_amaf_is_that_of_its_definition(name: str, players: int, number: int) -> None:
    rules, options = game(name, players), UctOptions(solver=False, rave=50, exploration=0.3, megabytes=4)
    low, high = rules.payoffs
    state = rules.start(min(rules.sizes))
    for seed in (3, 4):
        expected = amaf_oracle.search(state, number, seed=seed, rave=50, exploration=0.3, least=low)
        found = FastUctPlayer(seed, rules.payoffs, options).choose(state, SearchLimits(playouts=number))
        tried = {move: child for move, child in expected.children.items() if child.visits}
        means = {move: low + (high - low) * child.total / child.visits for move, child in tried.items()}
        assert {each.move: each.visits for each in found.tried} == {
            move: child.visits for move, child in tried.items()
        }
        assert {each.move: each.mean for each in found.tried} == pytest.approx(means)
        state = state.play(found.move)


@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_is_repeatable(options: UctOptions) -> None:
    first, second, other = (
        FastUctPlayer(seed, options=options).choose(after("4"), SearchLimits(playouts=300))
        for seed in (1, 1, 2)
    )
    assert (first.tried, first.line, first.counts) == (second.tried, second.line, second.counts)
    assert first.tried != other.tried


def test_what_is_proven_is_true() -> None:
    proven = 0
    assert FastUctPlayer(options=VARIANTS["solver"]).choose(after("141414"), SearchLimits(playouts=10)).exact
    for seed in range(60):
        state = drawn_by_lot(Random(seed), 28 + seed % 8)
        decision = FastUctPlayer(options=UctOptions(megabytes=16)).choose(state, SearchLimits(playouts=400))
        if decision.exact:
            proven += 1
            assert decision.value == value(state)
            then = state.play(decision.move)
            assert decision.value == (then.payoff()[state.player] if then.player < 0 else -value(then))
    assert proven > 30


def test_proven_losses_are_left_alone() -> None:
    """All moves but one, which stops three upright: more simulations are for that one alone."""
    player, limits = FastUctPlayer(options=replace(VARIANTS["solver"], reuse=False)), (50, 200)
    tried = [player.choose(after("14141"), SearchLimits(playouts=most)).tried for most in limits]
    few, many = ({each.move: each.visits for each in found} for found in tried)
    assert sorted(move for move in many if many[move] == few[move]) == [1, 2, 3, 4, 5, 6]


def test_number_of_playouts_is_exact() -> None:
    player = FastUctPlayer(options=UctOptions(playouts=77, solver=False))
    assert player.choose(after(""), SearchLimits()).counts.playouts == 77
    for playouts in (0, 1, 2, 123):
        decision = player.choose(after(""), SearchLimits(playouts=playouts))
        assert decision.counts.playouts == playouts
    nodes = FastUctPlayer(options=PLAIN).choose(after(""), SearchLimits(nodes=1000)).counts.visited
    assert 1000 <= nodes < 1000 + 43


def simulations(megabytes: int = 1, options: UctOptions = PLAIN) -> UctTree:
    nodes = Nodes(megabytes, amaf=options.rave > 0, priors=False)
    return UctTree(nodes, Control(), 0, (-1.0, 1.0), options)


def test_goes_on_without_growing_when_the_memory_is_used_up(is_pure: bool) -> None:
    for options in (PLAIN, UctOptions(rave=100)):
        tree = simulations(1, options)
        playouts = 1_000 if is_pure else 40_000
        if is_pure:
            tree.nodes.capacity = 1_000
        tree.begin(after(""), reuse=False)
        tree.run(playouts, 1 << 40)
        assert tree.played == playouts == sum(tree.seen(node)[1] for node in tree.children(0))
        assert tree.nodes.full
        assert (
            tree.nodes.capacity - 7
            < tree.nodes.used
            <= tree.nodes.capacity
            <= (1 << 20) / (39 if options.rave else 27)
        )


def dump(tree: UctTree, node: int = 0) -> Dump:
    """All that is known of a node and those below it."""
    move, visits, mean, proven, _ = tree.seen(node)
    return (-1 if node == 0 else move, visits, mean, proven), [
        dump(tree, each) for each in tree.children(node)
    ]


@pytest.mark.parametrize("options", [PLAIN, UctOptions(rave=100), UctOptions(expand_after=3)])
def test_what_is_known_of_a_state_outlives_the_moves_to_it(options: UctOptions) -> None:
    tree, state = simulations(1, options), after("4")
    tree.begin(state, reuse=True)
    tree.run(1500, 1 << 40)
    for plies in (1, 2, 0, 1):
        node = 0
        for _ in range(plies):
            node = max(tree.children(node), key=lambda child: tree.seen(child)[1])
            state = state.play(tree.seen(node)[0])
        known = dump(tree, node)[1]
        tree.begin(state, reuse=True)
        assert dump(tree)[1] == known
        assert tree.nodes.used == count(dump(tree))
        tree.run(200, 1 << 40)


def count(known: Dump) -> int:
    return 1 + sum(count(child) for child in known[1])


def test_plays_on_after_anything() -> None:
    player, random, state = FastUctPlayer(options=UctOptions(megabytes=4)), Random(0), after("")
    for _ in range(60):
        if state.player < 0 or random.random() < 0.1:
            state = drawn_by_lot(random, random.randrange(20))  # another game, without a word
        decision = player.choose(state, SearchLimits(playouts=100))
        assert decision.move in state.moves()
        assert {each.move for each in decision.tried} <= set(state.moves())
        state = state.play(decision.move)
        if state.player >= 0 and random.random() < 0.7:
            state = state.play(random.choice(state.moves()))


def test_forgets() -> None:
    player = FastUctPlayer(options=UctOptions(megabytes=4))
    first = player.choose(after(""), SearchLimits(playouts=200))
    again = player.choose(after(""), SearchLimits(playouts=200))
    assert sum(each.visits for each in again.tried) == 400
    player.new_game()
    assert player.choose(after(""), SearchLimits(playouts=200)).tried == first.tried


def test_too_much_memory_is_an_error() -> None:
    with pytest.raises(NoMemoryError, match="MB"):
        fast_uct(game("othello"), 0, final="visits", megabytes=1 << 30)


def test_threads_add_up_their_trees_and_share_the_limit() -> None:
    state = after("4")
    options = UctOptions(megabytes=16, solver=False)
    both = FastUctPlayer(5, options=options, threads=2).choose(state, SearchLimits(playouts=301))
    one = FastUctPlayer(5, options=options).choose(state, SearchLimits(playouts=151))
    other = FastUctPlayer(6, options=options).choose(state, SearchLimits(playouts=150))
    expected = {each.move: each.visits for each in one.tried}
    for each in other.tried:
        expected[each.move] += each.visits
    assert {each.move: each.visits for each in both.tried} == expected
    assert both.counts.playouts == 301
    assert both.value == pytest.approx(
        sum(each.visits * each.mean for each in (*one.tried, *other.tried) if each.move == both.move)
        / expected[both.move]
    )
    assert both.move == max(expected, key=lambda move: expected[move])


def test_threads_end_when_one_of_them_has_a_proof() -> None:
    decision = FastUctPlayer(options=UctOptions(megabytes=16), threads=3).choose(
        after("141414"), SearchLimits(seconds=1000)
    )
    assert decision.exact
