"""The source of the page: Markdown with fenced blocks of five kinds, which say what to run and to show.

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

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class DocumentationError(click.ClickException):
    """A command does not do what the page says. The message names the command or the line."""


KINDS = ("run", "start", "screen", "browser", "picture")
INTRODUCTION = ""  # the name of the part before the first section
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the source: text to copy, or something to run. `line` is the number of its first line."""

    kind: str  # one of KINDS, or empty for text
    words: str  # of the first line, after the kind
    lines: tuple[str, ...]
    line: int

    def commands(self) -> list[str]:
        """The commands as in the source, without `$ `."""
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
        """The actions in a terminal or browser: a verb, and the rest of its line."""
        started = not any(line.startswith("$ ") for line in self.lines)
        for line in self.lines:
            if started and line:
                verb, _, rest = line.partition(" ")
                yield verb, rest.strip()
            started = started or not line.endswith("\\")


@dataclass(frozen=True)
class Section:
    """A section with its heading. The introduction has neither heading nor name."""

    name: str
    text: str
    line: int

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks, in order."""
        return tuple(_blocks(self.text.split("\n"), self.line))

    @property
    def commands(self) -> list[str]:
        """All commands of the section."""
        return [command for block in self.blocks if block.kind for command in block.commands()]


def sections(text: str) -> dict[str, Section]:
    """The sections of a page or its source by name, the introduction first. Raises DocumentationError."""
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
    """`## lolli analyse` is `analyse`, `## Exit statuses` is `exit-statuses`."""
    words = re.findall(r"\w+", heading.lower())
    return "-".join(words[1:] if words[:1] == ["lolli"] else words)


def filled(text: str, facts: Mapping[str, str]) -> str:
    """The text with each `{{name}}` replaced by a fact. Raises KeyError."""
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
