"""A person's own defaults as those of the commands' options, and of what the terminal shows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from lolli.cli.shared_options import BadInputError
from protocol.config_file import UCI, Config, UnusableValueError, as_typed, expanded, load

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from lolli.cli.lazy_group import LazyCommand

_GENERAL = {"hash": "--hash", "threads": "--threads", "eval": "--eval", "board-size": "--board-size"}
_MEASURING = frozenset(("ablate", "bench", UCI))  # what they find must not depend on whose machine it is
_INDULGENT = frozenset(("completion", "doctor", "setup", UCI))  # work beside a faulty file
_PIECES = "LOLLI_PIECES"  # read by lolli.cli.terminal.board


def default_map(name: str, commands: Mapping[str, LazyCommand], *, only_help: bool) -> dict[str, Any]:
    """What click is to take as the defaults of a command, by the names of its parameters.

    The terminal is to look as in the file, too, where the environment says nothing else. Raises BadInputError
    at the first mistake in what is for this command, for all, or for none; not if `only_help` is wanted.
    """
    config = load()
    found, faults = defaults(config, name, commands[name].load())
    faults = [*config.problems, *unknown_sections(config, commands), *faults]
    if faults and not only_help and name not in _INDULGENT:
        raise BadInputError(faults[0])
    if config.general.get("colours") is False and "FORCE_COLOR" not in os.environ:
        os.environ.setdefault("NO_COLOR", "1")
    if "pieces" in config.general:
        os.environ.setdefault(_PIECES, config.general["pieces"])
    return found


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
        if param is None:
            problems.append(config.problem(name, key, f"lolli {name} has no such option"))
            continue
        try:
            found[param.name] = _usable(param, command, value)
        except UnusableValueError as error:
            problems.append(config.problem(name, key, str(error)))
    return found, problems


def _usable(option: click.Option, command: click.Command, value: Any) -> str | list[str]:
    """The value as the words that one would type after the option. Raises UnusableValueError."""
    words = [as_typed(each) for each in (value if option.multiple and isinstance(value, list) else [value])]
    if isinstance(option.type, click.Path):
        words = [expanded(word) for word in words]
    found = words if option.multiple else words[0]
    try:
        option.process_value(click.Context(command), found)
    except click.UsageError as error:
        raise UnusableValueError(error.message.rstrip(".")) from None
    return found


def unknown_sections(config: Config, commands: Collection[str]) -> Iterator[str]:
    """A line about each section that is for no command."""
    for section in config.sections:
        if section != UCI and section not in commands:
            yield config.problem(section, "", "lolli has no such command")


def _options(command: click.Command) -> list[click.Option]:
    return [param for param in command.params if isinstance(param, click.Option)]
