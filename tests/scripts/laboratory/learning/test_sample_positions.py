"""Sampling of positions: files that depend on the settings alone, and a run that resumes."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scripts.laboratory.job_options import on_this_machine
from scripts.laboratory.learning import sampling
from scripts.laboratory.learning.given_evaluator import GivenEvaluator
from scripts.laboratory.learning.sample_positions import sample_positions as command
from scripts.laboratory.learning.sampling import Sampling, SamplingRules, SamplingWorker
from scripts.laboratory.learning.selfplay_games import OpeningSource, SelfPlayRules
from scripts.laboratory.long_run import JournalError
from scripts.laboratory.openings import OpeningSuite

ENDGAMES = OpeningSuite(
    ("8/5kp1/8/8/8/8/2KP4/8 w - - 0 1", "8/5k2/7b/8/8/3PN3/2K5/8 w - - 0 1"), is_pgn=False, chess960=False
)
WANTED = 150_000


def rules(teacher_nodes: int = 0, seed: int = 1) -> SamplingRules:
    return SamplingRules(
        SelfPlayRules((OpeningSource(ENDGAMES, 0, 2),), GivenEvaluator("material"), nodes=30, seed=seed),
        2,
        teacher_nodes,
    )


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of two games."""
    monkeypatch.setattr(sampling, "GAMES_A_FILE", 2)


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
    assert sum(whole.sample(on_this_machine(1))) == whole.positions >= WANTED
    whole.close()
    folder = tmp_path / "parts"
    broken = Sampling(folder, rules(), WANTED)
    for _ in islice(broken.sample(on_this_machine(2)), 2):
        pass
    broken.close()
    (folder / "positions-00000.records").unlink(missing_ok=True)
    (folder / "positions-00007.records.new").write_bytes(b"half")
    again = Sampling(folder, rules(), WANTED)
    assert again.positions < WANTED
    for _ in again.sample(on_this_machine(1)):
        pass
    again.close()
    found, expected = contents(folder), contents(tmp_path / "whole")
    for files in (found, expected):
        assert list(files) == [f"positions-{number:05}.records" for number in range(len(files))]
        assert sum(map(len, files.values())) >= 32 * WANTED
    assert all(found[name] == expected[name] for name in found.keys() & expected.keys())
    assert not list(Sampling(folder, rules(), WANTED).sample(on_this_machine(1)))


def test_another_run_is_refused(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    run = Sampling(tmp_path, rules(), 1)
    assert list(run.sample(on_this_machine(1)))
    run.close()
    for other in (rules(seed=2), rules(teacher_nodes=5)):
        with pytest.raises(JournalError, match="another run"):
            Sampling(tmp_path, other, 1)


def run_command(*words: str) -> Result:
    return CliRunner().invoke(command, ["--nodes", "20", "--concurrency", "1", "--eval", "material", *words])


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
