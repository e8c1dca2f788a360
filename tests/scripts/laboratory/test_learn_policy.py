"""scripts/lab learn-policy: a tiny run, and how it is gone on with; what it has learned plays a match."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.games.networks.file import load_policy
from scripts.laboratory import learn_policy as module
from scripts.laboratory.learn_policy import Learning, snapshots
from scripts.laboratory.long_run import FAILED, INTERRUPTED
from tests.compiled import ROOT
from tests.scripts.laboratory.tiny_runs import COMPILED, TINY, NothingLearned, games, learn

pytestmark = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")


@pytest.fixture(scope="module", autouse=True)
def _stand_in() -> Iterator[None]:
    """Where PyTorch is not installed, for what learns with it."""
    with pytest.MonkeyPatch.context() as patch:
        if find_spec("torch") is None:
            patch.setattr(module, "open_learner", NothingLearned)
        yield


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a run of a second and a half, on 4 by 4 squares of Othello."""
    folder = tmp_path_factory.mktemp("policy") / "data"
    result = learn(folder, "--game", "othello", "--size", "4", "--minutes", "0.025", "--processor-time")
    assert result.exit_code == 0, result.output
    return folder


def test_a_folder_is_filled(learned: Path) -> None:
    network = load_policy(learned / "network.lolli")
    assert (network.game, network.rows, network.columns) == ("othello", 4, 4)
    assert (network.shape.channels, network.shape.blocks) == (16, 0)
    assert network.about["seed"] == 1
    first, *others = snapshots(learned)
    assert first[0] == 0
    assert others
    played = games(learned / "played.games")
    records = [json.loads(line) for line in (learned / "learning.jsonl").read_text().splitlines()]
    assert records[-1]["games"] == len(played) > 0


def test_the_same_command_goes_on(learned: Path) -> None:
    """The games stay, more come, and the file's incomplete end is cut off."""
    before = (learned / "played.games").read_bytes()
    *_, last = played = games(learned / "played.games")
    count = len(played)
    with (learned / "played.games").open("ab") as file:
        file.write(last.to_bytes()[:-10])
    words = ("--game", "othello", "--size", "4", "--processor-time")
    result = learn(learned, *words, "--minutes", "0.045")
    assert result.exit_code == 0, result.output
    assert f"and {count} games" in result.output
    assert (learned / "played.games").read_bytes().startswith(before)
    assert len(games(learned / "played.games")) > count
    again = learn(learned, *words, "--minutes", "0.01")
    assert again.exit_code == 0
    assert "has learned for" in again.output


def test_it_goes_on_from_another_network(learned: Path, tmp_path: Path) -> None:
    start, data = learned / "network.lolli", tmp_path / "data"
    words = ("--game", "othello", "--size", "4", "--start", str(start))
    result = learn(data, *words, "--minutes", "0.01", "--processor-time")
    assert result.exit_code == 0, result.output
    first, *_ = snapshots(data)
    assert [*load_policy(first[1]).numbers] == [*load_policy(start).numbers]
    assert load_policy(first[1]).about["start"]["learned"].startswith("from nothing")
    result = learn(tmp_path / "more", *words, "--blocks", "1")
    assert result.exit_code == 2
    assert "not a network for othello with 1 blocks of 16 channels" in result.output
    assert learn(tmp_path / "more", "--start", str(tmp_path / "none")).exit_code == 2
    assert not (tmp_path / "more").exists()


def test_an_interruption_keeps_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Learning, "_report", interrupt)
    result = learn(tmp_path, "--minutes", "1")
    assert result.exit_code == INTERRUPTED
    assert "Interrupted: the same command goes on" in result.output
    records = [json.loads(line) for line in (tmp_path / "learning.jsonl").read_text().splitlines()]
    assert records[-1]["games"] == len(games(tmp_path / "played.games"))
    assert 1 <= records[-1]["seconds"] < 30
    last = load_policy(tmp_path / "network.lolli")
    assert [*load_policy(snapshots(tmp_path)[-1][1]).numbers] == [*last.numbers]


@pytest.mark.parametrize("name", ["played.games", "learner.pt"])
def test_damaged_files_are_refused_in_a_line(learned: Path, tmp_path: Path, name: str) -> None:
    for file in ("learning.jsonl", "played.games", "learner.pt"):
        (tmp_path / file).write_bytes((learned / file).read_bytes())
    data = bytearray((tmp_path / name).read_bytes())
    for place in range(len(data) // 3, len(data), 50):
        data[place] ^= 0xFF
    (tmp_path / name).write_bytes(data)
    result = learn(tmp_path, "--game", "othello", "--size", "4", "--minutes", "1")
    assert result.exit_code == FAILED
    assert result.output.startswith(f"Cannot go on: {tmp_path / name}")
    assert "damaged" in result.output
    assert result.output.count("\n") == 1


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["learning.jsonl", "played.games", "learner.pt"])
def test_a_folder_without_a_part_of_it_is_left_as_it_is(learned: Path, tmp_path: Path, name: str) -> None:
    data = tmp_path / "data"
    shutil.copytree(learned, data)
    (data / name).unlink()
    before = files_in(data)
    result = learn(data, "--game", "othello", "--size", "4", "--minutes", "1")
    assert result.exit_code == FAILED
    assert result.output.startswith(f"Cannot go on: {data / name} is missing: put it back, or ")
    assert result.output.count("\n") == 1
    assert files_in(data) == before


def test_pytorch_is_asked_for_only_where_it_is_wanted(tmp_path: Path) -> None:
    """With an empty module in its place, as where it is not installed."""
    code = "import sys; sys.modules['torch'] = None; from scripts.laboratory.learn_policy import *"
    words = ["--data", str(tmp_path / "data"), *TINY, "--device", "cuda"]
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; learn_policy({words!r})"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == FAILED, done.stderr
    assert done.stdout.startswith("Cannot go on: PyTorch is not installed: ")
