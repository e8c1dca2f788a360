"""Networks with a policy and a value: how they play, in workers and matches, and what is kept of their games.

All numbers in a file of games are little-endian: a header, then the games in the order in which they ended.

    header  0  8 bytes  b"LolliPol"
            8  u16      version, 1
           10  u16      0
           12  u32      D, how many bytes of description follow
           16  D bytes  description: a JSON object in UTF-8 that says how the games were made
         16+D  u32      CRC-32 of all bytes before

    game    0  u32      how many bytes follow, the CRC-32 not counted
            4  i8       payoff of player 0
            5  u8       0
            6  u16      N, plies
            8  u16      M, plies to learn from
           10  u16      S, squares whose owner is known, all or none
           12  N * u16  moves, as the game has them
               N * i16  mean payoff of the mover in the search, times 10000
               M times  u16 ply, u16 K moves tried, K times u16 `policy_index` and u16 visits
               S * i8   owner of each square: 1 player 0, -1 player 1, 0 nobody
               u32      CRC-32 of the bytes of the game before
"""

import struct
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from math import cos, pi
from threading import Event, Thread
from typing import Any, BinaryIO, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.games.catalogue import game
from engine.games.fast.puct import PuctOptions
from engine.games.fast.puct_games import VALUE, PlayedGame, PuctGames, PuctGamesOptions, replay
from engine.games.networks.network import PolicyNetwork, PolicyShape
from engine.games.rules.compiled_state import CompiledState
from engine.games.rules.go.playouts import GoState
from eval.training.game_file import FileKind
from protocol.text import describe
from scripts.laboratory.jobs import JobError, JobRunner

Reals: TypeAlias = npt.NDArray[np.float32]

_GAME = struct.Struct("<IbBHHH")
_NUMBER = struct.Struct("<I")
_ROW = struct.Struct("<HH")
_LARGEST = 1 << 24  # bytes of a game


class PolicyGameError(ValueError):
    """A file of games, or a game in it, cannot be used. The message says why."""


POLICY_GAMES = FileKind(b"LolliPol", 1, "games of PUCT", PolicyGameError)


@dataclass(frozen=True, slots=True)
class PolicyGame:
    """See the module. `tried`: by ply to learn from, `policy_index` and visits of each move."""

    result: int
    moves: npt.NDArray[np.uint16]
    values: npt.NDArray[np.int16]
    tried: dict[int, npt.NDArray[np.uint16]]
    owners: npt.NDArray[np.int8]

    @classmethod
    def of(cls, played: PlayedGame) -> Self:
        moves = np.frombuffer(played.moves, np.uint16)
        visits = np.frombuffer(played.visits, np.uint16).reshape(len(moves), -1)
        tried = {}
        for ply in np.flatnonzero(visits.any(axis=1)).tolist():
            places = np.flatnonzero(visits[ply])
            tried[ply] = np.stack([places.astype(np.uint16), visits[ply, places]], axis=1)
        values = np.frombuffer(played.values, np.int16)
        return cls(int(played.result), moves, values, tried, owners_of(played.last))

    def to_bytes(self) -> bytes:
        rows = [_ROW.pack(ply, len(each)) + each.astype("<u2").tobytes() for ply, each in self.tried.items()]
        body = b"".join((self.moves.astype("<u2").tobytes(), self.values.astype("<i2").tobytes(), *rows))
        body += self.owners.astype(np.int8).tobytes()
        length = len(body) + _GAME.size - _NUMBER.size
        head = _GAME.pack(length, self.result, 0, len(self.moves), len(rows), len(self.owners))
        return head + body + _NUMBER.pack(zlib.crc32(head + body))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        _, result, _, plies, rows, squares = _GAME.unpack_from(data)
        at = _GAME.size
        moves = np.frombuffer(data, "<u2", plies, at).astype(np.uint16)
        values = np.frombuffer(data, "<i2", plies, at + 2 * plies).astype(np.int16)
        at += 4 * plies
        tried = {}
        for _ in range(rows):
            ply, count = _ROW.unpack_from(data, at)
            numbers = np.frombuffer(data, "<u2", 2 * count, at + _ROW.size)
            tried[ply] = numbers.astype(np.uint16).reshape(count, 2)
            at += _ROW.size + 4 * count
        owners = np.frombuffer(data, np.int8, squares, at)
        if at + squares + _NUMBER.size != len(data) or any(ply >= plies for ply in tried):
            raise ValueError("the parts do not fit together")
        return cls(result, moves, values, tried, owners)


