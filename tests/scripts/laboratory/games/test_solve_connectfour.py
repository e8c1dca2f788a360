"""scripts/lab solve-connectfour: positions, files of positions, and what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from scripts.laboratory.games.solve_connectfour import solve_connectfour

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

TABLE = ("--table-mb", "1")
# 37 of 42 men; the other player wins with its last man.
ALMOST_OVER = "2252576253462244111563365343671351441"


def run(*words: str) -> Result:
    return CliRunner().invoke(solve_connectfour, [*TABLE, *words])


def scores(directory: Path, *lines: str) -> str:
    path = directory / "positions"
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def test_a_position_is_shown_and_solved() -> None:
    """Three in a row with both ends open, and X to move: the fourth man wins, 18 are left after it."""
    result = run("--position", "223344")
    assert result.exit_code == 0, result.output
    assert "X, to move, wins, score 18" in result.output
    assert run("--position", "223344", "--weak").output.count("X, to move, wins\n") == 1


def test_scores_of_a_file_are_checked(tmp_path: Path) -> None:
    right = run("--file", scores(tmp_path, f"{ALMOST_OVER} -1", "", "223344 18"))
    assert right.exit_code == 0, right.output
    assert "2 positions, 0 wrong" in right.output
    wrong = run("--file", scores(tmp_path, f"{ALMOST_OVER} 1", "223344 18"))
    assert wrong.exit_code == 1
    assert f"{ALMOST_OVER}: -1, not 1" in wrong.output
    assert "2 positions, 1 wrong" in wrong.output
    assert run("--weak", "--file", scores(tmp_path, "223344 5")).exit_code == 0
    assert "1 positions" in run("--first", "1", "--file", scores(tmp_path, "223344 18", "223344 5")).output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--position", "48"), "48: '8' is not a legal move"),
        (("--position", "1212121"), "the game is over"),
        (("--columns", "99"), "at most 64, not 99 columns"),
        (("--position", "4", "--file", "{file}"), "cannot be combined"),
        (("--file", "{binary}"), "can't decode"),
        (("--file", "{file}"), "4 x: not a score"),
    ],
)
def test_says_what_is_wrong(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\n")
    file = scores(tmp_path, "4 x")
    result = run(*(word.format(file=file, binary=binary) for word in words))
    assert result.exit_code in {1, 2}
    assert message in result.output.splitlines()[-1]
