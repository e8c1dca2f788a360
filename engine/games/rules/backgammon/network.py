"""The value of a position of backgammon before the roll, by a small neural network.

There are two: one for positions where the sides still meet, one for races. Inputs, from the view of the side
to roll and then of the other: on each of the points 1 … 24 and the bar one man, two, three or more, and half
of those beyond three; then the men off, by fives. Outputs: the probabilities that the side to roll wins, that
it wins a gammon, and that it loses one. The one layer between has units z / (1 + |z|); the outputs are
logistic. Few inputs are not 0, which makes it quick.

The inputs are those of G. Tesauro, "Temporal difference learning and TD-Gammon" (1995), but for the kinds of
stacks, which are as in GNU Backgammon.
"""

from __future__ import annotations

import json
from array import array
from base64 import b85decode

import cython

from engine.games.weights import FOLDER

if not cython.compiled:
    from math import exp

INPUTS, HIDDEN, OUTPUTS = 206, 64, 3
FIRST, SECOND = (INPUTS + 1) * HIDDEN, OUTPUTS * (HIDDEN + 1)
SCALE = 4096
"""Stored weights are multiplied by this, as 16-bit numbers."""
SIDE_INPUTS, KINDS, FIVES, POINTS = 103, 4, 3, 25


class Net:
    """The weights, and the outputs for the position last looked at.

    `first` has a row for each input and one for the bias; `second` a row for each output, its bias last.
    """

    def __init__(self) -> None:
        self.first = [0.0] * 13248
        self.second = [0.0] * 195
        self.hidden = [0.0] * 64
        self.back = [0.0] * 64
        self.output = [0.0] * 3
        self.active = [0] * 128
        self.strength = [0.0] * 128
        self.count = 0

    def read(self, text: str) -> None:
        """Take all weights from numbers of 16 bits, SCALE times the weights, in base 85.

        First a row of the first layer for each input and one for its bias, then a row for each output.
        """
        numbers = array("h", b85decode(text))
        for i in range(FIRST):
            self.first[i] = numbers[i] / SCALE
        for i in range(SECOND):
            self.second[i] = numbers[FIRST + i] / SCALE

    def weights(self) -> list[float]:
        return [self.first[i] for i in range(FIRST)] + [self.second[i] for i in range(SECOND)]

    def set_weights(self, weights: list[float]) -> None:
        for i in range(FIRST):
            self.first[i] = weights[i]
        for i in range(SECOND):
            self.second[i] = weights[FIRST + i]

    def look(self, men: list[int], roller: int) -> None:
        """Work out `output` for a position where `roller` is to roll."""
        self.count = 0
        self._see(men, 26 * roller, 0)
        self._see(men, 26 * (1 - roller), SIDE_INPUTS)
        self._activate(INPUTS, 1.0)
        for j in range(HIDDEN):
            self.hidden[j] = 0.0
        for i in range(self.count):
            row = self.active[i] * HIDDEN
            strength = self.strength[i]
            for j in range(HIDDEN):
                self.hidden[j] += strength * self.first[row + j]
        for j in range(HIDDEN):
            self.hidden[j] = self.hidden[j] / (1.0 + abs(self.hidden[j]))
        for k in range(OUTPUTS):
            row = k * (HIDDEN + 1)
            z = self.second[row + HIDDEN]
            for j in range(HIDDEN):
                z += self.hidden[j] * self.second[row + j]
            self.output[k] = 1.0 / (1.0 + exp(-z))

    def learn(self, win: float, gammon: float, lost_gammon: float) -> None:
        """A step down the cross-entropy of the position last looked at.

        Each argument is the target of an output less the output, times the rate of learning.
        """
        for j in range(HIDDEN):
            error = win * self.second[j]
            error += gammon * self.second[HIDDEN + 1 + j]
            error += lost_gammon * self.second[2 * (HIDDEN + 1) + j]
            slope = 1.0 - abs(self.hidden[j])
            self.back[j] = error * slope * slope
        self._learn_output(0, win)
        self._learn_output(HIDDEN + 1, gammon)
        self._learn_output(2 * (HIDDEN + 1), lost_gammon)
        for i in range(self.count):
            row = self.active[i] * HIDDEN
            strength = self.strength[i]
            for j in range(HIDDEN):
                self.first[row + j] += self.back[j] * strength

    def _learn_output(self, row: int, error: float) -> None:
        for j in range(HIDDEN):
            self.second[row + j] += error * self.hidden[j]
        self.second[row + HIDDEN] += error

    def _see(self, men: list[int], side: int, base: int) -> None:
        for point in range(POINTS):
            n = men[side + point + 1]
            if n > 0:
                row = base + KINDS * point
                self._activate(row + min(n, 3) - 1, 1.0)
                if n > 3:
                    self._activate(row + 3, (n - 3) * 0.5)
        off = men[side]
        for five in range(FIVES):
            if off > 5 * five:
                self._activate(
                    base + KINDS * POINTS + five, (off - 5 * five if off < 5 * five + 5 else 5) * 0.2
                )

    def _activate(self, row: int, strength: float) -> None:
        self.active[self.count] = row
        self.strength[self.count] = strength
        self.count += 1


def is_race(men: list[int]) -> bool:
    """Whether all men of each side have passed those of the other."""
    first = 25
    while first > 0 and men[first] == 0:
        first -= 1
    second = 25
    while second > 0 and men[26 + second] == 0:
        second -= 1
    return first + second < 25


def points_of(net: Net) -> float:
    """The value in points of the position last looked at: 1 for a win, 2 for a gammon."""
    return 2.0 * net.output[0] - 1.0 + net.output[1] - net.output[2]


def equity(men: list[int], roller: int, gammons: bool) -> float:
    """The expectation of `roller`, who is to roll: a gammon counts 2 if `gammons`, else 1."""
    if is_race(men):
        _race.look(men, roller)
        return points_of(_race) if gammons else 2.0 * _race.output[0] - 1.0
    _contact.look(men, roller)
    return points_of(_contact) if gammons else 2.0 * _contact.output[0] - 1.0


_contact, _race = Net(), Net()
_weights = json.loads((FOLDER / "backgammon.json").read_text("utf-8"))
_contact.read(_weights["contact"])
_race.read(_weights["race"])
