"""`lolli bench`: the node count and speed of the search."""

import json
from pathlib import Path

import click

from engine.clock import now
from protocol.cli.evaluators import chosen, evaluator_options
from protocol.cli.terminal.bar import bar
from protocol.cli.terminal.console import messages, output
from protocol.cli.terminal.interrupt import stopping
from protocol.cli.terminal.progress import below
from protocol.uci import bench
from protocol.uci.bench import POSITIONS
from protocol.uci.replies import per_second


@click.command(
    epilog="""\b
Examples:
  lolli bench
  lolli bench 8
  lolli bench --eval material
  lolli bench --json | tail -1""",
)
@evaluator_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line for each position and the sum.")
@click.argument("depth", type=click.IntRange(1, 100), default=bench.DEFAULT_DEPTH)
def command(depth: int, evaluator: str | None, weights: Path | None, as_json: bool) -> None:
    """Search a fixed set of positions, each DEPTH plies deep, with one thread and a fresh table.

    The positions go to stderr; stdout gets one line, `N nodes M nps`. N is the same on every run. With
    --json there is an object for each position, with type "position", and one with type "sum": nodes, time
    (seconds), nps.
    """
    session = bench.fresh_session(*chosen(evaluator, weights))
    progress = bar()
    task = progress.add_task(f"depth {depth}", total=len(POSITIONS))
    total = 0
    with (
        stopping(lambda: None) as interruption,
        below(output() if as_json else messages(), lambda: progress, as_json=as_json) as tell,
    ):
        started = now()
        counts = bench.counts(session, depth, lambda: interruption.signal is not None)
        for number, (fen, nodes) in enumerate(counts, 1):
            told = json.dumps({"type": "position", "position": number, "fen": fen, "nodes": nodes})
            tell(told if as_json else bench.position_line(number, fen, nodes))
            total += nodes
            progress.update(task, completed=number)
    if interruption.signal is not None:
        raise SystemExit(interruption.exit_status)
    milliseconds = (now() - started) // 1_000_000
    if as_json:
        speed = per_second(total, milliseconds)
        click.echo(json.dumps({"type": "sum", "nodes": total, "time": milliseconds / 1000, "nps": speed}))
    else:
        click.echo(bench.sum_line(total, milliseconds))
