"""Best-Reply Search and Threat-ADS for a whole game: the lists of opponents live as long as it does.

States that are compiled are searched by the compiled twin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.games.compiled.reply_search import ReplySearch
from engine.games.rules.compiled_state import CompiledState
from engine.games.textbook.best_reply import InTurn, best_reply
from engine.games.textbook.threat_ads import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.games.rules.interface import Game, State
    from engine.games.textbook.limits import Meter
    from engine.games.textbook.result import Result


class BestReply:
    """Searches for whoever is to move; without a rule the opponents are asked in the order of turns."""

    def __init__(self, game: Game[Any], rule: str = "in-turn") -> None:
        """Rules are those of threat_ads."""
        self._players = game.players
        self._rule = rule
        self._lists: dict[int, InTurn] = {}
        self._searches: dict[int, ReplySearch] = {}

    def __call__(
        self, state: State, depth: int, estimate: Callable[[State], Sequence[float]], meter: Meter
    ) -> Result:
        """See best_reply."""
        me = state.player
        if isinstance(state, CompiledState):
            search = self._searches.get(me)
            if search is None:
                search = self._searches[me] = ReplySearch(state, self._rule)
            result = search.search(state, depth, meter)
            if search.estimated:
                estimate(state)  # whoever deepens learns that deeper may be different
            return result
        opponents = self._lists.setdefault(me, RULES.get(self._rule, InTurn)(me, self._players))
        return best_reply(state, depth, estimate, meter, opponents)
