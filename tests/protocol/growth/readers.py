"""How a text of each format is read; a text that is refused counts as read."""

import io
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import chess

from engine.board.fen import parse_fen
from engine.games.catalogue import Rules
from engine.search.limits import Limits
from engine.session import Session
from eval.weight_file import load
from lolli.cli.analysis import AnalystSettings
from lolli.cli.analysis.notation import displayed, looks_like_move, move_of, why_not
from lolli.cli.analysis.recognition import recognise_text
from lolli.cli.annotator import AnnotationOptions, annotated
from lolli.cli.pgn import RawGame, raw_games
from lolli.cli.pgn.game_reader import read_game, written
from lolli.cli.playing.chess import ChessDialogue, ChessGame, pgn_text
from lolli.cli.runs import do_game, job_of
from lolli.cli.suites import parse_position, suite_lines
from protocol.gtp.commands import answer
from protocol.gtp.parser import is_interrupt, parse
from protocol.gtp.session import GtpSession
from protocol.gtp.sgf import read_sgf
from protocol.uci.dialogue import Uci
from protocol.writer import Writer
from scripts.laboratory.journal import Journal, JournalError
from scripts.laboratory.long_run import RunJournal as MatchJournal
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


def report_pgn(text: str) -> None:
    from lolli.cli.given_file import BadInputError  # noqa: PLC0415 - takes long to load
    from lolli.cli.report import select_game  # noqa: PLC0415
    from lolli.cli.reports.page import page_of  # noqa: PLC0415
    from lolli.cli.reports.story import has_scores  # noqa: PLC0415

    with suppress(BadInputError):
        game, _ = select_game(io.BytesIO(text.encode()), None)
        has_scores(game)
        page_of(game)


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

    return read_text


def _read_book(path: Path) -> None:
    book = OpeningSuite.read(path, chess960=False)
    for index in range(len(book.entries)):
        with suppress(ValueError):
            book.opening(index)


read_sgf_file = _file_reader(lambda path: read_sgf(str(path), Rules("go")), ".sgf")
read_weights = _file_reader(load, ".json")
read_journal = _file_reader(lambda path: Journal(path, _RUN).close(), ".journal")
read_match_journal = _file_reader(lambda path: MatchJournal(path, _RUN).close(), ".jsonl")
read_book = _file_reader(_read_book, ".pgn")
read_epd_book = _file_reader(_read_book, ".epd")
