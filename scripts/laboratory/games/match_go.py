"""`scripts/lab match-go`: Go against GNU Go, over GTP."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click

from engine.games.players.player import decide
from engine.games.players.searcher_options import OptionError
from engine.games.players.searchers import SEARCHERS, player
from engine.games.rules.game import OVER, IllegalMoveError, NotApplicableError, SizeError
from engine.games.rules.go.game import GoGame, result_text, score
from engine.games.textbook.search import SearchLimits
from protocol.cli.shared_options import named_values
from protocol.intervals import wilson
from protocol.workers import LocalWorkers, WorkerDiedError, WorkersError
from scripts.laboratory.games.kept_games import RecordError, keep, kept
from scripts.laboratory.lab_options import WIDE, amount_option, count_option, every_option, file_option
from scripts.laboratory.long_run import RunDisplay, exit_status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.rules.go.playouts import GoState


_QUIT_SECONDS = 5


class GtpEngineError(Exception):
    """The engine has ended, or has refused a command. The message says which."""


class GtpEngine:
    """A running engine. Raises OSError if it cannot be started."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate(timeout=_QUIT_SECONDS)

    def ask(self, command: str) -> str:
        """The answer to a command, without what marks it as one. Raises GtpError."""
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018
        try:
            self._process.stdin.write(f"{command}\n")
            self._process.stdin.flush()
        except OSError as error:
            raise GtpEngineError(f"the engine ended before {command!r}") from error
        lines: list[str] = []
        while line := self._process.stdout.readline():
            if line.strip():
                lines.append(line.rstrip())
            elif lines:
                answer = "\n".join(lines)
                if not answer.startswith("="):
                    raise GtpEngineError(f"the engine refused {command!r}: {answer!r}")
                return answer[1:].strip()
        raise GtpEngineError(f"the engine ended after {command!r}")


_LARGEST = 1 << 28  # bytes
_COLOURS = ("black", "white")


@dataclass(frozen=True, slots=True)
class GoMatchTerms:
    """What all games of a match have in common. The rules are Chinese, with positional superko."""

    level: int = 1
    """GNU Go's."""
    size: int = 9
    komi: float = 7.5
    seconds: float = 1.0
    """For each of Lolli's moves."""
    playouts: int = 0
    """For each of Lolli's moves, in place of `seconds`; 0 for none."""
    resign_below: float = 0.05
    """Lolli resigns when `resign_after` searches in a row expect less than this."""
    resign_after: int = 3
    program: str = "/usr/games/gnugo"
    options: dict[str, str] = field(default_factory=dict)
    """Of the searcher, where they are not the usual ones."""
    searcher: str = "uct-fast"

    def command(self) -> list[str]:
        """The command of a GNU Go that captures dead stones before it passes."""
        rules = ["--chinese-rules", "--positional-superko", "--forbid-suicide", "--capture-all-dead"]
        return [self.program, "--mode", "gtp", "--level", str(self.level), *rules]

    def limits(self) -> SearchLimits:
        return SearchLimits(playouts=self.playouts) if self.playouts else SearchLimits(seconds=self.seconds)


@dataclass(frozen=True, slots=True)
class GoGameRecord:
    """One game: Lolli's colour, its points (1, ½ or 0), and how it ended.

    `verdict` is the score of the area with all stones alive, `theirs` the other engine's score, `rate` the
    playouts per second.
    """

    number: int
    colour: str
    won: float
    ending: str
    verdict: str
    theirs: str
    moves: tuple[str, ...]
    rate: float


def play(number: int, terms: GoMatchTerms) -> GoGameRecord:
    """Play game `number`. Lolli is Black if it is even."""
    mine = number % 2
    with GtpEngine(terms.command()) as engine:
        for line in (f"boardsize {terms.size}", "clear_board", f"komi {terms.komi}"):
            engine.ask(line)
        return _Game(number, mine, terms, engine).play()


class _Game:
    def __init__(self, number: int, mine: int, terms: GoMatchTerms, engine: GtpEngine) -> None:
        self._number, self._mine, self._terms, self._engine = number, mine, terms, engine
        self._board = GoGame(komi=terms.komi)
        self._search = player(self._board, terms.searcher, number, terms.options)
        self._moves: list[str] = []
        self._hopeless = 0
        self._playouts, self._seconds = 0, 0.0

    def play(self) -> GoGameRecord:
        state = self._board.start(self._terms.size)
        while state.player != OVER:
            text = self._own(state) if state.player == self._mine else self._theirs(state)
            self._moves.append(text)
            if text == "resign":
                won = float(state.player != self._mine)
                return self._played(won, "resignation", "", "")
            state = state.play(self._board.parse(state, text))
        won = (state.payoff()[self._mine] + 1) / 2
        return self._played(won, "passes", result_text(score(state)), self._engine.ask("final_score"))

    def _own(self, state: GoState) -> str:
        """Lolli's move, which is sent to the engine, or `resign`."""
        decision = decide(self._board, self._search, state, self._terms.limits())
        self._playouts += decision.counts.playouts
        self._seconds += decision.seconds
        worth = 0.5 if decision.value is None else (decision.value + 1) / 2
        self._hopeless = self._hopeless + 1 if worth < self._terms.resign_below else 0
        if self._hopeless >= self._terms.resign_after:
            return "resign"
        text = self._board.text(state, decision.move)
        self._engine.ask(f"play {_COLOURS[self._mine]} {text}")
        return text

    def _theirs(self, state: GoState) -> str:
        return self._engine.ask(f"genmove {_COLOURS[state.player]}").lower()

    def _played(self, won: float, ending: str, verdict: str, theirs: str) -> GoGameRecord:
        rate = self._playouts / self._seconds if self._seconds else 0.0
        colour = _COLOURS[self._mine]
        return GoGameRecord(
            self._number, colour, won, ending, verdict, theirs, tuple(self._moves), round(rate)
        )


