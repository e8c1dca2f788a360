"""The peer of `lolli annotate`: what people write with python-chess, an engine for each processor."""

from __future__ import annotations

import io
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from multiprocessing.util import Finalize
from typing import TYPE_CHECKING

import chess.engine
import chess.pgn

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPTIONS = {"Threads": 1, "Hash": 16}
"""The same as those of `lolli annotate`."""


@dataclass(frozen=True, slots=True)
class PeerEffort:
    """What it took, in seconds by the clock."""

    games: int
    positions: int
    wall: float


def annotate(command: tuple[str, ...], texts: Sequence[str], seconds: float, processes: int) -> PeerEffort:
    """Search every position of the games for so many seconds, and write the evals into them."""
    work = partial(_annotate, command, seconds)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as executor:
        list(executor.map(_start, [command] * processes))  # nearly all engines, before the clock runs
        started = time.monotonic()
        positions = sum(executor.map(work, texts))
        return PeerEffort(len(texts), positions, time.monotonic() - started)


@cache
def _engine(command: tuple[str, ...]) -> chess.engine.SimpleEngine:
    """That of this process."""
    engine = chess.engine.SimpleEngine.popen_uci(list(command))
    engine.configure({name: value for name, value in _OPTIONS.items() if name in engine.options})
    Finalize(None, engine.quit, exitpriority=1)  # at the end of this process
    return engine


def _start(command: tuple[str, ...]) -> None:
    _engine(command)
    time.sleep(0.1)


def _annotate(command: tuple[str, ...], seconds: float, text: str) -> int:
    """The number of positions."""
    engine = _engine(command)
    game = chess.pgn.read_game(io.StringIO(text))
    if game is None:
        return 0
    positions = 0
    for node in [game, *game.mainline()]:
        board = node.board()
        if not board.is_checkmate():
            found = engine.analyse(board, chess.engine.Limit(time=seconds), game=text)
            node.set_eval(found["score"])
        positions += 1
    str(game)
    return positions
