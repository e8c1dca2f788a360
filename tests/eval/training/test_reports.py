"""The page about a network and its pictures."""

import re
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest
from PIL import Image

from engine.board.fen import format_fen, parse_fen
from eval.linear import Linear
from eval.network import Network
from eval.network_file import NetworkWeights
from eval.training import positions, reports, trainer
from eval.training.float_network import FloatNetwork, king_places
from eval.training.game_file import SUFFIX
from eval.training.positions import Corpus, Generation, Scratch, SourceFile
from eval.training.reports import NetworkReport, examine, heaviest_units, network_page
from tests.engine.search.oracles import random_board
from tests.eval.some_weights import standard_weights
from tests.eval.training.record_files import record_of

COMPILED = not trainer.__file__.endswith(".py")
LARGEST_PICTURE = 150_000
BAND = {"name": "all", "positions": 1234, "loss": 0.51234, "least": 0.45, "result": 0.6}
ABOUT: dict[str, Any] = {
    "made": "2001-02-03",
    "seed": 7,
    "start": None,
    "share": 0.1,
    "last_share": 0.3,
    "settings": {"static values": {"epochs": 2}, "games": {"epochs": 3, "held_out": 4}},
    "stages": [
        {
            "name": name,
            "data": [{"name": "first", "games": games, "positions": 54321, "slope": 0.01, "nodes": "500"}],
            "epochs": [{"number": n, "training": 0.6 - n / 100, "validation": 0.61 - n / 90} for n in (1, 2)],
            "judgement": {
                "total": BAND,
                "men": [{**BAND, "name": "1 to 4"}, {**BAND, "name": "5 to 8", "positions": 0}],
                "plies": [{**BAND, "name": "0 to 19"}],
            },
        }
        for name, games in (("static values", 0), ("games", 999))
    ],
}


def network() -> NetworkWeights:
    return FloatNetwork.drawn(32, king_places(2), 5).for_file(139, ABOUT)


def some_positions() -> positions.Records:
    """Positions of two generations, two to a game; each fourth game is held out."""
    boards = [random_board(seed, 100) for seed in range(120 if COMPILED else 24)]
    found = [
        record_of(
            parse_fen(board.fen()), score=seed % 700, result=seed % 3, game=seed // 2 % (len(boards) // 4)
        )
        for seed, board in enumerate(boards)
    ]
    return np.array(found, positions.RECORD)


def corpus(found: positions.Records) -> Corpus:
    generations = [
        Generation("a file", SUFFIX, [SourceFile(Path(f"{name}/a{SUFFIX}"), SUFFIX, 0, "", {})], 0.005, part)
        for name, part in zip(("first", "second"), np.array_split(found, 2), strict=True)
    ]
    held_out = [replace(each, held_out=each.held_out[each.held_out["game"] % 4 == 3]) for each in generations]
    return Corpus(held_out, [], Scratch(BytesIO()))


@pytest.fixture(scope="module")
def report() -> NetworkReport:
    return examine(network(), standard_weights(), corpus(some_positions()))


@pytest.fixture(scope="module")
def folder(report: NetworkReport, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "network"
    reports.write_network(folder, network(), report)
    return folder


def test_positions_come_back() -> None:
    for seed in range(20):
        position = parse_fen(random_board(seed, 100).fen())
        again = positions.position_of(record_of(position))
        board = chess.Board(format_fen(position))
        expected = board if board.turn else board.mirror()
        assert format_fen(again).split()[:2] == [expected.board_fen(), "w"]


def test_disagreements_are_the_largest_of_their_games(report: NetworkReport) -> None:
    """A game is that of its generation: the other one has a game with the same number."""
    evaluators = Network(network()), Linear(standard_weights())
    apart: dict[str, list[int]] = {}
    compared = 0
    for row, record in enumerate(found := some_positions()):
        if record["game"] % 4 == 3:
            compared += 1
            if record["score"] <= 600:
                mine, theirs = (each.static_value(positions.position_of(record)) for each in evaluators)
                game = f"{'first' if row < len(found) // 2 else 'second'} {record['game']}"
                apart.setdefault(game, []).append(abs(mine - theirs))
    assert report.compared == compared
    expected = sorted(((max(of_game), game) for game, of_game in apart.items()), reverse=True)[:12]
    found_here = [(abs(int(row[1]) - int(row[2])), row[-1]) for row in report.disagreements]
    assert sorted(found_here, reverse=True) == expected
    assert len({game.split()[1] for _, game in found_here}) < len(found_here)


def test_worths_are_means(report: NetworkReport) -> None:
    assert report.counts.sum() > 0
    assert np.isnan(report.worths[report.counts == 0]).all()
    assert np.isfinite(report.worths[report.counts > 0]).all()
    assert not report.counts[0, [0, 7]].any()
    total = np.nansum(report.worths[1] * report.counts[1])
    assert report.mean_worths()[1] == pytest.approx(total / report.counts[1].sum())


def test_every_picture_of_the_page_exists_and_is_small(folder: Path) -> None:
    text = (folder / "report.md").read_text()
    shown = set(re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text))
    assert shown == {path.name for path in folder.iterdir()} - {"report.md"}
    for name in shown:
        assert (folder / name).stat().st_size < LARGEST_PICTURE
        with Image.open(folder / name) as picture:
            assert picture.format == "PNG"


def test_the_page_of_a_mean_tells_what_each_network_learned_from(report: NetworkReport) -> None:
    known = {"digest": "abcd", "games": ["first", "second"], "taught": ["third"], "foresight": 0.9}
    settings = {"settings": {"games": {"epochs": 3, "rate": 0.5}}}
    mean = {**known, **settings, "digest": "4567", "mean_of": [{"digest": "0123"}] * 3}
    about = {**ABOUT, "mean_of": [{"digest": "0123"}, {**known, **settings}, mean]}
    text = network_page(FloatNetwork.drawn(32, king_places(2), 5).for_file(139, about), report)
    assert "The mean of the weights of 3 networks" in text
    assert "| abcd | first, second, third | 0.9 | games: epochs 3, rate 0.5 |" in text
    assert "| 0123 |  |  |  |" in text
    assert "| 4567 | first, second, third | 0.9 | the mean of 3 networks |" in text


def test_the_page(folder: Path, report: NetworkReport) -> None:
    text = (folder / "report.md").read_text()
    assert "a network made on 2001-02-03" in text
    assert "| games | first | 999 | 54,321 | 100 | 500 |" in text
    assert "| static values | first |  | 54,321 | 100 | 500 |" in text
    assert "Width 32, king buckets 2, seed 7, from random weights. Target: 0.1 to 0.3 of the result" in text
    assert "| 1 to 4 | 1,234 | 0.51234 | 0.45000 | 0.60000 |" in text
    assert "5 to 8" not in text
    assert report.disagreements[0][0] in text
    assert "The own king is on a1, b1, c1, d1: " in text
    assert "the other 1 of the 2 king buckets are not shown" in text


def test_the_heaviest_units_come_first() -> None:
    drawn = FloatNetwork.drawn(32, king_places(1), 1)
    hidden, outputs = drawn.hidden(), drawn.outputs().copy()
    hidden[:, 9] *= 10
    outputs[:, 20] *= 50
    heavy = FloatNetwork.joined(drawn.places, hidden, outputs)
    assert {*heaviest_units(heavy, 2)} == {9, 20}
