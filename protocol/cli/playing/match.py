"""A game between a player and the engine: who has which side, how strong the engine is, where it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import chess

from engine.search.limits import Limits
from protocol.about import NAME, VERSION
from protocol.cli.playing.game import ChessGame
from protocol.cli.playing.record import PlayerNames, pgn_text
from protocol.cli.playing.time_control import FischerClock

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from protocol.cli.playing.opponent import Opponent
    from protocol.cli.playing.record import GameFile
    from protocol.cli.playing.strength import PlayStrength
    from protocol.cli.playing.time_control import FischerTimeControl

_HOPELESS, _HOPELESS_MOVES = -1000, 6
"""After so many searches in a row that promise the engine less centipawns, it offers to resign."""


@dataclass(frozen=True, slots=True)
class PlayTerms:
    """What is agreed before a game: `color` is the player's, None for either by chance.

    `start` gives the position to begin from; `limits` are those of each move of the engine's.
    """

    start: Callable[[Random], chess.Board]
    color: chess.Color | None
    control: FischerTimeControl | None
    limits: Limits
    player: str


class PlayMatch:
    """One game after the other, the first of which has begun."""

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
        """Another game."""
        control, color = self._terms.control, self._terms.color
        self.game = ChessGame(self._terms.start(self._chooser), FischerClock(control) if control else None)
        self.player = self._chooser.choice(chess.COLORS) if color is None else color
        self._started = datetime.now().astimezone()
        self._hopeless = 0
        self._kept: str | None = None
        self._opponent.new_game()

    @property
    def players_turn(self) -> bool:
        """Whether the player is to move, or would be."""
        return self.game.board.turn == self.player

    @property
    def is_hopeless(self) -> bool:
        """Whether the engine would resign."""
        return self._hopeless >= _HOPELESS_MOVES

    @property
    def has_just_become_hopeless(self) -> bool:
        """Whether it is time to say so."""
        return self._hopeless == _HOPELESS_MOVES

    @property
    def names(self) -> dict[chess.Color, str]:
        """What to call the sides at the board."""
        return {self.player: "You", not self.player: f"{NAME}, {self.strength.name}"}

    def play_as(self, strength: PlayStrength) -> None:
        """Another strength from now on."""
        self.strength = strength
        self._opponent.play_as(strength.handicap)

    def answer(self) -> str:
        """Let the engine move, or claim a draw that it is glad of; what to tell the player of it."""
        game = self.game
        game.begin_turn()
        answer = self._opponent.answer(game.board, self._limits())
        value = 0 if answer.score is None else answer.score.value
        self._hopeless = self._hopeless + 1 if value < _HOPELESS else 0
        claim = game.claim()
        if claim is not None and value <= 0 and not game.check_time():
            game.end_drawn(claim)
            return f"{NAME} claims a draw."
        told = numbered(game.board, answer.move)
        game.move(answer.move)
        if game.ending is not None and game.ending.on_time:
            return f"{NAME} was too slow."
        return f"{NAME} plays {told}."

    def take_back(self, moves: int) -> bool:
        """Undo so many moves of the player's, with the replies. False where there are not so many."""
        plies = 2 * moves - (not self.players_turn)
        if plies > self.game.played:
            return False
        self.game.take_back(plies)
        self._hopeless = 0
        return True

    def pgn(self) -> str:
        """The game so far."""
        engine = f"{NAME} {VERSION}, {self.strength.name}"
        white, black = (self._terms.player, engine) if self.player else (engine, self._terms.player)
        return pgn_text(self.game, PlayerNames(white, black), self._started)

    def keep(self) -> str | None:
        """Write the game to the file for games, if there is one and something is new.

        The file's name where it was written. Raises OSError.
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
        """Those of one move; the clocks as they are now."""
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
