"""One game between players, played to its end in the process that is asked to."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from engine.games.players.catalogue import game as make_game
from engine.games.rules.game import CHANCE, OVER
from protocol.text import describe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.games.rules.game import Game, Move, State
    from engine.games.textbook.search import Decision
    from protocol.cli.tournaments.entrant import Entrant
    from protocol.cli.tournaments.schedule import Fixture


class PlayerError(Exception):
    """A player breaks down, or has decided on a move that is none: who, and how, in one line."""


@dataclass(frozen=True, slots=True)
class Contest:
    """What is the same in all games of a tournament. `opening_plies` are played at random."""

    game: str
    players: int
    options: Mapping[str, object]
    size: int | None
    entrants: tuple[Entrant, ...]
    opening_plies: int
    seed: int

    def make(self) -> Game[Any]:
        """The game. Raises SizeError."""
        return make_game(self.game, self.players, **self.options)


@dataclass(slots=True)
class Spent:
    """What a player's moves have taken: sums over `moves` of them."""

    moves: int = 0
    nodes: int = 0
    playouts: int = 0
    depth: int = 0
    seconds: float = 0.0

    def add(self, decision: Decision) -> None:
        """One more move."""
        self.moves += 1
        self.nodes += decision.counts.visited
        self.playouts += decision.counts.playouts
        self.depth += decision.depth
        self.seconds += decision.seconds

    def include(self, other: Spent) -> None:
        """The moves of another game."""
        self.moves += other.moves
        self.nodes += other.nodes
        self.playouts += other.playouts
        self.depth += other.depth
        self.seconds += other.seconds


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played: `moves` in the game's notation; `payoffs` and `spent` seat by seat."""

    fixture: Fixture
    moves: tuple[str, ...]
    payoffs: tuple[float, ...]
    spent: tuple[Spent, ...] = field(default=())


def play(contest: Contest, fixture: Fixture) -> Played:
    """Play it. The same contest and fixture give the same game wherever nothing depends on time.

    Raises PlayerError, and EntrantError where a player cannot be had any more.
    """
    game = contest.make()
    chooser = Random(f"{contest.seed} {fixture.opening}")
    state, moves = _opened(game, contest, chooser)
    players = [
        contest.entrants[entrant].player(game, hash((contest.seed, fixture.number, seat)))
        for seat, entrant in enumerate(fixture.seats)
    ]
    spent = tuple(Spent() for _ in players)
    while state.player != OVER:
        if state.player == CHANCE:
            move = _rolled(state, chooser)
        else:
            seat = state.player
            entrant = contest.entrants[fixture.seats[seat]]
            try:
                decision = players[seat].choose(state, entrant.limits)
            except Exception as error:
                raise PlayerError(f"{entrant.label} breaks down: {describe(error)}") from error
            move = decision.move
            if move not in state.moves():
                raise PlayerError(f"{entrant.label} wants to play {move!r}, which is not legal")
            spent[seat].add(decision)
        moves.append(game.text(state, move))
        state = state.play(move)
    return Played(fixture, tuple(moves), tuple(state.payoff()), spent)


def _opened(game: Game[Any], contest: Contest, chooser: Random) -> tuple[State, list[str]]:
    """The state after some random moves, none of which ends the game, and these."""
    state: State = game.start(contest.size)
    moves: list[str] = []
    while len(moves) < contest.opening_plies:
        if state.player == CHANCE:
            move = _rolled(state, chooser)
        else:
            going_on = [move for move in state.moves() if state.play(move).player != OVER]
            if not going_on:
                break
            move = chooser.choice(going_on)
        moves.append(game.text(state, move))
        state = state.play(move)
    return state, moves


def _rolled(state: State, chooser: Random) -> Move:
    outcomes, weights = zip(*state.chances(), strict=True)
    return chooser.choices(outcomes, weights)[0]
