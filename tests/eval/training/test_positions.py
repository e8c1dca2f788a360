"""Many files in one, and chunks of it; and targets.

Those are made of scores and results, with the slope that fits the ones to the others.
"""

import hashlib
import io
import operator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from eval.training import game_file, positions
from eval.training.game_file import GameFileError
from eval.training.layout import RECORD_WORDS
from eval.training.positions import (
    LEAST_SLOPE,
    MOST_SLOPE,
    NONE_HELD_OUT,
    RECORD,
    Records,
    RecordsError,
    Scratch,
    count,
    expected,
    slope_of,
    targets,
)
from tests.eval.training.record_files import all_records, corpus_of, read_corpus, some_records, write_games


def test_games_of_several_folders(tmp_path: Path) -> None:
    write_games(tmp_path / "first" / "b.games", 4, seed=10)
    write_games(tmp_path / "first" / "a.games", 3, seed=20)
    write_games(tmp_path / "second" / "a.games", 2, seed=30)
    found = read_corpus([tmp_path / "first", tmp_path / "second"])
    first = found.generations[0]
    assert [file.path for file in first.files] == [tmp_path / "first" / f"{name}.games" for name in "ab"]
    assert [file.games for file in first.files] == [3, 4]
    assert [block.generation for block in found.blocks] == [0, 0, 1]
    alone = read_corpus([tmp_path / "second" / "a.games"])
    assert np.array_equal(all_records(alone), found.examples(found.blocks[2:], 0, 0).records)
    about = first.about()
    assert (about["files"], about["games"], about["seed"], about["nodes"]) == (2, 7, "10, 20", "1")
    assert about["positions"] == found.size - alone.size
    assert first.files[0].digest == hashlib.sha256((tmp_path / "first/a.games").read_bytes()).hexdigest()


def test_whole_games_are_held_out(tmp_path: Path) -> None:
    """And neither learned nor validated if they are not of games: those may be of the very same ones."""
    write_games(tmp_path / "games" / "a.games", 12, 30)
    every = all_records(read_corpus([tmp_path / "games"]))
    found = read_corpus([tmp_path / "games"], held_out=5)
    apart = every["game"] % 5 == 4
    assert np.array_equal(found.generations[0].held_out, every[apart])
    assert np.array_equal(found.examples(found.blocks, 0, 0).records, every[~apart])
    assert found.generations[0].slope == slope_of(count(every))
    (tmp_path / "x.records").write_bytes(every.tobytes())
    asked = read_corpus([tmp_path], positions.SUFFIX, held_out=5)
    assert np.array_equal(all_records(asked), every[~apart])


def test_of_many_games_held_out_only_some_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed, name in enumerate("abc"):
        write_games(tmp_path / name / "a.games", 16, 30, seed=100 * seed)
    folders = [tmp_path / name for name in "abc"]
    whole = read_corpus(folders, held_out=2)
    most = sum(len(each.held_out) for each in whole.generations) // 2
    monkeypatch.setattr(positions, "_MOST_HELD_OUT", most)
    found = read_corpus(folders, held_out=2)
    chosen = [{*each.held_out["game"].tolist()} for each in found.generations]
    assert chosen[0] == chosen[1] == chosen[2] < {1, 3, 5, 7, 9, 11, 13, 15}
    assert 0 < sum(len(each.held_out) for each in found.generations) <= most
    for each, before in zip(found.generations, whole.generations, strict=True):
        expected = before.held_out[np.isin(before.held_out["game"], [*chosen[0]])]
        assert np.array_equal(each.held_out, expected)
    assert found.size == whole.size


