"""The six cells of the table, and what was reported for them.

Board sizes, players, depths, estimates and turns were not reported; these are ours.
"""

from __future__ import annotations

from .experiment import Setting

CELLS = (
    Setting("virus", players=3, size=6, depth=4, turns=10),
    Setting("virus", players=3, size=6, depth=4, turns=10, midgame=18),
    Setting("focus", players=3, size=None, depth=4, turns=5),
    Setting("focus", players=3, size=None, depth=4, turns=5, midgame=18),
)

REPORTED = {
    ("virus", "initial"): -0.102,
    ("virus", "midgame"): -0.104,
    ("focus", "initial"): -0.061,
    ("focus", "midgame"): -0.098,
    ("chinesecheckers", "initial"): -0.119,
    ("chinesecheckers", "midgame"): -0.060,
}
"""By how much Threat-ADS changed the nodes expanded: Polk and Oommen, 2013 and later."""
