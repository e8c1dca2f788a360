"""scripts/lab tune --outcomes: from files of samples to the model in a file of weights."""

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from engine.board.fen import START_FEN, parse_fen
from engine.board.notation import parse_move
from eval.network_file import NetworkWeights, load_network, save_network
from eval.outcome import OutcomeModel
from eval.training import game_file
from eval.training.game_file import OLD_GAMES, pack_game, pack_position
from eval.training.samples import SAMPLE, SUFFIX, pack
from eval.weight_file import load, load_outcome, save
from scripts.laboratory.learning.evaluators import GivenEvaluator
from scripts.laboratory.learning.tune import tune
from tests.eval.some_networks import random_network
from tests.eval.some_weights import random_weights
from tests.pure import ROOT

START = pack_position(parse_fen(START_FEN))
MODEL = OutcomeModel((200.0, 0.0, 0.0, 0.0), (90.0, 0.0, 0.0, 0.0))


def fit_outcomes(*words: object) -> subprocess.CompletedProcess[str]:
    """Run to the end."""
    command = [str(ROOT / "scripts" / "lab"), "tune", *map(str, words)]
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
    done = fit_outcomes(folder, "--outcomes", path)
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
    assert fit_outcomes(folder, "--outcomes", path).returncode == 0
    assert load_outcome(path).even(78) == pytest.approx(200, rel=0.05)


def test_what_cannot_be_fitted(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "material.json"
    (tmp_path / "empty").mkdir()
    rubbish = tmp_path / "rubbish.json"
    rubbish.write_text("rubbish")
    for words, reason in (
        ((tmp_path / "empty", "--outcomes", path), "no positions"),
        ((tmp_path / "missing", "--outcomes", path), "missing"),
        ((folder, "--outcomes", rubbish), "rubbish.json: is not"),
    ):
        done = fit_outcomes(*words)
        assert done.returncode == 2
        assert reason in done.stderr
        assert "Traceback" not in done.stderr
    assert not path.exists()
    assert rubbish.read_text() == "rubbish"


# Games, which say whose weights have played them


def games_by(weights: str | None, folder: Path, description: dict[str, Any] | None = None) -> Path:
    """A file of short games whose scores tell their results."""
    data = OLD_GAMES.pack_header(description or {"weights": weights})
    position, moves = parse_fen(START_FEN), []
    for name in 5 * ["g1f3", "g8f6", "f3g1", "f6g8"]:
        moves.append(parse_move(position, name))
        position.advance(moves[-1])
    for number in range(90):
        result = number % 3 - 1
        scores = np.array([(1 - 2 * (ply % 2)) * (300 * result + number) for ply in range(20)], "<i2")
        data += pack_game(number, result, 0, START, np.array(moves, "<u2").tobytes(), scores.tobytes())
    folder.mkdir()
    (folder / f"games{game_file.SUFFIX}").write_bytes(data)
    return folder


def invoke(*words: object) -> Result:
    return CliRunner().invoke(tune, [*map(str, words)])


@pytest.fixture
def network(tmp_path: Path) -> tuple[Path, NetworkWeights]:
    """One without a model of the outcome."""
    path, weights = tmp_path / "network.lolli", random_network(outcome=None)
    save_network(path, weights)
    return path, weights


def test_only_the_model_of_a_network_changes(network: tuple[Path, NetworkWeights], tmp_path: Path) -> None:
    path, before = network
    folder = games_by(before.digest(), tmp_path / "games")
    done = invoke(folder, "--outcomes", path)
    assert done.exit_code == 0, done.output
    after = load_network(path)
    assert after.outcome is not None
    assert after.outcome.win(300, 78) > 0.8
    assert after.outcome.win(-300, 78) < 0.2
    assert after.about["outcome"]["data"] == [folder.name]
    assert replace(after, outcome=None, about=before.about) == before
    assert after.digest() == before.digest()
    assert invoke(folder, "--outcomes", path).exit_code == 0  # as often as one likes


def test_games_by_linear(tmp_path: Path) -> None:
    path = tmp_path / "linear.json"
    save(path, random_weights())
    digest = GivenEvaluator.read("linear", str(path)).digest()
    assert invoke(games_by(digest, tmp_path / "own"), "--outcomes", path).exit_code == 0
    done = invoke(games_by(None, tmp_path / "others"), "--outcomes", path)
    assert done.exit_code == 2
    assert "other weights" in done.output


def test_games_that_do_not_say_whose_they_are(tmp_path: Path) -> None:
    folder, path = tmp_path / "games", tmp_path / "material.json"
    games_by(None, folder, {"commit": "x"})
    done = invoke(folder, "--outcomes", path)
    assert done.exit_code == 2
    assert "does not say whose weights played" in done.output


@pytest.mark.parametrize("player", ["0123456789abcdef", None])
def test_games_of_others_are_refused(
    player: str | None, network: tuple[Path, NetworkWeights], tmp_path: Path
) -> None:
    path, before = network
    folder = games_by(player, tmp_path / "games")
    done = invoke(folder, "--outcomes", path)
    assert done.exit_code == 2
    assert f"other weights than {path} played; --other-weights takes it" in done.output
    assert load_network(path) == before
    assert invoke(folder, "--outcomes", path, "--other-weights").exit_code == 0
    assert load_network(path).outcome is not None


def test_a_file_without_weights_is_for_games_without_them(tmp_path: Path) -> None:
    path = tmp_path / "material.json"
    assert invoke(games_by(None, tmp_path / "material"), "--outcomes", path).exit_code == 0
    done = invoke(games_by("0123456789abcdef", tmp_path / "others"), "--outcomes", path)
    assert done.exit_code == 2
    assert "other weights" in done.output
