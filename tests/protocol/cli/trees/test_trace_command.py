"""`lolli trace`: one line a step, the same every time, and one clear line for what cannot be shown."""

import re

import pytest
from click.testing import CliRunner

from protocol.cli.group import group
from tests.protocol.cli.running import run_command

CUT = """\
  enter 1: MIN, depth 1
  inherit 1: [3, inf]
    enter 1>0: end, depth 0
    estimate 1>0: 2 (payoff)
  update 1: 2 [3, 2]
  cut 1: [3, 2] prunes 1 2
  return 1: 2
"""


def told_by(*words: str) -> str:
    """What `lolli trace WORDS...` prints."""
    done = CliRunner().invoke(group, ["trace", *words])
    assert done.exit_code == 0
    return done.stdout


def test_the_tree_of_the_lecture(lolli_command: list[str]) -> None:
    told = run_command("trace", lolli_command).stdout
    assert told == told_by("--game", "tree lecture", "alphabeta")
    assert CUT in told
    assert told.endswith("\nreturn root: 3\n")
    assert told.count("estimate") == 7
    best_first = told_by("--set", "tree=((3,12,8),(2,4,6),(2,5,14))")
    assert best_first.count("estimate") == 5


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (("--game", "tree dice"), ["    enter 0>5: end, depth 1, probability 1/6", "return root: 3.5"]),
        (("--game", "tree chance"), ["    enter 0>0: end, depth 1, probability 0.72"]),
        (("--game", "tree animals", "maxn"), ["    return 0>0: 3 4 6", "return root: 3 4 6"]),
        (
            ("--game", "virus", "--players", "3", "--size", "5", "threat-ads"),
            ["enter root: MAX, depth 2", r"  inherit \S+: \[-inf, inf], asked: p2 p3", ".* reply of p3"],
        ),
        (
            ("uct:playouts=4",),
            [
                "  select 2: visits 1, mean 1, bound 2.0481",
                "    expand 2>0",
                "back up root: visits 4, .*",
            ],
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
    told = told_by(*words)
    for line in lines:
        pattern = line if "\\" in line or ".*" in line else re.escape(line)
        assert re.search(rf"^{pattern}$", told, re.MULTILINE), line


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("nobody",), "unknown searcher 'nobody': choose from random, minimax"),
        (("random",), "random cannot be watched: choose from minimax, alphabeta"),
        (("--game", "shogi"), "unknown game 'shogi'; available: tree"),
        (("--game", "tree (3,"), "the tree ends too early"),
        (("--game", "tictactoe", "--moves", "B2 B2"), "--moves: move 2: "),
        (
            ("--game", "tree [1,2]", "uct"),
            "uct cannot begin where chance is to move, as expectiminimax and maxn can: add an outcome",
        ),
        (("--game", "tree 3"), "the game is over there: nothing to search"),
        (("uct", "--fixed-depth", "3"), "uct does not search to a depth"),
        (("--game", "go", "minimax:depth=9:nodes=50"), "the search is not finished after 50 nodes"),
        (("--game", "tree chance", "alphabeta"), "alphabeta: needs a game without chance"),
        (("--set", "tree"), "--set needs NAME=VALUE, not 'tree'"),
    ],
)
def test_errors(words: tuple[str, ...], error: str) -> None:
    done = CliRunner().invoke(group, ["trace", *words])
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {error}")
