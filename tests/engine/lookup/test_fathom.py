"""Fathom: the same results as python-chess's, files that are damaged, and who uses the library."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import chess
import chess.syzygy
import pytest

from engine.board.fen import parse_fen
from engine.lookup import fathom
from engine.lookup.fathom import Fathom, FathomError
from engine.lookup.library import Library
from engine.search.constants import TABLEBASE_WIN, UNKNOWN
from tests.compiled import ROOT
from tests.engine.lookup.endings import (
    AT_THE_ROOT,
    FILES,
    FOLDER,
    NAMES,
    needs_fathom,
    needs_tables,
    random_board,
)

pytestmark = [needs_tables, needs_fathom]

TABLES = sorted(FOLDER.glob("*.rtbw"))
EN_PASSANT = ROOT / "tests" / "data" / "syzygy_en_passant"
PLY = 3
SCORES = {2: TABLEBASE_WIN - PLY, 1: 2, 0: 0, -1: -2, -2: PLY - TABLEBASE_WIN, None: UNKNOWN}


@pytest.fixture
def base() -> Iterator[chess.syzygy.Tablebase]:
    with chess.syzygy.open_tablebase(str(FOLDER)) as opened:
        yield opened


@pytest.fixture
def loaded() -> Iterator[Fathom]:
    opened = Fathom(TABLES)
    yield opened
    opened.close()


@pytest.mark.parametrize("count", [300, pytest.param(5000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FILES)
def test_results_are_those_of_python_chess(
    name: str, count: int, loaded: Fathom, base: chess.syzygy.Tablebase
) -> None:
    """Random positions of an ending have the same result, or are missing."""
    prober, chooser = loaded.prober(7), Random(name)
    for _ in range(count):
        board = random_board(name, chooser)
        assert prober.score(parse_fen(board.fen()), PLY) == SCORES[base.get_wdl(board)], board.fen()


def en_passant_board(chooser: Random) -> chess.Board:
    """A position of king and pawn against king and pawn in which one pawn can take the other en passant."""
    while True:
        board = chess.Board(None)
        board.turn = chooser.random() < 0.5
        rank = 4 if board.turn else 3
        file = chooser.randrange(7)
        files = (file, file + 1) if chooser.random() < 0.5 else (file + 1, file)
        pawns = [chess.square(each, rank) for each in files]
        kings = chooser.sample([square for square in range(64) if square not in pawns], 2)
        for colour, pawn, king in zip(chess.COLORS, pawns, kings, strict=True):
            board.set_piece_at(pawn, chess.Piece(chess.PAWN, colour))
            board.set_piece_at(king, chess.Piece(chess.KING, colour))
        board.ep_square = pawns[1] + 8 if board.turn else pawns[0] - 8
        if board.is_valid() and board.has_legal_en_passant():
            return board


def test_en_passant(base: chess.syzygy.Tablebase) -> None:
    base.add_directory(str(EN_PASSANT))
    loaded = Fathom([FOLDER / "KPvK.rtbw", EN_PASSANT / "KPvKP.rtbw"])
    prober, chooser, matters = loaded.prober(7), Random(1), 0
    for _ in range(1000):
        board = en_passant_board(chooser)
        result = base.probe_wdl(board)
        assert prober.score(parse_fen(board.fen()), PLY) == SCORES[result], board.fen()
        board.ep_square = None
        matters += any(board.legal_moves) and base.probe_wdl(board) != result
    loaded.close()
    assert matters > 100


def test_tables_that_are_missing(loaded: Fathom) -> None:
    """Here or after a capture; the kings alone need none."""
    for fen, score in (
        ("8/8/8/8/8/2k5/1r6/K6Q b - - 0 1", UNKNOWN),
        ("8/8/8/8/8/2k5/1rP5/K7 w - - 0 1", UNKNOWN),
        ("8/8/8/8/8/2k5/8/K7 w - - 0 1", 0),
    ):
        assert loaded.prober(7).score(parse_fen(fen), PLY) == score


def test_one_user_at_a_time(loaded: Fathom) -> None:
    assert loaded.men == 4
    assert [loaded.prober(most).men for most in (0, 3, 4, 7)] == [0, 3, 4, 4]
    with pytest.raises(FathomError, match="another engine in this process"):
        Fathom(TABLES)
    loaded.close()
    with_three_men = Fathom([path for path in TABLES if len(path.stem) == 4])
    assert with_three_men.men == 3
    with_three_men.close()
    with_three_men.close()


def test_a_prober_keeps_it() -> None:
    prober = Fathom(TABLES).prober(7)
    with pytest.raises(FathomError, match="another engine"):
        Fathom(TABLES)
    assert prober.score(parse_fen("8/8/8/8/8/4k3/8/K6R w - - 0 1"), PLY) == TABLEBASE_WIN - PLY
    del prober
    Fathom(TABLES).close()


def test_damaged_tables_are_left_out(tmp_path: Path, base: chess.syzygy.Tablebase) -> None:
    """Some would end the process, and some make it read what is not theirs."""
    for path in TABLES:
        shutil.copy(path, tmp_path)
    damaged = []
    for name, place, byte in (("KRvK", 16, 0xFF), ("KQvKQ", 12, 0xFF), ("KPvK", 20, 0x55)):
        path = tmp_path / f"{name}.rtbw"
        data = bytearray(path.read_bytes())
        data[place:] = bytes([byte]) * (len(data) - place)
        path.write_bytes(data)
        damaged.append(path)
    tables = sorted(tmp_path.iterdir())
    loaded = Fathom(tables)
    try:
        assert sorted(loaded.damaged) == sorted(damaged)
        for name in ("KRvKR", "KPPvK", "KBNvK"):
            board = random_board(name, Random(name))
            score = loaded.prober(7).score(parse_fen(board.fen()), PLY)
            assert score in {SCORES[base.get_wdl(board)], UNKNOWN}
        assert loaded.prober(7).score(parse_fen("8/8/8/8/8/4k3/8/K6R w - - 0 1"), PLY) == UNKNOWN
    finally:
        loaded.close()


def test_nothing_but_damage(tmp_path: Path) -> None:
    path = tmp_path / "KRvK.rtbw"
    path.write_bytes((FOLDER / path.name).read_bytes()[:16] + b"\xff" * 1000)
    loaded = Fathom([path])
    assert (loaded.damaged, loaded.men) == ([path], 0)
    assert loaded.prober(7).men == 0
    loaded.close()


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fathom, "NAMES", ("libfathom-nowhere.so", "libm.so.6"))
    library = Library()
    line = library.load_tables(str(FOLDER))
    assert line == f"{len(NAMES) + 2} endings of up to 4 pieces{AT_THE_ROOT}".replace(
        "libfathom.so.1", "libfathom-nowhere.so"
    )
    assert library.tables is not None
    assert library.prober().men == 0
    library.close()


def test_no_other_process_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(FathomError, match="cannot be tried in another process"):
        Fathom(TABLES)
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(FathomError, match="No such file or directory"):
        Fathom(TABLES)


def test_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mmap.mmap", lambda *_: (_ for _ in ()).throw(OSError(12, "no")))
    with pytest.raises(FathomError, match="no room for 0 MiB in the address space"):
        Fathom(TABLES)
    monkeypatch.undo()
    Fathom(TABLES).close()
