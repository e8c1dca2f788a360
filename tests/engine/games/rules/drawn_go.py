"""Positions of Go as on paper."""

from engine.games.rules.go import GoGame, at, set_up
from engine.games.rules.go.playouts import GoState


def drawn(*rows: str, player: int = 0, komi: float = 7.5) -> GoState:
    """A position as on paper, the highest row first; X is Black, O White."""
    state = GoGame(komi=komi).start(len(rows))
    cells = {
        (column, len(rows) - 1 - row): mark
        for row, line in enumerate(rows)
        for column, mark in enumerate(line)
    }
    black, white = ([at(state, *cell) for cell, mark in cells.items() if mark == which] for which in "XO")
    return set_up(state, black, white, player)


def play(state: GoState, *texts: str) -> GoState:
    for text in texts:
        state = state.play(GoGame().parse(state, text))
    return state
