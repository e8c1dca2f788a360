"""The nodes of the tree of compiled UCT, in memory that is reserved once."""

import cython

from engine.games.rules.compiled_state import Moves
from engine.memory import reserve_most

if not cython.compiled:
    UNKNOWN, LOSS, DRAW, WIN = 0, 1, 2, 3

_BYTES = 27  # of a node: sum 8, visits, move, parent and first child 4 each, count 2, proven 1
_BYTES_MORE = 12  # with AMAF, and with priors: 8 and 4
_BYTES_OF_POLICY = 4  # a probability
_DROPPED = -1  # the parent of a node that goes, or of the root


class Nodes:
    """Nodes by number. 0 is the root; children lie side by side, and behind their parent.

    The numbers of a node are about the move that leads to it, from the view of its mover: `sums` of results
    from 0 to 1 in `visits` simulations; `proven`, the outcome where it is known. `first` is 0 where there are
    no children.
    """

    def __init__(self, megabytes: int, amaf: bool, priors: bool, chances: bool = False) -> None:
        """Room in `megabytes` of memory, or in less where there is less; unused memory costs nothing.

        `chances`: whether there are probabilities of a policy. Raises NoMemoryError where there is next to no
        memory.
        """
        self.amaf = amaf
        self.priors = priors
        self.policy = chances
        reserved = reserve_most(megabytes << 20, 1 << 20)
        bytes_of_node = _BYTES + _BYTES_MORE * (amaf + priors) + _BYTES_OF_POLICY * chances
        self.capacity = min(len(reserved) // bytes_of_node, 0x7FFFFFFF)
        doubles = 1 + amaf + priors  # an array that is off lies over one that is on, and is never touched
        memory = memoryview(reserved)
        sums = memory[: 8 * doubles * self.capacity].cast("d")
        ints = memory[8 * doubles * self.capacity :][: 4 * (doubles + 3) * self.capacity].cast("i")
        floats = (12 * doubles + 12 if chances else 8 * doubles) * self.capacity
        self.chances = memory[floats:][: 4 * self.capacity].cast("f")
        rest = memory[(12 * doubles + 12 + _BYTES_OF_POLICY * chances) * self.capacity :]
        self.sums = sums[: self.capacity]
        self.amaf_sums = sums[amaf * self.capacity :][: self.capacity]
        self.prior_wins = sums[(amaf + priors) * self.capacity :][: self.capacity]
        self.visits = ints[: self.capacity]
        self.amaf_visits = ints[amaf * self.capacity :][: self.capacity]
        self.prior_visits = ints[(amaf + priors) * self.capacity :][: self.capacity]
        self.moves = ints[doubles * self.capacity :][: self.capacity]
        self.parent = ints[(doubles + 1) * self.capacity :][: self.capacity]
        self.first = ints[(doubles + 2) * self.capacity :][: self.capacity]
        self.count = rest[: 2 * self.capacity].cast("h")
        self.proven = rest[2 * self.capacity : 3 * self.capacity].cast("b")
        self.clear()

    def clear(self) -> None:
        """Remove all nodes but a root that was never visited."""
        self.used = 1
        self.full = False
        self._reset(0, -1, _DROPPED)

    def add_children(self, node: int, moves: Moves, count: int) -> bool:
        """Give a node a child for each of the first `count` moves; False if there is no room for them."""
        if self.used + count > self.capacity:
            self.full = True
            return False
        for i in range(count):
            self._reset(self.used + i, moves.at[i], node)
        self.first[node] = self.used
        self.count[node] = count
        self.used += count
        return True

    def _reset(self, node: int, move: int, parent: int) -> None:
        """A node that was never visited."""
        self.moves[node] = move
        self.parent[node] = parent
        self.sums[node] = 0
        self.visits[node] = 0
        self.first[node] = 0
        self.count[node] = 0
        self.proven[node] = UNKNOWN
        if self.amaf:
            self.amaf_sums[node] = 0
            self.amaf_visits[node] = 0
        if self.priors:
            self.prior_wins[node] = 0
            self.prior_visits[node] = 0
        if self.policy:
            self.chances[node] = 0

    def keep(self, root: int) -> None:
        """Make a node the root, and drop all that are not below it; the others close ranks in their order.

        Parents come before their children, so that each node knows in time where its parent is.
        """
        place = 0
        self.parent[0] = _DROPPED
        for node in range(self.used):
            if node == root:
                self.parent[node] = _DROPPED
            elif self.parent[node] == _DROPPED:
                for child in range(self.first[node], self.first[node] + self.count[node]):
                    self.parent[child] = _DROPPED
                continue
            self._move(node, place)
            place += 1
        self.used = place
        self.full = False

    def _move(self, node: int, place: int) -> None:
        """Move a node to a lower number, or leave it, and update its parent and children."""
        parent = self.parent[node]
        if parent != _DROPPED and self.first[parent] == node:
            self.first[parent] = place
        for child in range(self.first[node], self.first[node] + self.count[node]):
            self.parent[child] = place
        self.moves[place] = self.moves[node]
        self.parent[place] = parent
        self.sums[place] = self.sums[node]
        self.visits[place] = self.visits[node]
        self.first[place] = self.first[node]
        self.count[place] = self.count[node]
        self.proven[place] = self.proven[node]
        if self.amaf:
            self.amaf_sums[place] = self.amaf_sums[node]
            self.amaf_visits[place] = self.amaf_visits[node]
        if self.priors:
            self.prior_wins[place] = self.prior_wins[node]
            self.prior_visits[place] = self.prior_visits[node]
        if self.policy:
            self.chances[place] = self.chances[node]
