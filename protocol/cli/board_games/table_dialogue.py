"""Between a person and a game against a searcher: reads lines, executes them, shows the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.rules.game import CHANCE, IllegalMoveError
from protocol.cli.board_games.table_commands import OVER, WORDS, TableCommands, completions
from protocol.cli.board_games.table_view import TableView
from protocol.cli.playing.command_words import QUIT, PlayReply
from protocol.cli.playing.play_dialogue import PlayDialogue

if TYPE_CHECKING:
    from rich.console import RenderableType

    from protocol.cli.board_games.table import GameTable
    from protocol.cli.terminal.board import BoardSize

_PASSING = ["pass"]


class TableDialogue(PlayDialogue):
    """Runs a game in the terminal, or through pipes."""

    def __init__(self, table: GameTable, board_size: BoardSize | None = None) -> None:
        """Nothing is shown yet."""
        super().__init__(lambda line: completions(line, table), board_size)
        self._table = table
        self._orders = TableCommands(table, self.keyboard.busy)

    def begin(self) -> PlayReply:
        """See PlayDialogue."""
        table = self._table
        moves = table.state.moves() if table.is_mine else ()
        example = f", as in {table.game.text(table.state, moves[0])}" if moves else ""
        return self._proceed(
            (
                f"{table.game.title}: {self._orders.seated()}.",
                f"Type a move{example}, or help for the commands.",
            )
        )

    def ask(self) -> str:
        """See PlayDialogue."""
        return self.keyboard.ask("Game over: " if self._table.is_over else "Your move: ")

    def obey(self, line: str) -> PlayReply:
        """Execute a line, and let the others move if it is their turn then. See PlayDialogue."""
        text = line.strip()
        if not text:
            return PlayReply()
        refusal = ""
        if not self._table.is_over:
            refusal = self._refusal(text)
            if not refusal:
                return self._proceed()
        command = WORDS.find(text)
        if command is None:
            if not refusal:
                return OVER
            meant = WORDS.similar_to(text)
            return PlayReply((f"{refusal}: {f'did you mean {meant}?' if meant else 'type moves or help.'}",))
        if command[0] == QUIT:
            raise EOFError
        reply = self._orders.obey(*command)
        return self._proceed(reply.lines) if reply.changed else reply

    def view(self) -> TableView:
        """See PlayDialogue."""
        return TableView(self._table, self.board_size)

    def end(self) -> tuple[str, ...]:
        """See PlayDialogue."""
        return ()

    def _refusal(self, text: str) -> str:
        """Play the move that a text means, or say why it means none."""
        try:
            self._table.play(text)
        except IllegalMoveError as error:
            return str(error)
        return ""

    def _proceed(self, lines: tuple[RenderableType, ...] = ()) -> PlayReply:
        """Let chance and the searcher move until the person is to move. The reply begins with `lines`."""
        table = self._table
        while not table.is_over and not table.is_mine:
            if self.screen.redraws and table.state.player != CHANCE:
                self.screen.show(self.view(), (*lines, f"{table.entrant.label} is thinking …"))
            with self.keyboard.busy(table.stop):
                lines = (*lines, table.answer())
        if table.is_over:
            return PlayReply((*lines, table.result()), changed=True)
        texts = [table.game.text(table.state, move) for move in table.state.moves()[:2]]
        only = ("You can only pass: type pass.",) if texts == _PASSING else ()
        return PlayReply((*lines, *only), changed=True)
