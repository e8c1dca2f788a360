"""`scripts/lab match-evaluators`, and its pairs of games in one process, at the speed of self-play.

A pair is played between two evaluators, or between two settings of the search parameters.
"""

import contextlib
import sys
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from engine.board.position import Position
from engine.search.alphabeta import NO_NODE_LIMIT
from engine.search.constants import INFINITE
from engine.search.engine import Engine
from engine.search.selfplay import SelfPlayer
from eval.outcome import STANDARD, Ending
from scripts.laboratory.jobs import JobError, JobRunner, job_options
from scripts.laboratory.lab_options import (
    OPENINGS,
    WIDE,
    KeyValues,
    Words,
    WordsCommand,
    count_option,
    every_option,
    file_option,
    record_option,
    seed_option,
)
from scripts.laboratory.learning.evaluators import EvaluatorType, GivenEvaluator, engine
from scripts.laboratory.learning.selfplay_games import Openings, OpeningSource
from scripts.laboratory.long_run import JournalError, RunDisplay, RunJournal, exit_status, whole
from scripts.laboratory.openings import OpeningSuite, OpeningSuiteError
from scripts.laboratory.statistics import (
    Sprt,
    SprtVerdict,
    elo_estimate,
    likelihood_of_superiority,
    normalised_elo_estimate,
    parse_sprt,
)

_RULES = replace(STANDARD, level_score=INFINITE)  # an opening is played with either colour, level or not


@dataclass(frozen=True, slots=True)
class Terms:
    """How pairs are played: `nodes` a move or, if that is not 0, `microseconds` of processor time."""

    first: GivenEvaluator
    second: GivenEvaluator
    book: OpeningSuite
    nodes: int
    seed: int
    microseconds: int = 0
    megabytes: int = 4

    def identity(self) -> dict[str, Any]:
        """What two runs must have in common to be the same match of evaluators."""
        return {
            "first": f"{self.first.name} {engine(self.first)}",
            "second": f"{self.second.name} {engine(self.second)}",
            "openings": self.book.digest(),
            "nodes": 0 if self.microseconds else self.nodes,
            "microseconds": self.microseconds,
            "hash": self.megabytes,
            "seed": self.seed,
            "adjudication": asdict(_RULES),
        }


@dataclass(frozen=True, slots=True)
class Pair:
    """Two games from opening `number`; either side has search parameters other than the default ones."""

    number: int
    first: Mapping[str, int] = field(default_factory=dict)
    second: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlayedPair:
    """The results of `first`, 1, 0 or -1: it has White in the first game and Black in the second.

    `endings` are places in `Ending`. `plies`: of each game. `moves` and `nodes`: of either side, in both
    games.
    """

    pair: Pair
    results: tuple[int, int]
    endings: tuple[int, int] = (0, 0)
    plies: tuple[int, int] = (0, 0)
    moves: tuple[int, int] = (0, 0)
    nodes: tuple[int, int] = (0, 0)

    @property
    def points(self) -> float:
        """Of `first`, 0 to 2."""
        return (sum(self.results) + 2) / 2


class PairPlayer:
    """Plays pairs of games in a worker process. They depend only on the terms and the pair."""

    def __init__(self, terms: Terms) -> None:
        """Create both players."""
        self._openings = Openings([OpeningSource(terms.book, 0, 0)], terms.seed)
        self._engines = [
            Engine.single(evaluator.make(), terms.megabytes) for evaluator in (terms.first, terms.second)
        ]
        nodes = NO_NODE_LIMIT if terms.microseconds else terms.nodes
        self._players = [SelfPlayer(each.searchers[0], nodes, nodes, _RULES) for each in self._engines]
        for player in self._players:
            player.thread_time = 1000 * terms.microseconds

    def work(self, pair: Pair) -> PlayedPair:
        """Play both games. Raises OpeningSuiteError."""
        first, second = self._players
        for each, changed in zip(self._engines, (pair.first, pair.second), strict=True):
            each.parameters.reset(changed)
        before = [(each.searches, each.searched_nodes) for each in self._players]
        opening = next(self._openings.of_game(pair.number))
        white = _play(first, second, opening)
        black = _play(second, first, opening)
        moves, nodes = zip(
            *(
                (each.searches - searches, each.searched_nodes - searched)
                for each, (searches, searched) in zip(self._players, before, strict=True)
            ),
            strict=True,
        )
        results, endings, plies = zip(white, (-black[0], *black[1:]), strict=True)
        return PlayedPair(pair, results, endings, plies, moves, nodes)

    def close(self) -> None:
        """Nothing to release."""


