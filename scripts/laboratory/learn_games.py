"""`scripts/lab learn-othello` and `learn-go-policy`: linear models of two games, learned from self-play.

A run resumes from the journals of its generations' games, `games-N.jsonl`. Othello's patterns are fitted by
least squares with a prior to games whose ends are solved, Go's policy by L-BFGS to the visits of searches.
"""

from __future__ import annotations

import json
import sys
import threading
import zlib
from array import array
from base64 import b85decode, b85encode
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any

import click
import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import LinearOperator, cg

from engine.games.fast.othello_search import ERROR, OthelloSearch, foretelling_depth
from engine.games.rules.game import OVER, IllegalMoveError
from engine.games.rules.go import GoGame
from engine.games.rules.go.policy import NAMES, SCALE, observed, use
from engine.games.rules.othello import Othello
from engine.games.rules.othello_patterns import OthelloPatterns, OthelloRegression, packed_weights
from engine.games.search.basics import SearchLimits
from engine.games.searchers import player
from engine.system.files import read_file, write_whole
from scripts.laboratory.jobs import FunctionWorker, JobError, JobRunner, other_games_job_options
from scripts.laboratory.lab_options import (
    WIDE,
    Stages,
    amount_option,
    count_option,
    seed_option,
)
from scripts.laboratory.long_run import JournalError, RunDisplay, RunJournal, exit_status, whole
from scripts.laboratory.statistics import share_text

Floats = np.ndarray[Any, np.dtype[np.float64]]
Numbers = np.ndarray[Any, np.dtype[Any]]

_FAILURES = (JobError, JournalError, IllegalMoveError, ValueError, OSError)
_folder_option = click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Games and weights of each generation; the run resumes from it.",
)


def numbered(work: Callable[[Any], Any], job: tuple[int, Any]) -> tuple[int, Any]:
    return job[0], work(job[1])


def results_of(
    path: Path,
    run: Mapping[str, Any],
    run_all: JobRunner,
    work: Callable[[Any], Any],
    jobs: Sequence[Any],
    kind: tuple[Callable[[Any], dict[str, Any]], Callable[[dict[str, Any]], Any]],
    display: RunDisplay | None = None,
    before: int = 0,
) -> list[Any]:
    write, read = kind
    with RunJournal(path, run) as journal:
        found = dict(journal.read(lambda record: (whole(record.pop("number")), read(record))))
        missing = [(number, job) for number, job in enumerate(jobs) if number not in found]
        with closing(run_all(partial(FunctionWorker, partial(numbered, work)), missing)) as results:
            for number, result in results:
                journal.append({"number": number, **write(result)})
                found[number] = result
                if display is not None:
                    display.show(before + len(found), "")
    return [found[number] for number in range(len(jobs))]


# Othello's patterns

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
_PORTION = 500  # games of a job
_KEPT = 3  # generations whose games are learned from
_HELD_OUT_PORTIONS = 20  # one portion of so many, at least one, is not learned from
_PROBES = 300  # positions for ProbCut's errors
_LARGEST_FILE = 1 << 26  # bytes


def _record_of(samples: Numbers) -> dict[str, Any]:
    return {"samples": b85encode(zlib.compress(samples.tobytes())).decode()}


def _samples_of(record: Mapping[str, Any]) -> Numbers:
    return np.frombuffer(zlib.decompress(b85decode(record["samples"])), SAMPLE)


def search_with(weights: bytes) -> OthelloSearch:
    return OthelloSearch(_patterns_with(weights, threading.get_ident()), _MEGABYTES)


@lru_cache(64)
def _patterns_with(weights: bytes, _thread: int) -> OthelloPatterns:
    patterns = OthelloPatterns()
    if weights:
        patterns.read(weights)
    return patterns


def opening(random: Random, fewest: int = _FEWEST, most: int = _MOST) -> Othello:
    while True:
        state = Othello()
        for _ in range(random.randint(fewest, most)):
            if state.player >= 0:
                state = state.play(random.choice(state.moves()))
        if state.player >= 0:
            return state


def play(weights: bytes, depth: int, solved: int, job: tuple[int, str]) -> Numbers:
    """A job: a number of games and a seed. Without weights moves are random up to `solved` empty squares."""
    games, seed = job
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
                if state.empty().bit_count() <= solved:
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


def play_pair(new: bytes, old: bytes, depth: int, solved: int, job: str) -> list[float]:
    """The points of the new weights in two games from the same opening; first they have Black."""
    start = opening(Random(job), _PAIR_PLIES, _PAIR_PLIES)
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
    return points


