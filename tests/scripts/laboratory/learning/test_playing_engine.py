"""Which engine plays is noted, and a change of it is said once."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from scripts.laboratory.learning import playing_engine
from scripts.laboratory.learning.given_evaluator import GivenEvaluator
from scripts.laboratory.learning.playing_engine import engine_digest, note_engine
from scripts.laboratory.learning.sample_positions import sample_positions
from scripts.laboratory.learning.selfplay_command import selfplay
from scripts.laboratory.learning.selfplay_games import OpeningSource, SelfPlayRules
from scripts.laboratory.openings import OpeningSuite

ENDGAME = OpeningSuite(("8/5kp1/8/8/8/8/2KP4/8 w - - 0 1",), is_pgn=False, chess960=False)
RULES = SelfPlayRules((OpeningSource(ENDGAME, 0, 2),), GivenEvaluator("material"), nodes=5, seed=1)


def other_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on an engine plays that plays other games."""
    monkeypatch.setattr(playing_engine, "engine_digest", lambda _: "0123456789abcdef")
    monkeypatch.setattr(playing_engine, "checkout_commit", lambda: None)


def test_an_engine_is_what_it_plays() -> None:
    digest = engine_digest(RULES)
    assert digest == engine_digest(RULES)
    assert digest != engine_digest(SelfPlayRules(RULES.sources, RULES.evaluator, nodes=20, seed=1))


def test_another_engine_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert note_engine(tmp_path, RULES, 0) is None
    monkeypatch.setattr(playing_engine, "checkout_commit", lambda: "a commit of the documentation")
    assert note_engine(tmp_path, RULES, 3) is None
    other_engine(monkeypatch)
    line = note_engine(tmp_path, RULES, 5)
    assert line is not None
    assert "Another engine goes on after 5: " in line
    assert "unknown now" in line
    assert note_engine(tmp_path, RULES, 6) is None
    assert (tmp_path / "engines.jsonl").read_text().count("\n") == 3


def test_a_folder_that_never_said_who_played(tmp_path: Path) -> None:
    assert note_engine(tmp_path, RULES, 100) is None


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (selfplay, ("--games", "2", "--games", "3")),
        (sample_positions, ("--positions", "10", "--positions", "100000")),
    ],
)
def test_the_commands_say_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: click.Command,
    words: tuple[str, ...],
    is_pure: bool,
) -> None:
    """But only if there is anything left to do."""
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")

    def run(*amount: str) -> str:
        usual = ["--out", str(tmp_path), "--nodes", "20", "--concurrency", "1", "--eval", "material"]
        result = CliRunner().invoke(command, [*usual, *amount])
        assert result.exit_code == 0, result.output
        return result.output

    few, more = words[:2], words[2:]
    assert "Another engine" not in run(*few)
    other_engine(monkeypatch)
    assert "Another engine" not in run(*few)
    assert "Another engine goes on after " in run(*more)
    assert "Another engine" not in run(*more)
