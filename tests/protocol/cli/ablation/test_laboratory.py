"""Measuring searches: each depth's nodes, what techniques change, limits, and the means over positions."""

from collections.abc import Sequence
from functools import cache

import chess
import pytest

from engine.board.fen import START_FEN
from engine.search.constants import MATE
from engine.search.limits import Limits
from engine.search.report import Score
from eval.material import Material
from protocol.cli.ablation.experiment import ExperimentLimits, Variant, ladder, techniques
from protocol.cli.ablation.laboratory import FinishedDepth, Laboratory, VariantResult
from protocol.cli.analysis.analyst import Analyst
from protocol.cli.analysis.finding import AnalystSettings
from protocol.cli.suites.epd import SuitePosition, parse_position
from tests.engine.search.searching import EXACT

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MINIMAX = Variant("minimax", frozenset())
WHOLE = Variant("whole search", frozenset(techniques(exact=False)))
ROOKS = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
MIDDLE_GAME = "r1bq1rk1/pp2bppp/2n2n2/2pp4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9"
CASTLES_TO_MATE = "8/3B4/8/4Q3/4R3/3N1k2/8/4K2R w K - 0 1"
POSITIONS = [(START_FEN, 3), (KIWIPETE, 2), (ROOKS, 3), (MIDDLE_GAME, 2)]
HANGING = "4k3/8/8/3q4/8/8/8/3RK3 w - -"
MATE_IN_1 = "6k1/5ppp/8/8/8/8/8/4R1K1 w - -"


def measure(
    fen: str,
    variant: Variant,
    depth: int,
    laboratory: Laboratory | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
) -> list[FinishedDepth]:
    laboratory = laboratory or Laboratory(Material(), 1)
    return laboratory.measure(fen, variant, ExperimentLimits(depth, nodes, seconds), lambda _depth: None)


@cache
def lines(board: str, depth: int) -> int:
    """How many lines of so many plies there are."""
    return _lines(chess.Board(board), depth)


def _lines(board: chess.Board, depth: int) -> int:
    if depth == 0:
        return 1
    count = 0
    for move in list(board.legal_moves):
        board.push(move)
        count += _lines(board, depth - 1)
        board.pop()
    return count


def counts(finished: Sequence[FinishedDepth]) -> list[int]:
    return [each.nodes for each in finished]


@pytest.mark.parametrize(("fen", "depth"), POSITIONS)
def test_minimax_visits_every_line(fen: str, depth: int) -> None:
    """Each depth has as many nodes as there are lines of up to so many plies; those before it count, too."""
    expected, sum_ = [], 0
    for reached in range(1, depth + 1):
        sum_ += sum(lines(fen, plies) for plies in range(1, reached + 1))
        expected.append(sum_)
    assert counts(measure(fen, MINIMAX, depth)) == expected


@pytest.mark.parametrize(("fen", "depth"), POSITIONS)
def test_what_is_exact_finds_the_same_value_in_fewer_nodes(fen: str, depth: int) -> None:
    minimax, *others = [measure(fen, variant, depth) for variant in ladder(EXACT)]
    for finished in others:
        assert [each.score for each in finished] == [each.score for each in minimax]
        assert counts(finished)[-1] < counts(minimax)[-1] / 3
    alpha_beta, *_ = others
    assert all(few <= all_ for few, all_ in zip(counts(alpha_beta), counts(minimax), strict=True))


@pytest.mark.parametrize(("fen", "_depth"), POSITIONS)
def test_the_whole_search_is_the_one_that_plays(fen: str, _depth: int) -> None:
    with Analyst(AnalystSettings(evaluator="material", megabytes=1)) as analyst:
        told = {each.depth: each.nodes for each in analyst.search(chess.Board(fen), Limits(depth=5))}
    assert counts(measure(fen, WHOLE, 5)) == list(told.values())


def test_nothing_is_left_from_the_search_before() -> None:
    laboratory = Laboratory(Material(), 1)
    alone = [counts(measure(fen, WHOLE, 5)) for fen, _ in POSITIONS]
    together = [counts(measure(fen, WHOLE, 5, laboratory)) for fen, _ in POSITIONS * 2]
    assert together == alone * 2


def test_a_technique_that_is_off_is_off() -> None:
    laboratory = Laboratory(Material(), 1)
    before = counts(measure(KIWIPETE, WHOLE, 4, laboratory))
    without = Variant("without quiescence", WHOLE.on - {"quiescence"})
    assert counts(measure(KIWIPETE, without, 4, laboratory)) != before
    assert counts(measure(KIWIPETE, WHOLE, 4, laboratory)) == before


def test_the_limit_on_nodes_leaves_what_was_finished() -> None:
    whole = counts(measure(START_FEN, WHOLE, 6))
    assert counts(measure(START_FEN, WHOLE, 6, nodes=whole[3] + 1)) == whole[:4]
    assert measure(START_FEN, WHOLE, 6, nodes=1) == []


def test_the_limit_on_time() -> None:
    assert len(measure(START_FEN, MINIMAX, 60, seconds=0.05)) < 10


def test_each_depth_is_heard_of_and_takes_longer() -> None:
    heard: list[int] = []
    finished = Laboratory(Material(), 1).measure(START_FEN, WHOLE, ExperimentLimits(4), heard.append)
    assert heard == [1, 2, 3, 4]
    times = [each.nanoseconds for each in finished]
    assert 0 < times[0] < times[3]
    assert times == sorted(times)


def test_a_stop_ends_the_search_and_all_that_follow() -> None:
    laboratory = Laboratory(Material(), 1)

    def stop_at(depth: int) -> None:
        if depth == 2:
            laboratory.stop()

    assert not laboratory.stopped
    assert len(laboratory.measure(START_FEN, MINIMAX, ExperimentLimits(60), stop_at)) == 2
    assert laboratory.stopped
    assert measure(START_FEN, MINIMAX, 1, laboratory) == []


def test_castling_in_chess960_is_told_as_there() -> None:
    for chess960, castles in ((True, "e1h1"), (False, "e1g1")):
        finished = Laboratory(Material(), 1).measure(
            CASTLES_TO_MATE, WHOLE, ExperimentLimits(3), lambda _depth: None, chess960
        )
        assert finished[-1].move == castles


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
