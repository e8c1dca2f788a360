"""The chess programs that `lolli setup` knows, and how Lolli is entered into their lists of engines. Sources:

Cute Chess: https://github.com/cutechess/cutechess, docs/cutechess-engines.json.5 and, under projects/,
gui/src/cutechessapp.cpp (configPath), lib/src/engineconfiguration.cpp, engineoptionfactory.cpp and
uciengine.cpp (parseLine) beside it, lib/components/json/src/jsonserializer.cpp. It sorts keys and indents
with tabs.
PyChess: https://github.com/pychess/pychess, lib/pychess/Players/engineNest.py (addEngine, __needClean, save)
and lib/pychess/System/prefix.py. If `recheck` is true, it asks the engine for its options at the next start.
En Croissant: https://github.com/franciscoBSalgueiro/en-croissant, src/state/atoms.ts (enginesAtom),
src/utils/engines.ts (localEngineSchema), src-tauri/tauri.conf.json (identifier).
XBoard: https://github.com/arunpersaud/xboard, args.h (ParseArgs, SaveSettings, ArgInstall), backend.c (Load,
NamesToList), xboard.conf. It speaks UCI through Polyglot, and starts an engine in the engine's folder.
"""

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
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias
from uuid import NAMESPACE_URL, uuid5

from engine.session import Session
from engine.system import files
from engine.system.installation import bundle, installer
from protocol import about
from protocol.uci.options import EMPTY, OPTIONS

Entry: TypeAlias = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds the packages: a checkout, or installed packages."""
_PROGRAM = "lolli.exe" if os.name == "nt" else "lolli"
_LARGEST = 1 << 24  # bytes of a client's file
_BACKUP = ".before-lolli"
"""At the end of the name of a copy; that of a second one has a number, too."""


class CommandError(Exception):
    """No program starts this installation."""


def engine_command() -> Path:
    """The full path of the program that speaks UCI without arguments. Raises CommandError."""
    for path in _candidates():
        if path.is_file() and os.access(path, os.X_OK):
            return path.absolute()
    raise CommandError("no program starts this installation: run `pip install .`, or scripts/run")


def _candidates() -> Iterator[Path]:
    if (file := bundle()) is not None:
        yield file
    if installer() == "checkout" and os.name != "nt":
        yield ROOT / "scripts" / "run"
    yield Path(sysconfig.get_path("scripts")) / _PROGRAM
    yield Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))) / _PROGRAM
    if (found := shutil.which(_PROGRAM)) is not None:
        yield Path(found)


# What is to be done in the file of a client, and doing it


class ClientFileError(Exception):
    """A client's file that cannot be read, understood or written, and was left as it is; in one line."""


class Status(Enum):
    PRESENT = "Lolli is there"
    MISSING = "to be added"
    OUTDATED = "to be changed: it names another command"
    INCOMPLETE = "to be changed: it lacks the engine's options"
    BY_HAND = "to be entered by hand"


@dataclass(frozen=True, slots=True)
class Plan:
    """`old` is None if there is no file, `new` if there is nothing to write."""

    file: Path
    status: Status
    entry: str
    old: bytes | None = None
    new: bytes | None = None


@dataclass(frozen=True, slots=True)
class Client:
    """`file()` is its list of engines; `plan(file, name, command)` raises ClientFileError.

    It is installed if the file is there, or the folder `up` levels above it, or one of its `programs`.
    """

    key: str
    title: str
    advice: str
    programs: tuple[str, ...]
    file: Callable[[], Path]
    plan: Callable[[Path, str, Path], Plan]
    up: int = 0

    def is_installed(self) -> bool:
        file = self.file()
        place = file.parents[self.up - 1] if self.up else file
        # Path.exists raises where a folder may not be searched.
        return os.path.exists(place) or on_path(*self.programs)  # noqa: PTH110


def on_path(*programs: str) -> bool:
    """Whether one of the programs is found on PATH, or where Debian puts games."""
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/games"))
    return any(shutil.which(program, path=places) for program in programs)


def _content(file: Path) -> bytes | None:
    try:
        return files.read_file(file, _LARGEST)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ClientFileError(f"{file}: {error.strerror}") from None


