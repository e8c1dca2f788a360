"""scripts/lab bench-reporting: the same search, with nothing said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from engine.games.players.catalogue import game
from engine.games.textbook import alphabeta, minimax
from engine.games.textbook.search import Meter
from scripts.laboratory.benchmarks.reporting import CASES, ReportingCase, measured, reporting, silenced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.rules.game import State


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.game}")
def test_without_reports_the_same_is_found_and_counted(case: ReportingCase) -> None:
    with_, without = (turn() for turn in measured(replace(case, depth=2), 0.0))
    assert (with_.result, with_.counts) == (without.result, without.counts)


class _Listener(Meter):
    """A meter that notes in `heard` what it is told beside what it has to count."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def visit(self, state: State | None = None, depth: int = 0) -> None:
        self.heard += [] if state is None else ["visit"]
        super().visit(state, depth)

    def update(
        self, best: float | Sequence[float], alpha: float | None = None, beta: float | None = None
    ) -> None:
        self.heard.append("update")
        super().update(best, alpha, beta)

    def cut(self, alpha: float, beta: float) -> None:
        self.heard.append("cut")
        super().cut(alpha, beta)

    def leave(self, value: float | Sequence[float]) -> None:
        self.heard.append("leave")
        super().leave(value)


def test_nothing_is_said() -> None:
    tree = game("tree")
    usual, silent = _Listener(), _Listener()
    for module, meter in ((alphabeta, usual), (silenced(alphabeta), silent)):
        module.alphabeta(tree.start(), 2, tree.estimate, meter)
        assert (meter.visited, meter.expanded, meter.leaves) == (11, 4, 7)
    assert set(usual.heard) == {"visit", "update", "cut", "leave"}
    assert silent.heard == []
    silenced(minimax).minimax(tree.start(), 2, tree.estimate, silent)
    assert silent.heard == []


def test_the_table() -> None:
    told = CliRunner().invoke(reporting, ["--rounds", "1", "--at-least", "1"], catch_exceptions=False)
    assert told.exit_code == 0
    assert told.output.count(", depth ") == len(CASES)
