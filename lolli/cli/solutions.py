"""Exact values with the lines that prove them, and endgame tables: as text and as objects of JSON."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any

from engine.games.players.solvers import ExactSolver, Solution, packed
from engine.games.rules.game import CHANCE, OVER, Game, State, variation
from engine.games.search.basics import Meter, SearchLimits, SearchStoppedError
from engine.games.search.endgame_table import EndgameTable, Part, make_table
from lolli.cli.terminal.board import side_name
from lolli.cli.terminal.progress import answered
from lolli.cli.terminal.words import count_text, duration_text


@dataclass(frozen=True, slots=True)
class Proof:
    """What a solver has proved of a state; `interrupted` is the exit status after Ctrl-C, else 0."""

    game: Game[Any]
    state: State
    solver: ExactSolver
    solution: Solution | None
    seconds: float
    interrupted: int = 0

    @property
    def whole(self) -> bool:
        """Whether the line is proved to its end: that of the game, a node of chance, or a repetition."""
        return self.solution is not None and self.solution.whole

    def verdict(self) -> str:
        """`wins`, `draws` or `loses` for the player to move; empty elsewhere, as for an expectation."""
        if self.solution is None or self.state.player < 0 or not self._has_winner():
            return ""
        value = self.solution.values[self.state.player]
        verdicts: dict[float, str] = {-1: "loses", 0: "draws", 1: "wins"}
        return verdicts.get(value, "")

    def text(self) -> str:
        """The verdict, the line and how it was proved, each on a line of its own."""
        if self.solution is None:
            return f"nothing is proved yet; {self._work()}"
        lines = [self._result(self.solution)]
        if self.state.player == OVER:
            return lines[0]
        if self.whole:
            lines.append(" ".join(self.moves()) or "no moves")
        else:
            lines.append(f"{self.moves()[0]} keeps that; the rest of the line is not proved yet")
        return "\n".join([*lines, f"{self.solver.title}: {self._work()}"])

    def moves(self) -> list[str]:
        if self.solution is None:
            return []
        return [text for _, text in variation(self.game, self.state, self.solution.line)]

    def content(self) -> dict[str, Any]:
        found = self.solution
        return {
            "game": self.game.name,
            "to_move": self._mover(),
            "values": None if found is None else list(found.values),
            "verdict": self.verdict() or None,
            "plies": found.plies if found else None,
            "score": found.score if found else None,
            "line": self.moves(),
            "whole": self.whole,
            "method": self.solver.title,
            "nodes": self.solver.nodes,
            "seconds": round(self.seconds, 3),
        }

    def _has_winner(self) -> bool:
        """Whether a result is a win of one of two players, or a draw."""
        return self.game.players == 2 and self.game.payoffs == (-1, 1)

    def _mover(self) -> str | None:
        """`chance` where it is to move, None where the game is over."""
        player = self.state.player
        return self._name(player) if player >= 0 else "chance" if player == CHANCE else None

    def _result(self, found: Solution) -> str:
        if self.state.player == OVER and self._has_winner():
            winner = next((player for player, value in enumerate(found.values) if value > 0), None)
            return "the game is over: " + ("a draw" if winner is None else f"{self._name(winner)} has won")
        if not self.verdict():
            players = range(self.game.players)
            return "values " + ", ".join(f"{self._name(i)} {found.values[i]:g}" for i in players)
        details = f" in {found.plies} plies" if found.plies is not None else ""
        details += f", score {found.score}" if found.score is not None else ""
        details += f": {found.note}" if found.note else ""
        return f"{self._name(self.state.player)}, to move, {self.verdict()}{details}"

    def _work(self) -> str:
        return f"{self.solver.nodes:,} positions, {duration_text(self.seconds)}"

    def _name(self, player: int) -> str:
        return side_name(self.game, player)


def prove(game: Game[Any], state: State, solver: ExactSolver, limits: SearchLimits, *, strong: bool) -> Proof:
    """Let a solver solve a state, until a limit or Ctrl-C. Raises BeyondReachError."""
    began = monotonic()
    solver.begin(limits)
    found: list[Solution] = []

    def ask() -> None:
        with suppress(SearchStoppedError):
            found.extend(solver.solutions(state, strong=strong))

    status = answered(ask, solver.stop, lambda: f"{count_text(solver.nodes)} positions")
    return Proof(game, state, solver, found[-1] if found else None, monotonic() - began, status)


@dataclass(frozen=True, slots=True)
class MadeTable:
    """The table with `men`, and the seconds that it took."""

    game: Game[Any]
    men: str
    table: EndgameTable
    seconds: float

    def file(self) -> bytes:
        return packed(self.game, self.men, self.table)

    def text(self) -> str:
        """A line for each part, and one for the time."""
        lines = [
            f"{part.positions.title}: {_decided(part):,} positions won or lost, the longest win in "
            f"{_longest_win(part)} plies"
            for part in self.table.parts
        ]
        return "\n".join([*lines, f"made in {duration_text(self.seconds)}"])

    def content(self) -> dict[str, Any]:
        parts = [
            {"men": part.positions.name, "decided": _decided(part), "longest_win": _longest_win(part)}
            for part in self.table.parts
        ]
        return {"game": self.game.name, "men": self.men, "parts": parts, "seconds": round(self.seconds, 3)}


def make(game: Game[Any], men: str | None) -> MadeTable:
    """Raises NotApplicableError for men that have no table, SystemExit after Ctrl-C or SIGTERM."""
    endings = game.endings(men)
    began = monotonic()
    stops: list[bool] = []
    meter = Meter(stopped=lambda: bool(stops))
    made: list[EndgameTable] = []

    def ask() -> None:
        with suppress(SearchStoppedError):
            made.append(make_table(endings, meter))

    status = answered(ask, lambda: stops.append(True), lambda: f"{count_text(meter.visited)} positions")
    if not made:
        raise SystemExit(status)
    return MadeTable(game, endings[-1].name, made[0], monotonic() - began)


def _decided(part: Part) -> int:
    return part.positions.size - part.entries.count(0)


def _longest_win(part: Part) -> int:
    """In plies, for the player to move."""
    return max((entry - 1 for entry in set(part.entries) if entry and entry % 2 == 0), default=0)
