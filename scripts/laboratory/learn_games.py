"""`scripts/lab learn-go-policy` and `scripts/lab learn-backgammon`: Go's policy, networks of backgammon."""

from __future__ import annotations

import json
import re
import sys
import threading
from array import array
from base64 import b85encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import click
import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from engine.games.rules.backgammon import network as backgammon
from engine.games.rules.backgammon.learning import Learner
from engine.games.rules.game import OVER, IllegalMoveError
from engine.games.rules.go.features import NAMES
from engine.games.rules.go.game import GoGame
from engine.games.rules.go.policy import SCALE, observed, use
from engine.games.search.basics import SearchLimits
from engine.games.searchers import player
from engine.system.files import write_whole
from scripts.laboratory.jobs import FunctionWorker, JobError, JobRunner, other_games_job_options
from scripts.laboratory.lab_options import (
    ROOT,
    WIDE,
    amount_option,
    count_option,
    file_option,
    require_writable,
    seed_option,
)
from scripts.laboratory.long_run import JournalError, RunDisplay, RunJournal, exit_status, whole

Floats = np.ndarray[Any, np.dtype[np.float64]]
Numbers = np.ndarray[Any, np.dtype[Any]]


_PLAN = "9x300x1000,13x60x1200,19x20x1200"
_STAGE = re.compile(r"([1-9]\d*)x([1-9]\d*)x([1-9]\d*)", re.ASCII)
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
    """A game, and for each position the search's share of visits by move."""

    size: int
    moves: Sequence[str]
    shares: Sequence[Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class GoGameJob:
    """A game to play; `number` is its place in its generation."""

    number: int
    size: int
    playouts: int
    seed: int


def play_job(weights: str | None, job: GoGameJob) -> tuple[int, SearchedGame]:
    """The number of a job, and its game.

    `weights`: the text of a file of the policy's weights; None: play with the priors by hand.
    """
    if weights is None:
        return job.number, play(job.size, job.playouts, job.seed, {"policy": "0"})
    with _policy.with_weights(weights):
        return job.number, play(job.size, job.playouts, job.seed, {})


class _SharedPolicy:
    """The policy of this process, which all its threads share: one that wants other weights waits."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._weights = ""
        self._players = 0

    @contextmanager
    def with_weights(self, weights: str) -> Iterator[None]:
        """Meanwhile the policy has these weights."""
        with self._changed:
            self._changed.wait_for(lambda: not self._players or self._weights == weights)
            if self._weights != weights:
                self._weights = ""  # should they be bad
                use(weights)
                self._weights = weights
            self._players += 1
        try:
            yield
        finally:
            with self._changed:
                self._players -= 1
                self._changed.notify_all()


_policy = _SharedPolicy()


def play(size: int, playouts: int, seed: int, options: Mapping[str, str]) -> SearchedGame:
    """One game of uct-fast against itself, until it is decided.

    For variety the first moves, up to twice the size of the board, are drawn in proportion to their visits,
    and in some games one of the early moves is any.
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
    """Positions and their moves: for each move its features and its share, `starts` by position."""

    features: Numbers
    counts: Numbers
    starts: Numbers
    shares: Floats
    sizes: Numbers


def samples(games: Iterable[SearchedGame]) -> Samples:
    """All positions of the games. Raises IllegalMoveError."""
    features, counts, shares, starts, sizes = array("Q"), array("i"), array("d"), array("q"), array("i")
    for game in games:
        rules = GoGame()
        state = rules.start(game.size)
        for text, wanted in zip(game.moves, game.shares, strict=True):
            moves, seen, found = observed(state)
            places = {move: len(shares) + i for i, move in enumerate(moves)}
            starts.append(len(shares))
            sizes.append(game.size)
            features.extend(found)
            counts.extend(seen)
            shares.extend([0.0] * len(moves))
            total = sum(wanted.values())
            for name, share in wanted.items():
                shares[places[rules.parse(state, name)]] = share / total
            state = state.play(rules.parse(state, text))
    return Samples(*map(np.asarray, (features, counts, starts, shares, sizes)))


class Fit:
    """The weights of those features that occur `least` times or more."""

    def __init__(self, learned: Samples, least: int = 20, penalty: float = 1.0) -> None:
        self._penalty = penalty
        kinds, number = np.unique(learned.features, return_counts=True)
        self.kinds = kinds[(number >= least) | (kinds < len(NAMES))]
        self.weights = np.zeros(len(self.kinds))
        self._of = _Choices(learned, self.kinds)

    def run(self, passes: int) -> None:
        """Improve the weights by up to so many passes of L-BFGS."""
        positions = len(self._of.starts)

        def loss(weights: Floats) -> tuple[float, Floats]:
            value, gradient = self._of.loss(weights)
            value += self._penalty / 2 * float(weights @ weights)
            return value / positions, (gradient + self._penalty * weights) / positions

        found = minimize(loss, self.weights, jac=True, method="L-BFGS-B", options={"maxiter": passes})
        self.weights = found.x


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
        """Of each move among those of its position."""
        worth: Floats = self._matrix @ weights
        worth -= np.repeat(np.maximum.reduceat(worth, self.starts), self._lengths)
        worth -= np.repeat(np.log(np.add.reduceat(np.exp(worth), self.starts)), self._lengths)
        return worth

    def loss(self, weights: Floats) -> tuple[float, Floats]:
        """The negative log-likelihood of all positions, and its gradient."""
        logs = self.log_probabilities(weights)
        return -float(self.shares @ logs), self._transposed @ (np.exp(logs) - self.shares)


def quality(kept: Samples, kinds: Numbers, weights: Floats) -> dict[str, float]:
    """On other games: the mean log-likelihood, and how often the best move is among the first 1, 5, 10."""
    choices = _Choices(kept, kinds)
    logs = choices.log_probabilities(weights)
    ranks = []
    ends = np.append(kept.starts[1:], len(kept.counts))
    for start, end in zip(kept.starts, ends, strict=True):
        best = np.argmax(kept.shares[start:end])
        ranks.append(int((logs[start:end] > logs[start + best]).sum()))
    found = np.array(ranks)
    top = {f"top {n}": float((found < n).mean()) for n in (1, 5, 10)}
    return {"log-likelihood": float(kept.shares @ logs) / len(kept.starts), **top}


def weight_file(kinds: Numbers, weights: Floats, how: str, lightest: float = 0.05) -> str:
    """The text of a file of weights; `how` says how they were learned. The lightest patterns are left out."""
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


def _jobs(plan: Sequence[Stage], generation: int, seed: int) -> list[GoGameJob]:
    """The games of a generation, sizes mixed."""
    wanted = [(size, playouts) for size, games, playouts in plan for _ in range(games)]
    Random(generation).shuffle(wanted)
    first = (seed << 40) + (generation << 20)
    return [GoGameJob(n, size, playouts, first + n) for n, (size, playouts) in enumerate(wanted)]


def _numbered(record: dict[str, Any]) -> tuple[int, SearchedGame]:
    """The number and the game of a line of a journal."""
    return whole(record.pop("number")), SearchedGame(**record)


def _learn(played: Sequence[SearchedGame], least: int, penalty: float) -> tuple[str, list[str]]:
    """The file of weights learned from all games, and a report from a fit without those held out."""
    kept = played[::_HELD_OUT]
    learned = [game for number, game in enumerate(played) if number % _HELD_OUT]
    fit = Fit(samples(learned), least, penalty)
    fit.run(_PASSES)
    report = []
    for size in sorted({game.size for game in kept}):
        found = quality(samples(game for game in kept if game.size == size), fit.kinds, fit.weights)
        report.append(f"{size} lines: " + ", ".join(f"{name} {value:.3f}" for name, value in found.items()))
    fit = Fit(samples(played), least, penalty)
    fit.run(_PASSES)
    moves = sum(len(game.moves) for game in played)
    how = (
        f"from {len(played)} games of uct-fast against itself, {moves} moves; features seen {least} times or"
        f" more, penalty {penalty:g}. Held out: {'; '.join(report)}."
    )
    return weight_file(fit.kinds, fit.weights, how), report


class GamesPlan(click.ParamType[list[Stage]]):
    """How many games on boards of which size, with how many playouts a move."""

    name = "plan"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> list[Stage]:
        """Parse `SIZExGAMESxPLAYOUTS,…`."""
        stages = [_STAGE.fullmatch(stage) for stage in str(value).split(",")]
        found = [(int(stage[1]), int(stage[2]), int(stage[3])) for stage in stages if stage]
        if len(found) != len(stages) or any(size not in GoGame.sizes for size, _, _ in found):
            self.fail(f"{value!r} is not of the form {_PLAN}", param, ctx)
        return found


@click.command(context_settings=WIDE)
@click.option(
    "--plan",
    type=GamesPlan(),
    default=_PLAN,
    show_default=True,
    help="Games of a generation: SIZExGAMESxPLAYOUTS, …",
)
@count_option("--generations", 2, "Generations in all, with those in the folder.")
@count_option("--least", 20, "Times that a feature must be seen before it has a weight.")
@amount_option("--penalty", 1.0, "Penalty on the squares of the weights.")
@seed_option("the games")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Games and weights; the run resumes from it.",
)
@file_option("--output", "Write the last weights here, too.")
@other_games_job_options
def learn_go_policy(
    *,
    plan: list[Stage],
    generations: int,
    least: int,
    penalty: float,
    seed: int,
    folder: Path,
    output: Path | None,
    run_all: JobRunner,
) -> None:
    """Learn the linear policy of Go: games of uct-fast against itself, and a fit to the moves it preferred.

    The first generation plays with the priors that are written by hand, each later one with the policy that
    was learned from all games before. One game in ten is held out; on these the report gives the mean
    log-likelihood of the search's visits, and how often the move that it preferred is among the policy's
    first 1, 5 and 10. The same settings make the same games and weights, wherever they are played.
    """
    folder.mkdir(parents=True, exist_ok=True)
    total = sum(games for _, games, _ in plan) * generations
    played: list[SearchedGame] = []

    def go_on() -> None:
        weights = None
        for generation in range(generations):
            jobs = _jobs(plan, generation, seed)
            run = {"learn": "go policy", "generation": generation, "plan": plan, "seed": seed}
            with RunJournal(folder / f"games-{generation}.jsonl", run) as journal:
                found = dict(journal.read(_numbered))
                missing = [job for job in jobs if job.number not in found]
                with closing(run_all(partial(FunctionWorker, partial(play_job, weights)), missing)) as games:
                    for number, game in games:
                        journal.append({"number": number, **asdict(game)})
                        found[number] = game
                        display.show(len(played) + len(found), f"generation {generation}")
            played.extend(found[job.number] for job in jobs)
            weights, report = _learn(played, least, penalty)
            for line in report:
                display.say(f"Generation {generation}: {line}")
            write_whole(folder / f"weights-{generation}.json", weights.encode())
        if output and weights:
            write_whole(output, weights.encode())

    with RunDisplay("games", total, 0, 10) as display:
        status = exit_status(go_on, display.say, JobError, JournalError, IllegalMoveError, OSError)
    sys.exit(status)


