"""What learns from whole games learns the same from those that a cluster has played."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from lolli.cli.workers import LocalWorkers
from scripts.laboratory import learn_games
from scripts.laboratory.learn_games import SearchedGame, learn_go_policy, learn_othello, play_go_job
from tests.dask_cluster import Scheduler, StartWorker

GO = ["--plan", "5x6x20", "--generations", "2", "--least", "5"]
OTHELLO = ["--games", "20", "--generations", "2", "--depth", "1", "--solved", "6", "--steps", "3"]
OTHELLO += ["--match", "4"]


def games_in_threads(count: int) -> list[SearchedGame]:
    text = (files("engine.games") / "weights" / "go-policy.json").read_text()
    stored = json.loads(text)
    turned = {name: -weight for name, weight in stored["features"].items()}
    policies = [text, json.dumps(stored | {"features": turned}), None]
    with ThreadPoolExecutor(count) as pool:
        return [*pool.map(lambda n: play_go_job(policies[n % 3], (9, 20, 1)), range(12))]


def test_threads_of_a_process_may_play_with_different_policies() -> None:
    """In another process, whose policy is not that of other tests."""
    with LocalWorkers(1) as workers:
        alone = workers.submit(games_in_threads, 1).result()
        assert workers.submit(games_in_threads, 4).result() == alone
    assert len({str(game) for game in alone[:3]}) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "settings", "result"),
    [(learn_go_policy, GO, "weights-1.json"), (learn_othello, OTHELLO, "g01.bin")],
)
def test_the_same_weights(
    command: click.Command,
    settings: list[str],
    result: str,
    scheduler: Scheduler,
    start_worker: StartWorker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(learn_games, "_PROBES", 10)
    monkeypatch.setattr(learn_games, "_PORTION", 5)
    start_worker()
    start_worker()
    learned = []
    for folder, words in (("here", ["--concurrency", "1"]), ("there", ["--cluster", scheduler[0]])):
        done = CliRunner().invoke(command, [*settings, *words, "--folder", str(tmp_path / folder)])
        assert done.exit_code == 0, done.output
        learned.append((tmp_path / folder / result).read_bytes())
    assert learned[0] == learned[1]
