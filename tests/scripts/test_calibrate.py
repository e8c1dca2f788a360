"""scripts/calibrate: the ratings behind the levels of play."""

import json
import random
import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest

from scripts.matches.calibrate_command import Game, GameWorker, read_results
from scripts.matches.calibration import ANCHORS, LEVELS, Pairing, Result, pairings, rate
from scripts.matches.statistics import score_of
from tests.pure import ROOT

STRETCHING = 1.4  # of the anchors' ratings, as among relatives


def strength(player: int) -> float:
    """As it is in these games."""
    return 1250 + 150 * player if player > 0 else STRETCHING * ANCHORS[-1 - player].elo


def played(seed: int, times: int) -> list[Result]:
    """All pairings, so many times, by chance."""
    chooser = random.Random(seed)
    return [
        Result(
            pairing.level,
            pairing.other,
            game,
            float(chooser.random() < score_of(strength(pairing.level) - strength(pairing.other))),
        )
        for pairing in pairings()
        for game in range(times * pairing.games)
    ]


def test_known_strengths_are_found() -> None:
    """Between anchors a level is worth what they are worth, below them differences count as they are."""
    ratings = rate(played(1, times=10))
    weakest = ANCHORS[0].elo
    expected = [
        strength(level) / STRETCHING
        if strength(level) > STRETCHING * weakest
        else strength(level) - STRETCHING * weakest + weakest
        for level in LEVELS
    ]
    assert [rating.elo for rating in ratings] == pytest.approx(expected, abs=60)
    assert [rating.level for rating in ratings] == list(LEVELS)


def test_the_errors_are_those_of_chance() -> None:
    """Between two runs ratings differ by about as much; four times as many games halve them."""
    first, second = (rate(played(seed, times=1)) for seed in (1, 2))
    ratios = [
        (one.elo - two.elo) / (one.error**2 + two.error**2) ** 0.5
        for one, two in zip(first, second, strict=True)
    ]
    assert 0.2 < (sum(ratio**2 for ratio in ratios) / len(ratios)) ** 0.5 < 3
    more = rate(played(3, times=4))
    errors = [sum(rating.error for rating in ratings) for ratings in (more, first)]
    assert errors[0] / errors[1] == pytest.approx(0.5, abs=0.1)


def calibrate(*words: object) -> subprocess.CompletedProcess[str]:
    """Run to the end."""
    command = [str(ROOT / "scripts" / "calibrate"), *map(str, words)]
    return subprocess.run(command, capture_output=True, check=False, text=True, timeout=300)


def test_another_engine_is_refused(tmp_path: Path) -> None:
    done = calibrate("--results", tmp_path / "r.jsonl", "--stockfish", ROOT / "scripts" / "run")
    assert done.returncode == 2
    assert "not Stockfish 15.1" in done.stderr
    assert "Traceback" not in done.stderr


def test_results_are_lines(tmp_path: Path) -> None:
    """What one run has written the next can read."""
    result = Result(1, -3, 7, 0.5)
    (tmp_path / "r.jsonl").write_text(json.dumps(asdict(result)) + "\n")
    assert read_results(tmp_path / "r.jsonl") == [result]


def test_games_are_played_with_either_colour() -> None:
    """Whoever has White mates."""
    worker = GameWorker(str(ROOT / "scripts" / "run"))
    try:
        for number, points in ((0, 1.0), (1, 0.0)):
            game = Game(Pairing(4, -1, 60), number, "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1")
            assert worker.work(game) == Result(4, -1, number, points)
    finally:
        worker.close()
