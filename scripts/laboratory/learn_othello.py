"""`scripts/lab learn-othello`: the weights of Othello's patterns, from nothing but own games.

A game has a random opening, shallow searches, and an end that is solved. The weights are fitted by least
squares with a prior, by the method of conjugate gradients.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections import defaultdict
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from io import BytesIO
from pathlib import Path
from random import Random
from threading import get_ident
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from engine.games.fast.othello_search import ERROR, OthelloSearch, foretelling_depth
from engine.games.rules.othello import Othello
from engine.games.rules.othello_learning import OthelloRegression
from engine.games.rules.othello_patterns import OthelloPatterns, packed_weights
from engine.system.files import read_file, write_whole
from lolli.cli.journal import difference
from scripts.laboratory.jobs import FunctionWorker, JobError, other_games_job_options
from scripts.laboratory.lab_options import (
    WIDE,
    amount_option,
    count_option,
    file_option,
    require_writable,
    seed_option,
)
from scripts.laboratory.long_run import RunDisplay, exit_status
from scripts.laboratory.statistics import share_text

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from scripts.laboratory.jobs import JobRunner

    Samples: TypeAlias = NDArray[np.void]
    Vector: TypeAlias = NDArray[np.float64]

STEP = 4
"""Hundredths of a disc: what weights in a file are multiples of."""
_LARGEST_WEIGHT = 32_000 // STEP
SAMPLE = np.dtype([("own", "<u8"), ("others", "<u8"), ("score", "i1")])
"""The discs of the player to move and the others'; by how many discs the former is ahead at the end."""
_MEGABYTES = 16
_FEWEST, _MOST = 6, 24  # random plies at the start of a game
_WHOLE = 60  # plies, to the end of the game
_PAIR_PLIES = 10  # random ones before the games of a match

_DEEPEST = 7  # plies before the end
_TO_THE_END = range(10, 16)  # empty squares of positions that are searched to the end
_BAND = 8  # empty squares
_FEWEST_DIFFERENCES = 30  # that have a deviation
_PORTION = 500  # games in a file
_KEPT = 3  # generations whose games are learned from
_HELD_OUT = 20  # one portion of so many, at least one, is not learned from
_PROBES = 300  # positions for ProbCut's errors
_RUN = "run.json"
_AGAIN = "; remove it, and the same command makes it again"
_LARGEST = 1 << 26  # bytes of any file of a run


def _play_portion(weights: bytes, depth: int, solved: int, job: tuple[int, int, str]) -> tuple[int, Samples]:
    """The number of a portion, and the positions of its games."""
    number, games, seed = job
    return number, play(weights, depth, solved, games, seed)


def search_with(weights: bytes) -> OthelloSearch:
    """A search with a file of weights, which remembers nothing yet; empty: without."""
    return OthelloSearch(_patterns_with(weights, get_ident()), _MEGABYTES)


@lru_cache(64)
def _patterns_with(weights: bytes, _thread: int) -> OthelloPatterns:
    """Those of one thread, since what evaluates a position has room for one."""
    patterns = OthelloPatterns()
    if weights:
        patterns.read(weights)
    return patterns


def opening(random: Random, fewest: int = _FEWEST, most: int = _MOST) -> Othello:
    """A position after some random moves in which the game goes on."""
    while True:
        state = Othello()
        for _ in range(random.randint(fewest, most)):
            if state.player >= 0:
                state = state.play(random.choice(state.moves()))
        if state.player >= 0:
            return state


def play(weights: bytes, depth: int, solved: int, games: int, seed: str) -> Samples:
    """The positions of some games in which the player to move has a move.

    Without weights all moves are random, up to `solved` empty squares; from there on they are best.
    """
    random, search = Random(seed), search_with(weights)
    found: list[tuple[int, int, int]] = []
    for _ in range(games):
        state = opening(random)
        seen: list[tuple[int, Othello]] = []
        while state.player >= 0:
            legal = state.moves()
            move = legal[0]
            if state.empty() >> move & 1:  # not a pass
                seen.append((state.player, state))
                empty = state.empty().bit_count()
                if empty <= solved:
                    search.search(state, _WHOLE)
                    move = search.move
                elif weights and len(legal) > 1:
                    search.search(state, depth)
                    move = search.move
                elif not weights:
                    move = random.choice(legal)
            state = state.play(move)
        black = state.discs(0).bit_count() - state.discs(1).bit_count()
        found += [(s.discs(p), s.discs(1 - p), black if p == 0 else -black) for p, s in seen]
    return np.array(found, SAMPLE)


