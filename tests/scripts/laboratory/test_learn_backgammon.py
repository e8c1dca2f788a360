"""scripts/lab learn-backgammon: its settings, and the file that it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games.rules.backgammon.learning import Learner
from scripts.laboratory.learn_backgammon import encoded, learn_backgammon


def test_the_file_has_the_weights_and_how_they_came(tmp_path: Path) -> None:
    output = tmp_path / "weights.json"
    words = ["--plan", "1x0.1,1x.05", "--seed", "3", "--output", str(output)]
    result = CliRunner().invoke(learn_backgammon, words)
    assert result.exit_code == 0, result.output
    learner = Learner(3)
    for rate in (0.1, 0.05):
        learner.learn(1, rate, 0.7)
    made = json.loads(output.read_text())
    assert made["contact"] == encoded(learner.contact.weights())
    assert made["race"] == encoded(learner.race.weights())
    assert "2 games" in made["learned"]
    assert "1 at 0.1, 1 at 0.05; the seed is 3" in made["learned"]


@pytest.mark.parametrize(
    "plan", ["", "x", "10", "10x", "0x0.1", "10x0.0.5", "10x.", "10x0.1,", "10x0.1;5x0.1"]
)
def test_a_plan_that_is_none_is_refused(plan: str, tmp_path: Path) -> None:
    output = tmp_path / "weights.json"
    result = CliRunner().invoke(learn_backgammon, ["--plan", plan, "--output", str(output)])
    assert result.exit_code == 2
    assert "is not of the form 20000x0.05," in result.output
    assert not output.exists()


def test_where_nothing_can_be_written_nothing_is_learned(tmp_path: Path) -> None:
    words = ["--output", str(tmp_path / "none" / "weights.json")]
    result = CliRunner().invoke(learn_backgammon, words)
    assert result.exit_code == 2
    assert "no such folder" in result.output
