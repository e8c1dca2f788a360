"""`scripts/lab check-puzzles`: whether Stockfish agrees that each puzzle has one solution."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
import chess.engine
import click
from rich.progress import track

from protocol.cli.tactics.only_move import Goal, reached
from protocol.cli.tactics.puzzle_file import puzzles_in
from scripts.laboratory.lab_options import WIDE, count_option

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from protocol.cli.tactics.puzzle import Puzzle

EVEN = 500
"""Of a thousand games: a move is right if it reaches the goal in at least as many."""


@dataclass(frozen=True, slots=True)
class SolutionVerdict:
    """What Stockfish says of one of the solver's moves: how often it reaches the goal, and the best other."""

    move: str
    reaches: int
    other: str
    other_reaches: int

    @property
    def is_right(self) -> bool:
        """Whether it is right, and nothing else is."""
        return self.reaches >= EVEN > self.other_reaches

    @property
    def reason(self) -> str:
        """What is wrong with it."""
        if self.reaches < EVEN:
            return f"{self.move} reaches the goal in {self.reaches / 10:.0f}% only"
        return f"{self.other} does, too, in {self.other_reaches / 10:.0f}%"


def verdicts(engine: chess.engine.SimpleEngine, puzzle: Puzzle, nodes: int) -> Iterator[SolutionVerdict]:
    """One verdict for each of the solver's moves, in turn; forced ones have none. `nodes` for each search."""
    board = puzzle.board.copy()
    for number, move in enumerate(puzzle.line):
        others = [each for each in board.legal_moves if each != move]
        if number % 2 == 0 and others:
            right, _ = _reaches(engine, board, [move], puzzle.goal, nodes)
            best, other = _reaches(engine, board, others, puzzle.goal, nodes)
            yield SolutionVerdict(board.san(move), right, board.san(other), best)
        board.push(move)


def _reaches(
    engine: chess.engine.SimpleEngine,
    board: chess.Board,
    moves: Sequence[chess.Move],
    goal: Goal,
    nodes: int,
) -> tuple[int, chess.Move]:
    """In how many of a thousand games the best of these moves reaches the goal, and that move."""
    info = engine.analyse(board, chess.engine.Limit(nodes=nodes), root_moves=moves, game=object())
    chances = info.get("wdl") or info["score"].wdl()
    return reached(goal, chances.relative), info["pv"][0]


@click.command(context_settings=WIDE)
@click.argument("source", type=click.Path(exists=True, dir_okay=False), metavar="PUZZLES.pgn")
@count_option("--nodes", 1_000_000, "Search the solution, and then all other moves, with N nodes each.")
@click.option("--stockfish", default="/usr/games/stockfish", show_default=True, help="Stockfish.")
def check_puzzles(source: str, nodes: int, stockfish: str) -> None:
    """Have Stockfish check that each puzzle of a file has one solution; the exit status is 1 if one has not.

    Each of the solver's moves has to reach the goal of the puzzle in at least half of the games, by
    Stockfish's own model of the outcome, and no other move may.
    """
    puzzles = puzzles_in(source)
    if puzzles is None:
        raise click.UsageError(f"{source} is not a file of puzzles")
    wrong = moves = wrong_first = 0
    with chess.engine.SimpleEngine.popen_uci(shlex.split(stockfish)) as engine:
        engine.configure({"UCI_ShowWDL": True})
        for number, puzzle in enumerate(track(puzzles, transient=True), 1):
            found = list(verdicts(engine, puzzle, nodes))
            moves += len(found)
            failed = [verdict for verdict in found if not verdict.is_right]
            wrong += bool(failed)
            wrong_first += bool(failed) and failed[0] is found[0]
            if failed:
                click.echo(f"{number}. {puzzle.board.fen()}  {puzzle.goal.value}  {failed[0].reason}")
    share = 100 * wrong / len(puzzles)
    click.echo(
        f"{len(puzzles)} puzzles, {moves} moves of the solver: {wrong} have not one solution ({share:.1f}%),"
        f" {wrong_first} of these at the first move; {nodes:,} nodes a search"
    )
    raise SystemExit(bool(wrong))
