"""Trees: the notation both ways, whose turn it is, and bad texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.catalogue import game
from engine.games.rules import tree as tree_module
from engine.games.rules.game import CHANCE, OVER, SizeError
from engine.games.rules.tree import TREES, Tree, TreeGame, parse_tree


def movers(tree: Tree) -> list[int]:
    return [tree.player, *(movers(tree.children[0]) if tree.children else [])]


def test_nested_tuples_and_texts_are_the_same() -> None:
    nested = ((3, 12, 8), (2, 4, 6), (14, 5, 2))
    text = "( (3, 12, 8), {2,4,6}, (14, 5, 2) )"
    assert TreeGame(tree=nested).start() == parse_tree(text) == TreeGame().start()
    assert hash(TreeGame(tree=nested).start()) == hash(parse_tree(text))
    assert parse_tree(text) != parse_tree("min" + text)
    assert parse_tree("(1,2)") != parse_tree("(2,1)")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(((1)))", [0, 1, 0, OVER]),
        ("min(((1)))", [1, 0, 1, OVER]),
        ("max(max((1)))", [0, 0, 1, OVER]),
        ("(([1:(1)]))", [0, 1, CHANCE, 0, OVER]),
        ("[0.5:(1),0.5:2]", [CHANCE, 0, OVER]),
        ("((((1/2/3))))", [0, 1, 2, 0, OVER]),
        ("p3((p1((1/2/3))))", [2, 0, 0, 1, OVER]),
        ("P2((1/1/1/1/1/1))", [1, 2, OVER]),
        ("5", [OVER]),
    ],
)
def test_whose_turn_it_is(text: str, expected: list[int]) -> None:
    assert movers(parse_tree(text)) == expected


def test_probabilities_are_decimals_fractions_or_left_out() -> None:
    die = parse_tree("[1,2,3,4,5,6]")
    assert die == parse_tree("[1/6:1, 1/6:2, 1/6:3, 1/6:4, 1/6:5, 1/6:6]")
    assert TreeGame(tree="([1,2,3,4,5,6],3)").estimate(die)[0] == pytest.approx(3.5)
    assert parse_tree("[1/4:1, 3/4:[2, 3]]") == parse_tree("[0.25:1, 0.75:[0.5:2, 0.5:3]]")
    assert parse_tree("[1/6:(1/2/3), 5/6:4/5/6]").chances() == ((0, 1 / 6), (1, 5 / 6))
    assert len(parse_tree("([1/2,3/4],5/6)").payoffs) == 2, "payoffs, where no colon follows"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("([1,2],3)", "[1, 2]"),
        ("([1/2:1,1/2:2],3)", "[1, 2]"),
        ("([1/6:1,5/6:(2)],3)", "[1/6:1, 5/6:min(2)]"),
        ("([0.72:1,0.20:0,0.08:0.5],3)", "[0.72:1, 0.2:0, 0.08:0.5]"),
        ("([0.1234567:1,0.8765433:0],3)", "[0.1234567:1, 0.8765433:0]"),
    ],
)
def test_probabilities_are_shown_as_they_can_be_read(text: str, shown: str) -> None:
    tree = TreeGame(tree=text)
    line = tree.show(tree.start()).split("\n")[1]
    assert line == f"0: {shown}"
    assert parse_tree(line.removeprefix("0: ")).likely == tree.start().children[0].likely


def test_names_of_nodes_moves_and_unknown_leaves() -> None:
    text = "max A(a1: min B(b1: 3, b2: x), a2: C[win 0.3:9, lose 0.7:y])"
    game = TreeGame(tree=text)
    root = game.start()
    assert [root.name, *(child.name for child in root.children)] == ["A", "B", "C"]
    assert game.unknown == ("x", "y")
    assert [game.text(root, move) for move in root.moves()] == ["a1", "a2"]
    assert game.parse(root, "A2") == 1
    assert game.show(root) == "max A\na1: min B(b1: 3, b2: x)\na2: C[win 0.3:9, lose 0.7:y]"
    shown = f"max A({', '.join(game.show(root).splitlines()[1:])})"
    again = TreeGame(tree=shown)
    assert (again.start(), again.show(again.start())) == (root, game.show(root))
    assert parse_tree("(x,y)").children[0] != parse_tree("(y,x)").children[0], "each has a value of its own"
    known = root.with_unknown({"x": 5, "y": 6})
    assert known != root
    assert [leaf.payoffs[0] for leaf in known.leaves()] == [3, 5, 9, 6]
    assert parse_tree("A(3,12)") == parse_tree("(3,12)"), "a name makes no other position"


def test_what_kind_of_game_it_is() -> None:
    assert (TreeGame().players, TreeGame().zero_sum, TreeGame().payoffs) == (2, True, (-14, 14))
    animals = TreeGame(tree="animals")
    assert (animals.players, animals.zero_sum) == (3, False)
    assert TreeGame(tree="(1/2,3/4)").zero_sum is False
    assert TreeGame(tree="(0.1/0.2/-0.3,0/0/0)").zero_sum
    assert TreeGame(players=3, tree="(1/2/3,3/4/5)").players == 3
    assert game("tree", tree="boxes").start() == parse_tree(TREES["boxes"])


def test_estimate_is_the_average_below() -> None:
    tree = TreeGame(tree="((1,3),[0.25:0,0.75:4],6)")
    root = tree.start()
    assert tree.estimate(root)[0] == pytest.approx((2 + 3 + 6) / 3)
    assert tree.estimate(root)[1] == pytest.approx(-(2 + 3 + 6) / 3)


@pytest.mark.parametrize("name", TREES)
def test_what_is_shown_can_be_read_again(name: str) -> None:
    tree = TreeGame(tree=name)
    root = tree.start()
    first, *rest = tree.show(root).split("\n")
    assert first in {"max", "min", "p1", "p2", "p3"}
    assert len(rest) == len(root.moves())
    children = [parse_tree(line.split(": ", 1)[1], tree.players) for line in rest]
    assert tuple(children) == root.children
    leaf = root
    while leaf.children:
        leaf = leaf.children[0]
    assert parse_tree(tree.show(leaf), tree.players) == leaf


def test_the_examples_of_the_module_are_trees() -> None:
    lines = [line for line in (tree_module.__doc__ or "").splitlines() if line.startswith("    ")]
    trees = [parse_tree(line.strip().partition("   ")[0]) for line in lines]
    assert [tree.player for tree in trees] == [0, 1, 2, 0, CHANCE, CHANCE, CHANCE, 0, 0, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends too early"),
        ("(1,2))", "unexpected text after the tree"),
        ("()", "not a number"),
        ("(1 2)", "comma"),
        ("max 3", "bracket must follow"),
        ("(1,?)", "not part of a tree: '?"),
        ("lectuer", "not a tree: 'lectuer'; trees with a name: lecture, "),
        ("(1/2/3,x)", "unknown value: x"),
        ("(a:1,2)", "all moves of a node must have names"),
        ("(a:1,A:2)", "all moves of a node must have names"),
        ("(1,1e99)", "not a number: "),
        ("[0.5:1,0.4:2]", "add up to 1"),
        ("[0.5:1,0.5]", "all children"),
        ("[1/0:1]", "not a number: '1/0'"),
        ("(1/2/3,1/2)", "a number for each of the 3"),
        ("max(1/2/3)", "p1, p2"),
        ("p3(1,2)", "unknown player p3"),
        ("(1/2/3/4/5/6/7)", "2 to 6 players"),
        ("(" * 5_000, "plies deep"),
    ],
)
def test_bad_texts(text: str, message: str) -> None:
    with pytest.raises(SizeError, match=message) as error:
        TreeGame(tree=text)
    assert "\n" not in str(error.value)


@given(st.text(alphabet="()[]{}<>,:0123456789./-+emaxinp \n", max_size=30))
def test_no_text_does_anything_else(text: str) -> None:
    try:
        tree = parse_tree(text)
    except SizeError:
        return
    assert tree.leaves()