_LARGEST = (1 << 15) - 1


def backgammon_file(contact: Sequence[float], race: Sequence[float], how: str) -> str:
    """The text of a file of weights; `how` says how they were learned."""
    weights = {"learned": how, "contact": encoded(contact), "race": encoded(race)}
    return json.dumps(weights, indent=1, ensure_ascii=False) + "\n"


def encoded(weights: Sequence[float]) -> str:
    """Weights in the form that Net.read takes, clipped to its range."""
    numbers = array(
        "h", [max(-_LARGEST, min(_LARGEST, round(backgammon.SCALE * weight))) for weight in weights]
    )
    return b85encode(numbers.tobytes()).decode()


_FILE = ROOT / "engine" / "games" / "weights" / "backgammon.json"
_STAGES = "20000x0.05,40000x0.02,100000x0.01,150000x0.004,100000x0.0015"
_RATED = re.compile(r"([1-9]\d*)x(\d+\.?\d*|\.\d+)", re.ASCII)
_GAMES_SHOWN = 1000  # games between updates of the display


class TrainingPlan(click.ParamType[list[tuple[int, float]]]):
    """Stages of the training: a number of games and a learning rate each."""

    name = "plan"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[tuple[int, float]]:
        """Parse `GAMESxRATE,…`."""
        stages = [_RATED.fullmatch(stage) for stage in str(value).split(",")]
        if not all(stages):
            self.fail(f"{value!r} is not of the form {_STAGES}", param, ctx)
        return [(int(stage[1]), float(stage[2])) for stage in stages if stage]


