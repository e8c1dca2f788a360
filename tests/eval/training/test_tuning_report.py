"""The page about a run of the tuner, and its pictures."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from eval.features import FEATURES, KNIGHT_MOBILITY, PLACEMENT, WEIGHTS
from eval.training import pictures, tuning_report
from eval.training.start import hand_set
from eval.training.tuner import Epoch, Judgement, TunerSettings, table_of, zero_table
from eval.training.tuning_report import Source, TuningReport

LARGEST_PICTURE = 150_000


def made_up() -> TuningReport:
    """A run that was never made, with weights all over the place."""
    chance = np.random.default_rng(1)
    before = table_of(hand_set())
    return TuningReport(
        made="2001-02-03",
        start="set by hand",
        mix=0.25,
        settings=TunerSettings(epochs=7, seed=12345678),
        sources=[
            Source("first", 1200, 98765, {"evaluator": "material", "nodes": 4000, "random_plies": 4}),
            Source("second", 30, 2000, {}),
        ],
        training=90000,
        validation=10765,
        held_out=0.125,
        epochs=[Epoch(number, 0.004, 0.6 - number / 100, 0.61 - number / 200) for number in range(8)],
        judgements=[
            Judgement("material", 0.005, 0.6543, 0.65434, 0.61),
            Judgement("learned", 0.004, 0.53213, 0.54321, 0.51),
        ],
        least=0.42421,
        before=before,
        learned=np.rint(before + chance.normal(0, 40, before.shape)),
        uses=chance.integers(0, 4, WEIGHTS) * 100,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the page about the made-up run is."""
    folder = tmp_path_factory.mktemp("docs") / "learning"
    tuning_report.write(folder, made_up())
    return folder


def test_every_picture_of_the_page_exists_and_is_small(folder: Path) -> None:
    page = (folder / "report.md").read_text()
    shown = set(re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page))
    assert shown == {path.name for path in folder.iterdir()} - {"report.md"}
    assert len(shown) == 6
    for name in shown:
        assert (folder / name).stat().st_size < LARGEST_PICTURE, name
        with Image.open(folder / name) as picture:
            width, height = picture.size
            assert 700 <= width <= 1200, name
            assert 300 <= height <= 1200, name


def test_the_page_says_when_from_what_and_how_well(folder: Path) -> None:
    page = (folder / "report.md").read_text()
    for words in ("2001-02-03", "set by hand", "0.42421", "90,000", "10,765", "seed 12345678", "0.25 of"):
        assert words in page
    assert "| first | 1,200 | 98,765 | evaluator material, nodes 4000, random plies 4 |" in page
    assert "| second | 30 | 2,000 | unknown |" in page
    assert "| material | 220 | 0.65430 | 0.65434 | 0.61000 |" in page
    assert "| learned | 275 | 0.53213 | 0.54321 | 0.51000 |" in page


def test_each_feature_is_in_a_picture_or_in_the_table(folder: Path) -> None:
    page = (folder / "report.md").read_text()
    for feature in FEATURES:
        assert (f"| {feature.name} |" in page) != (feature.name in pictures.PICTURED)
    assert set(pictures.PICTURED) <= {feature.name for feature in FEATURES}


def test_a_piece_is_worth_its_material_and_the_mean_of_what_it_counts() -> None:
    learned = zero_table()
    uses = np.zeros(WEIGHTS, np.int64)
    learned[:, PLACEMENT + 64 : PLACEMENT + 66] = [[10, 40], [0, 4]]
    uses[PLACEMENT + 64 : PLACEMENT + 66] = [2, 1]  # means of 20 and, rounded, 1
    learned[:, KNIGHT_MOBILITY + 3] = [7, -9]
    uses[KNIGHT_MOBILITY + 3] = 5
    page = tuning_report.page(replace(made_up(), learned=learned, uses=uses))
    assert "| knight | 300 | 327 | 292 |" in page
    assert "| queen | 900 | 900 | 900 |" in page


@pytest.mark.slow
def test_a_run_without_any_use_can_be_drawn(tmp_path: Path) -> None:
    tuning_report.write(
        tmp_path, replace(made_up(), uses=np.zeros(WEIGHTS, np.int64), epochs=made_up().epochs[:1])
    )
    assert (tmp_path / "king.png").exists()


@pytest.mark.slow
def test_a_report_takes_the_place_of_another_and_is_always_the_same(folder: Path, tmp_path: Path) -> None:
    for path in folder.iterdir():
        (tmp_path / path.name).write_text("another")
    tuning_report.write(tmp_path, made_up())
    for path in folder.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_what_the_weights_say_about_themselves_can_be_kept_as_json() -> None:
    about = made_up().about()
    assert json.loads(json.dumps(about)) == about
    assert about["made"] == "2001-02-03"
    assert about["positions"] == {"training": 90000, "validation": 10765}
    assert about["loss"]["learned"]["validation"] == 0.54321
    assert about["data"][0]["played"]["nodes"] == 4000
