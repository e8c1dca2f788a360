"""`lolli report`: a game as a page that shows where it was decided."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, BinaryIO

import chess
import chess.pgn
import click

from engine.board.fen import FenError
from engine.search.limits import Limits
from engine.search.table import TableError
from engine.system import files
from engine.system.services import processors
from eval.choice import EvaluatorError
from eval.weight_file import WeightsError
from lolli._analyst import Analyst
from lolli._annotator import AnnotationOptions, analysis_text, annotate_game
from lolli._assessment import JUDGING_NODES
from lolli._findings import AnalystSettings, Finding
from lolli.cli import given_file
from lolli.cli.annotator import annotated
from lolli.cli.given_file import STDIO, BadInputError, bad_files, bad_input, check_target, write_result
from lolli.cli.pgn import LARGEST_FILE, RawGame, raw_games
from lolli.cli.pgn.game_reader import (
    FileOutline,
    NoGameError,
    PlayerNameError,
    UnreadableError,
    outline,
    read_game,
)
from lolli.cli.reports import needing_packages, picture_kind
from lolli.cli.reports.page import (
    IndexEntry,
    block_in,
    index_page,
    origin_block,
    origin_in,
    page_of_judged,
    pgn_of,
)
from lolli.cli.reports.pictures import graph_file
from lolli.cli.reports.story import JudgedGame, PlayerStatistics, has_scores
from lolli.cli.runs import Job, Result, do_game, job_of, over_games
from lolli.cli.shared_options import (
    engine_options,
    flag_option,
    limit_options,
    mark_openings_option,
    number_option,
    output_option,
    player_option,
    refuse,
)
from lolli.cli.tactics import Exercise, exercises_in, exercises_page, missed_motifs
from lolli.cli.tactics.find import SOME_UNREADABLE, ExerciseOptions, find_exercises
from lolli.cli.terminal.keys import Interruption, stopping
from lolli.cli.terminal.screen import Display, counted, messages
from lolli.cli.workers import LocalWorkers, WorkersError
from protocol import about
from protocol.text import folded

_INDEX, _EXERCISES = "index.html", "mistakes.html"
_GAMES, _MISTAKES = "report-games.pgn", "report-mistakes.pgn"
_EXERCISE_NODES = 100_000  # for each move that may be good enough
_GAMES_PER_WORKER = 4  # under way, or waiting for a slower one before them
_KEEPS_MARKS = "with marks already: --mark-openings adds none without --fresh"


@click.command(
    epilog="""\b
