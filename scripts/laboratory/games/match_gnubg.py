"""`scripts/lab match-gnubg`: backgammon against GNU Backgammon, in pairs with the same dice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean
from typing import IO, TYPE_CHECKING, Self, TypeAlias, cast

import click

from engine.games.players.searchers import SEARCHERS
from engine.games.rules.backgammon.game import JUDGES, BackgammonGame
from engine.games.rules.game import CHANCE, OVER
from engine.games.textbook.search import SearchLimits
from scripts.laboratory.lab_options import (
    WIDE,
    choice_option,
    count_option,
    every_option,
    require_even,
    seed_option,
)
from scripts.laboratory.long_run import RunDisplay, exit_status
from scripts.laboratory.statistics import pair_margin, share_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.games.rules.backgammon.board import Backgammon

    Chooser: TypeAlias = Callable[[Backgammon], int]


_SCRIPT = Path(__file__).with_name("gnubg_side.py")


class GnubgError(Exception):
    """gnubg cannot be started, or does not answer."""


class GnubgPlayer:
    """GNU Backgammon at a depth of `plies`: checker play only, without cube and noise; gammons count."""

    def __init__(self, command: str, plies: int, game: BackgammonGame) -> None:
        """Start the program. Raises GnubgError."""
        self._game = game
        try:
            self._process = subprocess.Popen(
                [command, "--tty", "--quiet", "--no-rc", "--python", str(_SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env={**os.environ, "LOLLI_GNUBG_PLIES": str(plies)},
            )
        except OSError as error:
            raise GnubgError(f"{command} cannot be started: {error.strerror}") from error
        self._questions = cast("IO[str]", self._process.stdin)
        self._answers = cast("IO[str]", self._process.stdout)
        try:
            self._answer()
        except GnubgError:
            self.close()
            raise

    def choose(self, state: Backgammon) -> int:
        """gnubg's move in a state with a player to move. Raises GnubgError."""
        mine, theirs = state.board(state.player), state.board(1 - state.player)
        numbers = (state.high, state.low, *mine[1:], *theirs[1:])
        points = [int(word) for word in self._ask(" ".join(map(str, numbers))).split()]
        written = ",".join(f"{a}/{b}" for a, b in zip(points[::2], points[1::2], strict=True))
        return self._game.parse(state, written or "pass")

    def _ask(self, question: str) -> str:
        try:
            self._questions.write(f"{question}\n")
            self._questions.flush()
        except OSError as error:
            raise GnubgError("gnubg has ended") from error
        return self._answer()

    def _answer(self) -> str:
        """The next line that begins with @, without it. Raises GnubgError."""
        said = "nothing"
        for line in self._answers:
            if line.startswith("@"):
                return line[1:].strip()
            said = line.strip() or said
        raise GnubgError(f"gnubg has ended; its last line: {said[:200]}")

    def close(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_WIDEST = 6  # points between winning and losing a backgammon


@dataclass(slots=True)
class BackgammonScore:
    """The points of one player in each game, negative for losses."""

    points: list[float] = field(default_factory=list)

    @property
    def wins(self) -> int:
        """The number of games won."""
        return sum(points > 0 for points in self.points)

    def line(self) -> str:
        """Points and wins per game, with 95% intervals from pairs, which are independent of each other."""
        won = [float(points > 0) for points in self.points]
        pairs = [fmean(pair) for pair in zip(self.points[::2], self.points[1::2], strict=False)]
        return (
            f"{len(self.points)} games: {fmean(self.points):+.3f} ± {pair_margin(pairs, _WIDEST):.3f}"
            f" points a game, {share_text(won)} won"
        )


def play_match(
    game: BackgammonGame, ours: Chooser, theirs: Chooser, games: int, seed: int
) -> Iterator[float]:
    """Our points in each of an even number of games. In the second of a pair the sides are reversed."""
    for pair in range(games // 2):
        dice = f"{seed} {pair}"
        yield play(game, (ours, theirs), Random(dice))
        yield -play(game, (theirs, ours), Random(dice))


def play(game: BackgammonGame, players: tuple[Chooser, Chooser], dice: Random) -> float:
    """Play a game. The payoff of the first player."""
    state = game.start()
    while state.player != OVER:
        if state.player == CHANCE:
            rolls, weights = zip(*state.chances(), strict=True)
            move = dice.choices(rolls, weights)[0]
        else:
            move = players[state.player](state)
        state = state.play(move)
    return state.payoff()[0]


@click.command(context_settings=WIDE)
@count_option("--games", 100, "Number of games, even.", least=2)
@count_option("--depth", 1, "Lolli's depth, in moves.")
@choice_option("--judge", JUDGES, "network", "Lolli's evaluation.")
@count_option("--plies", 0, "gnubg's depth, in plies.", least=0, most=4)
@seed_option("the dice")
@click.option("--gnubg", default="/usr/games/gnubg", show_default=True, help="The program.")
@every_option(10)
def match_gnubg(games: int, depth: int, judge: str, plies: int, seed: int, gnubg: str, every: int) -> None:
    """Play Lolli's expectiminimax against GNU Backgammon: points and wins per game, with 95% intervals.

    Money play without the cube: a gammon counts 2, a backgammon 3. The games come in pairs with the same dice
    and reversed sides. Depth 1 evaluates the positions after one's own moves, as gnubg does with 0 plies.
    Depth 2 adds all rolls and replies, as gnubg does with 1 ply.
    """
    require_even(games, "dice")
    if shutil.which(gnubg) is None:
        raise click.UsageError(f"{gnubg} not found; it is in Debian's package gnubg")
    game = BackgammonGame(scoring="points", judge=judge)
    lolli = SEARCHERS["expectiminimax"].player(game, seed)
    limits = SearchLimits(depth=depth)
    score = BackgammonScore()

    def play_on() -> None:
        with GnubgPlayer(gnubg, plies, game) as peer:
            for points in play_match(
                game, lambda state: lolli.choose(state, limits).move, peer.choose, games, seed
            ):
                score.points.append(points)
                display.show(len(score.points), score.line())

    with RunDisplay("games", games, 0, every) as display:
        status = exit_status(play_on, display.say, GnubgError)
    if score.points:
        print(f"Lolli, {judge}, depth {depth}, against gnubg, {plies} plies. {score.line()}")
    sys.exit(status)
