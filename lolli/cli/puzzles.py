"""`lolli puzzles`: positions of one's own games in which one move alone was right, to be solved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.search.limits import Limits
from engine.system.services import processors
from lolli.cli import given_file
from lolli.cli.annotation.output import AnnotateError
from lolli.cli.given_file import STDIO
from lolli.cli.reports.output_files import ReportError, check_target, write_result
from lolli.cli.shared_options import (
    MOST_NODES,
    BadInputError,
    analyst_from,
    bad_input,
    engine_options,
    flag_option,
    number_option,
    output_option,
    player_option,
)
from lolli.cli.tactics.puzzle_dialogue import PuzzleDialogue
from lolli.cli.tactics.puzzle_file import puzzles_from, puzzles_in
from lolli.cli.tactics.puzzle_finder import LINES, PuzzleOptions
from lolli.cli.tactics.puzzle_run import PuzzleRequest, find_puzzles
from lolli.cli.terminal.console import messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lolli.cli.analysis.finding import AnalystSettings
    from lolli.cli.tactics.puzzle import Puzzle

_ENDING = "-puzzles"  # of the name of a file of puzzles
_SCAN_NODES, _CHECK_NODES = 20_000, 400_000


@click.command(
    epilog="""\b
Examples:
  lolli puzzles games.pgn                              write games-puzzles.pgn
  lolli puzzles games.pgn --player "Ada Smith" --missed   what Ada should have seen
  lolli puzzles games.pgn --page puzzles.html          also a page to solve them on
  lolli puzzles games.pgn --epd puzzles.epd            also a test suite, for lolli suite
  lolli puzzles games-puzzles.pgn --solve              solve them in the terminal
  lolli puzzles games-puzzles.pgn --page puzzles.html  a page of puzzles found before""",
)
@click.argument("source", type=click.Path(), metavar="GAMES.pgn")
@output_option("OUT.pgn", "The file of puzzles, - for stdout. Default: games-puzzles.pgn for games.pgn.")
@click.option("--epd", type=click.Path(), metavar="FILE", help="Write a line of EPD for each puzzle, too.")
@click.option("--page", type=click.Path(), metavar="FILE", help="Write a page to solve the puzzles on, too.")
@flag_option("--solve", help="Solve the puzzles here and now.")
@player_option("Only positions in which this player was to move.")
@flag_option("--missed", help="Only positions in which another move was played.")
@number_option(
    "--skip",
    least=0,
    default=5,
    help="Leave out the first N moves of each side, unless the game is from a position.",
)
@number_option(
    "--nodes", least=1, most=MOST_NODES, default=_CHECK_NODES, help="Check a candidate with N nodes."
)
@number_option(
    "--scan-nodes", least=1, most=MOST_NODES, default=_SCAN_NODES, help="Look for candidates with N nodes."
)
@number_option(
    "--jobs", least=1, default=processors(), show_default="all processors", help="Look at N games at a time."
)
@engine_options(threads=False)
@flag_option("--force", help="Overwrite OUT.pgn if it exists.")
@flag_option("--restart", help="Discard an interrupted run and start over.")
def command(  # noqa: PLR0917 - an argument for each option
    source: str,
    target: str | None,
    epd: str | None,
    page: str | None,
    solve: bool,
    player: str | None,
    missed: bool,
    skip: int,
    nodes: int,
    scan_nodes: int,
    jobs: int,
    settings: AnalystSettings,
    force: bool,
    restart: bool,
) -> None:
    """Make puzzles of the positions of a PGN file in which one move alone was right.

    A position is a puzzle if one move wins, or one move alone holds the draw, by the chances that the
    evaluation gives it, and the second best is far from it; unless it is forced, or takes back what has
    just taken. Each position is searched for 20000 nodes with two lines, and what seems to be a puzzle for
    400000 nodes, and so is each position of its solution: that goes on as long as one move alone is right. At
    last its first position is searched for four times as many.

    The puzzles are PGN: the position, its solution as the main line, what was played, and whose game it was.
    A file of puzzles can be given in place of games, to make a page or EPD of it or to --solve it.

    The page is one file that needs no network: a click on the board, or a move typed, is answered there.

    A game that cannot be read is left out, with a message on stderr; the exit status is then 1. To continue
    an interrupted run, repeat the command; until it is finished its work is in OUT.pgn.journal.
    """
    if solve and given_file.is_handed_over(source):
        raise BadInputError("--solve reads moves from stdin: name a file with the games")
    _check_others(source, target, epd, page)
    with bad_input(AnnotateError):
        known = None if given_file.is_handed_over(source) else puzzles_in(source)
        if known is not None:
            if not (epd or page or solve):
                raise BadInputError(f"{source} is a file of puzzles: use --page, --epd or --solve")
            _write_others(known, epd, page, Path(source).stem.removesuffix(_ENDING))
            raise SystemExit(_solve(known) if solve else 0)
        analyst_from(settings).close()  # reports what is wrong with the settings
        path = _target(source, target)  # None: nothing is kept until the end
        options = PuzzleOptions(scan_nodes, player, skip, missed)
        request = PuzzleRequest(
            source, path, replace(settings, lines=LINES), Limits(nodes=nodes), options, jobs, force, restart
        )
        title = Path(source).stem if source != STDIO else "Puzzles"
        texts, status = find_puzzles(
            request, lambda texts: _write_others(puzzles_from(texts), epd, page, title)
        )
    if status > 1:
        raise SystemExit(status)
    if path is None:
        with bad_input(ReportError):
            write_result(target or STDIO, "".join(texts))
    raise SystemExit((_solve(puzzles_from(texts)) if solve else 0) or status)


def _check_others(source: str, target: str | None, epd: str | None, page: str | None) -> None:
    """Raise BadInputError, before the search, if EPD or page cannot be written at its end."""
    names = [name for name in (target, epd, page) if name]
    if len({name if name == STDIO else Path(name).resolve() for name in names}) < len(names):
        raise BadInputError("-o, --epd and --page must be different files")
    with bad_input(ReportError):
        for name in filter(None, (epd, page)):
            check_target(name, source)


def _target(source: str, target: str | None) -> Path | None:
    """The file of puzzles; None for stdout, a FIFO or a device. Raises BadInputError."""
    if target is not None and (target == STDIO or given_file.is_stream(target)):
        return None
    if target is None:
        if given_file.is_handed_over(source):
            raise BadInputError("the input has no file name: name the output with -o")
        return Path(source).with_name(f"{Path(source).stem}{_ENDING}.pgn")
    with bad_input(ReportError):
        check_target(target, source)
    return Path(target)


def _write_others(puzzles: Sequence[Puzzle], epd: str | None, page: str | None, title: str) -> None:
    """Write EPD and page, if they are wanted. Raises BadInputError."""
    with bad_input(ReportError):
        if epd is not None:
            write_result(epd, "".join(f"{puzzle.epd()}\n" for puzzle in puzzles))
        if page is not None and puzzles:
            from lolli.cli.tactics.puzzle_page import puzzles_page  # noqa: PLC0415 - an extra

            write_result(page, puzzles_page(puzzles, f"Puzzles of {title}"))
    if page is not None and not puzzles:
        messages().print(f"no puzzles: {page} was not written")


def _solve(puzzles: Sequence[Puzzle]) -> int:
    """Let the puzzles be solved: the exit status."""
    return PuzzleDialogue(puzzles).run() if puzzles else 0
