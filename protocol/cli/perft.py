"""`lolli perft`: count positions, the oracle of move generation."""

import click

from engine.board.fen import START_FEN, FenError, parse_fen
from engine.board.notation import move_text
from engine.board.perft import DEEPEST
from engine.search.clock import now
from protocol import perft
from protocol.uci_parser import ProtocolError, integer
from protocol.uci_replies import per_second


@click.command(
    short_help="Count the positions some plies deep.",
    epilog="""\b
Examples:
  lolli perft 5
  lolli perft "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -" 6""",
)
@click.option("--chess960", is_flag=True, help="Write castling as king takes rook.")
@click.argument("words", nargs=-1, required=True, metavar="[FEN] DEPTH")
def command(words: tuple[str, ...], chess960: bool) -> None:
    """Count the lines of DEPTH plies from a position, by root move; without FEN from the start.

    The counts go to stdout, in the format of `go perft` in UCI; the time goes to stderr.
    """
    try:
        position = parse_fen(" ".join(words[:-1]) or START_FEN)
        depth = integer(words[-1])
    except (FenError, ProtocolError) as error:
        raise click.UsageError(str(error)) from None
    if not 1 <= depth <= DEEPEST:
        raise click.UsageError(f"the depth must be from 1 to {DEEPEST}")
    started = now()
    total = 0
    for move, nodes in perft.divide(position, depth, lambda: False):
        click.echo(f"{move_text(move, chess960)}: {nodes}")
        total += nodes
    milliseconds = (now() - started) // 1_000_000
    click.echo(f"\nNodes searched: {total}\n")
    click.echo(f"{milliseconds / 1000:.3f} s, {per_second(total, milliseconds)} nps", err=True)
