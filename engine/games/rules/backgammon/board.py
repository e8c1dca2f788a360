"""Backgammon without the cube: the board, the dice, and what may be moved with them.

Each side counts points from its own view: its men move from 24 down to 1 and off, which is 0; 25 is the bar.
Point p of one side is point 25 - p of the other.

A roll is a number of two digits, the larger die first: 31. The opening roll also decides who starts: each
side rolls a die, player 0's is written first, equal dice do not count, and the larger one starts, with these
two dice. So 13 is the 3-1 of player 1.

A move is made with both dice at once: the points from which its steps start, five bits each, the first step
lowest; 0 ends them. LOW_FIRST: the first step is made with the lower die. PASS is no step at all.
Moves that end in the same position are one move.
"""

from __future__ import annotations

from collections.abc import Sequence

import cython

from engine.games.rules.compiled_state import CompiledState, Moves, Random

if not cython.compiled:
    from engine.games.rules.backgammon.network import equity
    from engine.games.rules.game import CHANCE, OVER
    from engine.system.bits import u64

PASS = 0
LOW_FIRST = 1 << 20
SIDE, BAR, HOME, MEN, STEPS, OPENING = 26, 25, 6, 15, 4, -1
START = ((24, 2), (13, 5), (8, 3), (6, 5))
"""Point and number of men, of either side."""
ROLLS = tuple([(10 * a + b, (1.0 if a == b else 2.0) / 36.0) for a in range(1, 7) for b in range(1, a + 1)])
"""The 21 rolls with their probabilities."""
OPENING_ROLLS = tuple([(10 * a + b, 1.0 / 30.0) for a in range(1, 7) for b in range(1, 7) if a != b])
"""The 30 opening rolls with their probabilities."""


