"""What is told of a suite."""

import json

import chess
import pytest
from chess.engine import Cp, Mate, PovScore

from engine.search.report import Bound
from protocol.cli.analysis.finding import Finding
from protocol.cli.suites.epd import SuitePosition, parse_position
from protocol.cli.suites.runner import SuiteResult
from protocol.cli.suites.suite_results import SuiteSummary, SuiteTable, content

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
BLACK = "4r1k1/8/8/8/8/8/5PPP/6K1 b - -"


def position(text: str) -> SuitePosition:
    return parse_position(text, "some.epd", 3)


def finding(board: chess.Board, moves: str, score: Cp | Mate, depth: int) -> Finding:
    line = tuple(chess.Move.from_uci(move) for move in moves.split())
    return Finding(
        1, depth, depth, PovScore(score, board.turn), None, Bound.EXACT, depth * 1000, depth * 10, 0, line
    )


def result(text: str, moves: str, score: Cp | Mate, found_at: int | None = None) -> SuiteResult:
    """Searched to depth 9; solved at a depth, or not at all."""
    asked = position(text)
    solution = None if found_at is None else finding(asked.board, moves, score, found_at)
    return SuiteResult(asked, finding(asked.board, moves, score, 9), solution)


RESULTS = (
    result(f'{START} bm e4; id "one";', "e2e4 e7e5", Cp(31), 2),
    result(
        f'{START} am d4 e4; id "a name that is much too long for a column in a narrow terminal";',
        "d2d4",
        Cp(0),
    ),
    result(f'{BLACK} dm 1; id "three";', "e8e1", Mate(1), 4),
    result(f'{START} bm c4; c0 "c4=10, e4=6";', "e2e4", Cp(-5)),
)


@pytest.mark.parametrize("width", [80, 100, 10_000])
def test_rows_line_up_and_fit(width: int) -> None:
    rows = SuiteTable([each.position for each in RESULTS], width)
    head, *lines = [rows.head.plain, *(rows.row(each).plain for each in RESULTS)]
    assert all(len(line) <= width for line in (head, *lines))
    assert [line[0] for line in lines] == ["✓", "✗", "✓", "✗"]
    for name, cells in (("Score", ["+0.31", "+0.00", "#-1", "-0.05"]), ("Depth", ["9"] * 4)):
        end = head.index(name) + len(name)
        assert [line[:end].split()[-1] for line in lines] == cells
    begin = head.index("Played")
    assert [line[begin:].split()[0] for line in lines] == ["e4", "d4", "Re1#", "e4"]


@pytest.mark.parametrize("width", [30, 40, 50, 60, 70, 79])
def test_columns_give_way_on_a_narrow_terminal(width: int) -> None:
    rows = SuiteTable([each.position for each in RESULTS], width)
    head, *lines = [rows.head.plain, *(rows.row(each).plain for each in RESULTS)]
    assert all(len(line) <= width for line in (head, *lines))
    begin = head.index("Played")
    assert [line[begin:].split()[0] for line in lines] == ["e4", "d4", "Re1#", "e4"]
    assert ("Solved in" in head) == (width >= 50)


def test_long_names_are_cut_on_narrow_terminals_only() -> None:
    rows = [
        SuiteTable([each.position for each in RESULTS], width).row(RESULTS[1]).plain for width in (80, 10_000)
    ]
    assert "…" in rows[0]
    assert RESULTS[1].position.name in rows[1]


def test_a_row_says_it_all() -> None:
    rows = SuiteTable([each.position for each in RESULTS], 200)
    one, two, three, four = (" ".join(rows.row(each).plain.split()) for each in RESULTS)
    assert one == "✓ one e4 e4 9 +0.31 0.02 s 9.00k"
    assert two.endswith(" narrow terminal not d4 e4 d4 9 +0.00 9.00k")
    assert three == "✓ three mate in 1 Re1# 9 #-1 0.04 s 9.00k"
    assert four == "✗ line 3 c4 e4 9 -0.05 9.00k 6/10"


def test_marks_without_unicode() -> None:
    rows = SuiteTable([each.position for each in RESULTS], 80, unicode=False)
    assert [rows.row(each).plain[0] for each in RESULTS] == ["+", "-", "+", "-"]


def test_points_have_a_column_only_where_there_are_some() -> None:
    assert "Points" in SuiteTable([each.position for each in RESULTS], 200).head.plain
    assert "Points" not in SuiteTable([each.position for each in RESULTS[:3]], 200).head.plain


def test_the_sum() -> None:
    assert SuiteSummary(4, 1, RESULTS, 12.3, interrupted=False).lines() == [
        "2 of 4 solved (50.0%) in 12 s, 36.0k nodes",
        "mean time to solution 0.03 s",
        "6 of 10 points (60.0%)",
    ]
    assert SuiteSummary(9, 0, RESULTS[1:2], 0.5, interrupted=True).lines() == [
        "1 of 9 positions searched",
        "0 of 1 solved (0.0%) in 0.5 s, 9.00k nodes",
    ]
    assert SuiteSummary(9, 0, [], 0.1, interrupted=True).lines() == [
        "0 of 9 positions searched",
        "0 of 0 solved in 0.1 s, 0 nodes",
    ]


def test_the_sum_for_machines() -> None:
    assert SuiteSummary(5, 1, RESULTS, 12.3456, interrupted=True).content() == {
        "positions": 5,
        "unusable": 1,
        "searched": 4,
        "solved": 2,
        "time": 12.346,
        "nodes": 36000,
        "time_to_solution": 0.03,
        "points": 6,
        "most_points": 10,
        "interrupted": True,
    }
    nothing = SuiteSummary(5, 0, [], 0, interrupted=True).content()
    assert nothing["time_to_solution"] is None
    assert nothing["points"] is nothing["most_points"] is None


def test_a_position_for_machines() -> None:
    assert json.loads(json.dumps(content(RESULTS[2]))) == {
        "file": "some.epd",
        "line": 3,
        "id": "three",
        "fen": f"{BLACK} 0 1",
        "chess960": False,
        "bm": [],
        "am": [],
        "dm": 1,
        "solved": True,
        "solution": {"depth": 4, "nodes": 4000, "time": 0.04},
        "move": "e8e1",
        "score": {"mate": -1},
        "depth": 9,
        "nodes": 9000,
        "time": 0.09,
        "points": None,
        "most_points": None,
        "pv": ["e8e1"],
        "san": ["Re1#"],
    }
    other = content(RESULTS[3])
    assert (other["bm"], other["solution"], other["points"], other["most_points"]) == (["c4"], None, 6, 10)
    assert content(RESULTS[0])["san"] == ["e4", "e5"]
    assert content(RESULTS[1])["am"] == ["d4", "e4"]