def carry_out(plan: Plan) -> Path | None:
    """Write whole or not at all, through links; returns the copy of the old file. Raises ClientFileError."""
    if plan.new is None:
        return None
    file = Path(os.path.realpath(plan.file))
    if _content(file) != plan.old:
        raise ClientFileError(f"{plan.file}: changed in the meantime: try again")
    backup = None
    try:
        if plan.old is not None:
            backup = _backed_up(file, plan.old)
        file.parent.mkdir(parents=True, exist_ok=True)
        files.write_whole(file, plan.new)
    except OSError as error:
        if backup is not None:  # else it would pass for the copy before the last change
            with suppress(OSError):
                backup.unlink()
        raise ClientFileError(f"{error.filename or file}: {error.strerror}") from None
    return backup


def _backed_up(file: Path, old: bytes) -> Path:
    for number in count():
        backup = file.with_name(f"{file.name}{_BACKUP}{f'.{number}' if number else ''}")
        with suppress(FileExistsError):
            files.write_whole(backup, old, file)
            return backup
    raise AssertionError


# Lists of engines in JSON


def _engines(text: str) -> list[Any]:
    found = json.loads(text) if text.strip() else []
    if isinstance(found, list):
        return found
    raise ValueError("not a list of engines")


def _json_plan(
    file: Path,
    name: str,
    command: Path,
    *,
    layout: Mapping[str, Any],
    ending: str = "",
    key: str,
    make: Callable[[str, Path], Entry],
    renewed: Callable[[Path], Entry] = lambda _command: {},
    forgotten: tuple[str, ...] = (),
    options: Callable[[], Iterator[Entry]] = lambda: iter(()),
) -> Plan:
    """What a list of engines lacks; the command of an item stands under `key`.

    If it changes, `renewed` makes what else changes, and the keys in `forgotten` are dropped. `options` makes
    the options for an item that has none. `layout` is how the client writes JSON, `ending` how a file ends.
    """
    old = _content(file)
    try:
        text = (old or b"").decode()
        newline = "\r\n" if "\r\n" in text else "\n"
        engines = _engines(text)
        listed = [each for each in engines if isinstance(each, dict)]
        ours = [each for each in listed if os.path.normpath(str(each.get(key))) == str(command)]
        found = next(iter(ours or [each for each in listed if each.get("name") == name]), None)
        if found is None:
            entry, status = make(name, command), Status.MISSING
        elif ours:
            entry, status = found, Status.INCOMPLETE
        else:
            kept = {key: value for key, value in found.items() if key not in forgotten}
            entry, status = {**kept, key: str(command), **renewed(command)}, Status.OUTDATED
        if not entry.get("options") and (all_options := list(options())):
            entry = {**entry, "options": all_options}
        shown = json.dumps({key: value for key, value in entry.items() if key != "options"}, **layout)
        if entry == found:
            return Plan(file, Status.PRESENT, shown, old)
        new = [*engines, entry] if found is None else [entry if each is found else each for each in engines]
        last = text[len(text.rstrip()) :] if text.strip() else ending
        written = json.dumps(new, allow_nan=False, **layout).replace("\n", newline) + last
        return Plan(file, status, shown, old, written.encode())
    except RecursionError:
        raise ClientFileError(f"{file}: nested too deeply") from None
    except ValueError as error:  # UnicodeError and JSONDecodeError, too
        raise ClientFileError(f"{file}: {error}") from None


def home() -> Path:
    """The user's home folder; `~` if the system names none."""
    return Path(os.path.expanduser("~"))  # noqa: PTH111 - where there is none, others raise RuntimeError


def _folder(variable: str, *usual: str) -> Path:
    if os.name == "nt":
        return Path(os.environ.get("APPDATA", "~")).expanduser()
    return Path(os.environ.get(variable) or home().joinpath(*usual))


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
    shown = {"UCI_Elo", "UCI_LimitStrength"}
    for option in OPTIONS:
        if option.name == "Ponder" or (option.name.startswith("UCI_") and option.name not in shown):
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


def _pychess_entry(name: str, command: Path) -> Entry:
    return {
        "command": str(command),
        "comment": "",
        "country": "unknown",
        "level": 20,  # of its engines where none is chosen
        "name": name,
        "protocol": "uci",
        **_pychess_renewed(command),
    }


