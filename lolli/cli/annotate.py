"""`lolli annotate`: the engine's evaluations and better moves, written into every game of a PGN file."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.lookup.book import STANDARD, Book, BookError
from engine.search.limits import Limits
from engine.system.services import processors
from lolli.cli.analysis.assessment import JUDGING_NODES
from lolli.cli.annotation.annotation_run import AnnotationRequest, annotate_file
from lolli.cli.annotation.annotator import AnnotationOptions
from lolli.cli.annotation.output import AnnotateError
from lolli.cli.shared_options import (
    analyst_from,
    bad_input,
    engine_options,
    flag_option,
    json_option,
    limit_options,
    mark_openings_option,
    number_option,
    output_option,
)
from lolli.cli.workers import WorkersError

if TYPE_CHECKING:
    from lolli.cli.analysis.finding import AnalystSettings

_OWN_BOOK = "<own>"


@click.command(
    epilog="""\b
Examples:
  lolli annotate games.pgn                          write games-annotated.pgn
  lolli annotate games.pgn -o best.pgn --time 0.5   half a second for each position
  lolli annotate games.pgn --skip 8                 do not judge the first eight moves of each side
  lolli annotate games.pgn --lines 3 --book         mark only moves, leave book moves alone
  lolli annotate games.pgn --json > games.jsonl     also print a line of JSON for each game
  lolli annotate - -o - < games.pgn | less          read stdin, write to stdout
  lolli annotate games.pgn --cluster tcp://10.0.0.7:8786   use the workers of a Dask cluster""",
)
@click.argument("source", type=click.Path(), metavar="IN.pgn")
@output_option("OUT.pgn", "The file to write, - for stdout. Default: games-annotated.pgn for games.pgn.")
@limit_options
@number_option(
    "--skip",
    least=0,
    default=0,
    help="Do not judge the first N moves of each side, unless the game is from a position.",
)
@number_option(
    "--lines", least=1, most=16, default=1, help="Find N lines; with 2 or more, mark only moves with !."
)
@click.option(
    "--book",
    is_flag=False,
    flag_value=_OWN_BOOK,
    metavar="[BOOK.bin]",
    help="Do not judge the first moves that are in this Polyglot book, or in Lolli's own.",
)
@mark_openings_option
@flag_option("--fresh", help="Take out all marks, comments and variations first; clocks stay.")
@number_option(
    "--jobs",
    least=1,
    default=processors(),
    show_default="all processors",
    help="Annotate N games at a time.",
)
@click.option("--cluster", metavar="ADDRESS", help="Use the workers of the Dask scheduler at ADDRESS.")
@engine_options(threads=False)
@json_option("Print a line of JSON for each game to stdout.")
@flag_option("--force", help="Overwrite OUT.pgn if it exists.")
@flag_option("--restart", help="Discard an interrupted run and start over.")
def command(  # noqa: PLR0917 - an argument for each option
    source: str,
    target: str | None,
    limits: Limits | None,
    skip: int,
    lines: int,
    book: str | None,
    mark_openings: bool,
    fresh: bool,
    jobs: int,
    cluster: str | None,
    settings: AnalystSettings,
    as_json: bool,
    force: bool,
    restart: bool,
) -> None:
    """Annotate every game of a PGN file with the engine's evaluations and better moves.

    Everything in the file is kept, unless --fresh is given. Each move gets [%eval] in its comment. A move
    that loses winning chances gets ?!, ? or ??, and the better line as a variation, unless it leads to an
    opening with a name. Average centipawn loss and accuracy of both players
    become headers, and so do code and name of the opening if the game lacks them. Each position is searched
    by one thread for 200000 nodes unless --depth, --nodes or --time is given; without --time the result is
    the same every time, whatever --jobs is.

    With --lines 2 or more a move gets ! if every other one would have been a mistake, with the second best
    line as a variation, and a bad move gets all lines that are nearly as good as the best.

    A game that cannot be read is copied unchanged, with a message on stderr; the exit status is then 1.

    To continue an interrupted run, repeat the command. Until the run is finished, its work is in OUT.pgn.part
    and OUT.pgn.journal.

    Lines of JSON begin with the games from where a run continues; a few games may be printed again.
    """
    if as_json and target == "-":
        raise click.UsageError("--json and -o - both write to stdout: name a file for the games")
    settings = replace(settings, lines=lines)
    analyst_from(settings).close()  # reports what is wrong with the settings
    if book is not None:
        book = _book(book)
    limits = limits or Limits(nodes=JUDGING_NODES)
    options = AnnotationOptions(skip, book=book, opening=not mark_openings, fresh=fresh)
    request = AnnotationRequest(
        source, target, settings, limits, options, jobs, cluster, as_json, force, restart
    )
    with bad_input(AnnotateError, WorkersError):
        status = annotate_file(request)
    sys.exit(status)


def _book(name: str) -> str:
    """The whole name of a book. Raises BadInputError if it is not one."""
    path = STANDARD if name == _OWN_BOOK else Path(name).resolve()
    with bad_input(BookError):
        Book(path).close()
    return str(path)
