"""What a search reports: well nested, the values of brute force, and only moves pruned that cannot matter."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.catalogue import game
from engine.games.rules.game import CHANCE
from engine.games.rules.tree import TREES, Tree, leaf, node, parse_tree
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Meter, SearchLimits, SearchStoppedError
from engine.games.search.best_reply import InTurn, best_reply
from engine.games.search.enhanced_alphabeta import EnhancedAlphaBeta
from engine.games.search.expectiminimax import expectiminimax
from engine.games.search.maxn import maxn
from engine.games.search.minimax import minimax
from engine.games.search.monte_carlo import monte_carlo
from engine.games.search.paranoid import paranoid
from engine.games.search.puct import puct
from engine.games.search.recording import Act, RecordedNode, Recording, RecordingMeter
from engine.games.search.star1 import star1
from engine.games.search.threat_ads import MoveToFront
from engine.games.search.uct import uct
from tests.engine.games.search.random_games import RandomState, Rules, estimate
from tests.engine.games.search.random_trees import random_tree, value_by_definition

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.rules.game import State
    from engine.games.search.basics import Result

TO_THE_END = 99
TREE = game("tree")
SEEDS = st.integers(0, 10**6)
QUICK = settings(max_examples=40)
NOTHING_ADDED = dict.fromkeys(("transpositions", "principal", "killers", "history", "quiescence"), False)


def recorded(search: Callable[..., Result], state: Any, depth: int, *more: Any, **also: Any) -> Recording:
    guess = TREE.estimate if isinstance(state, Tree) else estimate
    plain, meter = Meter(), RecordingMeter(vectors=search is maxn)
    expected = search(state, depth, guess, plain, *deepcopy(more), **also)
    assert search(state, depth, guess, meter, *more, **also) == expected
    assert meter.counts == plain.counts
    (recording,) = meter.recordings
    check(recording)
    assert recording.root.value in {expected.value, expected.values}
    assert len(recording.nodes) == plain.visited
    return recording


def check(recording: Recording) -> None:
    """Each node is entered once, from the one that is open, and left once, after all below it."""
    open_nodes: list[RecordedNode] = []
    entered = []
    for step in recording.steps:
        if step.act is Act.ENTER:
            assert step.node.above is (open_nodes[-1] if open_nodes else None)
            open_nodes.append(step.node)
            entered.append(step.node)
            continue
        assert step.node is open_nodes[-1]
        if step.act in {Act.ESTIMATE, Act.RETURN}:
            assert step.value == step.node.value
            open_nodes.pop()
    assert not open_nodes
    assert recording.finished
    assert entered == recording.nodes
    assert [each.number for each in entered] == list(range(len(entered)))


def leaves(recording: Recording) -> list[float]:
    return [step.node.state.payoff()[0] for step in recording.steps if step.act is Act.ESTIMATE]


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("lecture", [3, 12, 8, 2, 14, 5, 2]),
        ("reordered", [3, 12, 8, 2, 2]),
        ("worst", [6, 4, 2, 14, 5, 2, 12, 8, 3]),
        ("sixteen", [5, 3, 4, 6, 8, 6, 8, 7, 8, 9, 2, 1]),
    ],
)
def test_leaves_of_the_lectures(name: str, seen: list[float]) -> None:
    assert leaves(recorded(alphabeta, parse_tree(TREES[name]), TO_THE_END)) == seen


def test_the_cut_of_the_lecture() -> None:
    recording = recorded(alphabeta, parse_tree(TREES["lecture"]), TO_THE_END)
    (cut,) = [step for step in recording.steps if step.act is Act.CUT]
    assert (cut.node.move, cut.window, cut.pruned) == (1, (3, 2), ((1, 1), (2, 1)))


@QUICK
@given(SEEDS)
def test_minimax_reports_the_value_of_every_node(seed: int) -> None:
    tree = random_tree(Random(seed), 4)
    for each in recorded(minimax, tree, TO_THE_END).nodes:
        assert each.value == exact_value(each, tree)
        assert not each.pruned


@QUICK
@given(SEEDS)
def test_pruned_leaves_are_the_others_and_could_be_worth_anything(seed: int) -> None:
    random = Random(seed)
    tree = random_tree(random, 5)
    recording = recorded(alphabeta, tree, TO_THE_END)
    pruned = [each.state.play(move) for each in recording.nodes for move, _ in each.pruned]
    unseen = [payoff for child in pruned for payoff in as_tree(child).leaves()]
    assert len(leaves(recording)) + len(unseen) == len(tree.leaves())
    by_path = {path_to(each): each for each in recording.nodes}

    def other(state: Tree, path: tuple[int, ...]) -> Tree:
        """The tree with other payoffs wherever alpha-beta did not look."""
        if not state.children:
            number = float(random.randint(-99, 99))
            return state if path in by_path else leaf((number, -number))
        children = tuple(other(child, (*path, move)) for move, child in enumerate(state.children))
        return node(state.player, children)

    changed = other(tree, ())
    assert minimax(changed, TO_THE_END, TREE.estimate, Meter()).value == recording.root.value


def as_tree(state: State) -> Tree:
    assert isinstance(state, Tree)
    return state


def exact_value(each: RecordedNode, root: Tree) -> float:
    return value_by_definition(as_tree(each.state), max(root.player, 0))


def path_to(each: RecordedNode) -> tuple[int, ...]:
    return () if each.above is None else (*path_to(each.above), each.move)


@QUICK
@given(SEEDS)
def test_values_are_bounds_by_the_window(seed: int) -> None:
    """Fail-soft: inside the window the value, below or above it a bound."""
    tree = random_tree(Random(seed), 5)
    for each in recorded(alphabeta, tree, TO_THE_END).nodes:
        if each.window is None:  # the root, where it is a leaf
            continue
        assert isinstance(each.value, float)
        exact, (alpha, beta) = exact_value(each, tree), each.window
        if each.value <= alpha:
            assert exact <= each.value
        elif each.value >= beta:
            assert exact >= each.value
        else:
            assert exact == each.value


@QUICK
@given(SEEDS)
def test_negamax_with_nothing_added_reports_what_alpha_beta_reports(seed: int) -> None:
    tree = random_tree(Random(seed), 5)
    meter = RecordingMeter(negamax=True)
    EnhancedAlphaBeta(TREE, **NOTHING_ADDED)(tree, TO_THE_END, TREE.estimate, meter)
    plain = recorded(alphabeta, tree, TO_THE_END)
    assert told(meter.recordings[0]) == told(plain)


def told(recording: Recording) -> list[Any]:
    return [
        (step.act, step.node.number, step.node.move, step.value, step.window, step.pruned)
        for step in recording.steps
    ]


@QUICK
@given(SEEDS, st.sampled_from((None, (-9.0, 9.0))))
def test_chance(seed: int, payoffs: tuple[float, float] | None) -> None:
    tree = random_tree(Random(seed), 4, chance=0.3)
    for each in recorded(expectiminimax, tree, TO_THE_END).nodes:
        assert each.value == pytest.approx(exact_value(each, tree))
        if each.above is not None and each.above.state.player == CHANCE:
            assert each.likely == as_tree(each.above.state).likely[each.move]
    recorded(star1, tree, TO_THE_END, payoffs=payoffs)
    recorded(maxn, tree, TO_THE_END)


@QUICK
@given(SEEDS)
def test_many_players(seed: int) -> None:
    rules = Rules(seed, 3, plies=4, most_moves=3, eliminating=10, immobile=30)
    recorded(maxn, RandomState(rules), 4)
    recorded(paranoid, RandomState(rules), 4)
    for opponents in (InTurn(0, 3), MoveToFront(0, 3)):
        recording = recorded(best_reply, RandomState(rules), 4, opponents)
        for each in recording.nodes:
            if each.above is not None and each.above.asked and each.mover is not None:
                assert each.mover in each.above.asked


def test_threat_ads_shows_the_list_as_it_stands() -> None:
    for seed in range(20):
        opponents = MoveToFront(0, 3)
        recording = recorded(best_reply, RandomState(Rules(seed, 3)), 4, opponents)
        asked = {each.asked for each in recording.nodes if each.asked}
        if len(asked) > 1:
            assert asked == {(1, 2), (2, 1)}
            return
    pytest.fail("the list never changed")


def test_additions() -> None:
    """A table that knows a state, and looks aside for a singular move."""
    sources, aside = set(), 0
    state = game("tictactoe").start()
    search = EnhancedAlphaBeta(game("tictactoe"), singular=True)
    for depth in range(1, 7):
        meter = RecordingMeter(negamax=True)
        search(state, depth, game("tictactoe").estimate, meter)
        (recording,) = meter.recordings
        check(recording)
        sources |= {each.source for each in recording.nodes}
        aside += sum(each.aside for each in recording.nodes)
    assert sources == {"", "estimate", "payoff", "table"}
    assert aside > 0


def test_a_search_that_was_stopped_is_not_finished() -> None:
    meter = RecordingMeter(SearchLimits(nodes=5))
    with pytest.raises(SearchStoppedError):
        minimax(parse_tree(TREES["lecture"]), TO_THE_END, TREE.estimate, meter)
    assert not meter.recordings[0].finished


@pytest.mark.parametrize("name", ["lecture", "chance", "animals"])
def test_uct(name: str) -> None:
    tree = game("tree", tree=name)
    plain, meter = Meter(SearchLimits(playouts=200)), RecordingMeter(SearchLimits(playouts=200))
    decision = uct(tree.start(), meter, payoffs=tree.payoffs)
    assert decision == uct(tree.start(), plain, payoffs=tree.payoffs)
    (recording,) = meter.recordings
    low, high = tree.payoffs
    assert recording.root.visits == 200
    children = {each.move: each for each in recording.root.children}
    assert {each.move: each.visits for each in decision.tried} == {
        move: each.visits for move, each in children.items()
    }
    for tried in decision.tried:
        assert tried.mean == pytest.approx(low + (high - low) * children[tried.move].mean)
    seen: dict[RecordedNode, int] = {}
    means: dict[RecordedNode, float] = {}
    for step in recording.steps:
        if step.act is Act.BACK_UP:
            assert isinstance(step.value, float)
            seen[step.node], means[step.node] = step.visits, step.value
        assert (step.act is Act.EXPAND) <= (step.node not in seen)
    assert seen == {each: each.visits for each in recording.nodes}
    assert means == {each: each.mean for each in recording.nodes}


def _puct(playouts: int) -> Recording:
    """Of tic-tac-toe, with a policy and a value that are nonsense, but always the same."""

    def evaluate(state: Any) -> tuple[list[float], float]:
        random = Random(game("tictactoe").show(state))
        shares = [random.random() ** 2 for _ in state.moves()]
        return [share / sum(shares) for share in shares], random.uniform(-1, 1)

    meter = RecordingMeter(SearchLimits(playouts=playouts))
    puct(game("tictactoe").start(), meter, evaluate)
    return meter.recordings[0]


def test_puct_goes_on_where_the_bound_is_highest() -> None:
    checked = 0
    before = _puct(1)
    assert dict(before.root.untried()) == dict(before.root.policy)
    for playouts in range(2, 80):
        after = _puct(playouts)
        old, new = ({each.move: each for each in found.root.children} for found in (before, after))
        (gone,) = [move for move, each in new.items() if move not in old or each.visits > old[move].visits]
        assert {*new} | {move for move, _ in after.root.untried()} == {move for move, _ in after.root.policy}
        if gone in old:
            assert gone == max(old, key=lambda move: old[move].bound(1.25))
            checked += len({*old}) > 1
        before = after
    assert checked > 20


def test_monte_carlo() -> None:
    tree = TREE.start()
    meter = RecordingMeter(SearchLimits(playouts=150))
    decision = monte_carlo(tree, meter)
    assert decision == monte_carlo(tree, Meter(SearchLimits(playouts=150)))
    means = {each.move: pytest.approx(each.mean) for each in decision.tried}
    assert means == {each.move: each.mean for each in meter.recordings[0].root.children}
