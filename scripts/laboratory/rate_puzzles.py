"""`scripts/lab rate-puzzles`: the levels of play on the scale of Lichess's puzzles.

A level's rating is that of the puzzles of which it solves half: where the logistic curve that best explains
what it has solved crosses ½. Each hundred of ratings counts as much as any other.
"""

import csv
import lzma
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import chess
import click
import numpy as np
from scipy.optimize import minimize

from engine.search.limits import FULL_STRENGTH, WEAKEST_LEVEL, Handicap, Limits
from lolli.cli.analysis import AnalystSettings
from lolli.cli.analysis.analyst import Analyst
from lolli.cli.playing.chess import weaken
from scripts.laboratory.lab_options import WIDE, count_option, seed_option

_BAND = 100  # Elo
_PER_ELO = math.log(10) / 400


class Puzzle(NamedTuple):
    """`moves`: the first leads to the position to be solved, every second one after it is the solver's."""

    name: str
    fen: str
    moves: tuple[str, ...]
    rating: int


def read_puzzles(path: Path) -> list[Puzzle]:
    """The puzzles of Lichess's file, as CSV or compressed by xz. Raises OSError, ValueError."""
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        try:
            return [
                Puzzle(row["PuzzleId"], row["FEN"], tuple(row["Moves"].split()), int(row["Rating"]))
                for row in csv.DictReader(file)
            ]
        except (KeyError, TypeError, ValueError, lzma.LZMAError, csv.Error) as error:
            raise ValueError(f"not a file of Lichess's puzzles: {path}") from error


def sample(puzzles: Sequence[Puzzle], per_band: int, *, back: bool, seed: int) -> list[Puzzle]:
    """Up to `per_band` of each hundred of ratings, of one half of the puzzles or, if `back`, the other."""
    bands = defaultdict(list)
    for puzzle in puzzles:
        if (Random(puzzle.name).random() < 1 / 2) == back:
            bands[puzzle.rating // _BAND].append(puzzle)
    chooser = Random(seed)
    return [
        each
        for _, band in sorted(bands.items())
        for each in chooser.sample(sorted(band), min(per_band, len(band)))
    ]


def solves(analyst: Analyst, puzzle: Puzzle) -> bool:
    """Whether the level finds all moves of the solution, or another mate."""
    board = chess.Board(puzzle.fen)
    analyst.new_game()
    for ply, text in enumerate(puzzle.moves):
        move = chess.Move.from_uci(text)
        if ply % 2:
            chosen = analyst.choice(board, Limits())[0]
            if chosen != move:
                board.push(chosen)
                return board.is_checkmate()
        board.push(move)
    return True


def half_solved(ratings: Sequence[int], solved: Sequence[bool]) -> float:
    """The rating of the puzzles of which half are solved."""
    elo, won = np.array(ratings, float), np.array(solved, float)
    bands = elo // _BAND
    counts = {band: int((bands == band).sum()) for band in set(bands)}
    weights = np.array([1 / counts[band] for band in bands])

    def unlikeliness(unknown: np.ndarray) -> float:
        odds = np.exp(unknown[1]) * _PER_ELO * (_BAND * unknown[0] - elo)
        loss = won * np.logaddexp(0, -odds) + (1 - won) * np.logaddexp(0, odds)
        return float(weights @ loss) + unknown[1] ** 2

    return float(_BAND * minimize(unlikeliness, [elo.mean() / _BAND, 0.0], method="Nelder-Mead").x[0])
