"""The command `lolli`: alone it speaks UCI at once, and imports the other commands only if they are named."""

import os
import signal
import sys


def main() -> None:
    """Run the engine. Exits with status 1 if the processor lacks what the engine was built for."""
    # The system's default: the process ends at once, without a traceback, whatever its threads are doing.
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    from engine.system import services  # noqa: PLC0415 - a Ctrl-C may come while this is loaded
    from engine.system.processor import problem  # noqa: PLC0415

    services.share_heap()
    if (why := problem()) is not None:
        from engine.system.installation import to_compile  # noqa: PLC0415 - takes time, and is only needed here

        sys.exit(f"lolli: {why}; to compile it here: {to_compile()}")
    if len(sys.argv) > 1 or "_LOLLI_COMPLETE" in os.environ:  # the shell asks for completions
        from lolli.cli.group import group  # noqa: PLC0415 - a GUI should not have to wait for it

        group(prog_name="lolli")
    else:
        from lolli.cli import speak_uci  # noqa: PLC0415 - the processor may lack what it needs

        speak_uci()


if __name__ == "__main__":
    main()
