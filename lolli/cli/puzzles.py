"""`lolli puzzles`: exercises from your games, puzzles with one right move or mistakes, and to solve them."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from engine.search.limits import Limits
from lolli._assessment import JUDGING_NODES
from lolli._findings import AnalystSettings
from lolli._puzzles import CHECK_NODES, LINES, SCAN_NODES, SKIPPED_MOVES, Puzzle
from lolli.cli import given_file
from lolli.cli.given_file import STDIO, BadInputError, bad_files, bad_input, check_target, write_result
from lolli.cli.shared_options import (
    MOST_NODES,
    analyst_from,
    engine_options,
    flag_option,
    jobs_option,
    number_option,
    output_option,
    player_option,
)
from lolli.cli.tactics import Exercise, epd_of, exercises_in, exercises_page
from lolli.cli.tactics.find import SOME_UNREADABLE, ExerciseOptions, find_exercises, is_good_enough
from lolli.cli.tactics.solve import solve as solve_exercises
from lolli.cli.terminal.screen import messages
from lolli.cli.workers import WorkersError


@click.command(
    epilog="""\b
Examples:
  lolli puzzles games.pgn                              write games-puzzles.pgn
  lolli puzzles games.pgn --player "Ada Smith" --missed   what Ada should have seen
  lolli puzzles games.pgn --player Ada --mistakes --solve   Ada's mistakes, to do better
  lolli puzzles games.pgn --page puzzles.html          also a page to solve them on
  lolli puzzles games.pgn --epd puzzles.epd            also a test suite, for lolli suite
  lolli puzzles games-puzzles.pgn --solve              solve them in the terminal
  lolli puzzles games-puzzles.pgn --page puzzles.html  a page of puzzles found before"""
)
@click.argument("source", type=click.Path(), metavar="GAMES.pgn")
@output_option(
    "OUT.pgn",
    "The file of puzzles, - for stdout. Default: games-puzzles.pgn for games.pgn, or games-mistakes.pgn.",
)
@flag_option("--mistakes", help="Each move marked ? or ??: find one that keeps the winning chances.")
@click.option("--epd", type=click.Path(), metavar="FILE", help="Write a line of EPD for each puzzle, too.")
@click.option("--page", type=click.Path(), metavar="FILE", help="Write a page to solve the puzzles on, too.")
@flag_option("--solve", help="Solve the puzzles here and now.")
@player_option("Only positions in which this player was to move.")
@flag_option("--missed", help="Only positions in which another move was played.")
@number_option(
    "--skip",
    least=0,
    help="Leave out the first N moves of each side, unless the game is from a position."
    f" Default: {SKIPPED_MOVES}; with --mistakes 0.",
)
@number_option(
    "--nodes",
    least=1,
    most=MOST_NODES,
    help=f"Check a candidate with N nodes. Default: {CHECK_NODES}; with --mistakes {JUDGING_NODES}.",
)
@number_option(
    "--scan-nodes", least=1, most=MOST_NODES, default=SCAN_NODES, help="Look for candidates with N nodes."
)
@jobs_option("Look at N games at a time.")
@engine_options(threads=False)
@flag_option("--force", help="Overwrite OUT.pgn if it exists.")
@flag_option("--restart", help="Discard an interrupted run and start over.")
def command(  # noqa: PLR0917 - an argument for each option
    source: str,
    target: str | None,
    mistakes: bool,
    epd: str | None,
    page: str | None,
    solve: bool,
    player: str | None,
    missed: bool,
    skip: int | None,
    nodes: int | None,
    scan_nodes: int,
    jobs: int,
    settings: AnalystSettings,
    force: bool,
    restart: bool,
) -> None:
    """Make puzzles of the positions of a PGN file in which one move alone was right, or of its mistakes.

    A position is a puzzle if one move wins, or one move alone holds the draw, by the chances that the
    evaluation gives it, and the second best is far from it; unless it is forced, or takes back what has
    just taken, or holds the draw by taking what hangs. Each position is searched for 20000 nodes with two
    lines, and what seems to be a puzzle for 400000 nodes, and so is each position of its solution: that goes
    on as long as one move alone is right. The first position is searched again with four times the nodes.

    With --mistakes each move that is marked ? or ?? becomes an exercise: find a better one. Right is every
    move that loses less than 5 points of 100 in winning chances beside the best, less than what makes an
    inaccuracy. Every move is searched by itself for 20000 nodes, and each that may be right for 200000, or
    800000 if in doubt; with --solve so is an answer that is not among those. Games without evaluations are
    analysed first, as by `lolli annotate`. A marked move that is right by this is left out.

    The puzzles are PGN: the position, its solution as the main line, what was played, and whose game it was.
    A file of them can be given in place of games, to make a page or EPD of it or to --solve it.

    The page is one file that works offline: a click on the board, or a move typed, is answered there.

    A game that cannot be read is left out, with a message on stderr; the exit status is then 1. To continue
    an interrupted run, repeat the command; until it is finished its work is in OUT.pgn.part.
    """
    if solve and given_file.is_handed_over(source):
        raise BadInputError("--solve reads moves from stdin: name a file with the games")
    if mistakes and missed:
        raise BadInputError("--missed has no meaning with --mistakes")
    _check_others(source, target, epd, page, "mistakes" if mistakes else "puzzles")
    limits = Limits(nodes=nodes or (JUDGING_NODES if mistakes else CHECK_NODES))
    with bad_files(), bad_input(WorkersError):
        known = None if given_file.is_handed_over(source) else exercises_in(source)
        if known and not mistakes and nodes is None and not isinstance(known[0], Puzzle):
            limits = Limits(nodes=JUDGING_NODES)  # a file of mistakes
        status = 0
        if known is None:
            analyst_from(settings).close()  # reports what is wrong with the settings
            first = (0 if mistakes else SKIPPED_MOVES) if skip is None else skip
            title = "games" if given_file.is_handed_over(source) else Path(source).stem
            known, status = find_exercises(
                source,
                target,
                replace(settings, lines=1 if mistakes else LINES),
                limits,
                ExerciseOptions(scan_nodes, player, first, missed, mistakes),
                jobs,
                lambda exercises: _write_others(exercises, epd, page, title),
                force=force,
                restart=restart,
            )
        elif mistakes and isinstance(known[0], Puzzle):
            raise BadInputError(f"{source} is a file of puzzles, not of mistakes")
        elif epd or page or solve:
            _write_others(known, epd, page, Path(source).stem.removesuffix(f"-{_kind(known)}"))
        else:
            raise BadInputError(f"{source} is a file of {_kind(known)}: use --page, --epd or --solve")
    if solve and known and status <= SOME_UNREADABLE:
        with analyst_from(settings) as analyst:
            check = partial(is_good_enough, analyst=analyst, limits=limits)
            status = solve_exercises(known, check) or status
    raise SystemExit(status)


def _kind(exercises: Sequence[Exercise]) -> str:
    return "puzzles" if isinstance(exercises[0], Puzzle) else "mistakes"


def _check_others(source: str, target: str | None, epd: str | None, page: str | None, kind: str) -> None:
    names = [name for name in (target, epd, page) if name]
    written = [*names]
    if target is None and not given_file.is_handed_over(source):
        written.append(given_file.named_after(source, f"-{kind}.pgn", ""))
    if len({name if name == STDIO else os.path.realpath(name) for name in written}) < len(written):
        raise BadInputError("-o, --epd and --page must be different files")
    for name in names:
        check_target(name, source)


def _write_others(exercises: Sequence[Exercise], epd: str | None, page: str | None, title: str) -> None:
    if epd is not None:
        write_result(epd, "".join(f"{epd_of(exercise)}\n" for exercise in exercises))
    if page is not None and exercises:
        write_result(page, exercises_page(exercises, f"{_kind(exercises).capitalize()} of {title}"))
    elif page is not None:
        messages().print(f"nothing found: {page} was not written")
