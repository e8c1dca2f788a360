"""`scripts/lab name-openings` on a small data set."""

import subprocess
from pathlib import Path

import chess
from click.testing import CliRunner, Result

from engine.lookup.openings import COMMENT
from scripts.laboratory.books.name_openings import name_openings

HEAD = "eco\tname\tpgn\n"


def made(folder: Path, lines: str) -> Result:
    for volume in "abcde":
        (folder / f"{volume}.tsv").write_text(HEAD + (lines if volume == "b" else ""), encoding="utf-8")
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "openings")):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return CliRunner().invoke(name_openings, [str(folder), "--out", str(folder / "out.tsv")])


def test_a_line_for_each_position(tmp_path: Path) -> None:
    done = made(tmp_path, "B10\tCaro-Kann Defense\t1. e4 c6\nB00\tKing's Pawn Game\t1. e4\n")
    assert done.exit_code == 0, done.output
    head, *lines = (tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()
    assert head.startswith(COMMENT)
    board = chess.Board()
    board.push_san("e4")
    first = f"B00\tKing's Pawn Game\t{board.epd()}"
    board.push_san("c6")
    assert lines == [first, f"B10\tCaro-Kann Defense\t{board.epd()}"]


def test_a_line_that_cannot_be_played_is_refused(tmp_path: Path) -> None:
    done = made(tmp_path, "B10\tNone\t1. e4 Ke4\n")
    assert done.exit_code == 2
    assert "not a line of moves: 1. e4 Ke4" in done.output
