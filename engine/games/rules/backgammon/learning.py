"""Learning the values of positions of backgammon from self-play: TD(λ).

After each game the value of every position in it is moved towards a target, the λ-return, from the end of
the game backwards: for the last position the outcome; for any other λ parts of the next position's target and
1 - λ parts of the network's value of the next position, both from the other side's view.

R. Sutton and A. Barto, "Reinforcement Learning" (2nd edition), chapter 12; G. Tesauro, "Temporal difference
learning and TD-Gammon" (1995).
"""

from __future__ import annotations

import cython

from engine.games.rules.backgammon.board import Backgammon
from engine.games.rules.backgammon.network import Net
from engine.games.rules.compiled_state import Moves, Random

if not cython.compiled:
    from engine.games.rules.backgammon.network import is_race, points_of
    from engine.games.rules.game import CHANCE, OVER

LONGEST, BOARD = 512, 52


class Learner:
    """Two networks that play themselves, and learn."""

    def __init__(self, seed: int) -> None:
        self.contact = Net()
        self.race = Net()
        self.random = Random(seed)
        self.state = Backgammon(3)
        self.child = Backgammon(3)
        self.moves = Moves()
        self.boards = [0] * 26624
        self.rollers = [0] * 512
        self.target = [0.0] * 3
        self.length = 0
        self.plies = 0
        for net in (self.contact, self.race):
            net.set_weights([self._small() for _ in net.weights()])

    def _small(self) -> float:
        return (self.random.below(2001) - 1000) / 10000.0

    def learn(self, games: int, rate: float, trace: float) -> float:
        """Play `games` games and learn from them; `trace` is λ. Returns the mean number of plies."""
        self.plies = 0
        self._learn_games(games, rate, trace)
        return self.plies / games

    def expect(self, state: Backgammon) -> float:
        """The points that the networks expect for the side to roll."""
        self.child.assign(state)
        return self._value()

    def _learn_games(self, games: int, rate: float, trace: float) -> None:
        for _ in range(games):
            self._play()
            if self.state.player == OVER:
                self._learn_game(rate, trace)
            self.plies += self.length

    def _play(self) -> None:
        """One game, greedily; positions where the dice are to be rolled are kept. Broken off if endless."""
        self.state.assign(_START)
        self.length = 0
        while self.state.player != OVER and self.length < LONGEST:
            self.state.advance(self.state.random_roll(self.random))
            self.state.advance(self._best_move())
            if self.state.player == CHANCE:
                self._keep()

    def _keep(self) -> None:
        for i in range(BOARD):
            self.boards[self.length * BOARD + i] = self.state.men[i]
        self.rollers[self.length] = self.state.roller
        self.length += 1

    def _best_move(self) -> int:
        count = self.state.generate(self.moves)
        if count == 1:
            return self.moves.at[0]
        best = 0
        least = 9.0
        for i in range(count):
            self.child.assign(self.state)
            self.child.advance(self.moves.at[i])
            if self.child.player == OVER:
                return self.moves.at[i]
            value = self._value()
            if value < least:
                least = value
                best = i
        return self.moves.at[best]

    def _value(self) -> float:
        if is_race(self.child.men):
            self.race.look(self.child.men, self.child.roller)
            return points_of(self.race)
        self.contact.look(self.child.men, self.child.roller)
        return points_of(self.contact)

    def _learn_game(self, rate: float, trace: float) -> None:
        """From the last position, whose side to roll has won, to the first."""
        self.target[0] = 1.0
        self.target[1] = 1.0 if self.state.payoff_of(self.state.roller) > 1.0 else 0.0
        self.target[2] = 0.0
        for t in range(self.length - 1, -1, -1):
            for i in range(BOARD):
                self.child.men[i] = self.boards[t * BOARD + i]
            self.child.roller = self.rollers[t]
            if is_race(self.child.men):
                self._learn_position(self.race, rate, trace)
            else:
                self._learn_position(self.contact, rate, trace)

    def _learn_position(self, net: Net, rate: float, trace: float) -> None:
        """Move the value of `child` towards `target`; then make that the target of the position before."""
        net.look(self.child.men, self.child.roller)
        win = trace * self.target[0] + (1.0 - trace) * net.output[0]
        gammon = trace * self.target[1] + (1.0 - trace) * net.output[1]
        lost_gammon = trace * self.target[2] + (1.0 - trace) * net.output[2]
        net.learn(
            rate * (self.target[0] - net.output[0]),
            rate * (self.target[1] - net.output[1]),
            rate * (self.target[2] - net.output[2]),
        )
        self.target[0] = 1.0 - win
        self.target[1] = lost_gammon
        self.target[2] = gammon


_START = Backgammon(3)
