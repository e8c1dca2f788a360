"""The page on which one steps through a search: one self-contained HTML file."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from engine.games.textbook.puct import BASE
from engine.games.textbook.recording import Act
from protocol import about
from protocol.cli.trees.picture import PRIOR, bound_sign, notes, shown_value
from protocol.cli.trees.tree_svg import half_diamond, node_width, ply_height, pretty
from protocol.cli.trees.watched_search import window_text, worth_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.games.textbook.recording import RecordedNode, RecordedStep
    from protocol.cli.trees.picture import Picture, PictureNode

_FOLDER = Path(__file__).parent / "page"
COLOURS = _FOLDER / "colours.css"
"""Those of all pages with trees: light, dark and printed."""
_ACTS = tuple(Act)


def tree_page(picture: Picture) -> str:
    """The page of a picture, which shows the steps at the nodes that are drawn."""
    script = (_FOLDER / "tree.js").read_text(encoding="utf-8")
    board = picture.search.game.show(picture.search.state)
    return Template((_FOLDER / "tree.html").read_text(encoding="utf-8")).substitute(
        generator=escape(f"{about.NAME} {about.VERSION}"),
        title=escape(picture.search.title()),
        left_out=escape(picture.left_out),
        position=escape(board),
        style=COLOURS.read_text(encoding="utf-8") + (_FOLDER / "tree.css").read_text(encoding="utf-8"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=json.dumps(_data(picture), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
    )


def _data(picture: Picture) -> dict[str, Any]:
    """What the script shows; all values and windows are texts."""
    places = {node: place for place, node in enumerate(picture.nodes)}
    visited = {node.visited: place for node, place in places.items() if node.visited is not None}
    return {
        "acts": list(_ACTS),
        "width": round(node_width(picture), 1),
        "ply": ply_height(picture),
        "diamonds": {node.player: half_diamond(node.player) for node in picture.nodes},
        "exploration": picture.search.recording.exploration,
        "base": BASE,
        "sampling": picture.search.sampling,
        "evaluated": picture.search.searcher == "puct",
        "nodes": [_node(picture, node, places) for node in picture.nodes],
        "steps": list(_steps(picture, visited, places)),
    }


def _node(picture: Picture, node: PictureNode, places: dict[PictureNode, int]) -> list[Any]:
    """A node as the script reads it: first the place of the node above."""
    sampling = picture.search.sampling
    said = [note for note in notes(node, picture.search) if not sampling or note.startswith(f"{PRIOR} ")]
    return [
        -1 if node.above is None else places[node.above],
        round(node.x, 3),
        node.y,
        node.shape,
        node.move,
        node.player,
        node.odds,
        said,
        node.left_out,
        pretty(shown_value(node, picture.search)) if node.pruned else None,
        node.best,
        node.untried if node.visited is None else node.visited.prior,
    ]


def _steps(
    picture: Picture, visited: dict[RecordedNode, int], places: dict[PictureNode, int]
) -> Iterator[list[Any]]:
    """The kind of step, the place of its node, value, window, and what is pruned or, of UCT, the visits."""
    for step in picture.search.recording.steps:
        place = visited.get(step.node)
        if place is None:
            continue
        window = pretty(window_text(step.window)) if step.window else ""
        yield [
            _ACTS.index(step.act),
            place,
            _value(step),
            window,
            _more(picture, step, place, places),
        ]


def _value(step: RecordedStep) -> str | float:
    """Its text; of a mean the number, since the upper bound is made of it."""
    if step.value is None:
        return ""
    if step.act is Act.BACK_UP and isinstance(step.value, float):
        return round(step.value, 6)
    sign = bound_sign(step.node, step.value) if step.act is Act.RETURN else ""
    return sign + pretty(worth_text(step.value))


def _more(picture: Picture, step: RecordedStep, place: int, places: dict[PictureNode, int]) -> Any:
    if step.act is Act.CUT:
        moves = [picture.search.move_text(step.node, *pruned) for pruned in step.pruned]
        children = picture.nodes[place].children
        return [" ".join(moves), [places[child] for child in children if child.pruned]]
    if step.act is Act.ESTIMATE:
        return step.node.source
    return step.node.depth if step.act is Act.ENTER else step.visits
