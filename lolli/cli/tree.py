"""`lolli tree`: the tree that a searcher of the textbook has searched, as a picture and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lolli.cli.given_file import check_target, write_result
from lolli.cli.reports import needing_packages, picture_kind
from lolli.cli.shared_options import BadInputError, flag_option, number_option, watch_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from lolli.cli.shared_options import Decorator
    from lolli.cli.trees import WatchedSearch
    from lolli.cli.trees.picture import Picture

_TERMINAL_NODES, _PICTURE_NODES, _PAGE_NODES = 200, 500, 10_000


def _checked(_ctx: click.Context, param: click.Parameter, target: str | None) -> str | None:
    if target is None:
        return None
    check_target(target)
    if param.name in {"svg", "png"} and Path(target).suffix and picture_kind(target) != param.name:
        raise BadInputError(f"{target}: --{param.name} does not write {Path(target).suffix}")
    return target


def _file_option(name: str, help_text: str) -> Decorator:
    return click.option(name, type=click.Path(), metavar="FILE", callback=_checked, help=help_text)


@click.command(
    epilog="""\b
Examples:
  lolli tree
  lolli tree --game "tree sixteen" alphabeta --svg sixteen.svg
  lolli tree --game "tree reordered" --html reordered.html
  lolli tree --game tictactoe --moves "B2 A1" alphabeta:depth=3 --breadth 4
  lolli tree --game "nim 7" minimax --boards --merge
  lolli tree --game "tree A(a1: B(b1:3, b2:12), a2: C(c1:2, c2:x))" --tex slide.tex
  lolli tree --game virus --players 3 --size 5 threat-ads:depth=3 --html threats.html
  lolli tree --game connectfour uct:playouts=300 --html uct.html"""
)
@watch_options
@number_option("--depth", least=0, most=1000, help="Draw N plies below the root.")
@number_option("--breadth", least=1, help="Draw N moves of each node: the first, and the best.")
@number_option(
    "--nodes",
    least=1,
    help=f"Draw N nodes, those near the root first. Default: {_TERMINAL_NODES} in the terminal,"
    f" {_PICTURE_NODES} in a picture, {_PAGE_NODES} in a page.",
)
@flag_option("--boards", help="Draw the state of the game in each node: its board, or its piles.")
@flag_option("--merge", help="Draw equal states, transpositions, as one node.")
@_file_option("--svg", "Write a picture as SVG, - for stdout.")
@_file_option("--png", "Write a picture as PNG.")
@_file_option("--tex", "Write a TikZ picture, to be read by \\input.")
@_file_option("--dot", "Write a graph for Graphviz.")
@_file_option("--html", "Write a page to step through the search, and to decide in.")
def command(
    search: WatchedSearch,
    *,
    depth: int | None,
    breadth: int | None,
    nodes: int | None,
    boards: bool,
    merge: bool,
    **targets: str | None,
) -> None:
    """Draw the tree that a searcher of the textbook has searched.

    In the terminal, unless a file is named. At a node stand the value that was backed up (≤ and ≥ where it is
    only a bound) and alpha and beta; under UCT visits (n), mean and upper bound, by which it chooses; under
    PUCT P, too, the probability that the policy gives to the move, and of the first moves also those without
    a visit. Branches that were pruned are struck through, with the window that pruned them. The line of best
    play is bold.

    The page shows the search step by step, forwards and backwards, with buttons, with the arrow keys, or on a
    phone; it works offline. There one also predicts each step, fills in values, alpha and beta, clicks
    what is pruned, and sets two searches side by side. If the tree is small enough for all of its nodes, one
    changes a leaf, the order of the moves, the algorithm or the depth, and searches again.

    A tree may name its nodes and moves, "tree A(a1: B(b1:3, b2:12), a2: C(2,x))"; x is then a leaf of unknown
    value, and what is shown holds whatever it is worth. --boards and --merge are switched on the page, too.

    SEARCHER is as in `lolli tournament`, with its limits, and the values are those of `lolli trace`. Where
    nothing limits it, it searches trees and other short games to their end, such as `nim 7`, else it looks 2
    plies ahead, or makes 30 simulations; a search ends after 100,000 nodes at the latest, unless `nodes` says
    otherwise. Iterative deepening ends at the first win that it proves, and moves that it has not searched to
    the end keep estimates; a --fixed-depth that reaches the end of the game leaves none.
    """
    from lolli.cli.terminal.screen import output  # noqa: PLC0415 - not for --help
    from lolli.cli.trees import pages, slides  # noqa: PLC0415
    from lolli.cli.trees import picture as pictures  # noqa: PLC0415

    def drawn(usual: int = _PICTURE_NODES) -> Picture:
        return pictures.picture_of(
            search, depth=depth, breadth=breadth, nodes=nodes or usual, boards=boards, merge=merge
        )

    def page() -> str:
        picture = pages.page_picture(search, depth=depth, breadth=breadth, nodes=nodes)
        return pages.tree_page(picture, boards=boards, merge=merge)

    make: dict[str, Callable[[], str | bytes]] = {
        "svg": lambda: pictures.tree_svg(drawn()),
        "png": lambda: pictures.tree_png(drawn()),
        "html": page,
        "tex": lambda: slides.tree_tex(drawn()),
        "dot": lambda: slides.tree_dot(drawn()),
    }
    files = [(kind, target) for kind, target in targets.items() if target is not None]
    if len({target for _, target in files}) < len(files):
        raise BadInputError("each file needs a name of its own")
    for kind, target in files:
        with needing_packages(f"--{kind}"):
            write_result(target, make[kind]())
    if not files:
        picture = drawn(_TERMINAL_NODES)
        console = output()
        console.print(search.title(), style="bold")
        console.print(pictures.terminal_tree(picture))
        if picture.left_out:
            console.print(picture.left_out, style="dim")
