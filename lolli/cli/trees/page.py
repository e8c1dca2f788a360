"""A searched tree as an SVG picture, for paper, and as a page to step through."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from engine.games.search.puct import BASE
from engine.games.search.recording import Act, RecordedNode, RecordedStep
from lolli.cli.reports.html import html_page
from lolli.cli.terminal.words import with_real_minus
from lolli.cli.trees.picture import (
    BOUND,
    PRIOR,
    Picture,
    PictureNode,
    bound_sign,
    last_windows,
    notes,
    shown_value,
)
from lolli.cli.trees.search import window_text, worth_text

Windows = dict[RecordedNode, tuple[float, float]]


_PLY, _WORDS = 112, 2  # pixels from a node to those below it, with room for so many lines of small words
_MARGIN = 24
_HEAD, _FOOT = 40, 28  # room for the title, and for what is left out
_LAST_PLY, _LINE = 72, 12  # room for the nodes of the last ply, and for each line of words below them
_NARROWEST = 50  # pixels of a node with its words
_LETTER, _BOLD_LETTER = 6.6, 8.2  # pixels
_LEAF = 13  # half of the width of a leaf at least
_DIAMOND, _AROUND = 18, 4.1  # half of a diamond's width at least, and for each letter of a name in it
_SHAPES = {
    "max": "M0-16 19 16H-19Z",
    "min": "M0 16 19-16H-19Z",
    "chance": "M-16 0a16 16 0 1 0 32 0a16 16 0 1 0-32 0Z",
}
_STYLE = """
text { font: 13px "DejaVu Sans", Verdana, sans-serif; text-anchor: middle; fill: #24262a }
.title { font-size: 15px; font-weight: bold; text-anchor: start } .foot { text-anchor: start; fill: #62666c }
.edge { stroke: #8a8d92; stroke-width: 1.2; fill: none } .best { stroke: #2a7549; stroke-width: 3 }
.shape { fill: #fff; stroke: #24262a; stroke-width: 1.4 } .shape.best { stroke-width: 3 }
.leaf { fill: #f0ebe0 } .chance { fill: #fdf3d8 } .value { font-weight: bold }
.small { font-size: 10.5px; fill: #62666c } .move { font-size: 11px; fill: #24568f } .cut { fill: #c02626 }
.halo { stroke: #fff; stroke-width: 3px; paint-order: stroke; stroke-linejoin: round } .plate { fill: #fff }
.pruned { opacity: 0.55 } .pruned .edge, .pruned .shape { stroke-dasharray: 4 3 }
.untried .edge, .untried .shape { stroke-dasharray: 3 3 }
.strike { stroke: #c02626; stroke-width: 2 }
"""


def tree_svg(picture: Picture) -> str:
    """The whole picture as a file of its own."""
    return "\n".join(_Drawing(picture).lines()) + "\n"


def inline_svg(picture: Picture, label: str) -> str:
    """The tree alone, as an element of a page that brings the style; `label` says what is seen."""
    return "\n".join(_Drawing(picture, head=0).element(label))


def tree_png(picture: Picture) -> bytes:
    """The same as a PNG file. Needs the packages resvg_py and, for its fonts, matplotlib."""
    import matplotlib as mpl  # noqa: PLC0415 - only a PNG needs them
    import resvg_py  # noqa: PLC0415

    fonts = Path(mpl.get_data_path()) / "fonts" / "ttf"
    files = [str(fonts / name) for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")]
    return resvg_py.svg_to_bytes(
        svg_string=tree_svg(picture),
        background="#ffffff",
        skip_system_fonts=True,
        font_files=files,
        font_family="DejaVu Sans",
        sans_serif_family="DejaVu Sans",
    )


def node_width(picture: Picture) -> float:
    """The width in pixels that the words at a node need."""
    windows = last_windows(picture.search)
    small = max(
        len(text) for node in picture.nodes for text in (*_words(picture, node, windows), _move_words(node))
    )
    bold = max(len(shown_value(node, picture.search)) for node in picture.nodes)
    diamond = max(
        (2 * half_diamond(node.player) for node in picture.nodes if node.shape == "player"), default=0
    )
    return max(_NARROWEST, _LETTER * small + 8, _BOLD_LETTER * bold + 16, diamond + 8)


def ply_height(picture: Picture) -> int:
    """The pixels from a node to those below it: room for the words between them."""
    windows = last_windows(picture.search)
    inner = [node for node in picture.nodes if node.children]
    most = max((len(_words(picture, node, windows)) for node in inner), default=0)
    return _PLY + _LINE * max(0, most - _WORDS)


def half_diamond(name: str) -> int:
    return max(_DIAMOND, round(_AROUND * (len(name) + 1)))


def half_leaf(value: str) -> int:
    return max(_LEAF, round(_BOLD_LETTER * len(value) / 2) + 5)


def _words(
    picture: Picture, node: PictureNode, windows: dict[RecordedNode, tuple[float, float]]
) -> list[str]:
    window = windows.get(node.visited) if node.visited else None
    noted = (
        with_real_minus(note) if note.startswith(BOUND) else note for note in notes(node, picture.search)
    )
    more = f"… {node.left_out:,} more" if node.left_out else ""
    return [words for words in (window and pretty(window_text(window)), *noted, more) if words]


def _move_words(node: PictureNode) -> str:
    return f"{node.move} ({node.odds})" if node.odds else node.move


def pretty(numbers: str) -> str:
    """Values or a window with a real minus, and the sign of infinity."""
    return with_real_minus(numbers).replace("inf", "∞")


class _Drawing:
    """Writes the elements of one picture."""

    def __init__(self, picture: Picture, head: int = _HEAD) -> None:
        """`head`: the room above the tree."""
        self._picture = picture
        self._head = head
        self._windows = last_windows(picture.search)
        self._width, self._ply = node_width(picture), ply_height(picture)

    def lines(self) -> Iterator[str]:
        picture = self._picture
        title = picture.search.title()
        width = max(picture.width * self._width, 8.8 * len(title)) + 2 * _MARGIN
        height = self._head + (picture.height - 1) * self._ply + 110 + _FOOT
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}"'
            f' viewBox="0 0 {width:.0f} {height}">'
        )
        yield f"<title>{escape(title)}</title><style>{_STYLE}</style>"
        yield '<rect width="100%" height="100%" fill="#fff"/>'
        yield f'<text class="title" x="{_MARGIN}" y="26">{escape(title)}</text>'
        yield from self._tree()
        if picture.left_out:
            yield f'<text class="foot" x="{_MARGIN}" y="{height - 12}">{escape(picture.left_out)}</text>'
        yield "</svg>"

    def element(self, label: str) -> Iterator[str]:
        width = self._picture.width * self._width + 2 * _MARGIN
        last = [node for node in self._picture.nodes if node.y == self._picture.height - 1]
        lines = max(len(_words(self._picture, node, self._windows)) for node in last)
        height = self._head + (self._picture.height - 1) * self._ply + _LAST_PLY + lines * _LINE
        yield (
            f'<svg class="tree" role="img" aria-label="{escape(label)}" width="{width:.0f}"'
            f' height="{height}" viewBox="0 0 {width:.0f} {height}" style="--width: {width:.0f}px">'
        )
        yield from self._tree()
        yield "</svg>"

    def _tree(self) -> Iterator[str]:
        for node in self._picture.nodes:
            if node.above is not None:
                yield from self._edge(node, node.above)
        for node in self._picture.nodes:
            yield from self._node(node)
        for node in self._picture.nodes:
            if node.above is not None:
                yield from self._move(node, node.above)

    def _at(self, node: PictureNode) -> tuple[float, float]:
        return _MARGIN + (node.x + 0.5) * self._width, self._head + 28 + node.y * self._ply

    def _edge(self, node: PictureNode, above: PictureNode) -> Iterator[str]:
        (x1, y1), (x2, y2) = self._at(above), self._at(node)
        best = " best" if node.best and above.best else ""
        opened = f'<g class="{_state(node)}">' if node.visited is None else "<g>"
        yield f'{opened}<path class="edge{best}" d="M{x1:.1f} {y1:.1f} {x2:.1f} {y2:.1f}"/></g>'

    def _move(self, node: PictureNode, above: PictureNode) -> Iterator[str]:
        """The words on an edge, and what strikes it through."""
        (x1, y1), (x2, y2) = self._at(above), self._at(node)
        x, y = x1 + 0.76 * (x2 - x1), y1 + 0.76 * (y2 - y1)
        words = _move_words(node)
        yield _plate(x, y - 6, _LETTER * len(words), 12)
        yield f'<text class="move halo" x="{x:.1f}" y="{y + 4:.1f}">{escape(words)}</text>'
        if node.pruned and not above.pruned:
            x, y = x1 + 0.64 * (x2 - x1), y1 + 0.64 * (y2 - y1)
            yield f'<path class="strike" d="M{x - 9:.1f} {y + 3:.1f}l18-6m-18 10l18-6"/>'

    def _node(self, node: PictureNode) -> Iterator[str]:
        x, y = self._at(node)
        value = pretty(shown_value(node, self._picture.search))
        best = " best" if node.best else ""
        inside = node.shape == "leaf"
        yield f'<g class="{_state(node)}" transform="translate({x:.1f} {y:.1f})">'
        yield f'<path class="shape {node.shape}{best}" d="{_outline(node, value)}"/>'
        if node.shape == "player":
            yield f'<text class="small" y="4">{node.player}</text>'
        said = _words(self._picture, node, self._windows)
        if node.children and (value or said):
            width = max(_BOLD_LETTER * len(value), *(_LETTER * len(words) for words in said), 0)
            yield _plate(0, 22, width, _LINE * len(said) + 16)
        line = 5.0 if inside else 34.0
        halo = "" if inside else " halo"
        struck = ' text-decoration="line-through"' if node.pruned else ""
        yield f'<text class="value{halo}" y="{line}"{struck}>{escape(value)}</text>'
        line = 34.0 if inside else 47.0
        is_cut = node.visited is not None and bool(node.visited.pruned)
        for place, words in enumerate(said):
            cut = " cut" if is_cut and place == 0 and words.startswith("[") else ""
            yield f'<text class="small halo{cut}" y="{line}">{escape(words)}</text>'
            line += _LINE
        yield "</g>"


def _state(node: PictureNode) -> str:
    return "pruned" if node.pruned else "visited" if node.untried is None else "untried"


def _outline(node: PictureNode, value: str) -> str:
    if node.shape == "leaf":
        half = half_leaf(value)
        return f"M-{half}-13H{half}V13H-{half}Z"
    if node.shape != "player":
        return _SHAPES[node.shape]
    half = half_diamond(node.player)
    return f"M0-18 {half} 0 0 18-{half} 0Z"


def _plate(x: float, top: float, width: float, height: float) -> str:
    """What hides the edges behind words whose middle is at x."""
    return (
        f'<rect class="plate" x="{x - width / 2:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height}"/>'
    )


_FOLDER = Path(__file__).parent / "page"
COLOURS = _FOLDER / "colours.css"
"""Those of all pages with trees: light, dark and printed."""
_ACTS = tuple(Act)


def tree_page(picture: Picture) -> str:
    """The page of a picture, which shows the steps at the nodes that are drawn."""
    return html_page(
        _FOLDER / "tree.html",
        title=picture.search.title(),
        styles=(COLOURS, _FOLDER / "tree.css"),
        scripts=(_FOLDER / "tree.js",),
        data=_data(picture),
        left_out=picture.left_out,
        position=picture.search.game.show(picture.search.state),
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
        yield [_ACTS.index(step.act), place, _value(step), window, _more(picture, step, place, places)]


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
