"""The table of a part: what its ratios compare, and how figures are written."""

from collections.abc import Sequence
from io import StringIO

import pytest
from rich.console import Console

from engine.search.report import Score
from protocol.cli.ablation.ablation_display import part_table, ratio_text, time_text
from protocol.cli.ablation.experiment import Variant
from protocol.cli.ablation.laboratory import FinishedDepth, VariantResult
from protocol.cli.suites.epd import SuitePosition, parse_position

TAKE = "4k3/8/8/3q4/8/8/8/3RK3 w - - bm Rxd5;"
ASKS_NOTHING = "4k3/8/8/3q4/8/8/8/3RK3 w - -"


def positions(*texts: str) -> list[SuitePosition]:
    return [parse_position(text, "file", 1, must_ask=False) for text in texts]


def cell(name: str, nodes: int, milliseconds: int, texts: Sequence[str] = (TAKE,)) -> VariantResult:
    """One depth, in which the queen is taken."""
    finished = [FinishedDepth(nodes, milliseconds * 1_000_000, "d1d5", Score(0))]
    return VariantResult(Variant(name, frozenset({"table"})), positions(*texts), [finished] * len(texts))


def rows(cells: Sequence[VariantResult], *, ladder: bool, last: int | None = None) -> list[list[str]]:
    console = Console(width=200, file=StringIO())
    console.print(part_table(cells, ladder=ladder, mean_moves=30, last=last))
    assert isinstance(console.file, StringIO)
    return [line.split() for line in console.file.getvalue().splitlines() if line.strip(" ─")]


CELLS = (cell("one", 1000, 40), cell("two", 500, 10), cell("three", 100, 80))


def test_in_the_ladder_each_row_is_compared_with_the_one_before() -> None:
    assert rows(CELLS, ladder=True)[1:] == [
        ["one", "1", "1.00k", "40.0", "ms", "1/1"],
        ["two", "1", "500", "0.500", "10.0", "ms", "0.250", "1/1"],
        ["three", "1", "100", "0.200", "80.0", "ms", "8.00", "1/1"],
    ]


def test_in_the_ablation_all_rows_are_compared_with_the_first() -> None:
    head, *body = rows(CELLS, ladder=False)
    assert head == ["Search", "Depth", "Nodes", "Ratio", "Time", "Ratio", "Branching", "Found"]
    assert body[2] == ["three", "1", "100", "0.100", "80.0", "ms", "2.00", "1/1"]


def test_while_it_runs_the_last_rows_are_shown() -> None:
    assert [row[0] for row in rows(CELLS, ladder=True, last=2)[1:]] == ["two", "three"]
    assert rows(CELLS, ladder=True, last=2)[1:] == rows(CELLS, ladder=True)[2:]


def test_positions_that_ask_nothing_are_not_counted() -> None:
    (row,) = rows([cell("one", 10, 1, (TAKE, ASKS_NOTHING, TAKE))], ladder=True)[1:]
    assert row[-1] == "2/2"


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        *((None, ""), (0.02134, "0.0213"), (0.9996, "1.00"), (1, "1.00"), (9.999, "10.0"), (117.4, "117")),
        *((999.4, "999"), (999.5, "1.00k"), (123_456, "123k")),
    ],
)
def test_ratios(ratio: float | None, text: str) -> None:
    assert ratio_text(ratio) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((0.000_004, "0.00 ms"), (0.00014, "0.14 ms"), (0.009_994, "9.99 ms"), (0.009_996, "10.0 ms")),
        *((0.1234, "123.4 ms"), (0.9994, "999.4 ms"), (0.9996, "1.00 s"), (4.56, "4.56 s")),
    ],
)
def test_times(seconds: float, text: str) -> None:
    assert time_text(seconds) == text
