"""Tree search with a policy and a value instead of random games: PUCT, as AlphaZero has it.

The tree does not know who evaluates: it hands out what is to be seen in positions and takes back what was
found there. Several leaves can be handed out at once; each counts as lost until its value is known.

Rosin, "Multi-armed bandits with episode context" (2011); Silver et al., "A general reinforcement learning
algorithm that masters chess, shogi, and Go through self-play" (2018).
"""

from dataclasses import dataclass

import cython

from engine.games.fast.nodes import Nodes
from engine.games.rules.compiled_state import CompiledState, Moves, Random
from engine.system.control import Control

if not cython.compiled:
    from math import cos, exp, log, sqrt

    from engine.games.fast.nodes import DRAW, FEW, LOSS, UNKNOWN, WIN, outcome_of
    from engine.games.rules.game import OVER

_BASE = 19652.0  # visits beyond which exploration grows; of AlphaZero


@dataclass(frozen=True)
class PuctOptions:
    """The options of a search.

    - `playouts`: simulations of a move where the limits name neither playouts nor seconds nor nodes
    - `exploration`: c in Q + c · P · sqrt(N) / (1 + n), Q from -1 to 1
    - `reduction`: first-play urgency: a move without visits is worth as much as its parent, less this times
      the root of the probability of the moves tried
    - `games`: random games from each leaf; `mixing`: how much of a leaf's value is their mean, from 0 to 1,
      the rest being the evaluator's; `expand_after`: visits, with random games alone, before a leaf is
      evaluated. Silver et al., "Mastering the game of Go with deep neural networks and tree search" (2016)
    - `batch`: the most leaves that wait for their evaluation together
    - `solver`: prove wins, draws and losses
    - `reuse`: keep the tree from move to move
    - `megabytes`: memory for nodes, or less where there is less; once it is used up, the tree stops growing
    """

    playouts: int = 400
    exploration: float = 1.25
    reduction: float = 0.2
    games: int = 0
    mixing: float = 0.5
    expand_after: int = 1
    batch: int = 8
    solver: bool = True
    reuse: bool = True
    megabytes: int = 256


