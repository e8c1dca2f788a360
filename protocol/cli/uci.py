"""`lolli uci`: the same as `lolli` alone."""

import click

from protocol.uci import main


@click.command(short_help="Speak UCI on stdin and stdout.")
def command() -> None:
    """Speak UCI on stdin and stdout, as `lolli` does without a command."""
    main()
