"""Many games of PUCT against itself, side by side: the leaves of all of them are evaluated together."""

from dataclasses import dataclass

import cython

from engine.games.fast.nodes import Nodes
from engine.games.fast.puct import PuctOptions, PuctTree
from engine.games.rules.compiled_state import CompiledState, Moves, Random
from engine.system.control import Control

if not cython.compiled:
    from engine.games.fast.nodes import DRAW, LOSS, UNKNOWN
    from engine.games.fast.puct import uniform
    from engine.games.rules.game import OVER

MOST_GAMES = 2048
VALUE = _VALUE = 10_000  # times the mean payoff, in records
_MOST_VISITS = 60_000  # of a move, in records


@dataclass(frozen=True)
class PuctGamesOptions:
    """How games are played.

    - `full`, `fast`: playouts of a move; only those in full, with noise at the root, are learned from. What a
      tree has from the move before counts. Wu, "Accelerating self-play learning in Go" (2019)
    - `share`: the part of the moves that is played in full
    - `noise`, `noise_total`: the weight of Dirichlet noise, and the sum of its parameters
    - `sampled`: the first plies, chosen in proportion to visits; afterwards the move most visited
    - `opening`: a game begins with up to this many random moves
    - `longest`: plies after which a game counts as it stands
    """

    full: int = 128
    fast: int = 24
    share: float = 0.25
    noise: float = 0.25
    noise_total: float = 10.0
    sampled: int = 20
    opening: int = 0
    longest: int = 160


@dataclass(frozen=True)
class PlayedGame:
    """A finished game: `result` is player 0's payoff, `last` the state at its end.

    For each ply, `moves` has a u16 and `values` an i16: the mover's mean payoff in the search, times VALUE;
    `visits` has a row of u16, by `policy_index`, all 0 where the ply is not to be learned from.
    """

    moves: bytes
    values: bytes
    visits: bytes
    result: float
    last: CompiledState


