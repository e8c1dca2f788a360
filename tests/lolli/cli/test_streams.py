"""`lolli` with words whose input or output is closed, or cannot be written to."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.patience import PATIENCE

GAME = '[White "One"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
PUZZLE = """[White "A"]
[Black "B"]
[FEN "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"]
[SetUp "1"]
[PuzzleSource "game 1, move 4"]
[PuzzleGoal "win"]
[PuzzlePlayed "h5f7"]
[PuzzleLast "g8f6"]

4. Qxf7# *
"""


def shell(command: list[str], words: str, redirected: str) -> subprocess.CompletedProcess[str]:
    line = f"{shlex.join(command)} {words} {redirected}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False, text=True, timeout=PATIENCE)
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("analyse - --depth 1", "standard input: empty"),
        ("eval -", "standard input: empty"),
        ("diagram -", "standard input: empty"),
        ("report - -o no.html", "-: no game"),
        ("suite -", "no position can be searched"),
    ],
)
def test_a_closed_input_is_an_empty_one(lolli_command: list[str], words: str, reason: str) -> None:
    done = shell(lolli_command, words, "<&-")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"Error: {reason}\n")


@pytest.mark.parametrize(
    "words",
    [
        "analyse --depth 1 --json",
        "perft 2 --json",
        "eval",
        "--help",
        "play --level 1",
        "quiz",
        "puzzles {puzzles} --solve",
        "diagram",
        "report {game} --depth 1 -o -",
    ],
)
@pytest.mark.parametrize(
    ("redirected", "reason"),
    [
        (">&-", "Bad file descriptor"),
        pytest.param(
            "> /dev/full",
            "No space left on device",
            marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux"),
        ),
    ],
)
def test_an_output_that_is_closed_or_full_gets_one_line(
    lolli_command: list[str], tmp_path: Path, words: str, redirected: str, reason: str
) -> None:
    names = {"game": tmp_path / "game.pgn", "puzzles": tmp_path / "puzzles.pgn"}
    names["game"].write_text(GAME)
    names["puzzles"].write_text(PUZZLE)
    words = words.format_map({key: shlex.quote(str(names[key])) for key in names})
    done = shell(lolli_command, words, redirected)
    assert done.returncode == 2
    assert done.stderr.endswith(f"Error: stdout: {reason}\n")


def test_a_file_is_written_with_all_streams_closed(lolli_command: list[str], tmp_path: Path) -> None:
    game, page = tmp_path / "game.pgn", tmp_path / "game.html"
    game.write_text(GAME)
    assert shell(lolli_command, f"report {shlex.quote(str(game))} --depth 1", "<&- >&- 2>&-").returncode == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert game.read_text() == GAME


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("words", ["", "uci", "gtp"])
@pytest.mark.parametrize(("redirected", "reason"), [(">&-", "Bad file"), ("> /dev/full", "No space")])
def test_a_dialogue_that_cannot_answer_says_why(
    lolli_command: list[str], words: str, redirected: str, reason: str
) -> None:
    done = shell(lolli_command, words, f"{redirected} <<'END'\nuci\nquit\nEND")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"lolli: stdout: {reason}")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_line_of_json_that_found_no_room_is_printed_when_the_run_is_continued(
    lolli_command: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "x.pgn"
    path.write_text(f"{GAME}\n1. e4 Ke4 *\n")
    words = f"annotate {shlex.quote(str(path))} --nodes 50 --jobs 1 --json"
    first = shell(lolli_command, words, "> /dev/full")
    assert (first.returncode, first.stderr) == (2, "Error: stdout: No space left on device\n")
    second = shell(lolli_command, words, "")
    assert [json.loads(line)["number"] for line in second.stdout.splitlines()] == [1, 2]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("x.svg", "diagram -o {file}"),
        ("x.html", "report {game} --depth 1 -o {file}"),
        ("x.table", "solve --game checkers --men 2 --make {file} --force"),
        ("x.html", "quiz --sheet {file}"),
        ("x.html", "tree --html {file}"),
    ],
)
def test_a_file_that_does_not_fit_leaves_the_old_one(
    lolli_command: list[str], tmp_path: Path, name: str, words: str
) -> None:
    game, file = tmp_path / "game.pgn", tmp_path / name
    game.write_text(GAME)
    file.write_text("old")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    words = words.format(game=shlex.quote(str(game)), file=shlex.quote(str(file)))
    done = shell(["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *lolli_command], words, "")
    assert done.returncode == 2
    assert done.stderr.endswith(f"Error: {file}: File too large\n")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
