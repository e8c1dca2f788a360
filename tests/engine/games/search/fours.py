"""Connect Four positions, and their values by looking at everything."""

from __future__ import annotations

from functools import cache
from random import Random

from engine.games.rules.connectfour import ConnectFour


def after(columns: str) -> ConnectFour:
    """After some moves; columns count from 1."""
    state = ConnectFour()
    for column in columns:
        state = state.play(int(column) - 1)
    return state


def drawn_by_lot(random: Random, plies: int) -> ConnectFour:
    while True:
        state = ConnectFour()
        for _ in range(plies):
            if state.player >= 0:
                state = state.play(random.choice(state.moves()))
        if state.player >= 0:
            return state


@cache
def value(state: ConnectFour) -> float:
    """Of the player to move, by the definition; for full boards, nearly."""
    mine = state.player
    values = []
    for move in state.moves():
        then = state.play(move)
        values.append(then.payoff()[mine] if then.player < 0 else -value(then))
        if values[-1] == 1:
            break
    return max(values)
