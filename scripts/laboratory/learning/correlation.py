"""How well static evaluations agree with the scores of a strong engine's search."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
import chess.engine
import chess.pgn
import numpy as np
from scipy import stats

from engine.board.fen import parse_fen
from engine.files import open_file
from protocol.cli.pgn.games import LARGEST_FILE, raw_games
from protocol.cli.pgn.movetext import UnreadableError
from protocol.cli.pgn.reader import read_game

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from eval.evaluator import Evaluator

FIRST_PLY, A_GAME = 8, 10
"""Positions are taken from this ply of a game on, at most so many of one game."""

LARGEST_SCORE, CLEAR_SCORE = 1000, 50
"""Centipawns: what is further from 0, mates too, counts as this much; from where a side is better."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of one evaluation with the engine, over `positions`.

    `linear` is Pearson's correlation of centipawns within LARGEST_SCORE, `ranks` Spearman's, which
    depends on the order alone; `side` is the share of positions that the engine finds better for one side,
    by CLEAR_SCORE or more, in which the evaluation prefers that side.
    """

    name: str
    positions: int
    linear: float
    ranks: float
    side: float


def sample(paths: Iterable[Path], count: int, seed: int) -> list[chess.Board]:
    """Different positions from the games of PGN files, no check among them; fewer if there are no more."""
    chance = random.Random(seed)
    found: dict[str, chess.Board] = {}
    for path in paths:
        for game in _games(path):
            boards = list(_positions(game))
            for board in chance.sample(boards, min(A_GAME, len(boards))):
                found[board.epd()] = board
    boards = list(found.values())
    return chance.sample(boards, min(count, len(boards)))


def _games(path: Path) -> Iterator[chess.pgn.Game]:
    """Those of a file that can be read."""
    with open_file(path, LARGEST_FILE) as file:
        for raw in raw_games(file):
            with suppress(UnreadableError):
                yield read_game(raw.data).game


def _positions(game: chess.pgn.Game) -> Iterator[chess.Board]:
    board = game.board()
    for ply, move in enumerate(game.mainline_moves()):
        board.push(move)
        if ply >= FIRST_PLY and not board.is_check() and any(board.legal_moves):
            yield board.copy(stack=False)


def searched(boards: Iterable[chess.Board], engine: chess.engine.SimpleEngine, depth: int) -> Iterator[int]:
    """White's centipawns of each position after a search to `depth`."""
    for board in boards:
        info = engine.analyse(board, chess.engine.Limit(depth=depth), game=object())
        score = info["score"].white().score(mate_score=10 * LARGEST_SCORE)
        yield max(-LARGEST_SCORE, min(LARGEST_SCORE, score))


def judged(boards: Iterable[chess.Board], evaluator: Evaluator) -> list[int]:
    """White's centipawns of each position, without any search."""
    values = [evaluator.judge(parse_fen(board.fen())) for board in boards]
    return [value if board.turn else -value for value, board in zip(values, boards, strict=True)]


def agreement(name: str, values: Sequence[int], scores: Sequence[int]) -> Agreement:
    """Of values with scores, both White's centipawns."""
    ours = np.clip(np.array(values, float), -LARGEST_SCORE, LARGEST_SCORE)
    theirs = np.array(scores, float)
    clear = np.abs(theirs) >= CLEAR_SCORE
    return Agreement(
        name,
        len(values),
        float(np.corrcoef(ours, theirs)[0, 1]),
        float(stats.spearmanr(ours, theirs).statistic),
        float(np.mean(np.sign(ours[clear]) == np.sign(theirs[clear]))) if clear.any() else float("nan"),
    )
