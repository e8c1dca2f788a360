"""Which nodes are drawn, and what stands at them."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from shutil import which
from subprocess import run

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games import catalogue
from engine.games.rules import tree as trees
from engine.games.rules.tree import Tree, TreeGame
from lolli.cli.trees import Between, WatchedSearch, WatchError, trace_lines
from lolli.cli.trees.boards import square_svg
from lolli.cli.trees.picture import Drawing, Picture, notes, picture_of, shown_value, terminal_tree, tree_svg
from lolli.cli.trees.slides import tree_dot, tree_tex
from tests.engine.games.search.random_trees import random_tree, value_by_definition
from tests.lolli.cli.trees.searches import searched

SVG = "{http://www.w3.org/2000/svg}"
LIMITS = st.none() | st.integers(1, 12)
SEARCH = searched("alphabeta:depth=4", "tictactoe", moves="B2 A1 C3")
UCT = searched("uct:playouts=200", "tictactoe")
PUCT = searched("puct:playouts=12", "connectfour")


def test_the_picture_of_the_lecture() -> None:
    picture = picture_of(searched("alphabeta"))
    leaves = [node for node in picture.nodes if not node.children]
    assert [shown_value(node, picture.search) for node in leaves] == [
        "3",
        "12",
        "8",
        "2",
        "4",
        "6",
        "14",
        "5",
        "2",
    ]
    assert [node.pruned for node in leaves] == [False] * 4 + [True] * 2 + [False] * 3
    middle = [shown_value(node, picture.search) for node in picture.root.children]
    assert middle == ["3", "≤ 2", "≤ 2"]
    assert [node.move for node in picture.nodes if node.best] == ["", "0", "0"]
    assert picture.left_out == ""


@pytest.mark.parametrize(
    "searcher",
    ["minimax", "alphabeta", "enhanced", "expectiminimax", "expectiminimax:pruning=none", "paranoid"],
)
def test_a_tree_keeps_the_movers_it_names_and_the_numbers_of_max(searcher: str) -> None:
    """Every number that is drawn is true of the tree by the definition, whoever moves first."""
    for seed in range(60):
        tree = trees.node(seed % 2, (random_tree(Random(seed), 4), random_tree(Random(-seed), 3)))
        text = TreeGame().show(trees.node(0, (tree,))).partition(": ")[2]
        picture = picture_of(searched(searcher, text=text))
        assert shown_value(picture.root, picture.search) == f"{value_by_definition(tree):g}"
        assert picture.root.shape == ("max", "min")[tree.player]
        assert f", value {value_by_definition(tree):g}" in picture.search.title()
        for drawn in picture.nodes:
            assert drawn.player == ("MAX", "MIN", "end", "")[drawn.state.player]
            sign, _, number = shown_value(drawn, picture.search).rpartition(" ")
            if number:
                assert isinstance(drawn.state, Tree)
                value = value_by_definition(drawn.state)
                assert {"": value == float(number), "≤": value <= float(number), "≥": value >= float(number)}[
                    sign
                ]


def test_every_move_of_the_root_has_its_probability() -> None:
    picture = picture_of(PUCT, depth=1)
    said = [notes(node, PUCT) for node in picture.root.children]
    assert len(said) == 7
    chances = [float(note.removeprefix("P ")) for told in said for note in told if note.startswith("P ")]
    assert sum(chances) == pytest.approx(1, abs=0.04)
    untried = ["n 0" in told for told in said]
    assert 0 < sum(untried) < 7
    assert untried == sorted(untried), "they are the last"
    fewer = picture_of(PUCT, depth=1, breadth=6)
    assert f" and {sum(untried) - 1} of {sum(untried)} untried moves of the root are drawn" in fewer.left_out


@settings(max_examples=30)
@given(LIMITS, LIMITS, st.none() | st.integers(1, 60), st.sampled_from((SEARCH, UCT)))
def test_limits(depth: int | None, breadth: int | None, nodes: int | None, search: WatchedSearch) -> None:
    picture = picture_of(search, depth=depth, breadth=breadth, nodes=nodes)
    assert depth is None or max(node.y for node in picture.nodes) <= depth
    assert breadth is None or max(len(node.children) for node in picture.nodes) <= breadth
    assert nodes is None or len(picture.nodes) <= nodes
    drawn = sum(not node.pruned for node in picture.nodes)
    visited = picture.search.recording.nodes
    branches = len(picture.nodes) - drawn, sum(len(node.pruned) for node in visited)
    everything = len(visited) + branches[1]
    assert len(picture.nodes) + sum(node.left_out for node in picture.nodes) == everything
    assert (picture.left_out == "") == (len(picture.nodes) == everything)
    assert (f"{drawn} of {len(visited)} nodes" in picture.left_out) == (drawn < len(visited))
    pruned = f"{branches[0]} of {branches[1]} pruned branches are drawn"
    assert (pruned in picture.left_out) == (branches[0] < branches[1])
    for node in picture.nodes:
        if node.visited is not None and node.children and node.best and node.left_out:
            assert any(child.best for child in node.children)  # the best move is never left out


@pytest.mark.parametrize(
    "search",
    [
        searched("minimax", text="sixteen"),
        searched("alphabeta:depth=4", "tictactoe"),
        searched("enhanced:depth=4", "connectfour"),
        searched("expectiminimax:depth=2", "backgammon", moves="31"),
        searched("maxn", text="animals"),
        searched("paranoid:depth=3", "virus"),
        searched("bestreply:depth=3", "virus"),
        UCT,
    ],
    ids=lambda search: search.label,
)
def test_what_is_bold_is_the_line_that_was_decided_on(search: WatchedSearch) -> None:
    best = [node for node in picture_of(search).nodes if node.best]
    moves = [node.visited.move for node in best[1:] if node.visited]
    assert moves == list(search.decision.line[: len(moves)]) != []
    assert all(node.above is above for above, node in pairwise(best))
    last = best[-1].visited
    assert last is not None
    following = [child.move for child in last.children if not child.aside]
    assert search.decision.line[len(moves) :][:1] not in [(move,) for move in following]


@pytest.mark.parametrize(
    ("search", "said"),
    [
        (searched("enhanced:depth=4", "tictactoe", moves="B2 A1"), "table: as "),
        (searched("enhanced:depth=2", "connectfour", moves="D1 A1 D2 A2 D3"), "quiescence"),
        (searched("threat-ads:depth=2", "virus"), "asks p2"),
        (searched("threat-ads:depth=2", "virus"), "p2 replies"),
        (searched("uct:playouts=9"), "bound "),
        (PUCT, "bound "),
    ],
)
def test_notes(search: WatchedSearch, said: str) -> None:
    picture = picture_of(search)
    told = {note for node in picture.nodes for note in notes(node, picture.search)}
    assert any(note.startswith(said) for note in told), told


def test_an_unknown_leaf_is_drawn_by_its_name() -> None:
    svg = ET.fromstring(tree_svg(picture_of(searched("minimax", text="((3,info),(2,4))"))))
    assert "info" in {each.text for each in svg.iter(f"{SVG}text")}


def test_a_bishop_is_drawn_as_a_knight_is() -> None:
    chess = catalogue.game("chess")
    for knight, bishop in ("NB", "nb"):
        assert square_svg(chess, bishop, 0) == square_svg(chess, knight, 0).replace("♞", "♝")
    assert "♚" in square_svg(catalogue.game("checkers"), "B", 0)


def test_what_holds_whatever_unknown_leaves_are_worth() -> None:
    """The ends of each range are reached by values of the leaves, and none of these leaves it."""
    names = "uvwxyz"
    for seed in range(40):
        random = Random(seed)
        tree = random_tree(random, 4)
        leaves = len(tree.leaves())
        unknown = dict(zip(random.sample(range(leaves), min(leaves, 3)), names, strict=False))
        text = _with_names(tree, unknown)
        if "," not in text:
            continue
        search = searched("minimax", text=text)
        shown = search.recording.root.value
        least, most = (shown, shown.most) if isinstance(shown, Between) else (shown, shown)
        assert isinstance(least, float)
        assert isinstance(most, float)
        game = TreeGame(tree=text)
        for _ in range(30):
            values = {name: random.choice((-1e6, 1e6, float(random.randint(-9, 9)))) for name in game.unknown}
            assert least <= value_by_definition(game.start().with_unknown(values)) <= most
        ends = [
            value_by_definition(game.start().with_unknown(dict.fromkeys(game.unknown, end)))
            for end in (-1e6, 1e6)
        ]
        assert [max(-1e6, least), min(1e6, most)] == ends


def _with_names(tree: Tree, unknown: dict[int, str]) -> str:
    count = iter(range(1_000))

    def written(tree: Tree) -> str:
        if not tree.children:
            return unknown.get(next(count), f"{tree.payoffs[0]:g}")
        return f"{('max', 'min')[tree.player]}({','.join(map(written, tree.children))})"

    return written(tree)


def test_pruning_that_depends_on_an_unknown_leaf_is_refused() -> None:
    with pytest.raises(
        WatchError, match="what alphabeta prunes depends on x: choose one that prunes nothing"
    ):
        searched("alphabeta", text="((3,x),(2,4))")
    with pytest.raises(WatchError, match="the value of x is not known: choose from minimax"):
        searched("uct", text="((3,x),(2,4))")
    with pytest.raises(WatchError, match="at most 6 leaves"):
        searched("minimax", text="(a,b,c,d,e,f,g)")
    search = searched("minimax", text="A(a1: B(3,x), a2: C(2,4))")
    assert search.title() == "minimax, Game tree: 7 nodes, value 2…3, move a2 or a1"
    assert [line.strip() for line in trace_lines(search)][7] == "update a1: ≤ 3"


def test_boards_piles_and_equal_states() -> None:
    nim = searched("minimax", "nim", "7")
    picture = picture_of(nim, boards=True, merge=True)
    states = [node.state for node in picture.nodes]
    assert len(set(states)) == len(states) == len({node.state for node in nim.recording.nodes})
    edges = {(node.above.state if node.above else None, node.state) for node in nim.recording.nodes}
    drawn = {(above.state, node.state) for node, above, _, _ in Drawing(picture).edges()}
    assert drawn == {edge for edge in edges if edge[0] is not None}
    assert [node.piles for node in picture.root.children] == ["6-1", "5-2", "4-3"]
    told = "".join(str(line) for line in terminal_tree(picture).children[0].label.plain)  # type: ignore[union-attr]
    assert told.endswith(" · 6-1")
    board = picture_of(searched("minimax", "tictactoe", "XOX/.O./X.O"), boards=True)
    svg = ET.fromstring(tree_svg(board))
    crosses = [path for path in svg.iter(f"{SVG}path") if path.get("stroke") == "#c02626"]
    assert len(crosses) == sum(state.state.crosses.bit_count() for state in board.nodes)  # type: ignore[attr-defined]


@pytest.mark.parametrize("searcher", ["minimax", "alphabeta"])
@pytest.mark.parametrize(
    ("game", "text"),
    [
        *(("nim", piles) for piles in ("7", "8", "9", "5,4", "6,3")),
        ("tictactoe", "XOX/O.O/.X."),
        ("tictactoe", "XO./.../X.O"),
    ],
)
def test_words_of_a_merged_picture_are_over_no_others(searcher: str, game: str, text: str) -> None:
    search = searched(f"{searcher}:depth=12", game, text)
    svg = ET.fromstring(tree_svg(picture_of(search, boards=True, merge=True)))
    words = []
    for group, x, y in [
        (svg, 0.0, 0.0),
        *(
            (each, *place_of(each))
            for each in svg.iter(f"{SVG}g")
            if "scale" not in each.get("transform", "scale")
        ),
    ]:
        for each in group.findall(f"{SVG}text"):
            if each.text and each.get("class") not in {"title", "foot"}:
                half = 3 * len(each.text)
                left, base = x + float(each.get("x", 0)) - half, y + float(each.get("y", 0))
                words.append((left, base - 9, left + 2 * half, base, each.text))
    assert len(words) > 8
    for one, other in combinations(words, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, f"{one[4]} on {other[4]}"


def place_of(group: ET.Element) -> tuple[float, float]:
    x, y = re.findall(r"-?[\d.]+", group.get("transform", ""))
    return float(x), float(y)


@pytest.mark.parametrize(
    ("searcher", "game", "text"),
    [
        ("alphabeta", "tree", "A(a1: B(3,12), a_2: C(2,x))"),
        ("maxn", "tree", "animals"),
        ("expectiminimax", "tree", "dice"),
        ("minimax", "nim", "6"),
        ("minimax", "tictactoe", "XOX/.O./X.O"),
        ("uct:playouts=9", "tree", "lecture"),
    ],
)
def test_tikz_and_graphviz_have_each_node_and_edge(searcher: str, game: str, text: str) -> None:
    picture = picture_of(searched(searcher, game, text), boards=True)
    tex, dot = tree_tex(picture), tree_dot(picture)
    assert tex.count("{") == tex.count("}")
    assert len(re.findall(r"\\node\[[^]]*\] \(n\d+\)", tex)) == len(picture.nodes)
    assert len(re.findall(r"\\draw\[", tex)) == len(picture.nodes) - 1
    assert not re.search(r"\\\\\[", tex), "that would be an argument"
    assert not re.search(r"(?<!\\)_", tex.partition("\\node")[2])
    assert len(re.findall(r"^  n\d+ \[", dot, re.MULTILINE)) == len(picture.nodes)
    assert len(re.findall(r"^  n\d+ -> n\d+ ", dot, re.MULTILINE)) == len(picture.nodes) - 1


TRICKY = (
    ("alphabeta", "tree", "A(a1: B(3,12), a_2: C(2,x))"),
    ("maxn", "tree", "animals"),
    ("expectiminimax", "tree", "dice"),
    ("uct:playouts=9", "tree", "lecture"),
    ("minimax:depth=9", "tictactoe", "XOX/.O./X.O"),
    ("alphabeta:depth=1", "focus", ""),
    ("alphabeta", "nim", "7"),
)


def tricky_pictures() -> Iterator[Picture]:
    for searcher, game, text in TRICKY:
        yield picture_of(searched(searcher, game, text), breadth=4, boards=True, merge=game == "nim")


@pytest.mark.skipif(which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_the_graphs() -> None:
    for picture in tricky_pictures():
        drawn = run(["dot", "-Tplain"], input=tree_dot(picture), capture_output=True, text=True, check=True)
        assert not drawn.stderr
        kinds = [line.split()[0] for line in drawn.stdout.splitlines()]
        edges = sum(1 for _ in Drawing(picture).edges())
        assert (kinds.count("node"), kinds.count("edge")) == (len(picture.nodes), edges)


@pytest.mark.skipif(which("pdflatex") is None, reason="LaTeX is not installed")
def test_latex_reads_the_pictures(tmp_path: Path) -> None:
    head = r"\documentclass{article}\usepackage{tikz}\usetikzlibrary{shapes.geometric}\begin{document}"
    pages = r"\clearpage".join(f"\n{tree_tex(picture)}\n" for picture in tricky_pictures())
    (tmp_path / "slides.tex").write_text(f"{head}{pages}\\end{{document}}\n", "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "slides.tex"]
    done = run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if "tikz.sty' not found" in done.stdout:
        pytest.skip("TikZ is not installed")
    assert done.returncode == 0, done.stdout[-2000:]
    assert f"({len(TRICKY)} pages" in done.stdout
