"""The clients that keep their engines as a list in a JSON file: Cute Chess, PyChess, En Croissant.

Cute Chess reads it beside its settings, which Qt keeps as an INI file; cutechess-cli reads the same, unless
there is an engines.json in the working directory. The keys are written in order, and with tabs. Cute Chess
shows the options in that file; its button Detect asks the engine for them, and leaves out those that it sets
itself. In https://github.com/cutechess/cutechess: docs/cutechess-engines.json.5,
projects/gui/src/cutechessapp.cpp (configPath), projects/lib/src/engineconfiguration.cpp,
engineoptionfactory.cpp and uciengine.cpp (parseLine) beside it, and
projects/lib/components/json/src/jsonserializer.cpp.

PyChess asks an engine for its options at the next start if `recheck` is true, and writes them, with the hash
of the program, into the same item. In https://github.com/pychess/pychess: lib/pychess/Players/engineNest.py
(addEngine, __needClean, save) and lib/pychess/System/prefix.py.

En Croissant keeps it in Tauri's folder for the data of its identifier. A person can choose another folder,
which it remembers where only it can read. In https://github.com/franciscoBSalgueiro/en-croissant:
src/state/atoms.ts (enginesAtom), src/state/utils.ts (createAsyncZodStorage), src/utils/engines.ts
(localEngineSchema), src/components/engines/EngineForm.tsx and src-tauri/tauri.conf.json (identifier); and
https://v2.tauri.app/reference/javascript/api/namespacepath/#appdatadir.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from engine.session import Session
from lolli.cli.clients.json_list import JsonList, JsonStyle
from lolli.cli.clients.plan import ClientFileError, Plan, Status, content, on_path
from protocol import about
from protocol.uci.options import EMPTY, OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
