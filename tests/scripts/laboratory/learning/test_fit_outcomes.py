"""scripts/lab fit-outcomes: from files of samples to the model in a file of weights."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from engine.board.fen import START_FEN, parse_fen
from eval.learning.samples import SAMPLE, SUFFIX, pack
from eval.outcome import OutcomeModel
from eval.weight_file import load, load_outcome, save
from tests.eval.some_weights import random_weights
from tests.pure import ROOT

MODEL = OutcomeModel((200.0, 0.0, 0.0, 0.0), (90.0, 0.0, 0.0, 0.0))


def fit_outcomes(*words: object) -> subprocess.CompletedProcess[str]:
    """Run to the end."""
    command = [str(ROOT / "scripts" / "lab"), "fit-outcomes", *map(str, words)]
    return subprocess.run(command, capture_output=True, check=False, text=True, timeout=300)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Results as the model has them, at the material of the start position."""
    rng = np.random.default_rng(3)
    records = np.repeat(np.array([pack(parse_fen(START_FEN), 0, 0, 10, 0)], SAMPLE), 20_000)
    records["score"] = rng.integers(-500, 500, len(records))
    win, lost = ([MODEL.win(sign * float(score), 78) for score in records["score"]] for sign in (1, -1))
    lot = rng.random(len(records))
    records["result"] = np.where(lot < win, 1, np.where(lot > 1 - np.array(lost), -1, 0))
    folder = tmp_path / "games"
    folder.mkdir()
    for number, part in enumerate(np.array_split(records, 3)):
        part.tofile(folder / f"block-{number}{SUFFIX}")
    return folder


def test_the_model_goes_into_the_file_and_nothing_else_changes(folder: Path, tmp_path: Path) -> None:
    path, before = tmp_path / "linear.json", random_weights()
    save(path, before)
    done = fit_outcomes(folder, "--weights", path)
    assert done.returncode == 0, done.stderr
    assert "20000 positions, loss " in done.stdout
    after = load(path)
    assert (after.middle, after.endgame) == (before.middle, before.endgame)
    made = after.about.pop("outcome")
    assert after.about == before.about
    assert (made["data"], made["positions"]) == ([folder.name], 20000)
    assert after.outcome is not None
    assert after.outcome != before.outcome
    assert after.outcome.even(78) == pytest.approx(200, rel=0.05)
    assert after.outcome.chances(300, 78) == pytest.approx(MODEL.chances(300, 78), abs=20)


def test_a_file_for_the_model_alone(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "material.json"
    assert fit_outcomes(folder, "--weights", path).returncode == 0
    assert load_outcome(path).even(78) == pytest.approx(200, rel=0.05)


def test_what_cannot_be_fitted(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "material.json"
    (tmp_path / "empty").mkdir()
    rubbish = tmp_path / "rubbish.json"
    rubbish.write_text("rubbish")
    for words, reason in (
        ((tmp_path / "empty", "--weights", path), "no positions"),
        ((tmp_path / "missing", "--weights", path), "missing"),
        ((folder, "--weights", rubbish), "rubbish.json: is not"),
    ):
        done = fit_outcomes(*words)
        assert done.returncode == 2
        assert reason in done.stderr
        assert "Traceback" not in done.stderr
    assert not path.exists()
    assert rubbish.read_text() == "rubbish"
