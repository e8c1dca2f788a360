"""One game after the other between a player and the engine."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import chess

from engine.board.notation import move_text
from engine.search.handicap import (
    ELO_OF_LEVEL,
    FULL_STRENGTH,
    STRONGEST_ELO,
    WEAKEST_ELO,
    WEAKEST_LEVEL,
    Handicap,
)
from engine.search.limits import Limits
from protocol.about import NAME, VERSION
from protocol.cli.playing.chess_game import ChessGame, FischerClock, PlayerNames, pgn_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from engine.search.handicap import Handicap
    from engine.search.limits import Limits
    from engine.search.report import Score
    from protocol.cli.analysis.analyst import Analyst
    from protocol.cli.playing.chess_game import FischerTimeControl, GameFile

LEVELS = f"{WEAKEST_LEVEL} … {FULL_STRENGTH}"
ELOS = f"{WEAKEST_ELO} … {STRONGEST_ELO}"
_OVERHEAD = 20  # milliseconds of a move that are not spent on searching
_HOPELESS, _HOPELESS_MOVES = -1000, 6
"""The engine offers to resign after `_HOPELESS_MOVES` searches in a row with a score below `_HOPELESS`."""


@dataclass(frozen=True, slots=True)
class PlayStrength:
    """A handicap with a short name for the board and a description for a sentence."""

    handicap: Handicap
    name: str
    description: str

    @classmethod
    def of_level(cls, level: int) -> PlayStrength:
        """Raises ValueError for an unknown level."""
        handicap = Handicap.of_level(level)
        if level == FULL_STRENGTH:
            return FULL
        elo = ELO_OF_LEVEL[level - WEAKEST_LEVEL]
        return cls(handicap, f"level {level}", f"level {level} of {FULL_STRENGTH}, about {elo} Elo")

    @classmethod
    def of_elo(cls, elo: int) -> PlayStrength:
        """Raises ValueError if the rating is out of range."""
        return cls(Handicap.of_elo(elo), f"{elo} Elo", f"about {elo} Elo")


FULL = PlayStrength(Handicap(), "full strength", "full strength")


@dataclass(frozen=True, slots=True)
class EngineMove:
    """The move to play, and its score for the mover; None if no depth was finished."""

    move: chess.Move
    score: Score | None


class Opponent:
    """The engine as a player. All methods but `stop` are for one thread."""

    def __init__(self, analyst: Analyst, handicap: Handicap, chooser: Random) -> None:
        """`chooser` makes the random choices of a handicap. The analyst must have no other user."""
        self._analyst = analyst
        self._analyst.session.settings.move_overhead = _OVERHEAD
        self._analyst.session.chooser = chooser
        self.play_as(handicap)

    def play_as(self, handicap: Handicap) -> None:
        """Change the strength."""
        self._analyst.session.settings.handicap = handicap

    def answer(self, board: chess.Board, limits: Limits) -> EngineMove:
        """The move to play; the game must not be over. Raises FenError, and any error of the search."""
        reports, outcome = self._analyst.choice(board, limits)
        move = chess.Move.from_uci(move_text(outcome.best, board.chess960))
        return EngineMove(move, reports[-1].score if reports else None)

    def stop(self) -> None:
        """Move now. May be called from any thread or signal handler."""
        self._analyst.stop()

    def new_game(self) -> None:
        """Forget the last game."""
        self._analyst.new_game()

    def close(self) -> None:
        """Stop, and wait until no thread is left."""
        self._analyst.close()


@dataclass(frozen=True, slots=True)
class PlayTerms:
    """What is agreed before a game: `color` is the player's side, None for a random one.

    `start` returns the first position; `limits` apply to each move of the engine.
    """

    start: Callable[[Random], chess.Board]
    color: chess.Color | None
    control: FischerTimeControl | None
    limits: Limits
    player: str


class PlayMatch:
    """One game after the other; the first has begun."""

    def __init__(
        self,
        terms: PlayTerms,
        strength: PlayStrength,
        opponent: Opponent,
        chooser: Random,
        file: GameFile | None,
    ) -> None:
        self._terms = terms
        self._opponent = opponent
        self._chooser = chooser
        self._file = file
        self.strength = strength
        self.begin()

    def begin(self) -> None:
        """Begin another game."""
        control, color = self._terms.control, self._terms.color
        self.game = ChessGame(self._terms.start(self._chooser), FischerClock(control) if control else None)
        self.player = self._chooser.choice(chess.COLORS) if color is None else color
        self._started = datetime.now().astimezone()
        self._hopeless = 0
        self._kept: str | None = None
        self._opponent.new_game()

    @property
    def players_turn(self) -> bool:
        """Whether the player is to move (or would be, if the game is over)."""
        return self.game.board.turn == self.player

    @property
    def is_hopeless(self) -> bool:
        """Whether the engine would resign."""
        return self._hopeless >= _HOPELESS_MOVES

    @property
    def has_just_become_hopeless(self) -> bool:
        """Whether the engine should offer to resign now."""
        return self._hopeless == _HOPELESS_MOVES

    @property
    def names(self) -> dict[chess.Color, str]:
        """The names of the sides beside the board."""
        return {self.player: "You", not self.player: f"{NAME}, {self.strength.name}"}

    def play_as(self, strength: PlayStrength) -> None:
        """Change the strength."""
        self.strength = strength
        self._opponent.play_as(strength.handicap)

    def answer(self) -> str:
        """Let the engine move, or claim a draw if that is no loss to it. Returns a sentence about it."""
        game = self.game
        game.begin_turn()
        answer = self._opponent.answer(game.board, self._limits())
        value = 0 if answer.score is None else answer.score.value
        self._hopeless = self._hopeless + 1 if value < _HOPELESS else 0
        claim = game.claim()
        if claim is not None and value <= 0 and not game.check_time():
            game.end_drawn(claim)
            return f"{NAME} claims a draw."
        san = numbered(game.board, answer.move)
        game.move(answer.move)
        if game.ending is not None and game.ending.on_time:
            return f"{NAME} lost on time."
        return f"{NAME} plays {san}."

    @property
    def player_resigned(self) -> bool:
        """Whether the player has given up."""
        ending = self.game.ending
        return ending is not None and ending.resigned and ending.winner != self.player

    def take_back(self, moves: int) -> bool:
        """Undo `moves` moves of the player, with the replies. False if there are fewer.

        A resignation of the player counts as a move.
        """
        moves -= self.player_resigned
        plies = 2 * moves - (not self.players_turn)
        if plies > self.game.played:
            return False
        self.game.take_back(plies)
        self._hopeless = 0
        return True

    def pgn(self) -> str:
        """The PGN of the game so far."""
        engine = f"{NAME} {VERSION}, {self.strength.name}"
        white, black = (self._terms.player, engine) if self.player else (engine, self._terms.player)
        return pgn_text(self.game, PlayerNames(white, black), self._started)

    def keep(self) -> str | None:
        """Write the game to its file, if there is one and the game has changed.

        Returns the file's name if it was written. Raises OSError.
        """
        text = self.pgn()
        if self._file is None or text == self._kept or not (self.game.played or self._kept):
            return None
        if self._kept is None:
            self._file.add(text)
        else:
            self._file.replace(text)
        self._kept = text
        return str(self._file.path)

    def _limits(self) -> Limits:
        """The limits of one move, with the present clock times."""
        limits, clock = self._terms.limits, self.game.clock
        if clock is None:
            return limits
        white, black = (max(1, round(1000 * clock.left(color))) for color in chess.COLORS)
        increment = round(1000 * clock.control.increment)
        return Limits(
            time=(white, black),
            increment=(increment, increment),
            depth=limits.depth,
            nodes=limits.nodes,
            move_time=limits.move_time,
        )


def numbered(board: chess.Board, move: chess.Move) -> str:
    """`12. Nf3` or `12... Nf6`."""
    return board.variation_san([move])
