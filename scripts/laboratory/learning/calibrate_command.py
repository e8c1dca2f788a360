"""The command line of scripts/calibrate."""

from __future__ import annotations

import contextlib
import random
import sys
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import chess
import chess.engine
import click

from engine.search.handicap import Handicap
from engine.search.limits import Limits
from protocol.cli.analysis.analyst import Analyst
from protocol.cli.playing.opponent import Opponent
from scripts.laboratory.matches.book import OpeningSuite
from scripts.laboratory.matches.display import RunDisplay
from scripts.laboratory.matches.journal import JournalError, RunJournal, whole
from scripts.laboratory.matches.slots import JobError, run_jobs
from scripts.laboratory.matches.terminal import INTERRUPTED, interrupt_on_sigterm

from .calibration import ANCHORS, LEVELS, LevelResult, Pairing, pairings, rate
from .duel import points_of
from .duelling import OPENINGS, concurrency_option, engine, seed_option

if TYPE_CHECKING:
    from collections.abc import Iterator

_VERSION = "Stockfish 15.1"
_NODES = 500_000  # of Stockfish's, a move: four plies beyond the depth where its Skill Level 10 chooses
_HASH = 64  # MB
_LONGEST = 400  # plies; longer games are drawn
_APART = 50  # openings, from one pairing's first to the next one's: more than any needs


class CalibrationPlayer(Protocol):
    """Who plays a game."""

    def move(self, board: chess.Board) -> chess.Move:
        """The move to play."""


class LevelPlayer:
    """A level of Lolli's."""

    def __init__(self, analyst: Analyst, level: int, chooser: random.Random) -> None:
        self._opponent = Opponent(analyst, Handicap.of_level(level), chooser)
        self._opponent.new_game()

    def move(self, board: chess.Board) -> chess.Move:
        """See `CalibrationPlayer`."""
        return self._opponent.answer(board, Limits()).move


class StockfishPlayer:
    """Stockfish 15.1 with a Skill Level.

    It chooses one of four lines at the depth one above the level (`Skill` in its search.cpp), but searches
    on. What it finds then is in its table when it has to choose again: with time it plays much better than
    when it is asked for just that depth.
    """

    def __init__(self, engine: chess.engine.SimpleEngine, skill: int) -> None:
        self._engine = engine
        self._options = {"Skill Level": skill, "Hash": _HASH}
        self._limit = chess.engine.Limit(nodes=_NODES)
        self._game = object()

    def move(self, board: chess.Board) -> chess.Move:
        """See `CalibrationPlayer`. Raises EngineError."""
        move = self._engine.play(board, self._limit, game=self._game, options=self._options).move
        if move is None:
            raise chess.engine.EngineError("Stockfish does not move")
        return move


@dataclass(frozen=True, slots=True)
class CalibrationGame:
    """One game of a pairing, by its number there, and the position that it begins with."""

    pairing: Pairing
    number: int
    fen: str


class CalibrationWorker:
    """Plays games in a process of its own."""

    def __init__(self, stockfish: str, seed: int) -> None:
        """Start Stockfish. Raises OSError and EngineError."""
        self._engine = chess.engine.SimpleEngine.popen_uci(stockfish)
        self._analysts = Analyst(), Analyst()
        self._seed = seed

    def work(self, game: CalibrationGame) -> LevelResult:
        """Play a game. The errors of the levels depend on the seed and the game alone."""
        pairing = game.pairing
        chooser = random.Random(f"{self._seed} {pairing.level} {pairing.other} {game.number}")
        mine, others = self._analysts
        level = LevelPlayer(mine, pairing.level, chooser)
        other: CalibrationPlayer = (
            StockfishPlayer(self._engine, -1 - pairing.other)
            if pairing.other < 0
            else LevelPlayer(others, pairing.other, chooser)
        )
        points = play(level, other, game.number % 2 == 0, chess.Board(game.fen))
        return LevelResult(pairing.level, pairing.other, game.number, points)

    def close(self) -> None:
        """End the engines."""
        self._engine.close()
        for analyst in self._analysts:
            analyst.close()


