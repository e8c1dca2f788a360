"""`lolli annotate`: what the engine thinks, written into every game of a PGN file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from engine.search.limits import Limits
from engine.system import processors
from protocol.cli.engine_options import analyst_from, engine_options
from protocol.cli.evaluators import BadInputError
from protocol.cli.limits import limit_options, limits_from

if TYPE_CHECKING:
    from protocol.cli.analysis.settings import AnalystSettings

_USUAL_NODES = 100_000


@click.command(
    epilog="""\b
Examples:
  lolli annotate games.pgn                          write games-annotated.pgn
  lolli annotate games.pgn -o best.pgn --time 0.5   half a second for a position
  lolli annotate games.pgn --skip 8                 leave the first eight moves of each side alone
  lolli annotate games.pgn --json > games.jsonl     tell of each game in a line of JSON, too
  lolli annotate - -o - < games.pgn | less          read stdin, write to stdout
  lolli annotate games.pgn --cluster tcp://10.0.0.7:8786   the workers of a Dask cluster do it""",
)
@click.argument("source", type=click.Path(), metavar="IN.pgn")
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(),
    metavar="OUT.pgn",
    help="The file to write, - for stdout; by default games-annotated.pgn for games.pgn.",
)
@limit_options
@click.option(
    "--skip",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="Leave the first N moves of each side alone.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=processors(),
    show_default="all processors",
    metavar="N",
    help="Games at the same time.",
)
@click.option("--cluster", metavar="ADDRESS", help="Have the workers of the Dask scheduler there do it.")
@engine_options(threads=False)
@click.option("--json", "as_json", is_flag=True, help="Tell of each game in a line of JSON on stdout.")
@click.option("--force", is_flag=True, help="Write over OUT.pgn if it is there.")
@click.option("--restart", is_flag=True, help="Begin anew where an earlier run was stopped.")
def command(  # noqa: PLR0913, PLR0917 - an argument for each option
    source: str,
    target: str | None,
    depth: int | None,
    nodes: int | None,
    time: float | None,
    skip: int,
    jobs: int,
    cluster: str | None,
    settings: AnalystSettings,
    as_json: bool,
    force: bool,
    restart: bool,
) -> None:
    """Write what the engine thinks into every game of a PGN file; everything in it is kept.

    Each move gets [%eval] in its comment. A move that loses chances to win gets ?!, ? or ??, and the line
    that was better as a variation. Average centipawn loss and accuracy of both players become headers. A
    position is searched by one thread for 100000 nodes unless --depth, --nodes or --time say otherwise; with
    depth or nodes the result is the same every time, whatever --jobs is.

    A game that cannot be read is copied as it is, with a line on stderr; the exit status is then 1.

    A run that was stopped, by Ctrl-C or otherwise, goes on when the same command is given again. Until it is
    finished its work is in OUT.pgn.part and OUT.pgn.journal.

    Lines of JSON tell of the games from where the run goes on; one or the other may come again.
    """
    from protocol.cli.annotation.annotator import AnnotationOptions  # noqa: PLC0415 - needs all of python-chess
    from protocol.cli.annotation.errors import AnnotateError  # noqa: PLC0415
    from protocol.cli.annotation.session import AnnotationRequest, annotate_file  # noqa: PLC0415
    from protocol.workers import WorkersError  # noqa: PLC0415

    if as_json and target == "-":
        raise click.UsageError("--json writes to stdout, and so does -o -: name a file for the games")
    analyst_from(settings).close()  # which says what is wrong with the settings
    limits = limits_from(depth, nodes, time) or Limits(nodes=_USUAL_NODES)
    request = AnnotationRequest(
        source, target, settings, limits, AnnotationOptions(skip), jobs, cluster, as_json, force, restart
    )
    try:
        status = annotate_file(request)
    except (AnnotateError, WorkersError) as error:
        raise BadInputError(str(error)) from None
    sys.exit(status)
