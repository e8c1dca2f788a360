"""The commands of `lolli`: each file here defines `command` and is imported on use."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from errno import EBADF, EDQUOT, EFBIG, EIO, ENOSPC
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from lolli.cli import CONFIG_VARIABLE, has_config, speak_uci
from lolli.cli.terminal.keys import printable_streams
from protocol import about

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
        """If stdout cannot be written to, end with one line and status 2."""
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
        return sorted(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        command = self._table.get(self._aliases.get(cmd_name, cmd_name))
        return command.load() if command else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(sorted((name, command.help) for name, command in self._table.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggests a command similar to an unknown one. Sets WANTS_HELP."""
        name = args[0]
        ctx.meta[WANTS_HELP] = not {*args[1:]}.isdisjoint(ctx.help_option_names)
        if name[:1].isalpha() and not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            from difflib import get_close_matches  # noqa: PLC0415 - only where something was mistyped

            alike = get_close_matches(name, self._table, 1)
            hint = f" Did you mean {alike[0]!r}?" if alike else ""
            raise click.UsageError(f"unknown command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


def _fill_closed_streams() -> None:
    """A closed stdout becomes one that cannot be written to: no file opened later gets its descriptor."""
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


COMMANDS = {
    name: LazyCommand(f"{__package__}.{name}:command", purpose)
    for name, purpose in {
        "ablate": "Measure what each technique of the search is worth.",
        "analyse": "Analyse a position.",
        "annotate": "Annotate every game of a PGN file.",
        "bench": "Measure the speed of the search.",
        "check": "Check a student's search against the textbook, with points.",
        "completion": "Print the script for completion in a shell.",
        "diagram": "Draw a position as SVG or PNG.",
        "doctor": "Show what is installed, found and wrong, for a bug report.",
        "effort": "Count the nodes that searchers of the other games need to each depth.",
        "eval": "Show the terms of the static evaluation.",
        "games": "List the other games and the searchers that play them.",
        "gtp": "Speak GTP on stdin and stdout: Go and the other games.",
        "perft": "Count the lines of a given depth.",
        "play": "Play against the engine in the terminal.",
        "puzzles": "Find and solve puzzles in your games.",
        "quiz": "Ask the questions of exercise sheets about trees and small games.",
        "report": "Make a page of a game: graph, critical moments, a board to step through.",
        "setup": "Add Lolli to the chess programs of this machine.",
        "solve": "Find the exact value of a position of the other games.",
        "suite": "Run a test suite: positions with the moves to find.",
        "tournament": "Let searchers play other games against each other.",
        "trace": "Print what a searcher of the other games does, step by step.",
        "tree": "Draw the tree that a searcher of the other games searches.",
        "uci": "Speak UCI on stdin and stdout.",
    }.items()
}
_ALIASES = {"analyze": "analyse"}  # not listed


def _with_config(_ctx: click.Context, _param: click.Parameter, name: str | None) -> None:
    if name is not None:
        try:
            os.environ[CONFIG_VARIABLE] = "" if name in {"", "none"} else str(Path(name).absolute())
        except FileNotFoundError:
            raise click.UsageError(
                "the current folder no longer exists: give --config an absolute path"
            ) from None


def _print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from protocol.uci.replies import mode  # noqa: PLC0415 - the engine is not for --help

        click.echo(f"{about.NAME} {about.VERSION}, {mode()}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    aliases=_ALIASES,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  lolli                        speak UCI on stdin and stdout, as a GUI expects
  lolli analyse "FEN"          analyse a position until Ctrl-C
  lolli annotate games.pgn     annotate every game of a file
  lolli report game.pgn        make a page of a game: graph, critical moments, a board to step through
  lolli play --level 10        play a game in the terminal
  lolli suite tests.epd        count the solved positions of a test suite
  lolli analyse --help         show the options of a command""",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version, whether the engine is compiled, and for which processor.",
)
@click.option(
    "--config",
    type=click.Path(),
    metavar="FILE",
    expose_value=False,
    callback=_with_config,
    help="Read FILE in place of config.toml; none: no file.",
)
@click.option(
    "--no-config",
    is_flag=True,
    expose_value=False,
    callback=lambda ctx, param, wanted: _with_config(ctx, param, "none" if wanted else None),
    help="The same as --config none; see docs/config.md.",
)
@click.pass_context
def group(ctx: click.Context) -> None:
    """Lolli, a chess engine. Without a command it speaks UCI.

    Each flag has an opposite, as --no-json for --json, to undo what stands in config.toml.

    Results go to stdout, progress and errors to stderr. The exit status is 0 if everything was done, 1 if
    some of it failed, 2 if the input cannot be used, 130 if Ctrl-C left work undone.
    """
    typed = ctx.invoked_subcommand
    if typed is None:  # after --config or --no-config
        speak_uci()
    elif has_config():
        from lolli.cli.config import default_map  # noqa: PLC0415 - most people have no such file

        name = _ALIASES.get(typed, typed)
        defaults = default_map(name, COMMANDS[name].load(), COMMANDS, only_help=ctx.meta[WANTS_HELP])
        ctx.default_map = {typed: defaults}
