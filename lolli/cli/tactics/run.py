"""A run over a file of games that makes exercises of them."""

from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from engine.search.limits import Limits
from lolli._findings import AnalystSettings
from lolli.cli import given_file
from lolli.cli.given_file import bad_input
from lolli.cli.pgn import RawGame
from lolli.cli.pgn.game_reader import PlayerNameError, player_in
from lolli.cli.runs import (
    GOES_ON,
    GrowingFile,
    Result,
    do_game,
    games_in,
    job_of,
    over_games,
    results_in,
    shown,
)
from lolli.cli.tactics import Exercise, exercises_from, positions_in
from lolli.cli.tactics.find import ExerciseOptions, found_mistakes, found_puzzles
from lolli.cli.terminal.screen import FileDisplay, counted
from lolli.cli.workers import LocalWorkers

SOME_UNREADABLE = 1
"""The exit status if a game could not be read."""
_GAMES_PER_WORKER = 4  # under way, or waiting for a slower one before them


def find_exercises(
    source_name: str,
    target: str | None,
    settings: AnalystSettings,
    limits: Limits,
    options: ExerciseOptions,
    jobs: int,
    write_others: Callable[[list[Exercise]], None],
    *,
    force: bool,
    restart: bool,
) -> tuple[list[Exercise], int]:
    """Exercises, each position once, and the exit status; `write_others` gets them before the end."""
    with (
        games_in(source_name) as given,
        given_file.rewindable(source_name, given.file) if options.player else nullcontext(given.file) as file,
    ):
        source = replace(given, file=file)
        if options.player is not None:
            with bad_input(PlayerNameError, prefix=f"{source_name}: "):
                options = replace(options, player=player_in(file, options.player)[0].casefold())
            file.seek(0)
        job = job_of(settings, limits, options)
        run = {"command": "puzzles", **job.identity()}
        kind = "mistakes" if options.mistakes else "puzzles"
        with results_in(target, f"-{kind}.pgn", source, run, force=force, restart=restart) as output:
            totals = output.totals
            texts = list(output.pieces()) if isinstance(output, GrowingFile) else []
            known = {position for text in texts for position in positions_in(text.decode())}
            display = FileDisplay(source.size, totals["bytes"], totals["games"])

            def take(raw: RawGame, result: Result) -> None:
                counts = {"games": 1, "unreadable": 1} if result.error is not None else {}
                data = b""
                if result.error is not None:
                    place = f"game {raw.number}, line {raw.line + result.line}"
                    display.print(f"{place}: {result.error}; left out")
                elif (facts := result.facts) is not None:
                    new = [each for each in facts["puzzles"] if each[1] not in known]
                    known.update(position for _, position, _ in new)
                    data = "".join(pgn for pgn, _, _ in new).encode()
                    texts.append(data)
                    missed = sum(missed for *_, missed in new)
                    counts = {
                        "games": 1,
                        "positions": facts["positions"],
                        "puzzles": len(new),
                        "missed": missed,
                    }
                output.write(raw, data, **counts)
                found = f", {counted(totals['puzzles'], kind.removesuffix('s'))}"
                display.reached(totals["bytes"], totals["games"], found)

            with LocalWorkers(jobs) as workers, display.shown():
                games = source.games_after(totals)
                work = partial(do_game, found_mistakes if options.mistakes else found_puzzles, job)
                window = _GAMES_PER_WORKER * jobs
                status = over_games(games, work, workers, lambda: window, take, source.stop)
            if status:
                again = GOES_ON if output.resumable else ""
                display.print(f"Stopped after {counted(totals['games'], 'game')}{again}.")
                return [], status
            display.print(_summary(totals, display, mistakes=options.mistakes))
            exercises = exercises_from(b"".join(texts))
            write_others(exercises)
            output.finish()
            if output.path is not None:
                display.print(f"wrote {shown(output.path)}")
            return exercises, SOME_UNREADABLE if totals["unreadable"] else 0


def _summary(totals: Counter[str], display: FileDisplay, *, mistakes: bool) -> str:
    """The totals include earlier parts of the run; time and rate do not."""
    games = counted(totals["games"], "game")
    if mistakes:
        found = [f"{games}, {totals['positions']:,} ? and ??", counted(totals["puzzles"], "exercise")]
    else:
        puzzles = f"{counted(totals['puzzles'], 'puzzle')}, {totals['missed']:,} of them missed"
        found = [f"{games}, {totals['positions']:,} positions", puzzles]
    parts = [
        *found,
        f"{totals['unreadable']:,} left out" if totals["unreadable"] else "",
        display.spent(totals["games"]),
    ]
    return "; ".join(part for part in parts if part)
