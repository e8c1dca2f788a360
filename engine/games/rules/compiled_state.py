"""The base of all states that are compiled: the interface of every state, and a faster one inside.

Outside a state is immutable, like any other. Inside, for compiled searchers that own their states,
it can be changed in place without a Python object being touched. A game overrides the methods that it
needs.
"""

from collections.abc import Sequence
from typing import Self, cast

import cython

from engine.games.rules.game import NotApplicableError

if not cython.compiled:
    from engine.system.bits import i32, u64

MOST = 4096


class Random:
    """SplitMix64, the same in both modes: a generator with 64 bits of state, seeded with any integer."""

    def __init__(self, seed: int) -> None:
        self._state = seed & 0xFFFFFFFFFFFFFFFF

    def reseed(self, seed: int) -> None:
        """Start again with `seed`, 64 bits."""
        self._state = seed

    def bits(self) -> int:
        """The next 64 random bits."""
        self._state = u64(self._state + u64(0x9E3779B97F4A7C15))
        return scrambled(self._state)

    def below(self, n: int) -> int:
        """One of 0 … n - 1, equally likely but for one in 2³² / n."""
        return i32(((self.bits() >> 32) * u64(n)) >> 32)


def mixed(n: int) -> int:
    """64 bits that look random, different for each `n`: number `n` of the generator with seed 0."""
    return scrambled(u64(u64(n + 1) * u64(0x9E3779B97F4A7C15)))


def scrambled(z: int) -> int:
    """The output of the generator in the state `z`."""
    z = u64((z ^ (z >> 30)) * u64(0xBF58476D1CE4E5B9))
    z = u64((z ^ (z >> 27)) * u64(0x94D049BB133111EB))
    return z ^ (z >> 31)


class Moves:
    """Room for a list of moves, or for the moves of a playout with the player of each."""

    def __init__(self) -> None:
        self.at = [0] * 4096
        self.by = [0] * 4096
        self.count = 0

    def note(self, move: int, player: int) -> None:
        """Add a move, as long as there is room."""
        if self.count < MOST:
            self.at[self.count] = move
            self.by[self.count] = player
            self.count += 1


class Priors:
    """What a game knows of a list of moves before any is tried, as simulations that were not played.

    For the move at `moves.at[i]`: `visits[i]` simulations, `wins[i]` of them won by the mover, draws half;
    and where there is a learned policy and `strength` is not 0, `chances[i]`, its probability.
    `chances_given`: a network has set these already.
    """

    def __init__(self, strength: float = 0.0) -> None:
        """`strength`: simulations won that the policy gives to its likeliest move; 0 for no policy."""
        self.strength = strength
        self.chances_given = False
        self.visits = [0] * 4096
        self.wins = [0.0] * 4096
        self.chances = [0.0] * 4096


_scratch, _unread = Moves(), Moves()  # only with the interpreter's lock held


