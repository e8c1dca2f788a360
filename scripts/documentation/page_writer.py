"""Writes the page: runs what each section of its source says, and inserts the results."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from scripts.documentation.browser import Browser, small_png
from scripts.documentation.page_source import DocumentationError
from scripts.documentation.shell import PATIENCE, Shell
from scripts.documentation.terminal import Terminal, drawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scripts.documentation.page_source import Block, Section

FOLDER = "pictures"  # beside the page
_INTERACTIVE = "bash --norc --noprofile"
_DESKTOP_SCALE, _PHONE_SCALE = 1.5, 2.0  # pixels of the picture to one of CSS
_ELSEWHERE = re.compile(r"(?:href|src)\s*=\s*[\"'](?!#|data:)|url\(\s*[\"']?(?!#|data:)|@import")


@dataclass
class PageWriter:
    """Writes sections, and collects their pictures by file name.

    `tell` is called with the name of the section and each command before it is run.
    """

    tell: Callable[[str, str], None]
    pictures: dict[str, bytes] = field(default_factory=dict)

    def written(self, section: Section) -> str:
        """The text of a section on the page. Raises DocumentationError."""
        parts: list[str] = []
        with Shell(partial(self.tell, section.name)) as shell:
            for block in section.blocks:
                parts += self._block(block, shell)
        return "\n".join(parts)

    def _block(self, block: Block, shell: Shell) -> Iterator[str]:
        kinds = {
            "": self._text,
            "run": self._run,
            "start": self._start,
            "screen": self._screen,
            "browser": self._browser,
            "picture": self._picture,
        }
        return kinds[block.kind](block, shell)

    def _text(self, block: Block, _shell: Shell) -> Iterator[str]:
        yield from block.lines

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
                    self._add(f"{name}.svg", drawn(terminal.cells(), command).encode())
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
    """The files in FOLDER that a page refers to."""
    return set(re.findall(rf"\b{FOLDER}/([\w.-]+)", text))


def fenced(text: str) -> tuple[str, str, str]:
    """A block of code with commands and their output."""
    return "```console", text, "```"


def cut(text: str, limit: str | None, columns: int) -> list[str]:
    """The lines of a text, with `…` for what is left out.

    `limit`: the number of lines at the beginning and the end, as in `8+2`. `columns`: the longest line, 0 for
    any length.
    """
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
