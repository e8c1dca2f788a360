"""`scripts/lab match-game`: games other than chess against other programs.

An opponent is an adapter: it chooses moves, and is told those that others have chosen.
"""

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean
from time import monotonic, monotonic_ns
from typing import Any, Self

import click

from engine.games.catalogue import Rules
from engine.games.players import decide
from engine.games.rules.game import (
    CHANCE,
    OVER,
    Game,
    IllegalMoveError,
    NotApplicableError,
    SizeError,
    State,
    result_text,
)
from engine.games.search.basics import SearchLimits
from engine.games.searchers import SEARCHERS, OptionError, player
from lolli.cli.shared_options import named_values
from lolli.cli.workers import LocalWorkers, WorkerDiedError, WorkersError
from scripts.laboratory.engine_pipe import NS_PER_S, EngineError, EnginePipe
from scripts.laboratory.lab_options import (
    WIDE,
    amount_option,
    count_option,
    every_option,
    file_option,
    require_even,
    seed_option,
)
from scripts.laboratory.long_run import JournalError, RunDisplay, RunJournal, exit_status, strings, whole
from scripts.laboratory.statistics import elo_of, pair_margin, share_interval, share_text

_COLOURS = ("black", "white")
_LONGEST_MOVE = 3600 * NS_PER_S
_GNUBG_SIDE = Path(__file__).with_name("gnubg_side.py")


class OpponentError(Exception):
    """The opponent cannot be started, has ended or has refused a question. The message says which."""


@dataclass(frozen=True, slots=True)
class MatchGame:
    """`limits`: of Lolli's moves; None: no more time than the opponent takes.

    Each pair of games begins with the same `plies` random moves, and has the same dice.
    """

    opponent: str
    program: str
    level: int
    rules: Rules
    size: int | None
    searcher: str
    options: Mapping[str, str] = field(default_factory=dict)
    limits: SearchLimits | None = None
    plies: int = 0
    seed: int = 1


