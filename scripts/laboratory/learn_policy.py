"""`scripts/lab learn-policy`: a network with a policy and a value, learned from games against itself.

Worker processes play, and this process learns meanwhile. All of it is kept in the folder of the network:

learning.jsonl      journal: how it learns, then a record for each report
played.games        all games, see records
learner.pt          the state from which learning goes on, see policy_torch.TorchLearner
network.lolli       the network as it plays, see engine/games/networks/file.py
networks/N.lolli    the same after N seconds
judged.jsonl        what `scripts/lab judge-policy` has found
"""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any, Self

import click
import numpy as np

from engine.games.networks.file import PolicyFileError, PolicyWeights, load_policy, save_policy
from engine.games.networks.network import PolicyShape
from engine.games.rules.compiled_state import CompiledState
from engine.games.rules.game import SizeError
from engine.system.files import append_to, descriptor_of
from scripts.laboratory.jobs import JobError, JobRunner, other_games_job_options
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
    RunJournal,
    interrupt_on_sigterm,
    wide_console,
)
from scripts.laboratory.policy import (
    LEARNABLE,
    POLICY_GAMES,
    FoundGame,
    LoopPlan,
    PlayingTerms,
    PolicyGame,
    PolicyGameError,
    SelfPlaySource,
    drawn,
    examples_of,
    first_state,
    joined,
    plan_of,
    playouts_at,
    rate_at,
    read_games,
    shape_of,
)

DEVICES = ("cpu", "cuda")
JOURNAL, JUDGED = "learning.jsonl", "judged.jsonl"
SUFFIX = ".lolli"
"""Of files of networks."""
LOSSES = ("policy", "value", "owners of squares")
_GAMES, _STATE, _NETWORK, _NETWORKS = "played.games", "learner.pt", f"network{SUFFIX}", "networks"

_LINE_WIDTH = 150
_REPORTS = 30
_PORTION = 500  # games whose examples are made at a time
_PAUSE = 0.002  # seconds to wait for games where there is nothing to learn
_PARTS = 200  # games whose examples are taken at a time
_BEHIND = 20  # steps that are due, with which learning is behind
_STEPS = 20  # after which the games go on with the new weights


class PolicyFolder:
    """While it is open, no other process can open it."""

    def __init__(self, path: Path, run: dict[str, Any]) -> None:
        """Raises JournalError if the folder is of another run or in use, ValueError if a part is missing."""
        self.path = path
        if any((path / part).exists() for part in (_GAMES, _STATE)):
            self._require(JOURNAL)
        (path / _NETWORKS).mkdir(parents=True, exist_ok=True)
        self._journal = RunJournal(path / JOURNAL, run)
        self._run = run
        try:
            self.records = self._journal.read(dict)
            if self.records:  # both are written before the first
                self._require(_GAMES)
                self._require(_STATE)
            self._games = os.fdopen(descriptor_of(path / _GAMES, os.O_RDWR | os.O_CREAT | os.O_APPEND), "r+b")
        except BaseException:
            self._journal.close()
            raise

    def _require(self, part: str) -> None:
        path = self.path / part
        if not path.exists() or not path.stat().st_size:
            raise ValueError(
                f"{path} is missing: put it back, or go on in another folder with"
                f" --start {self.path / _NETWORK}"
            )

    def games(self) -> Iterator[PolicyGame]:
        """All games so far; afterwards `add` continues after the last. Raises PolicyGameError."""
        name = str(self.path / _GAMES)
        self._games.seek(0)
        if not self._games.read(1):
            self._append(POLICY_GAMES.pack_header(self._run))
            return
        self._games.seek(0)
        if (described := POLICY_GAMES.read_header(self._games, name)) != self._run:
            raise PolicyGameError(f"{name}: games of another run: {described}"[:150])
        yield from read_games(self._games, name)
        self._games.truncate()

    def add(self, game: PolicyGame) -> None:
        self._append(game.to_bytes())

    def _append(self, content: bytes) -> None:
        append_to(self._games.fileno(), content, str(self.path / _GAMES))

    def keep(self, learner: Any, network: PolicyWeights, record: dict[str, Any]) -> None:
        learner.save(self.path / _STATE)
        save_policy(self.path / _NETWORK, network)
        self._journal.append(record)

    def keep_snapshot(self, seconds: float, network: PolicyWeights) -> None:
        save_policy(self.path / _NETWORKS / f"{round(seconds):06}{SUFFIX}", network)

    def close(self) -> None:
        self._games.close()
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def snapshots(folder: Path) -> list[tuple[int, Path]]:
    """The networks in a folder, the earliest first, with the seconds of learning before each."""
    found = sorted((folder / _NETWORKS).glob(f"*{SUFFIX}"))
    return [(int(path.stem), path) for path in found if path.stem.isdigit()]


