"""Endgame tables: for every position of few men who wins, and how soon, found by retrograde analysis.

An entry is one byte: 0 for a draw, else one more than the plies to the end of the game, if the winner plays
for the shortest and the loser for the longest way. Since players move in turns, whoever is to move has won
where the plies are odd, lost where they are even. So the table of king and rook has the distance to mate.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.games.rules.game import OVER, Move, Positions, State
from engine.games.search.basics import Meter
from engine.games.search.lookup import Payoffs
from engine.games.search.retrograde import DRAWN, Backwards, ExactValue, payoffs_of, winner_of

MOST_PLIES = 254


@dataclass(frozen=True, slots=True)
class Part:
    """Positions with an entry for each; where a number has no position, the entry means nothing."""

    positions: Positions
    entries: bytes


class EndgameTable:
    """Parts of one game, each of which leads only to those before it, and to ends of the game."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts

    def verdict(self, state: State) -> ExactValue | None:
        """Who wins, and how soon, if no rule ends long games; None where the state is not in the table."""
        if state.player == OVER:
            return ExactValue(winner_of(state))
        for part in self.parts:
            number = part.positions.number(state)
            if number is not None:
                return _decoded(part.entries[number], state.player)
        return None

    def look_up(self, state: State) -> Payoffs | None:
        """The payoffs with best play, as `alphabeta` wants them.

        None where the state is not in the table, and where a rule that ends long games might make the win a
        draw, but need not.
        """
        for part in self.parts:
            number = part.positions.number(state)
            if number is not None:
                verdict = _decoded(part.entries[number], state.player)
                if verdict.winner is None or verdict.plies <= part.positions.plies_left(state):
                    return payoffs_of(verdict)
                is_drawn = part.positions.is_too_late(state, verdict.plies)
                return payoffs_of(DRAWN) if is_drawn else None
        return None

    def ordered(self, state: State) -> list[Move]:
        """The moves of a state in the table, the best first: the shortest win, a draw, the longest loss."""

        def worth(move: Move) -> tuple[int, int]:
            verdict = self.verdict(state.play(move)) or DRAWN
            if verdict.winner is None:
                return 0, 0
            return (1, -verdict.plies) if verdict.winner == state.player else (-1, verdict.plies)

        return sorted(state.moves(), key=worth, reverse=True)

    def line(self, state: State) -> Iterator[Move]:
        """Best play of both: to the end of the game, or in a draw until a position is repeated."""
        seen: set[tuple[int, int]] = set()
        while state.player != OVER and (place := self._place(state)) not in seen:
            seen.add(place)
            move = self.ordered(state)[0]
            yield move
            state = state.play(move)

    def _place(self, state: State) -> tuple[int, int]:
        numbers = ((i, part.positions.number(state)) for i, part in enumerate(self.parts))
        return next((i, number) for i, number in numbers if number is not None)


def make_table(endings: Sequence[Positions], meter: Meter | None = None) -> EndgameTable:
    """The table of endings, each of which leads only to those before it. The meter counts the positions.

    Raises SearchStoppedError where the meter says so, OverflowError for a win of more than MOST_PLIES plies.
    """
    table, meter = EndgameTable(()), meter or Meter()
    for positions in endings:
        table = EndgameTable((*table.parts, Part(positions, _entries(positions, table, meter))))
    return table


def _entries(positions: Positions, table: EndgameTable, meter: Meter) -> bytes:
    """One byte for each number; the table has what follows after captures and promotions."""
    analysis: Backwards[int] = Backwards()
    for number in range(positions.size):
        found = positions.at(number)
        if found is None:
            continue
        meter.visit()
        if found.mover == OVER:
            analysis.end(number, found.winner)
            continue
        inside = [child for child in found.children if isinstance(child, int)]
        outside = [child for child in found.children if not isinstance(child, int)]
        analysis.add(number, found.mover, inside, [table.verdict(child) or DRAWN for child in outside])
    entries = bytearray(positions.size)
    for number, verdict in analysis.verdicts(meter).items():
        if verdict.plies > MOST_PLIES:
            raise OverflowError(f"a win in more than {MOST_PLIES} plies")
        entries[number] = verdict.plies + 1
    return bytes(entries)


def _decoded(entry: int, mover: int) -> ExactValue:
    if entry == 0:
        return DRAWN
    plies = entry - 1
    return ExactValue(mover if plies % 2 else 1 - mover, plies)
