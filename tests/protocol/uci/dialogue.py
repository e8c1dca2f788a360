"""The real process, spoken to over pipes as a GUI does it."""

import os
import queue
import re
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread
from typing import Self

from tests.patience import PATIENCE

INFO = (
    r"info depth \d+ seldepth \d+ multipv \d+ score (cp -?\d+|mate -?\d+)( lowerbound| upperbound)?"
    r" nodes \d+ nps \d+ hashfull \d+ tbhits \d+ time \d+( pv( [a-h][1-8][a-h][1-8][nbrq]?)+)?"
)


class Dialogue:
    """A scripted dialogue. Leaving the context ends the process and checks that its stderr stayed empty."""

    def __init__(self, command: Sequence[str], quiet: bool = True) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.stderr = ""
        self._quiet = quiet
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._readers = [Thread(target=self._read_stdout), Thread(target=self._read_stderr)]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is None:
                self.hang_up()
                self.wait()
        finally:
            self.process.kill()
            self.process.wait()
            for reader in self._readers:
                reader.join()
            for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
        if error is None and self._quiet:
            assert self.stderr == ""

    def send(self, *lines: str) -> None:
        self.send_bytes("".join(line + "\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> None:
        """Send bytes, which need not be lines."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def hang_up(self) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()

    def wait(self) -> int:
        return self.process.wait(PATIENCE)

    def expect(self, pattern: str, patience: float = PATIENCE) -> list[str]:
        """The lines up to and including the first that the whole pattern matches."""
        seen: list[str] = []
        deadline = time.monotonic() + patience
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {pattern!r} within {patience} s, but {seen[-20:]}") from None
            if line is None:
                raise AssertionError(f"the output ended without {pattern!r}: {seen[-20:]} {self.stderr}")
            seen.append(line)
            if re.fullmatch(pattern, line):
                return seen

    def rest(self) -> list[str]:
        seen: list[str] = []
        deadline = time.monotonic() + PATIENCE
        while (line := self._lines.get(timeout=max(0.0, deadline - time.monotonic()))) is not None:
            seen.append(line)
        return seen

    def silent(self, seconds: float) -> bool:
        time.sleep(seconds)
        return self._lines.empty()

    def ask(self, *lines: str) -> list[str]:
        """Send lines, and return what comes back before the answer to an `isready` sent after them."""
        self.send(*lines, "isready")
        return self.expect("readyok")[:-1]

    def go(self, words: str) -> tuple[list[str], str]:
        """Search; the lines before the `bestmove` line, and the move."""
        self.send(f"go {words}")
        *before, best = self.expect("bestmove .*")
        return before, best.split()[1]

    def _read_stdout(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.decode().rstrip("\n"))
        self._lines.put(None)

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        self.stderr = self.process.stderr.read().decode()


def ends_once_unheard(command: Sequence[str], greeting: bytes, answer: bytes, line: bytes) -> None:
    """Check that a process ends quietly at `line` when nobody reads its output any more, input still open."""
    reader, writer = os.pipe()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.PIPE, bufsize=0
    ) as process:
        try:
            os.close(writer)
            assert process.stdin is not None
            assert process.stderr is not None
            process.stdin.write(greeting)
            assert os.read(reader, 100) == answer
            os.close(reader)
            process.stdin.write(line)
            assert process.wait(PATIENCE) == 0
            assert process.stderr.read() == b""
        finally:
            process.kill()


def infos(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("info depth") and " currmove " not in line]


def field(line: str, name: str) -> int:
    words = line.split()
    return int(words[words.index(name) + 1])


def moves_of(line: str) -> list[str]:
    return line.partition(" pv ")[2].split()
