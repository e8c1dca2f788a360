"""scripts/lab train from folders of games and of asked positions to a network."""

import signal
from pathlib import Path
from shutil import copy

import numpy as np
import pytest
from click.testing import CliRunner, Result

from eval.network import Network
from eval.network_file import load_network, save_network
from eval.training import trainer
from eval.training.float_network import FloatNetwork, king_places
from scripts.laboratory.learning.evaluators import GivenEvaluator
from scripts.laboratory.learning.report_network import report_network
from scripts.laboratory.learning.selfplay import Rules, SelfPlayRun
from scripts.laboratory.learning.train import train_command
from scripts.laboratory.long_run import FAILED, INTERRUPTED, RunDisplay, the_only_run
from tests.eval.training.record_files import some_records, write_games

COMPILED = not trainer.__file__.endswith(".py")
GAMES, TAUGHT = (40, 200) if COMPILED else (8, 20)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_games(folder / "first" / "games-00000.games", GAMES, 30)
    (folder / "taught").mkdir()
    (folder / "taught" / "positions-00000.records").write_bytes(some_records(TAUGHT).tobytes())
    return folder


def run(out: Path, *words: str | Path) -> Result:
    words = (*words, "--out", out, "--width", "32", "--epochs", "1", "--held-out", "4", "--threads", "2")
    return CliRunner().invoke(train_command, [str(word) for word in words])


def test_a_network_comes_out(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "first.lolli"
    result = run(out, data / "first", "--taught", data / "taught", "--king-buckets", "2")
    assert result.exit_code == 0, result.output
    weights = load_network(out)
    Network(weights)
    assert (weights.width, weights.king_buckets, weights.scale) == (32, 2, 139)
    about = weights.about
    assert (about["games"], about["taught"], about["seed"], about["share"]) == (["first"], ["taught"], 1, 0.1)
    assert (about["last_share"], about["settings"]["games"]["last_rate"]) == (0.3, 1e-5)
    (stage,) = about["stages"]
    assert len(stage["epochs"]) == about["settings"]["games"]["epochs"] == 1
    assert (stage["data"][0]["games"], stage["data"][0]["seed"]) == (GAMES, "0")
    assert len(stage["data"][0]["digest"]) == 16
    assert "epoch 1/1: training 0." in result.output
    assert "Loss in the validation games" in result.output
    assert f"{out}: {out.stat().st_size} bytes" in result.output
    assert not out.with_name("first.lolli.state").exists()


def test_nothing_is_left_of_what_was_unpacked(data: Path, tmp_path: Path) -> None:
    """And the network that comes out in chunks is another: the order of the positions is."""
    for name, words in (("whole", ()), ("chunks", ("--chunk", "10"))):
        taught = "--taught", data / "taught"
        assert run(tmp_path / name, data / "first", *taught, "--batch", "20", *words).exit_code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"whole", "chunks"}
    assert load_network(tmp_path / "whole").digest() != load_network(tmp_path / "chunks").digest()


def test_where_sampled_positions_are_from(data: Path, tmp_path: Path) -> None:
    """What the journal of `scripts/lab selfplay --positions` says, for a folder and for a file in it."""
    rules = Rules((), GivenEvaluator.read("linear"), nodes=400, seed=7, one_in=20, teacher_nodes=200)
    SelfPlayRun(tmp_path / "taught", rules, 0).close()
    file = Path(copy(data / "taught" / "positions-00000.records", tmp_path / "taught"))
    result = run(tmp_path / "x.lolli", data / "first", "--taught", file, "--taught", file.parent)
    assert result.exit_code == 0, result.output
    (stage,) = load_network(tmp_path / "x.lolli").about["stages"]
    for found in stage["data"][1:]:
        assert (found["seed"], found["nodes"], found["one_in"]) == ("7", "400", "20")
        assert (found["weights"], found["teacher_nodes"]) == (rules.evaluator.digest(), "200")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "nothing to learn from"),
        (["first", "--mean", "first"], "--mean learns nothing"),
        (["first", "--width", "48"], "must be a multiple of 32: 48"),
    ],
)
def test_what_cannot_be_asked_for(data: Path, words: list[str], reason: str) -> None:
    paths = [str(data / word) if word == "first" else word for word in words]
    result = CliRunner().invoke(train_command, [*paths, "--out", "x.lolli"])
    assert result.exit_code == 2
    assert reason in result.output


