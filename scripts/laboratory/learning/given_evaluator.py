"""An evaluator by name and file of weights, as it travels to the processes that play with it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, Self

import click

from eval.choice import DEFAULT
from eval.learning.start import hand_set
from eval.linear import Linear
from eval.material import Material
from eval.network import Network
from eval.network_file import STANDARD as NETWORK
from eval.network_file import load_network
from eval.weight_file import STANDARD, Weights, WeightsError, load
from scripts.laboratory.lab_options import choice_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from eval.evaluator import Evaluator

EVALUATORS = ("material", "linear", "network")


@dataclass(frozen=True, slots=True)
class GivenEvaluator:
    """An evaluator and its weights: those of `linear`, or the file of a `network`; `material` has none."""

    name: str
    weights: Weights | bytes | None = None

    @classmethod
    def read(cls, name: str, file: str | None = None) -> Self:
        """The evaluator of that name with the weights in a file, by default the program's own.

        `hand` are weights of `linear` set by hand. Raises WeightsError.
        """
        if name == "material":
            if file is not None:
                raise WeightsError(f"material has no weights: {file}")
            return cls(name)
        if name == "linear":
            return cls(name, hand_set() if file == "hand" else load(Path(file or STANDARD)))
        if name == "network":
            path = Path(file or NETWORK)
            load_network(path)
            return cls(name, path.read_bytes())
        raise WeightsError(f"unknown evaluator {name!r}: use {', '.join(EVALUATORS)}")

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, self.digest())))

    def make(self) -> Evaluator:
        """A new evaluator, for one thread."""
        if self.weights is None:
            return Material()
        if isinstance(self.weights, Weights):
            return Linear(self.weights)
        with NamedTemporaryFile(suffix=".lolli") as file:
            file.write(self.weights)
            file.flush()
            return Network(load_network(file.name))

    def digest(self) -> str | None:
        """What tells these weights from others; None for `material`."""
        if self.weights is None:
            return None
        data = self.weights
        if isinstance(data, Weights):  # whatever else stands in their file
            data = repr((data.middle, data.endgame)).encode()
        return hashlib.sha256(data).hexdigest()[:16]


def evaluator_options(command: Callable[..., None]) -> Any:
    """The options for an evaluator; the command gets it as `evaluator`."""

    @choice_option("--eval", EVALUATORS, DEFAULT, "Evaluator of both sides.", to="name")
    @click.option(
        "--weights",
        metavar="FILE|hand",
        help="Weights of the evaluator instead of its own; `hand`: those of linear set by hand.",
    )
    @wraps(command)
    def with_evaluator(*, name: str, weights: str | None, **others: Any) -> None:
        try:
            evaluator = GivenEvaluator.read(name, weights)
        except WeightsError as error:
            raise click.UsageError(str(error)) from error
        command(evaluator=evaluator, **others)

    return with_evaluator


class EvaluatorType(click.ParamType):  # type: ignore[type-arg] # generic since click 8.3
    """The type of an option for an evaluator, such as `material`, `linear` or `network=new.lolli`."""

    name = "NAME[=FILE]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> GivenEvaluator:
        """Read the weights."""
        if isinstance(value, GivenEvaluator):
            return value
        name, equals, file = str(value).partition("=")
        try:
            return GivenEvaluator.read(name, file if equals else None)
        except WeightsError as error:
            self.fail(str(error), param, ctx)
