"""The searches of the page's own script are those of the textbook, step by step, with the same decisions."""

from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.games.rules.game import CHANCE
from engine.games.rules.tree import Tree, TreeGame, leaf, node
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Search
from engine.games.search.expectiminimax import expectiminimax
from engine.games.search.maxn import maxn
from engine.games.search.minimax import minimax
from engine.games.search.paranoid import paranoid
from engine.games.search.recording import RecordedNode, Recording, RecordingMeter
from engine.games.search.star1 import star1
from lolli.cli.trees import picture
from tests.lolli.cli.reports.browser import Reader, reader

SCRIPT = Path(picture.__file__).parent / "page" / "search.js"
IN_THE_GATE, IN_THE_LONG_LANE, AT_ONCE = 60, 834, 60  # trees of each of the six
_ASK = """
    const number = (value) => Array.isArray(value) ? value.map(number)
        : value === null || Number.isFinite(value) ? value : String(value);
    return arguments[0].map(({ nodes, algorithm, depth, maxPlayer, bounds }) => {
        const { steps, line } = searchTree(nodes, algorithm, depth, { maxPlayer, bounds });
        const told = steps.map(({ act, node, value, window, more }) =>
            [act, node, number(value), number(window), more]);
        return [told, line];
    });
"""
_PLIES, _CHANCE = 5, 0.3


def random_tree(random: Random, depth: int, players: int, chance: float) -> Tree:
    """Leaves anywhere, the same player twice, equal payoffs; probabilities whose sums are exact."""
    if depth == 0 or random.random() < 0.1:
        payoffs = [float(random.randint(-9, 9)) for _ in range(players - 1)]
        return leaf((*payoffs, -sum(payoffs)))
    children = [random_tree(random, depth - 1, players, chance) for _ in range(random.randint(1, 4))]
    if random.random() < chance:
        weights = [random.choice((0, 1, 2, 4)) for _ in children[1:]]
        return node(CHANCE, tuple(children), tuple(each / 16 for each in (16 - sum(weights), *weights)))
    return node(random.randrange(players), tuple(children))


def written(tree: Tree) -> tuple[list[dict[str, Any]], dict[tuple[int, ...], int]]:
    """The nodes for the script, each before those below it, and their places by the moves that lead there."""
    nodes: list[dict[str, Any]] = []
    places: dict[tuple[int, ...], int] = {}

    def write(tree: Tree, path: tuple[int, ...], likely: float | None) -> int:
        places[path] = len(nodes)
        written: dict[str, Any] = {"player": tree.player, "likely": likely, "values": tree.payoffs}
        nodes.append(written)
        odds = tree.likely or (None,) * len(tree.children)
        written["children"] = [
            write(child, (*path, move), odds[move]) for move, child in enumerate(tree.children)
        ]
        return places[path]

    write(tree, (), None)
    return nodes, places


def path(node: RecordedNode) -> tuple[int, ...]:
    return () if node.above is None else (*path(node.above), node.move)


def told(recording: Recording, places: dict[tuple[int, ...], int]) -> list[list[Any]]:
    """The steps as the script tells them."""

    def number(value: Any) -> Any:
        if isinstance(value, tuple):
            return [number(each) for each in value]
        return value if value is None or abs(value) < inf else f"{'-' * (value < 0)}Infinity"

    def more(act: str, node: RecordedNode) -> Any:
        if act == "cut":
            return [places[(*path(node), move)] for move, _ in node.pruned]
        return node.depth if act == "enter" else node.source if act == "estimate" else None

    return [
        [
            step.act,
            places[path(step.node)],
            number(step.value),
            number(step.window),
            more(step.act, step.node),
        ]
        for step in recording.steps
    ]


def bounds(tree: Tree) -> tuple[float, float]:
    payoffs = [leaf.payoffs[0] for leaf in tree.leaves()]
    return min(payoffs), max(payoffs)


SEARCHES: dict[str, tuple[int, float, Callable[[Tree], Search]]] = {
    "minimax": (2, 0, lambda _: minimax),
    "alphabeta": (2, 0, lambda _: alphabeta),
    "expectiminimax": (2, _CHANCE, lambda _: expectiminimax),
    "star1": (2, _CHANCE, lambda tree: partial(star1, payoffs=_for_root(tree))),
    "maxn": (3, _CHANCE, lambda _: maxn),
    "paranoid": (3, 0, lambda _: paranoid),
}
"""The number of players, how often chance moves, and the search, for one tree."""


def _for_root(tree: Tree) -> tuple[float, float]:
    least, greatest = bounds(tree)
    return (-greatest, -least) if tree.player == 1 else (least, greatest)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    page = tmp_path_factory.mktemp("page") / "search.html"
    page.write_text(f"<!DOCTYPE html><meta charset=utf-8><script>{SCRIPT.read_text('utf-8')}</script>")
    with reader() as opened:
        opened.open(page)
        yield opened
        assert opened.problems() == []


def compare(browser: Reader, name: str, count: int, seed: int) -> None:
    players, chance, search_of = SEARCHES[name]
    random = Random(seed)
    asked, expected = [], []
    for _ in range(count):
        tree = random_tree(random, random.randint(1, _PLIES), players, chance)
        depth = random.randint(1, _PLIES + 1)
        max_player = 0 if players == 2 else max(tree.player, 0)
        meter = RecordingMeter(vectors=name == "maxn", max_player=None if name == "maxn" else max_player)
        estimate: Any = TreeGame().estimate
        result = search_of(tree)(tree, depth, estimate, meter)
        nodes, places = written(tree)
        asked.append(
            {
                "nodes": nodes,
                "algorithm": name,
                "depth": depth,
                "maxPlayer": max_player,
                "bounds": bounds(tree),
            }
        )
        line = [places[result.line[: moves + 1]] for moves in range(len(result.line))]
        expected.append([told(meter.recordings[0], places), line])
    assert browser.ask(_ASK, asked) == expected


@pytest.mark.parametrize("name", SEARCHES)
def test_the_page_searches_as_the_textbook(browser: Reader, name: str) -> None:
    compare(browser, name, IN_THE_GATE, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCHES)
def test_five_thousand_trees(browser: Reader, name: str) -> None:
    for first in range(0, IN_THE_LONG_LANE, AT_ONCE):
        compare(browser, name, min(AT_ONCE, IN_THE_LONG_LANE - first), seed=1_000 + first)
