"""What a search goes by, beyond the limits of one move."""

from dataclasses import dataclass


@dataclass(slots=True)
class Settings:
    """What a search goes by; read when it begins. `move_overhead` is in milliseconds.

    `lines` is how many best lines to report; with `nodes_time` above 0 a millisecond of the clock
    is that many nodes, which makes games repeatable.
    """

    threads: int = 1
    lines: int = 1
    move_overhead: int = 10
    nodes_time: int = 0
    singular_extensions: bool = False
