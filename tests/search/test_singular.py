"""Singular extensions: the flag at work where it matters.

The positions were found by trying many: the win of material hangs on a line of only moves. When the
search changes, others may be needed.
"""

import pytest

from engine.search.limits import Limits
from engine.search.parameters import SINGULAR_DEPTH
from engine.search.techniques import Techniques
from tests.search.searching import deepening, nodes, opened, search, without

SEEN_SOONER = [
    ("8/8/2p3p1/8/8/P1K5/7P/4k3 w - - 0 1", 800),  # the pawn's race for its queen
    ("8/5k2/K7/R2qp2p/8/4P1P1/8/8 w - - 0 1", 600),
    ("4N3/1B6/8/2K4p/k7/5r2/8/8 w - - 0 1", 600),
]


def singular() -> Techniques:
    """The usual techniques and this one."""
    use = Techniques()
    use.singular_extensions = True
    return use


def effort(fen: str, value: int, use: Techniques) -> tuple[int, int]:
    """The depth and the nodes at which a search sees the value."""
    run = deepening(fen, use)
    depth = next(depth for depth in run.run(14) if run.best.score >= value)
    return depth, run.searcher.nodes


@pytest.mark.parametrize(("fen", "value"), SEEN_SOONER)
def test_win_is_seen_at_less_depth_and_in_fewer_nodes(fen: str, value: int) -> None:
    depth, spent = effort(fen, value, singular())
    usual_depth, usually_spent = effort(fen, value, without())
    assert depth < usual_depth
    assert spent < usually_spent


@pytest.mark.parametrize("fen", [fen for fen, _ in SEEN_SOONER])
def test_flag_changes_the_search_from_its_depth_on(fen: str) -> None:
    below, beyond = SINGULAR_DEPTH - 1, SINGULAR_DEPTH + 1
    assert nodes(fen, below, singular()) == nodes(fen, below)
    assert nodes(fen, beyond, singular()) != nodes(fen, beyond)


def test_settings_have_the_flag() -> None:
    fen, depth = SEEN_SOONER[0][0], SINGULAR_DEPTH + 1
    with opened() as session:
        for on in (False, True, False):
            session.new_game()
            session.settings.singular_extensions = on
            spent = search(session, Limits(depth=depth), fen).last.nodes
            assert spent == nodes(fen, depth, singular() if on else None)
