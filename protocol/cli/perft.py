"""`lolli perft`: count positions, the oracle of move generation."""

import json

import click

from engine.board.fen import START_FEN, FenError, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.board.perft import DEEPEST
from engine.clock import now
from protocol import perft
from protocol.cli.terminal.bar import bar
from protocol.cli.terminal.console import output
from protocol.cli.terminal.interrupt import stopping
from protocol.cli.terminal.progress import below
from protocol.text import ProtocolError, integer
from protocol.uci.replies import per_second


@click.command(
    epilog="""\b
Examples:
  lolli perft 5
  lolli perft "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -" 6
  lolli perft 6 --json | tail -1""",
)
@click.option("--chess960", is_flag=True, help="Write castling as king takes rook.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line for each root move and the sum.")
@click.argument("words", nargs=-1, required=True, metavar="[FEN] DEPTH")
def command(words: tuple[str, ...], chess960: bool, as_json: bool) -> None:
    """Count the lines of DEPTH plies from a position, by root move; without FEN from the start.

    The counts go to stdout, in the format of `go perft` in UCI; the time goes to stderr. With --json there
    is an object for each root move, with type "move", and one with type "sum": nodes, time (seconds), nps.
    """
    try:
        position = parse_fen(" ".join(words[:-1]).replace("startpos", START_FEN) or START_FEN)
        depth = integer(words[-1])
    except (FenError, ProtocolError) as error:
        raise click.UsageError(str(error)) from None
    if not 1 <= depth <= DEEPEST:
        raise click.UsageError(f"the depth must be from 1 to {DEEPEST}")
    progress = bar()
    task = progress.add_task(f"depth {depth}", total=len(legal_moves(position)))
    total = 0
    with (
        stopping(lambda: None) as interruption,
        below(output(), lambda: progress, as_json=as_json) as tell,
    ):
        started = now()
        try:
            for move, nodes in perft.divide(position, depth, lambda: interruption.signal is not None):
                name = move_text(move, chess960)
                told = json.dumps({"type": "move", "move": name, "nodes": nodes})
                tell(told if as_json else f"{name}: {nodes}")
                total += nodes
                progress.advance(task)
        except perft.StoppedError:
            raise SystemExit(interruption.exit_status) from None
    milliseconds = (now() - started) // 1_000_000
    speed = per_second(total, milliseconds)
    if as_json:
        click.echo(json.dumps({"type": "sum", "nodes": total, "time": milliseconds / 1000, "nps": speed}))
        return
    click.echo(f"\nNodes searched: {total}\n")
    click.echo(f"{milliseconds / 1000:.3f} s, {speed} nps", err=True)
