"""The real command, killed in every way there is, and given again until it is done."""

import os
import re
import signal
import subprocess
from contextlib import suppress
from itertools import combinations
from pathlib import Path

import psutil
import pytest

from engine.search.limits import Limits
from eval.weight_file import STANDARD
from lolli._annotator import AnnotationOptions
from lolli._findings import AnalystSettings
from lolli.cli.runs import games_in, job_of, part_path
from tests.lolli.cli.annotation.annotating import (
    annotate,
    annotated,
    random_games,
    records,
    wait_until_gone,
)
from tests.patience import PATIENCE, wait_until

GAMES = 40
SETTINGS = ("--nodes", "1000", "--hash", "1", "--jobs", "1")
"""One job at a time, so that much is left to do after some games."""
BAD_GAME = b'[Event "bad"]\n\n1. e4 e5 2. Nf9 *\n\n'


@pytest.fixture(scope="module")
def pgn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("resume") / "games.pgn"
    path.write_bytes(random_games(GAMES // 2, 30) + BAD_GAME + random_games(GAMES // 2, 30, seed=2))
    return path


@pytest.fixture(scope="module")
def expected(lolli_command: list[str], pgn: Path) -> bytes:
    return annotated(lolli_command, pgn, *SETTINGS)


def begin(command: list[str], pgn: Path, target: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*command, "annotate", str(pgn), "-o", str(target), *SETTINGS, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def begin_and_do_some(
    command: list[str], pgn: Path, target: Path, *words: str
) -> tuple[subprocess.Popen[bytes], list[psutil.Process]]:
    """Start the command and wait until more is on record than before; it, and those it has started."""
    before = max(1, records(target))
    process = begin(command, pgn, target, *words)
    wait_until(lambda: records(target) > before or process.poll() is not None)
    return process, workers(process)


def workers(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    try:
        return psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def finish(command: list[str], pgn: Path, target: Path, expected: bytes) -> None:
    done = annotate(command, pgn, "-o", target, *SETTINGS)
    assert done.returncode == 1, done.stderr  # for the game that is bad
    assert target.read_bytes() == expected
    assert f"{GAMES + 1} games" in done.stderr.decode()
    assert "1 copied" in done.stderr.decode()
    assert not part_path(target).exists()


@pytest.mark.slow
def test_killed_in_every_way(lolli_command: list[str], pgn: Path, tmp_path: Path, expected: bytes) -> None:
    """Each time when more is done than before. Ctrl-C and SIGTERM go to the workers, too."""
    target = tmp_path / "out.pgn"
    for how, status in (
        (signal.SIGKILL, -signal.SIGKILL),
        (signal.SIGINT, 130),
        (signal.SIGTERM, 143),
        (signal.SIGKILL, -signal.SIGKILL),
    ):
        process, family = begin_and_do_some(lolli_command, pgn, target)
        if how is signal.SIGKILL:
            process.kill()
        else:
            os.killpg(process.pid, how)
        _, said = process.communicate(timeout=PATIENCE)
        wait_until_gone(family)
        if target.exists():  # this machine is too fast for the rest
            assert target.read_bytes() == expected
            return
        assert process.returncode == status, said
        assert b"Traceback" not in said
        if how is not signal.SIGKILL:
            last = said.decode().splitlines()[-1]
            assert re.fullmatch(r"Stopped after \d+ games?; repeat the command to continue\.", last)
    finish(lolli_command, pgn, target, expected)


def test_workers_killed(lolli_command: list[str], pgn: Path, tmp_path: Path, expected: bytes) -> None:
    """Their games are handed out again, in the same run."""
    target = tmp_path / "out.pgn"
    process, family = begin_and_do_some(lolli_command, pgn, target, "--jobs", "2")
    for worker in family:
        with suppress(psutil.NoSuchProcess):  # it may have ended by itself
            if "spawn_main" in " ".join(worker.cmdline()):
                worker.kill()
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, said
    assert said.count(b"\n") == 3  # the bad game, the sum, and the file
    assert target.read_bytes() == expected


def test_other_settings_are_refused(lolli_command: list[str], tmp_path: Path) -> None:
    """Until one says --restart; and nobody else may go on while somebody does."""
    pgn, target = tmp_path / "games.pgn", tmp_path / "out.pgn"
    pgn.write_bytes(b'[Event "?"]\n\n*\n\n' + random_games(2, 6))  # the first one is soon done
    process, _ = begin_and_do_some(lolli_command, pgn, target, "--time", "1000", "--nodes", "1000000000000")
    assert refusal(lolli_command, pgn, target) == f"Error: {part_path(target)} is in use by another run\n"
    process.kill()
    process.communicate(timeout=PATIENCE)
    before = part_path(target).read_bytes()
    reason = "nodes was 1000000000000 and is 1000; time was 1000000 and is not given"
    assert refusal(lolli_command, pgn, target) == (
        f"Error: {part_path(target)} belongs to another run: {reason} (use --restart to start over)\n"
    )
    assert part_path(target).read_bytes() == before
    done = annotate(lolli_command, pgn, "-o", target, *SETTINGS, "--restart")
    assert done.returncode == 0
    assert target.read_bytes().count(b"[%eval") > 12


def refusal(command: list[str], pgn: Path, target: Path) -> str:
    done = annotate(command, pgn, "-o", target, *SETTINGS)
    assert done.returncode == 2
    return done.stderr.decode()


def test_what_makes_another_run(pgn: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.pgn"
    other.write_bytes(pgn.read_bytes()[:-2] + b"\n ")
    weights = tmp_path / "weights.json"
    weights.write_bytes(Path(STANDARD).read_bytes() + b"\n")
    long, changed = tmp_path / "long.pgn", tmp_path / "changed.pgn"
    content = random_games(200, 30)
    long.write_bytes(content)
    changed.write_bytes(content[:100_000] + b"X" + content[100_001:])
    usual = AnalystSettings()
    orders: list[tuple[Path, AnalystSettings, Limits, int]] = [
        (pgn, usual, Limits(nodes=40), 0),
        (other, usual, Limits(nodes=40), 0),
        (long, usual, Limits(nodes=40), 0),
        (changed, usual, Limits(nodes=40), 0),
        (pgn, AnalystSettings(evaluator="material"), Limits(nodes=40), 0),
        (pgn, AnalystSettings(weights=str(weights)), Limits(nodes=40), 0),
        (pgn, AnalystSettings(megabytes=1), Limits(nodes=40), 0),
        (pgn, usual, Limits(nodes=41), 0),
        (pgn, usual, Limits(nodes=40, depth=3), 0),
        (pgn, usual, Limits(nodes=40, move_time=3), 0),
        (pgn, usual, Limits(nodes=40), 1),
    ]
    identities = []
    for path, settings, limits, skip in orders:
        with games_in(str(path)) as source:
            job = job_of(settings, limits, AnnotationOptions(skip))
            identities.append({**job.identity(), "input": source.identity()})
    assert all(one != another for one, another in combinations(identities, 2))
