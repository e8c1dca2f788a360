"""Chess programs, and how Lolli is entered into their lists of engines."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from itertools import count
from pathlib import Path
from typing import Any, Protocol
from uuid import NAMESPACE_URL, uuid5

from engine.session import Session
from engine.system import files
from engine.system.installation import bundle, installer
from protocol import about
from protocol.uci.options import EMPTY, OPTIONS

NAME = "lolli.exe" if os.name == "nt" else "lolli"
ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds the packages: the checkout's own, or one of installed packages."""


class CommandError(Exception):
    """No program starts this installation."""


def engine_command() -> Path:
    """The full path of the program that speaks UCI when it gets no words. Raises CommandError."""
    for path in _candidates():
        if path.is_file() and os.access(path, os.X_OK):
            return path.absolute()
    raise CommandError("no program starts this installation: run `pip install .`, or scripts/run")


def _candidates() -> Iterator[Path]:
    if (file := bundle()) is not None:
        yield file
    if installer() == "checkout" and os.name != "nt":
        yield ROOT / "scripts" / "run"
    yield Path(sysconfig.get_path("scripts")) / NAME
    yield Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))) / NAME
    found = shutil.which(NAME)
    if found is not None:
        yield Path(found)


LARGEST = 1 << 24
"""Bytes of a client's file."""
BACKUP = ".before-lolli"
"""At the end of the name of a copy; that of a second one has a number, too."""


class ClientFileError(Exception):
    """A client's file that cannot be read, understood or written, and was left as it is; in one line."""


class UnreadableClientFileError(ClientFileError):
    """What is wrong is not the content: it is not a file, or not one that this person may read."""


class Status(Enum):
    """What a client's file lacks."""

    PRESENT = "Lolli is there"
    MISSING = "to be added"
    OUTDATED = "to be changed: it names another command"
    INCOMPLETE = "to be changed: it lacks the engine's options"
    BY_HAND = "to be entered by hand"


@dataclass(frozen=True, slots=True)
class Plan:
    """`entry` is what belongs into `file`, `old` its content, `new` what is to be written.

    `old` is None where there is no file, `new` where there is nothing to write.
    """

    file: Path
    status: Status
    entry: str
    old: bytes | None = None
    new: bytes | None = None


class Client(Protocol):
    """A program in which people use engines."""

    @property
    def key(self) -> str:
        """Its name on the command line."""

    @property
    def title(self) -> str:
        """Its name."""

    @property
    def advice(self) -> str:
        """What to know before or after writing, in one line."""

    def file(self) -> Path | None:
        """Where its engines stand; None where that is not known."""

    def is_installed(self) -> bool:
        """Whether it is found on this machine."""

    def plan(self, file: Path, name: str, command: Path, /) -> Plan:
        """What the file lacks. Raises ClientFileError."""


def on_path(*programs: str) -> bool:
    """Whether one of the programs is found on PATH, or where Debian puts games."""
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/games"))
    return any(shutil.which(program, path=places) for program in programs)


def content(file: Path) -> bytes | None:
    """The content of a file, None where there is none. Raises UnreadableClientFileError."""
    try:
        return files.read_file(file, LARGEST)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableClientFileError(f"{file}: {error.strerror}") from None


def carry_out(plan: Plan) -> Path | None:
    """Write the file, whole or not at all; the copy of what was there, if there was a file.

    A link stays one: what it leads to is written. Raises ClientFileError, also where the file is no
    longer as it was planned for.
    """
    if plan.new is None:
        return None
    file = Path(os.path.realpath(plan.file))
    if content(file) != plan.old:
        raise ClientFileError(f"{plan.file}: changed in the meantime: try again")
    backup = None
    try:
        if plan.old is not None:
            backup = backed_up(file, plan.old)
        file.parent.mkdir(parents=True, exist_ok=True)
        files.write_whole(file, plan.new)
    except OSError as error:
        if backup is not None:  # else --undo would take it for the last change
            with suppress(OSError):
                backup.unlink()
        raise ClientFileError(f"{error.filename or file}: {error.strerror}") from None
    return backup


