"""What is shown of a game: its board, and beside it who plays, and the last moves."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.text import Text

from protocol.cli.terminal.game_board import NOTES, beside, position_lines, side_text

if TYPE_CHECKING:
    from rich.console import Console

    from protocol.cli.board_games.table import GameTable
    from protocol.cli.terminal.board import BoardSize

_BELOW = 8  # lines kept for what is said below the board
_MOVE_WIDTH, _MOVE_LINES = 44, 4


@dataclass(frozen=True, slots=True)
class TableView:
    """A game as the person sees it."""

    table: GameTable
    size: BoardSize | None = None
    """The size of the board; None: as large as fits."""

    def draw(self, console: Console) -> list[Text]:
        """See Drawable."""
        table = self.table
        board = position_lines(table.position(), console, _BELOW, self.size)
        room = console.width - max(line.cell_len for line in board) - 3
        moves = _last(" ".join(table.move_texts()), max(NOTES // 2, min(_MOVE_WIDTH, room)))
        return beside(board, [*self._players(console), Text(), *moves], console.width)

    def _players(self, console: Console) -> list[Text]:
        table = self.table
        return [
            Text.assemble(
                "> " if not table.is_over and table.state.player == player else "  ",
                side_text(table.game, player, console),
                f"  {name}",
            )
            for player, name in enumerate(table.names())
        ]


def _last(moves: str, width: int) -> list[Text]:
    """The last moves in a few lines."""
    lines = wrap(moves, width, break_on_hyphens=False)
    left_out = len(lines) > _MOVE_LINES
    return [Text("… " if left_out and i == 0 else "") + line for i, line in enumerate(lines[-_MOVE_LINES:])]
