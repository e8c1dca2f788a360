"""A book grows from the likeliest positions, by what a search says of them; here that is made up."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, cast

import chess
import chess.polyglot
import pytest
from chess.engine import Cp, PovScore

from engine.lookup.book import encoded
from engine.search.limits import Limits
from engine.search.report import Bound
from protocol.cli.analysis.finding import Finding
from scripts.laboratory.books.make_book import Grower, GrowingRules
from scripts.laboratory.long_run import RunJournal

if TYPE_CHECKING:
    from protocol.cli.analysis.analyst import Analyst

RULES = GrowingRules(positions=5, nodes=100, margin=20, temperature=20, answered=40)


class MadeUp:
    """An analyst that says after some lines what the test wants; elsewhere three moves are equally good."""

    def __init__(self, said: Mapping[str, Mapping[str, int]]) -> None:
        self._said = {board_after(line).fen(): moves for line, moves in said.items()}
        self.events: list[str] = []

    def new_game(self) -> None:
        self.events.append("new game")

    def search(self, board: chess.Board, limits: Limits) -> Iterator[Finding]:
        assert limits == Limits(nodes=RULES.nodes)
        self.events.append(board.fen())
        usual = {move.uci(): 0 for move in list(board.legal_moves)[:3]}
        moves = self._said.get(board.fen(), usual)
        for line, (move, score) in enumerate(moves.items(), 1):
            yield finding(board, 5, line, move, score)

    @property
    def searched(self) -> list[str]:
        return [event for event in self.events if event != "new game"]


def finding(board: chess.Board, depth: int, line: int, move: str, score: int) -> Finding:
    told = PovScore(Cp(score), board.turn)
    return Finding(line, depth, depth, told, None, Bound.EXACT, 1, 1, 0, (board.parse_uci(move),))


def board_after(line: str) -> chess.Board:
    board = chess.Board()
    for move in line.split():
        board.push_uci(move)
    return board


def grow(analyst: object, folder: Path, rules: GrowingRules = RULES) -> Grower:
    with RunJournal(folder / "record", {}) as journal:
        grower = Grower(rules, journal)
        steps = list(grower.run(cast("Analyst", analyst)))
        assert len(steps) == grower.done
    return grower


def played(grower: Grower, line: str) -> dict[str, float]:
    """What the book plays there."""
    board = board_after(line)
    weights = grower.weights[chess.polyglot.zobrist_hash(board)]
    return {
        move.uci(): weights[code] for move in board.legal_moves if (code := encoded(board, move)) in weights
    }


def test_the_likeliest_positions_come_first(tmp_path: Path) -> None:
    """By the product of the moves' shares: 0.73 for e2e4, half of that for its answers, 0.27 for d2d4."""
    analyst = MadeUp({"": {"e2e4": 30, "d2d4": 10}, "e2e4": {"e7e5": 0, "c7c5": 0}})
    grow(analyst, tmp_path)
    expected = ["", "e2e4", "e2e4 e7e5", "e2e4 c7c5", "d2d4"]
    assert analyst.searched == [board_after(line).fen() for line in expected]


def test_each_search_begins_with_nothing_remembered(tmp_path: Path) -> None:
    """So that a run that was stopped and goes on makes the same book."""
    analyst = MadeUp({})
    grow(analyst, tmp_path)
    assert analyst.events[::2] == ["new game"] * RULES.positions


def test_what_is_not_played_may_be_answered(tmp_path: Path) -> None:
    analyst = MadeUp({"": {"e2e4": 30, "d2d4": 10, "g2g4": -10, "h2h4": -11}})
    grower = grow(analyst, tmp_path, replace(RULES, positions=40))
    total = 1 + exp(-1) + exp(-2)
    assert played(grower, "") == pytest.approx({"e2e4": 1000 / total, "d2d4": 1000 * exp(-1) / total})
    assert board_after("g2g4").fen() in analyst.searched
    assert board_after("h2h4").fen() not in analyst.searched


def test_a_position_with_several_ways_there_is_searched_once(tmp_path: Path) -> None:
    knights = {
        "": {"g1f3": 0, "b1c3": 0},
        "g1f3": {"g8f6": 0},
        "b1c3": {"g8f6": 0},
        "g1f3 g8f6": {"b1c3": 0},
        "b1c3 g8f6": {"g1f3": 0},
    }
    analyst = MadeUp(knights)
    grow(analyst, tmp_path, replace(RULES, positions=12))
    assert analyst.searched.count(board_after("g1f3 g8f6 b1c3").fen()) == 1
    assert len(analyst.searched) == len(set(analyst.searched)) == 12


def test_it_ends_where_the_game_does(tmp_path: Path) -> None:
    mate = {"": "f2f3", "f2f3": "e7e5", "f2f3 e7e5": "g2g4", "f2f3 e7e5 g2g4": "d8h4"}
    grower = grow(MadeUp({line: {move: 0} for line, move in mate.items()}), tmp_path)
    assert grower.done == 4


def test_scores_of_different_depths_are_not_compared(tmp_path: Path) -> None:
    """The second depth was cut short; the last lines are told once more, those not reached as they were."""

    class CutShort(MadeUp):
        def search(self, board: chess.Board, limits: Limits) -> Iterator[Finding]:
            del limits
            for line, (move, score) in enumerate({"e2e4": 0, "d2d4": -5, "c2c4": -6}.items(), 1):
                yield finding(board, 4, line, move, score)
            yield finding(board, 5, 1, "c2c4", 15)
            yield finding(board, 4, 2, "e2e4", 0)
            yield finding(board, 4, 3, "d2d4", -5)

    grower = grow(CutShort({}), tmp_path, replace(RULES, positions=1))
    weights = played(grower, "")
    assert weights["e2e4"] > weights["d2d4"] > weights["c2c4"]
