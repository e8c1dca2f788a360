"""The mean of networks, by the command."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from eval.learning.float_network import FloatNetwork, king_places
from eval.network_file import load_network, save_network
from scripts.laboratory.learning.train import train_command
from scripts.laboratory.long_run import FAILED


def drawn(folder: Path, seed: int, width: int = 32, buckets: int = 1) -> Path:
    """The file of a network with random weights."""
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


def test_the_mean_of_one_plays_as_it_does(tmp_path: Path) -> None:
    out = tmp_path / "mean.lolli"
    only = drawn(tmp_path, 1, width=64, buckets=2)
    assert CliRunner().invoke(train_command, words([only], out)).exit_code == 0
    assert load_network(out).digest() == load_network(only).digest()


@pytest.mark.parametrize(("width", "buckets"), [(64, 1), (32, 2)])
def test_networks_of_other_shapes_have_no_mean(tmp_path: Path, width: int, buckets: int) -> None:
    files = [drawn(tmp_path, 1), drawn(tmp_path, 2, width, buckets)]
    out = tmp_path / "mean.lolli"
    result = CliRunner().invoke(train_command, words(files, out))
    assert result.exit_code == FAILED
    assert "have no mean" in result.output
    assert not out.exists()
