"""XBoard, which speaks UCI through Polyglot: a line in the list of engines of its settings.

What its settings may look like, how the list is read and written, and that an engine with a path is started
in the engine's folder: https://github.com/arunpersaud/xboard: args.h (ParseArgs, SaveSettings, ArgInstall),
backend.c (Load, NamesToList), xboard.conf.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from lolli.cli.clients.plan import ClientFileError, Plan, Status, content, on_path

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
