"""When one move alone is right."""

from dataclasses import replace

import chess
import pytest
from chess.engine import Cp, PovScore, PovWdl, Wdl

from engine.search.limits import Limits
from engine.search.report import Bound
from lolli._analyst import Analyst
from lolli._findings import AnalystSettings, Finding
from lolli.cli.tactics import Goal
from lolli.cli.tactics.find import CERTAIN, only_move, reached


def finding(line: int, wdl: tuple[int, int, int] | None, move: str) -> Finding:
    chances = None if wdl is None else PovWdl(Wdl(*wdl), chess.BLACK)
    score = PovScore(Cp(0), chess.BLACK)
    return Finding(line, 5, 5, score, chances, Bound.EXACT, 1, 1, 0, (chess.Move.from_uci(move),))


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
    assert only_move([finding(1, first, "e7e5"), finding(2, second, "d7d5")]) is goal


def test_a_second_line_of_an_earlier_depth_proves_nothing() -> None:
    assert only_move([finding(1, (900, 90, 10), "e7e5"), finding(2, (0, 0, 1000), "e7e5")]) is None


def test_a_search_that_ended_before_its_first_move_proves_nothing() -> None:
    assert only_move([replace(finding(1, (900, 90, 10), "e7e5"), moves=())]) is None


def test_a_win_is_no_less_than_a_draw() -> None:
    assert reached(Goal.WIN, Wdl(300, 500, 200)) == 300
    assert reached(Goal.DRAW, Wdl(300, 500, 200)) == 800
    assert 0 < CERTAIN.least < CERTAIN.most < 1000


@pytest.mark.parametrize("evaluator", ["linear", "material"])
def test_what_a_search_finds(evaluator: str) -> None:
    """Also where the evaluator has no model of the outcome."""
    mate = chess.Board("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1")
    with Analyst(AnalystSettings(evaluator, megabytes=1, lines=2)) as analyst:
        findings = analyst.findings(mate, Limits(nodes=3000))
        assert findings[0].moves[0].uci() == "b1b8"
        assert only_move(findings) is Goal.WIN
        assert only_move(analyst.findings(chess.Board(), Limits(nodes=3000))) is None
