"""The experiment: which searches are compared, on which positions, and where each search ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.search.parameters import TECHNIQUES
from protocol.cli.suites.epd import SuitePosition, parse_position
from protocol.uci.bench import BRATKO_KOPEC

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FIRST = ("alpha_beta", "ordering", "table", "quiescence")
"""The ladder begins with these, in historical order; the others follow in the order of the table."""

_NAME = "Bratko-Kopec"
_BEST = (
    *("Qd1+", "d5", "f5", "e6", "Nd5 a4", "g6", "Nf6", "f5", "f5", "Ne5", "f4", "Bf5"),
    *("b4", "Qd2 Qe1", "Qxg7+", "Ne4", "h5", "Nb3", "Rxe4", "g4", "Nh6", "Bxe4", "f6", "f4"),
)


class VariantError(ValueError):
    """Why a search cannot be put together, in one line."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A search with the techniques in `on`; all others are off."""

    name: str
    on: frozenset[str]

    @property
    def changed(self) -> dict[str, int]:
        """The values for the search's parameters, 1 or 0 for each technique."""
        return {name: int(name in self.on) for name in TECHNIQUES}


@dataclass(frozen=True, slots=True)
class ExperimentLimits:
    """Where the search of a position ends: at `depth`, or before that after `nodes` or `seconds`."""

    depth: int
    nodes: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ExperimentPart:
    """Searches that are compared with each other, under the same limits.

    In the `ladder` each is compared with the one before it, otherwise all with the first.
    """

    ladder: bool
    variants: Sequence[Variant]
    limits: ExperimentLimits


def techniques(exact: bool) -> tuple[str, ...]:
    """The techniques of the default search in the ladder's order; with `exact` without selective ones."""
    default = [name for name, each in TECHNIQUES.items() if each.default and not (exact and each.guess)]
    first = [name for name in _FIRST if name in default]
    return (*first, *(name for name in default if name not in first))


def chosen(text: str) -> tuple[str, ...]:
    """The techniques in a list such as `null_move,table`, in that order. Raises VariantError."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in TECHNIQUES:
            raise VariantError(f"unknown technique {name!r}: choose from {', '.join(TECHNIQUES)}")
    return names


def ladder(names: Sequence[str]) -> Iterator[Variant]:
    """Plain minimax, then one technique after the other added to it."""
    yield Variant("minimax", frozenset())
    for count, name in enumerate(names, 1):
        yield Variant(f"+ {name}", frozenset(names[:count]))


def ablation(names: Sequence[str], exact: bool) -> Iterator[Variant]:
    """The whole search, then the same without each technique, or with it if the whole search lacks it."""
    whole = frozenset(techniques(exact))
    yield Variant("whole search", whole)
    for name in names:
        yield Variant(f"without {name}" if name in whole else f"with {name}", whole ^ {name})


def default_positions() -> list[SuitePosition]:
    """The 24 positions of Bratko and Kopec with their best moves as published in 1982.

    They are middle games with some 35 legal moves, as theory assumes, and a few endgames. Some of the best
    moves are seen at once, some only at depths that a selective search reaches, some hardly ever.
    """
    return [
        parse_position(f'{fen} bm {best}; id "BK.{number:02}";', _NAME, number)
        for number, (fen, best) in enumerate(zip(BRATKO_KOPEC, _BEST, strict=True), 1)
    ]
