"""`scripts/lab rate-puzzles`: the levels of play on the scale of Lichess's puzzles.

A level's rating is that of the puzzles of which it solves half: where the logistic curve that best explains
what it has solved crosses ½. Each hundred of ratings counts as much as any other.
"""

import csv
import lzma
import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import chess
import click
import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from engine.search.limits import FULL_STRENGTH, RATING_OF_LEVEL, WEAKEST_LEVEL, Handicap, Limits
from lolli._analyst import Analyst
from lolli._findings import AnalystSettings
from lolli.cli.playing.chess import weaken
from scripts.laboratory.lab_options import WIDE, count_option, seed_option

_BAND = 100  # Elo
_FLATNESS = 0.01  # keeps the slope finite where all puzzles up to a rating are solved and none above
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
        except (KeyError, TypeError, ValueError, EOFError, lzma.LZMAError, csv.Error) as error:
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
    """Whether the level finds all moves of the solution, or another mate. Raises ValueError."""
    board = chess.Board(puzzle.fen)
    analyst.new_game()
    for ply, text in enumerate(puzzle.moves):
        move = board.parse_uci(text)
        if ply % 2:
            chosen = analyst.choice(board, Limits())[0]
            if chosen != move:
                board.push(chosen)
                return board.is_checkmate()
        board.push(move)
    return True


def half_solved(ratings: Sequence[int], solved: Sequence[bool]) -> float:
    """The rating of the puzzles of which half are solved: a logistic regression; each band counts alike.

    Raises ValueError without puzzles.
    """
    if not ratings:
        raise ValueError("no puzzles")
    elo, won = np.array(ratings, float), np.array(solved, float)
    bands = elo // _BAND
    weights = 1 / np.array([(bands == band).sum() for band in bands])

    def unlikeliness(unknown: npt.NDArray[np.float64]) -> float:
        half, slope = unknown
        odds = np.exp(slope) * _PER_ELO * (half * _BAND - elo)
        loss = won * np.logaddexp(0, -odds) + (1 - won) * np.logaddexp(0, odds)
        return float(weights @ loss + _FLATNESS * slope**2)

    start = [elo.mean() / _BAND, 0.0]
    return float(minimize(unlikeliness, start, method="Nelder-Mead").x[0]) * _BAND


@click.command(context_settings=WIDE)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@count_option("--first", WEAKEST_LEVEL, "First level.", most=FULL_STRENGTH - 1)
@count_option("--last", len(RATING_OF_LEVEL), "Last level.", most=FULL_STRENGTH - 1)
@count_option("--per-hundred", 100, "Puzzles of each hundred of ratings.")
@click.option("--held-back", is_flag=True, help="Take the half of the puzzles to which no level was fitted.")
@seed_option("the choice of puzzles and of the levels' moves")
def rate_puzzles(file: Path, first: int, last: int, per_hundred: int, held_back: bool, seed: int) -> None:
    """Rate the levels of play by the puzzles of FILE that they solve.

    \b
    scripts/lab rate-puzzles lichess_db_puzzle.csv.xz --held-back

    FILE is CSV as of database.lichess.org, compressed by xz or not. A level's rating is that of the puzzles
    of which it solves half. It says little outside the ratings of the file; chance leaves about 60 Elo (95%).
    """
    if last < first:
        raise click.UsageError(f"--last {last} is below --first {first}")
    try:
        chosen = sample(read_puzzles(file), per_hundred, back=held_back, seed=seed)
        ratings = [puzzle.rating for puzzle in chosen]
        with Analyst(AnalystSettings(megabytes=1)) as analyst:
            for level in range(first, last + 1):
                weaken(analyst, Handicap.of_level(level), Random(seed))
                solved = [solves(analyst, puzzle) for puzzle in chosen]
                share = 100 * sum(solved) / max(1, len(solved))
                click.echo(
                    f"level {level:2}  rating {half_solved(ratings, solved):4.0f}"
                    f"  solved {share:3.0f}% of {len(solved)}"
                )
    except (OSError, ValueError) as error:
        raise click.UsageError(str(error)) from error
