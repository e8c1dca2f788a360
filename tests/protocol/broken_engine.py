"""The real engine, spoiled as the fuzzer has to find: `broken_engine.py HOW COMMAND …`."""

import os
import subprocess
import sys
from collections.abc import Iterator
from threading import Thread
from typing import IO

WAYS = {
    "twice": "every bestmove and every answer of GTP comes twice",
    "silent": "refusals are kept back",
    "escape": "reasons have an escape sequence",
    "latin": "reasons are in Latin-1",
    "stderr": "something is said on stderr",
    "illegal": "the move is a1a1",
    "moved": "a position that is refused is replaced by the start",
    "status": "the process ends with status 3",
    "gone": "the process ends in the midst of a dialogue",
}


def spoiled(how: str, line: bytes) -> Iterator[bytes]:
    """What becomes of a line of the engine."""
    refusal = line.startswith(b"info string ") and b"unknown command: 'joho" not in line
    if how == "silent" and refusal:
        return
    if how == "escape" and refusal:
        line = line.replace(b":", b":\x1b[1m", 1)
    if how == "latin" and refusal:
        line = line.replace(b":", b"\xe9", 1)
    if how == "stderr" and refusal:
        sys.stderr.write("Exception ignored\n")
    if how == "illegal" and line.startswith(b"bestmove "):
        line = b"bestmove a1a1\n"
    if how == "gone" and refusal and b"go:" in line:
        os._exit(0)
    yield line
    if how == "twice" and line.startswith((b"bestmove ", b"= ")):
        yield from (b"\n", line) if line.startswith(b"=") else (line,)


def hand_on(how: str, engine: IO[bytes]) -> None:
    for line in sys.stdin.buffer:
        engine.write(line)
        if how == "moved" and b"position fen" in line:
            engine.write(b"position startpos moves e2e4\n")
        engine.flush()
    engine.close()


def main() -> None:
    how, *command = sys.argv[1:]
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert engine.stdin is not None
    assert engine.stdout is not None
    Thread(target=hand_on, args=(how, engine.stdin), daemon=True).start()
    for line in engine.stdout:
        for each in spoiled(how, line):
            sys.stdout.buffer.write(each)
        sys.stdout.buffer.flush()
    status = 3 if how == "status" else engine.wait()
    sys.stderr.flush()
    os._exit(status)  # the thread may hold the lock of stdin, for which sys.exit would abort the process


if __name__ == "__main__":
    main()