def _play(white: SelfPlayer, black: SelfPlayer, opening: Position) -> tuple[int, int, int]:
    """Play a game. White's result, how it ended, and the plies. Raises OpeningSuiteError."""
    plies = white.play_against(black, opening)
    if not plies:
        raise OpeningSuiteError("the game is over in one of the openings")
    return white.result, white.ending_number, plies


def play_pairs(terms: Terms, pairs: Iterator[Pair], run_all: JobRunner) -> Generator[PlayedPair, None, None]:
    """Play pairs and yield each. Raises JobError. Closing the generator discards the games in progress."""
    with contextlib.closing(run_all(partial(PairPlayer, terms), pairs)) as results:
        yield from results


def points_of(record: Mapping[str, object]) -> float:
    """The points of a record in a journal. Raises KeyError or ValueError if there are none."""
    for points in (0.0, 0.5, 1.0, 1.5, 2.0):
        if record["points"] == points:
            return points
    raise ValueError("not the points of two games")


@dataclass(slots=True)
class Tally:
    """Counts over games and pairs, worst for `first` first; sums of moves and nodes by side."""

    games: list[int] = field(default_factory=lambda: [0] * 3)
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    endings: Counter[str] = field(default_factory=Counter)
    plies: int = 0
    moves: list[int] = field(default_factory=lambda: [0] * 2)
    nodes: list[int] = field(default_factory=lambda: [0] * 2)

    def add(self, pair: PlayedPair) -> None:
        """Count a pair."""
        self.pairs[sum(pair.results) + 2] += 1
        self.plies += sum(pair.plies)
        for result, ending in zip(pair.results, pair.endings, strict=True):
            self.games[result + 1] += 1
            self.endings[list(Ending)[ending].value] += 1
        for side in range(2):
            self.moves[side] += pair.moves[side]
            self.nodes[side] += pair.nodes[side]


class EvaluatorMatch:
    """A match that resumes from its journal. With a number of nodes the same terms give the same games."""

    def __init__(self, record: Path, terms: Terms, pairs: int) -> None:
        """Resume the match. Raises JournalError."""
        self._terms = terms
        self._pairs = pairs
        self._journal = RunJournal(record, terms.identity())
        self.tally = Tally()
        self._played: set[int] = set()
        for played in self._journal.read(_played):
            if played.pair.number not in self._played:
                self._count(played)

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def play(self, run_all: JobRunner) -> Generator[PlayedPair, None, None]:
        """Play the remaining pairs; record and yield each. Raises JobError and OSError.

        Closing the generator discards the games in progress.
        """
        left = (Pair(number) for number in range(self._pairs) if number not in self._played)
        with contextlib.closing(play_pairs(self._terms, left, run_all)) as results:
            for played in results:
                record = {key: value for key, value in asdict(played).items() if key != "pair"}
                self._journal.append({"number": played.pair.number, **record})
                self._count(played)
                yield played

    def _count(self, played: PlayedPair) -> None:
        self._played.add(played.pair.number)
        self.tally.add(played)


def _played(record: dict[str, Any]) -> PlayedPair:
    """A pair as the journal has it. Raises ValueError."""

    def two(name: str, least: int = 0, most: int | None = None) -> tuple[int, int]:
        one, other = (whole(value, least) for value in record[name])
        if most is not None and max(one, other) > most:
            raise ValueError(f"{name} are too large")
        return one, other

    return PlayedPair(
        Pair(whole(record["number"])),
        two("results", -1, 1),
        two("endings", 0, len(Ending) - 1),
        two("plies"),
        two("moves"),
        two("nodes"),
    )


