"""The command `lolli`: it speaks UCI at once, and imports the other commands only if there are arguments."""

import os
import signal
import sys

from engine import system
from engine.cpu import built_for, missing_feature


def main() -> None:
    """Run the engine. Exits with status 1 where the processor lacks what the engine was built for."""
    # The system's default: the process ends at once, without a traceback, whatever its threads are doing.
    for number in system.unignored_signals("SIGINT", "SIGTERM"):
        signal.signal(number, signal.SIG_DFL)
    system.share_heap()
    missing = missing_feature()
    if missing is not None:
        sys.exit(
            f"lolli: this processor lacks {missing}, which the engine was built to use"
            f" (for {built_for() or 'the baseline'}); rebuild it here, or with LOLLI_MARCH=x86-64"
        )
    if len(sys.argv) > 1 or "_LOLLI_COMPLETE" in os.environ:  # the shell asks for completions
        from protocol.cli.group import group  # noqa: PLC0415 - a GUI should not have to wait for it

        group(prog_name="lolli")
    else:
        from protocol.uci.dialogue import main as speak_uci  # noqa: PLC0415 - the processor may lack what it needs

        speak_uci()
