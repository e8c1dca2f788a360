"""`scripts/lab solve-othello`: the last squares of Othello, solved."""

from __future__ import annotations

from functools import partial
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

import click
from rich.table import Table

from engine.games.compiled.othello_endgame import OthelloEndgame
from engine.games.players.searchers import player
from engine.games.rules.othello import Othello, OthelloGame
from engine.games.textbook.search import SearchLimits
from engine.memory import NoMemoryError
from protocol.cli.terminal.console import PrintableConsole
from scripts.laboratory.games.plain_othello import has_score
from scripts.laboratory.games.solve_connectfour import watched
from scripts.laboratory.lab_options import WIDE, count_option

if TYPE_CHECKING:
    from collections.abc import Sequence

_PLAYOUTS = 200  # of the moves that lead to the positions
_MOST_EMPTY = 30
_SQUARES = 64


@click.command(context_settings=WIDE)
@click.option(
    "--empty",
    type=click.IntRange(1, _MOST_EMPTY),
    default=20,
    show_default=True,
    help="Empty squares of each.",
)
@count_option("--positions", 20, "Number of positions.")
@click.option("--seed", default=1, show_default=True, help="Seed of the games that lead to them.")
@click.option(
    "--position",
    metavar="DISCS",
    help="A position instead: X, O or - for each square, row by row, and who moves.",
)
@count_option("--table-mb", 64, "Size of the transposition table, in MB.")
@click.option(
    "--check",
    type=click.IntRange(1, _MOST_EMPTY),
    metavar="N",
    help="Solve again, with a plain solver, where the best line leaves N squares empty; 16 take seconds.",
)
def solve_othello(
    empty: int, positions: int, seed: int, position: str | None, table_mb: int, check: int | None
) -> None:
    """Solve positions of games of the compiled tree search, or one that is given.

    A score is by how many discs the player to move will be ahead. Each position begins with an empty table.
    With --check the exit status is 1 where the second solver finds another score.
    """
    game = OthelloGame()
    states = [_given(position)] if position else [_reached(game, empty, seed + n) for n in range(positions)]
    table = Table("position", "empty", "score", "best line", "million nodes", "s")
    seconds = []
    for state in states:
        try:
            solver = OthelloEndgame(table_mb)
        except NoMemoryError as error:
            raise click.ClickException(str(error)) from None
        began = process_time()
        score = watched(None, solver, partial(solver.score, state))
        seconds.append(process_time() - began)
        figures = f"{solver.nodes / 1e6:.1f}", f"{seconds[-1]:.2f}"
        moves = watched(None, solver, partial(_best_line, solver, state))
        if check is not None:
            _check(state, moves, score, check)
        table.add_row(
            _written(state),
            str(state.empty().bit_count()),
            f"{score:+d}",
            _line(game, state, moves),
            *figures,
        )
    console = PrintableConsole(highlight=False)
    console.print(table)
    console.print(f"{len(states)} positions: median {median(seconds):.2f} s, longest {max(seconds):.2f} s")
    if check is not None:
        console.print(f"the second solver agrees where at most {check} squares are empty")


def _reached(game: OthelloGame, empty: int, seed: int) -> Othello:
    """A position with so many empty squares, from a game that is not over there."""
    while True:
        mover = player(game, "uct-fast", seed)
        state = game.start()
        while state.player >= 0 and state.empty().bit_count() > empty:
            state = state.play(mover.choose(state, SearchLimits(playouts=_PLAYOUTS)).move)
        if state.player >= 0:
            return state
        seed += 1_000_000


def _given(text: str) -> Othello:
    """Raises ClickException."""
    marks = text.upper().split()
    if (
        len(marks) != 2
        or len(marks[0]) != _SQUARES
        or set(marks[0]) - set("XO-")
        or marks[1] not in {"X", "O"}
    ):
        raise click.ClickException(f"{text!r} is not {_SQUARES} times X, O or -, a space, and X or O")
    state = Othello()
    black, white = (sum(1 << at for at, mark in enumerate(marks[0]) if mark == disc) for disc in "XO")
    state.place(black, white, "XO".index(marks[1]))
    if state.player < 0:
        raise click.ClickException("the game is over")
    return state


def _written(state: Othello) -> str:
    """The inverse of `_given`."""
    black, white = state.discs(0), state.discs(1)
    marks = ("X" if black >> at & 1 else "O" if white >> at & 1 else "-" for at in range(_SQUARES))
    return f"{''.join(marks)} {'XO'[state.player]}"


def _best_line(solver: OthelloEndgame, state: Othello) -> list[int]:
    return list(solver.line(state))


def _check(state: Othello, line: Sequence[int], score: int, empty: int) -> None:
    """Play the line until so many squares are empty, and solve again. Raises ClickException."""
    end = state
    for move in line:
        if end.empty().bit_count() <= empty:
            break
        end = end.play(move)
    if end.player >= 0 and not has_score(end, score if end.player == state.player else -score):
        raise click.ClickException(
            f"the second solver finds another score than {score:+d} in {_written(end)}"
        )


def _line(game: OthelloGame, state: Othello, line: Sequence[int]) -> str:
    words = []
    for move in line:
        words.append(game.text(state, move))
        state = state.play(move)
    return " ".join(words)