class PuctGames:
    """Games from one first state, again and again; deterministic for a seed and an evaluator.

    Call `gather`, evaluate, `absorb`, in turns; `take_games` whenever `finished` is not 0.
    """

    def __init__(
        self, first: CompiledState, games: int, seed: int, search: PuctOptions, options: PuctGamesOptions
    ) -> None:
        """Up to MOST_GAMES; of `search` all but `playouts`, `batch` and `reuse` counts."""
        self.games = min(games, MOST_GAMES)
        self.places = first.plane_rows * first.plane_columns + 1
        self.longest = options.longest
        self.finished = 0
        self.made = 0
        self.trees: list[PuctTree] = []
        self._first = first.copy()
        self._random = Random(seed)
        self._moves = Moves()
        self._full, self._fast, self._share = options.full, options.fast, options.share
        self._noise, self._noise_total = options.noise, options.noise_total
        self._sampled, self._opening = options.sampled, options.opening
        plies = self.games * self.longest
        self._plies = memoryview(bytearray(4 * self.games)).cast("i")
        self._thorough = memoryview(bytearray(self.games)).cast("b")
        self._over = memoryview(bytearray(self.games)).cast("b")
        self._move = memoryview(bytearray(2 * plies)).cast("H")
        self._value = memoryview(bytearray(2 * plies)).cast("h")
        self._visits = memoryview(bytearray(2 * plies * self.places)).cast("H")
        control = Control()
        for game in range(self.games):
            nodes = Nodes(search.megabytes, amaf=False, priors=True)
            tree = PuctTree(nodes, control, first, seed + game * 0x9E3779B9, search)
            if game:
                cython.cast(PuctTree, self.trees[game - 1]).after = tree
            self.trees.append(tree)
            self._start_game(tree, game)
        self._first_tree = cython.cast(PuctTree, self.trees[0])

    def set_playouts(self, full: int, fast: int) -> None:
        """From the next move of each game on."""
        self._full, self._fast = full, fast

    def gather(self, planes: "memoryview[float]") -> int:
        """The planes of at most one leaf of each game, see PuctTree.gather; return how many."""
        with cython.nogil:
            return self._step_all(self._first_tree, 0, planes, 0)

    def absorb(self, policy: "memoryview[float]", values: "memoryview[float]") -> None:
        with cython.nogil:
            self._learn_all(self._first_tree, 0, policy, values, 0)

    def take_games(self) -> list[PlayedGame]:
        """The games that have ended since the last call; others begin in their places."""
        taken = []
        for game in range(self.games):
            if self._over[game]:
                taken.append(self._taken(game))
                self._over[game] = 0
                self._start_game(cython.cast(PuctTree, self.trees[game]), game)
        self.finished = 0
        return taken

    def _taken(self, game: int) -> PlayedGame:
        plies, first = self._plies[game], game * self.longest
        tree = cython.cast(PuctTree, self.trees[game])
        over = tree.start.player == OVER
        result = tree.start.payoff_of(0) if over else tree.start.estimate_of(0)
        return PlayedGame(
            bytes(memoryview(self._move)[first : first + plies]),
            bytes(memoryview(self._value)[first : first + plies]),
            bytes(memoryview(self._visits)[first * self.places : (first + plies) * self.places]),
            1.0 if result > 0 else -1.0 if result < 0 else 0.0,
            tree.state(),
        )

    # Inside

    def _start_game(self, tree: PuctTree, game: int) -> None:
        """Begin with the first state and perhaps a few random moves, none of which ends the game."""
        tree.restart(self._first)
        self._plies[game] = 0
        for _ in range(self._random.below(self._opening + 1)):
            move = self._moves.at[self._random.below(tree.start.generate(self._moves))]
            at = game * self.longest + self._plies[game]
            self._move[at] = move
            self._value[at] = 0
            self._forget_visits(at)
            self._plies[game] += 1
            tree.start.advance(move)
            if tree.start.player == OVER or self._plies[game] >= self.longest - 1:
                tree.restart(self._first)
                self._plies[game] = 0
        self._prepare(tree, game)

    def _prepare(self, tree: PuctTree, game: int) -> None:
        thorough = uniform(self._random) <= self._share
        self._thorough[game] = thorough
        playouts = (self._full if thorough else self._fast) - tree.nodes.visits[0]
        tree.allow(max(playouts, 1))
        if thorough and self._noise > 0.0:
            tree.add_noise(self._noise, self._noise_total)

    def _step(self, tree: PuctTree, game: int, planes: "memoryview[float]", row: int) -> int:
        """Search, and play, until a leaf waits or the game is over; how many wait: 1 or 0."""
        first = row * (self.places - 1) * self._first.plane_count
        while not self._over[game]:
            if tree.collect(planes, first, 1):
                return 1
            self._decide(tree, game)
        return 0

    def _step_all(self, tree: PuctTree, game: int, planes: "memoryview[float]", row: int) -> int:
        """Let this game and those after it go on; how many leaves wait.

        From tree to tree: to read a list of them would need the interpreter's lock.
        """
        row += self._step(tree, game, planes, row)
        return self._step_all(tree.after, game + 1, planes, row) if game + 1 < self.games else row

    def _learn_all(
        self,
        tree: PuctTree,
        game: int,
        policy: "memoryview[float]",
        values: "memoryview[float]",
        row: int,
    ) -> None:
        waiting = tree.waiting
        tree.take(policy, values, row)
        if game + 1 < self.games:
            self._learn_all(tree.after, game + 1, policy, values, row + waiting)

    def _decide(self, tree: PuctTree, game: int) -> None:
        """The search of a move is over: note it, and play."""
        ply = self._plies[game]
        at = game * self.longest + ply
        child = self._choose(tree, ply < self._sampled)
        if tree.outcome != UNKNOWN:
            value = (tree.outcome - DRAW) * _VALUE
        else:
            mean = 1.0 - 2.0 * tree.nodes.sums[0] / tree.nodes.visits[0]
            value = int(mean * _VALUE)
        self._move[at] = tree.nodes.moves[child]
        self._value[at] = value
        self._forget_visits(at)
        if self._thorough[game] and tree.outcome != LOSS:
            self._note_visits(tree, at)
        self._plies[game] = ply + 1
        self.made += 1
        tree.go_on(child)
        if tree.start.player == OVER or ply + 1 >= self.longest:
            self._over[game] = 1
            self.finished += 1
        else:
            self._prepare(tree, game)

    def _forget_visits(self, at: int) -> None:
        row = at * self.places
        for place in range(self.places):
            self._visits[row + place] = 0

    def _note_visits(self, tree: PuctTree, at: int) -> None:
        """What the policy is to learn from a ply; once the outcome is proven, only moves that keep it."""
        row = at * self.places
        for child in range(tree.nodes.first[0], tree.nodes.first[0] + tree.nodes.count[0]):
            place = tree.start.policy_index(tree.nodes.moves[child])
            self._visits[row + place] = min(self._weight(tree, child), _MOST_VISITS)

    def _weight(self, tree: PuctTree, child: int) -> int:
        """How often a move at the root was visited; where the outcome is proven, 1 if it keeps it, else 0."""
        if tree.outcome != UNKNOWN:
            return 1 if tree.nodes.proven[child] == tree.outcome else 0
        return 0 if tree.nodes.proven[child] == LOSS else tree.nodes.visits[child]

    def _choose(self, tree: PuctTree, sampled: bool) -> int:
        """A move at the root, in proportion to its weight or with the greatest."""
        first, count = tree.nodes.first[0], tree.nodes.count[0]
        total, best = 0, first
        for child in range(first, first + count):
            total += self._weight(tree, child)
            if self._weight(tree, child) > self._weight(tree, best):
                best = child
        if not sampled or total == 0:
            return best
        left = self._random.below(total)
        for child in range(first, first + count):
            left -= self._weight(tree, child)
            if left < 0:
                return child
        return best


def replay(
    state: CompiledState, moves: "memoryview[int]", wanted: "memoryview[int]", planes: "memoryview[float]"
) -> int:
    """Play moves, u16, on from a state, which is changed; write the planes of the `wanted` plies, u8.

    The planes of such plies follow one another. Returns -1, or the number of the first ply that is illegal.
    """
    room = Moves()
    row = 0
    with cython.nogil:
        for ply in range(len(moves)):
            if not _is_legal(state, room, moves[ply]):
                break
            if wanted[ply]:
                state.fill_planes(planes, row)
                row += state.plane_rows * state.plane_columns * state.plane_count
            state.advance(moves[ply])
        else:
            ply = -1
    return ply


def _is_legal(state: CompiledState, room: Moves, move: int) -> bool:
    left = state.generate(room)
    while left and room.at[left - 1] != move:
        left -= 1
    return left > 0
