"""lichess-bot, whose settings a person writes, with comments: the lines for its one engine, to be pasted.

Which keys it wants, and that the path of the engine is `dir` joined with `name`:
https://github.com/lichess-bot-devs/lichess-bot: config.yml.default, lib/config.py (validate_config),
lib/engine_wrapper.py (create_engine).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from lolli.cli.clients.plan import ClientFileError, Plan, Status, content

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
