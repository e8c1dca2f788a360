"""Pictures of searched trees on the pages of docs/searchers, each made by a command on its page.

A page that shows `pictures/NAME.svg` also has a line `lolli tree … --svg NAME.svg`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scripts.documentation.page_source import DocumentationError
from scripts.documentation.page_writer import FOLDER, pictures_of
from scripts.documentation.shell import ROOT, Shell

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES = ROOT / "docs" / "searchers"
_COMMAND = re.compile(r"^(lolli tree .*--svg ([\w-]+\.svg))$", re.MULTILINE)


def picture_commands() -> dict[str, str]:
    """The command of each picture that a page shows, by file name. Raises DocumentationError."""
    found: dict[str, str] = {}
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        commands = {name: command for command, name in _COMMAND.findall(text)}
        for name in sorted(pictures_of(text)):
            if name not in commands or name in found:
                raise DocumentationError(f"{page.name}: {name} needs one command lolli tree … --svg {name}")
            found[name] = commands[name]
    return found


def write_tree_pictures(tell: Callable[[str], None]) -> None:
    """Make all pictures anew. Raises DocumentationError, and then writes nothing."""
    with Shell(tell) as shell:
        commands = picture_commands()
        for command in commands.values():
            shell.run(command)
        made = {name: (shell.folder / name).read_bytes() for name in commands}
    folder = PAGES / FOLDER
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        if file.name not in made:
            file.unlink()
    for name, data in made.items():
        (folder / name).write_bytes(data)
