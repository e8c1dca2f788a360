"""`scripts/site`: the pages of docs, a page for each command, and the sources that they link to."""

import inspect
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path, PurePosixPath

import click

from lolli.cli.group import COMMANDS, group
from scripts.documentation.document import ROOT, Section, filled, sections
from scripts.documentation.screens import DocumentationError

INDEX = "index"
_VERBATIM = "\b"  # click's mark of a paragraph to be left as it is


def command_pages(text: str) -> dict[str, str]:
    """The pages by name, from the text of docs/commands.md; INDEX has what is about all commands."""
    found = sections(text)
    general = "\n".join(section.text for name, section in found.items() if name not in COMMANDS)
    pages = {INDEX: general}
    for name in sorted(COMMANDS):
        section = found.get(name, Section(name, f"## lolli {name}\n\n{COMMANDS[name].help}\n", 1))
        pages[name] = _promoted(section.text).rstrip("\n") + "\n\n" + options(name)
    return pages


def options(name: str) -> str:
    with click.Context(group, info_name="lolli", **group.context_settings) as parent:
        command = COMMANDS[name].load()
        context = click.Context(command, info_name=name, parent=parent)
        usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
        records = [
            record for each in command.get_params(context) if (record := each.get_help_record(context))
        ]
    parts = ["## Options\n", f"```console\n$ {usage}\n```\n", *_paragraphs(command.help)]
    parts.append("| option | what it does |\n|---|---|")
    parts += [f"| `{_cell(names)}` | {_cell(told)} |" for names, told in records]
    if examples := [part for part in _paragraphs(command.epilog) if part.startswith("```")]:
        parts += ["\n## Examples\n", *examples]
    return "\n".join(parts) + "\n"


def _paragraphs(text: str | None) -> Iterator[str]:
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        lines = paragraph.split("\n")
        if lines[0] == _VERBATIM:
            shown = [line.removeprefix("  ") for line in lines[1:] if line != "Examples:"]
            yield "```console\n" + "\n".join(shown) + "\n```\n"
        elif paragraph:
            yield paragraph.replace("<", "&lt;") + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _promoted(text: str) -> str:
    fenced = False
    lines = []
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        lines.append(line[1:] if not fenced and line.startswith("##") else line)
    return "\n".join(lines)


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
_LONG_FENCE = "`````"  # longer than those inside


class SitePages:
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
        return [PurePosixPath(page).stem for page in self._commands if page != f"commands/{INDEX}.md"]

    def write(self) -> set[str]:
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
        """The path on the site of a file of the repository. A file outside docs is noted, to be written."""
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
    """A page is named by its path, or in a table by its title."""
    found: set[str] = set()
    for entry in entries:
        for each in entry.values() if isinstance(entry, dict) else (entry,):
            found |= {each} if isinstance(each, str) else in_navigation(each)
    return found


def _outside_code(text: str, relinked: Callable[[re.Match[str]], str]) -> str:
    """GitHub wants a bar of code in a table with a backslash, which the site's Markdown would show."""
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
    text = file.read_text(encoding="utf-8").rstrip()
    return f'{_LONG_FENCE} {{ .{language} linenums="1" }}\n{text}\n{_LONG_FENCE}'


SITE = ROOT / "build" / "site"
_CONFIGURATION = Path(__file__).parent / "zensical.toml.in"
_ZENSICAL = (sys.executable, "-m", "zensical", "build", "--strict", "--clean", "--config-file")
_ASSETS = ("iframe-worker.js", "site.css")


@click.command()
def command() -> None:
    """Build the site of all pages into build/site, to be read from there or from any server.

    A link that leads nowhere, or a page that the navigation lacks, ends the build with exit status 1, and
    the old site stays. Reading needs no network; the search works from files, too.
    """
    build(SITE, SITE.with_name("site-pages"))
    click.echo(f"{SITE.relative_to(ROOT)}/index.html", err=True)


def build(site: Path, work: Path) -> None:
    shutil.rmtree(work, ignore_errors=True)
    pages = SitePages(work / "pages")
    written = pages.write()
    (work / "pages" / "assets").mkdir()
    for name in _ASSETS:
        shutil.copy(_CONFIGURATION.with_name(name), work / "pages" / "assets")
    commands = "\n".join(f'    {{ "lolli {name}" = "commands/{name}.md" }},' for name in pages.commands)
    text = filled(_CONFIGURATION.read_text(encoding="utf-8"), {"commands": commands})
    configuration = work / "zensical.toml"
    configuration.write_text(text, encoding="utf-8")
    if missing := written - in_navigation(tomllib.loads(text)["project"]["nav"]):
        raise DocumentationError(f"{_CONFIGURATION.name}: no place for {', '.join(sorted(missing))}")
    done = subprocess.run(
        [*_ZENSICAL, configuration], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        raise DocumentationError(
            f"zensical: exit status {done.returncode}\n{done.stdout.decode(errors='replace')}"
        )
    shutil.rmtree(site, ignore_errors=True)
    (work / "site").rename(site)