def network_at(path: Path) -> PolicyWeights:
    file = path / _NETWORK if path.is_dir() else path
    network = load_policy(file)
    try:
        planes = first_state(network.game, network.columns).plane_count
    except (KeyError, SizeError):
        planes = 0
    if network.shape.planes != planes:
        raise PolicyFileError(f"{file}: not a network of a game and a board that are learned here")
    return network


def open_learner(
    first: CompiledState, shape: PolicyShape, plan: LoopPlan, weights: Any, device: str, seed: int
) -> Any:
    """A policy_torch.TorchLearner. Raises ValueError if PyTorch, an extra, or its GPU is missing."""
    try:
        import torch  # noqa: PLC0415 - slow, and an extra

        from scripts.laboratory.policy_torch import TorchLearner  # noqa: PLC0415 - imports it
    except ImportError:
        raise ValueError(f"PyTorch is not installed: {sys.executable} -m pip install torch") from None
    if device == "cuda" and not torch.cuda.is_available():
        raise ValueError("PyTorch finds no GPU")
    return TorchLearner(first, shape, plan, weights, device, seed)


class Learning:
    def __init__(
        self,
        folder: PolicyFolder,
        first: CompiledState,
        terms: PlayingTerms,
        run: dict[str, Any],
        start: PolicyWeights | None = None,
    ) -> None:
        """`start`: the network to go on from; None for a new one."""
        self._folder, self._first, self._terms, self._run, self._start = folder, first, terms, run, start
        self._shape, self._plan = terms.shape, terms.plan
        self._console = wide_console(_LINE_WIDTH)
        self._seconds = float(folder.records[-1]["seconds"]) if folder.records else 0.0
        self._games = self._plies = 0
        self._losses: list[Any] = []  # since the last report

    def run(self, device: str, run_all: JobRunner) -> None:
        """Learn until the time is over. All is kept before any exception, KeyboardInterrupt too, leaves."""
        path, seed = self._folder.path, self._run["seed"]
        if self._seconds >= self._plan.seconds:
            self._say(f"{path}: has learned for {self._seconds:.0f} s already; see --minutes")
            return
        weights = drawn(self._shape, seed) if self._start is None else np.asarray(self._start.numbers)
        self._learner = open_learner(self._first, self._shape, self._plan, weights, device, seed)
        if (state := path / _STATE).exists():
            self._learner.load(state)
        self._learn_from_folder()
        self._source = SelfPlaySource(self._terms, seed + self._games, run_all, self._learner.weights())
        if self._games or self._seconds:
            self._say(f"going on after {self._seconds:.0f} s and {self._games} games")
        else:
            self._folder.keep_snapshot(0, self._network())
        try:
            self._play_and_learn()
        finally:
            self._keep({"games": self._games})
        self._say(f"{path}: {self._games} games, {self._learner.steps} steps")

    def _learn_from_folder(self) -> None:
        earlier = self._folder.games()
        while games := [*islice(earlier, _PORTION)]:
            self._add([(game, examples_of(game, self._first, self._plan.searched)) for game in games])

    def _add(self, found: Sequence[FoundGame]) -> None:
        self._games += len(found)
        self._plies += sum(len(game.moves) for game, _ in found)
        if parts := [examples for _, examples in found if len(examples)]:
            self._learner.window.add(joined(parts))

    def _play_and_learn(self) -> None:
        try:
            self._source.playouts = playouts_at(self._plan, self._seconds / self._plan.seconds)
            self._source.start()
            self._learn()
        finally:
            self._source.stop()
            while self._take_games():
                pass

    def _take_games(self) -> int:
        found = self._source.take(_PARTS)
        for game, _ in found:
            self._folder.add(game)
        self._add(found)
        return len(found)

    def _learn(self) -> None:
        plan, learner, source = self._plan, self._learner, self._source
        reported = self._now()
        began = reported - self._seconds
        before = self._games, source.evaluated
        while (now := self._now()) - began < plan.seconds:
            self._seconds = now - began
            done = self._seconds / plan.seconds
            source.playouts = playouts_at(plan, done)
            self._take_games()
            ready = learner.window.added >= plan.least
            behind = plan.uses * learner.window.added - learner.steps * plan.batch
            source.behind = ready and behind >= _BEHIND * plan.batch
            if ready and behind > 0:
                latest = max(plan.least, learner.window.added // 2)
                self._losses.append(learner.learn(plan.batch, latest, rate_at(plan, done)))
                if learner.steps % _STEPS == 0:
                    source.network = learner.weights()
            else:
                time.sleep(_PAUSE)
            if now - reported > plan.report_every:
                self._report(before, now - reported)
                reported, before = self._now(), (self._games, source.evaluated)
        self._seconds = now - began

    def _now(self) -> float:
        return time.process_time() + self._source.processor if self._plan.processor else time.monotonic()

    def _report(self, before: tuple[int, int], seconds: float) -> None:
        found: dict[str, Any] = {
            "rate": rate_at(self._plan, self._seconds / self._plan.seconds),
            "games": self._games,
            "games a second": round((self._games - before[0]) / seconds, 1),
            "plies a game": round(self._plies / max(self._games, 1), 1),
            "evaluated a second": round((self._source.evaluated - before[1]) / seconds),
            "examples": self._learner.window.added,
            "steps": self._learner.steps,
            "losses": [round(loss, 4) for loss in self._learner.mean(self._losses)] if self._losses else [],
            "processor": self._plan.processor,
        }
        self._losses = []
        losses = ", ".join(f"{name} {loss:.3f}" for name, loss in zip(LOSSES, found["losses"], strict=False))
        self._say(
            f"{self._seconds:.0f}/{self._plan.seconds:.0f} s  {found['games']} games,"
            f" {found['games a second']:.1f}/s, {found['plies a game']:.0f} plies each"
            f"  {found['evaluated a second']} evaluations/s"
            f"  {found['examples']} examples, {found['steps']} steps  loss: {losses or '-'}"
        )
        self._keep(found)

    def _keep(self, record: dict[str, Any]) -> None:
        network = self._network()
        self._folder.keep(self._learner, network, {"seconds": round(self._seconds, 1), **record})
        self._folder.keep_snapshot(self._seconds, network)

    def _network(self) -> PolicyWeights:
        numbers = memoryview(self._learner.weights()).cast("f")
        seconds = round(self._seconds, 1)
        learned = f"from nothing, by PUCT against itself, for {seconds:,.0f} seconds"
        if self._start is not None:
            learned = f"by PUCT against itself, for {seconds:,.0f} seconds, from what `start` knew"
        about = {"learned": learned, **self._run, "seconds": seconds}
        board = self._first.plane_rows, self._first.plane_columns
        return PolicyWeights(self._run["game"], *board, self._shape, numbers, about)

    def _say(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False)


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
@choice_option("--device", DEVICES, "cpu", "Where to learn; with `cuda` processes here evaluate there, too.")
@count_option("--games", None, "Games side by side in each process; default: 64, on a GPU 128.", most=2048)
@other_games_job_options
@count_option("--channels", None, "Channels of the network, a multiple of 16; default: by game.", most=256)
@count_option("--blocks", None, "Residual blocks; default: by game.", least=0, most=20)
@count_option("--playouts", None, "Playouts of the moves that are learned from; default: by game.")
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
    games: int | None,
    run_all: JobRunner,
    channels: int | None,
    blocks: int | None,
    playouts: int | None,
    start: Path | None,
    seed: int,
) -> None:
    """Teach a network a game from nothing: PUCT plays against itself, and the network learns from the games.

    \b
    scripts/lab learn-policy --game connectfour --minutes 10 --data data/four
    scripts/lab judge-policy data/four

    Self-play and training go on side by side until the time is over: the processes of --concurrency play, and
    one more learns, with PyTorch. Ctrl-C and SIGTERM keep everything; the same command goes on, and with more
    --minutes it learns longer. With --cluster the workers' processors play, and this machine learns. For
    chess see scripts/lab selfplay, train and report-network.
    """
    try:
        first = first_state(game, size)
    except SizeError as error:
        raise click.BadParameter(str(error), param_hint="--size") from None
    if channels is not None and channels % 16:
        raise click.BadParameter(f"not a multiple of 16: {channels}", param_hint="--channels")
    gpu = device == "cuda"
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
        report_every=max(60 * minutes / _REPORTS, 1),
    )
    run = {  # what must be the same for a run to go on
        "game": game,
        "size": first.plane_columns,
        **asdict(shape),
        **asdict(plan.play),
        "searched": plan.searched,
        "seed": seed,
        **({} if known is None else {"start": known.about}),
    }
    at_home = gpu and run_all.cluster is None
    rows = games or (128 if at_home else 64)
    terms = PlayingTerms(game, run["size"], shape, plan, rows, "cuda" if at_home else "cpu")
    interrupt_on_sigterm()
    try:
        with PolicyFolder(data, run) as folder:
            Learning(folder, first, terms, run, known).run(device, run_all)
    except KeyboardInterrupt:
        click.echo(f"Interrupted: the same command goes on from {data}")
        sys.exit(INTERRUPTED)
    except (JournalError, JobError, ValueError, OSError) as error:
        click.echo(f"Cannot go on: {error}")
        sys.exit(FAILED)


def known_weights(path: Path, game: str, shape: PolicyShape) -> PolicyWeights:
    known = load_policy(path)
    if (known.game, known.shape) != (game, shape):
        size = f"{shape.blocks} blocks of {shape.channels} channels"
        raise PolicyFileError(f"{path}: not a network for {game} with {size}")
    return known
