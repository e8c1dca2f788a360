"""Endings whose tables tests ask, and positions that these know."""

import os
from pathlib import Path
from random import Random

import chess
import chess.syzygy
import pytest

from engine.lookup import fathom
from tests.compiled import ROOT

FOLDER = Path(os.environ.get("LOLLI_TEST_SYZYGY") or ROOT / "tests" / "data" / "syzygy")
"""Real tables. Where the folder lacks them, tests skip what needs them."""

WHOLE = ("KQvK", "KRvK", "KBNvK", "KQvKQ", "KRvKR", "KRvKB")
"""Endings of which all tables that a game can lead to may be there: none of them has a pawn."""
NAMES = (*WHOLE, "KPvK", "KPPvK", "KQPvK", "KRPvK")
FILES = (*NAMES, "KBvK", "KNvK")  # the endings whose tables stand in FOLDER, and no others

needs_tables = pytest.mark.skipif(
    not all((FOLDER / f"{name}.{kind}").is_file() for name in FILES for kind in ("rtbw", "rtbz")),
    reason=f"no Syzygy tables in {FOLDER}",
)


def _has_fathom() -> bool:
    try:
        fathom.installed()
    except fathom.FathomError:
        return False
    return True


HAS_FATHOM = _has_fathom()
AT_THE_ROOT = "; asked at the root only: Fathom is not installed (libfathom.so.1)"
AS_ASKED = "" if HAS_FATHOM else AT_THE_ROOT  # what the line about tables ends with on this machine

needs_fathom = pytest.mark.skipif(
    not HAS_FATHOM and "LOLLI_REQUIRE_FATHOM" not in os.environ, reason="no Fathom (libfathom.so.1)"
)


def boards(name: str, count: int, base: chess.syzygy.Tablebase, wanted: int) -> list[chess.Board]:
    """Random positions that the tables know, with a result for the side to move, in each run the same."""
    chooser, found = Random(f"{name} {wanted}"), list[chess.Board]()
    while len(found) < count:
        board = random_board(name, chooser)
        if base.get_dtz(board) is not None and base.probe_wdl(board) == wanted:
            found.append(board)
    return found


def random_board(name: str, chooser: Random) -> chess.Board:
    """A legal position of an ending in which there is a move, either side to move and to have more."""
    white, black = name.split("v")
    pieces = [chess.Piece.from_symbol(symbol) for symbol in white + black.lower()]
    colour = chooser.random() < 0.5
    while True:
        board = chess.Board(None)
        for square, piece in zip(chooser.sample(range(64), len(pieces)), pieces, strict=True):
            board.set_piece_at(square, piece if colour else chess.Piece(piece.piece_type, not piece.color))
        board.turn = chooser.random() < 0.5
        if board.is_valid() and any(board.legal_moves):
            return board
