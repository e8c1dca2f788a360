"""`lolli completion`: the script for completion in a shell."""

import os
from pathlib import PurePath

import click
from click.shell_completion import get_completion_class

from lolli.cli.shared_options import BadInputError

SHELLS = ("bash", "fish", "zsh")
VARIABLE = "_LOLLI_COMPLETE"  # click's name for it, which lolli.__main__ reads, too


@click.command(
    epilog="""\b
Examples:
  eval "$(lolli completion bash)"                  # bash: now, or at each start in ~/.bashrc
  eval "$(lolli completion zsh)"                   # zsh: the same, in ~/.zshrc after compinit
  lolli completion fish | source                   # fish: now
  lolli completion fish > ~/.config/fish/completions/lolli.fish"""
)
@click.argument("shell", type=click.Choice(SHELLS), required=False)
def command(shell: str | None) -> None:
    """Print the script with which SHELL completes commands, options and files of `lolli`.

    The default is the shell in $SHELL. The command `lolli` must be on PATH.
    """
    shell = shell or PurePath(os.environ.get("SHELL", "")).name
    complete = get_completion_class(shell) if shell in SHELLS else None
    if complete is None:
        raise BadInputError(f"unknown shell: use lolli completion {'|'.join(SHELLS)}")
    root = click.get_current_context().find_root()
    click.echo(complete(root.command, {}, "lolli", VARIABLE).source())
