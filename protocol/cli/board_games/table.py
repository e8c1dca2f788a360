"""A person's game against a searcher, in any of the games: who sits where, the moves, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.games.players.levels import levels
from engine.games.rules.game import CHANCE, IllegalMoveError, NotApplicableError
from engine.games.textbook.search import SearchLimits
from protocol.cli.terminal.decision_text import summary
from protocol.cli.terminal.game_board import ShownState
from protocol.cli.terminal.game_looks import side_name
from protocol.cli.tournaments.entrant import entrants
from protocol.gtp.gtp_player import GtpPlayer, stricter
from protocol.gtp.gtp_session import GtpSession

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.rules.game import Game, State
    from engine.games.textbook.search import Decision
    from protocol.cli.tournaments.entrant import Entrant
    from protocol.gtp.gtp_player import LastSearch
    from protocol.gtp.rules import Rules

MOST_ADVICE = 3.0
"""Seconds of a hint, should the highest level not have decided before."""
_TREE, _CHESS = "tree", "chess"
_BLACK = 0  # seat


class SeatingError(ValueError):
    """Moves or a seat that the game does not have; the message says why."""


@dataclass(frozen=True, slots=True)
class TableTerms:
    """What is agreed before a game: the rules, the board, and the moves that are played first.

    `seat` is the person's, from 0; None for that of the first to move. `limits` are those of the searcher,
    unless its description has others.
    """

    rules: Rules
    size: int | None
    moves: Sequence[str]
    seat: int | None
    limits: SearchLimits
    seed: int


class GameTable:
    """One game after the other; the first has begun. All seats but the person's are the searcher's."""

    def __init__(self, terms: TableTerms, description: str | None) -> None:
        """`description` of the searcher as in a tournament; None for the usual level.

        Raises SizeError, EntrantError, SeatingError.
        """
        self._terms = terms
        self._session = GtpSession(terms.rules, terms.size, seed=terms.seed)
        self.use(description or self._usual())
        best = levels(self.game)[-1].limits
        self._adviser = GtpPlayer(self.game, terms.seed, stricter(best, SearchLimits(seconds=MOST_ADVICE)))
        if terms.seat is not None and terms.seat >= self.game.players:
            raise SeatingError(f"the seat must be from 1 to {self.game.players}")
        self.begin()
        self.seat = terms.seat if terms.seat is not None else max(0, self.state.player)

    @property
    def game(self) -> Game[Any]:
        """The game that is played."""
        return self._session.game

    @property
    def state(self) -> State:
        """The state at this moment."""
        return self._session.match.state

    @property
    def is_over(self) -> bool:
        """Whether nobody is to move any more."""
        return self.resigned or self._session.match.over

    @property
    def is_mine(self) -> bool:
        """Whether the person is to move."""
        return not self.is_over and bool(self.state.player == self.seat)

    def begin(self) -> None:
        """Begin again. Raises SeatingError."""
        self._session.begin(self._terms.size)
        self.resigned = False
        self.last: LastSearch | None = None
        self.last_label = ""
        for number, text in enumerate(self._terms.moves, 1):
            try:
                self.play(text)
            except IllegalMoveError as error:
                raise SeatingError(f"--moves: move {number}: {error}") from None

    def use(self, description: str) -> None:
        """Play against another searcher from now on. Raises EntrantError."""
        (entrant,) = entrants([description], self.game, self._terms.limits)
        self.entrant: Entrant = entrant
        self._session.player.use(entrant.searcher, dict(entrant.options))
        self._session.player.set_limits(entrant.limits if entrant.limits != SearchLimits() else None)

    def play(self, text: str) -> None:
        """Play a move in the game's notation. Raises IllegalMoveError."""
        state = self.state
        self._session.match.play(state, self.game.parse(state, text))

    def answer(self) -> str:
        """Let chance or the searcher move, whose turn it is. Returns a sentence about it."""
        session, state = self._session, self.state
        if state.player == CHANCE:
            return f"Chance: {session.roll()}."
        text = session.generate(state.player)
        self.last, self.last_label = session.player.last, self.entrant.label
        found = summary(self.game, state, self.last.decision) if self.last else ""
        return f"{self._name(state.player)} plays {text}{found}."

    def stop(self) -> None:
        """End the search that is going on. May be called from any thread or signal handler."""
        self._session.player.stop()
        self._adviser.stop()

    def advice(self) -> Decision:
        """What the highest level would play for the person."""
        return self._adviser.choose_again(self.state)

    def judgement(self) -> Decision:
        """What the searcher thinks of the position."""
        return self._session.player.choose_again(self.state)

    def searchers(self) -> list[str]:
        """The searchers that can play, each with what it does."""
        return [f"{each.name}: {each.summary}" for each in self._session.player.fitting]

    def take_back(self, moves: int) -> bool:
        """Go back to before the person's last moves, as many as that. False if there are fewer.

        A resignation counts as a move.
        """
        moves -= self.resigned
        if moves == 0:
            self.resigned = False
            return True
        played = self._session.match.played
        since = len(self._terms.moves)
        mine = [i for i, each in enumerate(played) if each.player == self.seat and i >= since]
        if len(mine) < moves:
            return False
        self._session.undo(len(played) - mine[-moves])
        self.resigned, self.last = False, None
        return True

    def names(self) -> list[str]:
        """Who sits where."""
        players = range(self.game.players)
        return ["You" if player == self.seat else self.entrant.label for player in players]

    def position(self) -> ShownState:
        """The state, and how it came about."""
        played, flipped = self._session.match.played, self._is_flipped()
        if not played:
            return ShownState(self.game, self.state, flipped=flipped)
        return ShownState(self.game, self.state, played[-1].state, played[-1].move, flipped)

    def move_texts(self) -> list[str]:
        """All moves, those of chance in parentheses; numbered where two sides take turns."""
        texts, game = [], self.game
        numbered = game.players == 2 and not game.chance
        for i, each in enumerate(self._session.match.played):
            text = game.text(each.state, each.move)
            shown = f"({text})" if each.player == CHANCE else text
            texts.append(f"{i // 2 + 1}. {shown}" if numbered and i % 2 == 0 else shown)
        return texts

    def result(self) -> str:
        """How the game has ended."""
        if self.resigned:
            return f"You resign as {side_name(self.game, self.seat)}."
        payoffs = self.state.payoff()
        best = max(payoffs)
        winners = [player for player, payoff in enumerate(payoffs) if payoff == best]
        listed = ", ".join(
            f"{side_name(self.game, player)} {payoff:+g}" for player, payoff in enumerate(payoffs)
        )
        if self.game.name == _TREE:
            return f"The payoffs: {listed}."
        if len(winners) > 1:
            return "A draw." if self.game.players == 2 else f"Nobody wins alone: {listed}."
        won = "You win" if winners == [self.seat] else f"{self._name(winners[0])} wins"
        return f"{won}{self._margin()}." if self.game.players == 2 else f"{won}: {listed}."

    def _is_flipped(self) -> bool:
        """Whether the person's side would be at the top: Black in chess."""
        return self.game.name == _CHESS and self.seat == _BLACK

    def _margin(self) -> str:
        try:
            points = abs(self.game.margin(self.state))
        except NotApplicableError:
            return ""
        return f" by {points:g} point{'' if points == 1 else 's'}"

    def _name(self, player: int) -> str:
        return f"{side_name(self.game, player)} ({self.names()[player]})"

    def _usual(self) -> str:
        """The level in the middle; the highest one where limits alone are given, which then hold."""
        known = levels(self.game)
        if self._terms.limits != SearchLimits():
            return known[-1].searcher
        return f"level{(len(known) + 1) // 2}"
