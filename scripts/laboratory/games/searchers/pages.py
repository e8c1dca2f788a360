"""The measured tables as Markdown, between two marks in a page that is written by hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from protocol.cli.terminal.words import count_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from protocol.cli.tournaments.standings import Standings
    from scripts.laboratory.games.searchers.measurement import SearchEffort

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


class PageError(Exception):
    """A page has no place for the tables."""


def filled(page: str, text: str) -> str:
    """The page with another text between its marks. Raises PageError."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    if not pattern.search(page):
        raise PageError(f"there are no marks {BEGIN} and {END}")
    return pattern.sub(lambda _: f"{BEGIN}\n{text}\n{END}", page)


def effort_table(found: Iterable[SearchEffort]) -> str:
    """Nodes and time to a depth."""
    head = ("searcher", "plies", "nodes visited", "expanded", "leaves", "time")
    return _table(
        head,
        [
            (
                f"`{each.searcher}`",
                str(each.depth),
                f"{each.visited:,.0f}",
                f"{each.expanded:,.0f}",
                f"{each.leaves:,.0f}",
                f"{1000 * each.seconds:,.1f} ms",
            )
            for each in found
        ],
    )


def strength_table(standings: Standings) -> str:
    """Scores with their intervals, and what a move took."""
    rows = []
    for standing in standings.ranked():
        low, high = standing.interval
        spent = standing.spent
        moves = max(spent.moves, 1)
        rows.append(
            (
                f"`{standing.label}`",
                f"{100 * standing.score:.1f}%",
                f"{100 * low:.0f} … {100 * high:.0f}%",
                str(standing.games),
                count_text(spent.nodes / moves) if spent.nodes else "",
                count_text(spent.playouts / moves) if spent.playouts else "",
                f"{spent.depth / moves:.1f}" if spent.depth else "",
            )
        )
    return _table(("player", "score", "95%", "games", "nodes a move", "playouts a move", "depth"), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
