"""`lolli tree` in the terminal and as files, and `lolli trace`."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from lolli.cli.group import group
from tests.lolli.cli.running import run_command

LECTURE = """\
alphabeta, Game tree: 11 nodes, value 3, move 0
△ MAX 3 [3, inf]
├── 0 ▽ MIN 3 [-inf, 3]
│   ├── 0 □ 3
│   ├── 1 □ 12
│   └── 2 □ 8
├── 1 ▽ MIN ≤ 2 [3, 2]
│   ├── 0 □ 2
│   ├── 1 □ 4 pruned
│   └── 2 □ 6 pruned
└── 2 ▽ MIN ≤ 2 [3, 2]
    ├── 0 □ 14
    ├── 1 □ 5
    └── 2 □ 2
"""


def told_by(*words: str) -> str:
    done = CliRunner().invoke(group, ["tree", *words])
    assert done.exit_code == 0
    return done.stdout


def test_the_tree_of_the_lecture(lolli_command: list[str]) -> None:
    assert run_command("tree", lolli_command).stdout == LECTURE
    assert told_by("--game", "tree lecture", "alphabeta") == LECTURE


def test_min_at_the_root() -> None:
    assert told_by("--game", "tree min(max(3,5),max(2,9))").splitlines()[:3] == [
        "alphabeta, Game tree: 7 nodes, value 5, move 0",
        "▽ MIN 5 [-inf, 5]",
        "├── 0 △ MAX 5 [5, inf]",
    ]
    told = CliRunner().invoke(group, ["play", "--game", "tree cut", "alphabeta"], input="eval\ntree\n").stdout
    assert "\nvalue +3 for MAX\n" in told
    assert "In this picture" not in told
    told = CliRunner().invoke(group, ["play", "--game", "nim 7", "minimax"], input="tree\n").stdout
    assert "minimax, Splitting Nim: 24 nodes, value -1, move 6-1" in told


def test_what_is_left_out_is_said() -> None:
    told = told_by("--game", "tictactoe", "--depth", "1", "--breadth", "3", "minimax:depth=2")
    assert told.count("more") == 4
    assert "4 of 82 nodes are drawn (--depth 1, --breadth 3)" in told
    told = told_by("--game", "tictactoe", "--depth", "1", "alphabeta:depth=2")
    assert "\n10 of 36 nodes and 0 of 46 pruned branches are drawn (" in told


def test_a_fixed_depth_takes_the_place_of_that_of_a_searcher_or_a_level() -> None:
    assert told_by("alphabeta:depth=1", "--fixed-depth", "2").splitlines()[0].endswith("value 3, move 0")
    fixed = told_by("--game", "tictactoe", "level3", "--fixed-depth", "1").splitlines()[0]
    assert fixed.startswith("level3, Tic-tac-toe: 10 nodes, ")


def test_vectors_odds_and_visits() -> None:
    assert "0 ◇ p2 3 4 6" in told_by("--game", "tree animals")
    assert "5 (1/6) □ 6" in told_by("--game", "tree dice")
    assert "\n○ chance 2 [-inf, inf]\n├── 0 (1/3) □ 1\n" in told_by("--game", "tree [1,2,3]")
    assert "\n○ chance 2 4 6\n" in told_by("--game", "tree [1/2/3,3/6/9]", "maxn")
    assert " · n 50" in told_by("uct:playouts=50").splitlines()[1]


def test_files(tmp_path: Path) -> None:
    svg, png, html = (tmp_path / f"tree.{kind}" for kind in ("svg", "png", "html"))
    told_by("--svg", str(svg), "--png", str(png), "--html", str(html))
    assert svg.read_text().startswith("<svg ")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert html.read_text().startswith("<!DOCTYPE html>")
    assert "src=" not in html.read_text()
    assert told_by("--svg", "-") == svg.read_text()


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("random", "--png", "x.svg"), "x.svg: --png does not write .svg"),
        (("--svg", "nowhere/tree.svg"), "nowhere/tree.svg: no such folder"),
        (("--svg", "-", "--html", "-"), "each file needs a name of its own"),
        (("level3", "--game", "othello"), "level3 (uct-fast) cannot be watched: choose from minimax"),
    ],
)
def test_errors(words: tuple[str, ...], error: str) -> None:
    done = CliRunner().invoke(group, ["tree", *words])
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {error}")


CUT = """\
  enter 1: MIN, depth 1
  inherit 1: [3, inf]
    enter 1>0: end, depth 0
    estimate 1>0: 2 (payoff)
  update 1: 2 [3, 2]
  cut 1: [3, 2] prunes 1 2
  return 1: 2
"""


def traced(*words: str) -> str:
    done = CliRunner().invoke(group, ["trace", *words])
    assert done.exit_code == 0
    return done.stdout


def test_the_trace_of_the_lecture(lolli_command: list[str]) -> None:
    told = run_command("trace", lolli_command).stdout
    assert told == traced("--game", "tree lecture", "alphabeta")
    assert CUT in told
    assert told.endswith("\nreturn root: 3\n")
    assert told.count("estimate") == 7
    best_first = traced("--set", "tree=((3,12,8),(2,4,6),(2,5,14))")
    assert best_first.count("estimate") == 5


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (("--game", "tree dice"), ["    enter 0>5: end, depth 1, probability 1/6", "return root: 3.5"]),
        (("--game", "tree animals", "maxn"), ["    return 0>0: 3 4 6", "return root: 3 4 6"]),
        (
            ("--game", "virus", "--players", "3", "--size", "5", "threat-ads"),
            ["enter root: MAX, depth 2", r"  inherit \S+: \[-inf, inf], asked: p2 p3", ".* reply of p3"],
        ),
        (
            ("uct:playouts=4",),
            ["  select 2: visits 1, mean 1, bound 2.0481", "    expand 2>0", "back up root: visits 4, .*"],
        ),
        (
            ("--game", "connectfour", "puct:playouts=4"),
            [r"    select D1>D2: visits 1, mean -?0\.\d+, prior 0\.\d+, bound 0\.\d+"],
        ),
        (("montecarlo:playouts=4",), ["  simulate 0: 3", "  back up 0: visits 2, mean 5.5"]),
        (("montecarlo:games=2",), ["back up root: visits 6, .*"]),
        (("--game", "tictactoe", "--moves", "B2 A1", "enhanced:depth=4"), [r" *estimate .* \(table as .*\)"]),
        (("--game", "backgammon", "--moves", "31"), ["  enter 8/5,6/5: chance, depth 1"]),
    ],
)
def test_what_each_searcher_says(words: tuple[str, ...], lines: list[str]) -> None:
    told = traced(*words)
    for line in lines:
        pattern = line if "\\" in line or ".*" in line else re.escape(line)
        assert re.search(rf"^{pattern}$", told, re.MULTILINE), line


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("random",), "random cannot be watched: choose from minimax, alphabeta"),
        (("--game", "tree (3,"), "the tree ends too early"),
        (
            ("--game", "tree [1,2]", "uct"),
            "uct cannot begin where chance is to move, as expectiminimax and maxn can: add an outcome",
        ),
        (("--game", "tree 3"), "the game is over there: nothing to search"),
        (("--game", "go", "minimax:depth=9:nodes=50"), "the search is not finished after 50 nodes"),
        (("--game", "tree chance", "alphabeta"), "alphabeta: needs a game without chance"),
    ],
)
def test_errors_of_a_trace(words: tuple[str, ...], error: str) -> None:
    done = CliRunner().invoke(group, ["trace", *words])
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {error}")
