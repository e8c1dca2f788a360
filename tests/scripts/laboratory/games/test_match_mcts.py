"""scripts/lab match-mcts: our tree search against OpenSpiel's."""

import json
import subprocess
from pathlib import Path

import pytest

from scripts.laboratory.games.match_mcts import MatchScore
from scripts.laboratory.statistics import share_interval

ROOT = Path(__file__).resolve().parents[4]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(ROOT / "scripts" / "lab"), "match-mcts", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("game", ["connectfour", "othello"])
def test_plays(game: str) -> None:
    pytest.importorskip("pyspiel")
    done = run("--game", game, "--games", "2", "--simulations", "20", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["games"] == 2
    assert result["rate"] in {0, 0.25, 0.5, 0.75, 1}
    assert result["interval"][0] <= result["rate"] <= result["interval"][1]


def test_time_is_for_both_and_the_score_for_people() -> None:
    pytest.importorskip("pyspiel")
    done = run("--games", "2", "--seconds", "0.005", "--option", "rave=100")
    assert done.returncode == 0, done.stderr
    assert "simulations per second" in done.stdout
    assert "%" in done.stdout


@pytest.mark.parametrize("arguments", [("--games", "3"), ("--option", "depth=3"), ("--option", "rave")])
def test_says_what_is_wrong(arguments: tuple[str, ...]) -> None:
    pytest.importorskip("pyspiel")
    done = run("--simulations", "2", *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert arguments[-1].split("=")[0] in done.stderr


def test_the_interval_is_that_of_pairs() -> None:
    # Ten pairs of 1½ points and ten of ½: the pairs' means are ¼ from ½, so 1.96 · ¼ / √19.
    score = MatchScore([1.0, 0.5] * 10 + [0.0, 0.5] * 10)
    assert score.rate == 0.5
    margin = 1.959964 * 0.25 / 19**0.5
    assert share_interval(score.points) == pytest.approx((0.5 - margin, 0.5 + margin))
    # Where all pairs are equal, that of Wilson: n / (n + 1.96²).
    assert share_interval([1.0] * 60) == pytest.approx((30 / (30 + 1.959964**2), 1.0))
    assert MatchScore([1.0]).line() == "+1 =0 -0  100.0% [0.0, 100.0]  Elo +inf [-inf, +inf]"