class Opponent:
    def __init__(self, game: Game[Any], command: Sequence[str]) -> None:
        self._game = game
        try:
            self._pipe = EnginePipe(command)
        except OSError as error:
            raise OpponentError(f"{command[0]} cannot be started: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.kill()

    def line(self, sent: str | None = None) -> str:
        try:
            if sent is not None:
                self._pipe.send(sent)
            return self._pipe.receive(monotonic_ns() + _LONGEST_MOVE)[0].decode(errors="replace").strip()
        except EngineError as error:
            raise OpponentError(f"the opponent {error}") from error

    def choose(self, state: State) -> int | None:
        raise NotImplementedError

    def told(self, state: State, move: int) -> None:
        """`move` is played in `state`, and it has not chosen it."""

    def dispute(self, state: State) -> str:
        """What it says of the end of the game if it disagrees with the rules, or nothing."""
        del state
        return ""


class GtpOpponent(Opponent):
    def __init__(self, game: Game[Any], command: Sequence[str], *commands: str) -> None:
        super().__init__(game, command)
        for each in commands:
            self.ask(each)

    def ask(self, command: str) -> str:
        lines = [self.line(command)]
        while not lines[0] or lines[-1]:
            lines = [*filter(None, lines), self.line()]
        answer = "\n".join(lines[:-1])
        if not answer.startswith("="):
            raise OpponentError(f"the opponent refused {command!r}: {answer!r}")
        return answer[1:].strip()

    def choose(self, state: State) -> int | None:
        text = self.ask(f"genmove {_COLOURS[state.player]}").lower()
        return None if text == "resign" else self._game.parse(state, text)

    def told(self, state: State, move: int) -> None:
        self.ask(f"play {_COLOURS[state.player]} {self._game.text(state, move)}")


class GnuGo(GtpOpponent):
    """GNU Go with Chinese rules and positional superko. It captures all dead stones before it passes."""

    def __init__(self, match: MatchGame, game: Game[Any]) -> None:
        rules = ["--chinese-rules", "--positional-superko", "--forbid-suicide", "--capture-all-dead"]
        command = [match.program, "--mode", "gtp", "--level", str(match.level), *rules]
        size = match.size or game.sizes[0]
        komi = match.rules.options.get("komi", "7.5")
        super().__init__(game, command, f"boardsize {size}", "clear_board", f"komi {komi}")

    def dispute(self, state: Any) -> str:
        ours, theirs = result_text(state.score()), self.ask("final_score")
        return "" if ours[0] == theirs[0] else f"{ours}, but {theirs} according to GNU Go"


class GRhino(GtpOpponent):
    """GRhino without its opening book: games begin with random moves. Its protocol knows no pass."""

    def __init__(self, match: MatchGame, game: Game[Any]) -> None:
        command = [match.program, f"--level={match.level}", "--book=0"]
        super().__init__(game, command, "set_game Othello", "boardsize 8", "clear_board")

    def told(self, state: Any, move: int) -> None:
        if state.empty() >> move & 1:
            super().told(state, move)


class GnuBackgammon(Opponent):
    """`level`: depth in plies; checker play only, without cube and noise."""

    def __init__(self, match: MatchGame, game: Game[Any]) -> None:
        plies = ["env", f"LOLLI_GNUBG_PLIES={match.level}"]
        super().__init__(
            game, [*plies, match.program, "--tty", "--quiet", "--no-rc", "--python", str(_GNUBG_SIDE)]
        )
        self._answer(None)

    def choose(self, state: Any) -> int:
        mine, theirs = state.board(state.player), state.board(1 - state.player)
        points = self._answer(" ".join(map(str, (state.high, state.low, *mine[1:], *theirs[1:])))).split()
        written = ",".join(f"{a}/{b}" for a, b in zip(points[::2], points[1::2], strict=True))
        move: int = self._game.parse(state, written or "pass")
        return move

    def _answer(self, question: str | None) -> str:
        line = self.line(question)
        while not line.startswith("@"):
            line = self.line()
        return line[1:].strip()


@dataclass(frozen=True, slots=True)
class Kind:
    title: str
    make: Callable[[MatchGame, Game[Any]], Opponent]
    game: str
    searcher: str
    limits: SearchLimits | None
    program: str
    levels: range
    level: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    plies: int = 0


OPPONENTS = {
    "gnugo": Kind("GNU Go", GnuGo, "go", "uct-fast", SearchLimits(1.0), "/usr/games/gnugo", range(11), 1),
    "grhino": Kind(
        *("GRhino", GRhino, "othello", "patterns", None, "/usr/games/gtp-rhino", range(1, 6), 4), plies=8
    ),
    "gnubg": Kind(
        *("GNU Backgammon", GnuBackgammon, "backgammon", "expectiminimax", SearchLimits(depth=1)),
        *("/usr/games/gnubg", range(5)),
        options={"scoring": "points"},
    ),
}
"""The programs are where Debian puts them; the packages are called as the opponents here."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """`payoff` and `playouts` are Lolli's, the payoff -1 to 1 except in backgammon; `seconds` are of both."""

    number: int
    payoff: float
    resigned: bool
    dispute: str
    moves: tuple[str, ...]
    seconds: tuple[float, float]
    playouts: int

    @property
    def points(self) -> float:
        return ((self.payoff > 0) - (self.payoff < 0) + 1) / 2


_HOPELESS, _PATIENCE = 0.05, 3  # chance and moves in a row after which Lolli resigns
_LEAST = 0.005  # seconds of a move, before the opponent has taken any time
_SHARE = 0.5  # of what the opponent has taken and Lolli has not, for one move


def play(number: int, match: MatchGame) -> PlayedGame:
    """Lolli has the first move if `number` is even. Raises OpponentError, IllegalMoveError."""
    game, mine = match.rules.game(), number % 2
    lolli = player(game, match.searcher, number, match.options)
    chance = Random(f"{match.seed} {number // 2}")
    state, moves = game.start(match.size), list[str]()
    spent, playouts, hopeless = [0.0, 0.0], 0, 0
    with OPPONENTS[match.opponent].make(match, game) as opponent:
        while state.player != OVER:
            if state.player == CHANCE:
                rolls, weights = zip(*state.chances(), strict=True)
                state = state.play(chance.choices(rolls, weights)[0])
                continue
            legal, began, theirs = state.moves(), monotonic(), False
            move: int | None = legal[0]
            if len(moves) < match.plies:
                move = chance.choice(legal)
            elif len(legal) > 1 and state.player == mine:
                limits = match.limits or SearchLimits(seconds=max((spent[1] - spent[0]) * _SHARE, _LEAST))
                decision = decide(game, lolli, state, limits)
                move, playouts = decision.move, playouts + decision.counts.playouts
                value = 0.5 if decision.value is None else (decision.value + 1) / 2
                hopeless = hopeless + 1 if value < _HOPELESS else 0
                spent[0] += monotonic() - began
                if match.rules.name == "go" and hopeless >= _PATIENCE:
                    move = None
            elif len(legal) > 1:
                theirs, move = True, opponent.choose(state)
                spent[1] += monotonic() - began
            if move is None:
                break
            if not theirs:
                opponent.told(state, move)
            moves.append(game.text(state, move))
            state = state.play(move)
        resigned = state.player != OVER
        payoff = float((state.player != mine) - (state.player == mine)) if resigned else state.payoff()[mine]
        dispute = "" if resigned else opponent.dispute(state)
    seconds = round(spent[0], 3), round(spent[1], 3)
    return PlayedGame(number, payoff, resigned, dispute, tuple(moves), seconds, playouts)


def summary(played: Sequence[PlayedGame]) -> str:
    games = {game.number: game for game in played}
    counted = [games[number] for number in sorted(games) if number ^ 1 in games] or [*played]
    won, draws = (sum(game.points == points for game in played) for points in (1, 0.5))
    points = [game.points for game in counted]
    elo, low, high = map(elo_of, (fmean(points), *share_interval(points)))
    line = f"+{won} ={draws} -{len(played) - won - draws}, {share_text(points)}"
    line += f", Elo {elo:+.0f} [{low:+.0f}, {high:+.0f}]"
    for side, place in enumerate(("first", "second")):
        if of := [game.points for game in played if game.number % 2 == side]:
            line += f"; moving {place} {sum(of):g}/{len(of)}"
    if any(abs(game.payoff) > 1 for game in played):
        pairs = [fmean(pair) for pair in zip(*[iter([g.payoff for g in counted])] * 2, strict=False)]
        widest = 6  # points between winning and losing a backgammon
        line += f"; {fmean(g.payoff for g in played):+.3f} ± {pair_margin(pairs, widest):.3f} points a game"
    for side, name in enumerate(("Lolli", "the opponent")):
        seconds = sum(game.seconds[side] for game in played)
        line += f"; {name} {seconds / len(played):.1f} s a game"
        if side == 0 and (playouts := sum(game.playouts for game in played)):
            line += f", {playouts / max(seconds, 1e-9):,.0f} playouts/s"
    return line


def _game(record: dict[str, Any]) -> PlayedGame:
    whole(record["number"])
    whole(record["playouts"])
    return PlayedGame(**{**record, "moves": strings(record["moves"]), "seconds": tuple(record["seconds"])})


@click.command("match-game", context_settings=WIDE)
@click.argument("opponent", type=click.Choice([*OPPONENTS]))
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Option of the game.")
@count_option("--size", None, "Size of the board.")
@count_option("--games", 40, "Number of games in all, even, with those on record.", least=2)
@count_option("--level", None, "Level of the opponent; of gnubg its depth in plies.", least=0)
@click.option("--searcher", help="Lolli's searcher; by default the one for the game.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Option of the searcher.")
@amount_option("--seconds", None, "Seconds of each of Lolli's moves.", least=0.001)
@count_option("--playouts", None, "Playouts of each of Lolli's moves, not time.")
@count_option("--nodes", None, "Nodes of each of Lolli's moves, not time.")
@count_option("--depth", None, "Depth of each of Lolli's moves, not time.")
@count_option("--plies", None, "Random plies at the start of each pair.", least=0, most=30)
@seed_option("openings and dice")
@count_option("--jobs", 1, "Games at the same time.")
@click.option("--program", help="The opponent's program.")
@file_option("--record", "Write the games here; the match resumes from it.")
@every_option(5)
def match_game(  # noqa: PLR0913 - an argument for each option
    *,
    opponent: str,
    settings: tuple[str, ...],
    size: int | None,
    games: int,
    level: int | None,
    searcher: str | None,
    options: tuple[str, ...],
    plies: int | None,
    seed: int,
    jobs: int,
    program: str | None,
    record: Path | None,
    every: int,
    **limits: float | None,
) -> None:
    """Play a game other than chess against another program: the score with 95% intervals.

    \b
    scripts/lab match-game gnugo --level 10 --size 13       # Go
    scripts/lab match-game grhino --level 3                 # Othello
    scripts/lab match-game gnubg --depth 2                  # backgammon, money play without the cube

    The games come in pairs with the same random opening, the same dice and exchanged sides. Lolli has a
    second for each move, against gnubg a depth of 1, and against GRhino, which has levels and no clock, in
    all no more time than GRhino takes. At Go Lolli resigns after three moves in a row with a value below
    5%; two passes end a game, and all stones are alive then. A game is reported of which the opponent knows
    another result.
    """
    require_even(games)
    kind = OPPONENTS[opponent]
    given: dict[str, Any] = {key: value for key, value in limits.items() if value is not None}
    try:
        match = MatchGame(
            opponent,
            program or kind.program,
            kind.level if level is None else level,
            Rules(kind.game, options={**kind.options, **named_values("--set", settings)}),
            size,
            searcher or kind.searcher,
            named_values("--option", options),
            SearchLimits(**given) if given else kind.limits,
            kind.plies if plies is None else plies,
            seed,
        )
        _check(match, kind)
        identity = {key: value for key, value in asdict(match).items() if key != "program"}
        journal = RunJournal(record, identity) if record else None
        played = journal.read(_game) if journal else []
    except (NotApplicableError, OptionError, JournalError, SizeError) as error:
        raise click.UsageError(str(error)) from error
    numbers = sorted(set(range(games)) - {game.number for game in played})

    def play_on() -> None:
        with LocalWorkers(jobs) as workers:
            for future in as_completed([workers.submit(play, number, match) for number in numbers]):
                game = future.result()
                played.append(game)
                if journal:
                    journal.append(asdict(game))
                if game.dispute:
                    display.say(f"Game {game.number}: {game.dispute}")
                display.show(len(played), summary(played))

    failures = (OpponentError, IllegalMoveError, WorkerDiedError, WorkersError, OSError)
    with RunDisplay("games", games, len(played), every) as display:
        status = exit_status(play_on, display.say, *failures)
    if journal:
        journal.close()
    if played:
        click.echo(f"Lolli ({match.searcher}) against {kind.title}, level {match.level}. {summary(played)}")
    sys.exit(status)


def _check(match: MatchGame, kind: Kind) -> None:
    if match.level not in kind.levels:
        least, most = kind.levels[0], kind.levels[-1]
        raise click.UsageError(f"{kind.title} has levels {least} to {most}, not {match.level}")
    if match.searcher not in SEARCHERS:
        raise click.UsageError(f"unknown searcher {match.searcher!r}; see `lolli games`")
    if shutil.which(match.program) is None:
        raise click.UsageError(f"{match.program} not found; it is in Debian's package {match.opponent}")
    game = match.rules.game()
    game.start(match.size)
    player(game, match.searcher, options=match.options)
