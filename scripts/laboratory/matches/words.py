"""`key=value` words on the command line, in the manner of cutechess-cli: `--engine name=A cmd=… tc=3+0.03`.

Each shell word is one `key=value`; the value is everything after the first `=`, blanks included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

Pairs = list[tuple[str, str]]

# Joins the words on their way through click; no shell word holds a line break in earnest.
_JOINT = "\n"


class Words(click.ParamType):  # type: ignore[type-arg] # generic since click 8.3
    """The type of an option that takes any number of `key=value` words. Converts to a list of pairs."""

    name = "key=value …"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Pairs:
        """Split the joined words into pairs."""
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
    """A command that gathers the words which follow an option of type `Words`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse after gathering."""
        takers = {name for param in self.params if isinstance(param.type, Words) for name in param.opts}
        return super().parse_args(ctx, gather(args, takers))


def gather(args: Sequence[str], takers: set[str]) -> list[str]:
    """The arguments with the `key=value` words after each of the options `takers` joined into one."""
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
