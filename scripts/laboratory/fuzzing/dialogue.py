"""Dialogues with a process: what lines are made of, and the process that answers them."""

from __future__ import annotations

import os
import re
import tempfile
import time
from abc import ABC, abstractmethod
from array import array
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import chess

from engine.lookup.book import STANDARD as STANDARD_BOOK
from eval.network_file import SQUARES, NetworkWeights, save_network
from eval.network_shape import OUTPUT_BUCKETS, ROWS
from eval.outcome import OutcomeModel
from eval.weight_file import STANDARD as STANDARD_WEIGHTS
from protocol.uci.bench import POSITIONS
from scripts.laboratory.engine_pipe import NS_PER_S, EngineGoneError, EnginePipe, EngineSilentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LENGTHS = (0, 0, 0, 1, 1, 2, 10, 100)
"""Lengths of replaced pieces, in bytes."""
HOSTILE = (
    *(b"\0", b"\t", b"\r", b"\x1b[2J", b"\x7f", b"\x85", b"\xa0", b"\xff", b"\xff\xfe", b"\xc3\xa9", b"\xc3"),
    *("٣", "½", "\u200b", "\u2028", "\u202e", "\ufeff", "\U0001f600"),
    *(b"-1", b"0", b"1e999", b"99999999999999999999", b"0x10", b"1_000", b"9" * 5000, b"nan"),
    *(b"%s%n", b"../..", b"~", b"$(reboot)", b"`reboot`", b"'", b'"', b"\\", b"{}", b"(" * 300),
)
"""Input that often breaks programs."""


def as_bytes(snippets: Sequence[bytes | str]) -> list[bytes]:
    """The snippets, with text encoded in UTF-8."""
    return [each.encode() if isinstance(each, str) else each for each in snippets]


_HOSTILE = as_bytes(HOSTILE)


def damaged(data: bytes, rng: Random, times: int, snippets: Sequence[bytes] = _HOSTILE) -> bytes:
    """The data with `times` pieces removed, doubled, or replaced by a snippet."""
    for _ in range(times):
        begin = rng.randrange(len(data) + 1)
        end = min(len(data), begin + rng.choice(_LENGTHS))
        with_what = rng.choice((b"", data[begin:end] * 2, *rng.choices(snippets, k=6)))
        data = data[:begin] + with_what + data[end:]
    return data


def flipped(data: bytes, rng: Random, times: int) -> bytes:
    """The data with `times` random bytes replaced."""
    changed = bytearray(data)
    for _ in range(times if data else 0):
        changed[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(changed)


def random_bytes(rng: Random, most: int) -> bytes:
    """Fewer than `most` random bytes."""
    return rng.randbytes(rng.randrange(most))


CHESS960 = (
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1",
    "8/8/8/4B2b/6nN/8/5P2/2R1K2k w Q - 0 1",
    "2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1",
    "4r3/3k4/8/8/8/8/6PP/qR1K1R2 w KQ - 0 1",
)
"""Castling that exists only in Chess960."""
SPECIAL = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkbnr/pp1p1ppp/8/2pPp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e6 0 3",
    "8/P1k5/8/8/8/8/p1K5/8 w - - 0 1",
    "8/8/8/8/8/5K2/6Q1/7k b - - 0 1",
    "7k/5Q2/8/8/8/8/8/K7 b - - 99 300",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - -",
    "8/8/8/2kpP3/8/8/3K4/8 w - d6 0 2",
)
FENS = (chess.STARTING_FEN, *SPECIAL, *CHESS960, *POSITIONS)


@cache
def _board(fen: str) -> chess.Board:
    return chess.Board(fen, chess960=True)