Examples:
  lolli report game.pgn                     write game.html
  lolli report games.pgn --game 12 -o best.html
  lolli report game.pgn --time 1            first analyse each position for a second
  lolli report game.pgn --graph game.png    write only the graph
  lolli report games.pgn --all              write a page for each game, and an index of them
  lolli report games.pgn --all --player Ada   with her openings, accuracy and time in the index
  lolli report - -o - < game.pgn > game.html"""
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
@player_option("With --all: add this player's statistics to the index, and exercises from the mistakes.")
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
    """Make one self-contained HTML page of a game, which works offline and can be sent to anyone.

    It has the graph of the evaluation, boards of the critical moments, the annotated moves, and a board to
    step through. It can be read on a phone and printed.

    A game with [%eval] in its comments, as `lolli annotate` and Lichess write them, is used unchanged. Any
    other game is analysed first, each position for 200000 nodes unless --depth, --nodes or --time is given;
    so is every game if one of these, --eval, --weights or --fresh is given.

    With --all every game of the file gets a page in the folder -o, by default games-report for games.pgn,
    and index.html there leads to them. An interrupted run writes the index of what it has finished; to
    continue it, repeat the command: a page of the same game, analysed with the same settings, is kept.
    """
    annotation = AnnotationOptions(opening=not mark_openings, fresh=fresh)
    with needing_packages("lolli report"):
        import matplotlib as mpl  # noqa: F401, PLC0415 - an extra
    if whole:
        if graph or options.pop("number"):
            raise BadInputError("--all cannot be combined with --graph or --game")
        with bad_files(), bad_input(WorkersError):
            sys.exit(_report_all(source, target, player, annotation, **options))
    refuse(("player",), "needs --all")
    if target is None and graph is None:
        target = given_file.named_after(source, ".html", "name the page with -o")
    if target and graph and os.path.realpath(target) == os.path.realpath(graph):
        raise BadInputError(f"{target}: graph and page cannot be the same file")
    _report(source, target, graph, annotation, **options)


def _report(
    source: str,
    target: str | None,
    graph: str | None,
    annotation: AnnotationOptions,
    *,
    number: int | None,
    orientation: str | None,
    settings: AnalystSettings,
    limits: Limits | None,
) -> None:
    kind = picture_kind(graph) if graph else ""
    for name in filter(None, (target, graph)):
        check_target(name, source)
    with (
        bad_files(),
        bad_input(BadInputError, prefix=f"{source}: "),
        given_file.opened(source, LARGEST_FILE) as file,
    ):
        game, count = select_game(file, number)
    if count > 1 and number is None:
        messages().print(f"game 1 of {count}; use --game N for another")
    always = _is_wanted(settings, limits, fresh=annotation.fresh)
    is_searched = bool(game.variations) and (always or not has_scores(game))
    if is_searched:
        limits = limits or Limits(nodes=JUDGING_NODES)
        if status := _annotate_watched(game, settings, limits, annotation):
            sys.exit(status)
    judged = JudgedGame(game, opening=annotation.opening)
    if judged.is_marked and not (is_searched or annotation.opening):
        messages().print(f"a game {_KEEPS_MARKS}")
    if graph:
        if not judged.judged:
            raise BadInputError(f"{source}: a game with fewer than two evaluated positions has no graph")
        write_result(graph, graph_file(judged.course(), judged.heading.title, kind))
    if target:
        write_result(target, page_of_judged(judged, orientation != "black"))


def select_game(file: BinaryIO, number: int | None) -> tuple[chess.pgn.Game, int]:
    """Game `number`, by default the first, and how many were counted: with a number only up to it."""
    chosen: RawGame | None = None
    count = 0
    for raw in raw_games(file):
        if raw.data.strip():
            count = raw.number
            if raw.number == (number or 1):
                chosen = raw
            if raw.number == number:
                break
    if count == 0:
        raise BadInputError("no game")
    if chosen is None:
        raise BadInputError(f"no game {number}: the file has {count}")
    try:
        return _game(chosen.data), count
    except NoGameError as error:
        raise BadInputError(str(error)) from None
    except UnreadableError as error:
        place = f"game {chosen.number}, line {chosen.line + error.line}"
        raise BadInputError(f"{place}: {error}") from None


def _game(data: bytes) -> chess.pgn.Game:
    """The game, and the result after its moves where no header has it. Raises as `read_game` does."""
    read = read_game(data)
    if read.result:
        read.game.headers.setdefault("Result", read.result)
    return read.game


def _is_wanted(settings: AnalystSettings, limits: Limits | None, *, fresh: bool) -> bool:
    return bool(limits or fresh or settings.evaluator or settings.weights)


class _InterruptedError(Exception):
    """A signal asked the command to end."""


class _WatchedAnalyst(Analyst):
    """Calls `judged` after each position, and raises _InterruptedError after a signal."""

    judged: Callable[[], None]
    interruption: Interruption

    def findings(self, board: chess.Board, limits: Limits) -> tuple[Finding, ...]:
        last = {}
        for finding in self.search(board, limits):
            last[finding.line] = finding
            if self.interruption.signal is not None:  # a `stop` just before the search began has no effect
                raise _InterruptedError
        self.judged()
        return tuple(last[line] for line in sorted(last))


def _annotate_watched(
    game: chess.pgn.Game, settings: AnalystSettings, limits: Limits, options: AnnotationOptions
) -> int:
    """Returns the exit status: 0, or that of the signal that interrupted it."""
    positions = sum(1 for _ in game.mainline()) + (not game.end().board().is_checkmate())
    display = Display(positions, console=messages())
    with (
        bad_input(EvaluatorError, FenError, TableError, WeightsError),
        _WatchedAnalyst(settings) as analyst,
        stopping(analyst.stop) as analyst.interruption,
        display.shown(),
    ):
        display.print(f"analysing {positions} positions: {analysis_text(analyst.evaluator, limits)}")
        analyst.judged = lambda: display.progress.advance(display.task)
        with suppress(_InterruptedError):
            annotate_game(game, analyst, limits, options)
    return analyst.interruption.exit_status


def _report_all(
    source: str,
    target: str | None,
    player: str | None,
    annotation: AnnotationOptions,
    *,
    orientation: str | None,
    settings: AnalystSettings,
    limits: Limits | None,
) -> int:
    """Returns the exit status. A page made from the same game in the same way is kept, unless `fresh`."""
    if target is None:
        target = given_file.named_after(source, "-report", "name the folder with -o")
    elif target == STDIO:
        raise BadInputError("--all writes many files: name a folder with -o")
    with given_file.opened(source, LARGEST_FILE) as opened, given_file.rewindable(source, opened) as file:
        found = outline(file)
        if not found.games:
            raise BadInputError(f"{source}: no game")
        with bad_input(PlayerNameError, prefix=f"{source}: "):
            statistics = None if player is None else PlayerStatistics(found.names.meant(player))
        folder = Path(target)
        folder.mkdir(exist_ok=True)
        for name in (_GAMES, _MISTAKES):
            check_target(str(folder / name), source)
        file.seek(0)
        pages = _pages_of(folder, file)
        file.seek(0)
        side = None if orientation is None else orientation == "white"
        collection = _Collection(folder, pages, found, statistics, side, annotation)
        always = _is_wanted(settings, limits, fresh=annotation.fresh)
        job = job_of(settings, limits or Limits(nodes=JUDGING_NODES), annotation)
        status = collection.make(file, job, always=always) or collection.make_exercises(settings)
    return collection.end(status, source)


class _Collection:
    def __init__(
        self,
        folder: Path,
        pages: dict[str, list[str]],
        found: FileOutline,
        player: PlayerStatistics | None,
        orientation: chess.Color | None,
        annotation: AnnotationOptions,
    ) -> None:
        """`pages`: the names of the present pages of each game, by its digest.

        `orientation` is at the bottom of the boards; None: the side of the player, otherwise White.
        """
        self._folder = folder
        self._pages = pages
        self._names: dict[int, str] = {}
        self._taken = {name for names in pages.values() for name in names}
        self._found = found
        self._player = player
        self._orientation = orientation
        self._annotation = annotation
        self._entries: list[IndexEntry] = []
        self._games: dict[int, str] = {}
        self._missed: list[tuple[str, list[int]]] = []
        self._exercises = 0
        self._kept = self._unread = self._marked = 0
        self._display = Display(found.games, console=messages())

    def make(self, file: BinaryIO, job: Job, *, always: bool) -> int:
        stopped = Event()
        jobs = max(1, processors() // job.settings.threads)
        with LocalWorkers(jobs) as workers, self._display.shown():
            games = self._games_to_analyse(file, job, stopped, always=always)
            work = partial(do_game, annotated, job)
            window = _GAMES_PER_WORKER * jobs
            take = partial(self._take, job)
            return over_games(games, work, workers, lambda: window, take, stopped.set)

    def make_exercises(self, settings: AnalystSettings) -> int:
        """Of the player's mistakes, unless they are there from the same games. Returns the exit status."""
        if self._player is None or not self._player.games:
            return 0
        settings = replace(settings, lines=1, threads=1)
        limits = Limits(nodes=_EXERCISE_NODES)
        options = ExerciseOptions(player=folded(self._player.name), skip=0, mistakes=True)
        described = json.dumps(job_of(settings, limits, options).identity())
        # A game that was left out keeps its place, so that the others keep their numbers.
        games = (self._games.get(number, '[Event "?"]\n\n*') for number in range(1, max(self._games) + 1))
        content = "\n\n".join((f"% {described}", *games, "")).encode()
        source, found = self._folder / _GAMES, self._folder / _MISTAKES
        is_new = not source.exists() or files.read_file(source, LARGEST_FILE) != content
        if is_new:
            found.unlink(missing_ok=True)  # of other games or settings
            files.write_whole(source, content)
        if found.exists():
            exercises, status = exercises_in(str(found)) or [], 0
            self._write_exercises(exercises)
        else:
            exercises, status = find_exercises(
                str(source),
                str(found),
                settings,
                limits,
                options,
                processors(),
                self._write_exercises,
                force=True,
                restart=is_new,
            )
        self._missed, self._exercises = missed_motifs(exercises), len(exercises)
        return 0 if status == SOME_UNREADABLE else status

    def _write_exercises(self, exercises: Sequence[Exercise]) -> None:
        if exercises and self._player is not None:
            page = exercises_page(exercises, f"Mistakes of {self._player.name}")
            files.write_whole(self._folder / _EXERCISES, page.encode())

    def _games_to_analyse(
        self, file: BinaryIO, job: Job, stopped: Event, *, always: bool
    ) -> Iterator[RawGame]:
        is_told = False
        for raw in raw_games(file):
            if stopped.is_set():
                return
            try:
                game = _game(raw.data)
            except NoGameError:
                continue
            except UnreadableError as error:
                self._leave_out(raw, error.line, str(error))
                continue
            is_searched = bool(game.variations) and (always or not has_scores(game))
            own, analysed = _origin(raw, None), _origin(raw, job)
            known = None if self._annotation.fresh else origin_in(self._folder / self._name(raw))
            origin = {name: known[0].get(name) for name in own} if known else None
            if known and origin and origin in ([analysed] if is_searched else [analysed, own]):
                self._kept += 1
                self._add(raw, known[1], origin, known[0].get("look"))
            elif is_searched:
                if not is_told:
                    what = analysis_text(job.engine.evaluator, job.limits)
                    self._display.print(f"analysing games: {what}")
                    is_told = True
                yield raw
            else:
                self._add(raw, game, own)

    def _take(self, job: Job, raw: RawGame, result: Result) -> None:
        if result.error is not None:
            self._leave_out(raw, result.line, result.error)
        else:
            self._add(raw, _game(result.data or raw.data), _origin(raw, job))

    def _leave_out(self, raw: RawGame, line: int, reason: str) -> None:
        self._display.print(f"game {raw.number}, line {raw.line + line}: {reason}; left out")
        self._display.progress.advance(self._display.task)
        self._unread += 1

    def _add(
        self, raw: RawGame, game: chess.pgn.Game, origin: dict[str, Any], known_look: object = None
    ) -> None:
        judged = JudgedGame(game, opening=self._annotation.opening)
        if judged.is_marked and not (origin["analysis"] or self._annotation.opening):
            self._marked += 1
        is_white = self._orientation
        if is_white is None:
            is_white = self._player is None or self._player.colors(judged) != [chess.BLACK]
        look = {"version": about.VERSION, "flipped": not is_white, "opening": self._annotation.opening}
        if known_look != look:
            block = origin_block({**origin, "look": look}, game)
            page = page_of_judged(judged, is_white, [(_INDEX, "All games")], block)
            files.write_whole(self._folder / self._name(raw), page.encode())
        if self._player is not None:
            self._player.add(judged)
            self._games[raw.number] = pgn_of(game)
        players = [judged.player(color) for color in (chess.WHITE, chess.BLACK)]
        white, black = (None if player is None else player.measures.accuracy for player in players)
        plies = len(judged.story.main_line) - 1
        moves = (plies + 1 + judged.story.main_line[0].ply % 2) // 2 if plies else 0
        entry = IndexEntry(raw.number, self._name(raw), judged.heading, moves, white, black)
        self._entries.append(entry)
        self._display.progress.advance(self._display.task)

    def _name(self, raw: RawGame) -> str:
        """That of its present page; for a new page the game's number, or the next one that is free."""
        if raw.number not in self._names:
            width, pieces = len(str(self._found.pieces)), self._found.pieces
            numbers = (raw.number, *range(pieces + 1, pieces + len(self._taken) + 2))
            names = (f"game-{number:0{width}}.html" for number in numbers)
            made = self._pages.get(_digest(raw))
            name = made.pop(0) if made else next(name for name in names if name not in self._taken)
            self._names[raw.number] = name
            self._taken.add(name)
        return self._names[raw.number]

    def end(self, status: int, source: str) -> int:
        done, total = len(self._entries), self._found.games
        if not done and not status:
            raise BadInputError(f"{source}: no game that can be read")
        if done:
            title = "Games" if given_file.is_handed_over(source) else Path(source).stem
            self._entries.sort(key=lambda entry: entry.number)
            exercises = (_EXERCISES, self._exercises, self._missed)
            page = index_page(title, self._entries, total - self._unread, self._player, exercises)
            files.write_whole(self._folder / _INDEX, page.encode())
            kept = f"; kept {counted(self._kept, 'page')}" if self._kept else ""
            pages = counted(done - self._kept, "page")
            messages().print(f"wrote {self._folder / _INDEX} and {pages} beside it{kept}")
        if self._marked:
            messages().print(f"{counted(self._marked, 'game')} {_KEEPS_MARKS}")
        if status:
            again = "without --fresh " if self._annotation.fresh else ""
            messages().print(
                f"Stopped after {done + self._unread:,} of {total:,} games;"
                f" repeat the command {again}to continue."
            )
            return status
        return SOME_UNREADABLE if self._unread else 0


def _digest(raw: RawGame) -> str:
    return hashlib.sha256(raw.data.strip()).hexdigest()


def _pages_of(folder: Path, file: BinaryIO) -> dict[str, list[str]]:
    """The names of the present pages of the games in a file, by digest."""
    pages = sorted(folder.glob("game-*.html"))
    names: dict[str, list[str]] = {_digest(raw): [] for raw in raw_games(file)} if pages else {}
    for page in pages:
        names.get(str(block_in(page).get("game")), []).append(page.name)
    return names


def _origin(raw: RawGame, job: Job | None) -> dict[str, Any]:
    """Without `fresh`: a run with it is continued without it."""
    settings = job and {name: value for name, value in job.identity().items() if name != "fresh"}
    return {"game": _digest(raw), "analysis": settings}
