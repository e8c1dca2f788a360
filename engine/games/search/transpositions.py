"""The transposition table: what was found out about a state need not be searched for again."""

from typing import NamedTuple

from engine.games.rules.game import Move, State
from engine.system.memory import Headroom

ENTRIES = 400_000  # of plain Python states that is some 200 MB
_LOOK_EVERY = 256  # fresh entries between looks at what memory is left


class Entry(NamedTuple):
    """`value` is for the player to move, `depth` in plies, infinite where no estimate was used.

    `at_least`, `at_most`: whether the value is a lower bound, an upper bound; if both, it is exact. `line`:
    the best moves from here, where they are known.
    """

    depth: float
    value: float
    at_least: bool
    at_most: bool
    line: tuple[Move, ...]

    def settles(self, depth: int, alpha: float, beta: float) -> bool:
        """Whether the entry makes a search of `depth` plies with this window unnecessary."""
        if self.depth < depth:
            return False
        exact = self.at_least and self.at_most
        return exact or (self.value >= beta if self.at_least else self.value <= alpha)


class Transpositions:
    """Two halves: entries go into the fresh one; when it is full, it replaces the old one.

    If memory runs out before there are `entries`, all are forgotten, and the table never grows beyond that
    size.
    """

    def __init__(self, entries: int = ENTRIES) -> None:
        self._half = max(1, entries // 2)
        self._headroom = Headroom()
        self._fresh: dict[State, Entry] = {}
        self._old: dict[State, Entry] = {}

    def __len__(self) -> int:
        return len(self._fresh) + len(self._old)

    def get(self, state: State) -> Entry | None:
        return self._fresh.get(state) or self._old.get(state)

    def put(self, state: State, entry: Entry) -> None:
        if len(self._fresh) % _LOOK_EVERY == _LOOK_EVERY - 1 and not self._headroom.is_left():
            self._half = max(1, len(self) // 2)
            self._old, self._fresh = {}, {}
        if len(self._fresh) >= self._half and state not in self._fresh:
            self._old, self._fresh = self._fresh, {}
        self._fresh[state] = entry
