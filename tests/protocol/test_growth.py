"""Every text format, its texts eight times as long: reading them must not take twenty times as long."""

import gc
import io
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import chess
import pytest

from engine.board.fen import parse_fen
from engine.board.position import COMPILED
from engine.games.catalogue import Rules
from engine.search.limits import Limits
from engine.session import Session
from eval.weight_file import load
from lolli._annotator import AnnotationOptions
from lolli._findings import AnalystSettings
from lolli.cli.analysis.notation import displayed, looks_like_move, move_of, why_not
from lolli.cli.analysis.recognition import recognise_text
from lolli.cli.annotator import annotated
from lolli.cli.pgn import RawGame, raw_games
from lolli.cli.pgn.game_reader import read_game, written
from lolli.cli.playing.chess import ChessDialogue, ChessGame, pgn_text
from lolli.cli.runs import do_game, job_of
from lolli.cli.suite import parse_position, suite_lines
from protocol.gtp.commands import answer
from protocol.gtp.parser import is_interrupt, parse
from protocol.gtp.session import GtpSession
from protocol.gtp.sgf import read_sgf
from protocol.uci.dialogue import Uci
from protocol.writer import Writer
from scripts.laboratory.long_run import JournalError, RunJournal
from scripts.laboratory.openings import OpeningSuite

Read = Callable[[str], object]

_SETTINGS = AnalystSettings(evaluator="material", megabytes=1)
_RUN = {"run": 1}


def read_pgn(text: str) -> None:
    """As `annotate` does, without any analysis: cut into games, read, and written."""
    for raw in raw_games(io.BytesIO(text.encode())):
        with suppress(ValueError):
            written(read_game(raw.data))


def annotate_pgn(text: str) -> None:
    job = job_of(_SETTINGS, Limits(nodes=1), AnnotationOptions())
    do_game(annotated, job, RawGame(1, 1, 0, text.encode()))


def recognise(text: str) -> None:
    with suppress(ValueError):
        recognise_text(text)


def read_suite(text: str) -> None:
    for number, line in suite_lines(text.encode()):
        with suppress(ValueError):
            parse_position(line, "suite.epd", number)


def read_fen(text: str) -> None:
    with suppress(ValueError):
        parse_fen(text)


def speak_uci(text: str) -> None:
    nobody = os.open(os.devnull, os.O_WRONLY)
    try:
        Uci(Session(megabytes=1), Writer(nobody)).run(io.BytesIO(text.encode()))
    finally:
        os.close(nobody)


def speak_gtp(text: str) -> None:
    session = GtpSession(Rules("go"))
    for line in text.split("\n"):
        is_interrupt(line)
        if request := parse(line):
            answer(session, request)


def type_at_board(text: str) -> None:
    board = chess.Board()
    if move_of(board, text) is None:
        displayed(text)
        looks_like_move(text)
        ChessDialogue.similar_to(text)
        why_not(board, text)


def record_game(text: str) -> None:
    board = chess.Board()
    for word in text.split():
        board.push_uci(word)
    pgn_text(ChessGame(board), "a", "b", datetime(2026, 1, 1, tzinfo=UTC))


def _file_reader(read: Callable[[Path], object], suffix: str) -> Read:
    def read_text(text: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"file{suffix}")
            path.write_text(text, encoding="utf-8")
            with suppress(ValueError, RecursionError, JournalError):
                read(path)

    read_text.__name__ = suffix
    return read_text


def _read_book(path: Path) -> None:
    book = OpeningSuite.read(path, chess960=False)
    for index in range(len(book.entries)):
        with suppress(ValueError):
            book.opening(index)


read_sgf_file = _file_reader(lambda path: read_sgf(str(path), Rules("go")), ".sgf")
read_weights = _file_reader(load, ".json")
read_journal = _file_reader(lambda path: RunJournal(path, _RUN).close(), ".jsonl")
read_book = _file_reader(_read_book, ".pgn")
read_epd_book = _file_reader(_read_book, ".epd")


