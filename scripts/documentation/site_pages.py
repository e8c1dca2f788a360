"""The pages of the site: those of docs, a page for each command, and the sources to which they link.

Files keep their places in docs. What pages link to outside of docs becomes a page below `source`.
"""

from __future__ import annotations

import os
import re
import shutil
from html import escape
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from scripts.documentation.command_pages import INDEX, command_pages
from scripts.documentation.page_source import DocumentationError
from scripts.documentation.shell import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Entry = str | dict[str, "str | list[Entry]"]

SOURCES = "source"
_COMMANDS = PurePosixPath("docs/commands.md")
_ROOT_PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "README.md": "index.md"}
_LINK = re.compile(r'(\]\(|\b(?:src|href)=")([^)"\s]+)')
_BAR = "\\|"
_BAR_IN_CODE = re.compile(r"`([^`]*\\\|[^`]*)`")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_LANGUAGES = {".py": "python", ".pxd": "cython", ".json": "json", ".toml": "toml", ".sh": "sh"}
_APART = "---\nhide:\n  - toc\nsearch:\n  exclude: true\n---\n\n"  # of a page that is not in the navigation
_FENCE = "`````"  # longer than those inside


class SitePages:
    """Writes pages and files into a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        commands = command_pages((ROOT / _COMMANDS).read_text(encoding="utf-8"))
        self._commands = {f"commands/{name}.md": text for name, text in commands.items()}
        self._homes = {
            slug(heading): page for page, text in self._commands.items() for heading in _HEADING.findall(text)
        }
        self._sources: set[PurePosixPath] = set()

    @property
    def commands(self) -> list[str]:
        """The names of the commands, each with a page commands/NAME.md."""
        return [PurePosixPath(page).stem for page in self._commands if page != f"commands/{INDEX}.md"]

    def write(self) -> set[str]:
        """Write all; the paths of the pages that belong into the navigation. Raises DocumentationError."""
        written = set()
        for file in sorted((ROOT / "docs").rglob("*")):
            path = PurePosixPath(file.relative_to(ROOT).as_posix())
            if file.suffix == ".md" and path != _COMMANDS:
                written.add(self._page(path, self.place(path), file.read_text(encoding="utf-8")))
            elif file.is_file() and file.suffix != ".md":
                target = self._folder / self.place(path)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)
        changes = PurePosixPath("CHANGELOG.md")
        written.add(self._page(changes, self.place(changes), (ROOT / changes).read_text(encoding="utf-8")))
        written |= {self._page(_COMMANDS, page, text) for page, text in self._commands.items()}
        self._write_sources()
        return written

    def place(self, path: PurePosixPath, anchor: str = "") -> str:
        """Where the site has a file of the repository. What is outside of docs is noted, to be written."""
        if path.as_posix() in _ROOT_PAGES:
            return _ROOT_PAGES[path.as_posix()]
        if path == _COMMANDS:
            return self._homes.get(anchor, f"commands/{INDEX}.md")
        if path.parts[0] == "docs" and (ROOT / path).is_file():
            below = path.relative_to("docs")
            return str(below.with_name("index.md") if below.name == "README.md" else below)
        self._sources.add(path)
        return f"{SOURCES}/{path}/index.md" if (ROOT / path).is_dir() else f"{SOURCES}/{path}.md"

    def _page(self, path: PurePosixPath, target: str, text: str) -> str:
        """Write a page of the repository to its place, with links that lead to those of the others."""

        def relinked(match: re.Match[str]) -> str:
            before, link = match[1], match[2]
            linked, mark, anchor = link.partition("#")
            if "://" in link or (not linked and path != _COMMANDS):
                return match[0]
            meant = os.path.normpath(path.parent / linked) if linked else path
            place = self.place(PurePosixPath(meant), anchor)
            return before + os.path.relpath(place, Path(target).parent) + mark + anchor

        self._write(target, _outside_code(text, relinked))
        return target

    def _write_sources(self) -> None:
        """Write the sources that pages link to, and those that listings of folders link to."""
        done: set[PurePosixPath] = set()
        while waiting := self._sources - done:
            for path in sorted(waiting):
                file = ROOT / path
                if not file.exists():
                    raise DocumentationError(f"a page links to {path}, which does not exist")
                text = self._listing(path) if file.is_dir() else _source(file)
                self._write(self.place(path), f"{_APART}# {path}\n\n{text}\n")
            done |= waiting

    def _listing(self, folder: PurePosixPath) -> str:
        """The files of a folder, those in Python with links."""
        lines = []
        for file in sorted((ROOT / folder).iterdir()):
            path = folder / file.name
            if file.suffix == ".py" and file.stat().st_size:
                place = os.path.relpath(self.place(path), Path(self.place(folder)).parent)
                lines.append(f"- [{file.name}]({place})")
            elif file.suffix not in {".so", ".py"} and not file.name.startswith("__"):
                lines.append(f"- {file.name}")
        return "\n".join(lines)

    def _write(self, target: str, text: str) -> None:
        file = self._folder / target
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def in_navigation(entries: Iterable[Entry]) -> set[str]:
    """The pages in the navigation: a page is named by its path, or in a table by its title."""
    found: set[str] = set()
    for entry in entries:
        for each in entry.values() if isinstance(entry, dict) else (entry,):
            found |= {each} if isinstance(each, str) else in_navigation(each)
    return found


def _outside_code(text: str, relinked: Callable[[re.Match[str]], str]) -> str:
    """The text with its links replaced, but not in fenced code; and a bar in code in a table as HTML.

    GitHub wants that bar with a backslash, which the site's Markdown would show.
    """
    fenced = False
    lines = []
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        shown = _BAR_IN_CODE.sub(_as_html, line) if line.startswith("|") else line
        lines.append(line if fenced else _LINK.sub(relinked, shown))
    return "\n".join(lines)


def _as_html(code: re.Match[str]) -> str:
    return f"<code>{escape(code[1], quote=False).replace(_BAR, '&#124;')}</code>"


def _source(file: Path) -> str:
    language = _LANGUAGES.get(file.suffix, "text")
    return f'{_FENCE} {{ .{language} linenums="1" }}\n{file.read_text(encoding="utf-8").rstrip()}\n{_FENCE}'
