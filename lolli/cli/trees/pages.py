"""A searched tree as a page: to step through, to decide in, and to search again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from engine.games.rules.game import OVER
from engine.games.rules.nim import Nim
from engine.games.rules.tree import Tree, TreeGame
from engine.games.search.puct import BASE
from engine.games.search.recording import Act, RecordedNode, RecordedStep
from lolli.cli.reports import html_page
from lolli.cli.terminal.board import squares_of
from lolli.cli.trees import WatchedSearch, bound_sign, odds_text, window_text, worth_text
from lolli.cli.trees.boards import coded_board, square_size, square_svg
from lolli.cli.trees.picture import (
    PRIOR,
    Drawing,
    Picture,
    PictureNode,
    notes,
    picture_of,
    plies_left,
    pretty,
    shown_value,
)

PAGE_NODES = 10_000
_FOLDER = Path(__file__).parent / "page"
COMMON = _FOLDER / "common.css"
STYLES = (COMMON, _FOLDER / "tree.css")
SCRIPTS = tuple(_FOLDER / name for name in ("search.js", "tree.js", "page.js"))
_ACTS = tuple(Act)
_TITLES = {
    "minimax": "minimax",
    "alphabeta": "alpha-beta",
    "expectiminimax": "expectiminimax",
    "star1": "expectiminimax, Star1",
    "maxn": "Max-N",
    "paranoid": "Paranoid",
}
"""The algorithms of the page's own script, and how people write them."""
_PLAIN = {"depth", "nodes"}
"""Options with which a searcher is still that of the page's script."""


def page_picture(
    search: WatchedSearch, *, depth: int | None = None, breadth: int | None = None, nodes: int | None = None
) -> Picture:
    """As `picture_of`, with what is below pruned branches unless it takes the room of other nodes."""
    drawn = partial(picture_of, search, depth=depth, breadth=breadth, nodes=nodes or PAGE_NODES)
    picture = drawn(whole=bool(_algorithms(search)))
    if is_whole(picture):
        return replace(picture, whole=True)
    return drawn() if len(picture.nodes) == (nodes or PAGE_NODES) else picture


def is_whole(picture: Picture) -> bool:
    """Whether all nodes to the depth of a search by one of the page's algorithms are drawn."""
    if not _algorithms(picture.search) or picture.left_out:
        return False
    return all(node.children or node.state.player == OVER or plies_left(node) <= 0 for node in picture.nodes)


def _algorithms(search: WatchedSearch) -> list[str]:
    """What the page's script can search the game with, if it could know all of its tree."""
    game = search.game
    if _page_searcher(search) not in _TITLES:
        return []
    two = game.players == 2 and game.zero_sum
    if game.chance:
        return ["expectiminimax", "star1", "maxn"] if two else ["maxn"]
    return ["minimax", "alphabeta", "maxn"] if two else ["paranoid", "maxn"] if game.zero_sum else ["maxn"]


def _page_searcher(search: WatchedSearch) -> str:
    """The searcher by its name in the script; one with options of its own by its label."""
    name, *options = search.label.split(":")
    given = dict(option.partition("=")[::2] for option in options)
    pruning = given.pop("pruning", "star1")
    if name != search.searcher or set(given) - _PLAIN or pruning not in {"star1", "none"}:
        return search.label
    return "star1" if name == "expectiminimax" and pruning == "star1" else name


def tree_page(picture: Picture, *, boards: bool = False, merge: bool = False) -> str:
    """`boards`: draw them in the nodes at first. `merge`: draw equal states as one node at first."""
    return html_page(
        _FOLDER / "tree.html",
        title=picture.search.title(),
        styles=STYLES,
        scripts=(*SCRIPTS, _FOLDER / "start.js"),
        data=tree_data(picture) | {"showBoards": boards, "merged": merge, "hasAddress": True},
        left_out=picture.left_out,
    )


