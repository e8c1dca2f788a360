"""What the commands of a player do, and what is said to them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from protocol.about import NAME
from protocol.cli.playing.commands import help_lines
from protocol.cli.playing.move_text import told
from protocol.cli.playing.record import GameFile
from protocol.cli.playing.strength import PlayStrength
from protocol.cli.playing.time_control import clock_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from protocol.cli.playing.adviser import Adviser
    from protocol.cli.playing.match import PlayMatch

_MOST_MOVES = 1000  # to take back at once
_MOST_ELO = 9999
_NEED_A_RUNNING_GAME = frozenset(("hint", "eval", "moves", "draw", "resign", "accept", "go"))


@dataclass(frozen=True, slots=True)
class PlayReply:
    """Lines to show: below the board, which is another one than before or not, or in its place."""

    lines: tuple[str, ...] = ()
    changed: bool = False
    alone: bool = False


OVER = PlayReply(("The game is over: undo, new, pgn, save or quit.",))


class PlayCommands:
    """Obeys the commands that leave the player at the board."""

    def __init__(
        self,
        match: PlayMatch,
        adviser: Adviser,
        busy: Callable[[Callable[[], None]], AbstractContextManager[None]],
    ) -> None:
        """In the context of `busy` what it is given is called if the player does not want to wait."""
        self.is_turned = False
        self._match = match
        self._adviser = adviser
        self._busy = busy
        self._orders: dict[str, Callable[[str], PlayReply]] = {
            "undo": self._undo,
            "hint": self._hint,
            "eval": self._eval,
            "moves": self._moves,
            "draw": self._draw,
            "resign": self._resign,
            "accept": self._accept,
            "go": self._go,
            "level": self._level,
            "elo": self._elo,
            "flip": self._flip,
            "board": lambda _: PlayReply(changed=True),
            "clock": self._clock,
            "fen": lambda _: PlayReply((self._match.game.board.fen(),)),
            "pgn": lambda _: PlayReply(tuple(self._match.pgn().rstrip().splitlines()), alone=True),
            "save": self._save,
            "new": self._new,
            "help": lambda _: PlayReply(tuple(help_lines()), alone=True),
        }

    def obey(self, name: str, argument: str) -> PlayReply:
        """Do what a command says. The engine's turn may have come with it."""
        if name in _NEED_A_RUNNING_GAME and self._match.game.ending is not None:
            return OVER
        return self._orders[name](argument)

    def _undo(self, argument: str) -> PlayReply:
        count = _number(argument or "1", 1, _MOST_MOVES)
        if count is None:
            return PlayReply(("undo takes back your last move, undo 2 the last two.",))
        if not self._match.take_back(count):
            return PlayReply(
                ("There is no move to take back." if count == 1 else "There are not so many moves.",)
            )
        return PlayReply(("Taken back.",), changed=True)

    def _hint(self, _argument: str) -> PlayReply:
        with self._busy(self._adviser.stop):
            return PlayReply((self._adviser.hint(self._match.game.board),))

    def _eval(self, _argument: str) -> PlayReply:
        with self._busy(self._adviser.stop):
            return PlayReply((self._adviser.judgement(self._match.game.board),))

    def _moves(self, argument: str) -> PlayReply:
        board = self._match.game.board
        moves = list(board.legal_moves)
        if argument:
            if argument.lower() not in chess.SQUARE_NAMES:
                return PlayReply((f"{told(argument)!r} is no square: moves e2",))
            square = chess.parse_square(argument.lower())
            moves = [move for move in moves if move.from_square == square]
            if not moves:
                return PlayReply((f"Nothing can move from {chess.square_name(square)}.",))
        return PlayReply((", ".join(sorted(board.san(move) for move in moves)),))

    def _draw(self, _argument: str) -> PlayReply:
        match, game = self._match, self._match.game
        reason = game.claim()
        if reason is None:
            with self._busy(self._adviser.stop):
                objection = self._adviser.objection(game.board, not match.player)
            if objection is not None:
                return PlayReply((f"{NAME} declines: {objection}.",))
            reason = "agreed"
        if not game.check_time():
            game.end_drawn(reason)
        return PlayReply(changed=True)

    def _resign(self, _argument: str) -> PlayReply:
        self._match.game.resign(self._match.player)
        return PlayReply(changed=True)

    def _accept(self, _argument: str) -> PlayReply:
        if not self._match.is_hopeless:
            return PlayReply(("There is nothing to accept.",))
        self._match.game.resign(not self._match.player)
        return PlayReply(changed=True)

    def _go(self, _argument: str) -> PlayReply:
        self._match.player = not self._match.player
        return PlayReply((f"You have {_color(self._match)} now.",), changed=True)

    def _level(self, argument: str) -> PlayReply:
        if not argument:
            return PlayReply((f"{NAME} plays at {self._match.strength.description}.",))
        return self._change(PlayStrength.of_level, argument, "level")

    def _elo(self, argument: str) -> PlayReply:
        return self._change(PlayStrength.of_elo, argument, "Elo")

    def _change(self, strength: Callable[[int], PlayStrength], argument: str, what: str) -> PlayReply:
        number = _number(argument, 0, _MOST_ELO)
        if number is None:
            return PlayReply((f"{told(argument)!r} is no {what}.",))
        try:
            self._match.play_as(strength(number))
        except ValueError as error:
            return PlayReply((f"{error}.",))
        return PlayReply((f"{NAME} now plays at {self._match.strength.description}.",))

    def _flip(self, _argument: str) -> PlayReply:
        self.is_turned = not self.is_turned
        return PlayReply(changed=True)

    def _clock(self, _argument: str) -> PlayReply:
        clock = self._match.game.clock
        if clock is None:
            return PlayReply(("There is no clock in this game.",))
        white, black = (clock_text(clock.left(color)) for color in chess.COLORS)
        return PlayReply((f"White {white}, Black {black}, {clock.control}",))

    def _save(self, argument: str) -> PlayReply:
        if not argument:
            return PlayReply(("save needs the name of a file.",))
        try:
            path = Path(argument).expanduser()
            GameFile(path).add(self._match.pgn())
        except (OSError, RuntimeError, ValueError) as error:
            return PlayReply((f"{told(argument)} cannot be written: {reason_of(error)}.",))
        return PlayReply((f"Saved to {path}.",))

    def _new(self, _argument: str) -> PlayReply:
        self._match.begin()
        return PlayReply((f"A new game: you have {_color(self._match)}.",), changed=True)


def reason_of(error: Exception) -> str:
    """What has happened, in a few words."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _color(match: PlayMatch) -> str:
    return "White" if match.player else "Black"


def _number(text: str, least: int, most: int) -> int | None:
    """A whole number between bounds, None for what is none."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(most)):
        return None
    number = int(text)
    return number if least <= number <= most else None