class PuctTree:
    """A tree, the state at its root, and what can be done with them.

    Only for states with planes. The numbers of nodes are as in `Nodes`; of its priors, `prior_wins` is the
    probability that the policy gives to the move, and `prior_visits` is 1 while a node waits.
    """

    def __init__(
        self, nodes: Nodes, control: Control, kind: CompiledState, seed: int, options: PuctOptions
    ) -> None:
        """For states such as `kind`. `nodes` must have room for priors."""
        self.nodes = nodes
        self.after = self  # or the next one, of several that are searched side by side
        self.batch = options.batch
        self._control = control
        self._random = Random(seed)
        self._moves, self._room, self._trace = Moves(), Moves(), Moves()
        self._exploration = options.exploration
        self._reduction = options.reduction
        self._games = options.games
        self._expand_after = options.expand_after if options.games else 1
        self._mixing = options.mixing if options.games else 0.0
        self._solver = options.solver
        self._noise = self._noise_total = 0.0
        self._places = kind.plane_rows * kind.plane_columns + 1
        self._leaves = memoryview(bytearray(4 * options.batch)).cast("i")
        self._place = memoryview(bytearray(4 * options.batch * self._places)).cast("i")
        self._played_out = memoryview(bytearray(8 * options.batch)).cast("d")
        self._noises = memoryview(bytearray(8 * self._places)).cast("d")
        self._depth = 0
        self._last = self._last_visited = 0
        self.start, self._work, self._scratch = kind.copy(), kind.copy(), kind.copy()
        self.outcome = UNKNOWN
        self.waiting = 0
        self.played = self.visited = self.expanded = 0

    def clear(self) -> None:
        self.nodes.clear()
        self.played = self.visited = self.expanded = 0

    def begin(self, state: CompiledState, reuse: bool) -> None:
        """Go on from another state; if `reuse`, with the part of the tree below it. Nothing may wait."""
        known = self.nodes.find(self.start, self._work, state) if reuse else -1
        if known < 0:
            self.nodes.clear()
        else:
            self.nodes.keep(known)
        self.start.assign(state)
        self._noise = 0.0
        self.outcome = self.nodes.settled(0) if self._solver and self.nodes.first[0] else UNKNOWN

    def restart(self, state: CompiledState) -> None:
        self.nodes.clear()
        self.start.assign(state)
        self._noise = 0.0
        self.outcome = UNKNOWN

    def state(self) -> CompiledState:
        return self.start.copy()

    def go_on(self, child: int) -> None:
        """Go on from the state after a move at the root, with the part of the tree below it."""
        self.start.advance(self.nodes.moves[child])
        self.nodes.keep(child)
        self._noise = 0.0
        self.outcome = self.nodes.settled(0) if self._solver and self.nodes.first[0] else UNKNOWN

    def add_noise(self, weight: float, total: float) -> None:
        """Mix Dirichlet noise into the policy at the root, with this weight.

        Its parameters add up to `total`. First-play urgency is then not reduced there.
        """
        self._noise, self._noise_total = weight, total
        if self.nodes.first[0]:
            self._mix_noise()

    def allow(self, playouts: int) -> None:
        """Let `gather` go on for so many simulations."""
        self._last = self.played + playouts
        self._last_visited = 1 << 62

    def limit(self, playouts: int, nodes: int) -> None:
        """Let `gather` go on for so many simulations, or until so many nodes were visited."""
        self._last = self.played + playouts
        self._last_visited = self.visited + nodes

    def gather(self, planes: "memoryview[float]", most: int) -> int:
        """Simulate until `most` leaves wait to be evaluated, or no more can; return how many do.

        Their planes, float32 as `CompiledState.fill_planes` has them, are written side by side. 0: the search
        is over, by its limits, by a proven outcome or by a stop.
        """
        with cython.nogil:
            self.collect(planes, 0, most)
        return self.waiting

    def absorb(self, policy: "memoryview[float]", values: "memoryview[float]") -> None:
        """What an evaluator found in the positions gathered last: logits by `policy_index`, and values.

        Float32; values from -1 to 1 for the player to move.
        """
        with cython.nogil:
            self.take(policy, values, 0)

    def children(self, node: int) -> range:
        return range(self.nodes.first[node], self.nodes.first[node] + self.nodes.count[node])

    def seen(self, node: int) -> tuple[int, int, float, int, float]:
        """The move that leads to a node, its visits, the mover's mean payoff, what is proven, its prior."""
        nodes = self.nodes
        visits, proven = nodes.visits[node], nodes.proven[node]
        mean = nodes.sums[node] / visits if visits else 0.5
        if proven != UNKNOWN:
            mean = (proven - LOSS) / 2
        return nodes.moves[node], visits, 2 * mean - 1, proven, nodes.prior_wins[node]

    def collect(self, planes: "memoryview[float]", first: int, most: int) -> int:
        self.waiting = 0
        size = self.start.plane_count * (self._places - 1)
        most = min(most, self.batch)
        while (
            self.waiting < most
            and self.played + self.waiting < self._last
            and self.visited < self._last_visited
            and self.outcome == UNKNOWN
            and not self._control.expired()
        ):
            node = self._descend()
            if self.nodes.prior_visits[node]:  # all leads to what waits already
                break
            self.visited += self._depth + 1
            if self._is_decided(node):
                continue
            if node and self.nodes.visits[node] + 1 < self._expand_after:
                self._finish(node, (1.0 - self._play_out()) * 0.5)
                continue
            self._await(node, planes, first + self.waiting * size)
            if self.nodes.proven[node] != UNKNOWN:
                self._finish(node, (self.nodes.proven[node] - LOSS) * 0.5)
                continue
            self.nodes.prior_visits[node] = 1
            self._leaves[self.waiting] = node
            self._played_out[self.waiting] = self._play_out()
            self.waiting += 1
            self._count(node)
        return self.waiting

    def take(self, policy: "memoryview[float]", values: "memoryview[float]", row: int) -> None:
        for slot in range(self.waiting):
            node = self._leaves[slot]
            self.nodes.prior_visits[node] = 0
            self._set_priors(node, slot, policy, (row + slot) * self._places)
            if node == 0 and self._noise > 0.0:
                self._mix_noise()
            self._uncount(node)
            value = values[row + slot]
            value += self._mixing * (self._played_out[slot] - value)
            self._finish(node, (1.0 - value) * 0.5)
        self.waiting = 0

    def _descend(self) -> int:
        """Selection: go to the best child until there are none, or the node waits."""
        self._work.assign(self.start)
        node = self._depth = 0
        while (
            self.nodes.first[node]
            and not self.nodes.prior_visits[node]
            and (self.nodes.proven[node] == UNKNOWN or node == 0)
        ):
            node = self._select(node)
            self._work.advance(self.nodes.moves[node])
            self._depth += 1
        return node

    def _select(self, node: int) -> int:
        """The child with the highest upper confidence bound (PUCT), not a proven loss."""
        first = self.nodes.first[node]
        visits = self.nodes.visits[node]
        scale = (self._exploration + log((visits + _BASE + 1.0) / _BASE)) * sqrt(visits)
        unseen = 1.0 - 2.0 * self.nodes.sums[node] / visits
        if node or self._noise == 0.0:
            explored = 0.0
            for child in range(first, first + self.nodes.count[node]):
                if self.nodes.visits[child]:
                    explored += self.nodes.prior_wins[child]
            unseen -= self._reduction * sqrt(explored)
        best, best_value = first, -1e9
        for child in range(first, first + self.nodes.count[node]):
            if self.nodes.proven[child] == LOSS:
                continue
            visits = self.nodes.visits[child]
            value = unseen
            if self.nodes.proven[child] == DRAW:
                value = 0.0
            elif visits > 0.0:
                value = 2.0 * self.nodes.sums[child] / visits - 1.0
            value += self.nodes.prior_wins[child] * scale / (1.0 + visits)
            if value > best_value:
                best, best_value = child, value
        return best

    def _is_decided(self, node: int) -> bool:
        """Whether the value of a leaf needs no evaluation; then the simulation is finished."""
        if self._work.player == OVER and self.nodes.proven[node] == UNKNOWN:
            mover = self.start.player if self._depth & 1 else 1 - self.start.player
            if not self._solver:
                self._finish(node, (1.0 + self._work.reward_of(mover)) * 0.5)
                return True
            self.nodes.proven[node] = outcome_of(self._work.payoff_of(mover))
        if self.nodes.proven[node] == UNKNOWN:
            return False
        self._finish(node, (self.nodes.proven[node] - LOSS) * 0.5)
        return True

    def _await(self, node: int, planes: "memoryview[float]", first: int) -> None:
        """Expansion: give a leaf its children, and write down what is to be seen there.

        Without room for children the leaf is evaluated all the same, each time that it is reached.
        """
        count = self._work.generate_sensible(self._moves)
        if self.nodes.add_children(node, self._moves, count):
            self.expanded += 1
            for i in range(count):
                self._place[self.waiting * self._places + i] = self._work.policy_index(self._moves.at[i])
            if self._solver and count <= FEW:
                self.nodes.look_ahead(node, self._work, self._scratch)
                self._prove(node)
        self._work.fill_planes(planes, first)

    def _play_out(self) -> float:
        """The mean payoff of random games from a leaf, for the player to move there."""
        total = 0.0
        for _ in range(self._games):
            self._scratch.assign(self._work)
            self._scratch.play_out(self._random, self._room, self._trace)
            total += self._scratch.reward_of(self._work.player)
        return total / self._games if self._games else total

    def _set_priors(self, node: int, slot: int, policy: "memoryview[float]", at: int) -> None:
        """Softmax: the probabilities of the moves, from the logits that begin at `policy[at]`."""
        first, count = self.nodes.first[node], self.nodes.count[node]
        place = slot * self._places
        most = -1e30
        for i in range(count):
            most = max(most, policy[at + self._place[place + i]])
        total = 0.0
        for i in range(count):
            share = exp(policy[at + self._place[place + i]] - most)
            self.nodes.prior_wins[first + i] = share
            total += share
        for i in range(count):
            self.nodes.prior_wins[first + i] /= total

    def _mix_noise(self) -> None:
        """Let the policy at the root be partly random: Dirichlet's distribution."""
        first, count = self.nodes.first[0], self.nodes.count[0]
        total = 0.0
        for i in range(count):
            share = gamma(self._random, self._noise_total / count)
            self._noises[i] = share
            total += share
        if total > 0.0:
            for i in range(count):
                mixed = (1.0 - self._noise) * self.nodes.prior_wins[first + i]
                self.nodes.prior_wins[first + i] = mixed + self._noise * self._noises[i] / total

    def _count(self, node: int) -> None:
        """Virtual loss: a visit without a win for each mover on the path to a leaf."""
        self.nodes.visits[node] += 1
        while node:
            node = self.nodes.parent[node]
            self.nodes.visits[node] += 1

    def _uncount(self, node: int) -> None:
        self.nodes.visits[node] -= 1
        while node:
            node = self.nodes.parent[node]
            self.nodes.visits[node] -= 1

    def _finish(self, node: int, share: float) -> None:
        """Backpropagation: credit the path to a leaf, whose mover got `share`, from 0 to 1.

        MCTS-Solver (Winands, Björnsson and Saito, 2008), draws included: what is proven of a node may settle
        its parent, and is then the result of the simulation from there on up.
        """
        settling = self._solver and self.nodes.proven[node] != UNKNOWN
        self.played += 1
        while True:
            self.nodes.visits[node] += 1
            self.nodes.sums[node] += share
            if node == 0:
                break
            node = self.nodes.parent[node]
            share = 1.0 - share
            if settling:
                settling = self._prove(node)
                if settling and node:
                    share = (self.nodes.proven[node] - LOSS) * 0.5

    def _prove(self, node: int) -> bool:
        """Whether the children settle a node: noted from its mover's view, at the root of the one to move."""
        settled = self.nodes.settled(node)
        if settled == UNKNOWN:
            return False
        if node == 0:
            self.outcome = settled
        else:
            self.nodes.proven[node] = WIN + LOSS - settled
        return True


def uniform(random: Random) -> float:
    """A random number above 0, up to 1."""
    return ((random.bits() >> 11) + 1) * (1.0 / 9007199254740992.0)


def gamma(random: Random, shape: float) -> float:
    """A random number of the gamma distribution.

    Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).
    """
    scale = 1.0
    if shape < 1.0:
        scale = exp(log(uniform(random)) / shape)
        shape += 1.0
    less = shape - 1.0 / 3.0
    while True:
        x = sqrt(-2.0 * log(uniform(random))) * cos(6.283185307179586 * uniform(random))
        v = 1.0 + x / sqrt(9.0 * less)
        if v > 0.0:
            v = v * v * v
            u = uniform(random)
            if log(u) < 0.5 * x * x + less - less * v + less * log(v):
                return less * v * scale