@pytest.mark.parametrize("count", [1, 2, 5])
def test_chunks_are_all_blocks_once_in_an_order_drawn_at_random(count: int) -> None:
    found = some_records(100)
    corpus = corpus_of(found, NONE_HELD_OUT, 10)
    chunks = [corpus.chunks(count, [seed]) for seed in (1, 1, 2)]
    assert chunks[0] == chunks[1]
    assert (chunks[0] == chunks[2]) == (count == 1)
    for each in chunks:
        assert [len(chunk) for chunk in each] == [10 // count] * count
        assert sorted(block for chunk in each for block in chunk) == corpus.blocks
        examples = [corpus.examples(chunk, 0.3, 0.9) for chunk in each]
        games = [game for example in examples for game in example.records["game"].tolist()]
        assert sorted(games) == [*range(100)]
        made = np.concatenate([example.targets for example in examples])
        assert np.array_equal(made, targets(found, 0.005, 0.3, 0.9)[games])


def test_files_that_have_grown(tmp_path: Path) -> None:
    """They count as far as they did, and new files do not."""
    path = write_games(tmp_path / "run" / "a.games", 3)
    before = read_corpus([tmp_path / "run"])
    with path.open("ab") as file:
        file.write(path.read_bytes()[-200:])
    write_games(tmp_path / "run" / "b.games", 3)
    again = read_corpus([tmp_path / "run"], before=before)
    assert np.array_equal(all_records(before), all_records(again))
    assert before.generations == again.generations
    path.write_bytes(path.read_bytes()[:-201])
    with pytest.raises(RecordsError, match="has become shorter"):
        read_corpus([tmp_path / "run"], before=before)


def test_files_that_are_not_what_they_were(tmp_path: Path) -> None:
    """Two folders of one name are different."""
    folders = [tmp_path / "here" / "run", tmp_path / "there" / "run"]
    paths = [write_games(folder / "a.games", 3, seed=seed) for seed, folder in enumerate(folders)]
    before = read_corpus(folders)
    assert np.array_equal(all_records(read_corpus(folders, before=before)), all_records(before))
    content = paths[1].read_bytes()
    paths[1].write_bytes(paths[0].read_bytes())
    with pytest.raises(RecordsError, match=r"there/run/a\.games: has changed"):
        read_corpus(folders, before=before)
    paths[1].unlink()
    with pytest.raises(RecordsError, match=r"there/run/a\.games: is gone"):
        read_corpus(folders, before=before)
    paths[1].write_bytes(content)
    with pytest.raises(RecordsError, match=r"there/run/a\.games: is gone"):
        read_corpus(folders[:1], before=before)
    assert read_corpus(folders, before=before).generations == before.generations


def test_asked_positions(tmp_path: Path) -> None:
    found = some_records(20)
    (tmp_path / "x.records").write_bytes(found.tobytes() + b"1234567")
    loaded = read_corpus([tmp_path], positions.SUFFIX)
    assert np.array_equal(all_records(loaded), found)
    assert loaded.generations[0].about()["games"] == 0
    found["result"][7] = 3
    (tmp_path / "y.records").write_bytes(found.tobytes())
    with pytest.raises(RecordsError, match=r"y.records: record 7 is not of a position"):
        read_corpus([tmp_path], positions.SUFFIX)


def test_how_positions_were_made(tmp_path: Path) -> None:
    """A folder's description counts for its files; files of games have their own."""
    (tmp_path / "x.records").write_bytes(some_records(20).tobytes())
    write_games(tmp_path / "a.games", 3, seed=10)
    described = {"seed": 2, "nodes": 500, "weights": "ab", "one_in": 20, "teacher_nodes": 200, "openings": []}
    folders = [(tmp_path, game_file.SUFFIX), (tmp_path, positions.SUFFIX)]
    found = positions.load(
        folders, 1, NONE_HELD_OUT, Scratch(io.BytesIO()), descriptions={tmp_path: described}
    )
    games, asked = (each.about() for each in found.generations)
    assert games["seed"] == "10"
    assert "one_in" not in games
    expected = {"seed": "2", "nodes": "500", "weights": "ab", "one_in": "20", "teacher_nodes": "200"}
    assert {key: asked[key] for key in expected} == expected
    assert "openings" not in asked


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match=r"no files that end in \.games"):
        read_corpus([tmp_path])
    with pytest.raises(FileNotFoundError):
        read_corpus([tmp_path / "none.games"])
    (tmp_path / "a.games").write_bytes(b"something else")
    with pytest.raises(GameFileError, match="not a file of games"):
        read_corpus([tmp_path])


