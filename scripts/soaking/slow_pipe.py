"""A program between an engine and its client whose pipes are slow: slow_pipe.py MILLISECONDS COMMAND …

What either writes is held back for a random time of at most so many milliseconds. It ends as the engine ends.
"""

import os
import random
import subprocess
import sys
import threading
import time

_CHUNK = 1 << 16


def command(milliseconds: int, engine: tuple[str, ...]) -> tuple[str, ...]:
    """The command that starts an engine behind slow pipes."""
    return (sys.executable, __file__, str(milliseconds), *engine)


def main() -> int:
    """Pass on what comes, late. The exit status."""
    latency = int(sys.argv[1]) / 1000
    with subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as engine:
        if engine.stdin is None or engine.stdout is None:
            raise RuntimeError("no pipes")
        ways = (sys.stdin.fileno(), engine.stdin.fileno()), (engine.stdout.fileno(), sys.stdout.fileno())
        there, back = (threading.Thread(target=_pass_on, args=(*way, latency), daemon=True) for way in ways)
        there.start()
        back.start()
        status = engine.wait()
        back.join()
    return abs(status)


def _pass_on(source: int, sink: int, latency: float) -> None:
    """Until the source ends or nobody reads any more."""
    try:
        while chunk := os.read(source, _CHUNK):
            time.sleep(random.uniform(0, latency))
            os.write(sink, chunk)
    except OSError:
        pass
    os.close(sink)


if __name__ == "__main__":
    sys.exit(main())
