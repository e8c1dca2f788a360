"""`lolli perft`: count the lines of a given depth, to check move generation."""

import click

from engine.board.fen import START_FEN, FenError, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.board.perft import DEEPEST, StoppedError, divide
from engine.system.control import now
from lolli.cli.shared_options import flag_option, json_option
from lolli.cli.terminal.keys import stopping
from lolli.cli.terminal.screen import Display
from protocol.text import ProtocolError, integer
from protocol.uci.replies import per_second


@click.command(
    epilog="""\b
Examples:
  lolli perft 5
  lolli perft "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -" 6
  lolli perft 6 --json | tail -1"""
)
@flag_option("--chess960", help="Write castling as king takes rook.")
@json_option("Print JSON, a line for each root move and the sum.")
@click.argument("words", nargs=-1, required=True, metavar="[FEN] DEPTH")
def command(words: tuple[str, ...], chess960: bool, as_json: bool) -> None:
    """Count the lines of DEPTH plies by root move, from the position FEN or else the start position.

    The counts go to stdout, in the format of UCI's `go perft`; the time goes to stderr. With --json each root
    move is an object with type "move", and the last object has type "sum": nodes, time (seconds), nps.
    """
    try:
        position = parse_fen(" ".join(words[:-1]).replace("startpos", START_FEN) or START_FEN)
        depth = integer(words[-1])
    except (FenError, ProtocolError) as error:
        raise click.UsageError(str(error)) from None
    if not 1 <= depth <= DEEPEST:
        raise click.UsageError(f"the depth must be from 1 to {DEEPEST}")
    display = Display(len(legal_moves(position)), f"depth {depth}", as_json=as_json)
    total = 0
    with stopping(lambda: None) as interruption, display.shown():
        started = now()
        try:
            for move, nodes in divide(position, depth, lambda: interruption.signal is not None):
                name = move_text(move, chess960)
                if as_json:
                    display.print_json("move", {"move": name, "nodes": nodes})
                else:
                    display.print(f"{name}: {nodes}")
                total += nodes
                display.progress.advance(display.task)
        except StoppedError:
            raise SystemExit(interruption.exit_status) from None
    milliseconds = (now() - started) // 1_000_000
    speed = per_second(total, milliseconds)
    if as_json:
        display.print_json("sum", {"nodes": total, "time": milliseconds / 1000, "nps": speed})
        return
    click.echo(f"\nNodes searched: {total}\n")
    click.echo(f"{milliseconds / 1000:.3f} s, {speed} nps", err=True)
