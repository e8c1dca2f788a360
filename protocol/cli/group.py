"""The words of the command line. A command is a file here of its own name that defines `command`."""

import os
import sys
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from importlib import import_module
from typing import Any

import click

from protocol import about
from protocol.display import mode
from protocol.terminal.stream import printable_streams

COMMANDS = {
    "ablate": "Measure what each technique of the search is worth.",
    "analyse": "Think about a position.",
    "annotate": "Write what the engine thinks into every game of a PGN file.",
    "bench": "Measure the speed of the search.",
    "completion": "Print the script for completion in a shell.",
    "diagram": "Draw a position as SVG or PNG.",
    "eval": "Show the terms of the evaluation.",
    "games": "List the other games, and what can play them.",
    "gtp": "Speak GTP on stdin and stdout: Go and the other games.",
    "perft": "Count the positions some plies deep.",
    "play": "Play against the engine in the terminal.",
    "report": "Make a page of a game: graph, critical moments, a board to step through.",
    "suite": "Run a test suite: positions with the moves to find.",
    "tournament": "Let searchers play other games against each other.",
    "uci": "Speak UCI on stdin and stdout.",
}
"""What each is for; here, so that to list them does not bring them all in."""
_ALIASES = {"analyze": "analyse"}  # not listed
_UNUSABLE = 2  # exit status
_UNWRITABLE = frozenset((EDQUOT, EFBIG, EIO, ENOSPC))


class LazyGroup(click.Group):
    """Imports a command when it is asked for."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """As click does it; a stdout that cannot be written to ends it with one line and status 2."""
        _fill_closed_streams()
        try:
            with printable_streams():
                return super().main(*args, **kwargs)
        except OSError as error:
            if error.filename is not None or error.errno not in _UNWRITABLE:
                raise
            if sys.stdout is sys.__stdout__:
                _give_up_stdout()
            click.echo(f"Error: stdout: {error.strerror}", err=True)
            raise SystemExit(_UNUSABLE) from None

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's interface
        """All of them, in the order of the alphabet."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name, or None."""
        name = _ALIASES.get(cmd_name, cmd_name)
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"protocol.cli.{name}").command
        command.short_help = COMMANDS[name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """As click does it, without importing the commands."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it; an unknown word is told with the command that looks like it."""
        name = args[0]
        if name[:1].isalpha() and not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            from difflib import get_close_matches  # noqa: PLC0415 - only where something was mistyped

            alike = get_close_matches(name, COMMANDS, 1)
            hint = f" Did you mean {alike[0]!r}?" if alike else ""
            raise click.UsageError(f"There is no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


def _fill_closed_streams() -> None:
    """Where stdin and stderr were closed they are empty; stdout stays None, so that who needs it can say so.

    None leaves its number to a file that is opened later.
    """
    for name, how in (("stdin", "r"), ("stdout", None), ("stderr", "w")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if how is not None:
                setattr(sys, name, os.fdopen(descriptor, how, encoding="utf-8"))


def _give_up_stdout() -> None:
    """What it still holds would fail once more at the end of the process, with a traceback."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"{about.NAME} {about.VERSION}, {mode()}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  lolli                        speak UCI on stdin and stdout, as a GUI expects
  lolli analyse "FEN"          think about a position until Ctrl-C
  lolli annotate games.pgn     write what the engine thinks into every game of a file
  lolli report game.pgn        make a page of a game: graph, critical moments, a board to step through
  lolli play --level 5         play a game in the terminal
  lolli suite tests.epd        how many positions of a test suite are solved
  lolli analyse --help         tell more about one command""",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Tell the version, whether the engine is compiled, and for which processor.",
)
def group() -> None:
    """Lolli, a chess engine. Without a command it speaks UCI.

    Results go to stdout, progress and errors to stderr. The exit status is 0 when all is done, 1 when
    not all of it could be, 2 when what was given cannot be used, 130 after Ctrl-C with work left.
    """
