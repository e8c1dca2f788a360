"""scripts/learn_backgammon: what it is told, and the file that it writes."""

from __future__ import annotations

import runpy
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from scripts.backgammon.learn_command import learn_backgammon

if TYPE_CHECKING:
    from pathlib import Path


def test_the_file_is_a_module_with_the_weights_and_how_they_came(tmp_path: Path) -> None:
    texts = []
    for name in ("one.py", "two.py"):
        output = tmp_path / name
        words = ["--plan", "1x0.1,1x.05", "--seed", "3", "--output", str(output)]
        result = CliRunner().invoke(learn_backgammon, words)
        assert result.exit_code == 0, result.output
        texts.append(output.read_text())
    assert texts[0] == texts[1]
    assert "2 games" in texts[0]
    assert "1 at 0.1, 1 at 0.05; the seed is 3" in " ".join(texts[0].split())
    assert {"CONTACT", "RACE"} <= runpy.run_path(str(tmp_path / "one.py")).keys()


@pytest.mark.parametrize("plan", ["", "10", "10x", "0x0.1", "10x0.0.5", "10x.", "10x0.1,", "10x0.1;5x0.1"])
def test_a_plan_that_is_none_is_refused(plan: str, tmp_path: Path) -> None:
    output = tmp_path / "weights.py"
    result = CliRunner().invoke(learn_backgammon, ["--plan", plan, "--output", str(output)])
    assert result.exit_code == 2
    assert "is not like 20000x0.05," in result.output
    assert not output.exists()


def test_where_nothing_can_be_written_nothing_is_learned(tmp_path: Path) -> None:
    words = ["--output", str(tmp_path / "none" / "weights.py")]
    result = CliRunner().invoke(learn_backgammon, words)
    assert result.exit_code == 2
    assert "cannot be written" in result.output