def test_words_are_the_same_memory() -> None:
    found = some_records(3)
    words = positions.words(found)
    assert words[4] == found["occupied"][1]
    words[7] = 0x0000_0005_07_02_FFFF
    assert found[1].tolist()[2:] == (-1, 2, 7, 5)
    assert RECORD.itemsize == 32 == 8 * RECORD_WORDS
    assert positions.men(found).tolist() == [int(each).bit_count() for each in found["occupied"].tolist()]


def scored(scores: list[int], results: list[int]) -> Records:
    found = np.zeros(len(scores), RECORD)
    found["score"], found["result"] = scores, results
    return found


def drawn(slope: float, number: int) -> Records:
    chance = np.random.default_rng(1)
    scores = chance.integers(-800, 800, number)
    results = 2 * (chance.random(number) < expit(slope * scores))
    return scored(scores.tolist(), results.tolist())


@pytest.mark.parametrize("slope", [0.002, 0.007, 0.02])
def test_the_slope_is_found(slope: float) -> None:
    assert slope_of(count(drawn(slope, 100_000))) == pytest.approx(slope, rel=0.03)


def test_slopes_have_bounds() -> None:
    assert slope_of(count(scored([100] * 50, [2] * 50))) == pytest.approx(MOST_SLOPE)
    assert slope_of(count(scored([100, -100], [0, 2]))) == pytest.approx(LEAST_SLOPE)


def test_targets() -> None:
    found = scored([0, 100, 100, -1499, 20], [1, 0, 2, 0, 1])
    made = targets(found, 0.007, 0.25)
    points = 0.75 * expit(0.007 * found["score"].astype(float)) + 0.25 * found["result"] / 2
    assert made.dtype == np.float32
    assert made == pytest.approx(points, abs=1e-6)
    assert targets(found, 0.007, 0) == pytest.approx(expected(0.007, found["score"].astype(float)), abs=1e-6)


@given(data=st.data(), foresight=st.floats(0.05, 0.98))
def test_foresight_is_a_weighted_mean_of_the_later_scores(data: st.DataObject, foresight: float) -> None:
    """By the sum that defines it, for games with gaps; each side sees the points that the other has not."""
    games = data.draw(
        st.lists(st.lists(st.integers(0, 254), min_size=1, max_size=8, unique=True), max_size=4)
    )
    rows = [(game, ply) for game, plies in enumerate(games) for ply in sorted(plies)]
    scores = data.draw(st.lists(st.integers(-1499, 1499), min_size=len(rows), max_size=len(rows)))
    found = scored(scores, [1] * len(rows))
    for row, (game, ply) in enumerate(rows):
        found[row]["game"], found[row]["ply"] = game, ply
    made = targets(found, 0.007, 0.0, foresight).tolist()
    for row, (game, ply) in enumerate(rows):
        later = [other for other in range(row, len(rows)) if rows[other][0] == game]
        reached = [foresight ** (rows[other][1] - ply) for other in later]
        weights = [mine - following for mine, following in zip(reached, [*reached[1:], 0.0], strict=True)]
        points = [abs((rows[other][1] - ply) % 2 - float(expit(0.007 * scores[other]))) for other in later]
        assert made[row] == pytest.approx(sum(map(operator.mul, weights, points)), abs=1e-5)


def test_plies_that_records_cannot_tell_apart_stand_alone() -> None:
    found = scored([100, 200, 300], [1, 1, 1])
    found["ply"] = [254, 255, 255]
    assert targets(found, 0.007, 0.0, 0.9).tolist() == targets(found, 0.007, 0.0).tolist()
