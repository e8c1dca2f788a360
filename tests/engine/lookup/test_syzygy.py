"""Endgame tables: what they say of a position, and files that are missing or damaged."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import chess
import chess.syzygy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.lookup.syzygy import SyzygyTables
from engine.search.constants import MATE
from engine.search.report import REPORTED_EDGE, REPORTED_WIN, Verdict
from tests.engine.lookup.endings import FOLDER, WHOLE, needs_tables, random_board

LONG_WIN = "8/8/8/8/8/4k3/8/KBN5 w - - {} 1"  # bishop and knight: a DTZ of 60


@pytest.fixture(scope="module")
def base() -> Iterator[chess.syzygy.Tablebase]:
    """The same tables, read without us."""
    with chess.syzygy.open_tablebase(str(FOLDER)) as opened:
        yield opened


@pytest.fixture(scope="module")
def tables() -> SyzygyTables:
    return SyzygyTables([str(FOLDER)])


def verdict(tables: SyzygyTables, fen: str) -> Verdict | None:
    position = parse_fen(fen)
    return tables.verdict(position, legal_moves(position), lambda: False)


def found(tables: SyzygyTables, fen: str) -> Verdict:
    told = verdict(tables, fen)
    assert told is not None, fen
    return told


def distances(base: chess.syzygy.Tablebase, board: chess.Board) -> dict[str, int]:
    """The DTZ after each move from the point of view of who moved; a mate is 0."""
    result = {}
    for move in board.legal_moves:
        board.push(move)
        result[move.uci()] = 0 if board.is_checkmate() else -base.probe_dtz(board)
        board.pop()
    return result


@needs_tables
@pytest.mark.parametrize("name", WHOLE)
def test_best_moves_of_random_positions(
    name: str, tables: SyzygyTables, base: chess.syzygy.Tablebase
) -> None:
    chooser = Random(name)
    for _ in range(6):
        board = random_board(name, chooser)
        told = found(tables, board.fen())
        best = [move_text(move) for move in told.best]
        result = base.probe_wdl(board)
        assert {told.values[move] for move in told.best} == {
            REPORTED_WIN * (result > 0) - REPORTED_WIN * (result < 0)
        }
        assert set(told.values) == {*told.best, *told.others} == set(legal_moves(parse_fen(board.fen())))
        assert told.hits > 0
        for text in best:
            board.push_uci(text)
            assert -base.probe_wdl(board) == result
            if result > 0 and not board.is_checkmate():
                distance = base.probe_dtz(board)
                board.pop()
                assert -distance < base.probe_dtz(board) or board.is_zeroing(chess.Move.from_uci(text))
            else:
                board.pop()


@needs_tables
def test_of_winning_moves_those_that_are_nearest(tables: SyzygyTables, base: chess.syzygy.Tablebase) -> None:
    fen = "8/8/8/8/8/4k3/8/K6R w - - 0 1"
    after = distances(base, chess.Board(fen))
    nearest = min(distance for distance in after.values() if distance > 0)
    told = found(tables, fen)
    assert {move_text(move) for move in told.best} == {
        text for text, distance in after.items() if distance == nearest
    }
    values = [told.values[move] for move in told.others]
    assert values == sorted(values, reverse=True)


@needs_tables
@pytest.mark.parametrize(
    ("fen", "best"),
    [
        ("8/8/8/8/4k3/8/4P3/4K3 b - - 0 1", 0),  # a draw: who stands before the pawn holds
        ("k7/8/1K6/8/8/8/8/7R w - - 0 1", REPORTED_WIN),
        ("k7/8/1K6/8/8/8/8/7R b - - 0 1", -REPORTED_WIN),
        ("8/8/8/8/8/2k5/1r6/K6Q b - - 0 1", None),  # queen against rook: there is no such table
    ],
)
def test_values(tables: SyzygyTables, fen: str, best: int | None) -> None:
    told = verdict(tables, fen)
    assert (told and told.values[told.best[0]]) == best


@needs_tables
def test_mate_comes_first(tables: SyzygyTables) -> None:
    told = found(tables, "k7/8/1K6/8/8/8/8/7R w - - 0 1")
    assert [move_text(move) for move in told.best] == ["h1h8"]
    told = found(tables, "k7/8/1K6/8/8/8/8/7R w - - 99 90")
    assert [move_text(move) for move in told.best] == ["h1h8"]
    assert told.values[told.best[0]] == REPORTED_WIN
    assert {told.values[move] for move in told.others} == {0}


@needs_tables
def test_fifty_move_rule(tables: SyzygyTables) -> None:
    assert found(tables, LONG_WIN.format(0)).values[found(tables, LONG_WIN.format(0)).best[0]] == REPORTED_WIN
    late = found(tables, LONG_WIN.format(70))
    assert {late.values[move] for move in late.best} == {REPORTED_EDGE}
    assert late.best == found(tables, LONG_WIN.format(0)).best
    tables.fifty_moves = False
    try:
        assert found(tables, LONG_WIN.format(70)).values[late.best[0]] == REPORTED_WIN
    finally:
        tables.fifty_moves = True


@needs_tables
def test_who_loses_holds_out_where_the_rule_saves(tables: SyzygyTables, base: chess.syzygy.Tablebase) -> None:
    fen = LONG_WIN.replace(" w ", " b ")
    after = distances(base, chess.Board(fen.format(0)))
    saved = found(tables, fen.format(70))
    assert {saved.values[move] for move in saved.best} == {-REPORTED_EDGE}
    assert [after[move_text(move)] for move in saved.best] == [min(after.values())] * len(saved.best)
    lost = found(tables, fen.format(0))
    assert len(lost.best) == len(after)


@needs_tables
def test_a_third_repetition_is_no_win(tables: SyzygyTables) -> None:
    position = parse_fen("8/8/8/8/8/4k3/8/K6R w - - 0 1")
    for text in ("h1g1", "e3e4", "g1h1", "e4e3") * 2:
        position.advance(next(move for move in legal_moves(position) if move_text(move) == text))
    told = tables.verdict(position, legal_moves(position), lambda: False)
    assert told is not None
    values = {move_text(move): value for move, value in told.values.items()}
    assert values.pop("h1g1") == 0
    assert values["h1h2"] == REPORTED_WIN


@needs_tables
def test_what_no_table_knows(tables: SyzygyTables) -> None:
    assert verdict(tables, "r3k3/8/8/8/8/8/8/4K3 b q - 0 1") is None
    assert verdict(tables, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1") is None
    position = parse_fen("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    assert tables.verdict(position, [], lambda: False) is None
    assert tables.verdict(position, legal_moves(position), lambda: True) is None
    assert tables.damage() == ""


@needs_tables
def test_results_without_distances(tmp_path: Path, base: chess.syzygy.Tablebase) -> None:
    shutil.copy(FOLDER / "KRvK.rtbw", tmp_path)
    fen = "8/8/8/8/8/4k3/8/K6R w - - 0 1"
    told = found(SyzygyTables([str(tmp_path)]), fen)
    after = distances(base, chess.Board(fen))
    assert {move_text(move) for move in told.best} == {text for text, value in after.items() if value > 0}


@needs_tables
def test_a_table_that_is_missing_after_a_promotion(tmp_path: Path) -> None:
    for kind in ("rtbw", "rtbz"):
        shutil.copy(FOLDER / f"KPvK.{kind}", tmp_path)
    tables = SyzygyTables([str(tmp_path)])
    assert verdict(tables, "8/P6k/8/8/8/8/8/K7 w - - 0 1") is None
    assert verdict(tables, "8/7k/8/8/8/P7/8/K7 b - - 0 1") is not None
    assert tables.damage() == ""


def test_folders_that_hold_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "readme.rtbw").touch()
    tables = SyzygyTables([str(tmp_path / "missing"), str(tmp_path / "file"), str(tmp_path), "a\0b"])
    assert tables.results == []
    assert tables.summary == (
        f"no tables; {tmp_path}/missing: no such folder; {tmp_path}/file: cannot be read:"
        f" Not a directory; {tmp_path}: no Syzygy tables and 1 more"
    )
    assert verdict(tables, "k7/8/1K6/8/8/8/8/7R w - - 0 1") is None


@needs_tables
@pytest.mark.parametrize(
    ("left", "reason"),
    [
        (slice(0, 0), "an empty file"),
        (slice(0, -1), "incomplete"),
        (slice(64, None), "not a Syzygy table"),
    ],
)
def test_damage_that_shows_at_once(tmp_path: Path, left: slice, reason: str) -> None:
    for kind in ("rtbw", "rtbz"):
        shutil.copy(FOLDER / f"KRvK.{kind}", tmp_path)
    path = tmp_path / "KRvK.rtbz"
    path.write_bytes(path.read_bytes()[left])
    tables = SyzygyTables([str(tmp_path)])
    assert tables.summary == f"1 ending of up to 3 pieces; {path}: {reason}"
    assert verdict(tables, "8/8/8/8/8/4k3/8/K6R w - - 0 1") is not None


@needs_tables
@pytest.mark.parametrize(("name", "place"), [("KRvK.rtbw", 6), ("KRvK.rtbz", 7), ("KRPvK.rtbw", 22)])
def test_pieces_that_are_not_there(tmp_path: Path, name: str, place: int) -> None:
    """python-chess would look for them for ever."""
    path = tmp_path / name
    data = bytearray((FOLDER / name).read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    assert SyzygyTables([str(tmp_path)]).summary == f"no tables; {path}: damaged"


def test_pieces_in_the_other_colours_for_black(tmp_path: Path) -> None:
    """Each side names the pieces of KBNvK, but not in the same colours: python-chess would look for ever."""
    path = tmp_path / "KBNvK.rtbw"
    path.write_bytes(bytes.fromhex("71e8235d 00 48 e6b3a26e").ljust(2064, b"\0"))
    tables = SyzygyTables([str(tmp_path)])
    assert tables.summary == f"no tables; {path}: damaged"
    assert verdict(tables, "8/8/8/8/8/4k3/8/KBN5 w - - 0 1") is None


@needs_tables
@given(
    st.sampled_from(["rtbw", "rtbz"]),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=40),
)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damage_that_shows_later(tmp_path: Path, kind: str, changes: list[tuple[float, int]]) -> None:
    """Nothing is promised of a damaged table, but the game goes on, with a line that names the file."""
    for each in ("rtbw", "rtbz"):
        shutil.copy(FOLDER / f"KRvK.{each}", tmp_path)
    path = tmp_path / f"KRvK.{kind}"
    data = bytearray(path.read_bytes())
    for place, value in changes:
        data[4 + int(place * (len(data) - 4))] = value
    path.write_bytes(data)
    tables = SyzygyTables([str(tmp_path)])
    for fen in ("8/8/8/8/8/4k3/8/K6R w - - 0 1", "8/8/8/8/8/4k3/8/K6R b - - 0 1"):
        position = parse_fen(fen)
        told = verdict(tables, fen)
        damage = tables.damage()
        assert "\n" not in damage
        assert not damage or str(path) in damage
        assert tables.damage() == ""
        if told is not None:
            assert set(told.best) <= set(legal_moves(position))
            assert told.best


def test_scores_shown() -> None:
    told = Verdict(
        best=(1, 2), others=(3, 4), values={1: REPORTED_WIN, 2: REPORTED_EDGE, 3: 0, 4: -REPORTED_WIN}, hits=9
    )
    assert told.score(1, 300) == (REPORTED_WIN, True)
    assert told.score(1, MATE - 5) == (MATE - 5, False)
    assert told.score(1, 5 - MATE) == (REPORTED_WIN, True)
    assert told.score(2, 300) == (REPORTED_EDGE, True)
    assert told.score(2, MATE - 5) == (MATE - 5, False)
    assert told.score(2, 6 - MATE) == (REPORTED_EDGE, True)
    assert told.score(3, MATE - 5) == (0, True)
    assert told.score(3, 300) == (0, True)
    assert told.score(4, 6 - MATE) == (6 - MATE, False)
    assert told.score(4, 300) == (-REPORTED_WIN, True)