_TIMES = 8
_MOST_TIME = 2.5 * _TIMES  # for _TIMES as much text: a quadratic reader takes 64 times as long
_LONG_ENOUGH = 0.04  # seconds, so that ticks and other programs do not matter
_LONG_TEXT = 1 << 18  # characters
_READINGS = 6


@dataclass(frozen=True)
class Shape:
    """A text: `before`, each of `units` repeated, one after the other, and `after`.

    `@` in a unit is the number of the repetition. The shortest text has `size` repetitions.
    """

    read: Read
    before: str
    units: tuple[str, ...]
    after: str = ""
    size: int = 100

    def text(self, size: int) -> str:
        parts = (
            unit * size if "@" not in unit else "".join(unit.replace("@", str(i)) for i in range(size))
            for unit in self.units
        )
        return f"{self.before}{''.join(parts)}{self.after}"


_EVENT = '[Event "?"]\n\n'
_ROUND = "Nf3 Nf6 Ng1 Ng8 "  # moves that can be made again and again
_UCI_ROUND = "g1f3 g8f6 f3g1 f6g8 "
_PLACEMENT = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
_EPD = f"{_PLACEMENT} w KQkq - "
_SGF = "(;GM[1]SZ[19]"
_WEIGHTS = '{"format": "lolli weights", "version": 1, "features": {'
_JOURNAL = '{"run":1}\n'
_UCI_LINES = ("position fen ", "go searchmoves ", "setoption name x value ", "")
_GTP_LINES = ("", "play b ", "set_game tree ", "loadsgf ")

Shapes = Iterator[tuple[str, Shape]]


def _games(read: Read) -> Shapes:
    """What any reader of PGN must bear."""
    yield "headers", Shape(read, "", ('[H@ "x"]\n',), "\ne4 *\n")
    yield "quotes in a header", Shape(read, '[Event "', ('" ',), '"]\n\ne4 *\n')
    yield "moves", Shape(read, _EVENT, (_ROUND,), "*\n", 10)
    yield "comments on a move", Shape(read, f"{_EVENT}e4", (" {a}",), " *\n")
    yield "comments on all moves", Shape(read, _EVENT, (_ROUND.replace(" ", " {a} "),), "*\n", 10)
    yield "comments that are not closed", Shape(read, f"{_EVENT}e4 ", ("{a ",), "*\n")
    yield "NAGs", Shape(read, f"{_EVENT}e4 ", ("$1 ",), "*\n")
    yield "variations of one move", Shape(read, f"{_EVENT}e4 ", ("(d4) ",), "*\n", 50)
    yield "variations in variations", Shape(read, f"{_EVENT}e4 ", ("(d4 ", ")"), " *\n", 50)
    yield "brackets", Shape(read, f"{_EVENT}e4 ", ("(",))
    yield "blanks", Shape(read, f"{_EVENT}e4", (" ",), "*\n")
    yield "games", Shape(read, "", (f"{_EVENT}e4 *\n\n",), "", 20)


def _pgn() -> Shapes:
    for name, read in {"PGN": read_pgn, "book": read_book, "analyse": recognise}.items():
        yield from ((f"{name}: {what}", shape) for what, shape in _games(read))
    told = {"headers", "comments on a move", "variations in variations", "NAGs"}
    yield from ((f"annotate: {what}", shape) for what, shape in _games(annotate_pgn) if what in told)
    yield "annotate: a long game", Shape(annotate_pgn, _EVENT, (_ROUND,), "*\n", 100)
    yield "annotate: again", Shape(annotate_pgn, "e4 ", ("(d4 {[%eval 0.1] [%line 1]}) ",), "e5 *\n", 50)