def backed_up(file: Path, old: bytes, ending: str = BACKUP) -> Path:
    """A copy of a file with this content under a name that was free. Raises OSError."""
    for number in count():
        backup = file.with_name(f"{file.name}{ending}{f'.{number}' if number else ''}")
        with suppress(FileExistsError):
            files.write_whole(backup, old, file)
            return backup
    raise AssertionError


_UNDONE = ".before-undo"


def kept_copies(file: Path) -> list[Path]:
    """The copies that were made when the file was written, oldest first."""
    file = Path(os.path.realpath(file))
    name = re.compile(rf"{re.escape(file.name + BACKUP)}(?:\.([0-9]+))?")
    try:
        found = [(match, path) for path in file.parent.iterdir() if (match := name.fullmatch(path.name))]
    except OSError:
        return []
    return [path for _, path in sorted(found, key=lambda pair: int(pair[0][1] or 0))]


def put_back(file: Path) -> Path | None:
    """Restore the last copy and delete it; what was there goes into another copy.

    Returns that one, or None if there was no file. Raises ClientFileError, also where there is no copy.
    """
    copies = kept_copies(file)
    if not copies:
        raise ClientFileError(f"{file}: no copy of what was there before")
    old = content(copies[-1])
    file = Path(os.path.realpath(file))
    present = content(file)
    if old is None:
        raise ClientFileError(f"{copies[-1]}: changed in the meantime: try again")
    try:
        kept = None if present is None else backed_up(file, present, _UNDONE)
        files.write_whole(file, old)
        copies[-1].unlink()
    except OSError as error:
        raise ClientFileError(f"{error.filename or file}: {error.strerror}") from None
    return kept


_BLANKS = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class JsonStyle:
    """How a client writes its JSON: one step of indentation, what follows a key, and what ends the file."""

    indent: str
    colon: str = ": "
    ending: str = ""
    ascii_only: bool = True
    sort_keys: bool = False

    def dumps(self, item: dict[str, Any], indent: str | None = None) -> str:
        """The item by itself; `indent` is a step of indentation other than the client's."""
        return json.dumps(
            item,
            indent=self.indent if indent is None else indent,
            separators=(",", self.colon),
            ensure_ascii=self.ascii_only,
            sort_keys=self.sort_keys,
        )


class JsonList:
    """The items of a list, and where each stands in the text."""

    def __init__(self, text: str, style: JsonStyle) -> None:
        """An empty text is an empty list. Raises ValueError, with the line, where it is not a list."""
        self._style = style
        self._text = text if text.strip() else f"[]{style.ending}"
        try:
            json.loads(self._text)
        except RecursionError:
            raise ValueError("nested too deeply") from None
        if not self._text.lstrip().startswith("["):
            raise ValueError("not a list of engines")
        self.items: list[Any] = []
        self._spans: list[tuple[int, int]] = []
        self._read()

    def _read(self) -> None:
        decoder, at = json.JSONDecoder(), self._text.index("[") + 1
        self._open = at
        while self._text[at := self._after_blanks(at)] != "]":
            item, end = decoder.raw_decode(self._text, at)
            self.items.append(item)
            self._spans.append((at, end))
            at = self._after_blanks(end)
            at += self._text[at] == ","
        self._close = at

    def with_item(self, item: dict[str, Any]) -> str:
        """The text with one more item at the end."""
        line = self._newline + self._indent
        written = line + self._dumps(item)
        if self._spans:
            end = self._spans[-1][1]
            return f"{self._text[:end]},{written}{self._text[end:]}"
        return f"{self._text[: self._open]}{written}{self._newline}{self._text[self._close :]}"

    def with_replaced(self, index: int, item: dict[str, Any]) -> str:
        """The text with another item in place of one."""
        start, end = self._spans[index]
        return self._text[:start] + self._dumps(item) + self._text[end:]

    def _dumps(self, item: dict[str, Any]) -> str:
        text = self._style.dumps(item, self._indent)
        return text.replace("\n", self._newline + self._indent)

    @property
    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self._text else "\n"

    @property
    def _indent(self) -> str:
        """The blanks before the first item, if it begins a line; else those of the client."""
        if not self._spans:
            return self._style.indent
        before = self._text[: self._spans[0][0]]
        blanks = before[len(before.rstrip(" \t")) :]
        return blanks if blanks and before.removesuffix(blanks).endswith("\n") else self._style.indent

    def _after_blanks(self, at: int) -> int:
        match = _BLANKS.match(self._text, at)
        return match.end() if match else at


