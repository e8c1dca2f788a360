"""A group of commands, each imported only when it is used."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from errno import EBADF, EDQUOT, EFBIG, EIO, ENOSPC
from importlib import import_module
from typing import Any

import click

from lolli.cli.terminal.tty import printable_streams

WANTS_HELP = f"{__name__}.wants_help"
"""In the context's `meta`: whether --help is among the words for the command."""

_UNUSABLE = 2  # exit status
_UNWRITABLE = frozenset((EBADF, EDQUOT, EFBIG, EIO, ENOSPC))


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """A command at `where`, in the form `module:attribute`; its `help` is listed without importing it."""

    where: str
    help: str

    def load(self) -> click.Command:
        """Import the command."""
        module, attribute = self.where.split(":")
        command: click.Command = getattr(import_module(module), attribute)
        command.short_help = self.help
        return command


class LazyGroup(click.Group):
    """Imports a command when it is used; `aliases` are other names of commands, which are not listed."""

    def __init__(
        self,
        *args: Any,
        table: Mapping[str, LazyCommand],
        aliases: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._table = table
        self._aliases = aliases or {}

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """As in click; if stdout cannot be written to, end with one line and status 2."""
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
        """The names of all commands, sorted."""
        return sorted(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name, or None."""
        command = self._table.get(self._aliases.get(cmd_name, cmd_name))
        return command.load() if command else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """As in click, without importing the commands."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted((name, command.help) for name, command in self._table.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As in click; the error for an unknown command suggests a similar one. Sets WANTS_HELP."""
        name = args[0]
        ctx.meta[WANTS_HELP] = not {*args[1:]}.isdisjoint(ctx.help_option_names)
        if name[:1].isalpha() and not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            from difflib import get_close_matches  # noqa: PLC0415 - only where something was mistyped

            alike = get_close_matches(name, self._table, 1)
            hint = f" Did you mean {alike[0]!r}?" if alike else ""
            raise click.UsageError(f"unknown command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


def _fill_closed_streams() -> None:
    """Replace a closed stdin or stderr by an empty one, and a closed stdout by one that cannot be written to.

    So its descriptor is occupied, and no file opened later gets it.
    """
    for name, how, flags in (
        ("stdin", "r", os.O_RDONLY),
        ("stdout", "w", os.O_RDONLY),
        ("stderr", "w", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            stream = os.fdopen(os.open(os.devnull, flags), how, encoding="utf-8")
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def _give_up_stdout() -> None:
    """Drop what stdout still buffers: writing it at exit would fail again, with a traceback."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
