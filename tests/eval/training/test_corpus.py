"""Many files in one array."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from eval.training import corpus, game_file, records
from eval.training.corpus import Corpus
from eval.training.game_file import GameFileError
from eval.training.layout import RECORD_WORDS
from eval.training.records import RECORD, RecordsError
from tests.eval.training.record_files import some_records, write_games


def load(folders: list[Path], suffix: str = game_file.SUFFIX, before: Corpus | None = None) -> Corpus:
    contents = None if before is None else before.contents()
    return corpus.load([(folder, suffix) for folder in folders], 2, lambda _: None, contents)


def test_games_of_several_folders(tmp_path: Path) -> None:
    write_games(tmp_path / "first" / "b.games", 4, seed=10)
    write_games(tmp_path / "first" / "a.games", 3, seed=20)
    write_games(tmp_path / "second" / "a.games", 2, seed=30)
    found = load([tmp_path / "first", tmp_path / "second"])
    first, second = found.generations
    assert [file.path for file in first.files] == [
        str(tmp_path / "first" / name) for name in ("a.games", "b.games")
    ]
    assert [file.games for file in first.files] == [3, 4]
    assert (first.first, first.last, second.last) == (0, second.first, len(found.records))
    alone = load([tmp_path / "second" / "a.games"])
    assert np.array_equal(alone.records, found.records[second.first :])
    about = first.about()
    assert (about["files"], about["games"], about["seed"], about["nodes"]) == (2, 7, "10, 20", "1")
    assert about["positions"] == first.last
    assert first.files[0].digest == hashlib.sha256((tmp_path / "first/a.games").read_bytes()).hexdigest()


def test_files_that_have_grown(tmp_path: Path) -> None:
    """They count as far as they did, and new files do not."""
    path = write_games(tmp_path / "run" / "a.games", 3)
    before = load([tmp_path / "run"])
    with path.open("ab") as file:
        file.write(path.read_bytes()[-200:])
    write_games(tmp_path / "run" / "b.games", 3)
    again = load([tmp_path / "run"], before=before)
    assert np.array_equal(before.records, again.records)
    assert before.generations == again.generations
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(RecordsError, match="has become shorter"):
        load([tmp_path / "run"], before=before)


def test_files_that_are_not_what_they_were(tmp_path: Path) -> None:
    """Two folders of one name are told apart."""
    folders = [tmp_path / "here" / "run", tmp_path / "there" / "run"]
    paths = [write_games(folder / "a.games", 3, seed=seed) for seed, folder in enumerate(folders)]
    before = load(folders)
    assert np.array_equal(load(folders, before=before).records, before.records)
    content = paths[1].read_bytes()
    paths[1].write_bytes(paths[0].read_bytes())
    with pytest.raises(RecordsError, match=r"there/run/a\.games: has changed"):
        load(folders, before=before)
    paths[1].unlink()
    with pytest.raises(RecordsError, match=r"there/run/a\.games: is gone"):
        load(folders, before=before)
    paths[1].write_bytes(content)
    with pytest.raises(RecordsError, match=r"there/run/a\.games: is gone"):
        load(folders[:1], before=before)
    assert load(folders, before=before).generations == before.generations


def test_an_incomplete_game_is_ignored_and_does_not_count_later(tmp_path: Path) -> None:
    path = write_games(tmp_path / "run" / "a.games", 3)
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    before = load([tmp_path / "run"])
    assert [file.games for file in before.generations[0].files] == [2]
    path.write_bytes(whole)
    assert load([tmp_path / "run"], before=before).generations == before.generations


def test_asked_positions(tmp_path: Path) -> None:
    found = some_records(20)
    (tmp_path / "x.records").write_bytes(found.tobytes() + b"1234567")
    loaded = load([tmp_path], records.SUFFIX)
    assert np.array_equal(loaded.records, found)
    assert loaded.generations[0].about()["games"] == 0
    found["result"][7] = 3
    (tmp_path / "y.records").write_bytes(found.tobytes())
    with pytest.raises(RecordsError, match=r"y.records: record 7 is not of a position"):
        load([tmp_path], records.SUFFIX)


def test_how_positions_were_made(tmp_path: Path) -> None:
    """A folder's description counts for its files; files of games have their own."""
    (tmp_path / "x.records").write_bytes(some_records(20).tobytes())
    write_games(tmp_path / "a.games", 3, seed=10)
    described = {"seed": 2, "nodes": 500, "weights": "ab", "one_in": 20, "teacher_nodes": 200, "openings": []}
    folders = [(tmp_path, game_file.SUFFIX), (tmp_path, records.SUFFIX)]
    found = corpus.load(folders, 1, lambda _: None, descriptions={tmp_path: described})
    games, asked = (each.about() for each in found.generations)
    assert games["seed"] == "10"
    assert "one_in" not in games
    expected = {"seed": "2", "nodes": "500", "weights": "ab", "one_in": "20", "teacher_nodes": "200"}
    assert {key: asked[key] for key in expected} == expected
    assert "openings" not in asked


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match=r"no files that end in \.games"):
        load([tmp_path])
    with pytest.raises(FileNotFoundError):
        load([tmp_path / "none.games"])
    (tmp_path / "a.games").write_bytes(b"something else")
    with pytest.raises(GameFileError, match="not a file of games"):
        load([tmp_path])
    path = write_games(tmp_path / "a.games", 3)
    path.write_bytes(path.read_bytes()[:-4] + b"1234")
    with pytest.raises(GameFileError, match=r"a\.games: the game at byte \d+ is damaged"):
        load([tmp_path])


def test_words_are_the_same_memory() -> None:
    found = some_records(3)
    words = records.words(found)
    assert words[4] == found["occupied"][1]
    words[7] = 0x0000_0005_07_02_FFFF
    assert found[1].tolist()[2:] == (-1, 2, 7, 5)
    assert RECORD.itemsize == 32 == 8 * RECORD_WORDS
    assert records.men(found).tolist() == [int(each).bit_count() for each in found["occupied"].tolist()]