def fit(samples: Numbers, prior: float, steps: int) -> Floats:
    """The weights w, in discs, that minimise |scores - A w|² + prior |w|².

    A weight seen in `prior` positions is half of what it would be without the prior.
    """
    matrix = _regression(samples)
    diagonal = np.full(matrix.weights, float(prior))
    matrix.counts(diagonal)
    values = np.empty(matrix.positions)

    def normal(v: Floats) -> Floats:
        """(AᵀA + prior) v."""
        matrix.times(v, values)
        back = prior * v
        matrix.transposed_times(values, back)
        return back

    wanted = np.zeros(matrix.weights)
    matrix.transposed_times(samples["score"].astype(float), wanted)
    size = (matrix.weights, matrix.weights)
    inverse = LinearOperator(size, lambda v: v / diagonal, dtype=float)
    found: Floats = cg(
        LinearOperator(size, normal, dtype=float), wanted, rtol=1e-9, maxiter=steps, M=inverse
    )[0]
    return found


def errors(samples: Numbers, weights: Floats) -> Floats:
    matrix = _regression(samples)
    values = np.empty(matrix.positions)
    matrix.times(weights, values)
    found: Floats = samples["score"] - values
    return found


def _regression(samples: Numbers) -> OthelloRegression:
    return OthelloRegression(np.ascontiguousarray(samples["own"]), np.ascontiguousarray(samples["others"]))


def rounded(weights: Floats) -> array[int]:
    numbers = np.clip(np.rint(weights * (100 / STEP)), -_LARGEST_WEIGHT, _LARGEST_WEIGHT).astype("<i2")
    return array("h", numbers.tobytes())


def differences(search: OthelloSearch, sample: Any) -> Iterable[tuple[int, int, int]]:
    """Depths, empty squares, and the value's difference from its prediction, in hundredths of a disc."""
    state = Othello()
    state.place(int(sample["own"]), int(sample["others"]), 0)
    empty = state.empty().bit_count()
    deepest = min(_DEEPEST, empty - 1)
    values = {depth: search.search(state, depth) for depth in range(1, deepest + 1)}
    for depth in range(3, deepest + 1):
        yield depth, empty, values[depth] - values[foretelling_depth(depth)]
    if empty in _TO_THE_END and (before := foretelling_depth(empty)) in values:
        yield empty, empty, search.search(state, _WHOLE) - values[before]


def error_of(found: Iterable[tuple[int, int, int]]) -> Sequence[float]:
    """The standard deviation of `differences`, in the form of engine.games.fast.othello_search.ERROR."""
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


def spread_of(left: Floats, samples: Numbers) -> Sequence[float]:
    empty = 64 - np.bitwise_count(samples["own"] | samples["others"])
    known = [each for each in range(1, 61) if np.count_nonzero(empty == each) > 1]
    deviations = [float(left[empty == each].std()) for each in known]
    more, least = np.polyfit(known, deviations, 1)
    return [round(float(max(least, 0.5)), 3), round(float(max(more, 0.0)), 3)]


def learned_patterns(
    portions: Sequence[Sequence[Numbers]], generation: int, options: Mapping[str, Any]
) -> tuple[bytes, str]:
    chosen, others = [], []
    for of_generation in portions:
        held_out = range(0, len(of_generation), _HELD_OUT_PORTIONS)
        others += [of_generation[n] for n in held_out]
        chosen += [each for n, each in enumerate(of_generation) if n not in held_out] or [of_generation[0]]
    samples, probes = np.concatenate(chosen), np.concatenate(others)
    weights = fit(samples, options["prior"], options["steps"])
    left, numbers = errors(probes, weights), rounded(weights)
    about = {"spread": spread_of(left, probes), "positions": len(samples)}
    search = search_with(packed_weights(numbers, STEP, **about))
    places = Random(generation).sample(range(len(probes)), min(_PROBES, len(probes)))
    error = error_of(each for n in places for each in differences(search, probes[n]))
    said = ", ".join(f"{name} {value}" for name, value in options.items())
    learned = f"generation {generation} of scripts/lab learn-othello, {said}"
    packed = packed_weights(numbers, STEP, learned=learned, error=error, **about)
    return packed, (
        f"Generation {generation}: {len(samples):,} positions, {left.std():.2f} discs of error,"
        f" {len(packed) >> 10} kB"
    )


def _weights_in(path: Path) -> bytes:
    packed = read_file(path, _LARGEST_FILE)
    try:
        OthelloPatterns().read(packed)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return packed


