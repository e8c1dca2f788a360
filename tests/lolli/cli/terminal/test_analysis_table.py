"""The table of an analysis at every width."""

import chess
import pytest
from chess.engine import Cp, Mate, PovScore, PovWdl, Wdl

from engine.search.report import Bound
from lolli._findings import Finding
from lolli.cli.terminal.analysis import AnalysisTable, white_mark

SPANISH = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O"


THIRD_OF_A_PAWN = Cp(31)


def moves(text: str = SPANISH, board: chess.Board | None = None) -> tuple[chess.Move, ...]:
    board = board.copy() if board else chess.Board()
    return tuple(board.push_san(san) for san in text.split())


def finding(
    depth: int = 12,
    line: int = 1,
    score: Cp | Mate = THIRD_OF_A_PAWN,
    bound: Bound = Bound.EXACT,
    played: tuple[chess.Move, ...] = moves(),
    turn: chess.Color = chess.WHITE,
) -> Finding:
    chances = PovWdl(Wdl(430, 180, 390), turn)
    return Finding(line, depth, 20, PovScore(score, turn), chances, bound, 12_345_678, 3000, 100, played)


@pytest.mark.parametrize("width", [30, 40, 50, 60, 72, 80, 100, 132, 250])
@pytest.mark.parametrize("lines", [1, 3])
def test_rows_fit_and_columns_stand_below_their_heads(width: int, lines: int) -> None:
    table = AnalysisTable(chess.Board(), lines)
    for number in range(1, lines + 1):
        table.add(finding(line=number, score=Mate(-12) if number == 2 else Cp(-1234)))
    rows = [row.plain for row in table.rows(width)]
    assert len(rows) == lines
    head = table.head(width).plain
    start = head.index("line")
    for row in rows:
        assert len(row) <= width
        assert row[start - 2 : start] == "  "
        assert row[start:].startswith("1. e4" if width > 30 else "")
    assert ("nodes/s" in head) == (width >= 80)
    assert "score" in head


def test_the_last_depths_the_deepest_at_the_bottom() -> None:
    table = AnalysisTable(chess.Board(), 1)
    assert table.best is None
    for depth in range(1, 21):
        table.add(finding(depth=depth))
    assert [row.plain.split("/")[0].strip() for row in table.rows(80)] == [str(n) for n in range(13, 21)]
    assert [row.plain.split("/")[0].strip() for row in table.rows(80, 2)] == ["19", "20"]
    assert table.best == finding(depth=20)


def test_the_best_lines_in_order() -> None:
    table = AnalysisTable(chess.Board(), 3)
    for number in (1, 2, 3, 2):
        table.add(finding(depth=9 + number, line=number))
    assert [row.plain.split()[:2] for row in table.rows(80)] == [
        ["1", "10/20"],
        ["2", "11/20"],
        ["3", "12/20"],
    ]
    assert len(table.rows(80, 2)) == 2
    assert table.best == finding(depth=10)


def test_everything_is_from_the_point_of_view_of_white() -> None:
    board = chess.Board("4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 1")
    mine = finding(score=Cp(50), bound=Bound.LOWER, turn=chess.BLACK, played=moves("e5", board))
    assert mine.white_bound is Bound.UPPER
    assert finding(bound=Bound.LOWER).white_bound is Bound.LOWER
    assert white_mark(finding()) == ""
    row = AnalysisTable(board, 1).row(mine).split()
    assert row[:3] == ["12/20", "≤-0.50", "39/18/43"]
    assert row[-2:] == ["1...", "e5"]
