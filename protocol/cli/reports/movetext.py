"""The moves of a game arranged for reading: the main line in two columns, all else between its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from protocol.cli.reports.story import Bracket, Step, Story
from protocol.cli.reports.typography import MINUS

# https://en.wikipedia.org/wiki/Portable_Game_Notation#Standard_NAGs, with the signs of the Informator
_NAGS = {
    "!": (1,),
    "?": (2,),
    "!!": (3,),
    "??": (4, 9),
    "!?": (5,),
    "?!": (6,),
    "□": (7, 8),
    "=": (10, 11, 12),
    "∞": (13,),
    "+/=": (14,),
    "=/+": (15,),
    "±": (16,),
    "∓": (17,),
    f"+{MINUS}": (18, 20),
    f"{MINUS}+": (19, 21),
    "⊙": (22, 23),
    "↻": (32, 33),
    "↑": (36, 37),
    "→": (40, 41),
    "=∞": (44, 45),
    "⇆": (132, 133),
    "⊕": (138, 139),
    "N": (146,),
}
_SIGNS = {nag: sign for sign, nags in _NAGS.items() for nag in nags}
_JUDGEMENTS = frozenset(range(1, 10))  # of a move, not of the position


def signs(nags: Iterable[int]) -> tuple[str, str]:
    """The signs that NAGs stand for: of the move, and of the position after it. Unknown ones as `$255`."""
    told = sorted(nags)
    of_move = "".join(_SIGNS[nag] for nag in told if nag in _JUDGEMENTS)
    return of_move, " ".join(_SIGNS.get(nag, f"${nag}") for nag in told if nag not in _JUDGEMENTS)


class PieceKind(Enum):
    """What a piece of a variation is."""

    OPEN = "open"
    CLOSE = "close"
    COMMENT = "comment"
    MOVE = "move"


@dataclass(frozen=True, slots=True)
class VariationPiece:
    """A piece of a variation. A move has a number where it needs one; `text` is a comment's."""

    part: PieceKind
    step: Step | None = None
    number: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """What is said after a move of the main line: a comment, or a variation in pieces."""

    comment: str = ""
    variation: tuple[VariationPiece, ...] = ()


@dataclass(slots=True)
class MoveRow:
    """A row of the main line. A move that is not there was in the row before, or comes in the next."""

    number: int
    white: Step | None = None
    black: Step | None = None
    notes: list[Note] = field(default_factory=list)


def rows_of(story: Story) -> list[MoveRow]:
    """The rows of a game; a move with notes ends its row."""
    rows: list[MoveRow] = []
    told = iter(story.told)
    next(told)  # the first position
    for each in told:
        if isinstance(each, Bracket):
            rows[-1].notes.append(Note(variation=tuple(_pieces(_variation(told)))))
            continue
        if each.by_white or not rows or rows[-1].black or rows[-1].notes:
            rows.append(MoveRow(int(each.number[:-1])))
        if each.by_white:
            rows[-1].white = each
        else:
            rows[-1].black = each
        rows[-1].notes += [Note(comment=text) for text in (each.opening, each.comment) if text]
    return rows


def _variation(told: Iterator[Step | Bracket]) -> Iterator[Step | Bracket]:
    """What comes until the bracket that is open is closed."""
    depth = 1
    for each in told:
        if isinstance(each, Bracket):
            depth += 1 if each is Bracket.OPEN else -1
            if depth == 0:
                return
        yield each


def _pieces(told: Iterable[Step | Bracket]) -> Iterator[VariationPiece]:
    needs_number = True
    for each in told:
        if isinstance(each, Bracket):
            yield VariationPiece(PieceKind.OPEN if each is Bracket.OPEN else PieceKind.CLOSE)
            needs_number = True
            continue
        if each.opening:
            yield VariationPiece(PieceKind.COMMENT, text=each.opening)
        yield VariationPiece(PieceKind.MOVE, each, each.number if each.by_white or needs_number else "")
        needs_number = bool(each.comment)
        if each.comment:
            yield VariationPiece(PieceKind.COMMENT, text=each.comment)
