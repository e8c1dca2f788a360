"""The options that say how long to think about a position."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import click

from engine.search.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST = 1e9  # seconds; more is as good as no limit, and milliseconds have to fit into the clock
MOST_NODES = 1 << 60  # fits into the kernel's counter


def seconds(_ctx: click.Context, _param: click.Parameter, value: float | None) -> float | None:
    """A callback for an option that takes a time above nothing."""
    if value is None:
        return None
    if not 0 < value < inf:
        raise click.BadParameter(f"{value} is not a number of seconds above 0.")
    return min(value, _LONGEST)


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --depth, --nodes and --time to a command, which gets them as `depth`, `nodes` and `time`."""
    for option in (
        click.option(
            "--time", type=float, callback=seconds, metavar="SECONDS", help="Think so long about a position."
        ),
        click.option("--nodes", type=click.IntRange(1), metavar="N", help="Search so many nodes."),
        click.option("--depth", type=click.IntRange(1, 127), metavar="N", help="Look so many plies ahead."),
    ):
        command = option(command)
    return command


def limits_from(depth: int | None, nodes: int | None, time: float | None) -> Limits | None:
    """What comes first of those given ends the search; None where none was."""
    if depth is None and nodes is None and time is None:
        return None
    nodes = None if nodes is None else min(nodes, MOST_NODES)
    return Limits(depth=depth, nodes=nodes, move_time=None if time is None else max(1, round(time * 1000)))
