"""The options with which a command chooses an evaluator."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from eval.choice import DEFAULT, NAMES, Choices, EvaluatorError
from eval.weight_file import WeightsError


class BadInputError(click.ClickException):
    """What was given cannot be used: one line, and exit status 2."""

    exit_code = 2


def evaluator_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --eval and --weights to a command, which gets them as `evaluator` and `weights` for `chosen`."""
    choose = click.option(
        "--eval",
        "evaluator",
        type=click.Choice(NAMES),
        help=f"The evaluation: {' or '.join(NAMES)}; otherwise {DEFAULT}.",
    )
    load = click.option(
        "--weights", type=click.Path(path_type=Path), help="Other weights for the linear evaluation."
    )
    return choose(load(command))


def chosen(evaluator: str | None, weights: Path | None) -> tuple[str, Choices]:
    """The name of an evaluator, and the choices among which it is. Raises BadInputError."""
    name = evaluator or ("linear" if weights else DEFAULT)
    if weights and name != "linear":
        raise BadInputError(f"--weights is for --eval linear, not for --eval {name}")
    choices = Choices()
    try:
        if weights:
            choices.load_linear(weights)
        return choices[name].name, choices
    except (WeightsError, EvaluatorError) as error:
        raise BadInputError(str(error)) from None
