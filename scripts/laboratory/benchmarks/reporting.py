"""`scripts/lab bench-reporting`: what a textbook searcher pays for its reports to the meter."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from functools import partial
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import click

from engine.games.players.catalogue import game
from engine.games.textbook import (
    alphabeta,
    best_reply,
    enhanced_alphabeta,
    expectiminimax,
    maxn,
    minimax,
    paranoid,
)
from engine.games.textbook import search as shared
from engine.games.textbook.search import Meter, leaf_values
from scripts.laboratory.benchmarks.measuring import alternate, ratio, rounds_option, show
from scripts.laboratory.lab_options import WIDE, count_option

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType

    from engine.games.rules.game import Game
    from engine.games.textbook.search import Counts, Result, Search

_REPORTS = ("update", "cut", "leave")
"""The methods of a meter that count nothing."""
_COUNTED = {"visit": 0, "expand": 1, "leaf": 1, "known": 1}
"""The methods that count, and how many arguments a meter needs that only counts."""
_SHARED = leaf_values.__name__


class _Silencing(ast.NodeTransformer):
    """Leaves out all reports to a meter, and what it is told of the nodes that it counts."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """A report is a statement of its own."""
        if _method(node.value) in _REPORTS:
            return ast.copy_location(ast.Pass(), node)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Count, but tell nothing."""
        self.generic_visit(node)
        method = _method(node)
        if method in _COUNTED:
            node.args = node.args[: _COUNTED[method]]
        return node


def _method(node: ast.expr) -> str:
    """The method of a meter that is called, else empty."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return ""
    meter = node.func.value
    name = meter.attr if isinstance(meter, ast.Attribute) else getattr(meter, "id", "")
    return node.func.attr if name in {"meter", "_meter"} else ""


class _SilencedLoader(InspectLoader):
    """Loads a module that is loaded already, without its reports."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def get_source(self, fullname: str) -> str:
        """See InspectLoader."""
        del fullname
        return inspect.getsource(self._module)

    def get_code(self, fullname: str) -> CodeType:
        """See InspectLoader."""
        tree = _Silencing().visit(ast.parse(self.get_source(fullname)))
        return compile(ast.fix_missing_locations(tree), f"{self._module.__file__}, silenced", "exec")


def silenced(module: ModuleType) -> ModuleType:
    """The same module anew, without its reports and without those of the helpers that it shares."""
    loader = _SilencedLoader(module)
    made = module_from_spec(ModuleSpec(module.__name__, loader))
    loader.exec_module(made)
    if hasattr(made, _SHARED) and module is not shared:
        setattr(made, _SHARED, getattr(silenced(shared), _SHARED))
    return made


@dataclass(frozen=True, slots=True)
class ReportingCase:
    """A search that is measured: a module, how to make a search of what it defines, and the game."""

    module: ModuleType
    make: Callable[[ModuleType, Game[Any]], Search]
    game: str
    players: int | None
    depth: int

    @property
    def name(self) -> str:
        """The searcher's."""
        return self.module.__name__.rpartition(".")[2]


CASES = (
    ReportingCase(minimax, lambda made, _: made.minimax, "tictactoe", None, 5),
    ReportingCase(alphabeta, lambda made, _: made.alphabeta, "tictactoe", None, 7),
    ReportingCase(alphabeta, lambda made, _: made.alphabeta, "connectfour", None, 7),
    ReportingCase(alphabeta, lambda made, _: made.alphabeta, "checkers", None, 6),
    ReportingCase(alphabeta, lambda made, _: made.alphabeta, "chess", None, 3),
    ReportingCase(
        enhanced_alphabeta, lambda made, rules: made.EnhancedAlphaBeta(rules), "connectfour", None, 7
    ),
    ReportingCase(maxn, lambda made, _: made.maxn, "virus", 3, 6),
    ReportingCase(paranoid, lambda made, _: made.paranoid, "virus", 3, 7),
    ReportingCase(
        best_reply,
        lambda made, rules: partial(made.best_reply, opponents=made.InTurn(0, rules.players)),
        "virus",
        3,
        5,
    ),
    ReportingCase(expectiminimax, lambda made, _: made.expectiminimax, "backgammon", None, 1),
)


@dataclass(frozen=True, slots=True)
class _Spent:
    result: Result
    counts: Counts
    seconds: float


def measured(case: ReportingCase, least: float) -> tuple[Callable[[], _Spent], Callable[[], _Spent]]:
    """The same search with and without reports: each call searches for `least` seconds or longer."""
    rules = game(case.game, case.players)

    def spend(made: ModuleType) -> _Spent:
        searches, spent = 0, 0.0
        while not searches or spent < least:
            search, meter = case.make(made, rules), Meter()
            began = process_time()
            result = search(rules.start(), case.depth, rules.estimate, meter)
            spent += process_time() - began
            searches += 1
        return _Spent(result, meter.counts, spent / searches)

    return partial(spend, case.module), partial(spend, silenced(case.module))


@click.command(context_settings=WIDE)
@rounds_option
@count_option("--at-least", 50, "Milliseconds of searching for each measurement.")
def reporting(rounds: int, at_least: int) -> None:
    """Compare textbook searchers with the same ones whose reports to the meter are cut out of the source.

    Both count nodes, with the meter of a search that nobody watches. The time is processor time; a ratio of
    1.03 says that reporting takes 3% of the time without.
    """
    rows = []
    for case in CASES:
        with_, without = alternate(measured(case, at_least / 1000), rounds)
        if {(each.result, each.counts) for each in with_} != {(each.result, each.counts) for each in without}:
            raise click.ClickException(f"{case.name} finds something else without its reports")
        spent = [[each.seconds for each in column] for column in (with_, without)]
        rows.append(
            [
                f"{case.name}, {case.game}, depth {case.depth}",
                f"{with_[0].counts.visited:,}",
                *(f"{median(column) * 1000:.2f}" for column in spent),
                ratio(*spent),
            ]
        )
    show(
        "Reports to a meter that only counts",
        ["", "nodes", "ms with", "ms without", "with / without"],
        rows,
        rounds,
        "Processor time; the ratio has (smallest … largest).",
    )
