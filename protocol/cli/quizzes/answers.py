"""The kinds of answers: how each is written, and whether what was typed is right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from protocol.cli.trees.watched_search import number_text
from protocol.text import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NUMBER = re.compile(r"[+-]?[0-9]{1,9}(?:\.[0-9]{0,9}|/0*[1-9][0-9]{0,8})?|[+-]?\.[0-9]{1,9}")
_NEAR = Fraction(6, 1000)  # two decimals are enough
_NONE = "none"
_NOUNS = {1: "win", 0: "draw", -1: "loss"}
_WORDS = {
    **dict.fromkeys(("win", "won", "1", "+1"), 1),
    **dict.fromkeys(("draw", "drawn", "0"), 0),
    **dict.fromkeys(("loss", "lose", "lost", "-1"), -1),
}


class AnswerError(ValueError):
    """What was typed is not an answer to this question; the message says what is, in one line."""


class QuizAnswer(Protocol):
    """The right answer; `text` as one would write it, `how` to write any."""

    @property
    def text(self) -> str: ...
    @property
    def how(self) -> str: ...
    def is_right(self, typed: str) -> bool:
        """Whether what was typed is as good. Raises AnswerError."""

    def partly(self, typed: str) -> str:
        """What of a wrong answer is right, `2 of 3 right`; empty where nothing is. Raises AnswerError."""


@dataclass(frozen=True, slots=True)
class NumbersAnswer:
    """One number, or several, `each` says which."""

    values: tuple[float, ...]
    each: str = "one for each player"

    @property
    def text(self) -> str:
        """See QuizAnswer."""
        return " ".join(map(number_text, self.values))

    @property
    def how(self) -> str:
        """See QuizAnswer."""
        if len(self.values) == 1:
            return "a number, such as 3, 2.5 or 5/2"
        count = len(self.values)
        return f"{count} numbers, {self.each}, such as {' '.join('314159'[:count])}"

    def is_right(self, typed: str) -> bool:
        """See QuizAnswer."""
        return all(self._hits(typed))

    def partly(self, typed: str) -> str:
        """See QuizAnswer."""
        hits = self._hits(typed)
        return f"{sum(hits)} of {len(hits)} right" if any(hits) else ""

    def _hits(self, typed: str) -> list[bool]:
        """For each number whether it is right. Raises AnswerError."""
        words = _words(typed)
        if len(words) != len(self.values) or not all(map(_NUMBER.fullmatch, words)):
            raise _not(typed, self.how)
        pairs = zip(words, self.values, strict=True)
        return [abs(Fraction(word) - Fraction(value)) < _NEAR for word, value in pairs]


@dataclass(frozen=True, slots=True)
class LeavesAnswer:
    """Some of the leaves that have these names, each a letter."""

    right: frozenset[str]
    names: str

    @property
    def text(self) -> str:
        """See QuizAnswer."""
        return " ".join(sorted(self.right)) or _NONE

    @property
    def how(self) -> str:
        """See QuizAnswer."""
        names = self.names
        return f"letters from {names[0]} to {names[-1]}, such as {' '.join(names[1:3])}, or none"

    def is_right(self, typed: str) -> bool:
        """See QuizAnswer."""
        return self._letters(typed) == self.right

    def partly(self, typed: str) -> str:
        """See QuizAnswer."""
        return _found(self._letters(typed), self.right)

    def _letters(self, typed: str) -> set[str]:
        """Raises AnswerError."""
        words = _words(typed)
        letters = set() if words == [_NONE] else set("".join(words))
        if not words or letters - set(self.names):
            raise _not(typed, self.how)
        return letters


@dataclass(frozen=True, slots=True)
class MovesAnswer:
    """All of the moves that are right; `read` turns a text into a legal move's, or raises ValueError.

    `one`: a single move is asked for.
    """

    right: frozenset[str]
    legal: Sequence[str]
    read: Callable[[str], str]
    one: bool = False

    @property
    def text(self) -> str:
        """See QuizAnswer."""
        return " ".join(move for move in self.legal if move in self.right) or _NONE

    @property
    def how(self) -> str:
        """See QuizAnswer."""
        return f"one of {' '.join(self.legal)}" if self.one else f"some of {' '.join(self.legal)}, or none"

    def is_right(self, typed: str) -> bool:
        """See QuizAnswer."""
        return self._moves(typed) == self.right

    def partly(self, typed: str) -> str:
        """See QuizAnswer."""
        return _found(self._moves(typed), self.right)

    def _moves(self, typed: str) -> set[str]:
        """Raises AnswerError."""
        words = _words(typed)
        try:
            moves = set() if words == [_NONE] and not self.one else {self.read(word) for word in words}
        except ValueError:
            raise _not(typed, self.how) from None
        if not words or (self.one and len(words) > 1):
            raise _not(typed, self.how)
        return moves


@dataclass(frozen=True, slots=True)
class ResultAnswer:
    """Who wins, for the player to move: 1, 0 or -1; and one of the best moves."""

    result: int
    best: tuple[str, ...]
    read: Callable[[str], str]

    @property
    def text(self) -> str:
        """See QuizAnswer."""
        return f"{_NOUNS[self.result]} {' or '.join(self.best)}"

    @property
    def how(self) -> str:
        """See QuizAnswer."""
        return "win, draw or loss for the player to move, and a move, such as draw B2"

    def is_right(self, typed: str) -> bool:
        """See QuizAnswer."""
        return self._hits(typed) == (True, True)

    def partly(self, typed: str) -> str:
        """See QuizAnswer."""
        result, move = self._hits(typed)
        return "the result is right" if result else "the move is right" if move else ""

    def _hits(self, typed: str) -> tuple[bool, bool]:
        """Whether the result is right, and whether the move is. Raises AnswerError."""
        words = _words(typed)
        results = [word for word in words if word in _WORDS]
        others = [word for word in words if word not in _WORDS]
        try:
            moves = [self.read(word) for word in others]
        except ValueError:
            raise _not(typed, self.how) from None
        if len(results) != 1 or len(moves) != 1:
            raise _not(typed, self.how)
        return _WORDS[results[0]] == self.result, moves[0] in self.best


def choice(right: str, names: Sequence[str]) -> MovesAnswer:
    """One of some names."""
    return MovesAnswer(frozenset((right,)), names, lambda text: names[names.index(text)], one=True)


def _found(named: set[str], right: frozenset[str]) -> str:
    """`2 of 3 found, 1 wrong`; empty where none of several is found."""
    found, wrong = len(named & right), len(named - right)
    return f"{found} of {len(right)} found{f', {wrong} wrong' if wrong else ''}" if found else ""


def _words(typed: str) -> list[str]:
    return typed.replace("\N{MINUS SIGN}", "-").replace(",", " ").replace(";", " ").lower().split()


def _not(typed: str, how: str) -> AnswerError:
    return AnswerError(f"not an answer: {quoted(typed.strip())}; type {how}")
