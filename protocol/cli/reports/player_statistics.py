"""One player's statistics over many games: accuracy by phase and colour, openings, and time used."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from enum import Enum
from statistics import fmean
from typing import TYPE_CHECKING

import chess

from protocol.cli.analysis.assessment import Mark, measured, over_games

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.cli.analysis.assessment import MoveAssessment, PlayerSummary
    from protocol.cli.reports.judged_game import JudgedGame
    from protocol.cli.reports.story import Step

_MIDDLE_GAME, _ENDGAME = 10, 6  # queens, rooks, bishops and knights of both sides, at most
_SPARSE = 4  # fewer men on their own first rank: the opening is over
_HURRY = 30  # seconds left
_CLOCK = re.compile(r"(\d{1,9})(?:\+(\d{1,9}))?")
_POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
_UNKNOWN_OPENING = "Unknown opening"


class Phase(Enum):
    """A phase of a game, as Lichess divides it but for the mixing of pawns and pieces of both sides."""

    OPENING = "Opening"
    MIDDLE_GAME = "Middle game"
    ENDGAME = "Endgame"


@dataclass(frozen=True, slots=True)
class PlayerMove:
    """A move of the player. `seconds` were spent on it, of the `left` before it; None where not known."""

    color: chess.Color
    phase: Phase
    assessment: MoveAssessment | None
    mark: Mark | None
    seconds: float | None
    left: float | None


@dataclass(slots=True)
class PlayerGame:
    """A game of the player, or some of its moves. `points` is None if the game has no result.

    The measures of a game are those on its page.
    """

    color: chess.Color
    opening: str
    points: float | None
    moves: list[PlayerMove]
    measures: PlayerSummary | None

    def part(self, moves: list[PlayerMove]) -> PlayerGame:
        """The same with only these moves, measured by themselves."""
        return replace(self, moves=moves, measures=measured(move.assessment for move in moves))


@dataclass(slots=True)
class Row:
    """A line of a table: some of the games, or parts of them."""

    label: str
    games: list[PlayerGame]

    @property
    def moves(self) -> list[PlayerMove]:
        """Those of all its games."""
        return [move for game in self.games for move in game.moves]

    @property
    def measures(self) -> PlayerSummary | None:
        """None if no move was judged."""
        return over_games(game.measures for game in self.games)

    @property
    def score(self) -> str:
        """`7½ of 12`; empty if no game has a result."""
        points = [game.points for game in self.games if game.points is not None]
        if not points:
            return ""
        whole, half = divmod(sum(points), 1)
        number = f"{int(whole)}" if whole or not half else ""
        return f"{number}{'½' if half else ''} of {len(points)}"

    @property
    def seconds(self) -> float | None:
        """The mean time for a move; None if it is not known of any."""
        known = [move.seconds for move in self.moves if move.seconds is not None]
        return fmean(known) if known else None

    def marked(self, mark: Mark) -> int:
        """The number of moves with a mark."""
        return sum(move.mark is mark for move in self.moves)


class PlayerStatistics:
    """The statistics of a player over the games that are added."""

    def __init__(self, *names: str) -> None:
        """`names` are the spellings of the player's name, the one to show first."""
        self.name = names[0]
        self.games: list[PlayerGame] = []
        self._names = frozenset(names)

    def add(self, game: JudgedGame) -> None:
        """Count a game, if the player has played it."""
        for color in self.colors(game):
            self.games.append(_record(game, color))

    def colors(self, game: JudgedGame) -> list[chess.Color]:
        """The sides that the player has in a game: one, none, or both."""
        sides = {chess.WHITE: game.heading.white, chess.BLACK: game.heading.black}
        return [color for color, side in sides.items() if side.name in self._names]

    def overall(self) -> list[Row]:
        """All games, then those with White and with Black."""
        rows = [("All games", chess.COLORS), ("White", (chess.WHITE,)), ("Black", (chess.BLACK,))]
        return [Row(label, [game for game in self.games if game.color in colors]) for label, colors in rows]

    def phases(self) -> list[Row]:
        """The moves of each phase, and those made with little time left if there are any."""
        games = self.games
        rows = [
            Row(
                phase.value,
                [game.part([move for move in game.moves if move.phase is phase]) for game in games],
            )
            for phase in Phase
        ]
        hurried = [
            game.part([move for move in game.moves if move.left is not None and move.left < _HURRY])
            for game in games
        ]
        return (
            [*rows, Row(f"Under {_HURRY} s left", hurried)] if any(game.moves for game in hurried) else rows
        )

    def openings(self, color: chess.Color) -> list[Row]:
        """The openings played with a colour, the most frequent first."""
        found: dict[str, list[PlayerGame]] = defaultdict(list)
        for game in self.games:
            if game.color == color:
                found[game.opening].append(game)
        return [Row(name, found[name]) for name in sorted(found, key=lambda name: (-len(found[name]), name))]


def _record(game: JudgedGame, color: chess.Color) -> PlayerGame:
    points = _POINTS.get(game.result)
    if points is not None and color == chess.BLACK:
        points = 1 - points
    opening = game.opening_family or game.heading.variant or _UNKNOWN_OPENING
    performance = game.player(color)
    measures = performance.measures if performance else None
    return PlayerGame(color, opening, points, _moves(game, color), measures)


def _moves(game: JudgedGame, color: chess.Color) -> list[PlayerMove]:
    """The moves of one side. On Lichess the clock does not run until both have moved, and adds nothing."""
    base, increment = _time_control(game.time_control)
    steps = game.story.main_line
    left: dict[chess.Color, float | None] = {chess.WHITE: base, chess.BLACK: base}
    records = []
    judged = zip(steps[1:], phases_of(steps), game.assessments, strict=False)
    for number, (step, phase, assessment) in enumerate(judged):
        mover = step.by_white
        clock = left[mover]
        spent = None
        is_untimed = number < 2 and step.clock == base
        if clock is not None and step.clock is not None and not is_untimed:
            spent = max(0.0, clock + increment - step.clock)
        if mover == color:
            records.append(PlayerMove(color, phase, assessment, game.mark(step), spent, clock))
        left[mover] = step.clock
    return records


def phases_of(steps: Sequence[Step]) -> list[Phase]:
    """The phase of each position. A game goes from one phase to the next, never back."""
    phases = list(Phase)
    reached = 0
    found = []
    for step in steps:
        reached = max(reached, phases.index(_phase(chess.BaseBoard(step.fen.split(maxsplit=1)[0]))))
        found.append(phases[reached])
    return found


def _phase(board: chess.BaseBoard) -> Phase:
    pieces = (board.occupied & ~board.pawns & ~board.kings).bit_count()
    if pieces <= _ENDGAME:
        return Phase.ENDGAME
    ranks = (
        chess.BB_RANK_1 & board.occupied_co[chess.WHITE],
        chess.BB_RANK_8 & board.occupied_co[chess.BLACK],
    )
    if pieces <= _MIDDLE_GAME or any(rank.bit_count() < _SPARSE for rank in ranks):
        return Phase.MIDDLE_GAME
    return Phase.OPENING


def _time_control(text: str) -> tuple[float | None, float]:
    """The seconds to begin with and those added for each move, from `300+3`; None and 0 for anything else."""
    match = _CLOCK.fullmatch(text)
    return (float(match[1]), float(match[2] or 0)) if match else (None, 0.0)
