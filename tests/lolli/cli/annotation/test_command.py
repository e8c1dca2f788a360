"""`lolli annotate` as people and scripts use it."""

import io
import json
import os
import pty
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest
from chess.engine import PovScore

from lolli.cli.pgn import raw_games
from lolli.cli.runs import part_path
from tests.lolli.cli.annotation.annotating import (
    FEW_NODES,
    SCHOLAR,
    annotate,
    annotated,
    random_games,
)
from tests.patience import PATIENCE, wait_until
from tests.pure import ROOT

FirstRun = tuple[subprocess.CompletedProcess[bytes], Path]
TWO_BAD = SCHOLAR.replace("4. Qxf7#", "4.\nNf9").encode() + random_games(2, 10) + b"rubbish [\n\n"


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_bytes(SCHOLAR.encode() + TWO_BAD)
    return path


@pytest.fixture(scope="module")
def first_run(lolli_command: list[str], tmp_path_factory: pytest.TempPathFactory) -> FirstRun:
    """What the command says and does that is given these games and nothing that it can think of itself."""
    path = tmp_path_factory.mktemp("first") / "games.pgn"
    path.write_bytes(SCHOLAR.encode() + TWO_BAD)
    return annotate(lolli_command, path, *FEW_NODES, "--json"), path.parent


@pytest.fixture(scope="module")
def expected(first_run: FirstRun) -> bytes:
    return (first_run[1] / "games-annotated.pgn").read_bytes()


def games(content: bytes) -> Iterator[chess.pgn.Game]:
    text = io.StringIO(content.decode())
    while (game := chess.pgn.read_game(text)) is not None:
        yield game


def test_the_output_is_named_after_the_input(first_run: FirstRun) -> None:
    done, folder = first_run
    assert done.returncode == 1
    lines = done.stderr.decode().splitlines()
    assert lines[0].startswith("game 2, line 14: ")
    assert "Nf9" in lines[0]
    assert lines[0].endswith("; copied unchanged")
    assert lines[1].startswith("game 5, line ")
    assert lines[2].startswith("5 games, 30 positions; ")
    assert "; 2 copied unchanged; " in lines[2]
    assert lines[3:] == [f"wrote {folder}/games-annotated.pgn"]
    assert sorted(path.name for path in folder.iterdir()) == ["games-annotated.pgn", "games.pgn"]
    assert (folder / "games.pgn").read_bytes() == SCHOLAR.encode() + TWO_BAD


def test_what_came_in_goes_out(expected: bytes) -> None:
    """Games that cannot be read byte for byte, the others with all that was in them."""
    before = [raw.data for raw in raw_games(io.BytesIO(SCHOLAR.encode() + TWO_BAD))]
    after = [raw.data for raw in raw_games(io.BytesIO(expected))]
    assert len(before) == len(after)
    same = [one == other for one, other in zip(before, after, strict=True)]
    assert same == [False, True, False, False, True]
    for one, other in zip(games(before[2]), games(after[2]), strict=True):
        assert list(one.mainline_moves()) == list(other.mainline_moves())
        assert [node.clock() for node in one.mainline()] == [node.clock() for node in other.mainline()]
        assert set(one.headers.items()) < set(other.headers.items())


