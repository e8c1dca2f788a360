"""Games to annotate: quick ones that the engine plays against itself."""

from __future__ import annotations

import random
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

import chess
import chess.pgn

from engine.search.limits import Limits
from protocol.cli.analysis.analyst import Analyst

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_RANDOM_PLIES = 8
_NODES = (100, 400)  # one or the other for each move, so that there are mistakes
_GAMES_A_JOB = 5


def play_games(count: int, longest: int, seed: int, processes: int) -> Iterator[str]:
    """PGN of so many games of at most `longest` plies; the same for the same seed."""
    play = partial(_play, longest, seed)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as executor:
        yield from executor.map(play, range(1, count + 1), chunksize=_GAMES_A_JOB)


def repeat(path: Path, texts: list[str], count: int) -> None:
    """Write a file of so many games, the same ones again and again."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(texts[number % len(texts)])


@cache
def _analyst() -> Analyst:
    return Analyst()


def _play(longest: int, seed: int, number: int) -> str:
    chooser = random.Random(seed * 1_000_003 + number)
    analyst = _analyst()
    analyst.new_game()
    board = chess.Board()
    while len(board.move_stack) < longest and not board.is_game_over(claim_draw=True):
        if len(board.move_stack) < _RANDOM_PLIES:
            board.push(chooser.choice(list(board.legal_moves)))
        else:
            board.push(analyst.best(board, Limits(nodes=chooser.choice(_NODES))).moves[0])
    game = chess.pgn.Game.from_board(board)
    game.headers.update({"Event": "Self-play", "Round": str(number), "White": "Lolli", "Black": "Lolli"})
    game.headers["Result"] = board.result(claim_draw=True)
    return f"{game}\n\n"
