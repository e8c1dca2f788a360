"""`scripts/lab solve-connectfour`: Connect Four, solved."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import click
from rich.progress import track

from engine.files import read_file
from engine.games.compiled.solver import Solver
from engine.games.rules.connectfour import ConnectFour, ConnectFourGame
from engine.games.rules.game import IllegalMoveError, SizeError
from engine.games.textbook.search import SearchLimits
from engine.memory import NoMemoryError
from protocol.cli.terminal.console import PrintableConsole
from scripts.laboratory.lab_options import WIDE, count_option

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from engine.games.compiled.othello_endgame import OthelloEndgame

    T = TypeVar("T")


_LARGEST_FILE = 1 << 24  # bytes
_LOOK = 0.5  # seconds between looks at how far the search is


@dataclass(frozen=True, slots=True)
class SolverTask:
    """A position, and the score in the file if it comes from one."""

    words: str
    state: ConnectFour
    score: int | None = None


@click.command(context_settings=WIDE)
@count_option("--table-mb", 1024, "Size of the transposition table, in MB.")
@click.option("--position", metavar="COLUMNS", default="", help="Columns played so far, such as 4453.")
@click.option(
    "--file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Lines COLUMNS SCORE to check.",
)
@count_option("--first", None, "Read only the first N lines of the file.")
@click.option("--weak", is_flag=True, help="Find only the winner, not how soon.")
@click.option("--columns", type=int, default=7, show_default=True, help="Columns of the board.")
@click.option("--rows", type=int, default=6, show_default=True, help="Rows of the board.")
def solve_connectfour(
    table_mb: int, position: str, file: Path | None, first: int | None, weak: bool, columns: int, rows: int
) -> None:
    """Solve the empty board, a position, or all positions of a file, and check its scores.

    The absolute score is the number of discs that the winner has left, plus 1. It is negative if the player
    to move loses.
    """
    try:
        game = ConnectFourGame(columns=columns, rows=rows)
        solver = Solver(game.start(), table_mb)
    except (SizeError, NoMemoryError, ValueError) as error:
        raise click.ClickException(str(error)) from None
    if file is not None:
        if position:
            raise click.UsageError("--position and --file cannot be combined")
        tasks = [_task(game, *line.split()) for line in _lines(file) if line.strip()]
        _check_all(solver, tasks[:first], strong=not weak)
    else:
        _solve(game, solver, _task(game, position), strong=not weak)


def _lines(file: Path) -> list[str]:
    try:
        return read_file(file, _LARGEST_FILE).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{file}: {getattr(error, 'strerror', None) or error}") from None


def _task(game: ConnectFourGame, words: str, score: str | None = None, *_: str) -> SolverTask:
    state = game.start()
    try:
        for word in words:
            state = state.play(game.parse(state, word))
        wanted = None if score is None else int(score)
    except IllegalMoveError as error:
        raise click.ClickException(f"{words}: {error}") from None
    except ValueError:
        raise click.ClickException(f"{words} {score}: not a score") from None
    if state.player < 0:
        raise click.ClickException(f"{words}: the game is over")
    return SolverTask(words, state, wanted)


def _solve(game: ConnectFourGame, solver: Solver, task: SolverTask, *, strong: bool) -> None:
    console = PrintableConsole(highlight=False)
    console.print(game.show(task.state))
    began, cpu = perf_counter(), process_time()
    score = watched(console, solver, lambda: solver.score(task.state, strong=strong))
    _print_figures(console, solver, began, cpu)
    result = "wins" if score > 0 else "loses" if score < 0 else "draws"
    detail = f", score {score}" if strong else ""
    console.print(f"[bold]{'XO'[task.state.player]}, to move, {result}[/bold]{detail}")
    line = watched(console, solver, lambda: tuple(solver.line(task.state, strong=strong)))
    words, state = [], task.state
    for move in line:
        words.append(game.text(state, move))
        state = state.play(move)
    console.print(" ".join(words))
    console.print(game.show(state))
    _print_figures(console, solver, began, cpu)


def _check_all(solver: Solver, tasks: list[SolverTask], *, strong: bool) -> None:
    """Solve all positions. Exits with status 1 if a score differs from the file."""
    console = PrintableConsole(highlight=False)
    wrong, began, cpu = 0, perf_counter(), process_time()
    for task in track(tasks, "solving", console=console, transient=True):
        score = watched(None, solver, partial(solver.score, task.state, strong=strong))
        wanted = task.score if strong or task.score is None else (task.score > 0) - (task.score < 0)
        if wanted is not None and score != wanted:
            wrong += 1
            console.print(f"[red]{task.words}: {score}, not {wanted}")
    count = len(tasks) or 1
    milliseconds = (process_time() - cpu) * 1e3 / count
    console.print(f"{len(tasks)} positions, {wrong} wrong; {solver.nodes / count:,.0f} nodes and", end=" ")
    console.print(f"{milliseconds:.3f} ms of processor time each")
    _print_figures(console, solver, began, cpu)
    if wrong:
        sys.exit(1)


def _print_figures(console: PrintableConsole, solver: Solver, began: float, cpu: float) -> None:
    wall, used = perf_counter() - began, process_time() - cpu
    speed = solver.nodes / used / 1e6 if used else 0.0
    console.print(
        f"{solver.nodes:,} nodes, {wall:.1f} s, {used:.1f} s of processor time, {speed:.1f} million/s"
    )


def watched(console: PrintableConsole | None, solver: Solver | OthelloEndgame, ask: Callable[[], T]) -> T:
    """Call `ask` in another thread, so that Ctrl-C works, and show the number of nodes on the console."""
    solver.begin(SearchLimits())
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask)
        try:
            if console is None:
                return answer.result()
            with console.status("solving") as status:
                while True:
                    try:
                        return answer.result(_LOOK)
                    except NotYetError:
                        status.update(f"solving: {solver.nodes / 1e6:,.0f} million nodes")
        finally:
            solver.stop()
