"""Expectiminimax and Star1: the definition, with and without pruning, and what payoffs mean."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from engine.games.catalogue import game
from engine.games.players.textbook import with_pruning
from engine.games.rules.tree import Tree, TreeGame, leaf, node, parse_tree
from engine.games.search.basics import Meter, SearchLimits
from engine.games.search.expectiminimax import expectiminimax
from engine.games.search.minimax import minimax
from engine.games.search.ordering import by_value
from engine.games.search.star1 import star1
from engine.games.searchers import SEARCHERS, OptionError
from tests.engine.games.search.random_trees import random_tree, value_by_definition

ESTIMATE = game("tree").estimate
MOST = 9.0
BOUNDS = (-MOST, MOST)
TO_THE_END = 99


def drawn(seed: int) -> Tree:
    return random_tree(Random(seed), 5, chance=0.4, payoffs=int(MOST))


def test_star1_finds_the_same_on_1000_random_trees() -> None:
    saved = 0
    for seed in range(1_000):
        tree = drawn(seed)
        meters = [Meter(), Meter(), Meter()]
        expected = expectiminimax(tree, TO_THE_END, ESTIMATE, meters[0]).value
        assert star1(tree, TO_THE_END, ESTIMATE, meters[1]).value == pytest.approx(expected)
        assert star1(tree, TO_THE_END, ESTIMATE, meters[2], payoffs=BOUNDS).value == pytest.approx(expected)
        assert expected == pytest.approx(value_by_definition(tree, max(tree.player, 0)))
        assert meters[0].leaves >= meters[1].leaves
        saved += meters[1].leaves - meters[2].leaves
    assert saved > 0


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_star1_finds_the_same_at_a_horizon(depth: int) -> None:
    for seed in range(300):
        tree = drawn(seed)
        expected = expectiminimax(tree, depth, ESTIMATE, Meter()).value
        found = star1(tree, depth, ESTIMATE, Meter(), payoffs=BOUNDS, order=by_value(ESTIMATE))
        assert found.value == pytest.approx(expected)


def test_without_chance_it_is_minimax() -> None:
    for seed in range(100):
        tree = random_tree(Random(seed), 5)
        expected = minimax(tree, TO_THE_END, ESTIMATE, Meter())
        assert expectiminimax(tree, TO_THE_END, ESTIMATE, Meter()) == expected
        assert star1(tree, TO_THE_END, ESTIMATE, Meter(), payoffs=BOUNDS) == expected


def test_star1_leaves_out_what_cannot_matter() -> None:
    # 8 is had for certain. After a 2 of probability one half, even a 10 would make but 6.
    tree, meter = parse_tree("max(8, [0.5:2, 0.5:max(1,2,3)])"), Meter()
    assert star1(tree, 9, ESTIMATE, meter, payoffs=(-10, 10)).value == 8
    assert meter.leaves == 2
    # Without bounds the rest might be anything.
    meter = Meter()
    star1(tree, 9, ESTIMATE, meter)
    assert meter.leaves == 5


@pytest.mark.parametrize(
    ("text", "bounds", "leaves"),
    [
        # MIN is sure of 3. After a 9 of one half at least a 1 follows, by the leaves of the tree: 5 in all.
        ("(([0.5:2,0.5:4],[0.5:9,0.5:8]),1)", "game", 4),
        # After a 5 it is 3, which is enough; if a 0 could follow, 2½, and the 8 has to be looked at.
        ("(([0.5:2,0.5:4],[0.5:5,0.5:8]),1)", "game", 4),
        ("(([0.5:2,0.5:4],[0.5:5,0.5:8]),1)", "0,10", 5),
        # The same with the signs turned, and MIN at the root.
        ("min(max([0.5:-2,0.5:-4],[0.5:-5,0.5:-8]),-1)", "game", 4),
        ("min(max([0.5:-2,0.5:-4],[0.5:-5,0.5:-8]),-1)", "-10,0", 5),
    ],
)
def test_each_player_has_bounds_of_its_own(text: str, bounds: str, leaves: int) -> None:
    game, meter = TreeGame(tree=text), Meter()
    found = with_pruning(game, "star1", bounds)(game.start(), 9, ESTIMATE, meter)
    assert found.value == expectiminimax(game.start(), 9, ESTIMATE, Meter()).value
    assert meter.leaves == leaves


def test_the_bounds_of_a_tree_are_sound() -> None:
    for seed in range(300):
        tree = random_tree(Random(seed), 5, chance=0.4)
        text = TreeGame().show(node(0, (tree,))).partition(": ")[2]
        game = TreeGame(tree=f"max({text})")
        found = with_pruning(game, "star1", "game")(game.start(), 9, ESTIMATE, Meter())
        assert found.value == pytest.approx(value_by_definition(game.start()))


@pytest.mark.parametrize("bounds", ["1", "0,x", "2,10", "0,8", "nan,10", "0,inf", "10,0"])
def test_bounds_that_are_none_are_refused(bounds: str) -> None:
    game = TreeGame(tree="([0.5:1,0.5:9],4)")
    with pytest.raises(OptionError, match=r"^bounds must "):
        SEARCHERS["expectiminimax"].player(game, options={"bounds": bounds})


def test_a_bound_that_was_rounded_up_is_no_better_move() -> None:
    # After the first -1 the second box can be worth -0.4 at most, as the first one is; a hair more by sums.
    tree = parse_tree("max([0.7:-1,0.3:1], [0.7:-1,0.3:-1])")
    assert star1(tree, 9, ESTIMATE, Meter(), payoffs=(-1, 1)) == expectiminimax(tree, 9, ESTIMATE, Meter())
    mirrored = parse_tree("min([0.7:1,0.3:-1], [0.7:1,0.3:1])")
    assert star1(mirrored, 9, ESTIMATE, Meter(), payoffs=(-1, 1)).line == (0,)
    below = parse_tree("(min([0.7:1,0.3:-1], [0.7:1,0.3:1]), -1)")
    assert star1(below, 9, ESTIMATE, Meter(), payoffs=(-1, 1)).line[:2] == (0, 0)


def test_pruning_at_chance_as_elsewhere_is_wrong() -> None:
    # 5 is sure. After a 2 the naive search leaves the lottery, which is worth (2 + 20) / 2 = 11.
    tree = parse_tree("(5, [0.5:2, 0.5:20])")
    meter = Meter()
    found, true = star1(tree, 9, ESTIMATE, meter, naive=True), expectiminimax(tree, 9, ESTIMATE, Meter())
    assert (found.value, found.line, true.value, true.line) == (5, (0,), 11, (1,))
    assert meter.leaves == 2
    # MIN is sure of 5 in the mirror image.
    assert star1(parse_tree("min(5, [0.5:8, 0.5:-20])"), 9, ESTIMATE, Meter(), naive=True).line == (0,)


def test_how_often_that_is_wrong_and_that_without_chance_it_is_not() -> None:
    wrong = 0
    for seed in range(300):
        tree = drawn(seed)
        wrong += star1(tree, 9, ESTIMATE, Meter(), naive=True).value != pytest.approx(
            expectiminimax(tree, 9, ESTIMATE, Meter()).value
        )
        plain = random_tree(Random(seed), 5)
        assert star1(plain, 9, ESTIMATE, Meter(), naive=True) == star1(plain, 9, ESTIMATE, Meter())
    assert wrong > 30


def test_what_the_naive_pruning_finds_is_never_called_exact() -> None:
    game = TreeGame(tree="(5, [0.5:2, 0.5:20])")
    for pruning in ("none", "reset", "star1", "naive"):
        player = SEARCHERS["expectiminimax"].player(game, options={"pruning": pruning})
        assert player.choose(game.start(), SearchLimits()).exact is (pruning != "naive")


def test_a_mean_keeps_its_decision_under_a_linear_map_and_not_under_every_monotone_one() -> None:
    changed = 0
    for seed in range(300):
        tree = drawn(seed)
        if tree.player < 0:
            continue
        chosen = expectiminimax(tree, 9, ESTIMATE, Meter()).line[:1]
        linear = mapped(tree, lambda payoff: 8 * payoff + 16)  # whole numbers, so that ties stay ties
        assert expectiminimax(linear, 9, ESTIMATE, Meter()).line[:1] == chosen
        monotone = mapped(tree, lambda payoff: 3.0**payoff)
        changed += expectiminimax(monotone, 9, ESTIMATE, Meter()).line[:1] != chosen
        plain = random_tree(Random(seed), 5)
        cubed = mapped(plain, lambda payoff: 3.0**payoff)
        assert minimax(cubed, 9, ESTIMATE, Meter()).line == minimax(plain, 9, ESTIMATE, Meter()).line
    assert changed > 10


def mapped(tree: Tree, change: Callable[[float], float]) -> Tree:
    if not tree.children:
        payoff = change(tree.payoffs[0])
        return leaf((payoff, -payoff))
    return node(tree.player, tuple(mapped(child, change) for child in tree.children), tree.likely)