@click.command(context_settings=WIDE)
@_folder_option
@count_option("--generations", 5, "Number of generations.")
@count_option("--games", 10_000, "Games of each generation.")
@count_option("--depth", 3, "Plies of the searches that choose moves.", most=12)
@count_option("--solved", 14, "Empty squares from which on moves and result are exact.", most=20)
@amount_option("--prior", 30.0, "Times a weight must be seen to be half believed.", above_least=True)
@count_option("--steps", 25, "Steps of the method of conjugate gradients.")
@count_option("--match", 200, "Games of each generation against the one before, even.", least=2)
@seed_option("the games")
@other_games_job_options
def learn_othello(
    *,
    folder: Path,
    generations: int,
    run_all: JobRunner,
    **options: Any,
) -> None:
    """Learn the weights of Othello's patterns from games of the searcher against itself, from nothing.

    \b
    scripts/lab learn-othello --folder data/othello

    The games of the first generation are random until the end, which is solved; those of each other one are
    played with the weights of the one before. Every position is labelled with the exact result of the solved
    end. After each generation the new weights, gNN.bin in the folder, play a match against the old. The same
    settings make the same weights, wherever the games are played.
    """
    games, depth, solved, seed = (options[name] for name in ("games", "depth", "solved", "seed"))
    folder.mkdir(parents=True, exist_ok=True)
    portions: list[list[Numbers]] = []

    def learn_on() -> None:
        old = b""
        for generation in range(generations):
            run = {"learn": "othello", "generation": generation, **options}
            sizes = [min(_PORTION, games - first) for first in range(0, games, _PORTION)]
            jobs = [(size, f"{seed} {generation} {n}") for n, size in enumerate(sizes)]
            portions[-_KEPT:] = [
                *portions[1 - _KEPT :],
                results_of(
                    folder / f"games-{generation}.jsonl",
                    run,
                    run_all,
                    partial(play, old, depth, solved),
                    jobs,
                    (_record_of, _samples_of),
                    display,
                    len(jobs) * generation,
                ),
            ]
            path = folder / f"g{generation:02}.bin"
            if not path.exists():
                packed, line = learned_patterns(portions, generation, options)
                write_whole(path, packed)
                display.say(line)
            new = _weights_in(path)
            if old:
                pairs = results_of(
                    folder / f"match-{generation}.jsonl",
                    run,
                    run_all,
                    partial(play_pair, new, old, depth, solved),
                    [f"{seed} match {pair}" for pair in range(options["match"] // 2)],
                    (lambda points: {"points": points}, lambda record: record["points"]),
                )
                points = [each for pair in pairs for each in pair]
                score = f"{sum(points):g}/{len(points)} = {share_text(points)}"
                display.say(f"Generation {generation} against the one before: {score}")
            old = new
        display.say(f"{path}: weights of generation {generations - 1}")

    total = generations * -(-games // _PORTION)
    with RunDisplay(f"portions of {_PORTION} games", total, 0, 4) as display:
        status = exit_status(learn_on, display.say, *_FAILURES)
    sys.exit(status)


# Go's policy

_PLAN = "9x300x1000,13x60x1200,19x20x1200"
_HELD_OUT = 10  # one game of so many is kept for the report
_PASSES = 150
_DECIDED, _IN_A_ROW = 0.92, 4  # a game ends when so many values in a row are above it, or below its negative
_SEEN = 0.02  # shares of the visits below this are not kept
_STRAY = 0.5  # games with one random move
_LARGEST = (1 << 15) - 1
_MOST_PATTERNS = 45_000  # as many as the policy has room for

Stage = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class SearchedGame:
    """For each position the search's share of visits by move."""

    size: int
    moves: Sequence[str]
    shares: Sequence[Mapping[str, float]]


_policy_lock = threading.Lock()
_use = lru_cache(1)(use)  # only where they change


def play_go_job(weights: str | None, job: tuple[int, int, int]) -> SearchedGame:
    """A job is the board's size, playouts a move, and a seed. `weights`: None for the hand-written priors.

    The weights are the process's, so its threads play one after the other.
    """
    with _policy_lock:
        if weights is not None:
            _use(weights)
        return play_go(*job, {"policy": "0"} if weights is None else {})


def play_go(size: int, playouts: int, seed: int, options: Mapping[str, str]) -> SearchedGame:
    """One game of uct-fast against itself, until it is decided.

    The first moves, up to twice the size of the board, are drawn in proportion to their visits, and in some
    games one of the early moves is random.
    """
    random = Random(seed)
    rules = GoGame()
    state = rules.start(size)
    search = player(rules, "uct-fast", seed & 0x7FFFFFFF, {"megabytes": "128", "network": "none", **options})
    loose = random.randrange(2 * size)
    stray = random.randrange(size) if random.random() < _STRAY else -1
    moves: list[str] = []
    shares: list[dict[str, float]] = []
    decided = 0
    while state.player != OVER and decided < _IN_A_ROW:
        decision = search.choose(state, SearchLimits(playouts=playouts))
        visits = {each.move: each.visits for each in decision.tried}
        total = sum(visits.values())
        move = decision.move
        if len(moves) == stray:
            move = random.choice(state.moves()[:-1])
        elif len(moves) < loose and total:
            move = random.choices(list(visits), list(visits.values()))[0]
        seen = {move: number / total for move, number in visits.items() if number >= _SEEN * total}
        shares.append({rules.text(state, each): round(share, 3) for each, share in seen.items()})
        moves.append(rules.text(state, move))
        decided = decided + 1 if abs(decision.value or 0) > _DECIDED else 0
        state = state.play(move)
    return SearchedGame(size, moves, shares)


@dataclass(frozen=True, slots=True)
class Samples:
    features: Numbers
    counts: Numbers
    starts: Numbers
    shares: Floats


def samples(games: Iterable[SearchedGame]) -> Samples:
    features, counts, shares, starts = array("Q"), array("i"), array("d"), array("q")
    for game in games:
        rules = GoGame()
        state = rules.start(game.size)
        for text, wanted in zip(game.moves, game.shares, strict=True):
            moves, seen, found = observed(state)
            places = {move: len(shares) + i for i, move in enumerate(moves)}
            starts.append(len(shares))
            features.extend(found)
            counts.extend(seen)
            shares.extend([0.0] * len(moves))
            total = sum(wanted.values())
            for name, share in wanted.items():
                shares[places[rules.parse(state, name)]] = share / total
            state = state.play(rules.parse(state, text))
    return Samples(*map(np.asarray, (features, counts, starts, shares)))


def fit_policy(
    learned: Samples, least: int, penalty: float = 1.0, passes: int = _PASSES
) -> tuple[Numbers, Floats]:
    """The features that were seen `least` times, and their weights."""
    kinds, number = np.unique(learned.features, return_counts=True)
    kinds = kinds[(number >= least) | (kinds < len(NAMES))]
    choices, positions = _Choices(learned, kinds), len(learned.starts)

    def loss(weights: Floats) -> tuple[float, Floats]:
        value, gradient = choices.loss(weights)
        value += penalty / 2 * float(weights @ weights)
        return value / positions, (gradient + penalty * weights) / positions

    start = np.zeros(len(kinds))
    return kinds, minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": passes}).x


class _Choices:
    """Samples as a matrix: a row for each move, a column for each feature."""

    def __init__(self, chosen: Samples, kinds: Numbers) -> None:
        columns = np.searchsorted(kinds, chosen.features)
        columns[columns == len(kinds)] = 0
        known = kinds[columns] == chosen.features
        ends = np.concatenate(([0], np.cumsum(known)))[np.cumsum(chosen.counts)]
        self._matrix = csr_matrix(
            (np.ones(int(known.sum()), dtype=np.float32), columns[known], np.concatenate(([0], ends))),
            shape=(len(chosen.counts), len(kinds)),
        )
        self._transposed = self._matrix.T.tocsr()
        self.starts = chosen.starts
        self.shares = chosen.shares
        self._lengths = np.diff(np.append(chosen.starts, len(chosen.counts)))

    def log_probabilities(self, weights: Floats) -> Floats:
        worth: Floats = self._matrix @ weights
        worth -= np.repeat(np.maximum.reduceat(worth, self.starts), self._lengths)
        worth -= np.repeat(np.log(np.add.reduceat(np.exp(worth), self.starts)), self._lengths)
        return worth

    def loss(self, weights: Floats) -> tuple[float, Floats]:
        logs = self.log_probabilities(weights)
        return -float(self.shares @ logs), self._transposed @ (np.exp(logs) - self.shares)


def quality(kept: Samples, kinds: Numbers, weights: Floats) -> dict[str, float]:
    """On other games: the mean log-likelihood, and how often the best move is among the first 1, 5, 10."""
    logs = _Choices(kept, kinds).log_probabilities(weights)
    ranks = []
    ends = np.append(kept.starts[1:], len(kept.counts))
    for start, end in zip(kept.starts, ends, strict=True):
        best = np.argmax(kept.shares[start:end])
        ranks.append(int((logs[start:end] > logs[start + best]).sum()))
    found = np.array(ranks)
    top = {f"top {n}": float((found < n).mean()) for n in (1, 5, 10)}
    return {"log-likelihood": float(kept.shares @ logs) / len(kept.starts), **top}


def weight_file(kinds: Numbers, weights: Floats, how: str, lightest: float = 0.05) -> str:
    small = kinds < len(NAMES)
    size = np.where(small, 0, np.abs(weights))
    kept = (size >= lightest) & (np.argsort(np.argsort(-size)) < _MOST_PATTERNS)
    numbers = np.clip(np.rint(SCALE * weights[kept]), -_LARGEST, _LARGEST).astype("<i2")
    stored = {
        "learned": how,
        "features": {
            NAMES[kind]: round(float(weight), 3)
            for kind, weight in zip(kinds[small], weights[small], strict=True)
        },
        "patterns": b85encode(kinds[kept].astype("<u8").tobytes()).decode(),
        "weights": b85encode(numbers.tobytes()).decode(),
    }
    return json.dumps(stored, indent=1, ensure_ascii=False) + "\n"


def _go_jobs(plan: Sequence[Stage], generation: int, seed: int) -> list[tuple[int, int, int]]:
    wanted = [(size, playouts) for size, games, playouts in plan for _ in range(games)]
    Random(generation).shuffle(wanted)
    first = (seed << 40) + (generation << 20)
    return [(size, playouts, first + n) for n, (size, playouts) in enumerate(wanted)]


def _learned_policy(played: Sequence[SearchedGame], least: int, penalty: float) -> tuple[str, list[str]]:
    kept = played[::_HELD_OUT]
    learned = [game for number, game in enumerate(played) if number % _HELD_OUT]
    fitted = fit_policy(samples(learned), least, penalty)
    report = []
    for size in sorted({game.size for game in kept}):
        found = quality(samples(game for game in kept if game.size == size), *fitted)
        report.append(f"{size} lines: " + ", ".join(f"{name} {value:.3f}" for name, value in found.items()))
    moves = sum(len(game.moves) for game in played)
    how = (
        f"from {len(played)} games of uct-fast against itself, {moves} moves; features seen {least} times or"
        f" more, penalty {penalty:g}. Held out: {'; '.join(report)}."
    )
    return weight_file(*fit_policy(samples(played), least, penalty), how), report


@click.command(context_settings=WIDE)
@click.option(
    "--plan",
    type=Stages(_PLAN, int, int, int),
    default=_PLAN,
    show_default=True,
    help="Games of a generation: SIZExGAMESxPLAYOUTS, …",
)
@count_option("--generations", 2, "Generations in all, with those in the folder.")
@count_option("--least", 20, "Times that a feature must be seen before it has a weight.")
@amount_option("--penalty", 1.0, "Penalty on the squares of the weights.")
@seed_option("the games")
@_folder_option
@other_games_job_options
def learn_go_policy(
    *,
    plan: list[Stage],
    generations: int,
    least: int,
    penalty: float,
    seed: int,
    folder: Path,
    run_all: JobRunner,
) -> None:
    """Learn the linear policy of Go: games of uct-fast against itself, and a fit to the moves it preferred.

    The first generation plays with the priors that are written by hand, each later one with the policy that
    was learned from all games before. One game in ten is held out; on these the report gives the mean
    log-likelihood of the search's visits, and how often the move that it preferred is among the policy's
    first 1, 5 and 10. The same settings make the same games and weights, wherever they are played.
    """
    if sizes := {size for size, _, _ in plan} - {*GoGame.sizes}:
        raise click.UsageError(f"no boards of {sorted(sizes)} lines")
    folder.mkdir(parents=True, exist_ok=True)
    played: list[SearchedGame] = []

    def go_on() -> None:
        weights = None
        for generation in range(generations):
            run = {"learn": "go policy", "generation": generation, "plan": plan, "seed": seed}
            if generation:  # its games are played with weights that were fitted
                run |= {"least": least, "penalty": penalty}
            played.extend(
                results_of(
                    folder / f"games-{generation}.jsonl",
                    run,
                    run_all,
                    partial(play_go_job, weights),
                    _go_jobs(plan, generation, seed),
                    (asdict, lambda record: SearchedGame(**record)),
                    display,
                    len(played),
                )
            )
            weights, report = _learned_policy(played, least, penalty)
            for line in report:
                display.say(f"Generation {generation}: {line}")
            write_whole(folder / f"weights-{generation}.json", weights.encode())

    with RunDisplay("games", sum(games for _, games, _ in plan) * generations, 0, 10) as display:
        status = exit_status(go_on, display.say, *_FAILURES)
    sys.exit(status)
