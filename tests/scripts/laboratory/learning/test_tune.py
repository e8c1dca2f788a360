"""scripts/lab tune from folders of games to weights and a report, and to a model of the outcome."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from engine.board.fen import START_FEN, parse_fen
from engine.board.notation import parse_move
from eval import weight_file
from eval.network_file import NetworkWeights, load_network, save_network
from eval.outcome import OutcomeModel
from eval.training import game_file, tuner
from eval.training.game_file import GAMES, pack_block, pack_game, pack_position
from eval.weight_file import load, save
from scripts.laboratory.learning.evaluators import GivenEvaluator
from scripts.laboratory.learning.tune import tune
from tests.eval.some_networks import random_network
from tests.eval.some_weights import random_weights
from tests.eval.training.record_files import write_games

START = pack_position(parse_fen(START_FEN))
MODEL = OutcomeModel((200.0, 0.0, 0.0, 0.0), (80.0, 0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games") / "first"
    write_games(folder / "games-00000.games", 10, 20)
    (folder / "selfplay.jsonl").write_text('{"nodes":4321}\n{"block":0}\n')
    return folder


def run(out: Path, *words: str | Path) -> Result:
    return invoke("--concurrency", "1", *words, "--out", out / "linear.json")


def test_weights_come_out_the_same_each_time(games: Path, tmp_path: Path) -> None:
    """With any number of processes."""
    for name, processes in (("again", "2"), (".", "1")):
        words = ("--epochs", "3", "--held-out", "0.3", "--mix", "0.75", "--concurrency", processes)
        result = run(tmp_path / name, games, *words)
        assert result.exit_code == 0, result.output
        tuner.kept_path(games / "games-00000.games").unlink()
    assert (tmp_path / "again" / "linear.json").read_bytes() == (tmp_path / "linear.json").read_bytes()
    about = weight_file.load(tmp_path / "linear.json").about
    assert about["data"] == [
        {"name": "first", "games": 10, "positions": about["data"][0]["positions"], "played": {"nodes": 4321}}
    ]
    assert sum(about["positions"].values()) == about["data"][0]["positions"] > 40
    assert (about["start"], about["settings"]["mix"]) == ("material", 0.75)
    assert about["loss"]["learned"]["validation"] <= about["loss"]["material"]["validation"] + 1e-4
    assert "epoch   0/3" in result.output
    assert f"scripts/lab tune {games} --outcomes {tmp_path / 'linear.json'}" in result.output.replace(
        "\n", ""
    )


def test_learning_goes_on_from_other_weights(games: Path, tmp_path: Path) -> None:
    before = replace(random_weights(outcome=MODEL), about={"made": "2001-02-03"})
    weight_file.save(tmp_path / "before.json", before)
    result = run(tmp_path, games, "--epochs", "1", "--start", tmp_path / "before.json")
    assert result.exit_code == 0, result.output
    weights = weight_file.load(tmp_path / "linear.json")
    assert weights.outcome == MODEL
    assert weights.about["start"] == "before.json of 2001-02-03"
    assert list(weights.about["loss"]) == ["material", "before.json of 2001-02-03", "learned"]


def test_too_few_games_are_refused(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    write_games(tmp_path / "one" / "a.games", 1)
    for name, reason in (("none", "no games"), ("one", "too few games")):
        result = run(tmp_path, tmp_path / name)
        assert result.exit_code == 2
        assert reason in result.output
    assert not (tmp_path / "linear.json").exists()


# Win probabilities


def games_by(weights: str | None, folder: Path, description: dict[str, Any] | None = None) -> Path:
    games = []
    position, moves = parse_fen(START_FEN), []
    for name in 5 * ["g1f3", "g8f6", "f3g1", "f6g8"]:
        moves.append(parse_move(position, name))
        position.advance(moves[-1])
    for number in range(90):
        result = number % 3 - 1
        scores = np.array([(1 - 2 * (ply % 2)) * (300 * result + number) for ply in range(20)], "<i2")
        games.append(pack_game(number, result, 0, START, np.array(moves, "<u2").tobytes(), scores.tobytes()))
    data = GAMES.pack_header(description or {"weights": weights}) + pack_block(games)
    folder.mkdir()
    (folder / f"games{game_file.SUFFIX}").write_bytes(data)
    return folder


def invoke(*words: object) -> Result:
    return CliRunner().invoke(tune, [*map(str, words)])


@pytest.fixture
def network(tmp_path: Path) -> tuple[Path, NetworkWeights]:
    path, weights = tmp_path / "network.lolli", random_network(outcome=None)
    save_network(path, weights)
    return path, weights


def test_only_the_model_of_a_network_changes(network: tuple[Path, NetworkWeights], tmp_path: Path) -> None:
    path, before = network
    folder = games_by(before.digest(), tmp_path / "games")
    done = invoke(folder, "--outcomes", path)
    assert done.exit_code == 0, done.output
    assert " positions, loss " in done.output
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
    before = load(path)
    assert invoke(games_by(digest, tmp_path / "own"), "--outcomes", path).exit_code == 0
    after = load(path)
    assert (after.middle, after.endgame) == (before.middle, before.endgame)
    assert after.outcome != before.outcome
    done = invoke(games_by(None, tmp_path / "others"), "--outcomes", path)
    assert done.exit_code == 2
    assert "other weights" in done.output


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


def test_what_cannot_be_fitted(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    rubbish = tmp_path / "rubbish.json"
    rubbish.write_text("rubbish")
    unknown = games_by(None, tmp_path / "unknown", {"commit": "x"})
    for words, reason in (
        ((unknown, "--outcomes", tmp_path / "new.json"), "does not say whose weights played"),
        ((tmp_path / "empty", "--outcomes", tmp_path / "new.json"), "no files that end in .games"),
        ((games_by(None, tmp_path / "games"), "--outcomes", rubbish), "rubbish.json: is not"),
    ):
        done = invoke(*words)
        assert done.exit_code == 2
        assert reason in done.output
    assert not (tmp_path / "new.json").exists()
    assert rubbish.read_text() == "rubbish"
