"""`lolli report`: a game as a page that shows where it was decided."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.search.limits import Limits
from protocol import given_file
from protocol.cli.engine_options import engine_options
from protocol.cli.evaluators import BadInputError
from protocol.cli.limits import limit_options, limits_from
from protocol.cli.report_files import check_target, needing_packages, picture_kind, write_result
from protocol.given_file import STDIO

if TYPE_CHECKING:
    import chess.pgn

    from protocol.cli.analysis.settings import AnalystSettings

_USUAL_NODES = 200_000


@click.command(
    epilog="""\b
Examples:
  lolli report game.pgn                     write game.html
  lolli report games.pgn --game 12 -o best.html
  lolli report game.pgn --time 1            think a second about each position first
  lolli report game.pgn --graph game.png    write the graph alone
  lolli report - -o - < game.pgn > game.html""",
)
@click.argument("source", type=click.Path(), metavar="GAME.pgn")
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(),
    metavar="FILE",
    help="The page to write, - for stdout; by default game.html for game.pgn.",
)
@click.option(
    "--graph",
    type=click.Path(),
    metavar="FILE",
    help="Write the graph into a file, .svg or .png, and the page only if -o is given, too.",
)
@click.option(
    "--game", "number", type=click.IntRange(1), metavar="N", help="Which game of the file, if not the first."
)
@click.option(
    "--orientation",
    type=click.Choice(("white", "black")),
    default="white",
    show_default=True,
    help="Who is at the bottom of the boards.",
)
@limit_options
@click.option("--fresh", is_flag=True, help="Analyse the game even if there are evaluations in it.")
@engine_options()
def command(
    source: str,
    target: str | None,
    graph: str | None,
    number: int | None,
    orientation: str,
    fresh: bool,
    settings: AnalystSettings,
    **limit: Any,
) -> None:
    """Make one page of HTML of a game, with everything in it: it needs no network and can be sent to anyone.

    It has the graph of the evaluation, boards of the critical moments, the annotated moves, and a board that
    can be stepped through. It can be read on a phone and printed.

    A game with [%eval] in its comments, as `lolli annotate` and Lichess write them, is taken as it is. Any
    other is analysed first, each position for 200000 nodes unless --depth, --nodes or --time say
    otherwise; so is every game if one of these, --eval, --weights or --fresh is given.
    """
    if target is None and graph is None:
        if source == STDIO:
            raise BadInputError(
                "where the game comes from has no name to make another from: give one with -o"
            )
        target = str(Path(source).with_suffix(".html"))
    kind = picture_kind(graph) if graph else ""
    for name in filter(None, (target, graph)):
        check_target(name, source)
    if target and graph and Path(target).resolve() == Path(graph).resolve():
        raise BadInputError(f"{target}: graph and page cannot be the same file")
    with needing_packages("lolli report"):
        from protocol.cli.reports.graph import graph_file  # noqa: PLC0415 - the line above
        from protocol.cli.reports.page import page_of  # noqa: PLC0415
    from protocol.cli.reports.judged_game import JudgedGame  # noqa: PLC0415
    from protocol.cli.reports.selection import has_scores  # noqa: PLC0415

    game = _game(source, number)
    limits = limits_from(**limit)
    wanted = limits or fresh or settings.evaluator or settings.weights
    if game.variations and (wanted or not has_scores(game)):
        _annotate(game, settings, limits or Limits(nodes=_USUAL_NODES))
    if graph:
        judged = JudgedGame(game)
        if not judged.judged:
            raise BadInputError(f"{source}: a game without moves has no graph")
        write_result(graph, graph_file(judged.course(), judged.heading.title, kind))
    if target:
        write_result(target, page_of(game, orientation == "white"))


def _game(source: str, number: int | None) -> chess.pgn.Game:
    from protocol.cli.pgn.games import LARGEST_FILE  # noqa: PLC0415 - `lolli report --help` needs none of it
    from protocol.cli.reports.selection import SelectionError, select_game  # noqa: PLC0415 - needs python-chess
    from protocol.cli.terminal.console import messages  # noqa: PLC0415

    try:
        with given_file.opened(source, LARGEST_FILE) as file:
            game, count = select_game(file, number)
    except OSError as error:
        raise BadInputError(f"{source}: {error.strerror}") from None
    except SelectionError as error:
        raise BadInputError(f"{source}: {error}") from None
    if count > 1:
        messages().print(f"game {number or 1} of {count}" + ("" if number else "; --game N chooses another"))
    return game


def _annotate(game: chess.pgn.Game, settings: AnalystSettings, limits: Limits) -> None:
    from protocol.cli.reports.annotation import AnnotationError, annotate_watched  # noqa: PLC0415 - takes long

    try:
        status = annotate_watched(game, settings, limits)
    except AnnotationError as error:
        raise BadInputError(str(error)) from None
    if status:
        sys.exit(status)
