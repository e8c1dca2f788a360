"""The answers to the questions of a quiz: what may be typed, and whether it is right."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lolli.cli.trees import number_text
from lolli.cli.trees.picture import Picture, PictureNode
from protocol.text import quoted

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


@dataclass(frozen=True, slots=True)
class QuizAnswer:
    """`text` is the answer as one would write it, `how` says the form of an answer.

    `check` says whether what was typed is right, and what is, as `2 of 3 right`. Raises ValueError. `rule` is
    the same for the script of a page: the `kind` of answer, what is `right`, and the `names` to choose from.
    """

    text: str
    how: str
    check: Callable[[Sequence[str]], tuple[bool, str]]
    rule: Mapping[str, Any]

    def checked(self, typed: str) -> tuple[bool, str]:
        words = typed.replace("\N{MINUS SIGN}", "-").replace(",", " ").replace(";", " ").lower().split()
        try:
            return self.check(words)
        except ValueError:
            raise AnswerError(f"not an answer: {quoted(typed.strip())}; type {self.how}") from None


def numbers(values: Sequence[float], each: str = "one for each player") -> QuizAnswer:
    count = len(values)
    how = f"{count} numbers, {each}, such as {' '.join('314159'[:count])}"

    def check(words: Sequence[str]) -> tuple[bool, str]:
        if len(words) != count or not all(map(_NUMBER.fullmatch, words)):
            raise ValueError
        pairs = zip(words, values, strict=True)
        hits = sum(abs(Fraction(word) - Fraction(value)) < _NEAR for word, value in pairs)
        return hits == count, f"{hits} of {count} right" if hits else ""

    return QuizAnswer(
        " ".join(map(number_text, values)),
        "a number, such as 3, 2.5 or 5/2" if count == 1 else how,
        check,
        {"kind": "numbers", "right": [*values]},
    )


def some_leaves(right: Collection[str], names: str) -> QuizAnswer:
    def check(words: Sequence[str]) -> tuple[bool, str]:
        letters = set() if words == [_NONE] else set("".join(words))
        if not words or letters - set(names):
            raise ValueError
        return letters == set(right), _found(letters, right)

    how = f"letters from {names[0]} to {names[-1]}, such as {' '.join(names[1:3])}, or none"
    rule = {"kind": "letters", "right": sorted(right), "names": [*names]}
    return QuizAnswer(" ".join(sorted(right)) or _NONE, how, check, rule)


def some_moves(
    right: Collection[str], legal: Sequence[str], read: Callable[[str], str], *, one: bool = False
) -> QuizAnswer:
    """All of the right moves, or `one`; `read` turns a text into a legal move's, or raises ValueError."""

    def check(words: Sequence[str]) -> tuple[bool, str]:
        moves = set() if words == [_NONE] and not one else {read(word) for word in words}
        if not words or (one and len(words) > 1):
            raise ValueError
        return moves == set(right), _found(moves, right)

    text = " ".join(move for move in legal if move in right) or _NONE
    listed = " ".join(legal)
    rule = {"kind": "moves", "right": sorted(right), "names": [*legal], "one": one}
    return QuizAnswer(text, f"one of {listed}" if one else f"some of {listed}, or none", check, rule)


def choice(right: str, names: Sequence[str]) -> QuizAnswer:
    return some_moves((right,), names, lambda text: names[names.index(text)], one=True)


def result_and_move(
    result: int, best: Sequence[str], legal: Sequence[str], read: Callable[[str], str]
) -> QuizAnswer:
    """Who wins, for the player to move (1, 0 or -1), and one of the best moves."""

    def check(words: Sequence[str]) -> tuple[bool, str]:
        (said,) = (_WORDS[word] for word in words if word in _WORDS)
        (move,) = (read(word) for word in words if word not in _WORDS)
        right, is_best = said == result, move in best
        return right and is_best, "the result is right" if right else "the move is right" if is_best else ""

    how = "win, draw or loss for the player to move, and a move, such as draw B2"
    rule = {"kind": "result", "right": [result, *best], "names": [*legal]}
    return QuizAnswer(f"{_NOUNS[result]} {' or '.join(best)}", how, check, rule)


def _found(named: set[str], right: Collection[str]) -> str:
    found, wrong = len(named & set(right)), len(named - set(right))
    return f"{found} of {len(right)} found{f', {wrong} wrong' if wrong else ''}" if found else ""


def value_of(picture: Picture) -> QuizAnswer:
    return numbers(vector(picture.root))


def vector(node: PictureNode) -> tuple[float, ...]:
    value = node.visited.value if node.visited else None
    return value if isinstance(value, tuple) else () if value is None else (value,)


def named_leaves(picture: Picture, names: Sequence[str]) -> list[PictureNode]:
    leaves = [node for node in picture.nodes if not node.children]
    for leaf, name in zip(leaves, names, strict=False):
        leaf.name = name
    return leaves


def pruned(leaves: Sequence[PictureNode]) -> QuizAnswer:
    names = "".join(sorted(leaf.name for leaf in leaves))
    return some_leaves({leaf.name for leaf in leaves if leaf.pruned}, names)
