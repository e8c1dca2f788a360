"""The page of a game: one self-contained HTML file, with what it was made from; and an index of many."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import chess.svg
from chess.engine import Cp, Score
from markupsafe import Markup

from engine.system import files
from lolli._assessment import Mark, winning_chances
from lolli.cli.pgn.game_reader import Exporter, read_game
from lolli.cli.reports import BOARD, STYLE, html_page, trusted
from lolli.cli.reports.pictures import (
    GraphDrawing,
    Palette,
    Squares,
    diagram_in_page,
    page_graph,
    shared_definitions,
)
from lolli.cli.reports.story import Heading, JudgedGame, Moment, PlayerStatistics, Step, rows_of, signs
from lolli.cli.terminal.screen import counted, score_text, with_real_minus

_FOLDER = Path(__file__).parent / "page"
_KINDS = {"?!": "inaccuracy", "?": "mistake", "??": "blunder", "!": "good", "!!": "good", "!?": "good"}
_MARKS = ((Mark.INACCURACY, "inaccuracies"), (Mark.MISTAKE, "mistakes"), (Mark.BLUNDER, "blunders"))
_SEE_THROUGH = "d9"  # the opacity of arrows, as two digits of a colour
_MINUTE, _HOUR = 60, 3600
_LARGEST = 1 << 26  # bytes of a page
_BLOCK = re.compile(r'<script type="application/json" id="origin">(.+?)</script>')


def page_of_judged(
    game: JudgedGame,
    orientation: chess.Color = chess.WHITE,
    links: Sequence[tuple[str, str]] = (),
    origin: Any = None,
) -> str:
    """`links` are pairs of an address and its words; `origin` becomes hidden JSON, see `origin_block`."""
    graph = page_graph(game.course()) if game.judged else None
    event = game.heading.event
    return html_page(
        _FOLDER / "report.html",
        title=f"{game.heading.title} · {event}" if event else game.heading.title,
        scripts=(BOARD, _FOLDER / "report.js"),
        definitions=shared_definitions(),
        data=_data(game, orientation, graph, has_pgn=origin is not None),
        filters={"evaluation": evaluation_text, "spent": spent_text},
        heading=game.heading,
        links=links,
        origin=origin,
        steps=game.story.steps,
        times=_times(game),
        phases=[(phase.value.lower(), step) for phase, step in game.phase_starts()[1:]],
        book=game.story.main_line[game.book] if game.book else None,
        rows=rows_of(game.story),
        players=(game.player(chess.WHITE), game.player(chess.BLACK)),
        marks=_MARKS,
        graph=trusted(graph.svg) if graph else "",
        diagrams=[
            {"svg": _diagram(game, moment, orientation), "moment": moment} for moment in game.moments()
        ],
        final=_final(game, orientation),
        sign=game.sign,
        kind=_KINDS.get,
        signs=signs,
    )


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


def spent_text(seconds: float | None) -> str:
    """As `0.4 s`, `12 s`, `3:05` and `1:03:05`; empty for None."""
    if seconds is None:
        return ""
    if seconds < _MINUTE:
        return f"{seconds:.{int(seconds < 10 and seconds % 1 > 0)}f} s"
    return clock_text(seconds).removeprefix("0:").removeprefix("0")


def _times(game: JudgedGame) -> dict[int, float | None]:
    """The seconds that each move of the main line took, by its index."""
    moves = game.story.main_line[1:]
    return {step.index: spent for step, (spent, _) in zip(moves, game.times, strict=True)}


def _final(game: JudgedGame, orientation: chess.Color) -> Markup:
    step = game.story.main_line[-1]
    board = chess.Board(step.fen, chess960=game.chess960)
    label = f"The position after {step.number} {step.san}" if step.move else "The position"
    last = _squares(step) if step.squares else None
    return trusted(diagram_in_page(board, label, orientation=orientation, last=last))


def _diagram(game: JudgedGame, moment: Moment, orientation: chess.Color) -> Markup:
    played, before = moment.played, chess.Board(moment.before.fen, chess960=game.chess960)
    coloured = [(step, "green") for step in moment.better[:1]]
    coloured.append((played, Palette().of(moment.mark) + _SEE_THROUGH))
    arrows = [chess.svg.Arrow(*_squares(step), color=color) for step, color in coloured if step.squares]
    label = f"The position before {played.number} {played.san}"
    return trusted(diagram_in_page(before, label, orientation=orientation, arrows=arrows))


def _data(
    game: JudgedGame, orientation: chess.Color, graph: GraphDrawing | None, *, has_pgn: bool
) -> dict[str, Any]:
    """With the game as PGN, unless the page `has_pgn` elsewhere."""
    times, line = _times(game), game.story.main_line
    phases = {step.index: phase.value for step, phase in zip(line, game.phases, strict=True)}
    phases |= {step.index: f"{phases[step.index]}, book" for step in line[1 : game.book + 1]}
    marked = game.moments(len(game.story.main_line))
    better = {each.before.index: each.better[0] for each in marked if each.better}
    return {
        "flipped": orientation == chess.BLACK,
        "chess960": game.chess960,
        **({} if has_pgn else {"pgn": pgn_of(game.game)}),
        "graph": graph and {name: round(getattr(graph, name), 5) for name in ("edge", "left", "right")},
        "steps": [
            _step(game, step, better.get(step.index), phases.get(step.index, ""), times.get(step.index))
            for step in game.story.steps
        ],
    }


def _step(
    game: JudgedGame, step: Step, better: Step | None, phase: str, spent: float | None
) -> dict[str, Any]:
    of_position = signs(step.nags)[1]
    label = f"{step.number} {step.san}{game.sign(step)} {of_position}" if step.move is not None else ""
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
        "phase": phase,
        "spent": spent_text(spent),
        "clock": clock_text(step.clock),
        "comment": step.comment,
        "better": better and {"move": f"{better.number} {better.san}", "squares": better.squares},
        "drawings": step.drawings,
    }
    return {name: value for name, value in content.items() if value not in (None, "", [], ())}


def _squares(step: Step) -> Squares:
    tail, head = (chess.parse_square(name) for name in step.squares)
    return tail, head


# What a page of many was made from. It stands in the page, so that a later run need not analyse again.


def origin_block(origin: Mapping[str, Any], game: chess.pgn.Game) -> dict[str, Any]:
    """In `origin`, `game` is a digest of the game, `analysis` the settings or None, `look` the rest."""
    return {**origin, "pgn": pgn_of(game)}


def pgn_of(game: chess.pgn.Game) -> str:
    return game.accept(Exporter(game.headers.get("Result"), columns=None))


def origin_in(page: Path) -> tuple[dict[str, Any], chess.pgn.Game] | None:
    """What a page was made from, and its annotated game; None if there is no such page."""
    content = block_in(page)
    try:
        return content, read_game(content.pop("pgn").encode()).game
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None


def block_in(page: Path) -> dict[str, Any]:
    """The `origin_block` of a page; empty if there is no such page."""
    try:
        text = files.read_file(page, _LARGEST).decode()
        found = _BLOCK.search(text)
        content = json.loads(found[1]) if found and text.rstrip().endswith("</html>") else {}
    except (OSError, RecursionError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


@dataclass(frozen=True, slots=True)
class IndexEntry:
    number: int
    page: str
    heading: Heading
    moves: int
    white: float | None
    black: float | None


def index_page(
    title: str,
    entries: Sequence[IndexEntry],
    total: int,
    player: PlayerStatistics | None,
    exercises: tuple[str, int, Sequence[tuple[str, Sequence[int]]]] = ("", 0, ()),
) -> str:
    """`exercises` of the player: their page, how many there are, and their numbers by what was missed."""
    done = len(entries)
    return html_page(
        _FOLDER / "games.html",
        title=title,
        styles=(STYLE, _FOLDER / "games.css"),
        count=f"{done:,} of {total:,} games" if done < total else counted(done, "game"),
        entries=entries,
        player=player,
        exercises=exercises,
        marks=[Mark.INACCURACY, Mark.MISTAKE, Mark.BLUNDER],
    )
