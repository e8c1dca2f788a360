"""`lolli bench`: the node count and speed of the search."""

from pathlib import Path

import click

from protocol import bench
from protocol.cli.evaluators import chosen, evaluator_options


@click.command(
    short_help="Measure the speed of the search.",
    epilog="""\b
Examples:
  lolli bench
  lolli bench 8
  lolli bench --eval material""",
)
@evaluator_options
@click.argument("depth", type=click.IntRange(1, 100), default=bench.DEFAULT_DEPTH)
def command(depth: int, evaluator: str | None, weights: Path | None) -> None:
    """Search a fixed set of positions, each DEPTH plies deep, with one thread and a fresh table.

    The positions go to stderr; stdout gets one line, `N nodes M nps`. N is the same on every run.
    """
    session = bench.fresh_session(*chosen(evaluator, weights))
    for line in bench.report(session, depth, lambda: False, lambda text: click.echo(text, err=True)):
        click.echo(line)
