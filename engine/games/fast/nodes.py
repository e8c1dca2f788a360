"""The nodes of a compiled tree search, in memory that is reserved once."""

import cython

from engine.games.rules.compiled_state import CompiledState, Moves
from engine.system.memory import reserve_most

if not cython.compiled:
    from engine.games.rules.game import OVER

    UNKNOWN, LOSS, DRAW, WIN = 0, 1, 2, 3
    FEW = 16

_BYTES = 27  # of a node: sum 8, visits, move, parent and first child 4 each, count 2, proven 1
_BYTES_MORE = 12  # with AMAF, and with priors: 8 and 4
_BYTES_OF_POLICY = 4  # a probability
_SOUGHT = 20_000  # nodes looked at to find a state
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
        self._path = [0] * 17
        self._left_to_seek = 0
        self.clear()

    def clear(self) -> None:
        self.used = 1
        self.full = False
        self._reset(0, -1, _DROPPED)

    def restrict(self, moves: frozenset[int]) -> int:
        """Search only these root moves until the tree's next `begin`: the others count as lost.

        The outcome that this proves for the player to move, or UNKNOWN.
        """
        for child in range(self.first[0], self.first[0] + self.count[0]):
            if self.moves[child] not in moves:
                self.proven[child] = LOSS
        return self.settled(0)

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
        self.full = False
        if root == 0:
            return
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

    def find(self, start: CompiledState, work: CompiledState, wanted: CompiledState) -> int:
        """The node of a state at most `players` moves from that of the root, `start`, or -1.

        Only nodes with children are looked at. `work` is room to work in.
        """
        self._left_to_seek = _SOUGHT
        return self._seek(0, 0, start, work, wanted)

    def _seek(
        self, node: int, depth: int, start: CompiledState, work: CompiledState, wanted: CompiledState
    ) -> int:
        """The node of a state among those with children from here down, or -1."""
        self._path[depth] = node
        work.assign(start)
        for i in range(1, depth + 1):
            work.advance(self.moves[self._path[i]])
        if work.player == wanted.player and work.key() == wanted.key() and work.same(wanted):
            return node
        self._left_to_seek -= 1
        if depth < wanted.players:
            for child in range(self.first[node], self.first[node] + self.count[node]):
                if self.first[child] and self._left_to_seek > 0:
                    found = self._seek(child, depth + 1, start, work, wanted)
                    if found >= 0:
                        return found
        return -1

    def look_ahead(self, node: int, state: CompiledState, work: CompiledState) -> None:
        """Find the children of a node that end the game; `state` is its own, `work` room to work in."""
        for child in range(self.first[node], self.first[node] + self.count[node]):
            work.assign(state)
            work.advance(self.moves[child])
            if work.player == OVER:
                self.proven[child] = outcome_of(work.payoff_of(state.player))

    def settled(self, node: int) -> int:
        """The outcome that the children prove for the player to move in a node, or UNKNOWN."""
        best, known = LOSS, True
        for child in range(self.first[node], self.first[node] + self.count[node]):
            proven = self.proven[child]
            if proven == WIN:
                return WIN
            if proven == UNKNOWN:
                known = False
            elif proven > best:
                best = proven
        return best if known else UNKNOWN

    def line(self, node: int) -> tuple[int, ...]:
        """The move that leads to a node, and what is likeliest to follow: see `robust_child`."""
        moves = [self.moves[node]]
        node = self.robust_child(node)
        while node and (self.visits[node] or self.proven[node] != UNKNOWN):
            moves.append(self.moves[node])
            node = self.robust_child(node)
        return tuple(moves)

    def robust_child(self, node: int) -> int:
        """The child with a proven win, else the most visited without a proven loss; 0 without children.

        Of several the one with the greatest mean, and then the first.
        """
        best, best_rank, best_mean = 0, -1, 0.0
        for child in range(self.first[node], self.first[node] + self.count[node]):
            proven, visits = self.proven[child], self.visits[child]
            rank = 2 if proven == WIN else 0 if proven == LOSS else 1
            mean = self.sums[child] / visits if visits else -1.0
            if proven != UNKNOWN:
                mean = (proven - LOSS) / 2
            if (
                rank > best_rank
                or (rank == best_rank and visits > self.visits[best])
                or (rank == best_rank and visits == self.visits[best] and mean > best_mean)
            ):
                best, best_rank, best_mean = child, rank, mean
        return best


def outcome_of(payoff: float) -> int:
    """A payoff of one of two players as an outcome; UNKNOWN if it is not -1, 0 or 1."""
    if payoff == 1:
        return WIN
    if payoff == -1:
        return LOSS
    return DRAW if payoff == 0 else UNKNOWN
