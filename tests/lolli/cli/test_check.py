"""`lolli check`: right solutions have all points, mistakes are found at their step, no file does harm."""

import csv
import json
import re
import tomllib
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from lolli.cli.check import files_in
from lolli.cli.exercises import (
    CHECKS,
    ExerciseError,
    Outcome,
    assignment,
    examine,
    read_assignment,
    report_on,
)
from lolli.cli.exercises.templates import template
from tests.compiled import ROOT
from tests.lolli.cli.running import objects, run_command

DATA = ROOT / "tests" / "data" / "exercises"
RIGHT: dict[str, dict[str, str]] = tomllib.loads((DATA / "right.toml").read_text())
MISTAKES: list[dict[str, Any]] = tomllib.loads((DATA / "mistakes.toml").read_text())["mistake"]
DEF = "def minimax(state, depth, estimate):\n"
ASSIGNMENT = """
title = "Exercise 1"
seconds = 3
megabytes = 300
[[minimax]]
game = "tree lecture"
points = 2
[[minimax]]
game = "tree (5,4,6)"
compare = ["value", "move"]
"""


def outcomes_of(path: Path, algorithm: str, text: str) -> list[Outcome]:
    path.write_text(text)
    return [examine(str(path), case) for case in assignment(algorithm).cases]


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_solution_has_all_points(name: str, tmp_path: Path) -> None:
    algorithm, text = RIGHT[name]["algorithm"], RIGHT[name]["text"]
    found = outcomes_of(tmp_path / "mine.py", algorithm, text)
    assert [each.problem for each in found if each.problem] == []
    assert all(each.points == each.case.points for each in found)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: each["name"])
def test_a_mistake_is_found_at_its_step(mistake: dict[str, Any], tmp_path: Path) -> None:
    right = RIGHT[mistake["of"]]
    text = right["text"]
    for old, new in mistake["edits"]:
        assert old in text
        text = text.replace(old, new)
    found = outcomes_of(tmp_path / "mine.py", mistake.get("algorithm", right["algorithm"]), text)
    problems = [each.problem for each in found if each.points < each.case.points]
    assert problems
    assert re.search(mistake["step"], problems[0])


def test_there_are_as_many_as_were_promised() -> None:
    assert len(RIGHT) >= 20
    assert len(MISTAKES) >= 40
    assert {each["algorithm"] for each in RIGHT.values()} == set(CHECKS)


HARM = {
    "while True: pass": "still running after 3 s",
    "while True: print('x' * 10_000)": "still running after 3 s",
    "import os; os._exit(0)": "the process ended with status 0",
    "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)": "the process ended by SIGSEGV",
    "import sys; sys.exit('bye')": "line 2: SystemExit: bye",
    "return minimax(state, depth, estimate)": "stopped after 650 nodes; the textbook visits 13;"
    " at the root .MAX. you looked at 0 more than once",
    "return (lambda f: f(f))(lambda f: f(f))": "line 2: RecursionError: maximum recursion depth exceeded.*",
    "return [0] * 10**10": "line 2: MemoryError",
    "return (": r"line 2: '\(' was never closed",
    "input()": "line 2: EOFError: EOF when reading a line",
    "raise ValueError('\\x1b[31m' + 'x' * 10_000)": r"line 2: ValueError: \\x1b\[31mx{195}",
    "raise type('E', (BaseException,), {})": "E",
    "import nonsense": "line 2: ModuleNotFoundError: No module named 'nonsense'",
    "return state.play(0).payoff(), 0": r"line 2: ValueError: payoff\(\) is for the end of the game: .*",
    "return float('nan'), 0": r"minimax returned \(nan, 0\): expected value, move .*",
    "return 'three', 0": r"minimax returned \('three', 0\): expected value, move \(the value is one number\)",
}


@pytest.mark.slow
@pytest.mark.parametrize("body", HARM)
def test_harm_is_one_line_and_the_rest_goes_on(body: str, lolli_command: list[str], tmp_path: Path) -> None:
    """It only happens in the first of the two cases."""
    (tmp_path / "a.toml").write_text(ASSIGNMENT)
    solution = RIGHT["minimax_two_functions"]["text"].replace("def minimax(", "def right(")
    text = f"{DEF}    if len(state.play(0).moves()) == 0: return right(state, depth, estimate)\n"
    text = f"{DEF}    {body}\n" if body.endswith("(") else f"{text}    {body}\n{solution}"
    (tmp_path / "mine.py").write_text(text)
    words = (str(tmp_path / "a.toml"), str(tmp_path / "mine.py"), "--json")
    (report,) = objects(run_command("check", lolli_command, *words, status=1).stdout)
    first, second = report["cases"]
    assert re.fullmatch(HARM[body].replace("line 2", "line [23]"), first["problem"])
    assert first["points"] == 0
    assert second["points"] == (0 if body.endswith("(") else 1)


