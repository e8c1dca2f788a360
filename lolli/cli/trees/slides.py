"""A searched tree for slides: as a TikZ picture, and for Graphviz."""

from collections.abc import Iterator
from html import escape

from lolli.cli.terminal.screen import MINUS
from lolli.cli.trees.picture import SIGNS, Drawing, Picture, PictureNode, name_inside, pretty

_IN_TEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    MINUS: "$-$",
    "≤": "$\\le$",
    "≥": "$\\ge$",
    "∞": "$\\infty$",
    "…": "\\dots{}",
    "<": "$<$",
    ">": "$>$",
    "|": "\\textbar{}",
    '"': "''",
}
_LATIN = "\u0180"  # from here on pdflatex knows no letters
_TEX_HEAD = r"""% {title}
% Needs \usepackage{{tikz}} and \usetikzlibrary{{shapes.geometric}} in the preamble.
\begin{{tikzpicture}}[x=0.75pt, y=-0.75pt, font=\small,
  side/.style={{regular polygon, regular polygon sides=3, draw, fill=white, minimum size=22pt,
    inner sep=0pt}},
  max/.style={{side}}, min/.style={{side, shape border rotate=180}},
  chance/.style={{circle, draw, fill=white, minimum size=18pt, inner sep=0pt}},
  player/.style={{diamond, draw, fill=white, inner sep=1pt}},
  leaf/.style={{rectangle, draw, fill=black!5, minimum size=16pt, inner sep=2pt}},
  words/.style={{align=center, fill=white, inner sep=1pt, font=\scriptsize}},
  move/.style={{words, text=blue!60!black}},
  pruned/.style={{dashed, opacity=0.5}}, untried/.style={{dashed}},
  best/.style={{very thick, draw=green!40!black}}]
"""
_NEW_LINE = r"\\{}"  # the braces keep a bracket that follows from being its argument


def tree_tex(picture: Picture) -> str:
    """A tikzpicture to be read by `\\input`, with styles to be changed; nodes stand as in other pictures."""
    return "\n".join(_tex(picture)) + "\n"


def _tex(picture: Picture) -> Iterator[str]:
    drawing = Drawing(picture)
    names = {node: f"n{place}" for place, node in enumerate(picture.nodes)}
    yield _TEX_HEAD.format(title=picture.search.title()).rstrip()
    for node in picture.nodes:
        x, y = drawing.at(node)
        inside = pretty(drawing.values[node]) if node.shape == "leaf" else _inside(node)
        style = _style(node.shape, node, is_best=node.best)
        yield rf"  \node[{style}] ({names[node]}) at ({x:.0f},{y:.0f}) {{{_tex_text(inside)}}};"
    for node, above, move, share in drawing.edges():
        style = _style("", node, is_best=node.best and above.best)
        label = rf"node[move, pos={share:.2g}] {{{_tex_text(move)}}}"
        yield rf"  \draw[{style}] ({names[above]}) -- {label} ({names[node]});"
    for node in picture.nodes:  # after the edges, which they hide
        value, *words = map(_tex_text, (pretty(drawing.values[node]), *drawing.words[node]))
        rows = (_tex_text(row).replace(" ", "~") for row in _rows(drawing, node))
        words = [*(rf"\mbox{{\texttt{{{row}}}}}" for row in rows), *words]
        lines = words if node.shape == "leaf" else [rf"\textbf{{{value}}}" if value else "", *words]
        if text := _NEW_LINE.join(filter(None, lines)):
            below = "[yshift=-2pt]" if node.shape == "max" else ""
            yield rf"  \node[words, anchor=north] at ({below}{names[node]}.south) {{{text}}};"
    yield r"\end{tikzpicture}"


def tree_dot(picture: Picture) -> str:
    """A directed graph for `dot`, from left to right in the order of the moves."""
    return "\n".join(_dot(picture)) + "\n"


def _dot(picture: Picture) -> Iterator[str]:
    drawing = Drawing(picture)
    names = {node: f"n{place}" for place, node in enumerate(picture.nodes)}
    yield f"digraph {_quoted(picture.search.title())} {{"
    yield "  ordering=out; node [shape=plain, fontsize=11];"
    yield "  edge [arrowhead=none, fontsize=10, fontcolor=blue4];"
    for node in picture.nodes:
        rows = [f'<FONT FACE="monospace">{escape(row)}</FONT>' for row in _rows(drawing, node)]
        words = [f'<FONT POINT-SIZE="9">{escape(words)}</FONT>' for words in drawing.words[node]]
        value, sign, box = escape(pretty(drawing.values[node])), "", ", shape=box, margin=0.05"
        if node.shape != "leaf":
            sign, box = f'<FONT POINT-SIZE="20">{SIGNS[node.shape]}</FONT> {escape(_inside(node))}', ""
        lines = [sign, value and f"<B>{value}</B>", *rows, *words]
        label = "<BR/>".join(filter(None, lines))
        yield f"  {names[node]} [label=<{label}>{box}{_looks(node, is_best=node.best)}];"
    for node, above, move, _ in drawing.edges():
        looks = _looks(node, is_best=node.best and above.best)
        yield f"  {names[above]} -> {names[node]} [label={_quoted(f' {move} ')}{looks}];"
    yield "}"


def _looks(node: PictureNode, *, is_best: bool) -> str:
    dashed = ", style=dashed, color=gray, fontcolor=gray" if _state(node) else ""
    return dashed + (", penwidth=2.5, color=darkgreen" if is_best else "")


def _rows(drawing: Drawing, node: PictureNode) -> list[str]:
    """The board as text, if it is to be drawn; of a stack its top."""
    return ["".join(mark[-1:] or " " for mark in row) for row in drawing.squares.get(node, ())]


def _inside(node: PictureNode) -> str:
    return node.player if node.shape == "player" else node.name if name_inside(node) else ""


def _state(node: PictureNode) -> str:
    return "pruned" if node.pruned else "untried" if node.untried is not None else ""


def _style(shape: str, node: PictureNode, *, is_best: bool) -> str:
    return ", ".join(filter(None, (shape, _state(node), "best" if is_best else "")))


def _tex_text(text: str) -> str:
    return "".join(_IN_TEX.get(sign, sign if sign < _LATIN else "?") for sign in text)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