def owners_of(state: Any) -> npt.NDArray[np.int8]:
    if not isinstance(state, GoState):
        return np.zeros(0, np.int8)
    regions = state.owners()
    signs = (0, 1, -1, 0)  # by colour, or colours, of the stones there or around
    places = range(state.size)
    points = [(row + 1) * state.stride + column + 1 for row in places for column in places]
    return np.array([signs[state.at(p) or regions[p]] for p in points], np.int8)


def read_games(file: BinaryIO, name: str) -> Iterator[PolicyGame]:
    """From `file.tell()` on, which then is after the last complete game. Raises PolicyGameError."""
    while True:
        place = file.tell()
        head = file.read(_NUMBER.size)
        if len(head) < _NUMBER.size:
            break
        length = _NUMBER.unpack(head)[0]
        if length > _LARGEST:
            raise PolicyGameError(f"{name}: the game at byte {place} is damaged")
        data = head + file.read(length + _NUMBER.size)
        if len(data) < length + 2 * _NUMBER.size:
            if _has_all_parts(data):  # only its length is too large, and games may follow
                raise PolicyGameError(f"{name}: the game at byte {place} is damaged")
            break
        if data[-_NUMBER.size :] != _NUMBER.pack(zlib.crc32(data[: -_NUMBER.size])):
            raise PolicyGameError(f"{name}: the game at byte {place} is damaged")
        try:
            game = PolicyGame.from_bytes(data)
        except (ValueError, struct.error) as error:
            raise PolicyGameError(f"{name}: the game at byte {place} is damaged: {error}") from None
        yield game
    file.seek(place)


def _has_all_parts(data: bytes) -> bool:
    try:
        plies, rows, squares = _GAME.unpack_from(data)[3:]
        at: int = _GAME.size + 4 * plies
        for _ in range(rows):
            at += _ROW.size + 4 * _ROW.unpack_from(data, at)[1]
    except struct.error:
        return False
    return bool(at + squares + _NUMBER.size <= len(data))


@dataclass(frozen=True, slots=True)
class PolicyExamples:
    """For each position: planes, channels last; probabilities by `policy_index`; value and owners of squares.

    The last two are from -1 to 1 for the player to move (owner 0: unknown).
    """

    planes: Reals
    policy: Reals
    values: Reals
    owners: Reals

    def __len__(self) -> int:
        return len(self.values)


def examples_of(record: PolicyGame, first: CompiledState, searched: float) -> PolicyExamples:
    """`first`: the start of the game; `searched`: the part of the search in the value."""
    rows, columns, planes = first.plane_rows, first.plane_columns, first.plane_count
    plies = np.array(sorted(record.tried), int)
    wanted = np.zeros(len(record.moves), np.uint8)
    wanted[plies] = 1
    seen = np.zeros((len(plies), rows, columns, planes), np.float32)
    buffers = flat((record.moves, wanted, seen if seen.size else np.zeros(1, np.float32)))
    if (ply := replay(first.copy(), *buffers)) >= 0:
        raise PolicyGameError(f"ply {ply + 1} is illegal")
    policy = np.zeros((len(plies), rows * columns + 1), np.float32)
    for row, ply in enumerate(plies.tolist()):
        tried = record.tried[ply].astype(int)
        policy[row, tried[:, 0]] = tried[:, 1] / tried[:, 1].sum()
    sides = np.where((plies + first.player) % 2 == 0, 1, -1).astype(np.float32)
    found = record.values[plies].astype(np.float32) / VALUE
    values = (1 - searched) * record.result * sides + searched * found
    owners = np.zeros((len(plies), rows * columns), np.float32)
    if len(record.owners):
        owners[:] = record.owners.astype(np.float32) * sides[:, None]
    return PolicyExamples(seen, policy, values.astype(np.float32), owners)