def test_one_file(lolli_command: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(ASSIGNMENT)
    (tmp_path / "mine.py").write_text(RIGHT["minimax_two_functions"]["text"].replace("- 1, est", "- 2, est"))
    words = (str(tmp_path / "a.toml"), str(tmp_path / "mine.py"))
    *_, said, trace, points = run_command("check", lolli_command, *words, status=1).stdout.splitlines()
    assert trace == "The textbook's steps: lolli trace --game 'tree lecture' minimax"
    assert said == "   at node 0 (MIN) you took the estimate; 1 ply is left, so look at the first move, 0"
    assert points == f"{tmp_path / 'mine.py'}: 1 of 3 points"


def test_a_folder(lolli_command: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(ASSIGNMENT)
    (tmp_path / "b.py").write_text(RIGHT["minimax_negamax"]["text"])
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "mine.py").write_text(f"{DEF}    return (\n")
    table = tmp_path / "points.csv"
    words = (str(tmp_path / "a.toml"), "--all", str(tmp_path), "--csv", str(table), "--json", "--jobs", "2")
    good, bad = objects(run_command("check", lolli_command, *words, status=1).stdout)
    assert (good["points"], good["of"], bad["points"]) == (3, 3, 0)
    assert {case["problem"] for case in bad["cases"]} == {"line 2: '(' was never closed"}
    rows = list(csv.DictReader(StringIO(table.read_text())))
    assert [row["file"] for row in rows] == [str(tmp_path / "b.py"), str(tmp_path / "c" / "mine.py")]
    assert [(row["points"], row["of"]) for row in rows] == [("3", "3"), ("0", "3")]


def test_in_a_folder_a_module_that_is_imported_is_no_solution(tmp_path: Path) -> None:
    for student, wanted in (("anna", 3), ("ben", 0)):
        (tmp_path / student).mkdir()
        right = RIGHT["minimax_negamax"]["text"]
        text = right if wanted else "def minimax(*_):\n    return 0, 0"
        (tmp_path / student / "helper.py").write_text(text.replace("minimax", "search"))
        (tmp_path / student / "mine.py").write_text("import math\nfrom helper import search as minimax")
    task = read_assignment(ASSIGNMENT)
    paths = files_in(str(tmp_path), task)
    assert paths == [str(tmp_path / "anna" / "mine.py"), str(tmp_path / "ben" / "mine.py")]
    (tmp_path / "ben" / "helper.py").write_text(right)
    assert str(tmp_path / "ben" / "helper.py") in files_in(str(tmp_path), task), "it is a solution itself"
    assert [report_on(path, task, lambda: False).points for path in paths] == [3, 0]


def test_a_game_of_the_assignment_is_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('[[minimax]]\ngame = "sticks.py"')
    with pytest.raises(ExerciseError, match=re.escape(f"{tmp_path / 'sticks.py'}: No such file")):
        assignment(str(tmp_path / "a.toml"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[minimax]]\ngame = "tree chance"', "tree chance: minimax needs a game without chance"),
        ('[[alphabeta]]\ngame = "virus"\nplayers = 3', "virus: alphabeta needs two players, not 3"),
        ('[[bestreply]]\ngame = "tree"', "tree: bestreply the turn is part of the node in a tree"),
        ('[[maxn]]\nmoves = "0 9"', "tree lecture 0 9: --moves: move 2: '9' is not a legal move"),
        ('[[maxn]]\nmoves = "0 0"', "tree lecture 0 0: the game is over there"),
        ('[[maxn]]\ngame = "chequers"', "chequers: unknown game 'chequers'"),
    ],
)
def test_a_case_that_cannot_be(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(ExerciseError, match=re.escape(told)):
        assignment(str(tmp_path / "a.toml"))


@pytest.mark.parametrize("algorithm", CHECKS)
def test_a_template_is_refused_for_what_it_leaves_out(algorithm: str, tmp_path: Path) -> None:
    found = outcomes_of(tmp_path / "mine.py", algorithm, template(algorithm))
    assert all(each.problem for each in found)
    assert sum(each.points for each in found) == 0


def test_an_assignment_with_the_mark_of_editors_on_windows(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(f"\ufeff{ASSIGNMENT}")
    assert assignment(str(tmp_path / "a.toml")).title == "Exercise 1"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x", "not TOML: "),
        ("", "an assignment needs cases, such as [[alphabeta]]"),
        ("[[alphabet]]", "unknown 'alphabet'; known: title, "),
        ("[[alphabeta]]\ndepth = 'two'", "[[alphabeta]]: depth cannot be 'two'"),
        ("[[alphabeta]]\ncompare = ['speed']", "[[alphabeta]]: compare cannot have 'speed'"),
        ("[[alphabeta]]\nploints = 2", "[[alphabeta]]: unknown 'ploints'"),
        ("seconds = 0\n[[alphabeta]]", "an assignment: seconds cannot be '0'"),
        ("[[alphabeta]]\npoints = nan", "[[alphabeta]]: points cannot be 'nan'"),
        ("alphabeta = [1]", "[[alphabeta]]: a table was expected"),
        pytest.param(f"seconds = {'9' * 6000}", "not TOML: ", id="digits"),
        pytest.param(f"title = {'[' * 8000}", "not TOML: ", id="brackets"),
    ],
)
def test_a_wrong_assignment(text: str, told: str) -> None:
    with pytest.raises(ExerciseError, match=re.escape(told)):
        read_assignment(text)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("alphabeta",), "give a FILE, or --all FOLDER"),
        (("alphabeta", "missing.py"), "missing.py: no such file"),
        (("alphabet", "mine.py"), "not an algorithm or a .toml file: 'alphabet'"),
        (("missing.toml", "mine.py"), "missing.toml: No such file or directory"),
        (("--template", "alphabet"), "--template needs one of alphabeta, "),
        (("alphabeta", "--all", "missing"), "missing: No such file or directory"),
        (("alphabeta", __file__, "--json", "--csv", "-"), "--json and --csv - both write to stdout: name a"),
        pytest.param(("--template", "alphabeta", "x" * 300), "File name too long", id="long"),
        pytest.param(("alphabeta", "x" * 300), f"{'x' * 300}: ", id="long file"),
    ],
)
def test_wrong_words(words: tuple[str, ...], told: str, lolli_command: list[str]) -> None:
    assert told in run_command("check", lolli_command, *words, status=2).stderr