class CompiledState:
    """A position of a game without chance; moves are small numbers, 0 or more."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.player = 0
        self.winner = -1
        self.turns_given = False
        self.priors_given = self.policy_given = False
        self.plane_count = self.plane_rows = self.plane_columns = 0  # a network cannot look at it
        self.symmetries = 1

    # Outside: see State

    def moves(self) -> Sequence[int]:
        """The legal moves, always in the same order."""
        return tuple([_scratch.at[i] for i in range(self.generate(_scratch))])

    def play(self, move: int) -> Self:
        """The state after a legal move."""
        state = cython.cast(CompiledState, self.copy())
        state.advance(move)
        return cast("Self", state)

    def chances(self) -> Sequence[tuple[int, float]]:
        """Never: there is no chance in this game."""
        raise NotApplicableError("no chance in this game")

    def payoff(self) -> Sequence[float]:
        """At OVER: one number for each player."""
        return tuple([self.payoff_of(player) for player in range(self.players)])

    def estimate(self) -> Sequence[float]:
        """A guess of the payoffs, one for each player."""
        return tuple([self.estimate_of(player) for player in range(self.players)])

    def turn(self, player: int) -> Self:
        """The same board with another player to move. Raises NotApplicableError where that has no meaning."""
        if not self.turns_given:
            raise NotApplicableError("the turn cannot be given to another player in this game")
        if not 0 <= player < self.players or not self.in_game(player):
            raise NotApplicableError(f"player {player + 1} has dropped out")
        state = cython.cast(CompiledState, self.copy())
        state.give_turn(player)
        return cast("Self", state)

    def remaining(self) -> Sequence[int]:
        """The players who have not dropped out, to whom `turn` may give the turn."""
        return tuple([player for player in range(self.players) if self.in_game(player)])

    def sensible_moves(self) -> Sequence[int]:
        return tuple([_scratch.at[i] for i in range(self.generate_sensible(_scratch))])

    def playout(self, seed: int) -> Sequence[float]:
        """The rewards after a random game from here; the same for the same seed."""
        state = cython.cast(CompiledState, self.copy())
        state.play_out(Random(seed), _scratch, _unread)
        return tuple([state.reward_of(player) for player in range(self.players)])

    def planes(self) -> "memoryview[float]":
        """What a network sees, see `fill_planes`: float32, rows by columns by planes; zeros at OVER."""
        shape = (self.plane_rows, self.plane_columns, self.plane_count)
        planes = memoryview(bytearray(4 * shape[0] * shape[1] * shape[2]))
        if planes and self.player >= 0:
            self.fill_planes(planes.cast("f"), 0)
        return planes.cast("f", shape)

    def policy_indices(self) -> Sequence[int]:
        """The `policy_index` of each of `moves`."""
        return tuple([self.policy_index(move) for move in self.moves()])

    def copy(self) -> Self:
        """Another state like this one."""
        state = cython.cast(CompiledState, self.blank())
        state.assign(self)
        return cast("Self", state)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        known = cython.cast(CompiledState, other)
        return self.player == known.player and self.same(known)

    def __hash__(self) -> int:
        return hash(self.key())

    def blank(self) -> "CompiledState":
        """A state of the same class and size, to be assigned to."""
        raise NotImplementedError

    def load_policy(self) -> None:
        """Read the weights of the policy if they have not been read. Called only if `policy_given`."""

    # Inside: in place, for owners only

    def generate(self, moves: Moves) -> int:
        """Put the legal moves into `moves.at` and return how many there are; 0 only at OVER."""
        return 0

    def generate_sensible(self, moves: Moves) -> int:
        """As `generate`, without moves that only do harm; at least one is left."""
        return self.generate(moves)

    def advance(self, move: int) -> None:
        """Play a legal move."""

    def assign(self, other: "CompiledState") -> None:
        """Become like another state of the same class and size."""

    def same(self, other: "CompiledState") -> bool:
        """Whether the boards, and all that matters of the past, are equal."""
        return False

    def key(self) -> int:
        """A hash of 64 bits, equal for equal states; it depends on the player to move, too."""
        return 0

    def payoff_of(self, player: int) -> float:
        """At OVER: the payoff of a player. By default 1 for the `winner`, the loss shared by all others."""
        if self.winner < 0:
            return 0.0
        return 1.0 if self.winner == player else -1.0 / (self.players - 1)

    def reward_of(self, player: int) -> float:
        """At OVER, for sampling: the payoff, or a number near it by which a better score is worth more."""
        return self.payoff_of(player)

    def estimate_of(self, player: int) -> float:
        """A guess of the payoff of a player."""
        return 0.0

    def give_turn(self, player: int) -> None:
        """Give the turn to another player, one that is in the game. Called only if `turns_given`."""
        self.player = player

    def in_game(self, player: int) -> bool:
        """Whether a player has not dropped out; only such a one may be given the turn."""
        return True

    def random_move(self, random: Random, moves: Moves) -> int:
        """The next move of a playout; `moves` is room to work in. By default all moves are equally likely."""
        return moves.at[random.below(self.generate(moves))]

    def play_out(self, random: Random, moves: Moves, trace: Moves) -> None:
        """Play random moves until the game is over, and note them in `trace`; `moves` is room to work in."""
        trace.count = 0
        while self.player >= 0:
            move = self.random_move(random, moves)
            trace.note(move, self.player)
            self.advance(move)

    def set_priors(self, moves: Moves, count: int, priors: Priors) -> None:
        """Set the priors of the `count` legal `moves`. Called only if `priors_given`."""

    # Inside, for networks: only for games of two players who move in turns, with payoffs of -1, 0 and 1

    def fill_planes(self, planes: "memoryview[float]", first: int) -> None:
        """Write what the player to move sees: `plane_count` numbers for each square, row by row.

        Called only if there are planes. The same board, turned or mirrored in one of `symmetries` ways (8, 2
        for left and right, or 1), must look so, too.
        """

    def policy_index(self, move: int) -> int:
        """Where a network says how good a legal move is: row * columns + column, or the number of squares.

        The latter is for a move that is not made on a square, such as a pass.
        """
        return 0