def games_of(path: Path, terms: GoMatchTerms) -> list[GoGameRecord]:
    """The games of this match in a file. Raises RecordError."""
    return kept(path, terms, GoGameRecord, "Go", options={}, searcher="uct-fast")


@click.command(context_settings=WIDE)
@count_option("--games", 40, "Number of games in all, with those on record.")
@count_option("--level", 1, "Level of GNU Go.", least=0, most=10)
@amount_option("--seconds", 1.0, "Seconds of each of Lolli's moves.", least=0.001)
@click.option(
    "--playouts", type=click.IntRange(0), default=0, help="Playouts of each of Lolli's moves, not time."
)
@count_option("--size", 9, "Lines of the board.", least=5, most=19)
@click.option("--komi", type=float, default=7.5, show_default=True, help="White's compensation.")
@click.option("--searcher", default="uct-fast", show_default=True, help="Lolli's; or puct-fast.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Of the searcher, such as reuse=off; repeatable.",
)
@count_option("--jobs", 1, "Games at the same time.")
@click.option("--gnugo", default="/usr/games/gnugo", show_default=True, help="The program.")
@file_option("--record", "Write the games here; the match resumes from it.")
@every_option(5)
def match_go(  # noqa: PLR0913, PLR0917 - an argument for each option
    games: int,
    level: int,
    seconds: float,
    playouts: int,
    size: int,
    komi: float,
    searcher: str,
    options: tuple[str, ...],
    jobs: int,
    gnugo: str,
    record: Path | None,
    every: int,
) -> None:
    """Play Lolli's tree search against GNU Go: wins with a 95% interval, with alternating colours.

    Chinese rules, positional superko. Lolli resigns after three moves in a row with a value below 5%, GNU Go
    when it wants. Otherwise two passes end a game, and Lolli scores the area with all stones alive: GNU Go
    captures all dead stones before it passes. A game for which GNU Go names another winner is reported.
    """
    if shutil.which(gnugo) is None:
        raise click.UsageError(f"{gnugo} not found; it is in Debian's package gnugo")
    own = named_values("--option", options)
    if searcher not in SEARCHERS:
        raise click.UsageError(f"unknown searcher {searcher!r}; see `lolli games`")
    terms = GoMatchTerms(level, size, komi, seconds, playouts, program=gnugo, options=own, searcher=searcher)
    try:
        player(GoGame(komi=komi), searcher, options=own)
        played = games_of(record, terms) if record else []
    except (NotApplicableError, OptionError, RecordError, SizeError) as error:
        raise click.UsageError(str(error)) from error
    numbers = sorted(set(range(games)) - {game.number for game in played})

    def play_on() -> None:
        with LocalWorkers(jobs) as workers:
            for future in as_completed([workers.submit(play, number, terms) for number in numbers]):
                game = future.result()
                played.append(game)
                if record:
                    keep(record, terms, game)
                if game.theirs.partition("+")[0] != game.verdict.partition("+")[0]:
                    display.say(f"Game {game.number}: {game.verdict}, but {game.theirs} according to GNU Go")
                display.show(len(played), summary(played))

    with RunDisplay("games", games, len(played), every) as display:
        status = exit_status(
            play_on, display.say, GtpEngineError, IllegalMoveError, WorkerDiedError, WorkersError, OSError
        )
    if played:
        print(f"Lolli against GNU Go, level {level}, {size} lines. {summary(played)}")
    sys.exit(status)


def summary(played: Sequence[GoGameRecord]) -> str:
    """Points with their interval, points by colour, and the speed."""
    points = sum(game.won for game in played)
    low, high = wilson(points, len(played))
    colours = ", ".join(
        f"{sum(g.won for g in of):g}/{len(of)} as {colour}" for colour, of in _by_colour(played)
    )
    rate = sum(game.rate for game in played) / len(played)
    return (
        f"{points:g}/{len(played)} = {points / len(played):.0%} [{low:.0%}, {high:.0%}] ({colours});"
        f" {rate:,.0f} playouts/s"
    )


def _by_colour(played: Sequence[GoGameRecord]) -> list[tuple[str, list[GoGameRecord]]]:
    groups = [(colour, [game for game in played if game.colour == colour]) for colour in ("black", "white")]
    return [group for group in groups if group[1]]
