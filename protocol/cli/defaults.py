"""A person's own defaults as those of the commands' options, and of what the terminal shows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from protocol.config import UCI, VARIABLE, Config

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_GENERAL = {"hash": "--hash", "threads": "--threads", "eval": "--eval"}
_MEASURING = frozenset(("ablate", "bench", UCI))  # what they find must not depend on whose machine it is
PIECES = "LOLLI_PIECES"


def without_config(_ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    """The callback of --no-config: no file, for this process and those that it starts."""
    if wanted:
        os.environ[VARIABLE] = ""


def look(config: Config) -> None:
    """Have the terminal look as in the file, where the environment says nothing else."""
    if config.general.get("colours") is False and "FORCE_COLOR" not in os.environ:
        os.environ.setdefault("NO_COLOR", "1")
    if "pieces" in config.general:
        os.environ.setdefault(PIECES, config.general["pieces"])


def defaults(config: Config, name: str, command: click.Command) -> tuple[dict[str, Any], list[str]]:
    """The defaults of a command's options, by the names of its parameters; and lines about what is wrong."""
    parameters = {option: param for param in _options(command) for option in param.opts}
    general = {} if name in _MEASURING else _GENERAL
    found: dict[str, Any] = {
        parameters[option].name: config.general[key]
        for key, option in general.items()
        if key in config.general and option in parameters
    }
    problems = []
    for key, value in config.sections.get(name, {}).items() if name != UCI else ():
        param = parameters.get(f"--{key.replace('_', '-')}")
        reason = f"lolli {name} has no such option" if param is None else _fault(param, command, value)
        if reason:
            problems.append(config.problem(name, key, reason))
        elif param is not None:
            found[param.name] = value
    return found, problems


def _fault(option: click.Option, command: click.Command, value: Any) -> str:
    """Why an option cannot have the value; empty where it can."""
    try:
        option.process_value(click.Context(command), value)
    except click.UsageError as error:
        return error.message.rstrip(".")
    return ""


def unknown_sections(config: Config, commands: Collection[str]) -> Iterator[str]:
    """A line about each section that is for no command."""
    for section in config.sections:
        if section != UCI and section not in commands:
            yield config.problem(section, "", "lolli has no such command")


def _options(command: click.Command) -> list[click.Option]:
    return [param for param in command.params if isinstance(param, click.Option)]