class Backgammon(CompiledState):
    """A position, with the dice where they are rolled.

    `men` of player q on its point p are `men[26 * q + p]`. `roller` is to roll or has rolled, OPENING before
    the opening roll; at OVER it has won. `high` and `low` are its dice, 0 until they are rolled. `worth` is
    the most that can be won: 3 where gammons count 2 and backgammons 3, else 1.
    """

    def __init__(self, worth: int = 1) -> None:
        super().__init__(2)
        self.worth = worth
        self.men = [0] * 52
        for point, number in START:
            self.men[point] = number
            self.men[SIDE + point] = number
        self.roller = OPENING
        self.high = 0
        self.low = 0
        self.player = CHANCE

    def blank(self) -> Backgammon:
        return Backgammon()

    # Outside

    def placed(
        self, first: Sequence[int], second: Sequence[int], roller: int, high: int = 0, low: int = 0
    ) -> Backgammon:
        """Another position: 26 numbers of men for each player, from own view: off, points 1 … 24, bar.

        `roller` has rolled `high` and `low`, or is to roll if they are 0. The position is not checked.
        """
        state = Backgammon(self.worth)
        for point in range(SIDE):
            state.men[point] = first[point]
            state.men[SIDE + point] = second[point]
        state.roller = roller
        state.high = high
        state.low = low
        state.player = roller if high else CHANCE
        return state

    def board(self, player: int) -> tuple[int, ...]:
        """How many men a player has on each point, from own view: off, points 1 … 24, bar."""
        return tuple([self.men[SIDE * player + point] for point in range(SIDE)])

    def steps(self, move: int) -> list[tuple[int, int]]:
        dice = (self.low, self.high) if move & LOW_FIRST else (self.high, self.low)
        number = STEPS if self.high == self.low else 2
        sources = [(move >> (5 * i)) & 31 for i in range(number)]
        return [(source, max(source - dice[i % 2], 0)) for i, source in enumerate(sources) if source]

    def chances(self) -> Sequence[tuple[int, float]]:
        return OPENING_ROLLS if self.roller == OPENING else ROLLS

    def estimate(self) -> Sequence[float]:
        value = self.estimate_of(0)
        return (value, -value)

    # Inside

    def generate(self, moves: Moves) -> int:
        moves.count = 0
        if self.player == CHANCE:
            self._list_rolls(moves)
        elif self.player >= 0:
            if self.high == self.low:
                self._list_doubles(moves, BAR, 0, 0, 1)
            else:
                self._list_pairs(moves)
            if moves.count == 0:
                moves.note(PASS, 0)
        return moves.count

    def advance(self, move: int) -> None:
        if self.player == CHANCE:
            self._roll(move)
            return
        self._make(move)
        self.high = 0
        self.low = 0
        if self.men[SIDE * self.player] == MEN:
            self.player = OVER
        else:
            self.roller = 1 - self.player
            self.player = CHANCE

    def assign(self, other: CompiledState) -> None:
        self.player = other.player
        self.worth = cython.cast(Backgammon, other).worth
        self.roller = cython.cast(Backgammon, other).roller
        self.high = cython.cast(Backgammon, other).high
        self.low = cython.cast(Backgammon, other).low
        for i in range(2 * SIDE):
            self.men[i] = cython.cast(Backgammon, other).men[i]

    def same(self, other: CompiledState) -> bool:
        if self.roller != cython.cast(Backgammon, other).roller:
            return False
        if self.high != cython.cast(Backgammon, other).high or self.low != cython.cast(Backgammon, other).low:
            return False
        for i in range(2 * SIDE):
            if self.men[i] != cython.cast(Backgammon, other).men[i]:
                return False
        return bool(self.worth == cython.cast(Backgammon, other).worth)

    def key(self) -> int:
        key = u64((self.player + 2) * 1000 + (self.roller + 1) * 100 + self.high * 10 + self.low)
        for i in range(2 * SIDE):
            key = u64((key ^ (key >> 29) ^ self.men[i]) * u64(0x9E3779B97F4A7C15))
        return key

    def payoff_of(self, player: int) -> float:
        won = 1
        if self.worth > 1:
            won = self._degree(SIDE * (1 - self.roller))
        return float(won) if player == self.roller else -float(won)

    def estimate_of(self, player: int) -> float:
        if self.roller == OPENING:
            return 0.0
        value = equity(self.men, self.roller, self.worth > 1)
        return value if player == self.roller else -value

    def play_out(self, random: Random, moves: Moves, trace: Moves) -> None:
        """Chance's moves are noted, too."""
        trace.count = 0
        while self.player != OVER:
            move = self.random_roll(random) if self.player == CHANCE else self.random_move(random, moves)
            trace.note(move, self.player)
            self.advance(move)

    def random_roll(self, random: Random) -> int:
        """An outcome of chance, with the probabilities of `chances`."""
        a = 1 + random.below(6)
        b = 1 + random.below(6)
        while self.roller == OPENING and a == b:
            a = 1 + random.below(6)
            b = 1 + random.below(6)
        return 10 * b + a if b > a and self.roller != OPENING else 10 * a + b

    def _list_rolls(self, moves: Moves) -> None:
        for a in range(1, 7):
            for b in range(1, 7):
                if (a != b) if self.roller == OPENING else (a >= b):
                    moves.note(10 * a + b, CHANCE)

    def _roll(self, roll: int) -> None:
        a = roll // 10
        b = roll % 10
        if self.roller == OPENING:
            self.roller = 0 if a > b else 1
        self.player = self.roller
        self.high = max(a, b)
        self.low = min(a, b)

    def _list_doubles(self, moves: Moves, top: int, made: int, steps: int, most: int) -> int:
        """Add the moves that begin with the `steps` of `made` and go on from `top` downwards.

        Steps with equal dice may be made from the rearmost man to the foremost; then no two moves are equal.
        `most` is the greatest number of steps in a move so far: shorter moves are not legal. The new one.
        """
        stuck = True
        if steps < STEPS:
            for source in range(top, 0, -1):
                if self._can_step(source, self.high):
                    stuck = False
                    hit = self._step(source, self.high)
                    most = self._list_doubles(moves, source, made | (source << (5 * steps)), steps + 1, most)
                    self._step_back(source, self.high, hit)
        if stuck and steps >= most:
            if steps > most:
                moves.count = 0
            moves.note(made, 0)
            return steps
        return most

    def _list_pairs(self, moves: Moves) -> None:
        """Both dice if possible, else the larger one, else the smaller one."""
        self._list_in_order(moves, self.high, self.low, 0)
        self._list_in_order(moves, self.low, self.high, LOW_FIRST)
        if moves.count == 0:
            self._list_singles(moves, self.high, 0)
        if moves.count == 0:
            self._list_singles(moves, self.low, LOW_FIRST)

    def _list_in_order(self, moves: Moves, first: int, second: int, order: int) -> None:
        """The moves with one die before the other, but for those that lead where an earlier one does."""
        for source in range(BAR, 0, -1):
            if self._can_step(source, first):
                hit = self._step(source, first)
                for other in range(BAR, 0, -1):
                    if self._can_step(other, second):
                        mark = self._mark(source, source - first, hit, other, other - second)
                        _note_once(moves, source | (other << 5) | order, mark)
                self._step_back(source, first, hit)

    def _list_singles(self, moves: Moves, die: int, order: int) -> None:
        for source in range(BAR, 0, -1):
            if self._can_step(source, die):
                moves.note(source | order, 0)

    def _mark(self, a: int, to_a: int, hit: bool, b: int, to_b: int) -> int:
        """A number that two moves of two steps share if and only if they lead to the same position.

        In it are the points that lose a man, those that gain one, and those where one is hit. The first step
        is made already.
        """
        hit_a = to_a if hit else 0
        to_a = max(to_a, 0)
        to_b = max(to_b, 0)
        hit_b = to_b if to_b > 0 and self.men[self._other() + BAR - to_b] == 1 else 0
        if to_a == b:  # one man makes both steps
            b = 0
            to_a = 0
        elif to_b == a:
            a = 0
            to_b = 0
        gone = (max(a, b) << 5) | min(a, b)
        come = (max(to_a, to_b) << 5) | min(to_a, to_b)
        return (gone << 20) | (come << 10) | (max(hit_a, hit_b) << 5) | min(hit_a, hit_b)

    def _make(self, move: int) -> None:
        die = self.low if move & LOW_FIRST else self.high
        for i in range(STEPS):
            source = (move >> (5 * i)) & 31
            if source == 0:
                return
            self._step(source, die)
            die = self.high + self.low - die

    def _can_step(self, source: int, die: int) -> bool:
        own = SIDE * self.player
        if self.men[own + source] == 0 or (source < BAR and self.men[own + BAR] > 0):
            return False
        target = source - die
        if target > 0:
            return self.men[self._other() + BAR - target] < 2
        for point in range(HOME + 1, BAR):
            if self.men[own + point]:
                return False
        if target < 0:
            for point in range(source + 1, HOME + 1):
                if self.men[own + point]:
                    return False
        return True

    def _step(self, source: int, die: int) -> bool:
        """Make one step; whether a man is hit."""
        own = SIDE * self.player
        target = max(source - die, 0)
        self.men[own + source] -= 1
        self.men[own + target] += 1
        their = self._other() + BAR - target
        if target == 0 or self.men[their] == 0:
            return False
        self.men[their] = 0
        self.men[self._other() + BAR] += 1
        return True

    def _step_back(self, source: int, die: int, hit: bool) -> None:
        own = SIDE * self.player
        target = max(source - die, 0)
        self.men[own + source] += 1
        self.men[own + target] -= 1
        if hit:
            self.men[self._other() + BAR - target] = 1
            self.men[self._other() + BAR] -= 1

    def _other(self) -> int:
        return SIDE * (1 - self.player)

    def _degree(self, loser: int) -> int:
        """1 for a game, 2 for a gammon, 3 for a backgammon: none of the loser's men off, some far behind."""
        if self.men[loser] > 0:
            return 1
        for point in range(BAR - HOME, BAR + 1):
            if self.men[loser + point]:
                return 3
        return 2


def _note_once(moves: Moves, move: int, mark: int) -> None:
    for i in range(moves.count):
        if moves.by[i] == mark:
            return
    moves.note(move, mark)
