"""A tournament: who meets whom, how a game is played, and the scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from math import inf
from pathlib import Path
from random import Random
from typing import Any

from engine.games.catalogue import Rules
from engine.games.levels import levels
from engine.games.limits import clamped, limits_of
from engine.games.players import Player, decide
from engine.games.rules.game import CHANCE, OVER, Game, Move, NotApplicableError, State
from engine.games.rules.own import MOST_PLIES, OwnFileError, is_file, reporting_game
from engine.games.search.basics import Decision, SearchLimits, SearchStoppedError
from engine.games.search.monte_carlo import sampled
from engine.games.searchers import DEPTH, SEARCHERS, OptionError, algorithm, current_name
from lolli.cli.given_file import GameFile
from lolli.cli.pgn.game_reader import header_value
from lolli.cli.workers import LocalWorkers, Pipeline
from protocol.intervals import wilson
from protocol.text import describe

_GAMES_PER_WORKER = 4  # under way or waiting, so that a long game does not delay the others


class EntrantError(ValueError):
    """A player that is unknown, does not fit the game or fails; or a game that cannot be saved."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """`seats` has the index of the entrant in each. Games with one `opening` begin with the same moves."""

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
    return rounds * sum(len(_seatings(group)) for group in groups(entrants, seats))


def _seatings(group: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(dict.fromkeys(group[step:] + group[:step] for step in range(len(group))))


@dataclass(frozen=True, slots=True)
class Contest:
    """The first `opening_plies` moves are random."""

    rules: Rules
    players: int
    size: int | None
    entrants: tuple[Entrant, ...]
    opening_plies: int
    seed: int


@dataclass(slots=True)
class PlayerTotals:
    moves: int = 0
    nodes: int = 0
    playouts: int = 0
    depth: int = 0
    seconds: float = 0.0

    def add(self, other: PlayerTotals) -> None:
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
    """`number` moves have been played so far; `decision` is None for dice and random openings."""

    game: Game[Any]
    fixture: Fixture
    before: State
    move: Move
    state: State
    number: int
    decision: Decision | None = None


def seated(contest: Contest, fixture: Fixture) -> list[Player]:
    game = contest.rules.game()
    return [
        contest.entrants[entrant].player(game, hash((contest.seed, fixture.number, seat)))
        for seat, entrant in enumerate(fixture.seats)
    ]


def play(
    contest: Contest,
    fixture: Fixture,
    players: Sequence[Player] = (),
    follow: Callable[[PlayedMove], None] = lambda _: None,
    stopped: Callable[[], bool] | None = None,
) -> TournamentGame:
    """Tell `follow` each move. Deterministic, unless a limit is on time.

    Raises EntrantError, SizeError for a fault in the file of a game, and SearchStoppedError if `follow` does.
    """
    with reporting_game(contest.rules.name, EntrantError, SearchStoppedError):
        return _played(contest, fixture, players or seated(contest, fixture), follow, stopped)


def _played(
    contest: Contest,
    fixture: Fixture,
    players: Sequence[Player],
    follow: Callable[[PlayedMove], None],
    stopped: Callable[[], bool] | None,
) -> TournamentGame:
    game = contest.rules.game()
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
            go_on(sampled(state, chooser))
            continue
        if is_file(game.name) and len(moves) >= MOST_PLIES:
            raise OwnFileError(f"a game is not over after {MOST_PLIES:,} moves")
        seat = state.player
        entrant = contest.entrants[fixture.seats[seat]]
        try:
            decision = decide(game, players[seat], state, entrant.limits, stopped=stopped)
        except Exception as error:
            if is_file(game.name) and not isinstance(error, NotApplicableError):
                raise  # the fault is in the rules
            raise EntrantError(f"{entrant.label} fails: {describe(error)}") from error
        if decision.move not in state.moves():
            raise EntrantError(f"{entrant.label} chooses {decision.move!r}, which is not a legal move")
        counts = decision.counts
        totals[seat].add(PlayerTotals(1, counts.visited, counts.playouts, decision.depth, decision.seconds))
        go_on(decision.move, decision)
    return TournamentGame(fixture, tuple(moves), tuple(state.payoff()), totals)


def _opening_move(state: State, chooser: Random) -> Move | None:
    if state.player == CHANCE:
        return sampled(state, chooser)
    going_on = [move for move in state.moves() if state.play(move).player != OVER]
    return chooser.choice(going_on) if going_on else None


class Tournament:
    """Plays games in worker processes, and reports them in their order."""

    def __init__(self, contest: Contest, jobs: int) -> None:
        self._contest = contest
        self._jobs = jobs
        self._pipeline: Pipeline[Fixture, TournamentGame] | None = None
        self._stopped = False

    def run(self, fixtures: Iterable[Fixture], ended: Callable[[TournamentGame], None]) -> bool:
        """Whether all were played: a stop loses some. Raises WorkersError, WorkerDiedError, EntrantError."""
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
        self._stopped = True
        if self._pipeline is not None:
            self._pipeline.stop()


@dataclass(frozen=True, slots=True)
class Entrant:
    """A searcher with its options and limits; `label` is its description, numbered if it is not unique."""

    label: str
    searcher: str
    options: tuple[tuple[str, str], ...]
    limits: SearchLimits

    def at_depth(self, plies: int) -> Entrant:
        """Search to this fixed depth, without iterative deepening. Raises EntrantError if it has no depth."""
        if all(option.name != DEPTH.name for option in algorithm(self.searcher).options):
            raise EntrantError(f"{self.label} does not search to a depth")
        options = (*self.options, (DEPTH.name, str(plies)))
        return replace(self, options=options, limits=replace(self.limits, depth=None))

    def player(self, game: Game[Any], seed: int) -> Player:
        try:
            return algorithm(self.searcher).player(game, seed, dict(self.options))
        except (NotApplicableError, OptionError) as error:
            raise EntrantError(f"{self.label}: {error}") from None


def entrants(texts: Sequence[str], game: Game[Any], limits: SearchLimits) -> tuple[Entrant, ...]:
    """`limits` hold unless a description has its own. Raises EntrantError."""
    found = [_entrant(text.strip(), game, limits) for text in texts]
    for each in found:
        each.player(game, 0)
    labels = [each.label for each in found]
    return tuple(
        each
        if labels.count(each.label) == 1
        else replace(each, label=f"{each.label} #{1 + labels[:number].count(each.label)}")
        for number, each in enumerate(found)
    )


def _entrant(text: str, game: Game[Any], limits: SearchLimits) -> Entrant:
    name, *words = re.split(r":(?![\\/])", text)  # but not behind the drive of C:\mine.py
    given: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise EntrantError(f"{text}: {word!r} is not of the form NAME=VALUE")
        given[key.strip()] = value.strip()
    limits = _limited(text, limits, given)
    if match := re.fullmatch(r"level(\d{1,4})", name):
        number, known = int(match[1]), levels(game)
        if not 1 <= number <= len(known):
            raise EntrantError(f"unknown level {number}: this game has levels 1 to {len(known)}")
        level = known[number - 1]
        options = {**level.options, **given}
        return Entrant(text, level.searcher, tuple(options.items()), limits_of(level.limits, limits))
    name = current_name(name)
    if name not in SEARCHERS and not is_file(name):
        raise EntrantError(
            f"unknown searcher {name!r}: choose from {', '.join(SEARCHERS)}, level1, level2, …, or a file"
        )
    return Entrant(text, name, tuple(given.items()), limits)


def _limited(text: str, limits: SearchLimits, given: dict[str, str]) -> SearchLimits:
    """`limits` with those in `given` in their place, cut to reasonable values; removes them from `given`."""
    for key in ("depth", "nodes", "playouts"):
        if key in given:
            value = given.pop(key)
            if not (value.isascii() and value.isdigit() and int(value[:18]) > 0):
                raise EntrantError(f"{text}: {key} must be a whole number above 0")
            limits = replace(limits, **{key: int(value[:18])})
    if "seconds" in given:
        try:
            seconds = float(given.pop("seconds"))
        except ValueError:
            seconds = 0.0
        if not 0 < seconds < inf:
            raise EntrantError(f"{text}: seconds must be a number above 0")
        limits = replace(limits, seconds=seconds)
    return clamped(limits)


def saver(contest: Contest, path: Path) -> Callable[[TournamentGame], None]:
    """Adds each game to a file: chess as PGN, checkers as PDN. Raises EntrantError, NotApplicableError."""
    rules = contest.rules.game()
    rules.record((), ("",) * contest.players, (0.0,) * contest.players)
    file = GameFile(path)

    def add(text: str) -> None:
        try:
            file.add(text)
        except OSError as error:
            raise EntrantError(f"{path} cannot be written: {error.strerror}") from None

    def save(game: TournamentGame) -> None:
        names = [header_value(contest.entrants[entrant].label) for entrant in game.fixture.seats]
        add(f"{rules.record(game.moves, names, game.payoffs)}\n\n")

    add("")
    return save


@dataclass(slots=True)
class Standing:
    """The greatest payoff wins; `points` are 1 for a win and the share of a shared one; `payoff` is a sum."""

    label: str
    games: int = 0
    won: int = 0
    shared: int = 0
    points: float = 0.0
    payoff: float = 0.0
    totals: PlayerTotals = field(default_factory=PlayerTotals)

    @property
    def lost(self) -> int:
        return self.games - self.won - self.shared

    @property
    def score(self) -> float:
        return self.points / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.points, self.games)


class Standings:
    def __init__(self, contest: Contest) -> None:
        self.table = [Standing(entrant.label) for entrant in contest.entrants]
        self.games = 0
        self.against = [[0.0] * len(self.table) for _ in self.table]
        """The points of the row's entrant against the column's, in games of two."""
        self.meetings = [[0] * len(self.table) for _ in self.table]

    def add(self, played: TournamentGame) -> None:
        self.games += 1
        most = max(played.payoffs)
        winners = [seat for seat, payoff in enumerate(played.payoffs) if payoff == most]
        seats = played.fixture.seats
        for seat, entrant in enumerate(seats):
            points = 1 / len(winners) if seat in winners else 0.0
            standing = self.table[entrant]
            standing.games += 1
            standing.won += points == 1
            standing.shared += 0 < points < 1
            standing.points += points
            standing.payoff += played.payoffs[seat]
            standing.totals.add(played.totals[seat])
            if len(seats) == 2:
                self.against[entrant][seats[1 - seat]] += points
                self.meetings[entrant][seats[1 - seat]] += 1

    def ranked(self) -> list[Standing]:
        return sorted(self.table, key=lambda standing: -standing.score)
