"""The output of an analysis: text for people, in a terminal or a file, and JSON."""

from __future__ import annotations

import json
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from rich.style import Style
from rich.text import Text

from engine.lookup.openings import opening_of
from protocol.cli.terminal.board import board_lines, position_notes, size_for
from protocol.cli.terminal.console import messages, output
from protocol.cli.terminal.tty import unheard
from protocol.cli.terminal.words import score_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    import chess

    from protocol.cli.analysis.finding import Finding
    from protocol.cli.analysis.notation import RecognisedPosition
    from protocol.cli.terminal.board import BoardSize

_BOLD, _DIM = Style(bold=True), Style(dim=True)
_BESIDE, _AROUND = 26, 28  # columns for the notes of a board; lines for what else is said, and a long table
_POINT_OF_VIEW = "Score and chances (win/draw/loss) are White's."


class AnalysisOutput(Protocol):
    """Receives the analysis of one position after the other."""

    def position(self, position: RecognisedPosition, number: int, count: int) -> None:
        """Begin position `number` of `count`."""

    def searching(self) -> AbstractContextManager[Callable[[Finding], None]]:
        """A context for the search; yields the function to call with each finding."""

    def found(self, best: Finding) -> None:
        """End the position with its best line."""

    def over(self, outcome: chess.Outcome) -> None:
        """End the position, as the game is over."""


class TextOutput:
    """Board, table and best line. The table is updated in place on a terminal, line by line elsewhere."""

    def __init__(self, lines: int, flipped: bool, size: BoardSize | None = None) -> None:
        """`lines` is the number of best lines; `flipped` puts Black at the bottom.

        `size` is that of the board, None for as large as fits.
        """
        self._console = output()
        self._in_place = self._console.is_terminal and not self._console.is_dumb_terminal
        self._lines = lines
        self._flipped = flipped
        self._size = size
        self._position: RecognisedPosition
        self._title = ""

    @property
    def is_terminal(self) -> bool:
        """Whether the output is a terminal."""
        return self._console.is_terminal

    def position(self, position: RecognisedPosition, number: int, count: int) -> None:
        """Print the board, with a blank line before all but the first."""
        self._position = position
        place = f"{number}/{count}" if count > 1 else ""
        self._title = "  ".join(part for part in (place, position.name) if part)
        if number > 1:
            self._line()
        self._heading()
        if position.assumed:
            messages().print(f"Assumed: {position.assumed}.")

    @contextmanager
    def searching(self) -> Iterator[Callable[[Finding], None]]:
        """Print each finding, or show them in a table."""
        from protocol.cli.terminal.analysis_table import AnalysisTable  # noqa: PLC0415 - the board comes first

        self._line(_POINT_OF_VIEW, _DIM)
        table = AnalysisTable(self._position.board, self._lines)
        if not self._in_place:
            self._line(table.head())
            yield lambda finding: self._line(table.row(finding))
            return
        from protocol.cli.terminal.analysis_table import LiveTable  # noqa: PLC0415

        def above() -> None:
            self._heading()
            self._line(_POINT_OF_VIEW, _DIM)

        with unheard(), LiveTable(self._console, table, above) as live:
            yield live.add

    def found(self, best: Finding) -> None:
        """Print the best move, its score and the whole line."""
        from protocol.cli.terminal.analysis_table import san_words, white_mark  # noqa: PLC0415 - as above

        words = san_words(self._position.board, best.moves)
        san = self._position.board.san(best.moves[0])
        score = white_mark(best) + score_text(best.white)
        line = Text.assemble(("Best move: ", ""), (san, _BOLD), f"  {score}  {' '.join(words)}")
        self._console.print(line, soft_wrap=not self._in_place)

    def over(self, outcome: chess.Outcome) -> None:
        """Print how the game ended."""
        self._line(outcome_text(outcome), _BOLD)

    def _heading(self) -> None:
        board = self._position.board
        if self._title:
            self._line(self._title, _BOLD)
        last = board.peek() if board.move_stack else None
        notes = position_notes(board, flipped=self._flipped)
        size = size_for(self._console, self._size, beside=_BESIDE, around=_AROUND)
        for line in board_lines(board, flipped=self._flipped, last=last, notes=notes, size=size):
            self._line(line)
        if opening := opening_of(board):
            self._line(str(opening))
        self._line(board.fen(), _DIM)

    def _line(self, text: str | Text = "", style: Style | None = None) -> None:
        self._console.print(text, style=style, soft_wrap=True)


class JsonOutput:
    """A line of JSON for each finding, and one with `best` at the end of each position."""

    def __init__(self) -> None:
        self._position: RecognisedPosition
        self._opening: dict[str, str] | None = None

    def position(self, position: RecognisedPosition, number: int, count: int) -> None:
        """Keep the position."""
        del number, count
        self._position = position
        opening = opening_of(position.board)
        self._opening = {"eco": opening.eco, "name": opening.name} if opening else None

    def searching(self) -> AbstractContextManager[Callable[[Finding], None]]:
        """Print each finding."""
        return nullcontext(lambda finding: self._line(self._content(finding)))

    def found(self, best: Finding) -> None:
        """Print the last finding of the best line again, with its first move."""
        self._line({**self._content(best), "best": best.moves[0].uci()})

    def over(self, outcome: chess.Outcome) -> None:
        """Print the result."""
        reason = outcome.termination.name.lower()
        self._line({**self._origin(), "best": None, "result": outcome.result(), "reason": reason})

    def _origin(self) -> dict[str, Any]:
        board = self._position.board
        return {
            "fen": board.fen(),
            "chess960": board.chess960,
            "name": self._position.name,
            "opening": self._opening,
        }

    def _content(self, finding: Finding) -> dict[str, Any]:
        from protocol.cli.analysis.finding import score_content  # noqa: PLC0415 - the board comes first

        wdl = finding.chances.white() if finding.chances else None
        board = self._position.board.copy(stack=False)
        return {
            **self._origin(),
            "line": finding.line,
            "depth": finding.depth,
            "seldepth": finding.seldepth,
            "score": score_content(finding.white),
            "bound": finding.white_bound.value,
            "wdl": wdl and {"win": wdl.wins, "draw": wdl.draws, "loss": wdl.losses},
            "nodes": finding.nodes,
            "nps": finding.nodes_per_second,
            "time": finding.milliseconds / 1000,
            "pv": [move.uci() for move in finding.moves],
            "san": [board.san_and_push(move) for move in finding.moves],
        }

    def _line(self, content: dict[str, Any]) -> None:
        print(json.dumps(content), flush=True)  # noqa: T201


def outcome_text(outcome: chess.Outcome) -> str:
    """`Checkmate: White has won.`, `Stalemate: a draw.`"""
    reason = outcome.termination.name.capitalize().replace("_", " ")
    result = "a draw" if outcome.winner is None else f"{'White' if outcome.winner else 'Black'} has won"
    return f"{reason}: {result}."