def test_games_that_cannot_be_learned_from(data: Path, tmp_path: Path) -> None:
    result = run(tmp_path / "x.lolli", data / "taught")
    assert result.exit_code == FAILED
    assert "Cannot go on:" in result.output
    assert "no files that end in .games" in result.output
    broken = tmp_path / "broken.games"
    whole = (data / "first" / "games-00000.games").read_bytes()
    broken.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    result = run(tmp_path / "x.lolli", broken)
    assert result.exit_code == FAILED
    assert "are damaged" in result.output
    assert not (tmp_path / "x.lolli").exists()
    broken.write_bytes(whole)
    result = run(tmp_path / "x.lolli", broken)
    assert result.exit_code == 0, result.output
    assert "are damaged" not in result.output


def test_an_interrupted_training_says_how_to_go_on(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = data / "first", "--batch", "20"
    assert run(tmp_path / "whole", *words).exit_code == 0
    out = tmp_path / "x.lolli"
    with monkeypatch.context() as patch:
        patch.setattr(RunDisplay, "show", lambda *_: signal.raise_signal(signal.SIGTERM))
        result = run(out, *words)
    assert result.exit_code == INTERRUPTED
    assert result.output.endswith(f"Interrupted: the same command goes on from {out}.state\n")
    assert not out.exists()
    result = run(out, *words)
    assert result.exit_code == 0
    assert result.output.startswith(f"Going on from {out}.state\n")
    assert out.read_bytes() == (tmp_path / "whole").read_bytes()


def test_two_trainings_at_once(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "folder" / "x.lolli"
    lock = tmp_path / "folder" / "x.lolli.state.lock"
    with the_only_run(lock):
        result = run(out, data / "first")
    assert result.exit_code == FAILED
    assert result.output == f"Cannot go on: {lock} is in use by another run\n"
    assert not [*out.parent.iterdir()]
    lock.touch()  # as a training that was killed leaves it
    assert run(out, data / "first").exit_code == 0
    assert [*out.parent.iterdir()] == [out]


def test_a_page_about_the_network(data: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "x.lolli", tmp_path / "docs"
    assert run(out, data / "first").exit_code == 0
    words = [str(data / "first"), "--network", str(out), "--out", str(page)]
    assert CliRunner().invoke(report_network, words).output == f"{page / 'report.md'}\n"
    assert (page / "report.md").read_text().startswith("# How the value network learned")


def drawn(folder: Path, seed: int, width: int = 32, buckets: int = 1) -> Path:
    path = folder / f"{seed}-{width}-{buckets}.lolli"
    save_network(path, FloatNetwork.drawn(width, king_places(buckets), seed).for_file(139, {"seed": seed}))
    return path


def words(networks: list[Path], out: Path) -> list[str]:
    return [word for path in networks for word in ("--mean", str(path))] + ["--out", str(out)]


def numbers(path: Path) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    return np.array(load_network(path).numbers, np.float64)


def test_each_weight_is_the_mean(tmp_path: Path) -> None:
    files = [drawn(tmp_path, seed) for seed in (1, 2, 3)]
    out = tmp_path / "mean.lolli"
    result = CliRunner().invoke(train_command, words(files, out))
    assert result.exit_code == 0, result.output
    expected = np.mean([numbers(path) for path in files], axis=0)
    assert np.abs(numbers(out) - expected).max() <= 0.501  # whole numbers
    about = load_network(out).about
    assert about["seed"] == 1
    assert [each["digest"] for each in about["mean_of"]] == [load_network(path).digest() for path in files]
    assert [each["seed"] for each in about["mean_of"]] == [1, 2, 3]


@pytest.mark.parametrize(("width", "buckets"), [(64, 1), (32, 2)])
def test_networks_of_other_shapes_have_no_mean(tmp_path: Path, width: int, buckets: int) -> None:
    files = [drawn(tmp_path, 1), drawn(tmp_path, 2, width, buckets)]
    out = tmp_path / "mean.lolli"
    result = CliRunner().invoke(train_command, words(files, out))
    assert result.exit_code == FAILED
    assert "have no mean" in result.output
    assert not out.exists()
