"""When one move alone is right."""

import chess
import pytest
from chess.engine import Cp, InfoDict, Mate, PovScore, PovWdl, Score, Wdl

from engine.search.limits import Limits
from lolli._analyst import Analyst
from lolli._findings import AnalystSettings
from lolli._puzzles import CERTAIN, Goal, only_move, reached, takes_for_free


def line(wdl: tuple[int, int, int], move: str, score: Score = Cp(0)) -> InfoDict:  # noqa: B008 - immutable
    return InfoDict(
        wdl=PovWdl(Wdl(*wdl), chess.BLACK), score=PovScore(score, chess.BLACK), pv=[chess.Move.from_uci(move)]
    )


@pytest.mark.parametrize(
    ("first", "second", "goal"),
    [
        ((900, 90, 10), (100, 800, 100), Goal.WIN),
        ((900, 90, 10), (600, 300, 100), None),
        ((100, 850, 50), (0, 100, 900), Goal.DRAW),
        ((100, 850, 50), (0, 600, 400), None),
        ((600, 390, 10), (0, 100, 900), Goal.DRAW),
        ((0, 100, 900), (0, 0, 1000), None),
    ],
)
def test_chances_decide(first: tuple[int, int, int], second: tuple[int, int, int], goal: Goal | None) -> None:
    assert only_move([line(first, "e7e5"), line(second, "d7d5")]) is goal


@pytest.mark.parametrize(
    ("score", "goal"),
    [(Cp(0), Goal.DRAW), (Cp(-25), Goal.DRAW), (Cp(133), None), (Cp(-60), None), (Mate(-9), None)],
)
def test_a_draw_is_claimed_where_the_score_is_a_draw(score: Score, goal: Goal | None) -> None:
    """A move that is better than that, and the only one that does not lose, is neither a win nor a draw."""
    assert only_move([line((100, 850, 50), "e7e5", score), line((0, 100, 900), "d7d5")]) is goal


@pytest.mark.parametrize(
    ("fen", "move", "free"),
    [
        ("4k3/8/8/3r4/8/8/6B1/4K3 w - - 0 1", "g2d5", True),
        ("4k3/8/4p3/3r4/8/8/6B1/4K3 w - - 0 1", "g2d5", True),
        ("4k3/8/4p3/3n4/8/8/6B1/4K3 w - - 0 1", "g2d5", False),
        ("4k3/8/4p3/3r4/8/8/8/3RK3 w - - 0 1", "d1d5", False),
        ("4k3/8/4p3/3r4/8/8/8/3RK3 w - - 0 1", "d1d3", False),
        ("8/8/8/3pPk2/8/8/8/4K3 w - d6 0 2", "e5d6", True),
        ("8/4k3/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", False),
        ("4r1k1/4p3/3n4/8/8/8/8/3R2K1 w - - 0 1", "d1d6", False),
        ("4r1k1/4p3/3n4/8/1b6/8/4p3/3RK3 w - - 0 1", "e1e2", True),
    ],
)
def test_what_is_taken_for_free(fen: str, move: str, free: bool) -> None:
    assert takes_for_free(chess.Board(fen), chess.Move.from_uci(move)) is free


def test_a_second_line_of_an_earlier_depth_proves_nothing() -> None:
    assert only_move([line((900, 90, 10), "e7e5"), line((0, 0, 1000), "e7e5")]) is None


def test_a_search_that_ended_before_its_first_move_proves_nothing() -> None:
    assert only_move([InfoDict({**line((900, 90, 10), "e7e5"), "pv": []})]) is None


def test_a_win_is_no_less_than_a_draw() -> None:
    assert reached(Goal.WIN, Wdl(300, 500, 200)) == 300
    assert reached(Goal.DRAW, Wdl(300, 500, 200)) == 800
    assert 0 < CERTAIN.least < CERTAIN.most < 1000


@pytest.mark.parametrize("evaluator", ["linear", "material"])
def test_what_a_search_finds(evaluator: str) -> None:
    """Also where the evaluator has no model of the outcome."""
    mate = chess.Board("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1")
    with Analyst(AnalystSettings(evaluator, megabytes=1, lines=2)) as analyst:
        lines = analyst.lines(mate, Limits(nodes=3000))
        assert lines[0]["pv"][0].uci() == "b1b8"
        assert only_move(lines) is Goal.WIN
        assert only_move(analyst.lines(chess.Board(), Limits(nodes=3000))) is None
