"""The output of an analysis: text for people, with a table updated in place on a terminal, and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import chess
from rich.console import Console, ConsoleDimensions, Group
from rich.live import Live
from rich.style import Style
from rich.text import Text

from engine.lookup.openings import opening_of
from engine.search.report import Bound
from lolli.cli.terminal.board import BoardSize, board_lines, position_notes, size_for
from lolli.cli.terminal.keys import unheard
from lolli.cli.terminal.screen import chances_text, count_text, duration_text, messages, output, score_text

if TYPE_CHECKING:
    from lolli._coach import Explanation
    from lolli._findings import Finding
    from lolli.cli.analysis.notation import RecognisedPosition

    Told = tuple[chess.Board, chess.Move, Explanation]
    """A move, the board before it, and what is said of it."""
    Reasons = tuple[Told | None, Told | None]
    """Of the best move and of the one played last, where there are such moves."""


_BOLD, _DIM = Style(bold=True), Style(dim=True)
_BESIDE, _AROUND = 26, 28  # columns for the notes of a board; lines for what else is said, and a long table
_POINT_OF_VIEW = "Score and chances (win/draw/loss) are White's."


class TextOutput:
    def __init__(self, lines: int, flipped: bool, size: BoardSize | None = None) -> None:
        """`lines`: best lines to find. `flipped`: Black at the bottom. `size` None: as large as fits."""
        self._console = output()
        self.is_terminal = self._console.is_terminal
        self._in_place = self.is_terminal and not self._console.is_dumb_terminal
        self._lines = lines
        self._flipped = flipped
        self._size = size
        self._position: RecognisedPosition
        self._title = ""

    def position(self, position: RecognisedPosition, number: int, count: int) -> None:
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
        self._line(_POINT_OF_VIEW, _DIM)
        table = AnalysisTable(self._position.board, self._lines)
        if not self._in_place:
            self._line(table.head())
            yield lambda finding: self._line(table.row(finding))
            return

        begun, lock = monotonic(), Lock()

        def lines(size: ConsoleDimensions, ended: bool) -> list[Text]:
            with lock:
                rows = table.rows(size.width, None if ended else max(1, size.height - _OTHER_LINES))
                shown = [table.head(size.width), *rows]
                depth = table.best.depth if table.best else 0
            if not ended:
                seconds = int(monotonic() - begun)
                time = duration_text(seconds) if seconds >= _MINUTE else f"{seconds} s"
                shown.append(Text(f"Depth {depth + 1}, {time}. Ctrl-C ends the search.", _DIM))
            for line in shown:
                line.no_wrap, line.overflow = True, "crop"
            return shown

        def add(finding: Finding) -> None:
            with lock:
                table.add(finding)

        def above() -> None:
            self._heading()
            self._line(_POINT_OF_VIEW, _DIM)

        with unheard(), _kept_on_screen(self._console, lines, above):
            yield add

    def found(self, best: Finding, reasons: Reasons | None) -> None:
        words = san_words(self._position.board, best.moves)
        san = self._position.board.san(best.moves[0])
        score = white_mark(best) + score_text(best.white)
        line = Text.assemble(("Best move: ", ""), (san, _BOLD), f"  {score}  {' '.join(words)}")
        self._console.print(line, soft_wrap=not self._in_place)
        self._explain(reasons)

    def over(self, outcome: chess.Outcome, reasons: Reasons | None) -> None:
        self._line(outcome_text(outcome), _BOLD)
        self._explain(reasons)

    def _explain(self, reasons: Reasons | None) -> None:
        for board, move, told in filter(None, reversed(reasons or ())):
            self._line(f"{san_words(board, [move])[0]}{told.mark}: {told.text}")

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
    def __init__(self) -> None:
        self._position: RecognisedPosition
        self._opening: dict[str, str] | None = None

    def position(self, position: RecognisedPosition, _number: int, _count: int) -> None:
        self._position = position
        opening = opening_of(position.board)
        self._opening = {"eco": opening.eco, "name": opening.name} if opening else None

    def searching(self) -> AbstractContextManager[Callable[[Finding], None]]:
        return nullcontext(lambda finding: self._line(self._content(finding)))

    def found(self, best: Finding, reasons: Reasons | None) -> None:
        self._line({**self._content(best), "best": best.moves[0].uci(), **_reasons_content(reasons)})

    def over(self, outcome: chess.Outcome, reasons: Reasons | None) -> None:
        end = {"result": outcome.result(), "reason": outcome.termination.name.lower()}
        self._line({**self._origin(), "best": None, **_reasons_content(reasons), **end})

    def _origin(self) -> dict[str, Any]:
        board = self._position.board
        return {
            "fen": board.fen(),
            "chess960": board.chess960,
            "name": self._position.name,
            "opening": self._opening,
        }

    def _content(self, finding: Finding) -> dict[str, Any]:
        from lolli._findings import score_content  # noqa: PLC0415 - the board comes first

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


def _reasons_content(reasons: Reasons | None) -> dict[str, Any]:
    return {
        name: told
        and {
            "move": told[0].san(told[1]),
            "mark": told[2].mark,
            "text": told[2].text,
            "motifs": sorted(told[2].motifs),
        }
        for name, told in zip(("why", "last"), reasons or (), strict=False)
    }


def outcome_text(outcome: chess.Outcome) -> str:
    """`Checkmate: White has won.`, `Stalemate: a draw.`"""
    reason = outcome.termination.name.capitalize().replace("_", " ")
    result = "a draw" if outcome.winner is None else f"{'White' if outcome.winner else 'Black'} has won"
    return f"{reason}: {result}."


_WORD = re.compile(r"(?:\d+\.+ )?\S+")
_GAP = "  "
_FEWEST_MOVES = 26  # columns for the moves; with less room other columns are left out
_DEPTHS = 8  # shown of a single line, to see how its score develops
_CUT = "…"
_MARKS = {Bound.EXACT: "", Bound.LOWER: "≥", Bound.UPPER: "≤"}
_INTERVAL = 0.1  # seconds between two updates
_OTHER_LINES = 15  # of the screen: the board above, the head, the line below
_MINUTE = 60


class _Column(NamedTuple):
    """A column of `least` characters at least, so that its width seldom changes."""

    head: str
    least: int
    text: Callable[[Finding], str]


_LINE = _Column("#", 2, lambda finding: str(finding.line))
_DEPTH = _Column("depth", 6, lambda finding: f"{finding.depth}/{finding.seldepth}")
_SCORE = _Column("score", 6, lambda finding: white_mark(finding) + score_text(finding.white))
_CHANCES = _Column("W/D/L %", 8, lambda finding: chances_text(finding.chances))
_NODES = _Column("nodes", 5, lambda finding: count_text(finding.nodes))
_SPEED = _Column("nodes/s", 7, lambda finding: count_text(finding.nodes_per_second))
_TIME = _Column("time", 5, lambda finding: duration_text(finding.milliseconds / 1000))
_DISPENSABLE = (_SPEED, _NODES, _TIME, _CHANCES)  # left out on a narrow terminal, in this order


class AnalysisTable:
    def __init__(self, board: chess.Board, lines: int) -> None:
        self._board = board
        self._several = lines > 1
        self._findings: dict[int, Finding] = {}
        self._words: dict[tuple[chess.Move, ...], list[str]] = {}

    @property
    def best(self) -> Finding | None:
        return self._findings.get(1 if self._several else max(self._findings, default=0))

    def add(self, finding: Finding) -> None:
        self._findings[finding.line if self._several else finding.depth] = finding

    def head(self, width: int | None = None) -> Text:
        columns = self._columns(width)
        return Text(_row([column.head for column in columns], columns, "line"), _DIM)

    def row(self, finding: Finding, width: int | None = None) -> str:
        columns = self._columns(width)
        cells = [column.text(finding) for column in columns]
        room = None if width is None else width - len(_row(cells, columns, ""))
        return _row(cells, columns, fitting(self._san(finding), room)).rstrip()

    def rows(self, width: int, most: int | None = None) -> list[Text]:
        """The best lines, or the last depths with the last one at the bottom; at most `most` rows."""
        findings = [self._findings[key] for key in sorted(self._findings)]
        if self._several:
            return [Text(self.row(finding, width)) for finding in findings[:most]]
        shown = findings[-min(most or _DEPTHS, _DEPTHS) :]
        return [Text(self.row(each, width), "" if each is shown[-1] else _DIM) for each in shown]

    def _columns(self, width: int | None) -> list[_Column]:
        columns = [_DEPTH, _SCORE, _CHANCES, _NODES, _SPEED, _TIME]
        if self._several:
            columns.insert(0, _LINE)
        for column in _DISPENSABLE:
            if width is None or width - len(_row([], columns, "")) >= _FEWEST_MOVES:
                break
            columns.remove(column)
        return columns

    def _san(self, finding: Finding) -> list[str]:
        if finding.moves not in self._words:
            self._words[finding.moves] = san_words(self._board, finding.moves)
        return self._words[finding.moves]


def white_mark(finding: Finding) -> str:
    return _MARKS[finding.white_bound]


def san_words(board: chess.Board, moves: Sequence[chess.Move]) -> list[str]:
    """Moves in SAN with move numbers: `11... e5`, `12. Nf3`, `Nc6`."""
    return _WORD.findall(board.variation_san(moves).replace("...", "... "))


def fitting(words: Sequence[str], room: int | None) -> str:
    """As many words as fit into `room` columns, with an ellipsis if some are missing."""
    whole = " ".join(words)
    if room is None or len(whole) <= room:
        return whole
    length, count = len(_CUT), 0
    while length + len(words[count]) + 1 <= room:
        length += len(words[count]) + 1
        count += 1
    return " ".join([*words[:count], _CUT]) if room > 0 else ""


def _row(cells: Sequence[str], columns: Sequence[_Column], moves: str) -> str:
    widths = [max(column.least, len(column.head)) for column in columns]
    padded = [cell.rjust(width) for cell, width in zip(cells or [""] * len(widths), widths, strict=True)]
    return _GAP.join([*padded, moves])


@contextmanager
def _kept_on_screen(
    console: Console, lines: Callable[[ConsoleDimensions, bool], list[Text]], above: Callable[[], None]
) -> Iterator[None]:
    """A thread draws `lines(size, ended)` as time advances; after a resize `above` prints what was above."""

    def started() -> Live:
        live = Live(
            console=console,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        live.start()
        return live

    live, size, shown, over = started(), console.size, "", Event()

    def draw(*, ended: bool = False) -> None:
        nonlocal live, size, shown
        now = console.size
        if now.width < size.width or now.height < size.height:
            live.transient = True  # after lines were broken or cut, the place of the table is unknown
            live.stop()
            console.clear()
            above()
            live = started()
        if now != size:
            size, shown = now, ""
        drawn = lines(size, ended)
        text = "\n".join(line.plain for line in drawn)
        if text != shown:  # so that nothing flickers
            live.update(Group(*drawn), refresh=True)
            shown = text

    def draw_on() -> None:
        while not over.wait(_INTERVAL):
            draw()

    draw()
    drawer = Thread(target=draw_on, name="drawer", daemon=True)
    drawer.start()
    try:
        yield
    finally:
        over.set()
        drawer.join()
        draw(ended=True)
        live.stop()