@click.command("match-evaluators", cls=WordsCommand, context_settings=WIDE)
@click.option(
    "--first", type=EvaluatorType(), required=True, help="An evaluator, perhaps with a file of weights."
)
@click.option("--second", type=EvaluatorType(), default="linear", show_default=True, help="Its opponent.")
@record_option
@count_option("--pairs", 500, "Number of pairs of games at most.")
@count_option("--nodes", 5000, "Nodes of each search.")
@count_option("--microseconds", 0, "Processor time of each search, instead of nodes; 0: nodes.", least=0)
@count_option("--hash", 4, "Megabytes of each side's hash table, empty before each game.", to="megabytes")
@file_option("--openings", "Openings: EPD, FEN or PGN, also .gz, .xz, .bz2.", OPENINGS)
@seed_option("the order of the openings")
@click.option(
    "--sprt", type=Words(), help="Stop when decided: elo0= elo1= alpha= beta= model=logistic|normalised."
)
@job_options
@every_option(20, "pairs")
def match_evaluators(  # noqa: PLR0913 - an argument for each option
    *,
    first: GivenEvaluator,
    second: GivenEvaluator,
    record: Path,
    pairs: int,
    nodes: int,
    microseconds: int,
    megabytes: int,
    openings: Path,
    seed: int,
    sprt: KeyValues | None,
    run_all: JobRunner,
    every: int,
) -> None:
    """Play two evaluators against each other under the same search, at the speed of self-play.

    \b
    scripts/lab match-evaluators --first network=new.lolli --second network --record new.jsonl --nodes 5000
    scripts/lab match-evaluators --first network=new.lolli --record new-linear.jsonl --microseconds 10000

    Each opening is played once with either colour. With --microseconds a search ends when its thread has been
    busy for so long, so that evaluators of different speed compare fairly, also while the machine does other
    work. A match that was stopped resumes from its record; --pairs and --sprt may be changed.
    """
    try:
        book = OpeningSuite.read(openings, chess960=False)
        if pairs > len(book.entries):
            raise click.UsageError(f"there are {len(book.entries)} openings for {pairs} pairs")
        terms = Terms(first, second, book, nodes, seed, microseconds, megabytes)
        test = parse_sprt(sprt)
        match = EvaluatorMatch(record, terms, pairs)
    except (ValueError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    with contextlib.closing(match):
        status = _play_on(match, pairs, test, run_all, every)
    for line in report(terms, match.tally, test):
        click.echo(line)
    sys.exit(status)


def _play_on(match: EvaluatorMatch, pairs: int, sprt: Sprt | None, run_all: JobRunner, every: int) -> int:
    """Play the remaining pairs, or until the test has decided, and show the progress. The exit status."""
    tally = match.tally

    def is_decided() -> bool:
        return sprt is not None and sprt.verdict(tally.pairs) is not SprtVerdict.UNDECIDED

    with RunDisplay("pairs", pairs, sum(tally.pairs), every) as display:

        def play() -> None:
            with contextlib.closing(match.play(run_all)) as played:
                while not is_decided() and next(played, None):
                    display.show(sum(tally.pairs), status_line(tally, sprt))

        return exit_status(play, display.say, JobError, OSError)


def status_line(tally: Tally, sprt: Sprt | None) -> str:
    """The score of `first`, Elo, and the state of the sequential test."""
    losses, draws, wins = tally.games
    line = f"+{wins} -{losses} ={draws}  Elo {elo_estimate(tally.pairs)}"
    if sprt is not None:
        line += f"  {sprt.text(tally.pairs)}"
    return line


def report(terms: Terms, tally: Tally, sprt: Sprt | None) -> list[str]:
    """The result of `first`, in lines."""
    pace = f"{terms.microseconds} microseconds" if terms.microseconds else f"{terms.nodes} nodes"
    games = max(sum(tally.games), 1)
    nodes = [round(tally.nodes[side] / max(tally.moves[side], 1)) for side in range(2)]
    endings = ", ".join(f"{ending} {count}" for ending, count in tally.endings.most_common())
    return [
        f"{terms.first} against {terms.second}, {pace} a move: {sum(tally.games)} games",
        f"  {status_line(tally, sprt)}  normalised {normalised_elo_estimate(tally.pairs)}",
        f"  stronger with a likelihood of {likelihood_of_superiority(tally.pairs):.1%}",
        f"  pairs    {tally.pairs} with 0, ½, 1, 1½, 2 points",
        f"  nodes    {nodes[0]} and {nodes[1]} a move, {tally.plies / games:.0f} plies a game",
        f"  endings  {endings or 'none'}",
    ]
