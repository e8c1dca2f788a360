"""The compiled twin of search/uct.py: whole runs of simulations without the interpreter's lock.

With the solver, priors and AMAF off it grows the same tree, simulation for simulation.
"""

from dataclasses import dataclass

import cython

from engine.games.fast.nodes import Nodes
from engine.games.networks.network import PolicyNetwork
from engine.games.rules.compiled_state import CompiledState, Moves, Priors, Random
from engine.system.control import Control

if not cython.compiled:
    from math import exp, log, sqrt

    from engine.games.fast.nodes import FEW, LOSS, UNKNOWN, WIN, outcome_of
    from engine.games.rules.game import OVER

MOST_PLAYERS = 16
_DEEPEST = 1024  # plies below the root, where the tree ends
_MARKS = 65536  # moves with greater numbers take no part in AMAF
_LOOK_EVERY = 8  # simulations between looks at the clock
_MOST_VISITS = 2_000_000_000  # of the root, all trees before it included: nodes count in 32 bits
_WIDEST, _FIRST_WIDENING = 4096, 40.0  # moves of a node; visits before the second is tried


@dataclass(frozen=True)
class UctOptions:
    """The options of a search; by default plain UCT with priors and a solver.

    - `playouts`: simulations of a move where the limits name neither playouts nor seconds nor nodes
    - `exploration`: c in win rate + c·sqrt(ln N / n)
    - `expand_after`: visits of a node before it gets children; 1 is the textbook
    - `rave`: the simulations after which AMAF and win rate weigh the same; 0 for no AMAF
    - `priors`: begin with what the game knows of moves, if it knows anything
    - `policy`: with `priors`, in their place, the simulations won that the game's learned policy gives to its
      likeliest move, the fewer the less likely a move is; 0 for no policy, and so for no `widening`
    - `network_after`, `network_visits`, `network_bias`: see UctTree.consult
    - `widening`: moves are tried in the order of their probabilities, the k-th after 40·(1 + … + w^(k - 2))
      visits of the node, where this is w; 0 for all at once
    - `solver`: prove wins, draws and losses; only for two players, and with payoffs of -1, 0 and 1
    - `reuse`: keep the tree from move to move
    - `by_win_rate`: play the move with the best mean, not the one most visited
    - `megabytes`: memory for nodes, or less where there is less; once it is used up, the tree stops growing
    """

    playouts: int = 10_000
    exploration: float = 1.0
    expand_after: int = 1
    rave: float = 0.0
    priors: bool = True
    policy: float = 0.0
    network_after: int = 16
    network_visits: int = 8
    network_bias: float = 0.3
    widening: float = 0.0
    solver: bool = True
    reuse: bool = True
    by_win_rate: bool = False
    megabytes: int = 256


