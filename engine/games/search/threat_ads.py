"""Threat-ADS: Best-Reply Search that asks the most dangerous opponent first.

Cut-offs come soonest where the strongest reply is looked at first. So the opponents stand in an adaptive
data structure, a list like those that make linear search faster: it is asked in its order, and after each MIN
node the opponent whose reply was the most minimising moves forward in it, by one of two rules. The list lives
as long as the game: pass the same one to every search of one player.

Source: S. Polk and B. J. Oommen, On Applying Adaptive Data Structures to Multi-Player Game Playing, SGAI
2013.
"""

from engine.games.rules.game import State
from engine.games.search.basics import Estimate, Meter, Result
from engine.games.search.best_reply import InTurn, best_reply


class MoveToFront(InTurn):
    """The opponent who is blamed moves to the front: quick to learn, and quick to forget."""

    def blame(self, opponent: int) -> None:
        self.order.remove(opponent)
        self.order.insert(0, opponent)


class Transposition(InTurn):
    """The opponent who is blamed changes places with the one before: slower, and steadier."""

    def blame(self, opponent: int) -> None:
        i = self.order.index(opponent)
        if i > 0:
            self.order[i - 1], self.order[i] = opponent, self.order[i - 1]


RULES: dict[str, type[MoveToFront | Transposition]] = {
    "move-to-front": MoveToFront,
    "transposition": Transposition,
}


def threat_ads(
    state: State, depth: int, estimate: Estimate, meter: Meter, threats: MoveToFront | Transposition
) -> Result:
    """The value and the move of `best_reply`, mostly with fewer nodes.

    `threats` is the list of the player who is to move; it begins in the order of turns.
    """
    return best_reply(state, depth, estimate, meter, threats)