def _play_pair(
    new: bytes, old: bytes, depth: int, solved: int, seed: int, pair: int
) -> tuple[int, tuple[float, float]]:
    """The number of a pair, and the points of the new weights in its games; first they have Black."""
    start = opening(Random(f"{seed} match {pair}"), _PAIR_PLIES, _PAIR_PLIES)
    searches = search_with(new), search_with(old)
    points = []
    for black in (0, 1):
        state = start
        while state.player >= 0:
            legal = state.moves()
            move = legal[0]
            if len(legal) > 1:
                search = searches[state.player ^ black]
                search.search(state, _WHOLE if state.empty().bit_count() <= solved else depth)
                move = search.move
            state = state.play(move)
        points.append((state.payoff()[black] + 1) / 2)
    return pair, (points[0], points[1])


def fit(samples: Samples, prior: float, steps: int) -> Vector:
    """The weights w, in discs, for which |scores - A w|² + prior |w|² is least, by up to so many steps.

    A weight that was seen in `prior` positions is half of what it would be without the prior. The steps are
    preconditioned by the diagonal.
    """
    matrix = OthelloRegression(*_sides(samples))
    diagonal = np.full(matrix.weights, float(prior))
    matrix.counts(diagonal)
    values = np.empty(matrix.positions)

    def normal(v: Vector) -> Vector:
        """(AᵀA + prior) v."""
        matrix.times(v, values)
        back = prior * v
        matrix.transposed_times(values, back)
        return back

    wanted = np.zeros(matrix.weights)
    matrix.transposed_times(samples["score"].astype(float), wanted)
    size = (matrix.weights, matrix.weights)
    inverse = LinearOperator(size, lambda v: v / diagonal, dtype=float)
    found: Vector = cg(
        LinearOperator(size, normal, dtype=float), wanted, rtol=1e-9, maxiter=steps, M=inverse
    )[0]
    return found


def errors(samples: Samples, weights: Vector) -> Vector:
    """By how many discs the scores are higher than foretold."""
    matrix = OthelloRegression(*_sides(samples))
    values = np.empty(matrix.positions)
    matrix.times(weights, values)
    found: Vector = samples["score"] - values
    return found


def rounded(weights: Vector) -> array[int]:
    """The weights as a file has them."""
    numbers = np.clip(np.rint(weights * (100 / STEP)), -_LARGEST_WEIGHT, _LARGEST_WEIGHT).astype("<i2")
    return array("h", numbers.tobytes())


def _sides(samples: Samples) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    return np.ascontiguousarray(samples["own"]), np.ascontiguousarray(samples["others"])


def state_of(sample: Samples) -> Othello:
    """The position, with Black to move."""
    state = Othello()
    state.place(int(sample["own"]), int(sample["others"]), 0)
    return state


def differences(search: OthelloSearch, state: Othello) -> Iterable[tuple[int, int, int]]:
    """Depths, empty squares, and by how much the value at that depth differs from what foretells it.

    In hundredths of a disc.
    """
    empty = state.empty().bit_count()
    deepest = min(_DEEPEST, empty - 1)
    values = {depth: search.search(state, depth) for depth in range(1, deepest + 1)}
    for depth in range(3, deepest + 1):
        yield depth, empty, values[depth] - values[foretelling_depth(depth)]
    if empty in _TO_THE_END and (before := foretelling_depth(empty)) in values:
        yield empty, empty, search.search(state, _WHOLE) - values[before]


