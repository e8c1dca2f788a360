"""A dialogue with a player: line after line is read and obeyed, and the board is shown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from protocol.cli.playing.command_words import PlayReply
from protocol.cli.playing.play_terminal import BoardScreen, Keyboard

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.cli.playing.play_terminal import Drawable
    from protocol.cli.terminal.board import BoardSize

_FAILED = 1  # exit status


class PlayDialogue(ABC):
    """One dialogue, in the terminal or through pipes, until the player leaves."""

    def __init__(
        self, completions: Callable[[str], Sequence[str]], board_size: BoardSize | None = None
    ) -> None:
        """`completions(line)` returns the completions of the last word.

        `board_size` is for `view`; None: as large as fits.
        """
        self.board_size = board_size
        self.keyboard = Keyboard(completions)
        self.screen = BoardScreen(redraws=self.keyboard.is_terminal)
        self.has_failed = False
        self._was_interrupted = False

    @abstractmethod
    def begin(self) -> PlayReply:
        """What is shown at first."""

    @abstractmethod
    def ask(self) -> str:
        """The next line, as Keyboard.ask reads it, with a prompt. Raises what that raises."""

    @abstractmethod
    def obey(self, line: str) -> PlayReply:
        """Execute a line. Raises EOFError where the player leaves, as at the end of the input."""

    @abstractmethod
    def view(self) -> Drawable:
        """The board at this moment."""

    @abstractmethod
    def end(self) -> tuple[str, ...]:
        """Stop whatever runs. Returns the last words."""

    def run(self) -> int:
        """Play until the player leaves. Returns the exit status."""
        with self.keyboard:
            status = self.keyboard.status_after(self._talk)
            self.screen.say(("", *self.end()))
            return status or (_FAILED if self.has_failed else 0)

    def _talk(self) -> None:
        self._show(self.begin())
        while True:
            self._show(self.obey(self._next_line()))

    def _next_line(self) -> str:
        """The line that the player types. Raises what Keyboard.ask raises."""
        try:
            line = self.ask()
        except KeyboardInterrupt:
            if self._was_interrupted or not self.keyboard.is_terminal:
                raise
            self._was_interrupted = True
            self._show(PlayReply(("Press Ctrl-C again to quit.",)))
            return self._next_line()
        self._was_interrupted = False
        return line

    def _show(self, reply: PlayReply) -> None:
        if reply.alone:
            self.screen.show_alone(reply.lines)
        elif reply.changed or self.screen.redraws:
            self.screen.show(self.view(), reply.lines)
        else:
            self.screen.say(reply.lines)
