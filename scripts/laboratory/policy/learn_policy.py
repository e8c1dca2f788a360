"""`scripts/lab learn-policy`: a network with a policy and a value, learned from games against itself."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.games.compiled.policy_file import PolicyFileError, PolicyWeights, load_policy
from engine.games.rules.game import SizeError
from engine.system import processors
from eval.learning.devices import CUDA, DEVICES, PROCESSOR, DeviceError
from scripts.laboratory.cluster_jobs import ClusterJobs
from scripts.laboratory.job_options import cluster_options
from scripts.laboratory.jobs import JobError, ProcessJobs
from scripts.laboratory.lab_options import (
    WIDE,
    amount_option,
    choice_option,
    count_option,
    file_option,
    seed_option,
)
from scripts.laboratory.long_run import (
    FAILED,
    INTERRUPTED,
    JournalError,
    interrupt_on_sigterm,
    wide_console,
)
from scripts.laboratory.policy.examples import examples_of, joined
from scripts.laboratory.policy.float_network import drawn, numbers_of, parameters_of
from scripts.laboratory.policy.learnable_games import LEARNABLE, first_state, plan_of, shape_of
from scripts.laboratory.policy.learning_loop import LearningLoop
from scripts.laboratory.policy.loop_devices import open_learner, torch_player
from scripts.laboratory.policy.numpy_loop import OwnEvaluator
from scripts.laboratory.policy.playing_threads import SWITCH, PlayingThreads
from scripts.laboratory.policy.playing_workers import PlayingTerms, PlayingWorkers, PolicyPlayer
from scripts.laboratory.policy.policy_folder import PolicyFolder

if TYPE_CHECKING:
    from engine.games.compiled.network_shape import PolicyShape
    from engine.games.rules.compiled_state import CompiledState
    from scripts.laboratory.policy.examples import PolicyExamples
    from scripts.laboratory.policy.float_network import Parameters
    from scripts.laboratory.policy.game_records import PolicyGame
    from scripts.laboratory.policy.learning_loop import LoopPlan, SelfPlaySource

_LINE_WIDTH = 150
_REPORTS = 30
_PATIENCE = 10.0  # seconds to wait for the last games of a process
_PORTION = 500  # games whose examples are made at a time


@click.command("learn-policy", context_settings=WIDE)
@choice_option("--game", LEARNABLE, "connectfour", "Game to learn.")
@count_option("--size", None, "Size of the board; by default the usual one, in Go 9.", least=4, most=19)
@amount_option("--minutes", 10, "Minutes of playing and learning, earlier ones counted.", above_least=True)
@click.option(
    "--processor-time",
    is_flag=True,
    help="Count minutes of processor time, of all threads together, for comparisons on a busy machine.",
)
@click.option(
    "--data",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of this network: games, state and networks on the way.",
)
@choice_option("--device", DEVICES, PROCESSOR, "Where to evaluate and learn; all but `cpu` need PyTorch.")
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    show_default="all processors",
    help="Threads that play here; one more learns.",
)
@count_option("--games", None, "Games side by side in each thread; default: 64, on a GPU 128.", most=2048)
@cluster_options
@count_option("--channels", None, "Channels of the network, a multiple of 16; default: by game.", most=256)
@count_option("--blocks", None, "Residual blocks; default: by game.", least=0, most=20)
@count_option("--playouts", None, "Playouts of the moves that are learned from; default: by game.")
@amount_option("--uses", None, "How often an example is learned from; default: by device.", above_least=True)
@amount_option("--rate", None, "Learning rate of the first half; default: by device.", above_least=True)
@file_option("--start", "Go on from a network of the same game and shape, not from one that knows nothing.")
@seed_option("the first weights and the games")
def learn_policy(  # noqa: PLR0913 - an argument for each option
    *,
    game: str,
    size: int | None,
    minutes: float,
    processor_time: bool,
    data: Path,
    device: str,
    threads: int | None,
    games: int | None,
    cluster: str | None,
    workers: int | None,
    channels: int | None,
    blocks: int | None,
    playouts: int | None,
    uses: float | None,
    rate: float | None,
    start: Path | None,
    seed: int,
) -> None:
    """Teach a network a game from nothing: PUCT plays against itself, and the network learns from the games.

    \b
    scripts/lab learn-policy --game connectfour --minutes 10 --data data/four
    scripts/lab judge-policy data/four
    scripts/lab report-policy data/four

    Self-play and training go on side by side until the time is over. Ctrl-C and SIGTERM keep everything; the
    same command goes on, and with more --minutes it learns longer. With --cluster the workers' processors
    play, and this machine learns. For chess see scripts/lab selfplay, train and report-network.
    """
    if cluster is not None and threads is not None:
        raise click.UsageError("--threads is for playing here, without --cluster")
    try:
        first = first_state(game, size)
    except SizeError as error:
        raise click.BadParameter(str(error), param_hint="--size") from None
    if channels is not None and channels % 16:
        raise click.BadParameter(f"not a multiple of 16: {channels}", param_hint="--channels")
    gpu = device == CUDA
    shape = shape_of(game, first, channels, blocks)
    try:
        known = None if start is None else known_weights(start, game, shape)
    except PolicyFileError as error:
        raise click.BadParameter(str(error), param_hint="--start") from None
    plan = plan_of(game, first, gpu=gpu)
    play = plan.play if playouts is None else replace(plan.play, full=playouts)
    plan = replace(
        plan,
        seconds=60 * minutes,
        processor=processor_time,
        play=replace(play, fast=min(play.fast, play.full)),
        uses=plan.uses if uses is None else uses,
        rate=plan.rate if rate is None else rate,
        last_rate=plan.last_rate if rate is None else min(plan.last_rate, rate),
        report_every=max(60 * minutes / _REPORTS, 1),
    )
    run = described(game, first, shape, plan, seed) | ({} if known is None else {"start": known.about})
    rows = games or (128 if gpu and cluster is None else 64)
    players = Players(threads or processors(), rows, cluster, workers)
    interrupt_on_sigterm()
    try:
        with PolicyFolder(data, run) as folder:
            learning = PolicyLearning(folder, first, shape, plan, run, known)
            learning.run(device, players)
    except KeyboardInterrupt:
        click.echo(f"Interrupted: the same command goes on from {data}")
        sys.exit(INTERRUPTED)
    except (JournalError, DeviceError, JobError, ValueError, OSError) as error:
        click.echo(f"Cannot go on: {error}")
        sys.exit(FAILED)


def described(
    game: str, first: CompiledState, shape: PolicyShape, plan: LoopPlan, seed: int
) -> dict[str, Any]:
    """What must be the same for a run to go on."""
    return {
        "game": game,
        "size": first.plane_columns,
        **asdict(shape),
        **asdict(plan.play),
        "searched": plan.searched,
        "seed": seed,
    }


def known_weights(path: Path, game: str, shape: PolicyShape) -> PolicyWeights:
    """The network of a file, for a board of any size. Raises PolicyFileError where it is of another kind."""
    known = load_policy(path)
    if (known.game, known.shape) != (game, shape):
        size = f"{shape.blocks} blocks of {shape.channels} channels"
        raise PolicyFileError(f"{path}: not a network for {game} with {size}")
    return known


@dataclass(frozen=True, slots=True)
class Players:
    """Who plays: `threads` here, or the workers of a `cluster`, each with `rows` games side by side."""

    threads: int
    rows: int
    cluster: str | None = None
    workers: int | None = None


class PolicyLearning:
    """A run of `learn-policy`: goes on where the folder was left, and keeps there what it finds."""

    def __init__(
        self,
        folder: PolicyFolder,
        first: CompiledState,
        shape: PolicyShape,
        plan: LoopPlan,
        run: dict[str, Any],
        start: PolicyWeights | None = None,
    ) -> None:
        """`start`: the network to go on from; None for one that knows nothing."""
        self._start = start
        self._folder = folder
        self._first = first
        self._shape = shape
        self._plan = plan
        self._run = run
        self._console = wide_console(_LINE_WIDTH)
        self._spent = float(folder.records[-1]["seconds"]) if folder.records else 0.0

    def run(self, device: str, players: Players) -> None:
        """Learn until the time is over. KeyboardInterrupt comes after all has been kept.

        The last network is one of those on the way. Raises DeviceError, JobError, PolicyGameError,
        LearnerStateError and OSError.
        """
        seed = self._run["seed"]
        start = self._start
        weights = parameters_of(self._shape, start.numbers) if start else drawn(self._shape, seed)
        if self._spent >= self._plan.seconds:
            self._say(f"{self._folder.path}: has learned for {self._spent:.0f} s already; see --minutes")
            return
        state = self._folder.state(self._shape)
        sys.setswitchinterval(SWITCH)
        self._learner = open_learner(device, self._first, self._shape, weights, self._plan.window, seed)
        if state is not None:
            self._learner.restore(state)
        played, plies = self._learn_from_folder()
        source = self._source(device, players, weights, seed + played)
        source.pass_on(self._learner)
        self._loop = LearningLoop(self._plan, self._learner, source)
        self._loop.go_on(played, plies, 0 if state is None else state.steps)
        if played or self._spent:
            self._say(f"going on after {self._spent:.0f} s and {played} games")
        else:
            self._folder.keep_snapshot(0, self._network(0))
        try:
            self._loop.run(self._report, self._folder.add, self._spent)
        finally:
            seconds = round(max(self._loop.seconds, self._spent), 1)
            self._keep({"seconds": seconds, "games": self._loop.games})
            self._folder.keep_snapshot(seconds, self._network(seconds))
        self._say(f"{self._folder.path}: {self._loop.games} games, {self._loop.steps} steps")

    def _source(self, device: str, players: Players, weights: Parameters, seed: int) -> SelfPlaySource:
        run, shape, rows = self._run, self._shape, players.rows
        terms = PlayingTerms(run["game"], run["size"], shape, self._plan, rows)
        if players.cluster is not None:
            player = partial(PolicyPlayer, terms)
            workers = partial(ClusterJobs, player, players.cluster, players.workers, other_games=True)
            return PlayingWorkers(terms, seed, workers)
        if device != PROCESSOR:
            process = partial(ProcessJobs, torch_player(device, terms, players.threads))
            return PlayingWorkers(terms, seed, process, _PATIENCE)
        evaluators = [OwnEvaluator(self._first, shape, weights, rows) for _ in range(players.threads)]
        return PlayingThreads(self._first, self._plan, seed, evaluators)

    def _learn_from_folder(self) -> tuple[int, int]:
        """Give the learner the examples of earlier games; how many games and plies these are."""
        played, plies, parts = 0, 0, []
        for game in self._folder.games():
            played += 1
            plies += len(game.moves)
            parts.append(game)
            if len(parts) == _PORTION:
                self._add(parts)
                parts = []
        self._add(parts)
        return played, plies

    def _add(self, games: list[PolicyGame]) -> None:
        made = [examples_of(game, self._first, self._plan.searched) for game in games]
        found: list[PolicyExamples] = [examples for examples in made if len(examples)]
        if found:
            self._learner.add(joined(found))

    def _report(self, found: dict[str, Any]) -> None:
        losses = ", ".join(
            f"{name} {loss:.3f}"
            for name, loss in zip(("policy", "value", "owners"), found["losses"], strict=False)
        )
        self._say(
            f"{found['seconds']:.0f}/{self._plan.seconds:.0f} s  {found['games']} games,"
            f" {found['games a second']:.1f}/s, {found['plies a game']:.0f} plies each"
            f"  {found['evaluated a second']} evaluations/s"
            f"  {found['examples']} examples, {found['steps']} steps  loss: {losses or '-'}"
        )
        self._keep({**found, "processor": self._plan.processor})
        self._folder.keep_snapshot(found["seconds"], self._network(found["seconds"]))

    def _keep(self, record: dict[str, Any]) -> None:
        self._folder.keep(self._learner.state(), self._network(record["seconds"]), record)

    def _network(self, seconds: float) -> PolicyWeights:
        numbers = numbers_of(self._shape, self._learner.parameters())
        learned = f"from nothing, by PUCT against itself, for {seconds:,.0f} seconds"
        if self._start is not None:
            learned = f"by PUCT against itself, for {seconds:,.0f} seconds, from what `start` knew"
        about = {"learned": learned, **self._run, "seconds": seconds}
        board = self._first.plane_rows, self._first.plane_columns
        return PolicyWeights(self._run["game"], *board, self._shape, numbers, about)

    def _say(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False)
