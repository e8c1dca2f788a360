"""`lolli report`: a game as a page that shows where it was decided."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.search.limits import Limits
from lolli.cli import given_file
from lolli.cli.analysis.assessment import JUDGING_NODES
from lolli.cli.annotation.annotator import AnnotationOptions
from lolli.cli.given_file import STDIO
from lolli.cli.pgn.raw_games import LARGEST_FILE
from lolli.cli.reports.output_files import (
    ReportError,
    check_target,
    needing_packages,
    picture_kind,
    write_result,
)
from lolli.cli.reports.source import annotate_watched, has_scores, select_game
from lolli.cli.shared_options import (
    BadInputError,
    bad_input,
    engine_options,
    flag_option,
    limit_options,
    mark_openings_option,
    number_option,
    output_option,
    player_option,
)
from lolli.cli.terminal.console import messages

if TYPE_CHECKING:
    import chess.pgn

    from lolli.cli.analysis.finding import AnalystSettings


@click.command(
    epilog="""\b
Examples:
  lolli report game.pgn                     write game.html
  lolli report games.pgn --game 12 -o best.html
  lolli report game.pgn --time 1            first analyse each position for a second
  lolli report game.pgn --graph game.png    write only the graph
  lolli report games.pgn --all              write a page for each game, and an index of them
  lolli report games.pgn --all --player Ada   with her openings, accuracy and time in the index
  lolli report - -o - < game.pgn > game.html""",
)
@click.argument("source", type=click.Path(), metavar="GAME.pgn")
@output_option("FILE", "The page to write, - for stdout. Default: game.html for game.pgn.")
@click.option(
    "--graph",
    type=click.Path(),
    metavar="FILE",
    help="Write the graph to an .svg or .png file; the page is then written only with -o.",
)
@number_option("--game", "number", least=1, help="Take the Nth game of the file, not the first.")
@flag_option("--all", "whole", help="Write a page for each game, and an index of them, into a folder.")
@player_option("With --all: add the statistics of this player to the index.")
@click.option(
    "--orientation",
    type=click.Choice(("white", "black")),
    help="The side at the bottom of the boards. Default: that of --player, otherwise white.",
)
@limit_options
@mark_openings_option
@flag_option(
    "--fresh", help="Take out all marks, comments and variations first, and analyse; with --all every game."
)
@engine_options()
def command(
    source: str,
    target: str | None,
    graph: str | None,
    whole: bool,
    player: str | None,
    mark_openings: bool,
    fresh: bool,
    **options: Any,
) -> None:
    """Make one self-contained HTML page of a game, which needs no network and can be sent to anyone.

    It has the graph of the evaluation, boards of the critical moments, the annotated moves, and a board to
    step through. It can be read on a phone and printed.

    A game with [%eval] in its comments, as `lolli annotate` and Lichess write them, is used unchanged. Any
    other game is analysed first, each position for 200000 nodes unless --depth, --nodes or --time is given;
    so is every game if one of these, --eval, --weights or --fresh is given.

    With --all every game of the file gets a page in the folder -o, by default games-report for games.pgn,
    and index.html there leads to them. An interrupted run writes the index of what it has finished; to
    continue it, repeat the command: a page of the same game, analysed with the same settings, is kept. `lolli
    annotate` analyses many games sooner: it uses all processors.
    """
    options["annotation"] = AnnotationOptions(opening=not mark_openings, fresh=fresh)
    if whole:
        if graph or options.pop("number"):
            raise BadInputError("--all cannot be combined with --graph or --game")
        with bad_input(ReportError):
            sys.exit(_report_all(source, target, player, **options))
    if player is not None:
        raise BadInputError("--player needs --all")
    if target is None and graph is None:
        if source == STDIO:
            raise BadInputError("the input has no file name: name the page with -o")
        target = str(Path(source).with_suffix(".html"))
    if target and graph and Path(target).resolve() == Path(graph).resolve():
        raise BadInputError(f"{target}: graph and page cannot be the same file")
    with bad_input(ReportError):
        _report(source, target, graph, **options)


def _report(
    source: str,
    target: str | None,
    graph: str | None,
    *,
    number: int | None,
    orientation: str | None,
    annotation: AnnotationOptions,
    settings: AnalystSettings,
    limits: Limits | None,
) -> None:
    """Raises ReportError, BadInputError."""
    kind = picture_kind(graph) if graph else ""
    for name in filter(None, (target, graph)):
        check_target(name, source)
    with needing_packages("lolli report"):
        from lolli.cli.reports.graph import graph_file  # noqa: PLC0415 - the line above
        from lolli.cli.reports.page import page_of  # noqa: PLC0415
        from lolli.cli.reports.story import JudgedGame  # noqa: PLC0415

    game = _game(source, number)
    if status := _annotated(game, settings, limits, annotation):
        sys.exit(status)
    if graph:
        judged = JudgedGame(game, opening=annotation.opening)
        if not judged.judged:
            raise ReportError(f"{source}: a game without moves has no graph")
        write_result(graph, graph_file(judged.course(), judged.heading.title, kind))
    if target:
        write_result(target, page_of(game, orientation != "black", opening=annotation.opening))


def _annotated(
    game: chess.pgn.Game, settings: AnalystSettings, limits: Limits | None, annotation: AnnotationOptions
) -> int:
    """Analyse a game if it needs it: the exit status, that of the signal if one came. Raises ReportError."""
    if game.variations and (_is_wanted(settings, limits, fresh=annotation.fresh) or not has_scores(game)):
        return annotate_watched(game, settings, limits or Limits(nodes=JUDGING_NODES), annotation)
    return 0


def _is_wanted(settings: AnalystSettings, limits: Limits | None, *, fresh: bool) -> bool:
    """Whether games with evaluations are to be analysed, too."""
    return bool(limits or fresh or settings.evaluator or settings.weights)


def _report_all(
    source: str,
    target: str | None,
    player: str | None,
    *,
    orientation: str | None,
    annotation: AnnotationOptions,
    settings: AnalystSettings,
    limits: Limits | None,
) -> int:
    """The exit status. Raises ReportError, BadInputError."""
    if target is None:
        if source == STDIO:
            raise BadInputError("the input has no file name: name the folder with -o")
        target = str(Path(source).with_name(f"{Path(source).stem}-report"))
    elif target == STDIO:
        raise BadInputError("--all writes many files: name a folder with -o")
    with needing_packages("lolli report"):
        from lolli.cli.reports.collection import report_all  # noqa: PLC0415 - the line above

    return report_all(
        source,
        Path(target),
        player,
        None if orientation is None else orientation == "white",
        settings,
        limits or Limits(nodes=JUDGING_NODES),
        annotation,
        always=_is_wanted(settings, limits, fresh=annotation.fresh),
    )


def _game(source: str, number: int | None) -> chess.pgn.Game:
    with bad_input(ReportError, prefix=f"{source}: "):
        try:
            with given_file.opened(source, LARGEST_FILE) as file:
                game, count = select_game(file, number)
        except OSError as error:
            raise ReportError(error.strerror) from None
    if count > 1:
        messages().print(f"game {number or 1} of {count}" + ("" if number else "; use --game N for another"))
    return game
