"""A searched tree in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree as Branches

from protocol.cli.trees.picture import last_windows, notes, shown_value
from protocol.cli.trees.watched_search import window_text

if TYPE_CHECKING:
    from engine.games.textbook.recording import RecordedNode
    from protocol.cli.trees.picture import Picture, PictureNode

_SHAPES = {"max": "△", "min": "▽", "chance": "○", "player": "◇", "leaf": "□"}
_GUIDE = "bright_black"


def terminal_tree(picture: Picture) -> Branches:
    """The tree as lines, a node each: move, player, value, window, and what is special."""
    windows = last_windows(picture.search)
    root = Branches(_label(picture, picture.root, windows), guide_style=_GUIDE)
    waiting = [(picture.root, root)]
    while waiting:
        node, branch = waiting.pop()
        waiting += [(child, branch.add(_label(picture, child, windows))) for child in node.children]
        if node.left_out:
            branch.add(Text(f"… {node.left_out:,} more", style="dim"))
    return root


def _label(picture: Picture, node: PictureNode, windows: dict[RecordedNode, tuple[float, float]]) -> Text:
    """One line."""
    value = shown_value(node, picture.search)
    if node.pruned:
        name = f"· {node.name}" if node.name else ""
        words = " ".join(filter(None, (node.move, _SHAPES[node.shape], value, name)))
        return Text.assemble((words, "strike dim"), (" pruned", "red"))
    label = Text(style="bold" if node.best else "" if node.untried is None else "dim")
    if node.move:
        label.append(f"{node.move} ", "cyan")
    if node.odds:
        label.append(f"({node.odds}) ", "magenta")
    label.append(_SHAPES[node.shape])
    if node.shape != "leaf":
        label.append(f" {node.player}")
    if value:
        label.append(f" {value}", "green" if node.best else "")
    window = windows.get(node.visited) if node.visited else None
    if window is not None:
        is_cut = bool(node.visited and node.visited.pruned)
        label.append(f" {window_text(window)}", "red" if is_cut else "dim")
    for note in notes(node, picture.search):
        label.append(f" · {note}", "yellow")
    return label