def error_of(found: Iterable[tuple[int, int, int]]) -> Sequence[float]:
    """The standard deviation that `differences` have, as engine.games.fast.othello_search.ERROR is."""
    groups = defaultdict[tuple[int, int], list[int]](list)
    for depth, empty, differs in found:
        groups[depth, empty if depth == empty else empty // _BAND * _BAND + _BAND // 2].append(differs)
    rows, targets, counts = [], [], []
    for (depth, empty), each in groups.items():
        if len(each) >= _FEWEST_DIFFERENCES:
            rows.append((1, depth, foretelling_depth(depth), empty))
            targets.append(np.log(np.sqrt(np.mean(np.square(each)))))
            counts.append(np.sqrt(len(each)))
    if len(rows) < len(ERROR):
        return ERROR
    weighted = np.array(rows) * np.array(counts)[:, None]
    fitted = np.linalg.lstsq(weighted, np.array(targets) * counts, rcond=None)[0]
    return [round(float(each), 4) for each in fitted]


def spread_of(errors: np.ndarray[tuple[int], np.dtype[np.float64]], samples: Samples) -> Sequence[float]:
    """The standard deviation of the results in discs: a constant, and more for each empty square."""
    empty = 64 - np.bitwise_count(samples["own"] | samples["others"])
    known = [each for each in range(1, 61) if np.count_nonzero(empty == each) > 1]
    deviations = [float(errors[empty == each].std()) for each in known]
    more, least = np.polyfit(known, deviations, 1)
    return [round(float(max(least, 0.5)), 3), round(float(max(more, 0.0)), 3)]


class RunError(Exception):
    """The folder holds another run, or a file that cannot be read."""


@dataclass(frozen=True, slots=True)
class LearningTerms:
    """What all generations have in common, so that a run can be resumed."""

    games: int
    """Of each generation."""
    depth: int
    """Plies of the searches that choose moves."""
    solved: int
    """Empty squares from which on moves and result are exact."""
    prior: float
    """See `fit`."""
    steps: int
    """Of the method of conjugate gradients."""
    match: int
    """Games against the generation before."""
    start: str
    """A file of weights with which the first generation plays; empty for random moves."""
    seed: int

    def said(self) -> str:
        """For a file of weights: the learner's folder is private."""
        said = {**asdict(self), "start": Path(self.start).name}
        return ", ".join(f"{name} {value}" for name, value in said.items() if value)


class Generations:
    """The folder of a run: `gNN-PPP.npy` are games, `gNN.bin` weights, `gNN.json` what a match said."""

    def __init__(self, folder: Path, terms: LearningTerms) -> None:
        """Nothing is written where the start's weights cannot be used. Raises RunError, OSError."""
        self.folder, self.terms = folder, terms
        self.portions = -(-terms.games // _PORTION)
        self.weights(-1)
        folder.mkdir(parents=True, exist_ok=True)
        known, wanted = folder / _RUN, asdict(terms)
        if not known.exists():
            write_whole(known, json.dumps(wanted).encode())
        elif (found := _described(known)) != wanted:
            raise RunError(f"{folder} holds a run with other options: {difference(found, wanted)}")

    def weights(self, generation: int) -> bytes:
        """The file of a generation's weights; before the first the start's. Raises RunError, OSError."""
        if generation >= 0:
            return _weights(self.path(generation), _AGAIN)
        return _weights(Path(self.terms.start)) if self.terms.start else b""

    def path(self, generation: int, rest: str = ".bin") -> Path:
        return self.folder / f"g{generation:02}{rest}"

    def missing(self, generation: int) -> list[int]:
        """The portions of games that are still to be played."""
        return [n for n in range(self.portions) if not self.path(generation, f"-{n:03}.npy").exists()]

    def play(self, generation: int, run_all: JobRunner) -> Generator[int, None, None]:
        """Have the missing portions played; yield the number of each that is written.

        Raises JobError, RunError, OSError.
        """
        terms = self.terms
        jobs = (
            (n, min(_PORTION, terms.games - n * _PORTION), f"{terms.seed} {generation} {n}")
            for n in self.missing(generation)
        )
        work = partial(_play_portion, self.weights(generation - 1), terms.depth, terms.solved)
        with closing(run_all(partial(FunctionWorker, work), jobs)) as played:
            for number, samples in played:
                write_whole(self.path(generation, f"-{number:03}.npy"), _packed(samples))
                yield number

    def match(self, generation: int, run_all: JobRunner) -> list[float]:
        """The points of a generation in each game against the one before.

        Raises JobError, RunError, OSError.
        """
        new, old, terms = self.weights(generation), self.weights(generation - 1), self.terms
        work = partial(_play_pair, new, old, terms.depth, terms.solved, terms.seed)
        with closing(run_all(partial(FunctionWorker, work), range(terms.match // 2))) as played:
            return [points for _, pair in sorted(played) for points in pair]

    def samples(self, generation: int, *, held_out: bool = False) -> Samples:
        """The positions of the last generations, those that are learned from or the others.

        Raises RunError, OSError.
        """
        found = [np.empty(0, SAMPLE)]
        for each in range(max(generation - _KEPT + 1, 0), generation + 1):
            chosen = [n for n in range(self.portions) if (n % _HELD_OUT == 0) == held_out]
            found += [_samples(self.path(each, f"-{n:03}.npy")) for n in chosen or [0]]
        return np.concatenate(found)

    def learn(self, generation: int) -> str:
        """Fit the weights of a generation. What came of it, in one line. Raises RunError, OSError."""
        samples, others = self.samples(generation), self.samples(generation, held_out=True)
        weights = fit(samples, self.terms.prior, self.terms.steps)
        left = errors(others, weights)
        numbers = rounded(weights)
        about = {"spread": spread_of(left, others), "positions": len(samples)}
        search = search_with(packed_weights(numbers, STEP, **about))
        chosen = Random(generation).sample(range(len(others)), min(_PROBES, len(others)))
        error = error_of(each for n in chosen for each in differences(search, state_of(others[n])))
        learned = f"generation {generation} of scripts/lab learn-othello, {self.terms.said()}"
        packed = packed_weights(numbers, STEP, learned=learned, error=error, **about)
        write_whole(self.path(generation), packed)
        return (
            f"Generation {generation}: {len(samples):,} positions, {left.std():.2f} discs of error,"
            f" {len(packed) >> 10} kB"
        )


def _described(path: Path) -> dict[str, Any]:
    """The terms in a file. Raises RunError, OSError."""
    try:
        found = json.loads(read_file(path, _LARGEST))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RunError(f"{path}: damaged; remove it, and go on with the options of before")
    return found


def _weights(path: Path, advice: str = "") -> bytes:
    """A file of weights, whole. Raises RunError, OSError."""
    packed = read_file(path, _LARGEST)
    try:
        OthelloPatterns().read(packed)
    except ValueError as error:
        raise RunError(f"{path}: {error}{advice}") from None
    return packed


def _samples(path: Path) -> Samples:
    """The positions of a portion. Raises RunError, OSError."""
    try:
        found = np.lib.format.read_array(BytesIO(read_file(path, _LARGEST)))
    except (SyntaxError, TokenError, TypeError, ValueError):  # what damaged heads raise
        found = np.empty(())
    if found.dtype != SAMPLE or found.ndim != 1:
        raise RunError(f"{path}: damaged positions{_AGAIN}")
    return found


def _packed(samples: Samples) -> bytes:
    """The file of a portion."""
    file = BytesIO()
    np.save(file, samples)
    return file.getvalue()


@click.command(context_settings=WIDE)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Games, weights and results of each generation; the run resumes from it.",
)
@count_option("--generations", 5, "Number of generations.")
@count_option("--games", 10_000, "Games of each generation.")
@count_option("--depth", 3, "Plies of the searches that choose moves.", most=12)
@count_option("--solved", 14, "Empty squares from which on moves and result are exact.", most=20)
@amount_option("--prior", 30.0, "Times a weight must be seen to be half believed.", above_least=True)
@count_option("--steps", 25, "Steps of the method of conjugate gradients.")
@count_option("--match", 200, "Games of each generation against the one before, even.", least=2)
@seed_option("the games")
@file_option("--start", "File of weights with which the first generation plays, instead of random moves.")
@file_option("--output", "Write the last weights here, too.")
@other_games_job_options
def learn_othello(
    *,
    folder: Path,
    generations: int,
    start: Path | None,
    output: Path | None,
    run_all: JobRunner,
    **others: Any,
) -> None:
    """Learn the weights of Othello's patterns from games of the searcher against itself, from nothing.

    \b
    scripts/lab learn-othello --folder data/othello

    The games of the first generation are random until the end, which is solved; those of each other one are
    played with the weights of the one before. Every position is labelled with the exact result of the solved
    end. After each generation the new weights, gNN.bin in the folder, play a match against the old. The same
    settings make the same weights, wherever the games are played.
    """
    require_writable(output)
    terms = LearningTerms(start=str(start or ""), **others)
    try:
        run = Generations(folder, terms)
    except OSError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror}") from error
    except RunError as error:
        raise click.UsageError(str(error)) from error
    portions = generations * run.portions

    def learn_on() -> None:
        for generation in range(generations):
            done = (generation + 1) * run.portions - len(run.missing(generation))
            with closing(run.play(generation, run_all)) as played:
                for count, _ in enumerate(played, done + 1):
                    display.show(count, f"generation {generation}")
            if not run.path(generation).exists():
                display.say(run.learn(generation))
            if run.weights(generation - 1) and not run.path(generation, ".json").exists():
                points = run.match(generation, run_all)
                write_whole(run.path(generation, ".json"), json.dumps(points).encode())
                score = f"{sum(points):g}/{len(points)} = {share_text(points)}"
                display.say(f"Generation {generation} against the one before: {score}")

        last = run.weights(generations - 1)
        if output is not None:
            write_whole(output, last)
        display.say(f"{output or run.path(generations - 1)}: weights of generation {generations - 1}")

    with RunDisplay(f"portions of {_PORTION} games", portions, 0, 4) as display:
        status = exit_status(learn_on, display.say, JobError, RunError, OSError)
    sys.exit(status)
