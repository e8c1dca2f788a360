"""The games of a tournament: who meets whom, how a game is played, and some games at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any

from engine.games.players.player import decide
from engine.games.rules.game import CHANCE, OVER
from protocol.text import describe
from protocol.workers import LocalWorkers, Pipeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from engine.games.players.player import Player
    from engine.games.rules.game import Game, Move, State
    from engine.games.textbook.search import Decision
    from protocol.cli.tournaments.entrant import Entrant
    from protocol.gtp.rules import Rules

_GAMES_PER_WORKER = 4  # under way or waiting, so that a long game does not delay the others


@dataclass(frozen=True, slots=True)
class Fixture:
    """One game to be played: `seats` has the index of the entrant in each seat; `number` counts from 1.

    Games with the same `opening` begin with the same moves, with the players in other seats.
    """

    number: int
    seats: tuple[int, ...]
    opening: int


def groups(entrants: int, seats: int) -> list[tuple[int, ...]]:
    """The groups of entrants that meet. With fewer entrants than seats each takes several seats, in turn."""
    if entrants < seats:
        return [tuple(seat % entrants for seat in range(seats))]
    return list(combinations(range(entrants), seats))


def schedule(entrants: int, seats: int, rounds: int) -> Iterator[Fixture]:
    """The games: in each round every group meets once in each rotation of its seats."""
    number = opening = 0
    for _ in range(rounds):
        for group in groups(entrants, seats):
            opening += 1
            for seating in _seatings(group):
                number += 1
                yield Fixture(number, seating, opening)


def games(entrants: int, seats: int, rounds: int) -> int:
    """The number of games in that schedule."""
    return rounds * sum(len(_seatings(group)) for group in groups(entrants, seats))


def _seatings(group: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The distinct rotations of a group."""
    return list(dict.fromkeys(group[step:] + group[:step] for step in range(len(group))))


class PlayerError(Exception):
    """A player fails, or chooses an illegal move: the message says which player, and how, in one line."""


@dataclass(frozen=True, slots=True)
class Contest:
    """The settings common to all games of a tournament. `opening_plies` are played at random."""

    rules: Rules
    players: int
    size: int | None
    entrants: tuple[Entrant, ...]
    opening_plies: int
    seed: int

    def make(self) -> Game[Any]:
        """The game. Raises SizeError."""
        return self.rules.game()


@dataclass(slots=True)
class PlayerTotals:
    """Sums over the `moves` of a player."""

    moves: int = 0
    nodes: int = 0
    playouts: int = 0
    depth: int = 0
    seconds: float = 0.0

    def add(self, decision: Decision) -> None:
        """Add a move."""
        self.moves += 1
        self.nodes += decision.counts.visited
        self.playouts += decision.counts.playouts
        self.depth += decision.depth
        self.seconds += decision.seconds

    def include(self, other: PlayerTotals) -> None:
        """Add the moves of another game."""
        self.moves += other.moves
        self.nodes += other.nodes
        self.playouts += other.playouts
        self.depth += other.depth
        self.seconds += other.seconds


@dataclass(frozen=True, slots=True)
class TournamentGame:
    """A finished game: `moves` in the game's notation; `payoffs` and `totals` by seat."""

    fixture: Fixture
    moves: tuple[str, ...]
    payoffs: tuple[float, ...]
    totals: tuple[PlayerTotals, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A move of a game under way: the state before it and after it, and how many moves there are by now.

    `decision` is None for moves at random: dice, and those of the opening.
    """

    game: Game[Any]
    fixture: Fixture
    before: State
    move: Move
    state: State
    number: int
    decision: Decision | None = None


def play(contest: Contest, fixture: Fixture) -> TournamentGame:
    """Play a game. The same contest and fixture give the same game, unless a limit is on time.

    Raises PlayerError, and EntrantError if a player cannot be set up.
    """
    return play_out(contest, fixture, seated(contest, fixture), lambda _: None)


def seated(contest: Contest, fixture: Fixture) -> list[Player]:
    """The players of a game, by seat. Raises EntrantError."""
    game = contest.make()
    return [
        contest.entrants[entrant].player(game, hash((contest.seed, fixture.number, seat)))
        for seat, entrant in enumerate(fixture.seats)
    ]


def play_out(
    contest: Contest, fixture: Fixture, players: Sequence[Player], follow: Callable[[PlayedMove], None]
) -> TournamentGame:
    """Play a game with these players, and tell `follow` each move. Raises PlayerError."""
    game = contest.make()
    chooser = Random(f"{contest.seed} {fixture.opening}")
    state: State = game.start(contest.size)
    moves: list[str] = []
    totals = tuple(PlayerTotals() for _ in players)

    def go_on(move: Move, decision: Decision | None = None) -> None:
        nonlocal state
        moves.append(game.text(state, move))
        before, state = state, state.play(move)
        follow(PlayedMove(game, fixture, before, move, state, len(moves), decision))

    while len(moves) < contest.opening_plies and (opening := _opening_move(state, chooser)) is not None:
        go_on(opening)
    while state.player != OVER:
        if state.player == CHANCE:
            go_on(_rolled(state, chooser))
            continue
        seat = state.player
        entrant = contest.entrants[fixture.seats[seat]]
        try:
            decision = decide(game, players[seat], state, entrant.limits)
        except Exception as error:
            raise PlayerError(f"{entrant.label} fails: {describe(error)}") from error
        if decision.move not in state.moves():
            raise PlayerError(f"{entrant.label} chooses {decision.move!r}, which is not a legal move")
        totals[seat].add(decision)
        go_on(decision.move, decision)
    return TournamentGame(fixture, tuple(moves), tuple(state.payoff()), totals)


def _opening_move(state: State, chooser: Random) -> Move | None:
    """A random move that does not end the game; None if all do."""
    if state.player == CHANCE:
        return _rolled(state, chooser)
    going_on = [move for move in state.moves() if state.play(move).player != OVER]
    return chooser.choice(going_on) if going_on else None


def _rolled(state: State, chooser: Random) -> Move:
    outcomes, weights = zip(*state.chances(), strict=True)
    return chooser.choices(outcomes, weights)[0]


class Tournament:
    """Plays games in worker processes, and reports them in their order."""

    def __init__(self, contest: Contest, jobs: int) -> None:
        self._contest = contest
        self._jobs = jobs
        self._pipeline: Pipeline[Fixture, TournamentGame] | None = None
        self._stopped = False

    def run(self, fixtures: Iterable[Fixture], ended: Callable[[TournamentGame], None]) -> bool:
        """Call `ended` with each game. Returns whether all were played; a stop loses those under way.

        Raises WorkersError, WorkerDiedError, PlayerError, EntrantError.
        """
        with LocalWorkers(self._jobs) as workers:
            self._pipeline = Pipeline(
                workers, partial(play, self._contest), iter(fixtures), lambda: _GAMES_PER_WORKER * self._jobs
            )
            if self._stopped:
                return False
            for done in self._pipeline.results():
                if done is not None:
                    ended(done[1].result())
            return self._pipeline.finished

    def stop(self) -> None:
        """End soon. May be called from any thread."""
        self._stopped = True
        if self._pipeline is not None:
            self._pipeline.stop()
