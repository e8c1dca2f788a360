"""`scripts/lab openings`: a suite of balanced openings, from candidates that an engine judges."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import random
import sys
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import click
from chess.engine import Cp

from engine.files import write_whole
from scripts.laboratory.jobs import JobError, run_jobs
from scripts.laboratory.lab_options import (
    OPENINGS,
    ROOT,
    WIDE,
    KeyValues,
    Words,
    WordsCommand,
    count_option,
    file_option,
    seed_option,
)
from scripts.laboratory.long_run import JournalError, RunDisplay, RunJournal, exit_status, strings, whole
from scripts.laboratory.matches.plan import PlanError, parse_engine
from scripts.laboratory.matches.uci_player import UciPlayer
from scripts.laboratory.matches.xboard_player import edit_lines
from scripts.laboratory.openings import OpeningSuite, OpeningSuiteError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from scripts.laboratory.matches.plan import EngineSpec


_CHUNK = 50
_COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    ".bz2": bz2.compress,
    ".gz": partial(gzip.compress, mtime=0),
    ".xz": partial(lzma.compress, preset=9 | lzma.PRESET_EXTREME),
}


class OpeningMaker:
    """Collects openings. The same rules give the same openings, whatever the number of workers."""

    def __init__(self, rules: OpeningRules, wanted: int | None, journal: RunJournal) -> None:
        """Resume from the journal. Stop at `wanted` openings or, if it is None, after all candidates.

        Raises JournalError.
        """
        self._rules = rules
        self._wanted = wanted
        self._journal = journal
        self._chunks: dict[int, Sequence[str]] = {}
        known = journal.read(lambda record: (whole(record["chunk"]), strings(record["openings"])))
        self._done = {chunk for chunk, _ in known}
        self._next_chunk = 0
        self._openings: dict[str, None] = {}
        for chunk, openings in known:
            self._add(chunk, openings)

    @property
    def openings(self) -> list[str]:
        """The openings so far, without duplicates, in the order of the candidates."""
        return list(islice(self._openings, self._wanted))

    @property
    def examined(self) -> int:
        """From about how many candidates these were chosen."""
        return self._next_chunk * _CHUNK

    def run(self, concurrency: int) -> Generator[None, None, None]:
        """Collect openings, yielding now and then. Raises JobError and OpeningSuiteError."""
        if self._is_complete():
            return
        make_worker = partial(OpeningWorker, self._rules)
        with contextlib.closing(run_jobs(make_worker, self._jobs(), concurrency)) as results:
            for chunk, openings in results:
                self._journal.append({"chunk": chunk, "openings": openings})
                self._add(chunk, openings)
                yield
                if self._is_complete():
                    return

    def _is_complete(self) -> bool:
        return self._wanted is not None and len(self._openings) >= self._wanted

    def _add(self, chunk: int, openings: Sequence[str]) -> None:
        """Add a chunk when all before it have been added: the result must not depend on their order."""
        self._chunks[chunk] = openings
        while self._next_chunk in self._chunks:
            self._openings.update(dict.fromkeys(self._chunks.pop(self._next_chunk)))
            self._next_chunk += 1

    def _jobs(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        numbers = self._rules.source.numbers()
        chunk = 0
        while candidates := tuple(islice(numbers, _CHUNK)):
            if chunk not in self._done:
                yield chunk, candidates
            chunk += 1


def write_openings(path: Path, lines: list[str]) -> None:
    """Write the lines, sorted, and compressed if `path` ends in .gz, .xz or .bz2. Raises OSError.

    The same lines make the same file. It is written whole or not at all.
    """
    data = "".join(f"{line}\n" for line in sorted(lines)).encode()
    compress = _COMPRESSORS.get(path.suffix.lower())
    write_whole(path, compress(data) if compress else data)


_SILENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class OpeningRules:
    """What makes a candidate an opening."""

    engine: EngineSpec
    """Judges candidates, with its limit of nodes."""
    source: RandomSource | SuiteSource
    max_score: int
    """The largest advantage of either side, in centipawns."""
    chess960: bool


class OpeningWorker:
    """Judges candidates with an engine process of its own."""

    def __init__(self, rules: OpeningRules) -> None:
        """Start the engine. Raises StartError."""
        self._rules = rules
        self._engine = UciPlayer(rules.engine, chess960=rules.chess960, stall_seconds=_SILENCE_SECONDS)

    def work(self, job: tuple[int, tuple[int, ...]]) -> tuple[int, list[str]]:
        """Judge the candidates of a chunk. Its number, and the EPD of those that are openings, in order."""
        chunk, numbers = job
        boards = (self._rules.source.candidate(number) for number in numbers)
        return chunk, [board.epd(shredder=self._rules.chess960) for board in boards if self._is_fit(board)]

    def close(self) -> None:
        """End the engine."""
        self._engine.close()

    def _is_fit(self, board: chess.Board) -> bool:
        if not looks_quiet(board) or not (self._rules.chess960 or is_plain(board)):
            return False
        fen = board.fen(shredder=self._rules.chess960)
        score = self._engine.analyse(fen, self._rules.engine.pace.nodes or 1).score
        return isinstance(score, Cp) and abs(score.score()) <= self._rules.max_score


def looks_quiet(board: chess.Board) -> bool:
    """Whether there is no check, a legal move, and equal material on both sides."""
    if board.is_check() or not any(board.generate_legal_moves()):
        return False
    return _material(board, chess.WHITE) == _material(board, chess.BLACK)


def _material(board: chess.Board, colour: chess.Color) -> tuple[int, ...]:
    """The numbers of pawns, minor pieces, rooks and queens of a side."""
    pawns, knights, bishops, rooks, queens = (
        len(board.pieces(kind, colour)) for kind in chess.PIECE_TYPES if kind != chess.KING
    )
    return pawns, knights + bishops, rooks, queens


def is_plain(board: chess.Board) -> bool:
    """Whether the position can be set up for XBoard engines without `setboard`."""
    try:
        edit_lines(board)
    except ValueError:
        return False
    return True


_PLIES = (6, 7, 8)
_CHESS960_PLIES = (4, 5, 6)
_SENSIBLE_SHARE = 0.7
"""The share of moves that are drawn with the weights below; the others are drawn uniformly."""

_KING, _ROOK, _QUEEN, _EDGE_PAWN = 0.05, 0.2, 0.4, 0.4
_PAWN, _CENTRE_PAWN, _CASTLING, _CAPTURE = 1.5, 8.0, 12.0, 3.0
_DEVELOPMENT, _SECOND_MOVE, _RIM_KNIGHT = 5.0, 0.5, 0.5
_CENTRE = chess.SquareSet(chess.BB_CENTER | chess.BB_C4 | chess.BB_C5)
_EDGES = chess.SquareSet(chess.BB_FILE_A | chess.BB_FILE_B | chess.BB_FILE_G | chess.BB_FILE_H)
_RIM = chess.SquareSet(chess.BB_FILE_A | chess.BB_FILE_H)


@dataclass(frozen=True, slots=True)
class RandomSource:
    """Positions after random moves. The same seed and number give the same position."""

    seed: int
    chess960: bool

    def numbers(self) -> Iterator[int]:
        """The numbers of all candidates, without end."""
        return count()

    def candidate(self, number: int) -> chess.Board:
        """Candidate `number`."""
        chooser = random.Random(f"{self.seed}:{number}")
        if self.chess960:
            board = chess.Board.from_chess960_pos(chooser.randrange(960))
            plies = chooser.choice(_CHESS960_PLIES)
        else:
            board = chess.Board()
            plies = chooser.choice(_PLIES)
        for _ in range(plies):
            moves = list(board.legal_moves)
            if not moves:
                break
            if chooser.random() < _SENSIBLE_SHARE:
                weights = [sense(board, move) for move in moves]
                board.push(chooser.choices(moves, weights)[0])
            else:
                board.push(chooser.choice(moves))
        return board


@dataclass(frozen=True, slots=True)
class SuiteSource:
    """The openings of a suite, as candidates for another."""

    book: OpeningSuite

    def numbers(self) -> Iterator[int]:
        """The numbers of all candidates."""
        return iter(range(len(self.book.entries)))

    def candidate(self, number: int) -> chess.Board:
        """Candidate `number`. Raises OpeningSuiteError."""
        return self.book.opening(number).board(chess960=self.book.chess960)


def sense(board: chess.Board, move: chess.Move) -> float:
    """The weight of a move: more for developing, taking the centre, castling and capturing."""
    if board.is_castling(move):
        return _CASTLING
    kind = board.piece_type_at(move.from_square)
    weight = _SECOND_MOVE
    if kind == chess.PAWN:
        weight = _CENTRE_PAWN if move.to_square in _CENTRE else _PAWN
        if move.from_square in _EDGES:
            weight = _EDGE_PAWN
    elif kind in (chess.KNIGHT, chess.BISHOP):
        home = chess.BB_RANK_1 if board.turn else chess.BB_RANK_8
        if chess.BB_SQUARES[move.from_square] & home:
            weight = _RIM_KNIGHT if kind == chess.KNIGHT and move.to_square in _RIM else _DEVELOPMENT
    elif kind is not None:
        weight = {chess.ROOK: _ROOK, chess.QUEEN: _QUEEN, chess.KING: _KING}[kind]
    return weight * _CAPTURE if board.is_capture(move) else weight


_OWN_ENGINE = [("name", "Lolli"), ("cmd", f"'{ROOT / 'scripts' / 'run'}'"), ("option.Hash", "1")]
_OPENINGS_A_LINE = 1000


@click.command(cls=WordsCommand, context_settings=WIDE)
@click.option("--engine", type=Words(), help="Engine that judges: cmd= option.NAME=; default: scripts/run.")
@count_option("--count", 20_000, "Number of openings.", to="wanted")
@count_option("--nodes", 20_000, "Nodes of each search.")
@count_option("--max-score", 60, "Largest advantage of either side, in centipawns.", least=0)
@seed_option("the random moves")
@count_option("--concurrency", 1, "Searches at the same time.")
@click.option("--chess960", is_flag=True, help="Start from the 960 start positions.")
@file_option("--from", "Choose from the openings of this file instead of random ones.", to="candidates")
@file_option("--output", "File to write, compressed if it ends in .gz, .xz or .bz2.", OPENINGS)
def openings(  # noqa: PLR0913, PLR0917 - an argument for each option
    engine: KeyValues | None,
    wanted: int,
    nodes: int,
    max_score: int,
    seed: int,
    concurrency: int,
    chess960: bool,
    candidates: Path | None,
    output: Path,
) -> None:
    """Make a suite of openings: random moves, mixed with sensible ones, whose end a search judges.

    Chosen are positions without check, with equal material, and with a score of at most --max-score after
    --nodes nodes. With option.Eval=material, --max-score 0 means that nothing hangs. The same arguments make
    the same file. A run that was stopped resumes from OUTPUT.jsonl.

    \b
    scripts/lab openings
    scripts/lab openings --engine cmd=/usr/games/stockfish --max-score 60 \\
        --from scripts/laboratory/data/openings.epd.xz --output checked.epd
    """
    try:
        rules = OpeningRules(
            engine=parse_engine(engine or _OWN_ENGINE, [("nodes", str(nodes))]),
            source=_source(candidates, seed, chess960=chess960),
            max_score=max_score,
            chess960=chess960,
        )
        journal = RunJournal(output.with_name(f"{output.name}.jsonl"), _identity(rules))
        maker = OpeningMaker(rules, None if candidates else wanted, journal)
    except (PlanError, OpeningSuiteError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    with journal:
        status = _make(maker, wanted, concurrency)
        if status == 0:
            _write(output, maker)
            journal.remove()
    sys.exit(status)


def _write(output: Path, maker: OpeningMaker) -> None:
    """Write the openings and a line about them. Raises ClickException, and the journal keeps them."""
    try:
        write_openings(output, maker.openings)
    except OSError as error:
        raise click.ClickException(f"{output}: {error.strerror}") from error
    size = output.stat().st_size
    click.echo(f"{len(maker.openings)} of {maker.examined} positions, {size} bytes: {output}")


def _make(maker: OpeningMaker, wanted: int, concurrency: int) -> int:
    """Make the openings and show the progress. The exit status."""
    with RunDisplay("openings", wanted, len(maker.openings), _OPENINGS_A_LINE) as display:

        def make() -> None:
            with contextlib.closing(maker.run(concurrency)) as steps:
                for _ in steps:
                    display.show(len(maker.openings), f"of {maker.examined} candidates")

        return exit_status(make, display.say, JobError, OpeningSuiteError)


def _source(path: Path | None, seed: int, *, chess960: bool) -> RandomSource | SuiteSource:
    if path is None:
        return RandomSource(seed, chess960)
    return SuiteSource(OpeningSuite.read(path, chess960=chess960))


def _identity(rules: OpeningRules) -> dict[str, Any]:
    """What two runs must have in common to be the same run."""
    source = rules.source
    origin = source.seed if isinstance(source, RandomSource) else source.book.digest()
    return {
        "engine": asdict(rules.engine),
        "source": origin,
        "max_score": rules.max_score,
        "chess960": rules.chess960,
    }
