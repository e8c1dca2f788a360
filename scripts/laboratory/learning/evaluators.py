"""An evaluator by name and file of weights, as it is sent to the processes that play with it."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Self

import click

from engine.search.parameters import CLOCK, NUMBERS, TECHNIQUES
from eval.choice import NAMES, STANDARDS, Choices, owner
from eval.evaluator import Evaluator
from eval.linear import Linear
from eval.material import Material
from eval.network import Network
from eval.network_file import parse_network, read_network_file
from eval.weight_file import Weights, WeightsError, load


@dataclass(frozen=True, slots=True)
class GivenEvaluator:
    """Its weights: those of `linear`, or the file of a `network`; `material` has none."""

    name: str
    weights: Weights | bytes | None = None
    file: str | None = None

    @classmethod
    def read(cls, name: str, file: str | None = None) -> Self:
        """`file`: None for the default weights. Raises WeightsError."""
        if name == "material":
            if file is not None:
                raise WeightsError(f"material has no weights: {file}")
            return cls(name)
        if name == "linear":
            return cls(name, load(Path(file or STANDARDS[name])), file)
        if name == "network":
            path = Path(file or STANDARDS[name])
            data = read_network_file(path)
            parse_network(data, path)
            return cls(name, data, file)
        raise WeightsError(f"unknown evaluator {name!r}: use {', '.join(NAMES)}")

    def read_again(self) -> Self:
        return self if self.weights is None else self.read(self.name, self.file)

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, self.digest())))

    def make(self) -> Evaluator:
        if self.weights is None:
            return Material()
        if isinstance(self.weights, Weights):
            return Linear(self.weights)
        return Network(parse_network(self.weights, self.name))

    def digest(self) -> str | None:
        """What tells these weights from others that play differently; None for `material`."""
        if self.weights is None:
            return None
        if isinstance(self.weights, Weights):
            data = repr((self.weights.middle, self.weights.endgame)).encode()
            return hashlib.sha256(data).hexdigest()[:16]
        return parse_network(self.weights, self.name).digest()


def default_name() -> str:
    return Choices().names[0]


def engine(evaluator: GivenEvaluator | None = None) -> str:
    """A hash of the default parameters and of the weights, by default those that play."""
    usual = [(name, each.default) for table in (TECHNIQUES, NUMBERS, CLOCK) for name, each in table.items()]
    weights = (evaluator or GivenEvaluator.read(default_name())).digest()
    return hashlib.sha256(f"{json.dumps(usual)} {weights}".encode()).hexdigest()[:16]


def _name_for(weights: str | None) -> str:
    return default_name() if weights is None else owner(weights)


def evaluator_options(command: Callable[..., None]) -> Any:
    @click.option(
        "--eval",
        "name",
        type=click.Choice(NAMES),
        help="Evaluator of both sides; by default the one whose weights are given, or the one that plays.",
    )
    @click.option(
        "--weights",
        metavar="FILE",
        help="Weights of the evaluator instead of its own.",
    )
    @wraps(command)
    def with_evaluator(*, name: str | None, weights: str | None, **others: Any) -> None:
        try:
            evaluator = GivenEvaluator.read(name or _name_for(weights), weights)
        except WeightsError as error:
            raise click.UsageError(str(error)) from error
        command(evaluator=evaluator, **others)

    return with_evaluator


class EvaluatorType(click.ParamType):  # type: ignore[type-arg] # generic since click 8.3
    """`material`, `linear` or, for example, `network=new.lolli`."""

    name = "NAME[=FILE]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> GivenEvaluator:
        if isinstance(value, GivenEvaluator):
            return value
        name, equals, file = str(value).partition("=")
        try:
            return GivenEvaluator.read(name, file if equals else None)
        except WeightsError as error:
            self.fail(str(error), param, ctx)
