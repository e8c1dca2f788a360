"""What `scripts/lab judge-policy` has found of the networks of a folder, in a file of JSON lines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.files import read_file, write_whole
from scripts.laboratory.policy.judging import Share

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_LARGEST = 1 << 28  # bytes


class JudgementError(ValueError):
    """A file has no judgements. The message says why."""


@dataclass(frozen=True, slots=True)
class JudgedNetwork:
    """How good the network after some seconds is with so many playouts, by the name of a set of positions."""

    seconds: int
    playouts: int
    shares: dict[str, Share]

    @property
    def sets(self) -> tuple[str, ...]:
        """The names of the sets."""
        return tuple(self.shares)

    def to_record(self) -> dict[str, Any]:
        """As in a line of the file."""
        kept = {name: [share.kept, share.hard] for name, share in self.shares.items()}
        counts = {name: [share.positions, share.hard_positions] for name, share in self.shares.items()}
        return {"seconds": self.seconds, "playouts": self.playouts, "kept": kept, "positions": counts}

    @staticmethod
    def of_record(record: dict[str, Any]) -> JudgedNetwork:
        """The opposite of `to_record`. Raises TypeError, AttributeError, LookupError, ValueError."""
        counts = record["positions"]
        shares = {name: Share(*kept, *counts[name]) for name, kept in record["kept"].items()}
        return JudgedNetwork(int(record["seconds"]), int(record["playouts"]), shares)


def read_judgements(path: Path) -> list[JudgedNetwork]:
    """Those in a file, none where there is no file. Raises JudgementError and OSError."""
    if not path.exists():
        return []
    try:
        lines = read_file(path, _LARGEST).decode().splitlines()
        return [JudgedNetwork.of_record(json.loads(line)) for line in lines]
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise JudgementError(f"{path}: not what judge-policy writes; remove it") from None


def write_judgements(path: Path, judgements: Iterable[JudgedNetwork]) -> None:
    """Write a file whole, or leave what was there. Raises OSError."""
    write_whole(path, "".join(json.dumps(each.to_record()) + "\n" for each in judgements).encode())


def with_new(known: Iterable[JudgedNetwork], new: Iterable[JudgedNetwork]) -> list[JudgedNetwork]:
    """All of them; new ones take the places of those of the same network, playouts and sets."""
    by_terms = {(each.seconds, each.playouts, each.sets): each for each in (*known, *new)}
    return [*by_terms.values()]


def percentages(share: Share) -> str:
    """The share of all positions, and that of the hard ones unless all are hard."""
    hard = "" if share.all_hard else f", {100 * share.hard:.1f}"
    return f"{100 * share.kept:.1f}{hard}%"
