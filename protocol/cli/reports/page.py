"""The page of a game: one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import chess.svg
from chess.engine import Cp, Score
from markupsafe import Markup

from protocol.cli.analysis.assessment import Mark, winning_chances
from protocol.cli.reports.board_image import Squares, diagram_in_page
from protocol.cli.reports.graph import GraphDrawing, Palette, page_graph
from protocol.cli.reports.html_page import html_page, trusted
from protocol.cli.reports.judged_game import JudgedGame, Moment
from protocol.cli.reports.story import Step, rows_of, signs
from protocol.cli.terminal.words import score_text, with_real_minus

_FOLDER = Path(__file__).parent / "page"
_KINDS = {"?!": "inaccuracy", "?": "mistake", "??": "blunder", "!": "good", "!!": "good", "!?": "good"}
_MARKS = ((Mark.INACCURACY, "inaccuracies"), (Mark.MISTAKE, "mistakes"), (Mark.BLUNDER, "blunders"))
_SEE_THROUGH = "d9"  # the opacity of arrows, as two digits of a colour
_MINUTE, _HOUR = 60, 3600


def page_of(game: chess.pgn.Game, orientation: chess.Color = chess.WHITE, *, opening: bool = True) -> str:
    """The page of an annotated game, with `orientation` at the bottom of the boards; see JudgedGame."""
    return page_of_judged(JudgedGame(game, opening=opening), orientation)


def page_of_judged(
    game: JudgedGame,
    orientation: chess.Color = chess.WHITE,
    links: Sequence[tuple[str, str]] = (),
    origin: Any = None,
) -> str:
    """See `page_of`. `links` lead to pages beside it, each an address and its words.

    `origin` stands in the page as JSON that is not shown; see page_origin.py.
    """
    return _Page(game, orientation, links, origin).html()


def evaluation_text(score: Score | None) -> str:
    """As `+0.31`, `0.00`, `#2` and `mate`, with a typographic minus; empty for None."""
    if score is None:
        return ""
    if score.mate() == 0:
        return "mate"
    return "0.00" if score == Cp(0) else with_real_minus(score_text(score))


def clock_text(seconds: float | None) -> str:
    """As `1:23:45`, and `0:09.3` in the last ten seconds; empty for None."""
    if seconds is None:
        return ""
    minutes, rest = divmod(seconds, _MINUTE)
    if 0 < seconds < 10 and rest % 1:
        return f"0:{rest:04.1f}"
    hours, minutes = divmod(int(minutes), _HOUR // _MINUTE)
    return f"{hours}:{minutes:02}:{int(rest):02}"


@dataclass(frozen=True, slots=True)
class Diagram:
    """A critical moment on the page."""

    svg: Markup
    moment: Moment


class _Page:
    def __init__(
        self, game: JudgedGame, orientation: chess.Color, links: Sequence[tuple[str, str]], origin: Any
    ) -> None:
        self._game = game
        self._links = links
        self._origin = origin
        self._orientation = orientation
        marked = game.moments(len(game.story.main_line))
        self._better = {each.before.index: each.better[0] for each in marked if each.better}

    def html(self) -> str:
        game = self._game
        graph = page_graph(game.course()) if game.judged else None
        event = game.heading.event
        return html_page(
            _FOLDER / "report.html",
            title=f"{game.heading.title} · {event}" if event else game.heading.title,
            script=_FOLDER / "report.js",
            data=self._data(graph),
            filters={"evaluation": evaluation_text, "clock": clock_text},
            heading=game.heading,
            links=self._links,
            origin=self._origin,
            steps=game.story.steps,
            rows=rows_of(game.story),
            players=(game.player(chess.WHITE), game.player(chess.BLACK)),
            marks=_MARKS,
            graph=trusted(graph.svg) if graph else "",
            diagrams=[self._diagram(each) for each in game.moments()],
            final=self._final(),
            sign=game.sign,
            kind=_KINDS.get,
            signs=signs,
        )

    def _board(self, step: Step) -> chess.Board:
        return chess.Board(step.fen, chess960=self._game.chess960)

    def _final(self) -> Markup:
        step = self._game.story.main_line[-1]
        last = _squares(step) if step.squares else None
        label = f"The position after {step.number} {step.san}" if step.move else "The position"
        svg = diagram_in_page(self._board(step), label, orientation=self._orientation, last=last)
        return trusted(svg)

    def _diagram(self, moment: Moment) -> Diagram:
        played = moment.played
        colors = ((moment.better[:1], "green"), ((played,), Palette().of(moment.mark) + _SEE_THROUGH))
        arrows = [
            chess.svg.Arrow(*_squares(step), color=color)
            for steps, color in colors
            for step in steps
            if step.squares
        ]
        before = self._board(moment.before)
        label = f"The position before {played.number} {played.san}"
        svg = diagram_in_page(before, label, orientation=self._orientation, arrows=arrows)
        return Diagram(trusted(svg), moment)

    def _data(self, graph: GraphDrawing | None) -> dict[str, Any]:
        """The data for the script: all positions, by index, and the ends of the graph."""
        return {
            "flipped": self._orientation == chess.BLACK,
            "graph": graph and {name: round(getattr(graph, name), 5) for name in ("edge", "left", "right")},
            "steps": [self._step(step) for step in self._game.story.steps],
        }

    def _step(self, step: Step) -> dict[str, Any]:
        of_position = signs(step.nags)[1]
        better = self._better.get(step.index)
        label = (
            f"{step.number} {step.san}{self._game.sign(step)} {of_position}" if step.move is not None else ""
        )
        content = {
            "fen": step.fen,
            "parent": step.parent,
            "main": step.depth == 0,
            "ply": step.ply,
            "label": label.strip(),
            "squares": step.squares,
            "check": step.check,
            "score": evaluation_text(step.score),
            "share": None if step.score is None else round((1 + winning_chances(step.score)) / 2, 3),
            "clock": clock_text(step.clock),
            "better": better and {"move": f"{better.number} {better.san}", "squares": better.squares},
            "drawings": [[each.tail, each.head, each.color] for each in step.drawings],
        }
        return {name: value for name, value in content.items() if value not in (None, "", [], ())}


def _squares(step: Step) -> Squares:
    tail, head = (chess.parse_square(name) for name in step.squares)
    return tail, head
