"""What is taken from samples, against the evaluator that the counts come from."""

from functools import cache
from itertools import islice
from pathlib import Path

import chess
import numpy as np
import pytest

from engine.board.fen import parse_fen
from eval.features import WEIGHTS
from eval.linear import Linear
from eval.training import dataset
from eval.training.samples import SAMPLE, read
from eval.training.start import hand_set
from eval.training.tuner import table_of
from tests.engine.search.searching import sized
from tests.eval.training.positions import POSITIONS_A_GAME, plain_board, write_samples

KNOWN = "8/8/8/4k3/8/8/8/1Q2K3 w - - 0 1"


@cache
def summed_board(seed: int) -> chess.Board | None:
    """A random position, or None where its value is not the sum of its features."""
    board = plain_board(seed)
    return None if Linear(hand_set()).trace(parse_fen(board.fen())).known else board


def boards(count: int, first: int = 0) -> list[chess.Board]:
    """Random positions whose value is the sum of their features."""
    found = (summed_board(seed) for seed in range(first, first + 10 * count))
    return list(islice((board for board in found if board is not None), count))


def loaded(*paths: Path) -> dataset.Dataset:
    """The positions of files, each as if in a folder of its own."""
    assert set(dataset.prepare(paths, workers=1)) == set(paths)
    return dataset.load([[path] for path in paths])


def test_values_are_those_of_the_evaluator(tmp_path: Path) -> None:
    """The sum of counts times weights is what the compiled evaluation gives, rounding apart."""
    positions = boards(sized(60, 20))
    data = loaded(write_samples(tmp_path / "a.samples", positions))
    values = data.values(table_of(hand_set()))
    evaluator = Linear(hand_set())
    for board, value in zip(positions, values, strict=True):
        assert evaluator.trace(parse_fen(board.fen())).value == pytest.approx(value, abs=1.01)


def test_score_result_and_game_are_those_of_the_samples(tmp_path: Path) -> None:
    path = write_samples(tmp_path / "a.samples", boards(20))
    data, records = loaded(path), read([path])
    assert data.score.tolist() == records["score"].tolist()
    assert data.result.tolist() == [(result + 1) / 2 for result in records["result"].tolist()]
    assert data.game.tolist() == records["game"].tolist()
    assert len(np.unique(data.game)) == 20 / POSITIONS_A_GAME


def test_known_endings_are_left_out(tmp_path: Path) -> None:
    positions = boards(8)
    mixed = [*positions[:3], chess.Board(KNOWN), *positions[3:]]
    data = loaded(write_samples(tmp_path / "a.samples", mixed))
    records = read([tmp_path / "a.samples"])
    assert data.score.tolist() == np.delete(records["score"], 3).tolist()


def test_gradients_are_the_change_of_the_values(tmp_path: Path) -> None:
    """What a little more of one weight does, seen by trying it."""
    data = loaded(write_samples(tmp_path / "a.samples", boards(20)))
    chance = np.random.default_rng(1)
    by_value = chance.normal(size=len(data)).astype(np.float32)
    gradients, before = data.gradients(by_value), data.values(np.zeros((2, WEIGHTS)))
    for index in chance.choice(np.flatnonzero(data.uses()), 40, replace=False):
        for stage in range(2):
            weights = np.zeros((2, WEIGHTS))
            weights[stage, index] = 1.0
            change = np.dot(by_value, data.values(weights) - before)
            assert gradients[stage, index] == pytest.approx(change, abs=0.01)


def test_uses_count_positions(tmp_path: Path) -> None:
    positions = boards(20)
    data = loaded(write_samples(tmp_path / "a.samples", positions))
    evaluator = Linear(hand_set())
    expected = [0] * WEIGHTS
    for board in positions:
        for index, (white, black) in evaluator.trace(parse_fen(board.fen())).counts.items():
            expected[index] += white != black
    assert data.uses().tolist() == expected


def test_rows_can_be_taken_in_any_order(tmp_path: Path) -> None:
    data = loaded(write_samples(tmp_path / "a.samples", boards(12)))
    rows = np.array([7, 2, 2, 11])
    part, weights = data.take(rows), table_of(hand_set())
    assert len(part) == 4
    assert part.values(weights).tolist() == data.values(weights)[rows].tolist()
    assert part.score.tolist() == data.score[rows].tolist()


def test_games_of_different_folders_are_different(tmp_path: Path) -> None:
    first = write_samples(tmp_path / "a" / "a.samples", boards(8))
    second = write_samples(tmp_path / "b" / "a.samples", boards(8))
    data = loaded(first, second)
    assert len(np.unique(data.game)) == 2 * 8 / POSITIONS_A_GAME
    assert data.source.tolist() == [0] * 8 + [1] * 8


def test_no_game_is_on_both_sides_of_the_split(tmp_path: Path) -> None:
    data = loaded(write_samples(tmp_path / "a.samples", boards(10) * 12))
    training, validation = dataset.split(data, 0.2, seed=3)
    assert sorted([*training, *validation]) == list(range(len(data)))
    assert not set(data.game[training]) & set(data.game[validation])
    assert len(set(data.game[validation])) == round(0.2 * len(np.unique(data.game)))
    again, _ = dataset.split(data, 0.2, seed=3)
    other, _ = dataset.split(data, 0.2, seed=4)
    assert again.tolist() == training.tolist() != other.tolist()
    assert training.tolist() != sorted(training.tolist())


def test_counts_are_taken_once(tmp_path: Path) -> None:
    path = write_samples(tmp_path / "a.samples", boards(4))
    loaded(path)
    kept = dataset.kept_path(path)
    before = kept.stat()
    loaded(path)
    assert kept.stat().st_mtime_ns == before.st_mtime_ns
    assert {file.name for file in tmp_path.iterdir()} == {"a.samples", "a.counts.npz"}


def test_counts_of_other_samples_are_not_believed(tmp_path: Path) -> None:
    path = write_samples(tmp_path / "a.samples", boards(4))
    loaded(path)
    write_samples(path, boards(8))
    assert len(loaded(path)) == 8


@pytest.mark.parametrize("size", [0, 10, 500])
def test_counts_cut_short_are_taken_anew(tmp_path: Path, size: int) -> None:
    path = write_samples(tmp_path / "a.samples", boards(4))
    loaded(path)
    kept = dataset.kept_path(path)
    kept.write_bytes(kept.read_bytes()[:size])
    assert len(loaded(path)) == 4


def test_a_file_cut_short_loses_one_sample(tmp_path: Path) -> None:
    path = write_samples(tmp_path / "a.samples", boards(4))
    path.write_bytes(path.read_bytes()[:-5])
    assert len(loaded(path)) == 3


def test_what_is_no_position_is_named(tmp_path: Path) -> None:
    path = write_samples(tmp_path / "a.samples", boards(4))
    path.write_bytes(path.read_bytes() + bytes(SAMPLE.itemsize))
    with pytest.raises(dataset.ExtractionError, match=r"a\.samples: sample 4 "):
        list(dataset.prepare([path], workers=1))
    assert not dataset.kept_path(path).exists()


def test_several_processes_count_the_same(tmp_path: Path) -> None:
    paths = [
        write_samples(tmp_path / f"{name}.samples", boards(8, first))
        for name, first in zip("abc", (0, 5, 10), strict=True)
    ]
    alone = loaded(*paths)
    for path in paths:
        dataset.kept_path(path).unlink()
    assert set(dataset.prepare(paths, workers=2)) == set(paths)
    together = dataset.load([[path] for path in paths])
    assert (together.counts != alone.counts).nnz == 0
    assert together.score.tolist() == alone.score.tolist()