def _repeated() -> Shapes:
    """A text before, and after, many of each unit."""
    for read, before, after, units in (
        (
            recognise,
            "",
            "",
            ("(", "a/a/a ", "z/", '"', "1.", "\n", "moves ", "e4 {", f"{_EPD}\n", "http://a/b "),
        ),
        (type_at_board, "e4", "a", ("+", "ep", "1.", "O-", "♔")),
        (read_suite, _EPD, "", ("bm e4; ", "a@ 1; ", '"a" ', '"', ";", "é")),
        (read_suite, _EPD, "\\", ("bm e4; ", '"', "1 ")),
        (read_suite, f'{_EPD}c0 "', 'e4=1";', ("e4=1,", "e4=")),
        (read_fen, "", "/8/8/8/8/8/8/8 w - - 0 1", ("p", "8/", "a ")),
        (read_fen, f"{_PLACEMENT} w ", " - 0 1", ("KQkq",)),
        (read_epd_book, _EPD, "", ("0 ",)),
        *((speak_uci, line, "\n", ("a ", "moves ", "wtime 1 ", "1")) for line in _UCI_LINES),
        *((speak_gtp, line, "", ("1", "d4 ", "#", "\x01")) for line in _GTP_LINES),
        (speak_gtp, "set_game tree (", "1)\nshowboard", ("1,", "-+.e/", "[1:")),
        (read_sgf_file, _SGF, ")", (";B[]", "C[x]", "AB[aa:ss]", "(;B[aa])", "(", ";", " ", "[")),
        (read_sgf_file, f"{_SGF}C[", "])", ("x", "\\]", "[")),
        (read_weights, _WEIGHTS, '"f": 1}}', ('"f@": 1, ', '"placement": {"middle": [1]}, ', '"', "[")),
        (read_journal, _JOURNAL, "\n", ('{"a":1}\n', "\n", "[", '{"a')),
    ):
        name = read.__name__
        yield from (
            (f"{name}: {before}{unit!r}{after}", Shape(read, before, (unit,), after)) for unit in units
        )
    yield "analyse: moves", Shape(recognise, "position startpos moves ", (_UCI_ROUND,), "", 10)
    yield "play: record", Shape(record_game, "", (_UCI_ROUND,), "", 10)
    yield "EPD: lines", Shape(read_suite, "", (f"{_EPD}bm e4;\n",), "", 10)
    yield "UCI: moves", Shape(speak_uci, "position startpos moves ", (_UCI_ROUND,), "\n", 30)
    yield "UCI: lines", Shape(speak_uci, "", ("nonsense\n",), "")
    yield "GTP: a game", Shape(speak_gtp, "", ("play b d4\nplay w f6\ngg-undo 2\n",), "", 10)
    yield "GTP: a deep tree", Shape(speak_gtp, "set_game tree ", ("(", "1", ")"))
    yield "SGF: games in games", Shape(read_sgf_file, _SGF, ("(;B[aa]", ")"), ")", 20)


SHAPES = dict(chain(_pgn(), _repeated()))


def assert_time_grows_linearly(read: Read, make: Callable[[int], str], size: int) -> None:
    """Fails where 8 times the text takes far more than 8 times the processor's time.

    The size grows until reading takes long enough to be measured or the text is long. Of several readings of
    each text the fastest counts: other programs can double a time, but never make one shorter.
    """
    read(make(size))
    while (short := _seconds(read, make(size))) < _LONG_ENOUGH and len(make(size)) < _LONG_TEXT:
        size *= 2
    brief, lengthy = make(size), make(_TIMES * size)
    long = _seconds(read, lengthy)
    for _ in range(_READINGS - 1):
        if long <= _MOST_TIME * max(short, _LONG_ENOUGH):
            return
        short, long = min(short, _seconds(read, brief)), min(long, _seconds(read, lengthy))
    assert long <= _MOST_TIME * max(short, _LONG_ENOUGH), f"{long / short:.0f} times as long, size {size}"


def _seconds(read: Read, text: str) -> float:
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        read(text)
        return time.process_time() - began
    finally:
        gc.enable()


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="it is the same reading, a hundred times as slow")
@pytest.mark.parametrize("shape", SHAPES.values(), ids=[*SHAPES])
def test_time_grows_with_the_length(shape: Shape) -> None:
    assert_time_grows_linearly(shape.read, shape.text, shape.size)
