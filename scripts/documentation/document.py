"""`scripts/document`: docs/commands.md, whose commands are run for real, and the pictures of other pages.

The source, commands.md.in, is Markdown with fenced blocks of five kinds, which say what to run and to show:

    ```run [status=N] [cut=FIRST+LAST] [columns=N]  shell commands, whose output the page shows
    ```start PATTERN                                a command that runs until the section ends
    ```screen COLUMNSxLINES                         a command, or none, in a terminal, then actions:
        until PATTERN, press KEY, type LINE, picture NAME DESCRIPTION, text, end [STATUS]
    ```browser FILE                                 a page that a command made, then actions:
        desktop WIDTHxHEIGHT, phone WIDTHxHEIGHT, click SELECTOR, top, picture NAME DESCRIPTION
    ```picture FILE WIDTH                           a picture that a command made, described by the block

A command begins with `$ `; a line that ends in a backslash continues in the next. Other fenced blocks are
text. A heading of the second level starts a section.
"""

import os
import platform
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, partial
from pathlib import Path
from typing import Self

import click
from jinja2 import Template

from engine.system.services import processors
from scripts.documentation.screens import Browser, DocumentationError, Terminal, drawn, small_png

KINDS = ("run", "start", "screen", "browser", "picture")
INTRODUCTION = ""  # the name of the part before the first section
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class Block:
    kind: str  # one of KINDS, or empty for text
    words: str  # of the first line, after the kind
    lines: tuple[str, ...]
    line: int

    def commands(self) -> list[str]:
        commands: list[str] = []
        continued = False
        for line in self.lines:
            if continued:
                commands[-1] += f"\n{line}"
            elif line.startswith("$ "):
                commands.append(line[2:])
            continued = (continued or line.startswith("$ ")) and line.endswith("\\")
        return commands

    def verbs(self) -> Iterator[tuple[str, str]]:
        started = not any(line.startswith("$ ") for line in self.lines)
        for line in self.lines:
            if started and line:
                verb, _, rest = line.partition(" ")
                yield verb, rest.strip()
            started = started or not line.endswith("\\")


@dataclass(frozen=True)
class Section:
    name: str
    text: str
    line: int

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(_blocks(self.text.split("\n"), self.line))

    @property
    def commands(self) -> list[str]:
        return [command for block in self.blocks if block.kind for command in block.commands()]


def sections(text: str) -> dict[str, Section]:
    """By name, the introduction first. Raises DocumentationError."""
    found: dict[str, Section] = {}
    name, begin, fenced = INTRODUCTION, 0, False
    lines = text.split("\n")
    for number, line in enumerate([*lines, "## "]):
        if line.startswith(_FENCE):
            fenced = not fenced
        at_end = number == len(lines)
        if not (line.startswith("## ") and not fenced) and not at_end:
            continue
        if fenced:
            raise DocumentationError(f"line {number}: unclosed fenced block")
        found[name] = Section(name, "\n".join(lines[begin:number]), begin + 1)
        name, begin = section_name(line), number
        if name in found and not at_end:
            raise DocumentationError(f"line {number + 1}: a second section {name!r}")
    return found


def section_name(heading: str) -> str:
    words = re.findall(r"\w+", heading.lower())
    return "-".join(words[1:] if words[:1] == ["lolli"] else words)


