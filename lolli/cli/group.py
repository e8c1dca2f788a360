"""The commands of `lolli`. Each is a file here with its name that defines `command`."""

import os
from pathlib import Path

import click

from lolli.cli.lazy_group import WANTS_HELP, LazyCommand, LazyGroup
from protocol import about, config
from protocol.uci.replies import mode

COMMANDS = {
    name: LazyCommand(f"{__package__}.{name}:command", purpose)
    for name, purpose in {
        "ablate": "Measure what each technique of the search is worth.",
        "analyse": "Analyse a position.",
        "annotate": "Annotate every game of a PGN file.",
        "bench": "Measure the speed of the search.",
        "completion": "Print the script for completion in a shell.",
        "diagram": "Draw a position as SVG or PNG.",
        "doctor": "Tell what is installed, found and wrong, for a bug report.",
        "eval": "Show the terms of the static evaluation.",
        "games": "List the other games and the searchers that play them.",
        "gtp": "Speak GTP on stdin and stdout: Go and the other games.",
        "perft": "Count the lines of a given depth.",
        "play": "Play against the engine in the terminal.",
        "puzzles": "Make puzzles of one's own games, and solve them.",
        "quiz": "Ask the questions of exercise sheets about trees and small games.",
        "report": "Make a page of a game: graph, critical moments, a board to step through.",
        "setup": "Enter Lolli into the chess programs of this machine.",
        "solve": "Find the exact value of a position of the other games.",
        "suite": "Run a test suite: positions with the moves to find.",
        "tournament": "Let searchers play other games against each other.",
        "trace": "Print what a searcher of the other games does, step by step.",
        "tree": "Draw the tree that a searcher of the other games searches.",
        "uci": "Speak UCI on stdin and stdout.",
    }.items()
}
_ALIASES = {"analyze": "analyse"}  # not listed


def _without_config(_ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    """No file of one's own defaults, for this process and those that it starts."""
    if wanted:
        os.environ[config.VARIABLE] = ""


def _with_config(_ctx: click.Context, _param: click.Parameter, name: str | None) -> None:
    """Another file of one's own defaults, for this process and those that it starts."""
    if name is not None:
        os.environ[config.VARIABLE] = "" if name in {"", "none"} else str(Path(name).absolute())


def _print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
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
  lolli play --level 5         play a game in the terminal
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
    callback=_without_config,
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
        from protocol.uci.dialogue import main  # noqa: PLC0415 - not for the commands

        main()
    elif config.is_there():
        from lolli.cli.defaults import default_map  # noqa: PLC0415 - most people have no such file

        name = _ALIASES.get(typed, typed)
        ctx.default_map = {typed: default_map(name, COMMANDS, only_help=ctx.meta[WANTS_HELP])}
