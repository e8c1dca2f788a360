"""The lanes name files and folders that there are, and leave out what they say."""

import re
import tomllib
from itertools import chain, product

import pytest

from tests.lanes import LANES, ROOT, Lane


def test_all_places_exist() -> None:
    places = set(chain.from_iterable((*lane.within, *lane.without) for lane in LANES.values()))
    assert [place for place in places if not (ROOT / place).exists()] == []


@pytest.mark.parametrize(
    ("place", "has"),
    [
        ("a", True),
        ("a/b", True),
        ("a/b/test_x.py", True),
        ("a/b/slow/test_x.py", False),
        ("a/b/slow", False),
        ("ab", False),
        ("c/test_y.py", True),
        ("c/test_z.py", False),
    ],
)
def test_a_lane_has_what_is_within_and_not_without(place: str, has: bool) -> None:
    assert Lane(within=("a/b", "a", "c/test_y.py"), without=("a/b/slow",)).has(ROOT / place) is has


def test_a_lane_without_bounds_has_everything() -> None:
    assert Lane().has(ROOT / "engine")


def test_each_test_is_in_one_selection_by_marks() -> None:
    """The default, or one of the two of `scripts/test --long`."""
    options = tomllib.loads((ROOT.parent / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    slow = re.findall(r'-m "([a-z ]+)"', (ROOT.parent / "scripts" / "test").read_text())
    selections = (options["addopts"][-1], *slow)
    assert len(selections) == 3
    for marks in product((False, True), repeat=2):
        names = dict(zip(("slow", "alone"), marks, strict=True))
        assert sum(eval(selection, names.copy()) for selection in selections) == 1


def test_the_way_to_a_file_is_open() -> None:
    assert Lane(within=("engine/board",)).has(ROOT / "engine")
    assert not Lane(within=("engine/board",)).has(ROOT / "engine/search")
