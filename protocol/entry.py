"""The command `lolli`: UCI at once; only a word on the command line brings in the other commands."""

import os
import signal
import sys

from engine import system
from engine.cpu import built_for, missing_feature


def main() -> None:
    """Run the engine. Ends with status 1 where the processor lacks what the engine was built for."""
    # The system's own way to end: at once, without a traceback, whatever the threads are doing.
    for number in system.heeded("SIGINT", "SIGTERM"):
        signal.signal(number, signal.SIG_DFL)
    missing = missing_feature()
    if missing is not None:
        sys.exit(
            f"lolli: this processor lacks {missing}, which the engine was built to use"
            f" (for {built_for() or 'the baseline'}); rebuild it here, or with LOLLI_MARCH=x86-64"
        )
    if len(sys.argv) > 1 or "_LOLLI_COMPLETE" in os.environ:  # the shell asks what the words could be
        from protocol.cli.group import group  # noqa: PLC0415 - what a GUI would wait for in vain

        group(prog_name="lolli")
    else:
        from protocol.uci.dialogue import main as speak_uci  # noqa: PLC0415 - the processor may not bear it

        speak_uci()