def test_the_file_can_be_named_where_a_searcher_can(lolli_command: list[str], tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(RIGHT["alphabeta"]["text"])
    textbook = run_command("trace", lolli_command, "alphabeta").stdout.splitlines()
    traced = run_command("trace", lolli_command, str(mine)).stdout.splitlines()
    assert [line for line in textbook if "update" not in line and "inherit" not in line] == [
        re.sub(r"(cut \S+):", lambda cut: f"{cut[1]}: [3, 2]", line) for line in traced
    ]
    drawn = run_command("tree", lolli_command, str(mine)).stdout
    assert drawn.startswith(f"{mine}, Game tree: 11 nodes, value 3, move 0")
    assert drawn.count("pruned") == 2
    of = ("--game", "tictactoe")
    players = f"{mine}:depth=2,alphabeta:depth=2"
    assert (
        "2 games"
        in run_command("tournament", lolli_command, *of, "--players", players, "--rounds", "1").stdout
    )
    typed = b"genmove b\nsearch-algorithm mine.py\nquit\n"
    said = run_command("gtp", lolli_command, *of, "--searcher", str(mine), "--depth", "2", said=typed).stdout
    refused = "? a file is named on the command line: lolli gtp --searcher FILE"
    assert said.split("\n\n")[:2] == ["= B2", refused]
    assert f"against {mine}" in run_command("play", lolli_command, *of, str(mine), said=b"B2\nquit\n").stdout


def test_json_is_what_the_report_says(tmp_path: Path) -> None:
    (found,) = outcomes_of(tmp_path / "mine.py", "alphabeta", RIGHT["alphabeta"]["text"])[:1]
    assert json.dumps(sorted(found.passed)) == '["evaluations", "leaves", "move", "nodes", "value"]'


def test_memory_that_ends_in_uct_is_not_the_end_of_the_tree(tmp_path: Path) -> None:
    text = RIGHT["uct"]["text"].replace(
        "for node in path:", "if path[0].visits == 5: raise MemoryError\n    for node in path:"
    )
    found = outcomes_of(tmp_path / "mine.py", "uct", text)
    assert {each.problem for each in found} == {"MemoryError in simulation 6"}
    assert sum(each.points for each in found) == 0


def test_what_one_case_closes_and_where_it_goes_is_its_own(lolli_command: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(ASSIGNMENT)
    (tmp_path / "in").mkdir()
    text = RIGHT["minimax_negamax"]["text"].replace(DEF, f"{DEF}    os.close(1); os.chdir('..')\n")
    assert DEF in text
    (tmp_path / "in" / "mine.py").write_text(f"import os\nos.chdir(os.path.dirname(__file__))\n{text}")
    words = (str(tmp_path / "a.toml"), str(tmp_path / "in" / "mine.py"))
    assert run_command("check", lolli_command, *words).stdout.endswith("3 of 3 points\n")


def test_swapped_value_and_move_are_told_unless_the_value_may_be_wrong(tmp_path: Path) -> None:
    text = RIGHT["minimax_two_functions"]["text"]
    swapped = text + "\nright = minimax\ndef minimax(*arguments): return right(*arguments)[::-1]\n"
    told = [each.problem for each in outcomes_of(tmp_path / "mine.py", "minimax", swapped)]
    assert any(told)
    assert all("you return move, value: expected value, move" in each for each in told if each)
    worse = text.replace("max(", "min(")
    assert worse != text
    told = [each.problem for each in outcomes_of(tmp_path / "mine.py", "minimax", worse)]
    assert any(told)
    assert not any(each.startswith("you return") for each in told)
