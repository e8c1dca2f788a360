"""`scripts/lab check-adjudication`: adjudicated games are played on to see whether the verdict holds."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from engine.adjudication import Adjudication, Ending
from engine.search.constants import INFINITE
from eval.learning.game_file import GameFileError, games
from eval.learning.samples import files
from scripts.laboratory.job_options import job_options
from scripts.laboratory.jobs import JobError
from scripts.laboratory.lab_options import WIDE, count_option, every_option, seed_option
from scripts.laboratory.learning.given_evaluator import evaluator_options
from scripts.laboratory.learning.selfplay_games import make_player
from scripts.laboratory.long_run import RunDisplay, exit_status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eval.learning.game_file import GameRecord
    from scripts.laboratory.job_options import JobRunner
    from scripts.laboratory.learning.given_evaluator import GivenEvaluator

VERDICTS = (Ending.CLEAR_WIN, Ending.CLEAR_DRAW, Ending.TOO_LONG)
_ENDINGS = list(Ending)
_TO_THE_END = Adjudication(level_score=INFINITE, won_score=INFINITE, drawn_score=-1, longest=2000)


@dataclass(frozen=True, slots=True)
class PlayedOn:
    """An adjudicated game: White's result by the verdict, and the one reached `plies` plies later."""

    verdict: Ending
    result: int
    reached: int
    plies: int


class PlayOnWorker:
    """Plays games on in a worker process, from where they were adjudicated to their end by the rules."""

    def __init__(self, evaluator: GivenEvaluator, nodes: int) -> None:
        """Create the player."""
        self._player = make_player(evaluator.make(), nodes, _TO_THE_END)

    def work(self, game: GameRecord) -> PlayedOn:
        """Play a game on. Raises GameFileError."""
        plies = self._player.play(game.end())
        return PlayedOn(_ENDINGS[game.ending], game.result, self._player.result, plies)

    def close(self) -> None:
        """Nothing to release."""


@dataclass(slots=True)
class VerdictTally:
    """Games by verdict: in how many it held, how many were drawn or won instead, and the plies."""

    held: Counter[Ending] = field(default_factory=Counter)
    drawn: Counter[Ending] = field(default_factory=Counter)
    won: Counter[Ending] = field(default_factory=Counter)
    plies: defaultdict[Ending, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, game: PlayedOn) -> None:
        """Count a game."""
        if game.reached == game.result:
            self.held[game.verdict] += 1
        elif game.reached == 0:
            self.drawn[game.verdict] += 1
        else:
            self.won[game.verdict] += 1
        self.plies[game.verdict] += game.plies

    def games(self, verdict: Ending) -> int:
        """The number of games with this verdict."""
        return self.held[verdict] + self.drawn[verdict] + self.won[verdict]


def adjudicated(paths: Iterable[Path], count: int, seed: int) -> list[GameRecord]:
    """`count` games of each verdict in files and folders, drawn at random; all of them if there are fewer.

    Raises GameFileError and OSError.
    """
    drawn: dict[Ending, list[GameRecord]] = {verdict: [] for verdict in VERDICTS}
    chooser, seen = Random(seed), Counter[Ending]()
    for path in files(paths):
        for game in games(path):
            verdict = _ENDINGS[game.ending]
            if verdict in VERDICTS:
                seen[verdict] += 1
                if len(drawn[verdict]) < count:
                    drawn[verdict].append(game)
                elif (place := chooser.randrange(seen[verdict])) < count:  # reservoir sampling
                    drawn[verdict][place] = game
    return list(chain.from_iterable(drawn.values()))


@click.command("check-adjudication", context_settings=WIDE)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@count_option("--games", 1000, "Number of games of each verdict to play on.", to="count")
@count_option("--nodes", 500, "Soft limit of a search: no depth is begun after this number of nodes.")
@evaluator_options
@seed_option("the choice of games")
@job_options
@every_option(100)
def check_adjudication(
    *,
    paths: tuple[Path, ...],
    count: int,
    nodes: int,
    evaluator: GivenEvaluator,
    seed: int,
    run_all: JobRunner,
    every: int,
) -> None:
    """Play adjudicated games in PATHS on to their end by the rules, and say how often the verdict held.

    \b
    scripts/lab check-adjudication data/first --games 1000

    PATHS are files of games from self-play, or folders of them.
    """
    try:
        chosen = adjudicated(paths, count, seed)
    except (GameFileError, OSError) as error:
        raise click.UsageError(str(error)) from error
    tally = VerdictTally()
    with RunDisplay("games", len(chosen), 0, every) as display:

        def play() -> None:
            make_worker = partial(PlayOnWorker, evaluator, nodes)
            with contextlib.closing(run_all(make_worker, chosen)) as results:
                for done, game in enumerate(results, 1):
                    tally.add(game)
                    display.show(done, "")

        status = exit_status(play, display.say, JobError)
    Console().print(table_of(tally))
    sys.exit(status)


def table_of(tally: VerdictTally) -> Table:
    """A row for each verdict."""
    table = Table("verdict", "games", "held", "drawn", "won instead", "plies more")
    for verdict in VERDICTS:
        if total := tally.games(verdict):
            counts = (tally.held[verdict], tally.drawn[verdict], tally.won[verdict])
            shares = (f"{count} ({100 * count / total:.1f}%)" for count in counts)
            table.add_row(verdict.value, str(total), *shares, f"{tally.plies[verdict] / total:.0f}")
    return table
