"""The user's defaults: config.toml in the usual folder, or the file that LOLLI_CONFIG names.

    hash = 256                   # MB of the transposition table
    threads = 4
    eval = "network"
    tables = "~/syzygy"          # or a list of folders; UCI only
    book = true                  # play from the book that comes with Lolli, or from a file; UCI only
    colours = false              # none in the terminal
    pieces = "letters"           # or "outlined", in the terminal
    board-size = "small"         # or "medium", "large", "auto", in the terminal

    [uci]                        # any option, by its name
    "Move Overhead" = 100

    [analyse]                    # the options of a command
    lines = 3

Where LOLLI_CONFIG is empty there is none. Each mistake in the file is told in one line, which names the file,
the line and the key; the rest of the file counts.
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from engine.system import files
from eval.choice import NAMES
from lolli.cli import config_file
from protocol.text import ProtocolError, quoted
from protocol.uci.options import UciOption, find

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import click

    from engine.session import Session

UCI = "uci"
MOST = {"hash": 65536, "threads": 512}
WORDS = {
    "eval": NAMES,
    "pieces": ("letters", "outlined", "coloured"),
    "board-size": ("auto", "small", "medium", "large"),
}
GENERAL_KEYS = ("hash", "threads", "eval", "tables", "book", "colours", "pieces", "board-size")

_UCI_NAMES = {"hash": "Hash", "threads": "Threads", "eval": "Eval", "tables": "SyzygyPath"}
_OF_COMMANDS = ("hash", "threads", "eval", "board-size")  # as options of the same name
_MEASURING = frozenset(("ablate", "bench", UCI))  # what they find must not depend on whose machine it is
_INDULGENT = frozenset(("completion", "doctor", "setup", UCI))  # work beside a faulty file
# Bytes. The time that tomllib takes to read a key of many parts grows with the square of their number.
_LARGEST = 1 << 14
_PLACE = re.compile(r" \((?:at line ([0-9]+), column [0-9]+|at end of document)\)$")
_KEY = re.compile(r"\s*(?:\[\s*(?P<section>.+?)\s*\]|(?P<key>.+?)\s*=)")


class UnusableValueError(ValueError):
    """Why a key or a value cannot be used, in a few words."""


@dataclass(frozen=True, slots=True)
class Config:
    """`path` is empty if there is no file; each of `problems` is a line about what does not count."""

    path: str = ""
    general: Mapping[str, Any] = field(default_factory=dict)
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    problems: Sequence[str] = ()
    text: str = ""

    def problem(self, section: str, key: str, reason: str) -> str:
        """A line about a key, in no section if `section` is empty; about a section if `key` is."""
        place, here = self.path, ""
        for number, line in enumerate(self.text.splitlines(), 1):
            found = _KEY.match(line)
            if found is None:
                continue
            here = found["section"].strip("\"'") if found["section"] else here
            if (here, (found["key"] or "").strip("\"'")) == (section, key):
                place = f"{self.path}, line {number}"
                break
        return f"{place}: {key or f'[{section}]'}: {reason}"


def load() -> Config:
    """The content of the file; never raises."""
    path, named = config_file()
    try:
        if not path:
            return Config()
        text = files.read_file(path, _LARGEST).decode("utf-8-sig")  # editors on Windows put a mark before it
        content = tomllib.loads(text)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError | NotADirectoryError)
        return Config() if missing and not named else Config(path, problems=(f"{path}: {error.strerror}",))
    except UnicodeDecodeError:
        return Config(path, problems=(f"{path}: not in UTF-8",))
    except RecursionError:
        return Config(path, problems=(f"{path}: brackets in too many brackets",))
    except ValueError as error:  # not TOML, or a number of thousands of digits
        found = _PLACE.search(str(error))
        line = "" if not found else f", line {found[1]}" if found[1] else ", at the end of the file"
        return Config(path, problems=(f"{path}{line}: {_PLACE.sub('', str(error)).partition(';')[0]}",))
    sections = {key: value for key, value in content.items() if isinstance(value, dict)}
    general: dict[str, Any] = {}
    problems: list[str] = []
    config = Config(path, general, sections, problems, text)
    for key, value in content.items():
        if key not in sections:
            try:
                general[key] = _read(key, value, os.path.dirname(os.path.abspath(path)))
            except UnusableValueError as error:
                problems.append(config.problem("", key, str(error)))
    return config


def _read(key: str, value: Any, folder: str) -> Any:
    """The value of a key above all sections; names of files are relative to `folder`."""
    if key == "tables":
        folders = value if isinstance(value, list) else [value]
        if not all(isinstance(each, str) for each in folders):
            raise UnusableValueError("neither a folder nor a list of folders")
        return os.pathsep.join(_path(part, folder) for each in folders for part in each.split(os.pathsep))
    if key in MOST and not (type(value) is int and 1 <= value <= MOST[key]):
        raise UnusableValueError(f"not a whole number from 1 to {MOST[key]}")
    if key in WORDS and value not in [*WORDS[key]]:
        raise UnusableValueError(f"not one of {', '.join(WORDS[key])}: {quoted(_as_typed(value))}")
    if key == "colours" and not isinstance(value, bool):
        raise UnusableValueError("neither true nor false")
    if key == "book" and not isinstance(value, bool | str):
        raise UnusableValueError("neither true, false nor the name of a file")
    if key not in GENERAL_KEYS:
        alike = get_close_matches(key, GENERAL_KEYS, 1)
        raise UnusableValueError(f"unknown key{f', did you mean {alike[0]}?' if alike else ''}")
    return _path(value, folder) if key == "book" and isinstance(value, str) else value


def _path(name: str, folder: str) -> str:
    return os.path.join(folder, os.path.expanduser(name))


def _as_typed(value: Any, kind: str = "") -> str:
    if kind == "button":
        raise UnusableValueError("has no value")
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        raise UnusableValueError("neither a text, a number, true nor false")
    try:
        return str(value)
    except ValueError:  # a hexadecimal number, which tomllib reads
        raise UnusableValueError("a number of thousands of digits") from None


# For UCI


def uci_defaults(
    session: Session, *, keeps_evaluator: bool = False
) -> tuple[dict[UciOption, Any], Sequence[str]]:
    """UCI's options with the user's values, in the order in which to set them; and lines about mistakes."""
    config = load()
    problems = list(config.problems)
    values: dict[UciOption, Any] = {}
    for section, key, name, value in _uci_values(config):
        try:
            option = find(name)
            text = _as_typed(value, option.kind)
            values[option] = option.value(text, session)
        except (ProtocolError, UnusableValueError) as error:
            reason = str(error)
            if reason.startswith("unknown option"):
                reason = "unknown option"
            elif reason.lower().startswith(name.lower()):
                reason = reason[len(name) :].lstrip(": ")
            problems.append(config.problem(section, key, reason))
    left_out = ("Eval", "EvalFile") if keeps_evaluator else ()
    return {option: value for option, value in values.items() if option.name not in left_out}, problems


def _uci_values(config: Config) -> Iterator[tuple[str, str, str, Any]]:
    for key, value in config.general.items():
        if key in _UCI_NAMES:
            yield "", key, _UCI_NAMES[key], value
        elif key == "book":
            if isinstance(value, str):
                yield "", key, "BookFile", value
            yield "", key, "OwnBook", bool(value)
    for name, value in config.sections.get(UCI, {}).items():
        yield UCI, name, name, value


# For the commands


def default_map(
    name: str, command: click.Command, commands: Collection[str], *, only_help: bool
) -> dict[str, Any]:
    """The defaults of a command by the names of its parameters; sets LOLLI_PIECES and colours on the way.

    Raises UsageError at the first mistake that concerns this command, unless `only_help` is wanted.
    """
    from lolli.cli.shared_options import BadInputError  # noqa: PLC0415 - not for UCI

    config = load()
    found, faults = defaults(config, name, command)
    faults = [*config.problems, *unknown_sections(config, commands), *faults]
    if faults and not only_help and name not in _INDULGENT:
        raise BadInputError(faults[0])
    if config.general.get("colours") is False and "FORCE_COLOR" not in os.environ:
        os.environ.setdefault("NO_COLOR", "1")
    if "pieces" in config.general:
        os.environ.setdefault("LOLLI_PIECES", config.general["pieces"])  # for lolli.cli.terminal.board
    return found


def defaults(config: Config, name: str, command: click.Command) -> tuple[dict[str, Any], list[str]]:
    """The defaults of a command's options, by the names of its parameters; and lines about mistakes."""
    options = {word: param for param in command.params for word in param.opts if word.startswith("--")}
    general = () if name in _MEASURING else _OF_COMMANDS
    found: dict[str, Any] = {
        options[f"--{key}"].name or "": config.general[key]
        for key in general
        if key in config.general and f"--{key}" in options
    }
    problems = []
    for key, value in config.sections.get(name, {}).items() if name != UCI else ():
        option = options.get(f"--{key.replace('_', '-')}")
        if option is None:
            problems.append(config.problem(name, key, f"lolli {name} has no such option"))
            continue
        try:
            if not (value is False and _word_alone(option)):  # otherwise it is as if not given
                found[option.name or ""] = _usable(option, command, value)
        except UnusableValueError as error:
            problems.append(config.problem(name, key, str(error)))
    return found, problems


def _word_alone(option: click.Parameter) -> str | None:
    """What an option that may have a value is without it; None for all others."""
    word = getattr(option, "flag_value", None)
    return word if isinstance(word, str) else None


def _usable(option: click.Parameter, command: click.Command, value: Any) -> str | list[str]:
    import click  # noqa: PLC0415 - not for UCI

    several = isinstance(option, click.Option) and option.multiple
    words = [_as_typed(each) for each in (value if several and isinstance(value, list) else [value])]
    if value is True and (alone := _word_alone(option)):
        words = [alone]
    if isinstance(option.type, click.Path):
        words = [os.path.expanduser(word) for word in words]
    found = words if several else words[0]
    try:
        option.process_value(click.Context(command), found)
    except click.UsageError as error:
        raise UnusableValueError(error.message.rstrip(".")) from None
    return found


def unknown_sections(config: Config, commands: Collection[str]) -> Iterator[str]:
    for section in config.sections:
        if section != UCI and section not in commands:
            yield config.problem(section, "", "lolli has no such command")
