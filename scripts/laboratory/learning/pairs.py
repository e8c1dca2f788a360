"""`scripts/lab match-evaluators`, `screen-search` and `tune-search`: pairs of games in one process.

Screening is a factorial experiment: a coin gives each factor to one side or to the other, and a logistic
regression of the points gives the Elo of each. Each pair counts for all factors; interactions are not
measured.

Tuning is SPSA (Spall, 1992): one side plays with all values perturbed up or down at random, the other with
the opposite signs, and all values move towards the winner. The sizes are final ones, as in fishtest: a tenth
of a parameter's range, and `_RATE` of that for a won game. The result is the mean over the second half of the
run (Polyak and Juditsky, 1992): the last values are noisier.
"""

import contextlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from math import floor, inf, log
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeAlias

import click
import numpy as np
import numpy.typing as npt

from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.search.alphabeta import NO_NODE_LIMIT
from engine.search.constants import INFINITE
from engine.search.engine import Engine
from engine.search.limits import Limits, Settings
from engine.search.parameters import (
    CLOCK,
    NUMBERS,
    TECHNIQUES,
    Number,
    changes,
)
from engine.search.report import Outcome, Progress, Report
from engine.search.run import Run
from engine.search.selfplay import SelfPlayer
from engine.system.control import now
from eval.outcome import STANDARD, Ending
from scripts.laboratory.engine_pipe import NS_PER_MS
from scripts.laboratory.jobs import JobError, JobRunner, job_options
from scripts.laboratory.lab_options import (
    OPENINGS,
    WIDE,
    KeyValues,
    Words,
    WordsCommand,
    concurrency_option,
    count_option,
    every_option,
    record_option,
    seed_option,
)
from scripts.laboratory.learning.evaluators import EvaluatorType, GivenEvaluator, engine, evaluator_options
from scripts.laboratory.learning.selfplay import Openings, OpeningSource
from scripts.laboratory.long_run import JournalError, RunDisplay, RunJournal, exit_status, whole
from scripts.laboratory.match_engine import MatchTimeControl
from scripts.laboratory.openings import OpeningSuite, OpeningSuiteError
from scripts.laboratory.statistics import (
    Sprt,
    SprtVerdict,
    elo_of,
    normalised_elo_estimate,
    pair_lines,
    pair_margin,
    parse_sprt,
    score_line,
)

MEGABYTES = 4
"""Of each side's transposition table, empty before each game."""
_RULES = replace(STANDARD, level_score=INFINITE)  # an opening is played with either colour, level or not


@dataclass(frozen=True, slots=True)
class NodeClock:
    """A clock on which `nodes` count as a millisecond; `base` and `increment` in milliseconds."""

    base: int
    increment: int
    nodes: int


