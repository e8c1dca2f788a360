"""Commands that a player can type besides moves, by their words, and what is shown after one."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

QUIT = "quit"
_ALIKE = 0.75


@dataclass(frozen=True, slots=True)
class PlayCommand:
    """A command: its word, its argument, its effect, and other words for it."""

    name: str
    argument: str
    description: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayReply:
    """Lines to show: below the board, or `alone` in its place. `changed`: the board is different."""

    lines: tuple[RenderableType, ...] = ()
    changed: bool = False
    alone: bool = False


UNDO = PlayCommand(
    "undo", "[N]", "take back your last move and the reply, or your last N", ("takeback", "back")
)
RESIGN = PlayCommand("resign", "", "give up")
BOARD = PlayCommand("board", "", "show the board again")
NEW = PlayCommand("new", "", "begin a new game")
HELP = PlayCommand("help", "", "show this help", ("?", "h"))
LEAVE = PlayCommand(QUIT, "", "quit, as Ctrl-D does", ("exit", "q", "bye"))


class CommandWords:
    """All commands of a dialogue."""

    def __init__(self, commands: Sequence[PlayCommand], introduction: Sequence[str]) -> None:
        """`introduction`: the first lines of the help."""
        self.names = [command.name for command in commands]
        self._commands = commands
        self._introduction = introduction
        self._by_word = {
            word: command.name for command in commands for word in (command.name, *command.others)
        }

    def find(self, line: str) -> tuple[str, str] | None:
        """The command at the beginning of a line, and its argument; None if there is none."""
        word, _, rest = line.strip().partition(" ")
        name = self._by_word.get(word.lower())
        return None if name is None else (name, rest.strip())

    def similar_to(self, text: str) -> str | None:
        """The command most similar to a text; None if none is similar."""
        alike = get_close_matches(text.strip().lower(), self._by_word, 1, cutoff=_ALIKE)
        return self._by_word[alike[0]] if alike else None

    def help_lines(self) -> list[str]:
        """The lines of the help."""
        calls = [f"{command.name} {command.argument}".strip() for command in self._commands]
        width = max(map(len, calls))
        described = zip(calls, self._commands, strict=True)
        return [
            *self._introduction,
            *(f"  {call:{width}}  {command.description}" for call, command in described),
        ]


def whole_number(text: str, least: int, most: int) -> int | None:
    """A whole number from `least` to `most`; None for any other text."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(most)):
        return None
    number = int(text)
    return number if least <= number <= most else None
