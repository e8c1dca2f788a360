"""The searches that are compared: each is a set of techniques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.search.parameters import TECHNIQUES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FIRST = ("alpha_beta", "ordering", "table", "quiescence")
"""With these the ladder begins, in the order in which they were thought of; the others stay in theirs."""


class VariantError(ValueError):
    """Why a search cannot be put together, in one line."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A search by the techniques that are `on`; all others are off."""

    name: str
    on: frozenset[str]

    @property
    def changed(self) -> dict[str, int]:
        """What it is to the search's parameters."""
        return {name: int(name in self.on) for name in TECHNIQUES}


def techniques(exact: bool) -> tuple[str, ...]:
    """Those of the usual search, in the order of the ladder; only those that do not guess if `exact`."""
    usual = [name for name, each in TECHNIQUES.items() if each.default and not (exact and each.guess)]
    first = [name for name in _FIRST if name in usual]
    return (*first, *(name for name in usual if name not in first))


def chosen(text: str) -> tuple[str, ...]:
    """The techniques that `null_move,table` names, in that order. Raises VariantError."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in TECHNIQUES:
            raise VariantError(f"there is no technique {name!r}; there are {', '.join(TECHNIQUES)}")
    return names


def ladder(names: Sequence[str]) -> Iterator[Variant]:
    """Plain minimax, and then one technique after the other added to it."""
    yield Variant("minimax", frozenset())
    for count, name in enumerate(names, 1):
        yield Variant(f"+ {name}", frozenset(names[:count]))


def ablation(names: Sequence[str], exact: bool) -> Iterator[Variant]:
    """The whole search, and then the same without each technique; with it if it is not part of that."""
    whole = frozenset(techniques(exact))
    yield Variant("whole search", whole)
    for name in names:
        yield Variant(f"without {name}" if name in whole else f"with {name}", whole ^ {name})
