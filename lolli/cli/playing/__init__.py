"""A game against the machine, in the terminal or through pipes: the words that are typed, and the loop."""

import io
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from textwrap import wrap
from typing import ClassVar

from rich.console import Console, RenderableType
from rich.text import Text

from lolli.cli.terminal.board import BoardSize
from lolli.cli.terminal.keys import Keyboard, TimeUpError
from lolli.cli.terminal.screen import output

_FAILED = 1  # exit status
_ALIKE = 0.75
_MOST_MOVES = 1000  # to take back at once
_QUIT = "quit"

Lines = tuple[RenderableType, ...]


@dataclass(frozen=True, slots=True)
class Word:
    name: str
    argument: str
    description: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """Lines to show: below the board, or `alone` in its place. `changed`: the board is different."""

    lines: Lines = ()
    changed: bool = False
    alone: bool = False


def said(*lines: RenderableType) -> Reply:
    return Reply(lines)


def changed(*lines: RenderableType) -> Reply:
    return Reply(lines, changed=True)


class Dialogue(ABC):
    """A game against the machine. There is a method `do_NAME(argument)` for each of its `words`."""

    own_words: ClassVar[Sequence[Word]]
    while_playing: ClassVar[frozenset[str]]
    """The names of the words that need a game that is not over."""
    introduction: ClassVar[Sequence[str]]
    """The first lines of the help."""
    over: ClassVar[str]
    """The answer to a move after the end of the game."""

    @classmethod
    def words(cls) -> tuple[Word, ...]:
        return (
            Word(
                *("undo", "[N]", "take back your last move and the reply, or your last N"),
                others=("takeback", "back"),
            ),
            *cls.own_words,
            Word("resign", "", "give up"),
            Word("board", "", "show the board again"),
            Word("new", "", "begin a new game"),
            Word("help", "", "show this help", ("?", "h")),
            Word(_QUIT, "", "quit, as Ctrl-D does", ("exit", "q", "bye")),
        )

    def __init__(self, board_size: BoardSize | None) -> None:
        """`board_size` None: as large as fits."""
        self.board_size = board_size
        self.keyboard = Keyboard(self.completions)
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        self._console = output()
        self._redraws = (
            self.keyboard.is_terminal and self._console.is_terminal and not self._console.is_dumb_terminal
        )
        self._was_interrupted = False
        self.has_failed = False
        self.resigned = False

    # What each game answers

    @property
    @abstractmethod
    def is_over(self) -> bool: ...

    @property
    @abstractmethod
    def is_mine(self) -> bool:
        """Whether the person is to move, if the game is not over."""

    @abstractmethod
    def greeting(self) -> Lines: ...

    @abstractmethod
    def draw(self, console: Console) -> Sequence[Text]:
        """The board with its notes, in lines for a console, in `board_size`."""

    @abstractmethod
    def play(self, text: str) -> str:
        """Play the move that a text means. Returns why it means none, else nothing."""

    @abstractmethod
    def thinker(self) -> str:
        """The name of the player to move, if its move takes time."""

    @abstractmethod
    def answer(self) -> Lines:
        """Let the player to move, not the person, move. Returns sentences about it."""

    @abstractmethod
    def stop(self) -> None:
        """End the search that is going on. May be called from any thread or signal handler."""

    @abstractmethod
    def remarks(self) -> Lines:
        """What to say of the position before the person moves, or of the end of the game."""

    @abstractmethod
    def take_back(self, moves: int) -> bool:
        """Undo `moves` moves of the person, with the replies. False if there are fewer."""

    @abstractmethod
    def move_texts(self) -> list[str]:
        """The legal moves of the person."""

    def begin_turn(self) -> float | None:
        """Start the clock of the person to move: the seconds left for the next line; None for no limit."""
        return None

    def is_late(self) -> bool:
        """End the game if the time of the player to move is up. Returns whether it did."""
        return False

    def end(self) -> Lines:
        return ()

    # The loop

    def run(self) -> int:
        with self.keyboard:
            try:
                status = self.keyboard.status_after(self._talk)
            finally:
                last = self.end()  # saves the game, also where the terminal has gone away
            self._print(("", *last))
            return status or (_FAILED if self.has_failed else 0)

    def _talk(self) -> None:
        self._show(self.proceed(self.greeting()))
        while True:
            self._show(self.obey(self._next_line()))

    def _next_line(self) -> str:
        while True:
            try:
                line = self.keyboard.ask("Game over: " if self.is_over else "Your move: ", self.begin_turn())
            except TimeUpError:
                line = ""
            except KeyboardInterrupt:
                if self._was_interrupted or not self.keyboard.is_terminal:
                    raise
                self._was_interrupted = True
                self._show(said("Press Ctrl-C again to quit."))
                continue
            self._was_interrupted = False
            return line

    def _show(self, reply: Reply) -> None:
        if self._redraws:
            self._console.clear()
        elif reply.changed:
            self._console.print()
        if (reply.changed or self._redraws) and not reply.alone:
            for line in self.draw(self._console):
                self._console.print(line, no_wrap=True, overflow="crop", crop=True)
            self._console.print()
        self._print(reply.lines)

    def _print(self, lines: Lines) -> None:
        for line in lines:
            self._console.print(line)

    def obey(self, line: str) -> Reply:
        """Play the move or execute the command of a line. Raises EOFError where the person leaves."""
        text, refusal = line.strip(), ""
        if text and not self.is_over:
            refusal = self.play(text)
            if not refusal:
                return self.proceed()
        name, _, argument = text.partition(" ")
        word = next((word for word in self.words() if name.lower() in (word.name, *word.others)), None)
        if word is not None and word.name == _QUIT:
            raise EOFError
        if self.is_late():
            return self.proceed()
        if not text:
            return Reply()
        if self.is_over and (word is None or word.name in self.while_playing):
            return said(self.over)
        reply: Reply = said(refusal) if word is None else getattr(self, f"do_{word.name}")(argument.strip())
        return self.proceed(reply.lines) if reply.changed or self.is_late() else reply

    def proceed(self, lines: Lines = ()) -> Reply:
        """Let the others move until the person is to move. The reply begins with `lines`."""
        while not self.is_over and not self.is_mine:
            if self._redraws and (thinker := self.thinker()):
                self._show(changed(*lines, f"{thinker} is thinking …"))
            with self.keyboard.busy(self.stop):
                lines = (*lines, *self.answer())
        return changed(*lines, *self.remarks())

    @classmethod
    def similar_to(cls, text: str) -> str | None:
        names = {name: word.name for word in cls.words() for name in (word.name, *word.others)}
        alike = get_close_matches(text.strip().lower(), names, 1, cutoff=_ALIKE)
        return names[alike[0]] if alike else None

    def completions(self, line: str) -> list[str]:
        words = [] if " " in line else [*(word.name for word in self.words()), *self.move_texts()]
        return [word for word in words if word.lower().startswith(line.lower())]

    # The words that all games have

    def do_undo(self, argument: str) -> Reply:
        count = whole_number(argument or "1", 1, _MOST_MOVES)
        if count is None:
            return said("Type undo for your last move, undo 2 for the last two.")
        had_resigned, self.resigned = self.resigned, False
        if self.take_back(count - had_resigned):  # which counts as a move
            back = had_resigned and count == 1
            return changed("Your resignation is taken back." if back else "Taken back.")
        self.resigned = had_resigned
        return said("There is no move to take back." if count == 1 else "You have not made that many moves.")

    def do_resign(self, _argument: str) -> Reply:
        self.resigned = True
        return changed()

    def do_board(self, _argument: str) -> Reply:
        return changed()

    def do_help(self, _argument: str) -> Reply:
        calls = {f"{word.name} {word.argument}".strip(): word.description for word in self.words()}
        width = max(map(len, calls))
        commands = (f"  {call:{width}}  {description}" for call, description in calls.items())
        return Reply((*self.introduction, *commands), alone=True)


def whole_number(text: str, least: int, most: int) -> int | None:
    """None if the text is anything else."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(most)):
        return None
    number = int(text)
    return number if least <= number <= most else None


def last_lines(moves: str, width: int, most: int) -> list[str]:
    lines = wrap(moves, width, break_on_hyphens=False)
    if len(lines) <= most:
        return lines
    lines = lines[-most:]
    return [f"… {lines[0]}" if len(lines[0]) + 2 <= width else lines[0], *lines[1:]]
