"""`scripts/lab correlate`: how well static evaluations agree with the search of a strong engine."""

from __future__ import annotations

import random
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import chess.engine
import chess.pgn
import click
import numpy as np
from rich.progress import track
from rich.table import Table
from scipy import stats

from engine.board.fen import parse_fen
from engine.files import open_file
from eval import weight_file
from eval.linear import Linear
from eval.material import Material
from protocol.cli.pgn.game_reader import read_game
from protocol.cli.pgn.movetext import UnreadableError
from protocol.cli.pgn.raw_games import LARGEST_FILE, raw_games
from protocol.cli.terminal.console import PrintableConsole
from scripts.laboratory.lab_options import WIDE, count_option, file_option, seed_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eval.evaluator import Evaluator


FIRST_PLY, A_GAME = 8, 10
"""Positions are taken from this ply of a game on, at most `A_GAME` of one game."""

LARGEST_SCORE, CLEAR_SCORE = 1000, 50
"""Centipawns: larger scores and mates count as LARGEST_SCORE; from CLEAR_SCORE on a side is better."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of an evaluation with the engine in `positions` positions.

    `linear` is Pearson's correlation of the centipawns, `ranks` is Spearman's, which depends only on their
    order. `side` is the share of positions in which the evaluation prefers the same side as the engine, among
    those that the engine finds better for one side.
    """

    name: str
    positions: int
    linear: float
    ranks: float
    side: float


def sample(paths: Iterable[Path], count: int, seed: int) -> list[chess.Board]:
    """`count` different positions without check from PGN files, or fewer if there are no more."""
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
    """The games of a file that can be read."""
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
    """The score of each position after a search to `depth`, in White's centipawns."""
    for board in boards:
        info = engine.analyse(board, chess.engine.Limit(depth=depth), game=object())
        score = info["score"].white().score(mate_score=10 * LARGEST_SCORE)
        yield max(-LARGEST_SCORE, min(LARGEST_SCORE, score))


def judged(boards: Iterable[chess.Board], evaluator: Evaluator) -> list[int]:
    """The static value of each position, in White's centipawns."""
    values = [evaluator.static_value(parse_fen(board.fen())) for board in boards]
    return [value if board.turn else -value for value, board in zip(values, boards, strict=True)]


def agreement(name: str, values: Sequence[int], scores: Sequence[int]) -> Agreement:
    """The agreement of `values` with `scores`, both in White's centipawns."""
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


_GAMES = "/usr/games"  # where Debian puts engines, not always on PATH


@click.command(context_settings=WIDE)
@click.argument(
    "games", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--engine", default="stockfish", show_default=True, help="UCI engine to compare with.")
@count_option("--depth", 12, "Depth of its searches.")
@count_option("--positions", 2000, "Number of positions.", least=2)
@seed_option("the choice of positions")
@file_option("--weights", "Weights of the linear evaluation.", Path(weight_file.STANDARD))
def correlate(
    games: tuple[Path, ...], engine: str, depth: int, positions: int, seed: int, weights: Path
) -> None:
    """Compare the static evaluations with an engine's search, in positions from the PGN files GAMES.

    \b
    scripts/lab match … --pgn games.pgn
    scripts/lab correlate games.pgn
    """
    command = shutil.which(engine) or shutil.which(engine, path=_GAMES)
    if command is None:
        raise click.UsageError(f"engine not found: {engine}")
    try:
        linear = Linear(weight_file.load(weights))
    except weight_file.WeightsError as error:
        raise click.UsageError(str(error)) from None
    boards = sample(games, positions, seed)
    if len(boards) < 2:
        raise click.UsageError("no positions to compare in these games")
    try:
        with chess.engine.SimpleEngine.popen_uci(command) as peer:
            name = peer.id.get("name", engine)
            progress = track(
                searched(boards, peer, depth), name, len(boards), console=PrintableConsole(stderr=True)
            )
            scores = list(progress)
    except (chess.engine.EngineError, OSError) as error:
        raise click.ClickException(f"{command}: {error}") from None
    table = Table(title=f"{len(boards)} positions", caption=f"{name}, depth {depth}")
    for heading in ("evaluation", "Pearson", "Spearman", "right side"):
        table.add_column(heading)
    for label, evaluator in (("material", Material()), ("linear", linear)):
        row = agreement(label, judged(boards, evaluator), scores)
        table.add_row(row.name, f"{row.linear:.3f}", f"{row.ranks:.3f}", f"{row.side:.1%}")
    PrintableConsole().print(table)
