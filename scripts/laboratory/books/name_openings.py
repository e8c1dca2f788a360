"""`scripts/lab name-openings`: the table of opening names, from the data set of lichess.org."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import chess.pgn
import click

from engine.files import write_whole
from engine.lookup.openings import COMMENT, TABLE

_SOURCE = "https://github.com/lichess-org/chess-openings"
_LICENCE = "CC0 1.0 (https://creativecommons.org/publicdomain/zero/1.0/)"
_VOLUMES = "abcde"
_HEAD = "eco\tname\tpgn"


@click.command()
@click.argument("checkout", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), default=TABLE, help="The table to write."
)
def name_openings(checkout: Path, out: Path) -> None:
    """Make engine/lookup/openings.tsv from a clone of lichess-org/chess-openings.

    A line has the code, the name and the position as EPD; where several lines of the data set lead to a
    position, the last one names it.
    """
    version = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607 - the git of whoever runs it
        cwd=checkout,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    openings: dict[str, tuple[str, str]] = {}
    for volume in _VOLUMES:
        lines = (checkout / f"{volume}.tsv").read_text(encoding="utf-8").splitlines()
        if lines[0] != _HEAD:
            raise click.UsageError(f"{volume}.tsv does not begin with eco, name and pgn")
        for line in lines[1:]:
            eco, name, pgn = line.split("\t")
            openings[_position_after(pgn)] = eco, name
    rows = sorted((eco, name, epd) for epd, (eco, name) in openings.items())
    head = f"{COMMENT} Opening names from {_SOURCE}, commit {version}; licence: {_LICENCE}.\n"
    write_whole(out, (head + "".join("\t".join(row) + "\n" for row in rows)).encode())
    click.echo(f"{out}: {len(rows)} positions")


def _position_after(pgn: str) -> str:
    """The position after these moves, as EPD. Raises UsageError."""
    game = chess.pgn.read_game(io.StringIO(pgn))
    if game is None or game.errors:
        raise click.UsageError(f"not a line of moves: {pgn}")
    return game.end().board().epd()