def tree_data(picture: Picture) -> dict[str, Any]:
    """What the scripts of a page are told of a tree and its search."""
    search = picture.search
    game, recording = search.game, search.recording
    places = {node: place for place, node in enumerate(picture.nodes)}
    visited = {node.visited: place for node, place in places.items() if node.visited is not None}
    drawing = Drawing(replace(picture, boards=False))
    marks: dict[str, int] = {}
    rows = [
        _node(picture, node, places) | {"board": _board(search, node, marks), "same": same}
        for node, same in zip(picture.nodes, _same(picture), strict=True)
    ]
    return {
        "title": search.title(),
        "label": search.label,
        "game": game.title,
        "position": game.show(search.state),
        "acts": list(_ACTS),
        "width": round(max(drawing.width, _LEAST_WIDTH if picture.whole else 0), 1),
        "ply": drawing.ply,
        "exploration": recording.exploration,
        "base": BASE,
        "sampling": search.sampling,
        "evaluated": search.searcher == "puct",
        "searcher": _page_searcher(search),
        "algorithms": [(name, _TITLES[name]) for name in _algorithms(search)] if picture.whole else [],
        "whole": picture.whole,
        "editable": isinstance(game, TreeGame),
        "zeroSum": game.zero_sum,
        "names": [search.name_text(player) for player in range(game.players)],
        "maxPlayer": recording.max_player,
        "depth": recording.root.depth,
        "bounds": None if isinstance(game, TreeGame) else game.bounds(recording.max_player),
        "boards": _kind(search),
        "squares": _squares(picture, marks),
        "showBoards": False,
        "merged": False,
        "hasAddress": False,
        "fields": [*rows[0]],
        "nodes": [[*row.values()] for row in rows],
        "steps": list(_steps(picture, visited, places)),
    }


_LEAST_WIDTH = 66  # pixels: room for a window that another search may have


def _kind(search: WatchedSearch) -> str:
    """How states are shown: as squares or as text in the nodes, only beside the tree, or not at all."""
    if isinstance(search.state, Tree):
        return ""
    if squares_of(search.game, search.state):
        return "squares"
    return "text" if isinstance(search.state, Nim) else "aside"


def _board(search: WatchedSearch, node: PictureNode, marks: dict[str, int]) -> str:
    if isinstance(node.state, Tree | Nim):
        return node.piles
    squares = squares_of(search.game, node.state)
    return coded_board(squares, marks) if squares else search.game.show(node.state)


def _squares(picture: Picture, marks: Mapping[str, int]) -> dict[str, Any]:
    search = picture.search
    squares = squares_of(search.game, search.state)
    if not squares:
        return {}
    drawn = [
        ["", ""] if not mark else [square_svg(search.game, mark, place) for place in (0, 1)] for mark in marks
    ]
    return {"columns": len(squares[0]), "rows": len(squares), "size": square_size(squares), "marks": drawn}


def _same(picture: Picture) -> Sequence[int]:
    """Of each node the place of the first one with its state, near the root."""
    if isinstance(picture.search.game, TreeGame):
        return range(len(picture.nodes))
    places = sorted(range(len(picture.nodes)), key=lambda place: picture.nodes[place].y)
    first: dict[Any, int] = {}
    for place in places:
        first.setdefault(picture.nodes[place].state, place)
    return [first[node.state] for node in picture.nodes]


def _node(picture: Picture, node: PictureNode, places: Mapping[PictureNode, int]) -> dict[str, Any]:
    search = picture.search
    said = [note for note in notes(node, search) if not search.sampling or note.startswith(f"{PRIOR} ")]
    leaf = not node.children and not search.sampling
    return {
        "above": None if node.above is None else places[node.above],
        "shape": node.shape,
        "move": node.move,
        "player": node.player,
        "odds": "" if node.likely is None else odds_text(node.likely),
        "notes": [note for note in said if note != node.name],
        "leftOut": node.left_out,
        "leaf": pretty(shown_value(node, search)) if leaf or node.pruned else None,
        "best": node.best,
        "prior": node.untried if node.visited is None else node.visited.prior,
        "who": node.state.player,
        "likely": node.likely,
        "values": _values(picture, node),
        "name": node.name,
    }


def _values(picture: Picture, node: PictureNode) -> Sequence[float] | None:
    """The payoffs or the estimate, where the page may search again; None if it hangs on unknown leaves."""
    state, game = node.state, picture.search.game
    if not picture.whole:
        return None
    if isinstance(state, Tree) and any(leaf.name for leaf in state.leaves()):
        return None
    return tuple(state.payoff() if state.player == OVER else game.estimate(state))


def _steps(
    picture: Picture, visited: dict[RecordedNode, int], places: dict[PictureNode, int]
) -> Iterator[list[Any]]:
    for step in picture.search.recording.steps:
        place = visited.get(step.node)
        if place is None:
            continue
        window = pretty(window_text(step.window)) if step.window else ""
        yield [_ACTS.index(step.act), place, _value(step), window, _more(picture, step, place, places)]


def _value(step: RecordedStep) -> str | float:
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