def joined(parts: Sequence[PolicyExamples]) -> PolicyExamples:
    arrays = ((part.planes, part.policy, part.values, part.owners) for part in parts)
    return PolicyExamples(*map(np.concatenate, zip(*arrays, strict=True)))


def symmetries(first: CompiledState) -> npt.NDArray[np.int64]:
    """For each symmetry a row of squares: where what comes to lie on each square comes from."""
    board = np.arange(first.plane_rows * first.plane_columns).reshape(first.plane_rows, -1)
    if first.symmetries == 8:
        turned = [np.rot90(board, turns) for turns in range(4)]
        ways: list[Any] = [way for each in turned for way in (each, each[:, ::-1])]
    else:
        ways = [board, board[:, ::-1]][: first.symmetries]
    return np.stack([way.ravel() for way in ways])


def flat(arrays: Sequence[Any]) -> list[Any]:
    return [memoryview(array.reshape(-1)) for array in arrays]


@dataclass(frozen=True)
class LoopPlan:
    """How to learn.

    - `seconds`: of playing and learning; `processor`: of processor time of all threads, not wall time
    - `batch`, `uses`: examples of a step, and how often an example is learned from on average
    - `window`, `least`: the latest examples to learn from, and how many there must be before the first step
    - `rate`, `last_rate`: of learning, and at the end of the second half
    - `searched`: the part of the search's value in what the value learns
    - `average`: a step's weight in the moving average of the weights, which plays, is 1 less this
    - `first_playouts`, `early`: playouts in full of the first part of the time, whatever `play` says
    """

    seconds: float
    processor: bool = False
    play: PuctGamesOptions = field(default_factory=PuctGamesOptions)
    search: PuctOptions = field(default_factory=lambda: PuctOptions(batch=1, megabytes=1))
    batch: int = 1024
    uses: float = 10.0
    window: int = 400_000
    least: int = 10_000
    rate: float = 2e-3
    last_rate: float = 1e-4
    average: float = 0.998
    searched: float = 0.25
    first_playouts: int = 32
    early: float = 0.08
    report_every: float = 15.0


_ON_PROCESSOR = LoopPlan(
    seconds=600, batch=256, uses=5, window=150_000, least=3000, rate=3e-3, average=0.995, early=0.05
)
_ON_GPU = LoopPlan(seconds=600, batch=1024, uses=10, window=400_000, least=10_000, rate=2e-3, early=0.08)

LEARNABLE: dict[str, tuple[Callable[[int], PuctGamesOptions], int, int, LoopPlan, LoopPlan]] = {
    "connectfour": (
        lambda squares: PuctGamesOptions(
            full=80, fast=20, share=0.4, noise_total=7.0, sampled=12, opening=12, longest=squares
        ),
        *(32, 3, _ON_PROCESSOR, _ON_GPU),
    ),
    "go": (
        lambda points: PuctGamesOptions(
            full=128, fast=24, share=0.33, sampled=points // 5, opening=2, longest=8 * points // 5
        ),
        *(48, 6, replace(_ON_PROCESSOR, window=60_000), replace(_ON_GPU, window=600_000)),
    ),
    "othello": (
        lambda squares: PuctGamesOptions(
            full=96, fast=24, share=0.33, sampled=16, opening=8, longest=2 * squares
        ),
        *(32, 4, replace(_ON_PROCESSOR, window=100_000), _ON_GPU),
    ),
}
"""By the name of the game: options of its self-play by the squares of the board, channels and blocks of its
network, and how to learn on the processor and on a GPU."""

_SEARCH_MEGABYTES = (1, 3)  # of the nodes of a game, on boards up to _LARGE squares, and on larger ones
_LARGE = 81


def first_state(name: str, size: int | None) -> CompiledState:
    """Raises KeyError for other games, and SizeError."""
    if name not in LEARNABLE:
        raise KeyError(name)
    state: CompiledState = game(name).start(size)
    return state