def _pychess_renewed(command: Path) -> Entry:
    return {"recheck": True, "workingDirectory": str(command.parent)}


def _pychess_file() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or home() / ".config") / "pychess" / "engines.json"


def _en_croissant_file() -> Path:
    folder = _folder("XDG_DATA_HOME", ".local", "share")
    if sys.platform == "darwin":
        folder = home() / "Library" / "Application Support"
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


# XBoard

_LIST = re.compile(r"^[-/]firstChessProgramNames[ =:\t]*([{\"'])", re.MULTILINE)
_BYTES = "latin-1"  # so that every byte stays as it is


def _xboard_plan(file: Path, name: str, command: Path) -> Plan:
    if re.search(r"[\"'{}\\\n]", f"{name}{command}"):
        raise ClientFileError(
            f"XBoard allows no quotes, braces or backslashes in {name!r} or {str(command)!r}"
        )
    begin = f'"{name}" -fcp '
    line = f'{begin}"./{command.name}" -fd "{command.parent}" -fUCI'
    old = _content(file)
    text = (old or b"").decode(_BYTES)
    written = line.encode().decode(_BYTES)
    listed = _LIST.search(text)
    if listed is None:
        install = (
            f"-installEngine {{{written}}}\n"  # adds the line to the list that the system's settings give
        )
        if install in text:
            return Plan(file, Status.PRESENT, line, old)
        return Plan(file, Status.MISSING, line, old, (install + text).encode(_BYTES))
    if listed.group(1) != "{":  # as XBoard writes it where the list itself has a brace
        present = Status.PRESENT if written.replace('"', '\\"') in text else Status.BY_HAND
        return Plan(file, present, line, old)
    start, end = listed.end(), text.find("}", listed.end())
    if end < 0:
        raise ClientFileError(f"{file}: the list of engines has no end")
    lines = text[start:end].split("\n")
    if any(each.startswith(written) for each in lines):  # XBoard or a person may have added options
        return Plan(file, Status.PRESENT, line, old)
    others = [i for i, each in enumerate(lines) if each.startswith(begin.encode().decode(_BYTES))]
    if others:
        lines[others[0]] = written
    else:
        lines += [""] if lines[-1].strip() else []
        lines.insert(-1, written)
    status = Status.OUTDATED if others else Status.MISSING
    return Plan(file, status, line, old, (text[:start] + "\n".join(lines) + text[end:]).encode(_BYTES))


CLIENTS: Mapping[str, Client] = {
    client.key: client
    for client in (
        Client(
            "cutechess",
            "Cute Chess",
            "Close Cute Chess before writing. The entry has all options."
            " cutechess-cli then knows conf=Lolli.",
            ("cutechess", "cutechess-cli"),
            lambda: _folder("XDG_CONFIG_HOME", ".config") / "cutechess" / "engines.json",
            partial(
                _json_plan,
                layout={"indent": "\t", "separators": (",", " : "), "sort_keys": True},
                ending="\n",
                key="command",
                make=_cutechess_entry,
                options=_cutechess_options,
            ),
            up=1,
        ),
        Client(
            "xboard",
            "XBoard",
            "Close XBoard before writing: it saves its settings when it ends. For UCI it needs Polyglot.",
            ("xboard",),
            lambda: home() / ".xboardrc",
            _xboard_plan,
        ),
        Client(
            "pychess",
            "PyChess",
            "Close PyChess before writing. At its next start it asks Lolli for its options.",
            ("pychess",),
            _pychess_file,
            partial(
                _json_plan,
                layout={"indent": " ", "sort_keys": True},
                key="command",
                make=_pychess_entry,
                renewed=_pychess_renewed,
                forgotten=("md5",),
            ),
            up=1,
        ),
        Client(
            "en-croissant",
            "En Croissant",
            "Close En Croissant before writing: it writes its list again whenever that changes.",
            ("en-croissant",),
            _en_croissant_file,
            partial(
                _json_plan, layout={"indent": 4, "ensure_ascii": False}, key="path", make=_en_croissant_entry
            ),
            up=2,
        ),
    )
}