def test_the_result_does_not_depend_on_the_number_of_jobs(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(random_games(8, 16))
    one, three = (annotated(lolli_command, path, "--jobs", jobs, "--force") for jobs in (1, 3))
    assert one == three
    assert one.count(b"[%eval") > 120


def test_json(first_run: FirstRun, expected: bytes) -> None:
    lines = [json.loads(line) for line in first_run[0].stdout.splitlines()]
    assert [line["number"] for line in lines] == [1, 2, 3, 4, 5]
    assert set(lines[1]) == {"number", "error", "line"}
    assert lines[1]["line"] == 14
    for line, raw in zip(lines, raw_games(io.BytesIO(expected)), strict=True):
        if "error" not in line:
            assert_tells(line, next(games(raw.data)))
    assert lines[0]["evals"][-1] == {"mate": 0}


def assert_tells(line: dict[str, Any], game: chess.pgn.Game) -> None:
    """What JSON tells of a game is what stands in it; only checkmate has no [%eval]."""
    assert line["result"] == game.headers["Result"]
    told = [evaluation(each) for each in line["evals"]]
    assert told[:-1] == [node.eval() for node in game.mainline()][:-1]
    for name, color in (("white", chess.WHITE), ("black", chess.BLACK)):
        player = line[name]
        assert player["name"] == game.headers[name.capitalize()]
        assert str(player["acpl"]) == game.headers[f"{name.capitalize()}ACPL"]
        assert str(player["accuracy"]) == game.headers[f"{name.capitalize()}Accuracy"]
        nags = [nag for node in game.mainline() if node.turn() != color for nag in node.nags]
        assert player["inaccuracies"] == nags.count(chess.pgn.NAG_DUBIOUS_MOVE)
        assert player["mistakes"] == nags.count(chess.pgn.NAG_MISTAKE)
        assert player["blunders"] == nags.count(chess.pgn.NAG_BLUNDER)


def evaluation(told: dict[str, int] | None) -> PovScore | None:
    if told is None:
        return None
    score = chess.engine.Mate(told["mate"]) if "mate" in told else chess.engine.Cp(told["cp"])
    return PovScore(score, chess.WHITE)


def test_stdin_and_stdout(lolli_command: list[str], pgn: Path, expected: bytes) -> None:
    done = annotate(lolli_command, "-", "-o", "-", *FEW_NODES, "--jobs", "1", said=pgn.read_bytes())
    assert done.stdout == expected
    assert done.returncode == 1


def test_stdin_to_a_link(lolli_command: list[str], pgn: Path, tmp_path: Path, expected: bytes) -> None:
    """What it leads to is made."""
    (tmp_path / "elsewhere").mkdir()
    real, link = tmp_path / "elsewhere" / "real.pgn", tmp_path / "link.pgn"
    link.symlink_to(real)
    done = annotate(lolli_command, "-", "-o", link, *FEW_NODES, "--jobs", "1", said=pgn.read_bytes())
    assert done.returncode == 1
    assert link.is_symlink()
    assert real.read_bytes() == expected
    assert list(real.parent.iterdir()) == [real]


def test_a_device_is_written_to_and_stays_a_device(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(SCHOLAR)
    done = annotate(lolli_command, path, "-o", "/dev/null", *FEW_NODES, "--jobs", "1")
    assert done.returncode == 0
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("no/such.pgn",), "no/such.pgn: No such file or directory"),
        (("{pgn}", "-o", "{folder}"), "{folder} is a folder"),
        (("{pgn}", "-o", "{folder}/no/x.pgn"), "{folder}/no/x.pgn.part: No such file or directory"),
        (("{pgn}", "-o", "{pgn}", "--force"), "{pgn} would be overwritten: choose another name with -o"),
        (("{pgn}", "-o", "{folder}/link.pgn", "--force"), "{pgn} would be overwritten"),
        (("{folder}/x.pgn.part", "-o", "{folder}/x.pgn", "--restart"), "x.pgn.part would be overwritten"),
        (("{pgn}", "-o", "{folder}/there.pgn"), "there.pgn already exists (use --force to overwrite)"),
        (("-",), "the input has no file name: name the output with -o"),
        (("{pgn}", "--json", "-o", "-"), "name a file for the games"),
        (("{pgn}", "--weights", "no/such"), "no/such: there is no such file"),
    ],
)
def test_bad_input_gets_one_clear_line(
    lolli_command: list[str], pgn: Path, tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    (tmp_path / "there.pgn").write_text("precious")
    (tmp_path / "x.pgn.part").write_bytes(pgn.read_bytes())
    (tmp_path / "link.pgn").symlink_to(pgn)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    names = {"pgn": pgn, "folder": tmp_path}
    done = annotate(lolli_command, *(word.format_map(names) for word in words))
    assert done.returncode == 2
    assert done.stdout == b""
    last = done.stderr.decode().splitlines()[-1]
    assert last.startswith("Error: ")
    assert reason.format_map(names) in last
    assert b"Traceback" not in done.stderr
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_stdout_that_is_closed_full_or_left(lolli_command: list[str], pgn: Path) -> None:
    command = [*lolli_command, "annotate", str(pgn), "-o", "-", *FEW_NODES, "--jobs", "1"]
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *command], capture_output=True, check=False, timeout=PATIENCE
    )
    assert (closed.returncode, closed.stderr) == (2, b"Error: stdout: Bad file descriptor\n")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (2, b"Error: stdout: No space left on device\n")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_a_file_that_may_not_grow(lolli_command: list[str], tmp_path: Path) -> None:
    """As on a full disk; with more room the same command goes on."""
    path, target = tmp_path / "games.pgn", tmp_path / "out.pgn"
    path.write_bytes(random_games(12, 12))
    command = [*lolli_command, "annotate", str(path), "-o", str(target), *FEW_NODES]
    done = subprocess.run(
        command,
        stderr=subprocess.PIPE,
        check=False,
        timeout=PATIENCE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000)),
    )
    assert done.returncode == 2
    assert done.stderr.decode() == f"Error: {part_path(target)}: File too large\n"
    done = annotate(lolli_command, path, "-o", target, *FEW_NODES)
    assert done.returncode == 0
    assert len(list(games(target.read_bytes()))) == 12


def test_ctrl_c_while_stdin_is_waited_for(lolli_command: list[str]) -> None:
    command = [*lolli_command, "annotate", "-", "-o", "-", *FEW_NODES]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        status = Path(f"/proc/{process.pid}/status")
        wait_until(lambda: catches(status, signal.SIGTERM))
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b"Stopped after 0 games.\n"


def catches(status: Path, number: int) -> bool:
    caught = next(line for line in status.read_text().splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def test_progress_on_a_terminal(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(random_games(20, 20))
    ours, theirs = pty.openpty()
    command = [*lolli_command, "annotate", str(path), *FEW_NODES]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, stderr=theirs, stdout=theirs, env=environment) as process:
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 65536):
                seen += part
        except OSError:  # what reading ends with, on a terminal
            pass
        assert process.wait(PATIENCE) == 0
    os.close(ours)
    text = seen.decode()
    assert "games/min" in text
    assert " left" in text
    assert "20 games, " in text.splitlines()[-2]
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")  # the cursor is back


def test_without_the_package(pgn: Path, tmp_path: Path) -> None:
    """As if distributed were not installed."""
    (tmp_path / "distributed.py").write_text("raise ModuleNotFoundError('no', name='distributed')")
    code = "import sys; sys.argv[0] = 'lolli'; from lolli.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "annotate", str(pgn), "-o", "x.pgn", "--cluster", "x"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 2
    assert done.stderr == b"Error: --cluster needs distributed: scripts/build --dev\n"
