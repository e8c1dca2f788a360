"""The words of the command line. A command is a file here of its own name that defines `command`."""

import click

from protocol import about
from protocol.cli.lazy_group import LazyCommand, LazyGroup
from protocol.uci.replies import mode

COMMANDS = {
    name: LazyCommand(f"protocol.cli.{name}:command", purpose)
    for name, purpose in {
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
    }.items()
}
_ALIASES = {"analyze": "analyse"}  # not listed


def _print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"{about.NAME} {about.VERSION}, {mode()}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    aliases=_ALIASES,
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
