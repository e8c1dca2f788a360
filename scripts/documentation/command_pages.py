"""A page for each command of `lolli`: its options from click, its examples from docs/commands.md."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import click

from lolli.cli.group import COMMANDS, group
from scripts.documentation.page_source import Section, sections

if TYPE_CHECKING:
    from collections.abc import Iterator

INDEX = "index"
_VERBATIM = "\b"  # click's mark of a paragraph to be left as it is


def command_pages(text: str) -> dict[str, str]:
    """The pages by name, INDEX for what is about all commands, from the text of docs/commands.md."""
    found = sections(text)
    general = "\n".join(section.text for name, section in found.items() if name not in COMMANDS)
    pages = {INDEX: general}
    for name in sorted(COMMANDS):
        section = found.get(name, Section(name, f"## lolli {name}\n\n{COMMANDS[name].help}\n", 1))
        pages[name] = _promoted(section.text).rstrip("\n") + "\n\n" + options(name)
    return pages


def options(name: str) -> str:
    """How a command is called, what it is told by, and its help, in Markdown."""
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
    """The paragraphs of a help text, each followed by an empty line."""
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
    """The text with its headings one level higher."""
    fenced = False
    lines = []
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        lines.append(line[1:] if not fenced and line.startswith("##") else line)
    return "\n".join(lines)
