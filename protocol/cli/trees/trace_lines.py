"""A search as lines, one a step: the same search gives the same lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.rules.game import CHANCE
from engine.games.textbook.recording import Act, upper_bound
from protocol.cli.trees.picture import is_extended
from protocol.cli.trees.watched_search import number_text, odds_text, window_text, worth_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.games.textbook.recording import RecordedNode, RecordedStep
    from protocol.cli.trees.watched_search import WatchedSearch


def trace_lines(search: WatchedSearch) -> Iterator[str]:
    """`enter 0>1: MIN, depth 1`, two blanks to the right for each move from the root."""
    visits: dict[int, int] = {}
    means: dict[int, float] = {}
    for step in search.recording.steps:
        node = step.node
        selected = step.act is Act.SELECT
        details = _selected(search, node, visits, means) if selected else _details(search, step)
        if step.act is Act.BACK_UP and isinstance(step.value, float):
            visits[node.number], means[node.number] = step.visits, step.value
        yield f"{'  ' * _plies(node)}{step.act} {search.path_text(node)}{': ' if details else ''}{details}"


def _details(search: WatchedSearch, step: RecordedStep) -> str:
    node = step.node
    window = window_text(step.window) if step.window else ""
    worth = "" if step.value is None else worth_text(step.value)
    match step.act:
        case Act.ENTER:
            return ", ".join(_entered(search, node))
        case Act.INHERIT:
            asked = " ".join(map(search.name_text, node.asked))
            return f"{window}, asked: {asked}" if asked else window
        case Act.ESTIMATE:
            same = f" as {search.path_text(node.same)}" if node.same else ""
            return f"{worth} ({node.source}{same})"
        case Act.CUT:
            return f"{window} prunes {' '.join(search.move_text(node, *pruned) for pruned in step.pruned)}"
        case Act.BACK_UP:
            return f"visits {step.visits}, mean {worth}"
        case _:
            return f"{worth} {window}".strip()


def _entered(search: WatchedSearch, node: RecordedNode) -> Iterator[str]:
    yield search.player_text(node.state.player)
    yield f"depth {node.depth}"
    if node.likely is not None:
        yield f"probability {odds_text(node.likely)}"
    if node.above is not None and node.above.asked and node.mover is not None:
        yield f"reply of {search.name_text(node.mover)}"
    if is_extended(node):
        yield "extended"
    if node.aside:
        yield "aside: is the best move singular?"


def _selected(
    search: WatchedSearch, node: RecordedNode, visits: dict[int, int], means: dict[int, float]
) -> str:
    """What UCT looks at: visits, mean and upper bound at this moment; and PUCT, the prior."""
    exploration = search.recording.exploration
    if node.above is None or exploration is None or node.above.state.player == CHANCE:
        return ""
    seen, mean = visits[node.number], means[node.number]
    bound = upper_bound(mean, seen, visits[node.above.number], exploration, node.prior)
    prior = "" if node.prior is None else f"prior {number_text(node.prior)}, "
    return f"visits {seen}, mean {number_text(mean)}, {prior}bound {number_text(bound)}"


def _plies(node: RecordedNode) -> int:
    plies = 0
    while node.above is not None:
        node = node.above
        plies += 1
    return plies
