"""A program between an engine and its client that delays their lines: slow_pipe.py MILLISECONDS COMMAND …

It holds back whatever either writes for a random time up to MILLISECONDS. It ends when the engine ends.
"""

import contextlib
import os
import random
import subprocess
import sys
import threading
import time
from typing import IO, Any

_CHUNK = 1 << 16


def command(milliseconds: int, engine: tuple[str, ...]) -> tuple[str, ...]:
    """The command that starts an engine behind slow pipes."""
    return (sys.executable, __file__, str(milliseconds), *engine)


def main() -> int:
    """Pass data on with a delay. The exit status."""
    latency = int(sys.argv[1]) / 1000
    with subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as engine:
        if engine.stdin is None or engine.stdout is None:
            raise RuntimeError("no pipes")
        ways = (sys.stdin, engine.stdin), (engine.stdout, sys.stdout)
        there, back = (threading.Thread(target=_pass_on, args=(*way, latency), daemon=True) for way in ways)
        there.start()
        back.start()
        status = engine.wait()
        back.join()
    return abs(status)


def _pass_on(source: IO[Any], sink: IO[Any], latency: float) -> None:
    """Pass data on until the source ends or the sink is closed."""
    with contextlib.suppress(OSError):
        while chunk := os.read(source.fileno(), _CHUNK):
            time.sleep(random.uniform(0, latency))
            os.write(sink.fileno(), chunk)
    sink.close()


if __name__ == "__main__":
    sys.exit(main())
