"""A person's own defaults: config.toml in the usual folder, or the file that LOLLI_CONFIG names.

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

Where LOLLI_CONFIG is empty there is none. Each thing that is wrong in the file is told in one line, which
names the file, the line and the key; the rest of it counts.
"""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from typing import Any

from engine.system import files
from eval.choice import NAMES
from protocol.config import place
from protocol.text import quoted

UCI = "uci"
"""The section with UCI's options."""

# Bytes. The time that tomllib takes to read a key of many parts grows with the square of their number.
_LARGEST = 1 << 14
_PLACE = re.compile(r" \((?:at line ([0-9]+), column [0-9]+|at end of document)\)$")
_HEADER = re.compile(r"\s*\[\s*(.+?)\s*\]")
_KEY = re.compile(r"\s*(.+?)\s*=")


class UnusableValueError(ValueError):
    """Why a key or a value cannot be used, in a few words."""


@dataclass(frozen=True, slots=True)
class Config:
    """The content of the file `path`: what stands above all sections, and the sections by name.

    `path` is empty where there is no file. `problems` are lines, each about something that does not count.
    """

    path: str = ""
    general: Mapping[str, Any] = field(default_factory=dict)
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    text: str = ""

    def problem(self, section: str, key: str, reason: str) -> str:
        """A line about a key, in no section if `section` is empty; about a section if `key` is."""
        number = _places(self.text).get((section, key))
        place = self.path if number is None else f"{self.path}, line {number}"
        subject = key or f"[{section}]"
        return f"{place}: {subject}: {reason}"


def load() -> Config:
    """The defaults; never raises."""
    path, named = place()
    if not path:
        return Config()
    try:
        data = files.read_file(path, _LARGEST)
    except (FileNotFoundError, NotADirectoryError) as error:
        return Config(path, problems=(f"{path}: {error.strerror}",)) if named else Config()
    except OSError as error:
        return Config(path, problems=(f"{path}: {error.strerror}",))
    return _parsed(path, data)


def _parsed(path: str, data: bytes) -> Config:
    try:
        text = data.decode("utf-8-sig")  # editors on Windows put a mark before the text
        content = tomllib.loads(text)
    except UnicodeDecodeError:
        return Config(path, problems=(f"{path}: not in UTF-8",))
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.search(str(error))
        reason = _PLACE.sub("", str(error))
        line = f", line {found[1]}" if found and found[1] else ""
        return Config(path, problems=(f"{path}{line}: {reason}",))
    except RecursionError:
        return Config(path, problems=(f"{path}: brackets in too many brackets",))
    except ValueError as error:  # a number of thousands of digits
        return Config(path, problems=(f"{path}: {str(error).partition(';')[0]}",))
    sections = {key: value for key, value in content.items() if isinstance(value, dict)}
    general = {key: value for key, value in content.items() if key not in sections}
    return _checked(Config(path, general, sections, text=text))


def _checked(config: Config) -> Config:
    """The same with the values in their final form, and without those that cannot be used."""
    values, problems = {}, []
    folder = os.path.dirname(os.path.abspath(config.path))
    for key, value in config.general.items():
        try:
            values[key] = _reader(key)(value, folder)
        except UnusableValueError as error:
            problems.append(config.problem("", key, str(error)))
    return Config(config.path, values, config.sections, tuple(problems), config.text)


def as_typed(value: Any) -> str:
    """A value as one would type it. Raises UnusableValueError for lists, tables and dates."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        try:
            return str(value)
        except ValueError:  # a hexadecimal number, which tomllib reads
            raise UnusableValueError("a number of thousands of digits") from None
    raise UnusableValueError("neither a text, a number, true nor false")


def expanded(name: str) -> str:
    """The name of a file with a home in place of `~`."""
    return os.path.expanduser(name)


def _reader(key: str) -> Callable[[Any, str], Any]:
    """Raises UnusableValueError for a key that is not known."""
    if key in _READERS:
        return _READERS[key]
    alike = get_close_matches(key, _READERS, 1)
    raise UnusableValueError(f"unknown key{f', did you mean {alike[0]}?' if alike else ''}")


def _number(smallest: int, largest: int) -> Callable[[Any, str], int]:
    def read(value: Any, _folder: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not smallest <= value <= largest:
            raise UnusableValueError(f"not a whole number from {smallest} to {largest}")
        return value

    return read


def _word(*words: str) -> Callable[[Any, str], str]:
    def read(value: Any, _folder: str) -> str:
        if not isinstance(value, str) or value not in words:
            raise UnusableValueError(f"not one of {', '.join(words)}: {quoted(str(value))}")
        return value

    return read


def _switch(value: Any, _folder: str) -> bool:
    if not isinstance(value, bool):
        raise UnusableValueError("neither true nor false")
    return value


def _book(value: Any, folder: str) -> bool | str:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise UnusableValueError("neither true, false nor the name of a file")
    return _path(value, folder)


def _tables(value: Any, folder: str) -> str:
    folders = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str) for each in folders):
        raise UnusableValueError("neither a folder nor a list of folders")
    return os.pathsep.join(_path(part, folder) for each in folders for part in each.split(os.pathsep))


def _path(name: str, folder: str) -> str:
    """A name as in the file: `~` is a home, and what is relative lies beside the file."""
    return os.path.join(folder, expanded(name))


_READERS: dict[str, Callable[[Any, str], Any]] = {
    "hash": _number(1, 65536),
    "threads": _number(1, 512),
    "eval": _word(*NAMES),
    "tables": _tables,
    "book": _book,
    "colours": _switch,
    "pieces": _word("letters", "outlined", "coloured"),
    "board-size": _word("auto", "small", "medium", "large"),
}
GENERAL_KEYS = tuple(_READERS)
"""The keys that may stand above all sections."""


@cache
def _places(text: str) -> dict[tuple[str, str], int]:
    """The number of the line of each section and key; of a section's head with an empty key."""
    places: dict[tuple[str, str], int] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            section = header[1].strip("\"'")
            places.setdefault((section, ""), number)
        elif key := _KEY.match(line):
            places.setdefault((section, key[1].strip("\"'")), number)
    return places