@click.command(context_settings={"max_content_width": 110})
@click.option(
    "--results",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The file for the results, a line each; a run goes on from there.",
)
@click.option("--stockfish", default="/usr/games/stockfish", show_default=True, help="Stockfish 15.1.")
@seed_option("the levels' errors")
@concurrency_option
def calibrate(path: Path, stockfish: str, seed: int, concurrency: int) -> None:
    """Find out how strong the levels of play are, by games among them and against Stockfish.

    \b
    scripts/lab calibrate --results levels.jsonl

    Two processors are busy for about an hour. The table is that of engine/search/handicap.py. A run that was
    stopped goes on from the file of results.
    """
    interrupt_on_sigterm()
    try:
        with contextlib.closing(chess.engine.SimpleEngine.popen_uci(stockfish)) as anchor:
            if anchor.id.get("name") != _VERSION:
                raise click.UsageError(f"{stockfish} is {anchor.id.get('name')}, not {_VERSION}")
        with RunJournal(path, identity(seed)) as journal:
            results = _play_all(journal, stockfish, seed, concurrency)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (OSError, JournalError, JobError, chess.engine.EngineError) as error:
        raise click.UsageError(str(error)) from error
    _print_table(results)


def identity(seed: int) -> dict[str, Any]:
    """What makes a run another one: its results are not to be mixed with these."""
    return {
        "engine": engine(),
        "levels": [asdict(Handicap.of_level(level)) for level in LEVELS],
        "nodes": _NODES,
        "hash": _HASH,
        "pairings": sha256(repr(pairings()).encode()).hexdigest()[:16],
        "seed": seed,
    }


def _play_all(journal: RunJournal, stockfish: str, seed: int, concurrency: int) -> list[LevelResult]:
    """Play what is missing. All results."""
    results = journal.read(_result)
    known = {(each.level, each.other, each.game) for each in results}
    left = (
        game for game in _games(seed) if (game.pairing.level, game.pairing.other, game.number) not in known
    )
    total = sum(each.games for each in pairings())
    with (
        RunDisplay("games", total, len(results), 50) as display,
        contextlib.closing(
            run_jobs(partial(CalibrationWorker, stockfish, seed), left, concurrency)
        ) as played,
    ):
        for result in played:
            results.append(result)
            journal.append(asdict(result))
            display.show(len(results), f"{result.level} against {result.other}")
    return results


def _result(record: dict[str, Any]) -> LevelResult:
    pairing = whole(record["level"]), whole(record["other"], -1 - max(ANCHORS))
    return LevelResult(*pairing, whole(record["game"]), points_of(record))


def _games(seed: int) -> Iterator[CalibrationGame]:
    """All that are to be played: each opening of a pairing twice, with the colours exchanged."""
    book = OpeningSuite.read(OPENINGS, chess960=False)
    order = book.order(seed)
    for index, pairing in enumerate(pairings()):
        for number in range(pairing.games):
            opening = order[(index * _APART + number // 2) % len(order)]
            yield CalibrationGame(pairing, number, book.opening(opening).board().fen())


def play(level: CalibrationPlayer, other: CalibrationPlayer, white: bool, board: chess.Board) -> float:
    """The points of `level`, which has White if `white`."""
    for _ in range(_LONGEST):
        if board.is_game_over() or board.is_repetition(3) or board.is_fifty_moves():
            break
        board.push((level if board.turn == white else other).move(board))
    outcome = board.outcome()
    if outcome is None or outcome.winner is None:
        return 0.5
    return float(outcome.winner == white)


def _print_table(results: list[LevelResult]) -> None:
    """The levels with their Elo and its 95% interval."""
    for rating in rate(results):
        margin = 1.96 * rating.error
        click.echo(f"level {rating.level:2}  {rating.elo:4.0f} ± {margin:3.0f}  {rating.games} games")
