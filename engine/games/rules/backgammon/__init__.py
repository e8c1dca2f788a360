"""Backgammon, without the doubling cube.

The first player is X, the second O. Each counts points from its own view and moves from 24 to 1 and off; what
is written is from the view of the side to move. A win counts 1; with `scoring="points"` a gammon counts 2 and
a backgammon 3, as in money play.
"""

import re
from collections import Counter
from collections.abc import Sequence

from engine.games.rules.backgammon.board import Backgammon
from engine.games.rules.game import CHANCE, OVER, Game, IllegalMoveError, SizeError

SCORINGS = {"win": 1, "points": 3}
OFF, BAR = 0, 25
HEIGHT = 5
_POINT = "0?[0-9]|1[0-9]|2[0-5]"
_STEPS = re.compile(rf"((?:bar|{_POINT})(?:/(?:off|{_POINT})\*?){{1,4}})(?:\(([1-4])\))?")


class BackgammonGame(Game[Backgammon]):
    """`scoring`: "win" or "points". The estimate is that of a network that has learned by playing itself."""

    name = "backgammon"
    title = "Backgammon"
    chance = True

    def __init__(self, players: int = 2, scoring: str = "win") -> None:
        super().__init__(players)
        if scoring not in SCORINGS:
            raise SizeError(
                f"the scoring of backgammon must be {' or '.join(SCORINGS)}, not {str(scoring)[:40]!r}"
            )
        self._worth = SCORINGS[scoring]
        self.payoffs = (-float(self._worth), float(self._worth))

    def start(self, size: int | None = None) -> Backgammon:
        self.checked_size(size)
        return Backgammon(self._worth)

    def estimate(self, state: Backgammon) -> Sequence[float]:
        return state.estimate()

    def text(self, state: Backgammon, move: int) -> str:
        """Dice as `31`; a move as `8/5*,6/5`, `bar/22`, `13/off`, `13/9(2)`; or `pass`.

        The steps of one man are joined, with the points between where it hits.
        """
        if state.player == CHANCE:
            return str(move)
        their = list(state.board(1 - state.player))
        paths: list[list[tuple[int, bool]]] = []  # of each man the points, and whether it hits there
        for source, target in state.steps(move):
            path = next((path for path in paths if path[-1][0] == source), None)
            if path is None:
                paths.append(path := [(source, False)])
            path.append((target, target != OFF and their[BAR - target] == 1))
            their[BAR - target] = 0
        counts = Counter(map(_joined, paths))
        return ",".join(text if n == 1 else f"{text}({n})" for text, n in counts.items()) or "pass"

    def parse(self, state: Backgammon, text: str) -> int:
        """A move as `text` writes it, or more freely.

        Dice and steps come in any order; blanks may part steps; a man's steps may be joined, 13/10/7 or 13/7;
        equal steps may be counted, 6/5(2); hits may be marked by asterisks. Where joined steps could hit or
        not, they hit only on the points that are written.
        """
        words = text.strip().lower()
        if state.player == CHANCE:
            return _parse_roll(state, words)
        moves = state.moves()
        if not moves:
            raise IllegalMoveError("the game is over")
        if words == "pass" and not state.steps(moves[0]):
            return moves[0]
        gain, ends, marked = _read(words)
        their = state.board(1 - state.player)
        struck = marked | {point for point in ends if their[BAR - point] == 1}
        effects = {move: _effect(state, move) for move in moves}
        fits = [move for move, (gains, hits) in effects.items() if gains == gain and struck <= hits]
        if len(fits) > 1:
            fits = [move for move in fits if effects[move][1] == struck]
        if len(fits) != 1:
            raise IllegalMoveError(f"{text.strip()[:40]!r} is not a legal move")
        return fits[0]

    def show(self, state: Backgammon) -> str:
        upper, lower = range(13, 25), range(12, 0, -1)
        edges = [_edge(upper), _edge(lower)]
        if state.roller == 1:
            edges.reverse()
        return "\n".join(
            [
                edges[0],
                *[_row(state, upper, height) for height in range(HEIGHT)],
                f"|{'':19}|BAR|{'':19}|",
                *[_row(state, lower, height) for height in reversed(range(HEIGHT))],
                edges[1],
                *[_summary(state, player) for player in (0, 1)],
                _standing(state),
            ]
        )