Entry = dict[str, Any]


_UCI_SHOWN = {"UCI_Elo", "UCI_LimitStrength"}  # by Cute Chess
_PYCHESS_LEVEL = 20  # its engines' level where none is chosen


@dataclass(frozen=True, slots=True)
class JsonClient:
    """One of them. `entry` makes Lolli's item from a name and a command, which stands under `command_key`.

    Where the command of an item changes, `renewed` makes what else has to change, and `forgotten` is dropped.
    `options` makes the engine's options, which an item gets that has none.
    """

    key: str
    title: str
    advice: str
    programs: tuple[str, ...]
    where: Callable[[], Path]
    style: JsonStyle
    command_key: str
    entry: Callable[[str, Path], Entry]
    renewed: Callable[[Path], Entry] = lambda _command: {}
    forgotten: tuple[str, ...] = ()
    options: Callable[[], Iterator[Entry]] = lambda: iter(())
    depth: int = 1  # of the file, counted from the client's own folder

    def file(self) -> Path:
        """See Client."""
        return self.where()

    def is_installed(self) -> bool:
        """See Client."""
        return self.where().parents[self.depth - 1].is_dir() or on_path(*self.programs)

    def plan(self, file: Path, name: str, command: Path, /) -> Plan:
        """See Client."""
        old = content(file)
        try:
            engines = JsonList((old or b"").decode(), self.style)
        except ValueError as error:  # UnicodeDecodeError and JSONDecodeError, too
            raise ClientFileError(f"{file}: {error}") from None
        items = [(index, item) for index, item in enumerate(engines.items) if isinstance(item, dict)]
        there = [each for each in items if _same(each[1].get(self.command_key), command)]
        named = [each for each in items if each[1].get("name") == name]
        if not (there or named):
            entry = self._with_options(self.entry(name, command))
            return Plan(file, Status.MISSING, self._shown(entry), old, engines.with_item(entry).encode())
        index, item = (there or named)[0]
        entry = item
        if not there:
            kept = {key: value for key, value in item.items() if key not in self.forgotten}
            entry = {**kept, self.command_key: str(command), **self.renewed(command)}
        entry = self._with_options(entry)
        if entry == item:
            return Plan(file, Status.PRESENT, self._shown(entry), old)
        status = Status.INCOMPLETE if there else Status.OUTDATED
        return Plan(file, status, self._shown(entry), old, engines.with_replaced(index, entry).encode())

    def _with_options(self, entry: Entry) -> Entry:
        if entry.get("options") or not (options := list(self.options())):
            return entry
        return {**entry, "options": options}

    def _shown(self, entry: Entry) -> str:
        """The entry for people, without the hundreds of lines of its options."""
        return self.style.dumps({key: value for key, value in entry.items() if key != "options"})


def _same(listed: object, command: Path) -> bool:
    return isinstance(listed, str) and os.path.normpath(listed) == str(command)


def _config_folder() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _cutechess_file() -> Path:
    folder = Path(os.environ.get("APPDATA", "~")).expanduser() if os.name == "nt" else _config_folder()
    return folder / "cutechess" / "engines.json"


def _cutechess_entry(name: str, command: Path) -> Entry:
    return {
        "command": str(command),
        "name": name,
        "protocol": "uci",
        "stderrFile": "",
        "timeoutScaleFactor": 1,
        "variants": ["standard", "fischerandom"],
        "workingDirectory": "",
    }


def _cutechess_options() -> Iterator[Entry]:
    session = Session(megabytes=1)  # which knows the evaluators
    for option in OPTIONS:
        if option.name == "Ponder" or (option.name.startswith("UCI_") and option.name not in _UCI_SHOWN):
            continue
        entry: Entry = {"name": option.name, "type": "text" if option.kind == "string" else option.kind}
        if option.kind != "button":
            choices = option.choices(session) if option.choices else (EMPTY,)
            default = choices[0] if option.default in {None, ""} else option.default
            entry |= {"alias": "", "default": default, "value": default}
        if option.kind == "combo":
            entry["choices"] = list(choices)
        if option.kind == "spin":
            entry |= {"min": option.smallest, "max": option.largest}
        yield entry


