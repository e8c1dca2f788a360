"""scripts/lab tune from folders of samples to weights and a report."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from eval import weight_file
from eval.outcome import OutcomeModel
from eval.training import tuning_report
from eval.training.start import hand_set
from scripts.laboratory.learning.tune import tune
from tests.eval.training.positions import plain_board, write_samples

MODEL = OutcomeModel((200.0, 0.0, 0.0, 0.0), (80.0, 0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as self-play leaves it, with ten games."""
    folder = tmp_path_factory.mktemp("games") / "first"
    write_samples(folder / "block-00000.samples", [plain_board(seed) for seed in range(40)])
    (folder / "selfplay.jsonl").write_text('{"nodes":4321}\n{"block":0}\n')
    return folder


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the report out, which takes longest."""
    monkeypatch.setattr(tuning_report, "write", lambda *_: None)


def run(out: Path, *words: str | Path) -> Result:
    """Run the command, all that it writes going to a folder."""
    words = (*words, "--out", out / "linear.json", "--report", out / "docs", "--concurrency", "1")
    return CliRunner().invoke(tune, [str(word) for word in words])


def test_weights_and_a_report_come_out(games: Path, tmp_path: Path) -> None:
    result = run(tmp_path, games, "--epochs", "3", "--held-out", "0.3", "--mix", "0.75")
    assert result.exit_code == 0, result.output
    weights = weight_file.load(tmp_path / "linear.json")
    about = weights.about
    assert about["start"] == "set by hand"
    assert about["data"] == [
        {"name": "first", "games": 10, "positions": about["data"][0]["positions"], "played": {"nodes": 4321}}
    ]
    assert sum(about["positions"].values()) == about["data"][0]["positions"] <= 40
    assert about["settings"]["mix"] == 0.75
    assert list(about["loss"]) == ["material", "set by hand", "learned"]
    assert about["loss"]["learned"]["validation"] <= about["loss"]["set by hand"]["validation"] + 1e-4
    assert (tmp_path / "docs" / "report.md").exists()
    assert "epoch   0/3" in result.output
    assert str(tmp_path / "linear.json") in result.output


@pytest.mark.usefixtures("undrawn")
def test_the_same_words_give_the_same_weights(games: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert run(tmp_path / name, games, "--epochs", "2").exit_code == 0
    assert (tmp_path / "one" / "linear.json").read_bytes() == (tmp_path / "two" / "linear.json").read_bytes()


@pytest.mark.usefixtures("undrawn")
def test_learning_goes_on_from_other_weights(games: Path, tmp_path: Path) -> None:
    middle = tuple(weight + 1 for weight in hand_set().middle)
    before = weight_file.Weights(middle, hand_set().endgame, MODEL, {"made": "2001-02-03"})
    weight_file.save(tmp_path / "before.json", before)
    result = run(tmp_path, games, "--epochs", "1", "--start", tmp_path / "before.json")
    assert result.exit_code == 0, result.output
    weights = weight_file.load(tmp_path / "linear.json")
    assert weights.outcome == MODEL
    assert weights.about["start"] == "before.json of 2001-02-03"
    assert list(weights.about["loss"]) == [
        "material",
        "set by hand",
        "before: before.json of 2001-02-03",
        "learned",
    ]


def test_a_folder_without_samples_is_refused(tmp_path: Path) -> None:
    result = run(tmp_path, tmp_path)
    assert result.exit_code == 2
    assert "no games or samples" in result.output


def test_weights_that_cannot_be_read_are_refused(games: Path, tmp_path: Path) -> None:
    result = run(tmp_path, games, "--start", tmp_path / "none.json")
    assert result.exit_code == 2
    assert "none.json: there is no such file" in result.output


def test_a_single_game_is_too_few(tmp_path: Path) -> None:
    write_samples(tmp_path / "games" / "a.samples", [plain_board(1)])
    result = run(tmp_path, tmp_path / "games")
    assert result.exit_code == 2
    assert "too few games" in result.output
    assert not (tmp_path / "linear.json").exists()


def test_samples_that_are_none_are_named(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "a.samples").write_bytes(bytes(68))
    result = run(tmp_path, tmp_path / "games")
    assert result.exit_code == 2
    assert "a.samples: sample 0 is not a position" in result.output