def filled(text: str, facts: Mapping[str, str]) -> str:
    """Replace each `{{name}}` by a fact. Raises KeyError."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: facts[match[1]], text)


def _blocks(lines: list[str], first: int) -> Iterator[Block]:
    text: list[str] = []
    inside: list[str] | None = None  # the lines of one of our blocks
    copying = False  # inside another fenced block
    kind = words = ""
    for number, line in enumerate(lines, first):
        fence = line.startswith(_FENCE)
        if inside is not None:
            if fence:
                yield Block(kind, words, tuple(inside), number - len(inside) - 1)
                inside = None
            else:
                inside.append(line)
            continue
        kind, _, words = line.removeprefix(_FENCE).partition(" ")
        if fence and not copying and kind in KINDS:
            yield Block("", "", tuple(text), number - len(text))
            text, inside = [], []
            continue
        copying ^= fence
        text.append(line)
    yield Block("", "", tuple(text), first + len(lines) - len(text))


ROOT = Path(__file__).resolve().parent.parent.parent
INPUTS = ("docs/games/*", "docs/searchers/*.py", "docs/searchers/*.toml", "scripts/laboratory/data/*.epd")
PATIENCE = 120.0  # seconds for one command
_POLL = 0.05  # seconds
_GRACE = 5.0  # seconds for a process to end by itself


class Shell:
    """A new folder with INPUTS, and commands started there. The end of the context stops and removes them."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self._temporary = tempfile.TemporaryDirectory(prefix="lolli-")
        self.folder = Path(self._temporary.name, "games")
        self.folder.mkdir()
        for pattern in INPUTS:
            for file in ROOT.glob(pattern):
                shutil.copy(file, self.folder)
        self.environment = {
            "PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": self._temporary.name,
            "SHELL": "/bin/bash",
            "LC_ALL": "C.UTF-8",
        }
        self._started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._started):
            _end(process)
        self._temporary.cleanup()

    def run(self, command: str, status: int = 0) -> str:
        self.tell(command)
        process = self._start(command, subprocess.PIPE)
        try:
            written = process.communicate(timeout=PATIENCE)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            _end(process)
            raise DocumentationError(f"{command}: still running after {PATIENCE:.0f} s") from None
        if process.returncode != status:
            raise DocumentationError(f"{command}: exit status {process.returncode}, not {status}\n{written}")
        return self.checked(command, written)

    def start(self, command: str, pattern: str) -> None:
        """Start a command that runs until the end of the shell; wait until it has written `pattern`."""
        self.tell(command)
        with tempfile.TemporaryFile() as log:
            process = self._start(command, log.fileno())
            self._started.append(process)
            deadline = time.monotonic() + PATIENCE
            while not re.search(pattern, written := _all(log.fileno())):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise DocumentationError(f"{command}: no output matches {pattern!r}\n{written}")
                time.sleep(_POLL)

    def checked(self, command: str, text: str) -> str:
        """The text. Raises DocumentationError if it names folders of this machine."""
        for private in (self._temporary.name, str(ROOT), str(Path.home())):
            if private in text:
                raise DocumentationError(f"{command}: the output names {private}\n{text}")
        return text

    def _start(self, command: str, output: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _all(descriptor: int) -> str:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode(errors="replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout:
        process.stdout.close()


FOLDER = "pictures"  # beside the page
_INTERACTIVE = "bash --norc --noprofile"
_DESKTOP_SCALE, _PHONE_SCALE = 1.5, 2.0  # pixels of the picture to one of CSS
_ELSEWHERE = re.compile(r"(?:href|src)\s*=\s*[\"'](?!#|data:)|url\(\s*[\"']?(?!#|data:)|@import")


@dataclass
class PageWriter:
    """`tell` gets the name of the section and each command before it is run; pictures are by file name."""

    tell: Callable[[str, str], None]
    pictures: dict[str, bytes] = field(default_factory=dict)

    def written(self, section: Section) -> str:
        parts: list[str] = []
        with Shell(partial(self.tell, section.name)) as shell:
            for block in section.blocks:
                parts += self._block(block, shell)
        return "\n".join(parts)

    def _block(self, block: Block, shell: Shell) -> Iterator[str]:
        if not block.kind:
            return iter(block.lines)
        do: Callable[[Block, Shell], Iterator[str]] = getattr(self, f"_{block.kind}")
        return do(block, shell)

    def _run(self, block: Block, shell: Shell) -> Iterator[str]:
        options = _options(block)
        told = []
        for command in block.commands():
            written = shell.run(command, int(options.get("status", "0"))).strip("\n")
            lines = cut(written, options.get("cut"), int(options.get("columns", "0")))
            told.append("\n".join([f"$ {command}", *lines]))
        yield from fenced("\n\n".join(told))

    def _start(self, block: Block, shell: Shell) -> Iterator[str]:
        for command in block.commands():
            shell.start(command, block.words)
            yield from fenced(f"$ {command}")

    def _screen(self, block: Block, shell: Shell) -> Iterator[str]:
        commands = block.commands()
        shown = [part for command in commands for part in fenced(f"$ {command}")]
        command = commands[0] if commands else _INTERACTIVE
        shell.tell(command)
        with Terminal(command, _size(block.words), shell.folder, shell.environment) as terminal:
            for verb, rest in block.verbs():
                if verb == "until":
                    terminal.until(rest, PATIENCE)
                elif verb == "press":
                    terminal.press(rest)
                elif verb == "type":
                    terminal.press(rest)
                    terminal.press("enter")
                elif verb == "picture":
                    name, _, description = rest.partition(" ")
                    shell.checked(command, terminal.text)
                    self._add(f"{name}.svg", drawn(terminal.lines(), command).encode())
                    shown += ["", f"![{description}]({FOLDER}/{name}.svg)"]
                elif verb == "text":
                    shown += fenced(shell.checked(command, terminal.text))
                elif verb == "end":
                    status = terminal.wait(PATIENCE)
                    if status != int(rest or "0"):
                        raise DocumentationError(f"{command}: exit status {status}\n{terminal.text}")
                else:
                    raise DocumentationError(f"line {block.line}: unknown verb {verb!r} for a terminal")
        yield from shown

    def _browser(self, block: Block, shell: Shell) -> Iterator[str]:
        images = []
        with Browser(shell.folder / block.words) as browser:
            width = 0
            for verb, rest in block.verbs():
                if verb in ("desktop", "phone"):
                    phone = verb == "phone"
                    width, height = _size(rest)
                    browser.resize(width, height, _PHONE_SCALE if phone else _DESKTOP_SCALE, mobile=phone)
                elif verb == "click":
                    browser.click(rest)
                elif verb == "top":
                    browser.scroll_up()
                elif verb == "picture":
                    name, _, description = rest.partition(" ")
                    self._add(f"{name}.png", browser.picture())
                    images.append(_image(f"{name}.png", width, description))
                else:
                    raise DocumentationError(f"line {block.line}: unknown verb {verb!r} for a browser")
        yield "\n&nbsp;\n".join(images)

    def _picture(self, block: Block, shell: Shell) -> Iterator[str]:
        name, width = block.words.split()
        data = (shell.folder / name).read_bytes()
        self._add(name, small_png(data) if name.endswith(".png") else data)
        yield _image(name, int(width), " ".join(block.lines))

    def _add(self, name: str, data: bytes) -> None:
        if name in self.pictures:
            raise DocumentationError(f"two pictures are called {name}")
        if name.endswith(".svg") and (found := _ELSEWHERE.search(data.decode())):
            raise DocumentationError(f"{name} refers to another file: {found[0]}")
        self.pictures[name] = data


def pictures_of(text: str) -> set[str]:
    return set(re.findall(rf"\b{FOLDER}/([\w.-]+)", text))


def fenced(text: str) -> tuple[str, str, str]:
    return "```console", text, "```"


def cut(text: str, limit: str | None, columns: int) -> list[str]:
    """`limit`: first and last lines to keep, as in `8+2`. `columns`: the longest line, 0 for any length."""
    lines = [line.rstrip() for line in text.split("\n")] if text else []
    if limit:
        first, last = (int(number) for number in limit.split("+"))
        if len(lines) > first + last + 1:
            lines[first : len(lines) - last] = ["…"]
    if columns:
        lines = [line if len(line) <= columns else f"{line[: columns - 1]}…" for line in lines]
    return lines


def _options(block: Block) -> dict[str, str]:
    known = {"status", "cut", "columns"}
    options = dict(word.partition("=")[::2] for word in block.words.split())
    if unknown := options.keys() - known:
        raise DocumentationError(f"line {block.line}: unknown option {', '.join(sorted(unknown))}")
    return options


def _size(words: str) -> tuple[int, int]:
    with suppress(ValueError):
        width, height = (int(number) for number in words.split("x"))
        return width, height
    raise DocumentationError(f"not a size of the form WIDTHxHEIGHT: {words!r}")


def _image(name: str, width: int, description: str) -> str:
    return f'<img src="{FOLDER}/{name}" width="{width}" alt="{description}">'


STRENGTH = ROOT / "docs" / "strength.md"
FIGURE = ROOT / "docs" / "images" / "strength.svg"

_ROW = re.compile(r"^\| ([^|]+?) \| (\d+), (\d+), (\d+)", re.MULTILINE)
_BARS = Template(
    """\
<svg xmlns="http://www.w3.org/2000/svg" width="800" height="{{ height }}" viewBox="0 0 800 {{ height }}" \
font-family="system-ui, sans-serif" font-size="14" fill="#24292f">
<title>Lolli against other engines</title>
<rect width="800" height="{{ height }}" rx="8" fill="#fbfaf7"/>
{% for name, colour in colours.items() -%}
<rect x="{{ 290 + 80 * loop.index0 }}" y="16" width="12" height="12" fill="{{ colour }}"/>
<text x="{{ 308 + 80 * loop.index0 }}" y="27">{{ name }}</text>
{% endfor -%}
<text x="784" y="27" text-anchor="end" fill="#57606a">points</text>
{% for opponent, games in scores -%}
{% set y = 46 + 30 * loop.index0 -%}
{% set all = games | sum -%}
{% set x = namespace(at=290.0) -%}
<text x="278" y="{{ y + 14 }}" text-anchor="end">{{ opponent }}</text>
{% for name, colour in colours.items() -%}
{% set width = 420 * games[loop.index0] / all -%}
{% if width -%}
<rect x="{{ "%.1f" | format(x.at) }}" y="{{ y }}" width="{{ "%.1f" | format(width) }}" height="18" \
fill="{{ colour }}"><title>{{ name }}: {{ games[loop.index0] }} of {{ all }}</title></rect>
{% endif -%}
{% set x.at = x.at + width -%}
{% endfor -%}
<text x="784" y="{{ y + 14 }}" text-anchor="end">{{ "%.1f" | format(100 * points(games)) }}%</text>
{% endfor -%}
</svg>
""",
    autoescape=True,
)
_COLOURS = {"won": "#2f7d5b", "drawn": "#c9c6bd", "lost": "#c2603f"}
Score = tuple[str, tuple[int, int, int]]
"""An opponent, and how many games were won, drawn and lost."""


def scores(page: str) -> list[Score]:
    """A row begins with the opponent, up to a semicolon, and with the games won, lost and drawn."""
    found: dict[str, tuple[int, int, int]] = {}
    for words, won, lost, draws in _ROW.findall(page):
        found.setdefault(words.partition(";")[0], (int(won), int(draws), int(lost)))
    if not found:
        raise DocumentationError(f"{STRENGTH.name}: no row with the games won, lost and drawn")
    return sorted(found.items(), key=lambda score: points(score[1]))


def points(games: tuple[int, int, int]) -> float:
    won, draws, lost = games
    return (won + draws / 2) / (won + draws + lost)


def strength_svg(results: list[Score]) -> str:
    height = 60 + 30 * len(results)
    text: str = _BARS.render(scores=results, colours=_COLOURS, height=height, points=points)
    return f"{text}\n"


def write_strength_figure() -> None:
    FIGURE.parent.mkdir(exist_ok=True)
    FIGURE.write_text(strength_svg(scores(STRENGTH.read_text(encoding="utf-8"))), encoding="utf-8")


TREE_PAGES = ROOT / "docs" / "searchers"
_TREE_COMMAND = re.compile(r"^(lolli tree .*--svg ([\w-]+\.svg))$", re.MULTILINE)


def picture_commands() -> dict[str, str]:
    found: dict[str, str] = {}
    for page in sorted(TREE_PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        commands = {name: command for command, name in _TREE_COMMAND.findall(text)}
        for name in sorted(pictures_of(text)):
            if name not in commands or name in found:
                raise DocumentationError(f"{page.name}: {name} needs one command lolli tree … --svg {name}")
            found[name] = commands[name]
    return found


def write_tree_pictures(tell: Callable[[str], None]) -> None:
    """Redraw all pictures. Raises DocumentationError, and then writes nothing."""
    with Shell(tell) as shell:
        commands = picture_commands()
        for command in commands.values():
            shell.run(command)
        made = {name: (shell.folder / name).read_bytes() for name in commands}
    folder = TREE_PAGES / FOLDER
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        if file.name not in made:
            file.unlink()
    for name, data in made.items():
        (folder / name).write_bytes(data)


SOURCE = Path(__file__).parent / "commands.md.in"
PAGE = ROOT / "docs" / "commands.md"
LARGEST_PICTURE, LARGEST_SUM = 300_000, 1_500_000  # bytes


@click.command(
    epilog="""\b
Examples:
  scripts/document                   the whole page
  scripts/document analyse play      only these sections, and the date"""
)
@click.argument("names", nargs=-1, metavar="[SECTION]...")
def command(names: tuple[str, ...]) -> None:
    """Write docs/commands.md and its pictures: every command on it is run for real.

    Without a SECTION the pictures of trees on the pages of docs/searchers are drawn again, too. The figure of
    README.md always is, from the table of docs/strength.md.

    A SECTION is the heading without `lolli`: `analyse`, `exit-statuses`. All other sections stay as they are.
    Nothing is written unless all commands do what the source of the page says. Otherwise the exit status is
    1, and the command that failed is named.
    """
    source = sections(SOURCE.read_text())
    old = sections(PAGE.read_text()) if PAGE.exists() else {}
    if unknown := [name for name in names if name not in source]:
        known = ", ".join(name for name in source if name)
        raise click.UsageError(f"unknown section {', '.join(unknown)}: use {known}")
    begun = time.monotonic()

    def tell(section: str, command: str) -> None:
        click.echo(f"{time.monotonic() - begun:6.1f} s  {section:12}  {command.splitlines()[0]}", err=True)

    writer = PageWriter(tell)
    text = composed(source, old, names, _facts(), writer)
    store(PAGE, text, writer.pictures)
    if not names:
        write_tree_pictures(partial(tell, "searchers"))
    write_strength_figure()
    click.echo(f"{PAGE.relative_to(ROOT)} written in {time.monotonic() - begun:.0f} s", err=True)


def composed(
    source: Mapping[str, Section],
    old: Mapping[str, Section],
    names: Collection[str],
    facts: Mapping[str, str],
    writer: PageWriter,
) -> str:
    """New sections and the introduction, which has the date, are always renewed; all if none is named."""
    return "\n".join(
        old[name].text
        if names and name not in (INTRODUCTION, *names) and name in old
        else writer.written(Section(name, filled(section.text, facts), section.line))
        for name, section in source.items()
    )


def store(page: Path, text: str, pictures: Mapping[str, bytes]) -> None:
    """Remove pictures that the page does not show. Writes nothing if a picture is missing or too large."""
    folder = page.parent / FOLDER
    folder.mkdir(exist_ok=True)
    shown = pictures_of(text)
    sizes = {file.name: file.stat().st_size for file in folder.iterdir() if file.name in shown}
    sizes |= {name: len(data) for name, data in pictures.items()}
    if missing := shown - sizes.keys():
        raise DocumentationError(f"missing picture {', '.join(sorted(missing))}")
    if large := [name for name, size in sizes.items() if size > LARGEST_PICTURE]:
        raise DocumentationError(f"larger than {LARGEST_PICTURE} bytes: {', '.join(sorted(large))}")
    if sum(sizes.values()) > LARGEST_SUM:
        raise DocumentationError(f"the pictures have {sum(sizes.values())} bytes, more than {LARGEST_SUM}")
    for file in folder.iterdir():
        if file.name not in shown:
            file.unlink()
    for name, data in pictures.items():
        (folder / name).write_bytes(data)
    page.write_text(text)


def _facts() -> dict[str, str]:
    today = date.today()  # noqa: DTZ011 - the day where it is run
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {
        "date": f"{today.day} {today:%B %Y}",
        "processor": found[1] if found else platform.machine(),
        "cores": str(processors()),
        "python": platform.python_version(),
    }
