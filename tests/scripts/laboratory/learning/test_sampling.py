"""Sampling of positions: files that depend on the settings alone, and a run that resumes."""

import subprocess
import sys
from collections.abc import Generator, Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scripts.laboratory.jobs import JobRunner
from scripts.laboratory.learning import selfplay_games
from scripts.laboratory.learning.evaluators import GivenEvaluator
from scripts.laboratory.learning.selfplay import selfplay
from scripts.laboratory.learning.selfplay_games import (
    OpeningSource,
    Sampling,
    SamplingRules,
    SamplingWorker,
    SelfPlayRules,
)
from scripts.laboratory.long_run import JournalError
from scripts.laboratory.openings import OpeningSuite

ENDGAMES = OpeningSuite(
    ("8/5kp1/8/8/8/8/2KP4/8 w - - 0 1", "8/5k2/7b/8/8/3PN3/2K5/8 w - - 0 1"), is_pgn=False, chess960=False
)
WANTED = 150_000
ROOT = Path(__file__).parents[4]


def rules(teacher_nodes: int = 0, seed: int = 1) -> SamplingRules:
    return SamplingRules(
        SelfPlayRules((OpeningSource(ENDGAMES, 0, 2),), GivenEvaluator("material"), nodes=30, seed=seed),
        2,
        teacher_nodes,
    )


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of two games."""
    monkeypatch.setattr(selfplay_games, "GAMES_A_FILE", 2)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.records"))}


@pytest.mark.parametrize("teacher_nodes", [0, 20])
def test_a_file_depends_on_its_number_alone(teacher_nodes: int) -> None:
    worker = SamplingWorker(rules(teacher_nodes))
    first, second, again = worker.work(0), worker.work(1), worker.work(0)
    assert first == again
    assert first[1] != second[1]
    assert first[1]
    assert len(first[1]) % 32 == 0
    assert SamplingWorker(rules(teacher_nodes)).work(1) == second


def test_there_is_room_for_searches_of_any_length() -> None:
    few = rules()
    many = SamplingWorker(replace(few, games=replace(few.games, nodes=1 << 40), one_in=1))
    many.close()


def test_a_run_resumes(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    whole = Sampling(tmp_path / "whole", rules(), WANTED)
    assert sum(whole.sample(JobRunner(1))) == whole.positions >= WANTED
    whole.close()
    folder = tmp_path / "parts"
    broken = Sampling(folder, rules(), WANTED)
    for _ in islice(broken.sample(JobRunner(2)), 2):
        pass
    broken.close()
    (folder / "positions-00000.records").unlink(missing_ok=True)
    (folder / "positions-00007.records.new").write_bytes(b"half")
    again = Sampling(folder, rules(), WANTED)
    assert again.positions < WANTED
    for _ in again.sample(JobRunner(1)):
        pass
    again.close()
    assert contents(folder) == contents(tmp_path / "whole")
    assert not list(Sampling(folder, rules(), WANTED).sample(JobRunner(1)))


class OutOfOrder:
    """Has files made in an order of its own. The number of a file is also that of its positions."""

    def __init__(self, order: tuple[int, ...]) -> None:
        self._order = order

    def __call__(self, _: object, jobs: Iterable[Any], /) -> Generator[Any, None, None]:
        drawn = list(islice(jobs, len(self._order)))
        assert sorted(self._order) == list(range(len(drawn)))
        for place in self._order:
            yield drawn[place], bytes(32 * drawn[place])


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (1, 0, 4, 3, 2), (0, 3, 1, 2, 4)])
def test_the_order_in_which_files_are_made_is_of_no_matter(tmp_path: Path, order: tuple[int, ...]) -> None:
    run = Sampling(tmp_path, rules(), 5)
    assert list(run.sample(OutOfOrder(order))) == [0, 1, 2, 3]  # type: ignore[arg-type]
    assert run.is_complete()
    assert {name: len(data) // 32 for name, data in contents(tmp_path).items()} == {
        f"positions-{number:05}.records": number for number in range(4)
    }


def test_a_file_that_waits_for_an_earlier_one_is_not_written(tmp_path: Path) -> None:
    run = Sampling(tmp_path, rules(), 100)
    assert list(run.sample(OutOfOrder((0,)))) == [0]  # type: ignore[arg-type]
    half_made = run.sample(OutOfOrder((2, 0, 1)))  # type: ignore[arg-type]
    assert next(half_made) == 1
    half_made.close()
    assert list(contents(tmp_path)) == ["positions-00000.records", "positions-00001.records"]


@pytest.mark.slow
def test_kills_leave_no_gap_and_change_nothing(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the same in both modes")
    script = "from scripts.laboratory.learning.selfplay import selfplay; selfplay()"
    words = [sys.executable, "-u", "-c", script, "--positions", "80000", "--nodes", "5", "--eval", "material"]
    words += ["--every", "1", "--concurrency", "3", "--out"]
    folder = tmp_path / "killed"
    for lines in (1, 2):
        with subprocess.Popen([*words, str(folder)], cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in range(lines):
                assert b"/80000 " in process.stdout.readline()
            process.kill()
        names = list(contents(folder))
        assert names == [f"positions-{number:05}.records" for number in range(len(names))]
    for each in (folder, tmp_path / "whole"):
        subprocess.run([*words, str(each)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    assert contents(folder) == contents(tmp_path / "whole")


def test_another_run_is_refused(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    run = Sampling(tmp_path, rules(), 1)
    assert list(run.sample(JobRunner(1)))
    run.close()
    for other in (rules(seed=2), rules(teacher_nodes=5)):
        with pytest.raises(JournalError, match="another run"):
            Sampling(tmp_path, other, 1)


def run_command(*words: str) -> Result:
    return CliRunner().invoke(selfplay, ["--nodes", "20", "--concurrency", "1", "--eval", "material", *words])


def test_the_command(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    result = run_command("--out", str(tmp_path), "--positions", "10", "--every", "1")
    assert result.exit_code == 0, result.output
    assert "positions in " in result.output.splitlines()[-1]
    assert (tmp_path / "positions-00000.records").stat().st_size >= 320
    other = run_command("--out", str(tmp_path), "--positions", "10", "--seed", "2")
    assert other.exit_code == 2
    assert "seed was 1 and is 2" in other.output


def test_without_a_number() -> None:
    result = run_command("--out", "nowhere")
    assert result.exit_code == 2
    assert "--positions" in result.output
