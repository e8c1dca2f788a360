"""`scripts/lab match-rhino`: Othello against GRhino, over GTP, with no more time than GRhino takes."""

from __future__ import annotations

import shutil
import sys
from concurrent.futures import as_completed
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import monotonic
from typing import TYPE_CHECKING

import click

from engine.games.players.searchers import player
from engine.games.rules.game import IllegalMoveError
from engine.games.rules.othello import OthelloGame
from engine.games.textbook.search import SearchLimits
from protocol.workers import LocalWorkers, WorkerDiedError, WorkersError
from scripts.laboratory.games.kept_games import RecordError, keep, kept
from scripts.laboratory.games.match_go import GtpEngine, GtpEngineError
from scripts.laboratory.lab_options import (
    WIDE,
    choice_option,
    count_option,
    every_option,
    file_option,
    require_even,
    seed_option,
)
from scripts.laboratory.long_run import RunDisplay, exit_status
from scripts.laboratory.statistics import share_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.players.player import Player
    from engine.games.rules.othello import Othello

_COLOURS = ("black", "white")
_LEAST = 0.005  # seconds of a move, before GRhino has taken any time
_SHARE = 0.5  # of what GRhino has taken and Lolli has not, for one move
_SEARCHERS = ("patterns", "solver", "uct-fast", "enhanced")


@dataclass(frozen=True, slots=True)
class RhinoMatchTerms:
    """What all games of a match have in common."""

    level: int = 4
    """GRhino's."""
    searcher: str = "patterns"
    """Lolli's."""
    nodes: int = 0
    """For each of Lolli's moves, in place of time; 0 for none."""
    plies: int = 8
    """Random ones, before each pair of games."""
    seed: int = 1
    program: str = "/usr/games/gtp-rhino"

    def command(self) -> list[str]:
        """GRhino's, without its book of openings: games begin with random moves."""
        return [self.program, f"--level={self.level}", "--book=0"]


@dataclass(frozen=True, slots=True)
class RhinoGameRecord:
    """One game: Lolli's colour, its points (1, ½ or 0) and discs ahead; seconds of both sides."""

    number: int
    colour: str
    won: float
    ahead: int
    ours: float
    theirs: float
    moves: tuple[str, ...]


def play(number: int, terms: RhinoMatchTerms) -> RhinoGameRecord:
    """Play game `number`. Lolli is Black if it is even; both games of a pair have the same opening."""
    game, mine = OthelloGame(), number % 2
    ours = theirs = 0.0
    lolli = player(game, terms.searcher, number)
    moves: list[str] = []
    with GtpEngine(terms.command()) as engine:
        for line in ("set_game Othello", "boardsize 8", "clear_board"):
            engine.ask(line)
        state, opening = game.start(), Random(f"{terms.seed} {number // 2}")
        while state.player >= 0:
            colour, legal = _COLOURS[state.player], state.moves()
            if not state.empty() >> legal[0] & 1:  # GRhino's protocol knows no pass
                state = state.play(legal[0])
                continue
            if len(moves) < terms.plies:
                move = opening.choice(legal)
            elif state.player == mine:
                move, seconds = _own(lolli, state, terms, theirs - ours)
                ours += seconds
            else:
                began = monotonic()
                text = engine.ask(f"genmove {colour}")
                theirs += monotonic() - began
                move = game.parse(state, text)
            moves.append(game.text(state, move))
            if len(moves) <= terms.plies or state.player == mine:
                engine.ask(f"play {colour} {moves[-1]}")
            state = state.play(move)
    ahead = round(game.margin(state)) * (1 if mine == 0 else -1)
    won = (state.payoff()[mine] + 1) / 2
    return RhinoGameRecord(number, _COLOURS[mine], won, ahead, round(ours, 3), round(theirs, 3), tuple(moves))


def _own(lolli: Player, state: Othello, terms: RhinoMatchTerms, saved: float) -> tuple[int, float]:
    """Lolli's move and the seconds it took; `saved`: by how many seconds it has taken less than GRhino."""
    seconds = max(saved * _SHARE, _LEAST)
    limits = SearchLimits(nodes=terms.nodes) if terms.nodes else SearchLimits(seconds=seconds)
    began = monotonic()
    move: int = lolli.choose(state, limits).move
    return move, monotonic() - began


@click.command(context_settings=WIDE)
@count_option("--games", 100, "Number of games in all, even, with those on record.", least=2)
@count_option("--level", 4, "Level of GRhino.", most=5)
@choice_option("--searcher", _SEARCHERS, "patterns", "Lolli's searcher.")
@count_option("--nodes", 0, "Nodes of each of Lolli's moves, not time.", least=0)
@count_option("--plies", 8, "Random plies at the start of each pair.", least=0, most=30)
@count_option("--jobs", 1, "Games at the same time.")
@seed_option("the openings")
@click.option("--rhino", default="/usr/games/gtp-rhino", show_default=True, help="The program.")
@file_option("--record", "Write the games here; the match resumes from it.")
@every_option(5)
def match_rhino(  # noqa: PLR0913, PLR0917 - an argument for each option
    games: int,
    level: int,
    searcher: str,
    nodes: int,
    plies: int,
    jobs: int,
    seed: int,
    rhino: str,
    record: Path | None,
    every: int,
) -> None:
    """Play Othello against GRhino: points with a 95% interval, in pairs with the same random opening.

    GRhino has levels and no clock. For a move Lolli has half of the time that GRhino has taken and Lolli has
    not: it never has more in all, but for some milliseconds at the beginning.
    """
    require_even(games, "openings")
    if shutil.which(rhino) is None:
        raise click.UsageError(f"{rhino} not found; it is in Debian's package grhino")
    terms = RhinoMatchTerms(level, searcher, nodes, plies, seed, rhino)
    try:
        played = kept(record, terms, RhinoGameRecord, "Othello") if record else []
    except RecordError as error:
        raise click.UsageError(str(error)) from error
    numbers = sorted(set(range(games)) - {game.number for game in played})

    def play_on() -> None:
        with LocalWorkers(jobs) as workers:
            for future in as_completed([workers.submit(play, number, terms) for number in numbers]):
                played.append(future.result())
                if record:
                    keep(record, terms, played[-1])
                display.show(len(played), summary(played))

    with RunDisplay("games", games, len(played), every) as display:
        status = exit_status(
            play_on, display.say, GtpEngineError, IllegalMoveError, WorkerDiedError, WorkersError, OSError
        )
    if played:
        print(f"Lolli ({searcher}) against GRhino, level {level}. {summary(played)}")
    sys.exit(status)


def summary(played: Sequence[RhinoGameRecord]) -> str:
    """Points with their interval, from whole pairs if there are any; discs; seconds of a game for each."""
    won = {game.number: game.won for game in played}
    whole = [number for number in sorted(won) if number ^ 1 in won]
    points = [won[number] for number in whole or won]
    count, wins, draws = len(won), list(won.values()).count(1.0), list(won.values()).count(0.5)
    ours, theirs = (sum(each) / count for each in zip(*[(g.ours, g.theirs) for g in played], strict=True))
    return (
        f"+{wins} ={draws} -{count - wins - draws}, {share_text(points)};"
        f" {sum(g.ahead for g in played) / count:+.1f} discs; {ours:.1f} s a game, GRhino {theirs:.1f} s"
    )
