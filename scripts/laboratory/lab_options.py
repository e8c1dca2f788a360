"""The kinds of command-line options that the laboratory's commands share."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from engine.system.services import processors
from lolli.cli.shared_options import FiniteRange

Decorator = Callable[[Any], Any]

ROOT = Path(__file__).parents[2]
"""The root of the project."""
OPENINGS = Path(__file__).parent / "data" / "openings.epd.xz"
"""The suite of openings that comes with the project."""

WIDE = {"max_content_width": 110}
"""Context settings of a command whose help may use 110 columns."""

KeyValues = list[tuple[str, str]]

_JOINT = "\n"  # joins the words on their way through click; no word has a line break


class Words(click.ParamType):  # type: ignore[type-arg] # generic since click 8.3
    """An option with any number of `key=value` words, as options of cutechess-cli have.

    `--engine name=A tc=3+0.03` has the value [("name", "A"), ("tc", "3+0.03")]. Each word is one shell word;
    the value is everything after its first `=`, spaces included.
    """

    name = "key=value …"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> KeyValues:
        if isinstance(value, list):
            return value
        pairs = []
        for word in str(value).split(_JOINT):
            key, equals, content = word.partition("=")
            if not key or not equals:
                self.fail(f"{word!r} is not of the form key=value", param, ctx)
            pairs.append((key, content))
        return pairs


class WordsCommand(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        takers = {name for param in self.params if isinstance(param.type, Words) for name in param.opts}
        return super().parse_args(ctx, gather(args, takers))


def gather(args: Sequence[str], takers: set[str]) -> list[str]:
    """The arguments, with the `key=value` words after each of the options `takers` joined into one."""
    gathered: list[str] = []
    taking = False
    for argument in args:
        if taking and "=" in argument and not argument.startswith("--"):
            if gathered[-1] in takers:
                gathered.append(argument)
            else:
                gathered[-1] += _JOINT + argument
        else:
            taking = argument in takers
            gathered.append(argument)
    return gathered


class Stages(click.ParamType):  # type: ignore[type-arg] # generic since click 8.3
    """The type of an option with stages of numbers: `20x300x1000,13x60x1200`."""

    name = "plan"

    def __init__(self, example: str, *kinds: Callable[[str], Any]) -> None:
        """`kinds` read the numbers of a stage, which are above zero, in digits with at most a point."""
        self._example, self._kinds = example, kinds

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            found = [
                tuple(kind(word) for kind, word in zip(self._kinds, stage.split("x"), strict=True))
                for stage in str(value).split(",")
            ]
        except ValueError:
            found = []
        if not found or not set(str(value)) <= set("0123456789.x,") or min(map(min, found)) <= 0:
            self.fail(f"{value!r} is not of the form {self._example}", param, ctx)
        return found


def _option(name: str, to: str, default: Any, **settings: Any) -> Decorator:
    settings.setdefault("show_default", default is not None)
    return click.option(name, *([to] if to else []), default=default, **settings)


def count_option(
    name: str, default: int | None, purpose: str, *, least: int = 1, most: int | None = None, to: str = ""
) -> Decorator:
    """An option for a whole number; `to`: the parameter, if its name is not the option's."""
    kind = click.IntRange(least, most)
    return _option(name, to, default, type=kind, help=purpose)


def amount_option(
    name: str,
    default: float | None,
    purpose: str,
    *,
    least: float = 0,
    most: float | None = None,
    above_least: bool = False,
    to: str = "",
) -> Decorator:
    """An option for a number, greater than `least` if `above_least`; `to` as in `count_option`."""
    kind = FiniteRange(least, most, min_open=above_least)
    return _option(name, to, default, type=kind, help=purpose)


def choice_option(
    name: str, choices: Iterable[str], default: str, purpose: str, *, to: str = ""
) -> Decorator:
    return _option(name, to, default, type=click.Choice([*choices]), help=purpose)


def file_option(
    name: str, purpose: str, default: Path | None = None, *, required: bool = False, to: str = ""
) -> Decorator:
    """An option for a file, which need not exist; `to` as in `count_option`."""
    kind = click.Path(dir_okay=False, path_type=Path)
    if default is not None:
        purpose += f"  [default: {default.relative_to(ROOT) if default.is_relative_to(ROOT) else default}]"
    return _option(name, to, default, type=kind, show_default=False, required=required, help=purpose)


def seed_option(of: str) -> Decorator:
    return click.option("--seed", type=int, default=1, show_default=True, help=f"Seed of {of}.")


def jobs_option(name: str, purpose: str = "Games at the same time.") -> Decorator:
    kind = click.IntRange(1)
    return _option(name, "", processors(), type=kind, show_default="all processors", help=purpose)


def every_option(default: int, unit: str = "games") -> Decorator:
    return count_option("--every", default, f"Without a terminal, print a line after every N {unit}.")


record_option = file_option("--record", "Journal of what was played; the run resumes from it.", required=True)
concurrency_option = jobs_option("--concurrency")


def require_even(games: int) -> None:
    if games % 2:
        raise click.UsageError(f"--games must be even, because openings are used in pairs: {games}")


def require_writable(output: Path | None) -> None:
    """Raise BadParameter if `--output` cannot be written, before hours are spent on it; None passes."""
    if output is None:
        return
    if not output.parent.is_dir():
        raise click.BadParameter(f"no such folder: {output.parent}", param_hint="--output")
    if not os.access(output if output.exists() else output.parent, os.W_OK):
        raise click.BadParameter(f"cannot be written to: {output}", param_hint="--output")