def _pychess_file() -> Path:
    return _config_folder() / "pychess" / "engines.json"


def _pychess_entry(name: str, command: Path) -> Entry:
    return {
        "command": str(command),
        "comment": "",
        "country": "unknown",
        "level": _PYCHESS_LEVEL,
        "name": name,
        "protocol": "uci",
        **_pychess_renewed(command),
    }


def _pychess_renewed(command: Path) -> Entry:
    return {"recheck": True, "workingDirectory": str(command.parent)}


def _en_croissant_file() -> Path:
    if os.name == "nt":
        folder = Path(os.environ.get("APPDATA", "~")).expanduser()
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    else:
        folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return folder / "org.encroissant.app" / "engines" / "engines.json"


def _en_croissant_entry(name: str, command: Path) -> Entry:
    return {
        "type": "local",
        "id": str(uuid5(NAMESPACE_URL, f"{command.as_uri()}#{name}")),
        "name": name,
        "version": about.VERSION,
        "path": str(command),
        "loaded": True,
        "settings": [
            {"name": "Hash", "value": 16},
            {"name": "Threads", "value": 1},
            {"name": "MultiPV", "value": 1},
        ],
    }


CUTE_CHESS = JsonClient(
    key="cutechess",
    title="Cute Chess",
    advice="Close Cute Chess before writing. The entry has all options. cutechess-cli then knows conf=Lolli.",
    programs=("cutechess", "cutechess-cli"),
    where=_cutechess_file,
    style=JsonStyle("\t", " : ", "\n", sort_keys=True),
    command_key="command",
    entry=_cutechess_entry,
    options=_cutechess_options,
)
PYCHESS = JsonClient(
    key="pychess",
    title="PyChess",
    advice="Close PyChess before writing. At its next start it asks Lolli for its options.",
    programs=("pychess",),
    where=_pychess_file,
    style=JsonStyle(" ", sort_keys=True),
    command_key="command",
    entry=_pychess_entry,
    renewed=_pychess_renewed,
    forgotten=("md5",),
)
EN_CROISSANT = JsonClient(
    key="en-croissant",
    title="En Croissant",
    advice="Close En Croissant before writing: it writes its list again whenever that changes.",
    programs=("en-croissant",),
    where=_en_croissant_file,
    style=JsonStyle("    ", ascii_only=False),
    command_key="path",
    entry=_en_croissant_entry,
    depth=2,
)


_LIST = re.compile(r"^[-/]firstChessProgramNames[ =:\t]*([{\"'])", re.MULTILINE)
_INSTALL = "-installEngine {{{line}}}\n"  # adds the line to the list that the system's settings give
_ENCODING = "latin-1"  # so that every byte stays as it is


@dataclass(frozen=True, slots=True)
class XBoard:
    """See Client."""

    key: str = "xboard"
    title: str = "XBoard"
    advice: str = (
        "Close XBoard before writing: it saves its settings when it ends. For UCI it needs Polyglot."
    )

    def file(self) -> Path:
        """See Client."""
        return Path.home() / ".xboardrc"

    def is_installed(self) -> bool:
        """See Client."""
        return self.file().exists() or on_path("xboard")

    def plan(self, file: Path, name: str, command: Path, /) -> Plan:
        """See Client."""
        line = _line(name, command)
        old = content(file)
        text = (old or b"").decode(_ENCODING)
        written = line.encode().decode(_ENCODING)
        listed = _LIST.search(text)
        if listed is None:
            install = _INSTALL.format(line=written)
            if install in text:
                return Plan(file, Status.PRESENT, line, old)
            return Plan(file, Status.MISSING, line, old, (install + text).encode(_ENCODING))
        if listed.group(1) != "{":  # as XBoard writes it where the list itself has a brace
            present = Status.PRESENT if written.replace('"', '\\"') in text else Status.BY_HAND
            return Plan(file, present, line, old)
        end = text.find("}", listed.end())
        if end < 0:
            raise ClientFileError(f"{file}: the list of engines has no end")
        return _in_list(file, name, line, text, slice(listed.end(), end))