@dataclass(frozen=True, slots=True)
class Terms:
    """`nodes` a move or, if not 0, `microseconds` of processor time, or a `clock` that counts nodes."""

    first: GivenEvaluator
    second: GivenEvaluator
    book: OpeningSuite
    nodes: int
    seed: int
    microseconds: int = 0
    clock: NodeClock | None = None

    def identity(self) -> dict[str, Any]:
        return {
            "first": f"{self.first.name} {engine(self.first)}",
            "second": f"{self.second.name} {engine(self.second)}",
            "openings": self.book.digest(),
            "nodes": 0 if self.microseconds else self.nodes,
            "microseconds": self.microseconds,
            "hash": MEGABYTES,
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
    """Results of `first`, 1, 0 or -1, which begins with White. `endings`: places in `Ending`."""

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


class _PairWorker:
    """Plays pairs of games in a worker process. They depend only on the terms and the pair."""

    def __init__(self, terms: Terms) -> None:
        self._openings = Openings([OpeningSource(terms.book, 0, 0)], terms.seed)
        self._engines = [
            Engine.single(evaluator.make(), MEGABYTES) for evaluator in (terms.first, terms.second)
        ]


class PairPlayer(_PairWorker):
    def __init__(self, terms: Terms) -> None:
        super().__init__(terms)
        nodes = NO_NODE_LIMIT if terms.microseconds else terms.nodes
        self._players = [SelfPlayer(each.searchers[0], nodes, nodes, _RULES) for each in self._engines]
        for player in self._players:
            player.thread_time = 1000 * terms.microseconds

    def work(self, pair: Pair) -> PlayedPair:
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


class ClockedPlayer(_PairWorker):
    """With the time manager: each side has a clock that counts its nodes."""

    def __init__(self, terms: Terms, clock: NodeClock) -> None:
        super().__init__(terms)
        self._clock = clock

    def work(self, pair: Pair) -> PlayedPair:
        opening = next(self._openings.of_game(pair.number))
        sides = [
            _ClockedSide(each, self._clock, changed)
            for each, changed in zip(self._engines, (pair.first, pair.second), strict=True)
        ]
        first, second = sides
        white, black = _play_on_clock(first, second, opening), _play_on_clock(second, first, opening)
        moves, nodes = zip(*((each.moves, each.nodes) for each in sides), strict=True)
        return PlayedPair(pair, (white, -black), moves=moves, nodes=nodes)


class _ClockedSide:
    """An engine on a clock; the listener of its searches. `left` is in milliseconds."""

    def __init__(self, engine: Engine, clock: NodeClock, changed: Mapping[str, int]) -> None:
        self._engine = engine
        self._clock = clock
        self._settings = Settings(move_overhead=0, nodes_time=clock.nodes, parameters=changed)
        engine.parameters.reset(changed)
        self.left = 0.0
        self.moves = self.nodes = 0
        self.move = self.score = 0

    def begin(self) -> None:
        self._engine.new_game()
        self.left = self._clock.base

    def think(self, position: Position, moves: list[int]) -> None:
        """Set `move` and its `score`, from the mover's view. If the time is up, `left` is below 0."""
        limits = Limits(time=(int(self.left),) * 2, increment=(self._clock.increment,) * 2)
        self._engine.begin()
        Run(self._engine, position, moves, limits, self._settings, self, started=now()).run()
        self.moves += 1
        self.nodes += self._engine.nodes
        self.left -= self._engine.nodes / self._clock.nodes
        if self.left >= 0:
            self.left += self._clock.increment

    def report(self, report: Report) -> None:
        self.score = report.score.value

    def progress(self, progress: Progress) -> None:
        """No search is so long."""

    def outcome(self, outcome: Outcome) -> None:
        self.move = outcome.best

    def failed(self, error: BaseException) -> None:
        raise error


def _play_on_clock(white: _ClockedSide, black: _ClockedSide, opening: Position) -> int:
    """The result of White."""
    for side in (white, black):
        side.begin()
    position = opening.copy()
    ahead = 0  # searches in a row that have seen White, or if negative Black, ahead by enough
    for _ in range(_RULES.longest):
        moves = legal_moves(position)
        sign = -1 if position.side else 1
        if not moves:
            return -sign if position.checkers else 0
        if position.is_insufficient() or position.is_fifty_moves() or position.is_repetition(0):
            return 0
        mover = black if position.side else white
        mover.think(position, moves)
        if mover.left < 0:
            return -sign
        score = sign * mover.score
        winner = (score > _RULES.won_score) - (score < -_RULES.won_score)
        ahead = ahead + winner if ahead * winner > 0 else winner
        if abs(ahead) >= _RULES.won_plies:
            return winner
        position.advance(mover.move)
    return 0


def _play(white: SelfPlayer, black: SelfPlayer, opening: Position) -> tuple[int, int, int]:
    plies = white.play_against(black, opening)
    if not plies:
        raise OpeningSuiteError("the game is over in one of the openings")
    return white.result, white.ending_number, plies


def play_pairs(
    terms: Terms,
    left: Iterator[Pair],
    run_all: JobRunner,
    display: RunDisplay,
    note: Callable[[PlayedPair], tuple[int, str]],
    is_decided: Callable[[], bool] = lambda: False,
) -> int:
    """The exit status. `note` returns how many pairs have been played and what to show beside it."""

    def play() -> None:
        make = partial(ClockedPlayer, terms, terms.clock) if terms.clock else partial(PairPlayer, terms)
        with contextlib.closing(run_all(make, left)) as results:
            while not is_decided() and (played := next(results, None)) is not None:
                display.show(*note(played))

    return exit_status(play, display.say, JobError, OSError)


def points_of(record: Mapping[str, object]) -> float:
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
        self.pairs[sum(pair.results) + 2] += 1
        self.plies += sum(pair.plies)
        for result, ending in zip(pair.results, pair.endings, strict=True):
            self.games[result + 1] += 1
            self.endings[list(Ending)[ending].value] += 1
        for side in range(2):
            self.moves[side] += pair.moves[side]
            self.nodes[side] += pair.nodes[side]


def _played(record: dict[str, Any]) -> PlayedPair:

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
        book = OpeningSuite.read(OPENINGS, chess960=False)
        if pairs > len(book.entries):
            raise click.UsageError(f"there are {len(book.entries)} openings for {pairs} pairs")
        terms = Terms(first, second, book, nodes, seed, microseconds)
        test = parse_sprt(sprt)
        journal = RunJournal(record, terms.identity())
        known = {each.pair.number: each for each in journal.read(_played)}
    except (ValueError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    tally = Tally()
    for each in known.values():
        tally.add(each)

    def note(played: PlayedPair) -> tuple[int, str]:
        about = {key: value for key, value in asdict(played).items() if key != "pair"}
        journal.append({"number": played.pair.number, **about})
        tally.add(played)
        return sum(tally.pairs), score_line(tally.games, tally.pairs, test)

    def is_decided() -> bool:
        return test is not None and test.verdict(tally.pairs) is not SprtVerdict.UNDECIDED

    left = (Pair(number) for number in range(pairs) if number not in known)
    with journal, RunDisplay("pairs", pairs, len(known), every) as display:
        status = play_pairs(terms, left, run_all, display, note, is_decided)
    for line in report(terms, tally, test):
        click.echo(line)
    sys.exit(status)


def report(terms: Terms, tally: Tally, sprt: Sprt | None) -> list[str]:
    pace = f"{terms.microseconds} microseconds" if terms.microseconds else f"{terms.nodes} nodes"
    games = max(sum(tally.games), 1)
    nodes = [round(tally.nodes[side] / max(tally.moves[side], 1)) for side in range(2)]
    endings = ", ".join(f"{ending} {count}" for ending, count in tally.endings.most_common())
    return [
        f"{terms.first} against {terms.second}, {pace} a move: {sum(tally.games)} games",
        f"  {score_line(tally.games, tally.pairs, sprt)}  normalised {normalised_elo_estimate(tally.pairs)}",
        *pair_lines(tally.pairs),
        f"  nodes    {nodes[0]} and {nodes[1]} a move, {tally.plies / games:.0f} plies a game",
        f"  endings  {endings or 'none'}",
    ]


_ELO = 400 / log(10)  # of a unit of the logistic scale
_STEPS = 25


Factor: TypeAlias = tuple[str, int]
"""The name of a search parameter, and a value."""


class Effect(NamedTuple):
    """The Elo of a factor, and half of its 95% interval: infinite if no game had it, or pairs are too few."""

    factor: Factor
    elo: float
    error: float


def pair_of(factors: Sequence[Factor], seed: int, number: int) -> Pair:
    """A pair of games in which a coin gives each factor to one side or to the other.

    So each pair informs on every factor. Equal halves would not do: where either side has as many factors, a
    regression sees only by how much they differ from their mean.
    """
    random = Random(f"{seed}:{number}")
    sides: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for name, value in factors:
        sides[random.randrange(2)][name] = value
    return Pair(number, *sides)


def effects(factors: Sequence[Factor], played: Sequence[tuple[Pair, float]]) -> list[Effect]:
    """By maximum likelihood, from pairs with their points: pairs, not games, are independent.

    Where pairs are few, the fit takes part of their scatter for effects: the covariance is n / (n - k) times
    the sandwich for n pairs and k factors (HC1: J. G. MacKinnon and H. White, 1985).
    """
    rows = np.array(
        [[_has(pair.first, factor) - _has(pair.second, factor) for factor in factors] for pair, _ in played],
        dtype=float,
    ).reshape(len(played), len(factors))
    shares = np.array([points / 2 for _, points in played])
    strengths, covariance = _fit(rows, shares)
    uses = np.abs(rows).sum(axis=0)
    left = len(played) - np.count_nonzero(uses)  # degrees of freedom
    errors = 1.96 * _ELO * np.sqrt(np.diag(covariance) * len(played) / left) if left > 0 else uses + inf
    for i, used in enumerate(uses):
        if len({*(shares[rows[:, i] > 0]), *(1 - shares[rows[:, i] < 0])}) == 1:  # no scatter to measure
            errors[i] = max(errors[i], elo_of(1 / 2 + pair_margin([1 / 2] * int(used))))
    return [
        Effect(factor, _ELO * strengths[i], errors[i] if uses[i] else inf) for i, factor in enumerate(factors)
    ]


def _has(changed: Mapping[str, int], factor: Factor) -> int:
    name, value = factor
    return int(changed.get(name) == value)


def _fit(
    rows: npt.NDArray[np.float64], shares: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Newton's method with a weak prior. Strengths, and their robust covariance (White's sandwich)."""
    strengths = np.zeros(rows.shape[1])
    prior = np.eye(rows.shape[1]) * 0.1
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(-rows @ strengths))
        weights = expected * (1 - expected)
        curvature = rows.T @ (rows * weights[:, None]) + prior
        strengths = strengths + np.linalg.solve(curvature, rows.T @ (shares - expected) - prior @ strengths)
    bread = np.linalg.inv(curvature)
    scores = rows * (shares - expected)[:, None]
    return strengths, bread @ (scores.T @ scores) @ bread


def _pair_options(pairs: int, pairs_purpose: str, seed_of: str) -> Callable[[Any], Any]:
    def add(command: Any) -> Any:
        for option in (
            evaluator_options,
            concurrency_option,
            seed_option(seed_of),
            count_option("--nodes", 5000, "Nodes of each search; with --clock, of a millisecond."),
            click.option("--clock", metavar="TC", help="A clock that counts nodes, such as 3+0.03."),
            count_option("--pairs", pairs, pairs_purpose),
            record_option,
        ):
            command = option(command)
        return command

    return add


def _terms(evaluator: GivenEvaluator, nodes: int, seed: int, clock: str | None) -> Terms:
    counted = None
    if clock is not None:
        given = MatchTimeControl.parse(clock)
        if given.moves is not None:
            raise ValueError(f"--clock: {clock!r} has a number of moves; a clock here is for the whole game")
        counted = NodeClock(given.base // NS_PER_MS, given.increment // NS_PER_MS, nodes)
    return Terms(
        evaluator, evaluator, OpeningSuite.read(OPENINGS, chess960=False), nodes, seed, clock=counted
    )


def _experiment(
    terms: Terms,
    journal: RunJournal,
    done: set[int],
    pairs: int,
    concurrency: int,
    make: Callable[[int], Pair],
    take: Callable[[PlayedPair], dict[str, Any]],
) -> int:
    """Play the pairs that are not `done`; `take` returns what to note of one. The exit status."""

    def note(played: PlayedPair) -> tuple[int, str]:
        journal.append({"number": played.pair.number, **take(played), "points": played.points})
        done.add(played.pair.number)
        return len(done), ""

    left = (make(number) for number in range(pairs) if number not in done)
    with journal, RunDisplay("pairs", pairs, len(done), 200) as display:
        return play_pairs(terms, left, JobRunner(concurrency), display, note)


@click.command(context_settings=WIDE)
@click.argument("factors", nargs=-1)
@_pair_options(2000, "Number of pairs of games.", seed_of="openings and factors")
def screen_search(
    *,
    factors: tuple[str, ...],
    record: Path,
    evaluator: GivenEvaluator,
    pairs: int,
    nodes: int,
    clock: str | None,
    seed: int,
    concurrency: int,
) -> None:
    """Measure the Elo of FACTORS, changes of search parameters such as `probcut=off late_base=5`.

    Without FACTORS each technique is switched from its default, except those that a search needs most. A run
    that was stopped resumes from its record; --pairs may be changed.
    """
    try:
        terms = _terms(evaluator, nodes, seed, clock)
        chosen = _factors(factors, clock) or _switches()
        run = {
            "factors": [f"{name}={value}" for name, value in chosen],
            "nodes": nodes,
            "clock": clock,
            "seed": seed,
            "engine": engine(evaluator),
        }
        journal = RunJournal(record, run)
        played = journal.read(_read)
    except (ValueError, JournalError) as error:
        raise click.UsageError(str(error)) from error

    def take(result: PlayedPair) -> dict[str, Any]:
        played.append((result.pair, result.points))
        return {"first": result.pair.first, "second": result.pair.second}

    done = {pair.number for pair, _ in played}
    status = _experiment(
        terms, journal, done, pairs, concurrency, lambda number: pair_of(chosen, seed, number), take
    )
    _show(effects(chosen, played))
    sys.exit(status)


def _factors(words: Sequence[str], clock: str | None) -> list[Factor]:
    found = [each for word in words for each in changes(word).items()]
    for name, _ in found:
        if name in CLOCK and clock is None:
            raise ValueError(f"{name} needs --clock")
    return found


def _switches() -> list[Factor]:
    return [(name, int(not each.default)) for name, each in TECHNIQUES.items() if name not in _BASE]


_BASE = ("alpha_beta", "quiescence", "table", "ordering", "history", "principal_variation")
"""Without these a search is so weak that games say nothing about the others."""


_LARGEST = 1 << 60  # absolute value of a parameter


def _read(record: Mapping[str, Any]) -> tuple[Pair, float]:
    first, second = (
        {name: whole(value, -_LARGEST) for name, value in record[side].items()}
        for side in ("first", "second")
    )
    return Pair(whole(record["number"]), first, second), points_of(record)


def _show(found: list[Effect]) -> None:
    width = max(len(_shown(effect.factor)) for effect in found)
    for factor, elo, error in sorted(found, key=lambda effect: effect.elo):
        click.echo(f"{_shown(factor):<{width}} {elo:+7.1f} ± {error:.1f}")


def _shown(factor: Factor) -> str:
    name, value = factor
    return f"{name}={value}" if name not in TECHNIQUES else f"{name}={'on' if value else 'off'}"


_ALPHA, _GAMMA, _STABILITY = 0.602, 0.101, 0.1
_RATE = 0.006
_SHARE = 10  # the last perturbation is this part of a parameter's range


class Spsa:
    def __init__(self, numbers: Mapping[str, Number], pairs: int, seed: int) -> None:
        self.numbers = numbers
        self._pairs = pairs
        self._seed = seed
        self._steps = 0
        self.values = {name: float(number.default) for name, number in numbers.items()}
        self._sums = dict.fromkeys(numbers, 0.0)

    def found(self) -> dict[str, float]:
        """The mean of the values over the second half of the run; in the first half, the present values."""
        late = self._steps - self._pairs // 2
        return {name: self._sums[name] / late if late > 0 else self.values[name] for name in self.values}

    def pair(self, number: int) -> Pair:
        signs, random = self._signs(number)
        either = []
        for side in (1, -1):
            moved = {
                name: self.values[name] + side * signs[name] * self._perturbation(name)
                for name in self.values
            }
            either.append({name: self._rounded(name, value, random) for name, value in moved.items()})
        return Pair(number, *either)

    def learn(self, number: int, points: float) -> None:
        """Take a step after pair `number`, in which the first side had `points` points, 0 to 2."""
        signs, _ = self._signs(number)
        self._steps += 1
        stable = _STABILITY * self._pairs
        pace = ((stable + self._pairs) / (stable + self._steps)) ** _ALPHA
        for name, each in self.numbers.items():
            step = _RATE * self._last(name) ** 2 * pace / self._perturbation(name)
            value = self.values[name] + step * 2 * (points - 1) * signs[name]
            self.values[name] = min(max(value, each.low), each.high)
            if self._steps > self._pairs // 2:
                self._sums[name] += self.values[name]

    def _signs(self, number: int) -> tuple[dict[str, int], Random]:
        random = Random(f"{self._seed}:{number}")
        return {name: random.choice((1, -1)) for name in self.values}, random

    def _last(self, name: str) -> float:
        return max((self.numbers[name].high - self.numbers[name].low) / _SHARE, 0.5)

    def _perturbation(self, name: str) -> float:
        growth: float = (self._pairs / (self._steps + 1)) ** _GAMMA
        return self._last(name) * growth

    def _rounded(self, name: str, value: float, random: Random) -> int:
        number = self.numbers[name]
        return min(max(floor(value + random.random()), number.low), number.high)


@click.command(context_settings=WIDE)
@click.argument("names", nargs=-1)
@_pair_options(
    10_000, "Number of pairs of games; the step sizes depend on it.", seed_of="openings and perturbations"
)
def tune_search(
    *,
    names: tuple[str, ...],
    record: Path,
    evaluator: GivenEvaluator,
    pairs: int,
    nodes: int,
    clock: str | None,
    seed: int,
    concurrency: int,
) -> None:
    """Tune the search parameters NAMES, by default all, by SPSA in games of Lolli against itself.

    Prints the new values, for engine/search/parameters.py if they win a match against the old ones. A run
    that was stopped resumes from its record.
    """
    tunable = NUMBERS if clock is None else {**NUMBERS, **CLOCK}
    unknown = [name for name in names if name not in tunable]
    if unknown:
        raise click.UsageError(f"unknown parameter {unknown[0]!r}")
    chosen = {name: tunable[name] for name in names or tunable}
    run = {
        "names": list(chosen),
        "from": [number.default for number in chosen.values()],
        "pairs": pairs,
        "nodes": nodes,
        "clock": clock,
        "seed": seed,
        "engine": engine(evaluator),
    }
    try:
        terms = _terms(evaluator, nodes, seed, clock)
        journal = RunJournal(record, run)
        known = journal.read(lambda record: (whole(record["number"]), points_of(record)))
    except (ValueError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    spsa = Spsa(chosen, pairs, seed)
    for number, points in known:
        spsa.learn(number, points)

    def take(result: PlayedPair) -> dict[str, Any]:
        spsa.learn(result.pair.number, result.points)
        return {}

    done = {number for number, _ in known}
    status = _experiment(terms, journal, done, pairs, concurrency, spsa.pair, take)
    for name, value in spsa.found().items():
        click.echo(f"{name}={value:.1f} (was {chosen[name].default})")
    sys.exit(status)
