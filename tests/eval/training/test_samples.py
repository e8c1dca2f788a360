"""Records of positions, against what python-chess says of the same positions."""

import random
import struct
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import format_fen, parse_fen
from engine.board.position import Position
from eval.training.samples import SAMPLE, files, pack, read, unpack
from tests.engine.board.games import play, standard_boards

COLOURS = {chess.WHITE: 0, chess.BLACK: 8}
RIGHTS = {chess.BB_H1: 2, chess.BB_A1: 4, chess.BB_H8: 8, chess.BB_A8: 16}


def sample(fen: str = chess.STARTING_FEN, game: int = 0) -> np.void:
    """A record of a position about which nothing else is of interest."""
    return pack(parse_fen(fen), 0, 0, 0, game)


def write(path: Path, games: range, rest: bytes = b"") -> Path:
    """A file with a record for each of these games, and some bytes after them."""
    path.write_bytes(b"".join(sample(game=game).tobytes() for game in games) + rest)
    return path


def test_a_record_takes_34_bytes() -> None:
    assert SAMPLE.itemsize == 34


def test_the_start_position_byte_by_byte() -> None:
    record = pack(parse_fen(chess.STARTING_FEN), -300, 1, 258, 70000)
    expected = bytes.fromhex("ffff00000000ffff 13422531 00000000 88888888 9bcaadb9")
    expected += struct.pack("<hbBHI", -300, 1, 0b11110, 258, 70000)
    assert record.tobytes() == expected


@given(board=standard_boards(), seed=st.integers(0, 2**32 - 1), plies=st.integers(0, 40))
def test_a_record_says_what_python_chess_says(board: chess.Board, seed: int, plies: int) -> None:
    *_, position = play(board, random.Random(seed), plies)
    record = pack(position, 7, -1, plies, seed)
    assert record["occupied"] == board.occupied
    halves = [half for byte in record["pieces"].tolist() for half in (byte & 15, byte >> 4)]
    pieces = [piece for _, piece in sorted(board.piece_map().items())]
    assert halves[: len(pieces)] == [COLOURS[piece.color] + piece.piece_type - 1 for piece in pieces]
    assert not any(halves[len(pieces) :])
    rights = sum(value for rook, value in RIGHTS.items() if board.clean_castling_rights() & rook)
    assert record["state"] == rights + (board.turn == chess.BLACK)
    assert (record["score"], record["result"], record["ply"], record["game"]) == (7, -1, plies, seed)


@given(board=standard_boards(), seed=st.integers(0, 2**32 - 1), plies=st.integers(0, 40))
def test_a_record_gives_the_position_back(board: chess.Board, seed: int, plies: int) -> None:
    *_, position = play(board, random.Random(seed), plies)
    again = unpack(pack(position, 0, 0, 0, 0))
    pieces, side, castling, en_passant, halfmoves, _ = format_fen(again).split()
    assert [pieces, side, castling] == board.fen().split()[:3]
    assert (en_passant, halfmoves) == ("-", "0")
    assert again.pawn_key == position.pawn_key


@pytest.mark.parametrize("numbers", [(1 << 15, 0, 0, 0), (0, 128, 0, 0), (0, 0, 1 << 16, 0), (0, 0, 0, -1)])
def test_numbers_that_do_not_fit(numbers: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="not a sample"):
        pack(parse_fen(chess.STARTING_FEN), *numbers)


def test_more_pieces_than_a_game_has() -> None:
    crowd = [0] * 33 + [7] * 29 + [5, 13]
    with pytest.raises(ValueError, match="more than 32 pieces"):
        pack(Position.set_up(crowd, 0), 0, 0, 0, 0)


@pytest.mark.parametrize(("field", "value"), [("occupied", 2**64 - 1), ("occupied", 0), ("pieces", 0x11)])
def test_records_of_no_position(field: str, value: int) -> None:
    records = np.array([sample()])
    records[field] = value
    with pytest.raises(ValueError, match=r"at most 32 pieces|one king each|castling right"):
        unpack(records[0])


@pytest.mark.parametrize("piece", [6, 7, 14, 15])
def test_records_with_a_piece_that_there_is_not(piece: int) -> None:
    record = pack(parse_fen("8/8/8/8/8/8/8/KN5k w - - 0 1"), 0, 0, 0, 0)
    assert format_fen(unpack(record)) == "8/8/8/8/8/8/8/KN5k w - - 0 1"
    records = np.array([record])
    records["pieces"][0, 0] = records["pieces"][0, 0] & 15 | piece << 4
    with pytest.raises(ValueError, match="unknown piece"):
        unpack(records[0])


@pytest.mark.parametrize("square", [1, 6, 57, 62])
def test_records_with_a_pawn_where_none_can_be(square: int) -> None:
    board = chess.Board("7K/8/8/8/8/8/8/k7 w - - 0 1")
    board.set_piece_at(square, chess.Piece.from_symbol("N"))
    records = np.array([pack(parse_fen(board.fen()), 0, 0, 0, 0)])
    packed = sum(piece << 4 * place for place, piece in enumerate((8 + 5, 0, 5)))  # in the order of squares
    records["pieces"][0, :] = list(packed.to_bytes(16, "little"))
    with pytest.raises(ValueError, match="a pawn on the first or last rank"):
        unpack(records[0])


@pytest.mark.parametrize("right", range(4))
def test_records_with_a_right_to_castle_without_its_rook(right: int) -> None:
    record = pack(parse_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), 0, 0, 0, 0)
    records = np.array([record])
    records["state"] = 2 << right
    with pytest.raises(ValueError, match="castling right"):
        unpack(records[0])


def test_reading_files_and_folders(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    write(folder / "block-00001.samples", range(3, 5))
    write(folder / "block-00000.samples", range(3))
    write(folder / "block-00002.samples.new", range(9))
    (folder / "selfplay.jsonl").write_text("{}")
    single = write(tmp_path / "single.samples", range(5, 6))
    assert [path.name for path in files([folder])] == ["block-00000.samples", "block-00001.samples"]
    assert read([folder, single])["game"].tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("length", range(34))
def test_a_record_cut_short_counts_as_not_written(tmp_path: Path, length: int) -> None:
    path = write(tmp_path / "a.samples", range(2), sample().tobytes()[:length])
    assert read([path])["game"].tolist() == [0, 1]
    short = write(tmp_path / "b.samples", range(0), sample().tobytes()[:length])
    assert len(read([short])) == 0


def test_reading_nothing() -> None:
    assert read([]).dtype == SAMPLE
    assert len(read([])) == 0


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read([tmp_path / "none.samples"])
