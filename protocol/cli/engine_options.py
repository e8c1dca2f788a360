"""The options that say with which engine to think."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from protocol.cli.analysis.settings import AnalystSettings
from protocol.cli.evaluators import BadInputError, evaluator_options

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from protocol.cli.analysis.analyst import Analyst

_DEFAULT_MEGABYTES = 16


def engine_options(
    *, threads: bool = True, megabytes: int = _DEFAULT_MEGABYTES
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --eval, --weights, --hash and, if wanted, --threads to a command, which gets one `settings`."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_settings(
            *args: Any,
            evaluator: str | None,
            weights: Path | None,
            megabytes: int,
            threads: int = 1,
            **rest: Any,
        ) -> Any:
            if weights and evaluator not in (None, "linear"):
                raise BadInputError(f"--weights is for --eval linear, not for --eval {evaluator}")
            path = None if weights is None else str(weights)
            settings = AnalystSettings(evaluator, path, megabytes, threads)
            return command(*args, settings=settings, **rest)

        decorated = evaluator_options(with_settings)
        decorated = click.option(
            "--hash",
            "megabytes",
            type=click.IntRange(1, 65536),
            default=megabytes,
            show_default=True,
            metavar="MB",
            help="The size of the transposition table.",
        )(decorated)
        if threads:
            decorated = click.option(
                "--threads",
                type=click.IntRange(1, 512),
                default=1,
                show_default=True,
                metavar="N",
                help="Search with so many threads.",
            )(decorated)
        return decorated

    return add


def analyst_from(settings: AnalystSettings) -> Analyst:
    """The analyst that was asked for. Raises BadInputError where it cannot be had."""
    from engine.search.table import TableError  # noqa: PLC0415 - a command says something first
    from eval.choice import EvaluatorError  # noqa: PLC0415
    from eval.weight_file import WeightsError  # noqa: PLC0415
    from protocol.cli.analysis.analyst import Analyst  # noqa: PLC0415

    try:
        return Analyst(settings)
    except (EvaluatorError, TableError, WeightsError) as error:
        raise BadInputError(str(error)) from None
