"""The command line of scripts/calibrate."""

from __future__ import annotations

import contextlib
import json
import random
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

import chess
import chess.engine
import click

from engine.search.handicap import Handicap
from engine.search.limits import Limits
from protocol.analysis.analyst import Analyst
from protocol.play.opponent import Opponent

from .book import Book
from .calibration import ANCHORS, LEVELS, Pairing, Result, pairings, rate
from .display import Display
from .terminal import INTERRUPTED, interrupt_on_sigterm

_OPENINGS = Path(__file__).parent.parent / "data" / "openings.epd.xz"
_VERSION = "Stockfish 15.1"
_LONGEST = 400  # plies; longer games are drawn


class Player(Protocol):
    """Who plays the games."""

    def new_game(self) -> None:
        """Forget the last game."""

    def move(self, board: chess.Board) -> chess.Move:
        """The move to play."""


class Level:
    """A level of Lolli's."""

    def __init__(self, level: int) -> None:
        chooser = random.Random(level)
        self._opponent = Opponent(Analyst(), Handicap.of_level(level), chooser)

    def new_game(self) -> None:
        """See `Player`."""
        self._opponent.new_game()

    def move(self, board: chess.Board) -> chess.Move:
        """See `Player`."""
        return self._opponent.answer(board, Limits()).move


class Stockfish:
    """Stockfish 15.1 with a Skill Level.

    It chooses one of four lines after so many plies and one more (`Skill` in its search.cpp), and only
    spends its time after that. Asked for just this depth it plays the same in less time.
    """

    def __init__(self, engine: chess.engine.SimpleEngine, skill: int) -> None:
        self._engine = engine
        self._options = {"Skill Level": skill}
        self._limit = chess.engine.Limit(depth=1 + skill)
        self._game = object()

    def new_game(self) -> None:
        """See `Player`."""
        self._game = object()

    def move(self, board: chess.Board) -> chess.Move:
        """See `Player`. Raises EngineError."""
        move = self._engine.play(board, self._limit, game=self._game, options=self._options).move
        if move is None:
            raise chess.engine.EngineError("Stockfish does not move")
        return move


@click.command(context_settings={"max_content_width": 110})
@click.option(
    "--results",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The file for the results, a line each; a run goes on from there.",
)
@click.option("--stockfish", default="/usr/games/stockfish", show_default=True, help="Stockfish 15.1.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the order of the openings.")
def calibrate(path: Path, stockfish: str, seed: int) -> None:
    """Find out how strong the levels of play are, by games among them and against Stockfish.

    \b
    scripts/calibrate --results levels.jsonl

    One processor is busy for about two hours. The table is that of engine/search/handicap.py.
    """
    interrupt_on_sigterm()
    try:
        with contextlib.closing(chess.engine.SimpleEngine.popen_uci(stockfish)) as engine:
            if engine.id.get("name") != _VERSION:
                raise click.UsageError(f"{stockfish} is {engine.id.get('name')}, not {_VERSION}")
            results = _play_all(path, engine, seed)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (OSError, ValueError, chess.engine.EngineError) as error:
        raise click.UsageError(str(error)) from error
    _print_table(results)


def _play_all(path: Path, engine: chess.engine.SimpleEngine, seed: int) -> list[Result]:
    """Play what is missing. All results."""
    results = read_results(path) if path.exists() else []
    known = {(each.level, each.other, each.game) for each in results}
    players: dict[int, Player] = {level: Level(level) for level in LEVELS}
    players |= {-1 - skill: Stockfish(engine, skill) for skill in ANCHORS}
    book = Book.read(_OPENINGS, chess960=False)
    order = book.order(seed)
    todo = pairings()
    total = sum(each.games for each in todo)
    with Display("games", total, len(results), 50) as display, path.open("a") as file:
        for number, pairing in enumerate(todo):
            for game in range(pairing.games):
                if (pairing.level, pairing.other, game) in known:
                    continue
                opening = order[(number * 50 + game // 2) % len(order)]
                points = _play(players, pairing, game, book.opening(opening).board())
                results.append(Result(pairing.level, pairing.other, game, points))
                print(json.dumps(asdict(results[-1])), file=file, flush=True)
                display.show(len(results), f"{pairing.level} against {pairing.other}")
    return results


def read_results(path: Path) -> list[Result]:
    """What earlier runs have played. Raises ValueError for a line that is none of theirs."""
    try:
        return [Result(**json.loads(line)) for line in path.read_text().splitlines()]
    except TypeError:
        raise ValueError(f"{path} is no file of results") from None


def _play(players: dict[int, Player], pairing: Pairing, game: int, board: chess.Board) -> float:
    """The points of the level of a pairing; it has White in games with even numbers."""
    level, other = players[pairing.level], players[pairing.other]
    level.new_game()
    other.new_game()
    white = game % 2 == 0
    for _ in range(_LONGEST):
        if board.is_game_over() or board.is_repetition(3) or board.is_fifty_moves():
            break
        board.push((level if board.turn == white else other).move(board))
    outcome = board.outcome()
    if outcome is None or outcome.winner is None:
        return 0.5
    return float(outcome.winner == white)


def _print_table(results: list[Result]) -> None:
    """The levels with their Elo and its 95% interval."""
    for rating in rate(results):
        margin = 1.96 * rating.error
        click.echo(f"level {rating.level:2}  {rating.elo:4.0f} ± {margin:3.0f}  {rating.games} games")
