"""Positions that evaluations get wrong, and how that is counted."""

from pathlib import Path

import chess
import pytest
from click.testing import CliRunner

from eval.material import Material
from scripts.laboratory.learning import report_network as command
from scripts.laboratory.learning.report_network import (
    PROBES,
    Answer,
    Probe,
    asked,
    is_quiet,
    read_probes,
    sample_tables,
    summary,
)
from scripts.laboratory.long_run import FAILED
from tests.engine.lookup.endings import FOLDER, needs_tables

SLOW = "a table of many megabytes takes minutes"
HEADER = "# a comment\n"
NOT_QUIET = {
    "knight behind a rook pawn on the seventh",
    "queen against a rook pawn on the seventh",
    "queen against rook and pawn",
    "rook and rook pawn against rook (Vancura)",
}


def probe(result: int | None, kind: str = "a kind") -> Probe:
    return Probe(kind, "a name", chess.Board("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"), result)


def test_the_positions_that_come_with_the_project() -> None:
    """All are legal and differ; a static value may be asked for in all but a few, which are known as such."""
    probes = read_probes(PROBES)
    assert len({each.board.epd() for each in probes}) == len(probes) > 30
    assert len({each.name for each in probes}) == len(probes)
    for each in probes:
        assert each.board.status() == chess.STATUS_VALID, each.name
        assert not each.board.is_check(), each.name
    assert {each.name for each in probes if not is_quiet(each.board)} == NOT_QUIET
    kinds = list(dict.fromkeys(each.kind for each in probes))
    assert kinds == ["odd material", "fortress", "opposite bishops", "corners", "pawn endings"]
    assert {each.result for each in probes if each.kind == "fortress"} == {0}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("c1", "c2"), "c1 is missing"),
        (("1-0", "2-0"), "unknown result '2-0'"),
        (("4k3", "4k4"), ""),
    ],
)
def test_a_line_that_is_not_a_position(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    line = '4k3/8/8/8/8/8/8/Q3K3 w - - c0 "a kind"; c1 "1-0"; id "a name";'
    path = tmp_path / "some.epd"
    path.write_text(HEADER + line)
    assert read_probes(path)[0].result == 1
    path.write_text(HEADER + line.replace(*change))
    with pytest.raises(ValueError, match=rf"some\.epd, line 2: {said}"):
        read_probes(path)


@needs_tables
def test_positions_of_tables() -> None:
    """Pawn endings only, the same each time; only the side that has pawns can win, on either move."""
    probes = sample_tables(FOLDER, 40)
    assert [each.kind for each in probes] == ["table KPPvK"] * 40 + ["table KPvK"] * 40
    assert {each.result for each in probes} == {0, 1}
    assert {each.board.turn for each in probes} == {True, False}
    for each in probes:
        assert each.board.is_valid()
        assert not each.board.is_check()
        assert not any(each.board.is_capture(move) for move in each.board.legal_moves)
    assert [each.board.fen() for each in probes] == [each.board.fen() for each in sample_tables(FOLDER, 40)]


def test_wrong_answers_are_counted_where_the_result_is_known() -> None:
    answers = [Answer(200, 0), Answer(100, 2500), Answer(-900, -900), Answer(-3000, 3000)]
    assert summary([0, 1, -1, None], answers) == (2, 0, (200 + 900 + 0 + 2000) / 4)


def test_answers_are_from_the_point_of_view_of_white(is_pure: bool) -> None:
    if is_pure:
        pytest.skip(SLOW)
    for side in "wb":
        answer, again = asked(Material(), 300, [chess.Board(f"4k3/4p3/8/8/8/8/4P3/R3K3 {side} - - 0 1")] * 2)
        assert answer.static == 500
        assert answer.searched > 300
        assert answer == again


def test_a_row_for_each_kind_and_each_position_that_is_not_of_a_table() -> None:
    probes = [probe(0), probe(None), probe(1, "table KPvK"), probe(None, "last")]
    answers = [(Answer(10 * n, 20 * n), Answer(-500, 500)) for n in range(1, 5)]
    assert command.kind_rows(probes, answers) == [
        ("a kind", "2", "1", "0", "0", "1", "1", "15", "1000"),
        ("table KPvK", "1", "1", "1", "1", "1", "0", "30", "1000"),
        ("last", "1", "0", "", "", "", "", "40", "1000"),
    ]
    rows = command.probe_rows(probes, answers)
    assert [row[0] for row in rows] == ["a kind: a name", "a kind: a name", "last: a name"]
    assert rows[0] == ("a kind: a name", "10", "20", "-500", "500", "draw")


def test_a_folder_without_games(tmp_path: Path) -> None:
    words = [str(tmp_path), "--out", str(tmp_path / "page")]
    result = CliRunner().invoke(command.report_network, words)
    assert result.exit_code == FAILED
    assert "no files that end in .games" in result.output.replace("\n", " ")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_pure: bool) -> None:
    if is_pure:
        pytest.skip(SLOW)
    few = tmp_path / "few.epd"
    few.write_text("\n".join(PROBES.read_text(encoding="utf-8").splitlines()[4:8]))
    monkeypatch.setattr(command, "PROBES", few)
    out = tmp_path / "page.md"
    words = ["--nodes", "20", "--probes", str(out)]
    result = CliRunner().invoke(command.report_network, words)
    assert result.exit_code == 0, result.output
    page = out.read_text()
    assert "a search of 20 nodes" in page
    assert page.count("\n| odd material: ") == 4
    assert "| odd material | 4 | 0 |" in page
    result = CliRunner().invoke(command.report_network, [*words, "--syzygy", str(tmp_path)])
    assert result.exit_code == FAILED
    assert "no Syzygy tables of pawn endings" in result.output.replace("\n", " ")
