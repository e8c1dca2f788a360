"""Positions of Connect Four, with the moves that keep their value, to judge networks and searches by.

They come about by random moves, none of which ends the game, and all have a move that gives something away.
The sets differ in how many men are on the board, as those of Pons do, "Solving Connect 4: how to build a
perfect AI".
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from random import Random
from typing import TYPE_CHECKING

from engine.games.compiled.solver import Solver
from engine.games.rules.connectfour import ConnectFourGame
from engine.games.rules.game import OVER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.games.rules.connectfour import ConnectFour

STAGES = {"end": (28, 36), "middle": (14, 28), "beginning": (8, 14)}
"""The least number of men on the board, and the number that there must be less of."""
_TABLE_MB = 64


@dataclass(frozen=True, slots=True)
class SolvedPosition:
    """The moves from the start as digits, columns from 1; the mover's payoff; the moves that keep it."""

    stage: str
    moves: str
    value: int
    keeping: tuple[int, ...]

    def state(self) -> ConnectFour:
        """The state after the moves."""
        state = ConnectFourGame().start()
        for digit in self.moves:
            state = state.play(int(digit) - 1)
        return state

    @property
    def hard(self) -> bool:
        """Whether a legal move gives something away."""
        return len(self.keeping) < len(self.state().moves())


def solved_positions(count: int, seed: int) -> Iterator[SolvedPosition]:
    """`count` different positions of each stage, all of which have at least one move that loses value."""
    random, solver = Random(seed), Solver(ConnectFourGame().start(), _TABLE_MB)
    for stage, bounds in STAGES.items():
        known: set[object] = set()
        while len(known) < count:
            moves, state = _random_position(random, random.randrange(*bounds))
            if state is None or state in known:
                continue
            found = solved(solver, stage, moves)
            if found.hard:
                known.add(state)
                yield found


def solved(solver: Solver, stage: str, moves: str) -> SolvedPosition:
    """The position after these moves, solved; the game must not be over."""
    state = SolvedPosition(stage, moves, 0, ()).state()
    values = {move: _value(solver, state, move) for move in state.moves()}
    best = max(values.values())
    return SolvedPosition(stage, moves, best, tuple(move for move, value in values.items() if value == best))


def _random_position(random: Random, plies: int) -> tuple[str, ConnectFour | None]:
    state, moves = ConnectFourGame().start(), ""
    for _ in range(plies):
        move = random.choice(state.moves())
        moves += str(move + 1)
        state = state.play(move)
        if state.player == OVER:
            return moves, None
    return moves, state


def _value(solver: Solver, state: ConnectFour, move: int) -> int:
    """The payoff of a move with best play, for whoever makes it."""
    after = state.play(move)
    if after.player == OVER:
        return round(after.payoff()[state.player])
    score = -solver.score(after, strong=False)
    return (score > 0) - (score < 0)


def to_lines(positions: Sequence[SolvedPosition]) -> str:
    """As text, a line each."""
    return "".join(json.dumps(asdict(position)) + "\n" for position in positions)


def from_lines(text: str) -> list[SolvedPosition]:
    """The opposite of `to_lines`."""
    records = [json.loads(line) for line in text.splitlines()]
    return [SolvedPosition(**{**record, "keeping": tuple(record["keeping"])}) for record in records]
