"""A player who has worked out everything beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.games.players.players import Stoppable
from engine.games.rules.interface import NotApplicableError
from engine.games.textbook.limits import Meter, SearchStoppedError
from engine.games.textbook.lookup import TooManyStatesError, solve
from engine.games.textbook.result import Decision

if TYPE_CHECKING:
    from engine.games.rules.interface import Game, Move, State
    from engine.games.textbook.limits import Limits
    from engine.games.textbook.lookup import Payoffs


class TablePlayer(Stoppable):
    """Plays by a table of all states, made when first needed; any legal move where it is too large."""

    def __init__(self, game: Game[Any], seed: int) -> None:
        del game, seed
        super().__init__()
        self._table: dict[State, Payoffs] = {}

    def _choose(self, state: State, limits: Limits) -> Decision:
        meter = Meter(limits, self._stopped)
        if state not in self._table:
            try:
                self._table = solve(state, meter=meter)
            except (SearchStoppedError, TooManyStatesError, NotApplicableError):
                return Decision(state.moves()[0], seconds=meter.seconds, counts=meter.counts)
        values, line = self._table[state], self._line(state)
        return Decision(
            line[0],
            value=values[state.player],
            values=values,
            line=line,
            depth=len(line),
            exact=True,
            seconds=meter.seconds,
            counts=meter.counts,
        )

    def _line(self, state: State) -> tuple[Move, ...]:
        """Best play by all, as far as it is certain."""
        line = []
        while state.player >= 0:
            line.append(self._best(state))
            state = state.play(line[-1])
        return tuple(line)

    def _best(self, state: State) -> Move:
        return max(state.moves(), key=lambda move: self._table[state.play(move)][state.player])