class UctTree:
    """A tree, the state at its root, and what can be done with them."""

    def __init__(
        self, nodes: Nodes, control: Control, seed: int, payoffs: tuple[float, float], options: UctOptions
    ) -> None:
        """`payoffs`: the least and the greatest. Only for -1, 0 and 1 of two players is there a solver."""
        self.nodes = nodes
        self._control = control
        self._seed = seed << 32 & 0xFFFFFFFFFFFFFFFF
        self._low = payoffs[0]
        self._scale = 1 / (payoffs[1] - payoffs[0])
        self._exploration = options.exploration
        self._expand_after = options.expand_after
        self._rave = options.rave
        self._solver = options.solver
        self._random = Random(0)
        self._moves, self._trace = Moves(), Moves()
        self._priors = Priors(options.policy)
        self._widening = options.widening
        self._path = [0] * 1024
        self._movers = [0] * 1024
        self._share = [0.0] * 16
        self._marks = [0] * 65536
        self._network_after, self._network_visits = options.network_after, options.network_visits
        self._network_bias = options.network_bias
        self._depth = 0
        self._start = self._work = self._scratch = CompiledState(0)  # that is, none
        self.outcome = UNKNOWN
        self.played = self.visited = self.expanded = 0

    def consult(self, network: PolicyNetwork) -> None:
        """From now on ask a network about each node that gets children, after `network_after` visits.

        Its policy stands in place of the game's: c·p·sqrt(N) / (1 + n) is added to the value of a move of
        probability p, with c for `network_bias`. Its value counts as `network_visits` simulations of the
        node, and of those above it. It must be for this game and size, and `policy` not 0.
        """
        squares = network.rows * network.columns
        self._network = network
        self._planes, self._logits, self._value = (
            memoryview(bytearray(4 * count)).cast("f")
            for count in (squares * network.shape.planes, squares + 1, 1)
        )
        self._expand_after = max(self._expand_after, self._network_after)
        self._priors.chances_given = True

    def clear(self) -> None:
        self.nodes.clear()
        self._start = CompiledState(0)
        self.played = self.visited = self.expanded = 0
        for move in range(_MARKS):  # marks hold numbers of simulations, which begin again
            self._marks[move] = 0

    def begin(self, state: CompiledState, reuse: bool) -> None:
        """Go on from another state; if `reuse`, with the part of the tree below it."""
        known = -1
        if reuse and type(state) is type(self._start) and state.players == self._start.players:
            known = self.nodes.find(self._start, self._work, state)
        if known < 0:
            self.nodes.clear()
        else:
            self.nodes.keep(known)
        self._start, self._work, self._scratch = state.copy(), state.copy(), state.copy()
        self._movers[0] = state.player
        self._depth = 0
        self.outcome = UNKNOWN
        if self.nodes.first[0] == 0:
            self._expand(0)
        elif self._solver:
            self.outcome = self.nodes.settled(0)

    def run(self, most: int, most_visited: int) -> None:
        """Simulate `most` times, or until `most_visited` nodes, a proven outcome, or a stop."""
        self._run(most, most_visited)

    def children(self, node: int) -> range:
        return range(self.nodes.first[node], self.nodes.first[node] + self.nodes.count[node])

    def seen(self, node: int) -> tuple[int, int, float, int, float]:
        """The move that leads to a node, its visits, the mover's mean payoff, what is proven, its prior.

        The prior is 0 without a policy.
        """
        nodes = self.nodes
        visits, proven = nodes.visits[node], nodes.proven[node]
        mean = nodes.sums[node] / visits if visits else 0.5
        if proven != UNKNOWN:
            mean = (proven - LOSS) / 2
        prior = nodes.chances[node] if nodes.policy else 0.0
        return nodes.moves[node], visits, mean / self._scale + self._low, proven, prior

    def _run(self, most: int, most_visited: int) -> None:
        with cython.nogil:
            first = self.played
            last = first + most
            last_visited = self.visited + most_visited
            while self.played < last and self.visited < last_visited and self.outcome == UNKNOWN:
                if self.nodes.visits[0] >= _MOST_VISITS:
                    break
                if self.played % _LOOK_EVERY == 0:
                    self._control.expired()
                if self._control.stopped() and self.played > first:  # even a late search has something to say
                    break
                self._simulate()

    def _simulate(self) -> None:
        """One simulation: selection and expansion, a random game to its end, and backpropagation."""
        node = self._select_path()
        if self._solver and self._work.player == OVER:
            self.nodes.proven[node] = outcome_of(self._work.payoff_of(self._movers[self._depth - 1]))
        if self.nodes.proven[node] != UNKNOWN:
            self._trace.count = 0
            self._share_proven(self.nodes.proven[node], self._movers[self._depth - 1])
        else:
            self._play_out()
        if self.nodes.amaf:
            self._credit_amaf()
        self._backpropagate()
        self.played += 1
        self.visited += self._depth + 1

    def _select_path(self) -> int:
        """Selection: go to the best child until there are none; a node visited often enough is expanded."""
        self._work.assign(self._start)
        node = self._path[0] = 0
        self._depth = 0
        while True:
            self._movers[self._depth] = self._work.player
            if self._depth == _DEEPEST - 1:
                break
            if self.nodes.first[node] == 0 and (
                self._work.player == OVER
                or self.nodes.visits[node] < self._expand_after
                or not self._expand(node)
            ):
                break
            if self.nodes.proven[node] != UNKNOWN and node != 0:
                break
            node = self._select(node)
            self._work.advance(self.nodes.moves[node])
            self._depth += 1
            self._path[self._depth] = node
        return node

    def _expand(self, node: int) -> bool:
        """Expansion: give the last node of the path its children; False if there is no room for them."""
        if self.nodes.full:
            return False
        count = self._work.generate_sensible(self._moves)
        if self._priors.chances_given:
            self._ask_network(count)
        if self.nodes.priors:
            self._work.set_priors(self._moves, count, self._priors)
        if self._widening > 0:
            _sort(self._moves, self._priors, count)
        if not self.nodes.add_children(node, self._moves, count):
            return False
        self.expanded += 1
        if self.nodes.priors:
            self._note_priors(node)
        if self._priors.chances_given:
            self._credit_value()
        if self._solver and count <= FEW:
            self.nodes.look_ahead(node, self._work, self._scratch)
            self._prove(self._depth)
        return True

    def _ask_network(self, count: int) -> None:
        """Let a network say how likely each of the moves just generated is, and who is ahead."""
        self._work.fill_planes(self._planes, 0)
        self._network.evaluate_some(self._planes, 0, 1, self._logits, self._value)
        most = -1e9
        for i in range(count):
            self._priors.chances[i] = self._logits[self._work.policy_index(self._moves.at[i])]
            most = max(most, self._priors.chances[i])
        total = 0.0
        for i in range(count):
            self._priors.chances[i] = exp(self._priors.chances[i] - most)
            total += self._priors.chances[i]
        for i in range(count):
            self._priors.chances[i] = self._priors.chances[i] / total

    def _credit_value(self) -> None:
        self.nodes.visits[0] += self._network_visits
        for depth in range(self._depth, 0, -1):
            value = 0.5 + 0.5 * self._value[0]
            if self._movers[depth - 1] != self._work.player:
                value = 1.0 - value
            self.nodes.visits[self._path[depth]] += self._network_visits
            self.nodes.sums[self._path[depth]] += self._network_visits * value

    def _note_priors(self, node: int) -> None:
        first = self.nodes.first[node]
        for i in range(self.nodes.count[node]):
            self.nodes.prior_visits[first + i] = self._priors.visits[i]
            self.nodes.prior_wins[first + i] = self._priors.wins[i]
            if self.nodes.policy:
                self.nodes.chances[first + i] = self._priors.chances[i]

    def _select(self, node: int) -> int:
        """The child with the highest upper confidence bound (UCB1), not a proven loss.

        A child without visits, priors or AMAF comes first. Progressive widening is as in Coulom (2007), the
        bias of a network as in Rosin, "Multi-armed bandits with episode context" (2011), and AlphaGo.
        """
        first = self.nodes.first[node]
        log_visits = _log(self.nodes.visits[node])
        root_of_visits = sqrt(self.nodes.visits[node])
        left = self._width(self.nodes.visits[node])
        best, best_value = first, -1.0
        for child in range(first, first + self.nodes.count[node]):
            if self.nodes.proven[child] == LOSS:
                continue
            left -= 1
            if left < 0:
                break
            value = self._mean(child)
            if value < 0:
                return child
            visits = self.nodes.visits[child]
            if visits == 0:
                visits = 1
            value += self._exploration * sqrt(log_visits / visits)
            if self._priors.chances_given:
                chance = self.nodes.chances[child]
                value += self._network_bias * chance * root_of_visits / (1 + self.nodes.visits[child])
            if value > best_value:
                best, best_value = child, value
        return best

    def _width(self, visits: int) -> int:
        if self._widening == 0:
            return _WIDEST
        width = 1
        step = _FIRST_WIDENING
        threshold = step
        while visits >= threshold and width < _WIDEST:
            width += 1
            step *= self._widening
            threshold += step
        return width

    def _mean(self, node: int) -> float:
        """The weighted mean of simulations through a node, priors and AMAF; less than 0 if there are none.

        For n simulations, priors included, and m of AMAF, the weight of AMAF is m / (n + m + nm/k), with the
        least squared error; 1/k is 4b² in Gelly and Silver, "Monte-Carlo tree search and rapid action value
        estimation in computer Go" (2011). With plenty of AMAF both weigh the same at n = k.
        """
        visits: float = self.nodes.visits[node]
        sums = self.nodes.sums[node]
        if self.nodes.priors:
            visits += self.nodes.prior_visits[node]
            sums += self.nodes.prior_wins[node]
        mean = sums / visits if visits > 0 else -1.0
        if not self.nodes.amaf or self.nodes.amaf_visits[node] == 0:
            return mean
        amaf_visits: float = self.nodes.amaf_visits[node]
        weight = amaf_visits / (visits + amaf_visits + visits * amaf_visits / self._rave)
        return (1 - weight) * mean + weight * (self.nodes.amaf_sums[node] / amaf_visits)

    def _play_out(self) -> None:
        """A random game from the state at hand, and the result of each player, from 0 to 1."""
        self._random.reseed(self._seed + self.played)
        self._work.play_out(self._random, self._moves, self._trace)
        for player in range(self._work.players):
            self._share[player] = (self._work.reward_of(player) - self._low) * self._scale

    def _share_proven(self, outcome: int, mover: int) -> None:
        self._share[mover] = (outcome - LOSS) * 0.5
        self._share[1 - mover] = (WIN - outcome) * 0.5

    def _prove(self, depth: int) -> bool:
        """Whether the children settle a node of the path.

        The outcome is noted from the view of the node's mover, at the root from that of the player to move.
        """
        settled = self.nodes.settled(self._path[depth])
        if settled == UNKNOWN:
            return False
        if depth == 0:
            self.outcome = settled
        elif self._movers[depth] == self._movers[depth - 1]:
            self.nodes.proven[self._path[depth]] = settled
        else:
            self.nodes.proven[self._path[depth]] = WIN + LOSS - settled
        return True

    def _credit_amaf(self) -> None:
        """All moves as first: credit each child along the path whose move its mover was the first to make."""
        base = self.played + 1 << 4  # 0 is on moves that were never made
        for i in range(self._trace.count - 1, -1, -1):
            self._mark(self._trace.at[i], base | self._trace.by[i])
        for depth in range(self._depth - 1, -1, -1):
            node = self._path[depth]
            mark = base | self._movers[depth]
            share = self._share[self._movers[depth]]
            self._mark(self.nodes.moves[self._path[depth + 1]], mark)
            for child in range(self.nodes.first[node], self.nodes.first[node] + self.nodes.count[node]):
                move = self.nodes.moves[child]
                if move < _MARKS and self._marks[move] == mark:
                    self.nodes.amaf_visits[child] += 1
                    self.nodes.amaf_sums[child] += share

    def _mark(self, move: int, mark: int) -> None:
        """Note which player makes a move in this simulation; later calls, for earlier plies, replace it."""
        if move < _MARKS:
            self._marks[move] = mark

    def _backpropagate(self) -> None:
        """Backpropagation: credit the path.

        MCTS-Solver (Winands, Björnsson and Saito, 2008), draws included: the proven outcome of a node may
        settle its parent, and is then the result of the simulation from there on up.
        """
        settling = self._solver and self.nodes.proven[self._path[self._depth]] != UNKNOWN
        for depth in range(self._depth, 0, -1):
            node = self._path[depth]
            self.nodes.visits[node] += 1
            self.nodes.sums[node] += self._share[self._movers[depth - 1]]
            if settling:
                settling = self._prove(depth - 1)
                if settling and depth > 1:
                    self._share_proven(self.nodes.proven[self._path[depth - 1]], self._movers[depth - 2])
        self.nodes.visits[0] += 1


def _sort(moves: Moves, priors: Priors, count: int) -> None:
    """Sort moves, with what is known of them, by their probabilities, the greatest first (Shellsort)."""
    gap = 1
    while gap < count:
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for i in range(gap, count):
            move, visits = moves.at[i], priors.visits[i]
            wins, chance = priors.wins[i], priors.chances[i]
            j = i
            while j >= gap and priors.chances[j - gap] < chance:
                moves.at[j], priors.visits[j] = moves.at[j - gap], priors.visits[j - gap]
                priors.wins[j], priors.chances[j] = priors.wins[j - gap], priors.chances[j - gap]
                j -= gap
            moves.at[j], priors.visits[j] = move, visits
            priors.wins[j], priors.chances[j] = wins, chance


def _log(visits: int) -> float:
    return log(visits) if visits else 0.0
