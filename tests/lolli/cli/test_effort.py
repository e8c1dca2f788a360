"""`lolli effort`: the effective branching factor, and what theory says, against trees that are counted."""

from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.games.catalogue import game
from engine.games.rules.tree import Tree, leaf, node
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Meter
from engine.games.search.minimax import minimax
from lolli.cli.effort import by_theory, effective_branching_factor
from lolli.cli.group import group
from tests.lolli.cli.running import objects

ESTIMATE = game("tree").estimate
SHAPES = [*product((2, 3, 4), (1, 2, 3, 4)), (2, 6), (3, 6)]


def best_first(breadth: int, depth: int, player: int = 0) -> Tree:
    """All payoffs are 0, so that in any order the first move is a best one."""
    if depth == 0:
        return leaf((0.0, 0.0))
    return node(player, tuple(best_first(breadth, depth - 1, 1 - player) for _ in range(breadth)))


@pytest.mark.parametrize(("breadth", "depth"), SHAPES)
def test_theory_is_what_is_counted(breadth: int, depth: int) -> None:
    tree, plain, pruned = best_first(breadth, depth), Meter(), Meter()
    minimax(tree, depth, ESTIMATE, plain)
    alphabeta(tree, depth, ESTIMATE, pruned)
    theory = by_theory(plain.leaves, depth)
    assert theory.b == pytest.approx(breadth)
    assert theory.at_best == pytest.approx(pruned.leaves)
    assert effective_branching_factor(plain.visited, depth) == pytest.approx(breadth)
    if depth % 2:
        assert theory.two_plies is None
    else:
        assert theory.two_plies == pytest.approx(leaves_with_the_cuts_of_two_plies(tree))


def leaves_with_the_cuts_of_two_plies(tree: Tree) -> int:
    """MIN nodes are left once they are worth no more than one before them; no other cut, none deeper."""
    if not tree.children:
        return 1
    first, *others = tree.children
    whole = sum(map(leaves_with_the_cuts_of_two_plies, first.children))
    return whole + sum(leaves_with_the_cuts_of_two_plies(child.children[0]) for child in others)


@pytest.mark.parametrize(("nodes", "depth"), [(1, 3), (53, 5), (300, 4), (10**9, 20)])
def test_a_uniform_tree_with_b_moves_has_as_many_nodes(nodes: int, depth: int) -> None:
    b = effective_branching_factor(nodes, depth)
    assert sum(b**plies for plies in range(depth + 1)) == pytest.approx(nodes)
    if (nodes, depth) == (53, 5):  # the textbook's example: 52 nodes below the root, 5 plies
        assert b == pytest.approx(1.92, abs=0.005)


def run(*words: str, status: int = 0) -> Result:
    done = CliRunner().invoke(group, ["effort", *words])
    assert done.exit_code == status, done.output
    return done


def test_the_best_order_beside_theory() -> None:
    rows = objects(run("--game", "tree ordered", "minimax", "alphabeta", "--json").stdout)
    deepest = [(row["searcher"], row.get("leaves")) for row in rows if row["plies"] == 4]
    assert deepest == [("minimax", 16), ("alphabeta", 7), ("alpha-beta", None)]
    theory = rows[-1]
    assert [round(theory[name], 6) for name in ("b", "at_best", "two_plies", "at_random", "all")] == [
        *(2, 7, 9, 8, 16),
    ]


def test_a_depth_that_takes_more_nodes_is_left_out() -> None:
    rows = objects(run("--nodes", "600", "--json", "minimax", "alphabeta").stdout)
    found = [(row["searcher"], row["plies"]) for row in rows if "nodes" in row]
    assert found == [
        ("minimax", 1),
        ("minimax", 2),
        ("minimax", 3),
        *(("alphabeta", n) for n in (1, 2, 3, 4)),
    ]


def test_what_searches_where_minimax_cannot() -> None:
    assert "expectiminimax" in run("--game", "tree chance", "--depth", "1").stdout
    assert "theory" not in run("--game", "tree animals").stdout


def test_a_mistake_in_a_search_of_ones_own_is_told_in_one_line(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("def alphabeta(state, depth, estimate):\n    return None\n")
    told = run(str(mine), status=2).stderr.splitlines()[-1]
    assert told.startswith("Error: ")
    assert "alphabeta returned None" in told


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("uct",), "uct does not search to a depth"),
        (("--game", "tree chance", "minimax"), "minimax: needs a game without chance"),
        (("--moves", "A1 B1 A2 B2 A3"), "no player is to move there"),
        (("--nodes", "5"), "no search is finished within 5 nodes"),
    ],
)
def test_what_cannot_be_counted_is_said_in_one_line(words: tuple[str, ...], error: str) -> None:
    assert run(*words, status=2).stderr.endswith(f"{error}\n")


@pytest.mark.parametrize(
    ("words", "deepest"),
    [
        (("--game", "tree lecture"), 2),
        (("--game", "nim 5", "maxn", "alphabeta"), 3),
        (("--moves", "A1 B2 C3 A3 C1 B1 B3", "minimax", "alphabeta"), 2),
    ],
)
def test_a_tree_is_counted_to_its_end(words: tuple[str, ...], deepest: int) -> None:
    rows = objects(run(*words, "--depth", "6", "--json").stdout)
    last = {row["searcher"]: row["plies"] for row in rows}
    assert set(last.values()) == {deepest}
