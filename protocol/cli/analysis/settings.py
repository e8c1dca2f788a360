"""What an analyst is made from; it can be sent to another process."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnalystSettings:
    """`evaluator` is a name, `weights` a file for `linear`; None is what is usual.

    `megabytes` is the size of the transposition table, `lines` how many best lines are looked for.
    """

    evaluator: str | None = None
    weights: str | None = None
    megabytes: int = 16
    threads: int = 1
    lines: int = 1
