"""What a search goes by, beyond the limits of one move."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.search.handicap import FULL, Handicap


@dataclass(slots=True)
class Settings:
    """What a search goes by; read when it begins. `move_overhead` is in milliseconds.

    `lines` is how many best lines to report; with `nodes_time` above 0 a millisecond of the clock
    is that many nodes, which makes games repeatable. `parameters` are those of engine.search.parameters that
    differ from the usual ones. The `handicap` is for moves to be played, so not while `analysing`.
    """

    threads: int = 1
    lines: int = 1
    move_overhead: int = 10
    nodes_time: int = 0
    parameters: Mapping[str, int] = field(default_factory=dict)
    handicap: Handicap = FULL
    analysing: bool = False
