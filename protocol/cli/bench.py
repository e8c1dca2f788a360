"""`lolli bench`: the node count and speed of the search."""

import click

from protocol import bench


@click.command(
    short_help="Measure the speed of the search.",
    epilog="""\b
Examples:
  lolli bench
  lolli bench 8""",
)
@click.argument("depth", type=click.IntRange(1, 100), default=bench.DEFAULT_DEPTH)
def command(depth: int) -> None:
    """Search a fixed set of positions, each DEPTH plies deep, with one thread and a fresh table.

    The positions go to stderr; stdout gets one line, `N nodes M nps`. N is the same on every run.
    """
    for line in bench.report(depth, lambda: False, lambda text: click.echo(text, err=True)):
        click.echo(line)