@click.command(context_settings=WIDE)
@click.option("--plan", type=TrainingPlan(), default=_STAGES, show_default=True, help="Stages: GAMESxRATE, …")
@amount_option("--trace", 0.7, "λ.", most=1)
@seed_option("dice and first weights")
@file_option("--output", "File of weights to write.", _FILE)
def learn_backgammon(plan: list[tuple[int, float]], trace: float, seed: int, output: Path) -> None:
    """Train the networks that judge backgammon, by TD(λ) from random weights in games against themselves.

    The same arguments give the same weights on the same kind of processor.
    """
    require_writable(output)
    learner = Learner(seed)
    total = sum(games for games, _ in plan)
    done = 0
    with RunDisplay("games", total, 0, 10 * _GAMES_SHOWN) as display:
        for games, rate in plan:
            for begun in range(0, games, _GAMES_SHOWN):
                portion = min(_GAMES_SHOWN, games - begun)
                plies = learner.learn(portion, rate, trace)
                done += portion
                display.show(done, f"rate {rate:g}, {plies:.1f} plies a game")
    stages = ", ".join(f"{games} at {rate:g}" for games, rate in plan)
    how = (
        f"TD(λ) with λ = {trace:g}, {total} games of the networks against themselves without looking ahead,"
        f" gammons counted; the rate of learning: {stages}; the seed is {seed}."
    )
    write_whole(output, backgammon_file(learner.contact.weights(), learner.race.weights(), how).encode())
