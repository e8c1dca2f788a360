"""`lolli bench`: the node count and speed of the search."""

from pathlib import Path

import click

from engine.system.control import now
from lolli.cli.shared_options import chosen_evaluator, evaluator_options, json_option
from lolli.cli.terminal.keys import stopping
from lolli.cli.terminal.screen import Display, messages
from protocol.uci import bench
from protocol.uci.bench import POSITIONS
from protocol.uci.replies import per_second


@click.command(
    epilog="""\b
Examples:
  lolli bench
  lolli bench 8
  lolli bench --eval material
  lolli bench --json | tail -1"""
)
@evaluator_options
@json_option("Print JSON, a line for each position and the sum.")
@click.argument("depth", type=click.IntRange(1, 100), default=bench.DEFAULT_DEPTH)
def command(depth: int, evaluator: str | None, weights: Path | None, as_json: bool) -> None:
    """Search a fixed set of positions, each DEPTH plies deep, with one thread and an empty table.

    The positions go to stderr; stdout gets one line, `N nodes M nps`. N is the same on every run. With --json
    each position is an object with type "position", and the last object has type "sum": nodes, time
    (seconds), nps.
    """
    session = bench.fresh_session(*chosen_evaluator(evaluator, weights))
    console = None if as_json else messages()
    display = Display(len(POSITIONS), f"depth {depth}", as_json=as_json, console=console)
    total = 0
    with stopping(lambda: None) as interruption, display.shown():
        started = now()
        counts = bench.counts(session, depth, lambda: interruption.signal is not None)
        for number, (fen, nodes) in enumerate(counts, 1):
            if as_json:
                display.print_json("position", {"position": number, "fen": fen, "nodes": nodes})
            else:
                display.print(bench.position_line(number, fen, nodes))
            total += nodes
            display.progress.update(display.task, completed=number)
    if interruption.signal is not None:
        raise SystemExit(interruption.exit_status)
    milliseconds = (now() - started) // 1_000_000
    if as_json:
        speed = per_second(total, milliseconds)
        display.print_json("sum", {"nodes": total, "time": milliseconds / 1000, "nps": speed})
    else:
        click.echo(bench.sum_line(total, milliseconds))