def played(rng: Random, most: int) -> chess.Board:
    """A board after fewer than `most` random moves from one of FENS, with the moves on its stack."""
    board = _board(rng.choice(FENS)).copy()
    for _ in range(rng.randrange(most)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    return board


_SGF = b"(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[5.5]PB[A]PW[B];B[ee];W[cc];B[gc](;W[cg])(;W[gg];B[]))"
_TABLE = b"\x71\xe8\x23\x5d\x02" + bytes([0x60, 0x56, 0xE6]) * 4 + bytes(1024 - 1)
_EACH = 6
_GIANT = 1 << 36  # bytes, none of them written
_SUFFIXES = ("json", "lolli", "bin", "sgf")
FILES = (
    *(f"good.{suffix}" for suffix in _SUFFIXES),
    *(f"{number}.{suffix}" for suffix in _SUFFIXES for number in range(_EACH)),
    *(f"tables{number}" for number in range(_EACH)),
    *("folder", "fifo", "giant", "circle", "missing", "log.txt", "/dev/zero", "/dev/stdin", "/dev/null"),
    *("/dev/full", "/dev/tty", "/proc/self/mem", "folder/log.txt", "/no/such/file"),
)
"""Names of files in the working directory, and of others; `missing` does not exist."""


@cache
def small_network() -> bytes:
    """A good network file, smaller than a real one."""
    width, rng = 32, Random(1)
    numbers = array("h", rng.choices(range(-60, 61), k=(2 * ROWS + 1 + 2 * OUTPUT_BUCKETS) * width))
    places = tuple(square >> 5 for square in range(SQUARES))
    outcome = OutcomeModel((180.0, 40.0, 20.0, 10.0), (60.0, 20.0, 10.0, 5.0))
    weights = NetworkWeights(
        width, memoryview(numbers), (0,) * OUTPUT_BUCKETS, places, outcome=outcome, about={"games": 1}
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "small.lolli")
        save_network(path, weights)
        return path.read_bytes()


def prepare(folder: Path) -> None:
    """Make the files: good ones, damaged ones, and what is not a usual file. They are always the same."""
    contents = (Path(STANDARD_WEIGHTS).read_bytes(), small_network(), STANDARD_BOOK.read_bytes(), _SGF)
    for suffix, good in zip(_SUFFIXES, contents, strict=True):
        (folder / f"good.{suffix}").write_bytes(good)
        for number in range(_EACH):
            (folder / f"{number}.{suffix}").write_bytes(_spoiled(good, Random(f"{suffix} {number}")))
    for number in range(_EACH):
        (folder / f"tables{number}").mkdir()
        spoiled = _spoiled(_TABLE, Random(f"tables {number}"))
        (folder / f"tables{number}" / "KQvK.rtbw").write_bytes(spoiled)
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    os.mkfifo(folder / "folder" / "KQvK.rtbw")
    (folder / "circle").symlink_to("circle")
    with (folder / "giant").open("wb") as file:
        file.truncate(_GIANT)


def _spoiled(data: bytes, rng: Random) -> bytes:
    """The data with random pieces damaged, with random bytes, or cut."""
    kind = rng.randrange(3)
    if kind == 0:
        return damaged(data, rng, rng.randrange(1, 4))
    return flipped(data, rng, rng.randrange(1, 20)) if kind == 1 else data[: rng.randrange(len(data))]


PATIENCE = 60.0
"""Seconds without an answer that count as a hang, much longer than answers take on a busy machine."""
MOST_MEMORY = 300 << 20
"""The largest resident memory of a process, in bytes."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


class CaseError(Exception):
    """A case has failed. The message says how, in one line."""


class SilenceError(CaseError):
    """The process did not answer in time."""


def require(condition: object, what: str) -> None:
    """Raise CaseError with the message `what` unless the condition holds."""
    if not condition:
        raise CaseError(what)


class Process:
    """A process with which lines are exchanged. Anything wrong with it raises CaseError."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._pipe: EnginePipe | None = None
        self._peak = 0

    def send(self, line: bytes) -> None:
        """Send one or more lines, after starting the process if it does not run."""
        try:
            self._started().send_bytes(line)
        except EngineGoneError as error:
            raise CaseError(f"the process {error}{self._stderr()}") from None

    def receive(self) -> str:
        """Receive a line, which may be empty."""
        pipe = self._started()
        try:
            line, _ = pipe.receive(time.monotonic_ns() + int(PATIENCE * NS_PER_S))
        except EngineSilentError:
            raise SilenceError(f"no answer within {PATIENCE:.0f} s") from None
        except EngineGoneError as error:
            raise CaseError(f"the process {error}{self._stderr()}") from None
        try:
            text = line.decode()
        except UnicodeDecodeError:
            raise CaseError(f"not UTF-8: {line[:200]!r}") from None
        require(not _CONTROL.search(text), f"a line has control characters: {text[:200]!r}")
        require("internal error" not in text and "Traceback" not in text, text)
        return text

    def until(self, last: str) -> list[str]:
        """Receive lines until one is `last`. The lines before it."""
        lines = []
        while (line := self.receive()) != last:
            lines.append(line)
        return lines

    def check(self) -> None:
        """Raise CaseError if the process wrote to stderr or uses too much memory."""
        if self._pipe is not None:
            self._peak = max(self._peak, self._pipe.peak())
            require(not self._stderr(), f"on stderr{self._stderr()}")
            require(self._peak <= MOST_MEMORY, f"{self._peak >> 20} MB of memory")

    def peak(self) -> int:
        """The peak of the resident memory that `check` has seen, in bytes."""
        return self._peak

    def close(self) -> None:
        """Send `quit`. Raises CaseError unless the process ends with status 0."""
        if self._pipe is None:
            return
        try:
            self.check()
            status = self._pipe.close()
            self._pipe = None
            require(status == 0, f"quit ends with status {status}")
        finally:
            self.kill()

    def kill(self) -> None:
        """Kill the process and remove its working directory."""
        pipe, self._pipe = self._pipe, None
        if pipe is not None:
            pipe.kill()
        folder, self._folder = self._folder, None
        if folder is not None:
            with suppress(OSError):
                folder.cleanup()

    def _started(self) -> EnginePipe:
        if self._pipe is None:
            self._folder = tempfile.TemporaryDirectory(prefix="lolli-fuzz-")
            prepare(Path(self._folder.name))
            self._pipe = EnginePipe(self._command, self._folder.name)
        return self._pipe

    def _stderr(self) -> str:
        """The contents of stderr, as the end of a message."""
        errors = self._pipe.errors() if self._pipe is not None else b""
        return f": {errors.decode(errors='replace').strip()}" if errors else ""


class Dialogue(ABC):
    """A process that gets lines, `TOGETHER` of which share a state."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = Process(command)

    @abstractmethod
    def make(self, rng: Random) -> bytes:
        """Make a line from random numbers. It may not end the process or do harm."""

    @abstractmethod
    def run(self, lines: Sequence[bytes]) -> Iterator[tuple[int, float]]:
        """Send lines that share a state. Yields for each the number of answers and their seconds.

        Raises CaseError, or IndexError or ValueError if an answer is malformed.
        """

    def case(self, seed: int, number: int) -> bytes:
        """Line `number`. The same seed and number give the same line."""
        return self.make(Random(f"{seed}:{number}"))


TOGETHER = 40
