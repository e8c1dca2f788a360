"""The words of the command line. A command is a file here of its own name that defines `command`."""

from importlib import import_module

import click

from protocol import about
from protocol.display import mode

COMMANDS = ("bench", "eval", "perft", "uci")


class LazyGroup(click.Group):
    """Imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's interface
        """All of them, in the order of the alphabet."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"protocol.cli.{cmd_name}").command
        return command


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
  lolli perft 6                count the positions six plies from the start
  lolli bench                  measure the speed of the search
  lolli eval "FEN"             show what the evaluation of a position is made of
  lolli perft --help           tell more about one command""",
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
    """Lolli, a chess engine. Without a command it speaks UCI."""
