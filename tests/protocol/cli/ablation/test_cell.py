"""One search in all positions, summed up."""

from collections.abc import Sequence

import pytest

from engine.search.constants import MATE
from engine.search.report import Score
from protocol.cli.ablation.experiment import Variant
from protocol.cli.ablation.laboratory import FinishedDepth, VariantResult
from protocol.cli.suites.epd import SuitePosition, parse_position

HANGING = "4k3/8/8/3q4/8/8/8/3RK3 w - -"
MATE_IN_1 = "6k1/5ppp/8/8/8/8/8/4R1K1 w - -"


def position(text: str) -> SuitePosition:
    return parse_position(text, "file", 1, must_ask=False)


def depths(nodes: Sequence[int], move: str, score: int = 0) -> list[FinishedDepth]:
    """Depths with so many nodes, each taking a microsecond, and the same answer everywhere."""
    return [FinishedDepth(each, 1000 * each, move, Score(score)) for each in nodes]


def cell(texts: Sequence[str], measured: Sequence[Sequence[FinishedDepth]]) -> VariantResult:
    return VariantResult(Variant("some", frozenset()), [position(text) for text in texts], measured)


def test_the_depth_is_the_deepest_that_all_positions_have() -> None:
    two = cell([HANGING, MATE_IN_1], [depths([10, 100, 900], "d1d5"), depths([40, 400], "e1e8")])
    assert two.depth == 2
    assert two.nodes(1) == pytest.approx(20)
    assert two.nodes(2) == pytest.approx(200)
    assert two.seconds(2) == pytest.approx(200e-6)
    assert two.branching == pytest.approx(10)


def test_ratios_are_those_of_the_deepest_common_depth() -> None:
    shallow, deep = (
        cell([MATE_IN_1], [depths([10, 90], "e1e8")]),
        cell([MATE_IN_1], [depths([5, 30, 60], "e1e8")]),
    )
    assert shallow.ratios(deep) == pytest.approx((3, 3))
    assert deep.ratios(shallow) == pytest.approx((1 / 3, 1 / 3))


def test_what_was_not_even_begun() -> None:
    nothing, some = cell([MATE_IN_1], [[]]), cell([MATE_IN_1], [depths([10], "e1e8")])
    assert (nothing.depth, nothing.found, nothing.branching) == (0, 0, None)
    assert nothing.ratios(some) is some.ratios(nothing) is None


@pytest.mark.parametrize(
    ("text", "move", "score", "found"),
    [
        (f"{HANGING} bm Rxd5;", "d1d5", 0, 1),
        (f"{HANGING} bm Rxd5;", "d1d4", 0, 0),
        (f"{HANGING} am Rxd5;", "d1d5", 0, 0),
        (f"{HANGING} am Rxd5;", "d1d4", 0, 1),
        (f"{MATE_IN_1} dm 1;", "e1e8", MATE - 1, 1),
        (f"{MATE_IN_1} dm 1;", "e1e8", 0, 0),
        (f'{MATE_IN_1} c0 "Kf1=10, Re8#=3";', "g1f1", 0, 1),
        (f"{MATE_IN_1}", "e1e8", 0, 0),
    ],
)
def test_found_is_what_was_asked(text: str, move: str, score: int, found: int) -> None:
    assert cell([text], [depths([1], move, score)]).found == found