def shape_of(name: str, first: CompiledState, channels: int | None, blocks: int | None) -> PolicyShape:
    """None: the best known width or depth."""
    _, usual, deepest, _, _ = LEARNABLE[name]
    wide, deep = usual if channels is None else channels, deepest if blocks is None else blocks
    return PolicyShape(first.plane_count, wide, deep, pooled=min(wide, 32), hidden=wide)


def plan_of(name: str, first: CompiledState, *, gpu: bool) -> LoopPlan:
    play, _, _, on_processor, on_gpu = LEARNABLE[name]
    squares = first.plane_rows * first.plane_columns
    search = PuctOptions(batch=1, megabytes=_SEARCH_MEGABYTES[squares > _LARGE])
    return replace(on_gpu if gpu else on_processor, play=play(squares), search=search)


def rate_at(plan: LoopPlan, done: float) -> float:
    """`done`: the part of the time gone by. Constant, then down half a cosine."""
    down = max(0.0, (done - 0.5) / 0.5)
    return plan.last_rate + (plan.rate - plan.last_rate) * (1 + cos(pi * min(down, 1.0))) / 2


def playouts_at(plan: LoopPlan, done: float) -> tuple[int, int]:
    """Of full moves and of others: few in the first games, since the network knows nothing."""
    if done > plan.early:
        return plan.play.full, plan.play.fast
    full = min(plan.first_playouts, plan.play.full)
    return full, min(max(full // 4, 1), plan.play.fast)


FoundGame: TypeAlias = tuple[PolicyGame, PolicyExamples]
"""A game, and what there is to learn from it."""

_SECONDS = 1.0  # of a job
_PATIENCE = 10.0  # seconds to wait for the games of the jobs under way


def drawn(shape: PolicyShape, seed: int) -> Reals:
    """All weights of an untrained network, one after the other, as PolicyNetwork and files take them.

    He's variance; zeros for biases, for the outputs and at the end of each block. There is no normalisation,
    as in Zhang, Dauphin and Ma, "Fixup initialization" (2019).
    """
    chance = np.random.default_rng(seed)
    made = []
    for name, size in shape.parameters():
        values = np.zeros(size, np.float32)
        if not name.endswith(("bias", "second", "out", "pass", "policy pooled")):
            scale = (2 / np.prod(size[:-1])) ** 0.5
            if name.endswith("first"):
                scale /= max(shape.blocks, 1) ** 0.5
            values[:] = chance.normal(0, scale, size)
        made.append(values.ravel())
    return np.concatenate(made)


class OwnEvaluator:
    """The engine's own network: `policy` and `values` of the `planes` of up to `rows` positions at a time."""

    def __init__(self, first: CompiledState, shape: PolicyShape, weights: Any, rows: int) -> None:
        board = (first.plane_rows, first.plane_columns)
        self._shape, self._board = shape, board
        self.planes = np.zeros((rows, *board, shape.planes), np.float32)
        self.policy = np.zeros((rows, board[0] * board[1] + 1), np.float32)
        self.values = np.zeros(rows, np.float32)
        self._buffers = flat((self.planes, self.policy, self.values))
        self.replace(weights)

    def replace(self, weights: Any) -> None:
        numbers = flat([np.frombuffer(weights, np.float32).copy()])[0]
        self._network = PolicyNetwork(self._shape, numbers, *self._board)

    def evaluate(self, count: int | None = None) -> None:
        planes, policy, values = self._buffers
        self._network.evaluate(planes, len(self.values) if count is None else count, policy, values)


@dataclass(frozen=True, slots=True)
class PlayingTerms:
    """What all jobs share; `games` side by side, on `cpu` or `cuda`."""

    game: str
    size: int
    shape: PolicyShape
    plan: LoopPlan
    rows: int
    device: str = "cpu"


@dataclass(frozen=True, slots=True)
class PlayingJob:
    seed: int
    network: bytes
    full: int
    fast: int
    rests: bool = False


class PolicyPlayer:
    """Plays games in a worker. They go on from one job to the next; where one ends, another begins."""

    def __init__(self, terms: PlayingTerms) -> None:
        self._terms = terms
        self._first = first_state(terms.game, terms.size)
        self._network = b""
        self._evaluator: Any = None

    def work(self, job: PlayingJob) -> tuple[list[bytes], int, float]:
        """The games that have ended, positions evaluated, seconds of processor time."""
        if job.rests:
            time.sleep(_SECONDS)
            return [], 0, 0.0
        began, until = time.thread_time(), time.monotonic() + _SECONDS
        games, evaluator = self._prepared(job)
        buffers = flat((evaluator.planes, evaluator.policy, evaluator.values))
        evaluated, records = 0, []
        while time.monotonic() < until:
            if count := games.gather(buffers[0]):  # a leaf of each game
                evaluator.evaluate(count)
                games.absorb(*buffers[1:])
                evaluated += count
            if games.finished:
                records += [PolicyGame.of(played).to_bytes() for played in games.take_games()]
        return records, evaluated, time.thread_time() - began

    def _prepared(self, job: PlayingJob) -> tuple[PuctGames, Any]:
        terms = self._terms
        if self._evaluator is None:
            self._evaluator = self._make_evaluator(job.network)
            play = replace(terms.plan.play, full=job.full, fast=job.fast)
            self._games = PuctGames(self._first, terms.rows, job.seed, terms.plan.search, play)
        elif job.network != self._network:
            self._evaluator.replace(job.network)
        self._network = job.network
        self._games.set_playouts(job.full, job.fast)
        return self._games, self._evaluator

    def _make_evaluator(self, network: bytes) -> Any:
        if self._terms.device == "cpu":
            return OwnEvaluator(self._first, self._terms.shape, network, self._terms.rows)
        from scripts.laboratory.policy_torch import GpuEvaluator  # noqa: PLC0415 - needs PyTorch

        return GpuEvaluator(self._first, self._terms.shape, network, self._terms.rows)


class SelfPlaySource:
    """Has workers play the games that a network learns from. With one that dies, its games are lost."""

    def __init__(self, terms: PlayingTerms, seed: int, runner: JobRunner, weights: bytes) -> None:
        """`weights`: of the first games."""
        self.network, self.playouts = weights, (terms.plan.play.full, terms.plan.play.fast)
        """Of the next jobs; see PuctGamesOptions."""
        self.behind = False
        """Whether learning is behind, and needs half of the processors."""
        self.evaluated, self.processor = 0, 0.0
        """Positions and seconds of processor time so far, outside of this process."""
        self._terms, self._seed, self._runner = terms, seed, runner
        self._first = first_state(terms.game, terms.size)
        self._found: deque[bytes] = deque()
        self._failure: JobError | None = None
        self._over = Event()
        self._thread = Thread(target=self._play, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """What was found can still be taken."""
        self._over.set()
        self._thread.join(_PATIENCE)
        self._failure = None

    def take(self, most: int) -> list[FoundGame]:
        """Up to `most` of the games that were found. Before `stop`, raises JobError if a job fails."""
        if self._failure is not None:
            raise self._failure
        found: list[FoundGame] = []
        while len(found) < most and self._found:
            record = PolicyGame.from_bytes(self._found.popleft())
            found.append((record, examples_of(record, self._first, self._terms.plan.searched)))
        return found

    def _play(self) -> None:
        try:
            for games, evaluated, processor in self._runner(partial(PolicyPlayer, self._terms), self._jobs()):
                self._found += games
                self.evaluated += evaluated
                self.processor += processor
        except Exception as error:  # noqa: BLE001 - `take` raises it
            self._failure = error if isinstance(error, JobError) else JobError(describe(error))

    def _jobs(self) -> Iterator[PlayingJob]:
        for number in count(1):
            if self._over.is_set():
                return
            rests = self.behind and number % 2 == 0
            yield PlayingJob(self._seed * 1000 + number, self.network, *self.playouts, rests)
