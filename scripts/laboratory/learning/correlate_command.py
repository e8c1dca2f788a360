"""The command line of scripts/correlate."""

from __future__ import annotations

import shutil
from pathlib import Path

import chess.engine
import click
from rich.progress import track
from rich.table import Table

from eval import weight_file
from eval.linear import Linear
from eval.material import Material
from protocol.cli.terminal.console import PrintableConsole

from .correlation import agreement, judged, sample, searched

_GAMES = "/usr/games"  # where Debian puts engines, not always on PATH


@click.command()
@click.argument(
    "games", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--engine", default="stockfish", show_default=True, help="A UCI engine.")
@click.option("--depth", type=click.IntRange(1), default=12, show_default=True, help="Of its search.")
@click.option("--positions", type=click.IntRange(2), default=2000, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the choice of positions.")
@click.option(
    "--weights",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=Path(weight_file.STANDARD),
    help="Of the linear evaluation; eval/weights/linear.json by default.",
)
def correlate(
    games: tuple[Path, ...], engine: str, depth: int, positions: int, seed: int, weights: Path
) -> None:
    """Compare the static evaluations with ENGINE's search in positions from GAMES, which are PGN files.

    \b
    scripts/lab match … --pgn games.pgn
    scripts/lab correlate games.pgn
    """
    command = shutil.which(engine) or shutil.which(engine, path=_GAMES)
    if command is None:
        raise click.UsageError(f"there is no program {engine!r}")
    try:
        linear = Linear(weight_file.load(weights))
    except weight_file.WeightsError as error:
        raise click.UsageError(str(error)) from None
    boards = sample(games, positions, seed)
    if len(boards) < 2:
        raise click.UsageError("the games have no positions to compare")
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
