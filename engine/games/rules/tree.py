"""Game trees as they are drawn in lectures: nested brackets with numbers as leaves.

    ((3,12,8),(2,4,6),(14,5,2))     the first player, MAX, chooses; then MIN; the numbers are MAX's payoffs
    min(3, max(5,4), (1,2))         max and min name the mover; without, it is the next player's turn
    p3(7/1/4, p1(5/8/2, 6/6/6))     p1 … p6 do so for more than two players; a leaf has one number for each
    ({5,2},{10,8},{3,15})           braces are brackets, too: boxes to look into
    [0.72:1, 0.20:0, 0.08:0.5]      chance: probabilities that add up to 1, each with what follows
    [1/6:4, 5/6:(1,2)]              they may be fractions
    [1, 2, 3, 4, 5, 6]              without them everything is equally likely
    A(B(3,12,8), C(2,x,y))          nodes with names; a name in place of a number is a leaf of unknown value
    (a: min B(b:3, c:4), d: C(2))   moves with names; a mover may stand before a name
    ([win 0.3:9, lose 0.7:-9], 0)   outcomes with names

Blanks do not matter. A node without a mover is the next player's after the node above it, across chance; at
the root, the first player's. The moves, and their texts, are the places of the children, from 0, unless they
have names. Where a game is played, an unknown payoff is less than all numbers. Python callers may give nested
tuples of numbers instead of a text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isclose
from operator import add
from typing import TypeAlias

from engine.games.rules.game import CHANCE, OVER, Game, NotApplicableError, SizeError

Nested: TypeAlias = "float | Sequence[Nested]"

TREES = {
    "lecture": "((3,12,8),(2,4,6),(14,5,2))",
    "reordered": "((3,12,8),(2,4,6),(2,5,14))",
    "worst": "((6,4,2),(14,5,2),(12,8,3))",
    "unknown": "(min(3,12,8),min(2,100,-100),min(14,5,2))",
    "boxes": "({5,2},{10,8},{3,15})",
    "sixteen": "((((5,3),(4,6)),((8,6),(5,6))),(((8,7),(8,9)),((2,8),(1,2))))",
    "ordered": "((((4,6),(3,5)),((6,8),(5,6))),(((2,8),(1,2)),((8,9),(7,8))))",
    "choice": "max(4,4,6,7,3,5)",
    "cut": "min(3,max(4,4,6,7,3,5))",
    "chance": "([0.72:1,0.20:0,0.08:0.5],0.75)",
    "dice": "([1,2,3,4,5,6],3)",
    "rolls": "([1/36:4,1/36:8,1/36:12,1/36:16,1/36:20,1/36:24,"
    "1/18:3,1/18:4,1/18:5,1/18:6,1/18:7,1/18:5,1/18:6,1/18:7,1/18:8,1/18:7,1/18:8,1/18:9,1/18:9,1/18:10,1/18:11],8)",
    "dog": "p1(5/8/2,3/9/4,4/1/7)",
    "cat": "p2(5/8/2,3/9/4,4/1/7)",
    "mouse": "p3(5/8/2,3/9/4,4/1/7)",
    "animals": "(((5/8/2,3/4/6),(6/1/7,2/7/3)),((4/4/4,1/9/5),(7/2/1,8/3/0)))",
    "coalition": "(((2/0/-2,5/-1/-4),(4/-5/1,3/-3/0)),((1/-3/2,4/-2/-2),(2/2/-4,3/-1/-2)))",
}
"""The figures of lectures by name, the usual one first. docs/searchers/figures.md has their values."""

_TO_A_DEPTH = ("minimax", "alphabeta", "enhanced", "expectiminimax", "maxn", "paranoid")
_DEEPEST = 100  # brackets within brackets
_MOST_PLAYERS = 6
_OPEN = {"(": ")", "{": "}"}
_LARGEST_DIVISOR = 10_000  # of a probability that is shown as a fraction
_SHOWN = 20  # characters of a wrong text that are quoted
_TOKEN = re.compile(r"\s*(?:[-+.0-9][-+.0-9eE/]*|[A-Za-z][A-Za-z0-9_']{0,11}|[][(){},:])")
_MOVER = re.compile("max|min|p[1-6]")
UNKNOWN = 1e300
"""What stands for an unknown payoff, or its negative: beyond all numbers, also as a small part of a mean."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A node, with all that is below it.

    `likely`: at CHANCE the probabilities of the children. `payoffs`: at a leaf, of each player; else their
    averages if all moves are equally likely. `name` and `labels`, the names of the moves, may be empty; a
    leaf has a name if its payoffs are unknown.
    """

    player: int
    children: tuple[Tree, ...]
    likely: tuple[float, ...]
    payoffs: tuple[float, ...]
    _hash: int
    name: str = ""
    labels: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self is other or (
            (self.player, self._hash, self.payoffs) == (other.player, other._hash, other.payoffs)
            and (self.likely, self.children) == (other.likely, other.children)
        )

    def __hash__(self) -> int:
        return self._hash

    def moves(self) -> Sequence[int]:
        return range(len(self.children))

    def play(self, move: int) -> Tree:
        return self.children[move]

    def chances(self) -> Sequence[tuple[int, float]]:
        return tuple(enumerate(self.likely))

    def payoff(self) -> Sequence[float]:
        return self.payoffs

    def turn(self, player: int) -> Tree:
        del player
        raise NotApplicableError("the turn is part of the node in a tree")

    def height(self) -> int:
        return 1 + max(child.height() for child in self.children) if self.children else 0

    def leaves(self) -> Sequence[Tree]:
        return [leaf for child in self.children for leaf in child.leaves()] if self.children else [self]

    def with_unknown(self, payoffs: Mapping[str, float]) -> Tree:
        """The same tree with these payoffs of the first player at its unknown leaves."""
        if not self.children:
            return leaf((payoffs[self.name], -payoffs[self.name]), self.name) if self.name else self
        children = tuple(child.with_unknown(payoffs) for child in self.children)
        return node(self.player, children, self.likely, self.name, self.labels)


def leaf(payoffs: tuple[float, ...], name: str = "") -> Tree:
    return Tree(OVER, (), (), payoffs, hash((payoffs, name) if name else payoffs), name)


def node(
    player: int,
    children: tuple[Tree, ...],
    likely: tuple[float, ...] = (),
    name: str = "",
    labels: tuple[str, ...] = (),
) -> Tree:
    weights = likely or (1 / len(children),) * len(children)
    players = range(len(children[0].payoffs))
    mean = tuple(
        sum(weight * child.payoffs[i] for weight, child in zip(weights, children, strict=True))
        for i in players
    )
    return Tree(player, children, likely, mean, hash((player, children, likely)), name, labels)


def parse_tree(text: str, players: int | None = None) -> Tree:
    """The root of a written tree; None: as many players as a leaf has payoffs. Raises SizeError."""
    return _Parser(text, players).tree()


class _Parser:
    """Reads one text from left to right."""

    def __init__(self, text: str, players: int | None) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        leaves = (word for word, after in pairwise([*self._tokens, ""]) if after != ":")
        shared = next((word.count("/") + 1 for word in leaves if "/" in word), 2)
        self._players = shared if players is None else players
        if not 2 <= self._players <= _MOST_PLAYERS:
            raise SizeError(f"a tree is for 2 to {_MOST_PLAYERS} players")

    def tree(self) -> Tree:
        root = self._node(0, 0)
        if self._at < len(self._tokens):
            raise SizeError(f"unexpected text after the tree: {self._next()[:_SHOWN]!r}")
        return root

    def _node(self, player: int, depth: int) -> Tree:
        """The node that begins here; without a mover of its own, `player` moves there."""
        if depth > _DEEPEST:
            raise SizeError(f"a tree is at most {_DEEPEST} plies deep")
        word, name = self._next(), ""
        if _MOVER.fullmatch(word.lower()):
            player = self._mover(word)
            word = self._next()
            if word not in _OPEN and not word[0].isalpha():
                raise SizeError(f"a bracket must follow the mover, not {word[:_SHOWN]!r}")
        if word[0].isalpha():
            if self._peek() not in {"[", *_OPEN}:
                return self._unknown(word)
            word, name = self._next(), word
        if word == "[":
            return self._chance(player, depth, name)
        if word not in _OPEN:
            return self._leaf(word)
        after = (player + 1) % self._players
        children, labels, _ = self._children(_OPEN[word], after, depth)
        return node(player, children, (), name, labels)

    def _children(
        self, close: str, player: int, depth: int, *, odds: bool = False
    ) -> tuple[tuple[Tree, ...], tuple[str, ...], list[float]]:
        """The children to the closing bracket, where `player` moves; the moves' names; with `odds`, those."""
        labels, likely, children = [], [], []
        more = True
        while more:
            named = self._peek()[:1].isalpha() and (self._peek(1) == ":" or (odds and self._peek(2) == ":"))
            labels.append(self._next() if named else "")
            if named and self._peek() == ":":
                self._next()
            if odds and self._peek(1) == ":":
                likely.append(_probability(self._next()))
                self._next()
            children.append(self._node(player, depth + 1))
            more = self._more(close)
        return tuple(children), _checked_labels(labels), likely

    def _chance(self, player: int, depth: int, name: str) -> Tree:
        children, labels, likely = self._children("]", player, depth, odds=True)
        shares = tuple(likely) or (1 / len(children),) * len(children)
        if len(shares) != len(children):
            raise SizeError("all children of a chance node must have a probability, with a colon, or none")
        if min(shares) < 0 or not isclose(sum(shares), 1, abs_tol=1e-6):
            raise SizeError("the probabilities of a chance node must add up to 1")
        return node(CHANCE, children, shares, name, labels)

    def _unknown(self, name: str) -> Tree:
        if self._at == len(self._tokens) == 1:
            raise SizeError(f"not a tree: {name!r}; trees with a name: {', '.join(TREES)}")
        if self._players > 2:
            raise SizeError(f"only a tree for two players may have a leaf of unknown value: {name}")
        return leaf((-UNKNOWN, UNKNOWN), name)

    def _leaf(self, text: str) -> Tree:
        numbers = tuple(_number(number) for number in text.split("/"))
        if len(numbers) == 1 and self._players == 2:
            return leaf((numbers[0], -numbers[0]))
        if len(numbers) != self._players:
            raise SizeError(f"a leaf must have a number for each of the {self._players} players")
        return leaf(numbers)

    def _mover(self, word: str) -> int:
        word = word.lower()
        if word[0] != "p" and self._players > 2:
            raise SizeError("max and min are for two players: with more, write p1, p2, p3")
        player = {"max": 0, "min": 1}[word] if word[0] != "p" else int(word[1]) - 1
        if player >= self._players:
            raise SizeError(f"unknown player {word[:_SHOWN]}: the tree has {self._players} players")
        return player

    def _more(self, close: str) -> bool:
        word = self._next()
        if word not in {",", close}:
            raise SizeError(f"a comma or {close} is missing before {word[:_SHOWN]!r}")
        return word == ","

    def _peek(self, ahead: int = 0) -> str:
        """A word further on; empty at the end."""
        return "".join(self._tokens[self._at + ahead : self._at + ahead + 1])

    def _next(self) -> str:
        if self._at == len(self._tokens):
            raise SizeError("the tree ends too early")
        self._at += 1
        return self._tokens[self._at - 1]