def _in_list(file: Path, name: str, line: str, text: str, place: slice) -> Plan:
    """What the list, which stands at `place`, lacks."""
    old = text.encode(_ENCODING)
    written = line.encode().decode(_ENCODING)
    lines = text[place].split("\n")
    if any(each.startswith(written) for each in lines):  # XBoard or a person may have added options
        return Plan(file, Status.PRESENT, line, old)
    begin = f'"{name}" -fcp '.encode().decode(_ENCODING)
    status = Status.MISSING
    for index, each in enumerate(lines):
        if each.startswith(begin):
            lines[index], status = written, Status.OUTDATED
            break
    else:
        if lines[-1].strip():
            lines.append("")
        lines.insert(-1, written)
    new = text[: place.start] + "\n".join(lines) + text[place.stop :]
    return Plan(file, status, line, old, new.encode(_ENCODING))


def _line(name: str, command: Path) -> str:
    """The line for an engine, as XBoard writes it. Raises ClientFileError where it cannot be quoted."""
    if re.search(r"[\"'{}\\\n]", f"{name}{command}"):
        raise ClientFileError(
            f"XBoard allows no quotes, braces or backslashes in {name!r} or {str(command)!r}"
        )
    return f'"{name}" -fcp "./{command.name}" -fd "{command.parent}" -fUCI'


_NAME = "config.yml"
_FOLDERS = ("lichess-bot", "git/lichess-bot", "src/lichess-bot", "Documents/lichess-bot")
_ENGINE = re.compile(r"^engine:[^\n]*\n((?:[ \t]+[^\n]*\n|[ \t]*(?:#[^\n]*)?\n)*)", re.MULTILINE)
_VALUE = r"^[ \t]+{key}:[ \t]*(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^#\n]*))"


@dataclass(frozen=True, slots=True)
class LichessBot:
    """See Client."""

    key: str = "lichess-bot"
    title: str = "lichess-bot"
    advice: str = "Put these lines in place of dir, name and protocol, and give uci_options your own values."

    def file(self) -> Path | None:
        """The settings in the working directory or one of the usual folders; None where there are none."""
        for folder in (Path(), *(Path.home() / name for name in _FOLDERS)):
            if (folder / _NAME).is_file() and (folder / "lichess-bot.py").is_file():
                return (folder / _NAME).absolute()
        return None

    def is_installed(self) -> bool:
        """See Client."""
        return self.file() is not None

    def plan(self, file: Path, _name: str, command: Path, /) -> Plan:
        """See Client; there is nothing to write."""
        old = content(file)
        try:
            text = (old or b"").decode()
        except UnicodeDecodeError as error:
            raise ClientFileError(f"{file}: {error}") from None
        present = _engine_of(text, file.parent) == command
        return Plan(file, Status.PRESENT if present else Status.BY_HAND, _lines(command), old)


def _lines(command: Path) -> str:
    folder, program = (json.dumps(text, ensure_ascii=False) for text in (str(command.parent), command.name))
    return (
        f"engine:\n  dir: {folder}\n  name: {program}\n"
        '  protocol: "uci"\n  ponder: true\n'
        "  uci_options:\n    Move Overhead: 100\n    Threads: 1\n    Hash: 256"
    )


def _engine_of(text: str, folder: Path) -> Path | None:
    """The program that the settings name, None where they do not."""
    section = _ENGINE.search(f"{text}\n")
    if section is None:
        return None
    parts = []
    for key in ("dir", "name"):
        found = re.search(_VALUE.format(key=key), section.group(1), re.MULTILINE)
        if found is None:
            return None
        parts.append(next((value for value in found.groups() if value is not None), "").strip())
    return Path(folder, *parts)


CLIENTS: Mapping[str, Client] = {
    client.key: client for client in (CUTE_CHESS, XBoard(), PYCHESS, LichessBot(), EN_CROISSANT)
}
"""By their keys, in the order in which they are shown."""