def _joined(path: Sequence[tuple[int, bool]]) -> str:
    """A man's path as text: where it begins and ends, and where it hits."""
    ends = (0, len(path) - 1)
    return "/".join(_name(point) + "*" * hit for i, (point, hit) in enumerate(path) if hit or i in ends)


def _name(point: int) -> str:
    return {BAR: "bar", OFF: "off"}.get(point, str(point))


def _parse_roll(state: Backgammon, text: str) -> int:
    rolls = state.moves()
    for digits in (text, text[::-1]):
        if re.fullmatch("[1-6][1-6]", digits) and int(digits) in rolls:
            return int(digits)
    raise IllegalMoveError(f"{text[:40]!r} cannot be rolled now")


def _read(text: str) -> tuple[list[int], set[int], set[int]]:
    """What a move gains on each point, where its steps end, and where it says that it hits."""
    gain = [0] * (BAR + 1)
    ends: set[int] = set()
    marked: set[int] = set()
    for part in re.split(r"[,\s]+", text):
        match = _STEPS.fullmatch(part)
        if match is None:
            raise IllegalMoveError(
                f"{text[:40]!r} is not a move of backgammon, such as 8/5,6/5 or bar/22,6/off or pass"
            )
        words = match[1].split("/")
        points = [_point(word) for word in words]
        times = int(match[2] or 1)
        gain[points[0]] -= times
        gain[points[-1]] += times
        ends.update(points[1:])
        marked.update(point for point, word in zip(points, words, strict=True) if word.endswith("*"))
    return gain, ends - {OFF}, marked


def _point(word: str) -> int:
    return BAR if word == "bar" else int(word.rstrip("*").replace("off", "0"))


def _effect(state: Backgammon, move: int) -> tuple[list[int], set[int]]:
    player = state.player
    after = state.play(move)
    gain = [new - old for new, old in zip(after.board(player), state.board(player), strict=True)]
    before, left = state.board(1 - player), after.board(1 - player)
    return gain, {BAR - point for point in range(1, BAR) if left[point] < before[point]}


def _edge(points: Sequence[int]) -> str:
    names = [f"{point:2}" for point in points]
    return f"+-{'-'.join(names[:6])}-------{'-'.join(names[6:])}-+"


def _row(state: Backgammon, points: Sequence[int], height: int) -> str:
    """One man of each of twelve points, where there is one so high; the highest row counts taller stacks."""
    cells = [_cell(state, point, height) for point in points]
    player = 0 if points[0] < points[-1] else 1
    bar = _pile(state.board(player)[BAR], "XO"[player], height)
    return f"| {' '.join(cells[:6])} |{bar} | {' '.join(cells[6:])} |"


def _cell(state: Backgammon, point: int, height: int) -> str:
    if state.board(0)[point]:
        return _pile(state.board(0)[point], "X", height)
    return _pile(state.board(1)[BAR - point], "O", height)


def _pile(men: int, letter: str, height: int) -> str:
    if height == HEIGHT - 1 and men > HEIGHT:
        return f"{men:2}"
    return f" {letter if men > height else ' '}"


def _summary(state: Backgammon, player: int) -> str:
    board = state.board(player)
    pips = sum(point * men for point, men in enumerate(board))
    return f"{'XO'[player]}: {pips} pips, {board[0]} off"


def _standing(state: Backgammon) -> str:
    if state.roller < 0:
        return "opening roll"
    side = "XO"[state.roller]
    if state.player == OVER:
        degree = {1: "", 2: ", a gammon", 3: ", a backgammon"}[int(state.payoff()[state.roller])]
        return f"{side} has won{degree}"
    return f"{side} to play {state.high}{state.low}" if state.high else f"{side} to roll"