def _checked_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Empty if no move has a name."""
    if not any(labels):
        return ()
    names = [label.lower() for label in labels]
    if "" in names or len(set(names)) < len(names):
        raise SizeError("all moves of a node must have names, each another, or none")
    return tuple(labels)


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    text = text.strip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            names = "" if at else f"; trees with a name: {', '.join(TREES)}"
            raise SizeError(f"not part of a tree: {text[at : at + _SHOWN]!r}{names}")
        tokens.append(token.group().strip())
        at = token.end()
    return tokens


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not abs(number) < 1e9:
        raise SizeError(f"not a number: {text[:_SHOWN]!r}")
    return number


def _probability(text: str) -> float:
    above, slash, below = text.partition("/")
    divisor = _number(below) if slash else 1.0
    if divisor == 0:
        raise SizeError(f"not a number: {text[:_SHOWN]!r}")
    return _number(above) / divisor


def _share(likely: float) -> str:
    """A probability as text: the shortest decimal or fraction that is read as the same number."""
    fraction = Fraction(likely).limit_denominator(_LARGEST_DIVISOR)
    texts = (f"{likely:g}", f"{fraction.numerator}/{fraction.denominator}", repr(likely))
    return next(text for text in texts if _probability(text) == likely)


def _written(tree: Nested) -> str:
    if isinstance(tree, int | float):
        return repr(float(tree))
    return f"({','.join(map(_written, tree))})"


class TreeGame(Game[Tree]):
    """One tree: by the name of a known one, as text, or as nested tuples."""

    name = "tree"
    title = "Game tree"

    def __init__(self, players: int | None = None, tree: str | Sequence[Nested] = next(iter(TREES))) -> None:
        """`players` None: as many as a leaf has payoffs. Raises SizeError."""
        text = tree if isinstance(tree, str) else _written(tree)
        self.root = parse_tree(TREES.get(text.strip().lower(), text), players)
        leaves = self.root.leaves()
        self.unknown = tuple(leaf.name for leaf in leaves if leaf.name)
        if len(set(self.unknown)) < len(self.unknown):
            raise SizeError("each unknown leaf needs another name")
        self.players = len(self.root.payoffs)
        self.max_player = 0 if self.players == 2 else None
        self.payoffs = min(min(leaf.payoffs) for leaf in leaves), max(max(leaf.payoffs) for leaf in leaves)
        self.zero_sum = all(isclose(sum(leaf.payoffs), 0, abs_tol=1e-9) for leaf in leaves)
        self.chance = _has_chance(self.root)
        # In one go, as lectures count the leaves.
        self.advice = {name: {"depth": str(self.root.height())} for name in _TO_A_DEPTH}

    def start(self, size: int | None = None) -> Tree:
        self.checked_size(size)
        return self.root

    def estimate(self, state: Tree) -> Sequence[float]:
        """The average of the leaves below, as if everybody moved at random."""
        return state.payoffs

    def bounds(self, player: int) -> tuple[float, float]:
        if self.unknown:
            return -UNKNOWN, UNKNOWN
        payoffs = [leaf.payoffs[player] for leaf in self.root.leaves()]
        return min(payoffs), max(payoffs)

    def text(self, state: Tree, move: int) -> str:
        return state.labels[move] if state.labels else str(move)

    def show(self, state: Tree) -> str:
        children = [f"{self.text(state, i)}: {self._shown(state.children[i])}" for i in state.moves()]
        return "\n".join([self._shown(state) if not children else self._who(state), *children])

    def _who(self, state: Tree) -> str:
        name = f" {state.name}" if state.name else ""
        return f"{self._mover(state)}{name}"

    def _mover(self, state: Tree) -> str:
        if state.player == CHANCE:
            return "chance"
        return ("max", "min")[state.player] if self.players == 2 else f"p{state.player + 1}"

    def _shown(self, state: Tree) -> str:
        if not state.children:
            plain = self.players == 2 and state.payoffs[0] == -state.payoffs[1]
            return state.name or "/".join(
                f"{number:g}" for number in (state.payoffs[:1] if plain else state.payoffs)
            )
        heads = [f"{label}: " for label in state.labels] or [""] * len(state.children)
        opened, closed = f"{self._who(state)}(", ")"
        if state.player == CHANCE:
            opened, closed = f"{state.name}[", "]"
            if state.labels or set(state.likely) != {1 / len(state.children)}:
                names = state.labels or heads
                heads = [
                    f"{name} {_share(each)}:".lstrip() for name, each in zip(names, state.likely, strict=True)
                ]
        return f"{opened}{', '.join(map(add, heads, map(self._shown, state.children)))}{closed}"


def _has_chance(tree: Tree) -> bool:
    return tree.player == CHANCE or any(map(_has_chance, tree.children))
