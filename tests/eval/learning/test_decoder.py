"""Games to records: against a replay in Python, and what becomes of damaged and illegal games."""

import contextlib
import struct
import zlib

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from engine.board.move import QUIET, new_move
from eval.learning import game_file, records, samples
from eval.learning.decoder import GameDecoder, first_unsound
from eval.learning.game_file import OLD_GAMES, GameFileError, GameRecord, pack_game, pack_position
from eval.learning.records import RECORD, Records
from tests.engine.board.games import boards
from tests.eval.learning.record_files import random_game, record_of, some_records

START = pack_position(parse_fen(chess.STARTING_FEN))


def decode(data: bytes, first: int = 0, room: int | None = None) -> Records:
    """The records of these games."""
    out = np.zeros(len(data) if room is None else room, RECORD)
    end = GameDecoder().decode(memoryview(data), first, records.words(out), 0)
    assert not out[end:].tobytes().strip(b"\0")
    return out[:end]


def replayed(data: bytes) -> Records:
    """The same by the reader of files of games."""
    game = GameRecord.from_bytes(data)
    worth, scores = game_file.is_worth_keeping(game.plies), game.plies["score"].tolist()
    found = [
        record_of(
            position,
            scores[ply],
            1 + (-game.result if position.side else game.result),
            ply,
            game.number,
        )
        for ply, position in enumerate(game.positions())
        if worth[ply] and not position.checkers
    ]
    return np.array(found, RECORD)


@given(board=boards(), seed=st.integers(0, 2**32 - 1), plies=st.integers(0, 90))
def test_records_are_what_a_replay_says(board: chess.Board, seed: int, plies: int) -> None:
    data = random_game(board, seed, plies, seed)
    assert np.array_equal(decode(data), replayed(data))


def test_records_are_the_samples_where_castling_is_as_usual() -> None:
    data = random_game(chess.Board(), 5, 300, 77)
    found, expected = decode(data), samples.of_game(GameRecord.from_bytes(data))
    assert len(found) == len(expected) > 20
    for record, sample in zip(found, expected, strict=True):
        black = sample["state"] & 1
        assert record["score"] == (-sample["score"] if black else sample["score"])
        assert record["result"] == 1 + (-sample["result"] if black else sample["result"])
        assert (record["ply"], record["game"]) == (min(sample["ply"], 255), sample["game"])
        assert record["occupied"].bit_count() == sample["occupied"].bit_count()
        if not black:
            assert record["occupied"] == sample["occupied"]
            assert record["pieces"].tolist() == sample["pieces"].tolist()


def test_several_games_and_a_piece_of_one() -> None:
    first, second = random_game(chess.Board(), 1, 60, 3), random_game(chess.Board(), 2, 60, 4)
    header = OLD_GAMES.pack_header({"seed": 1})
    decoder = GameDecoder()
    out = np.zeros(200, RECORD)
    data = header + first + second + first[:-1]
    end = decoder.decode(memoryview(data), len(header), records.words(out), 5)
    assert (decoder.games, decoder.plies, decoder.end) == (2, 120, len(data) - len(first) + 1)
    assert np.array_equal(out[5:end], np.concatenate([replayed(first), replayed(second)]))
    assert not out[:5].tobytes().strip(b"\0")


@pytest.mark.parametrize("length", range(0, 90, 7))
def test_a_game_cut_short_counts_as_not_written(length: int) -> None:
    whole = random_game(chess.Board(), 1, 30, 3)
    assert len(decode(whole + random_game(chess.Board(), 2, 30, 4)[:length])) == len(replayed(whole))


@given(place=st.integers(2, 43), mask=st.integers(1, 255))
def test_a_damaged_game_is_refused(place: int, mask: int) -> None:
    data = bytearray(random_game(chess.Board(), 1, 30))
    data[place] ^= mask
    with pytest.raises(GameFileError, match="the game at byte 0: is damaged"):
        decode(bytes(data))


def game_of(start: bytes, *moves: int) -> bytes:
    """The bytes of a game."""
    scores = struct.pack(f"<{len(moves)}h", *(0 for _ in moves))
    return pack_game(1, 0, 7, start, struct.pack(f"<{len(moves)}H", *moves), scores)


@given(moves=st.lists(st.integers(0, 65535), min_size=1, max_size=4))
def test_moves_are_legal_or_refused(moves: list[int]) -> None:
    data = game_of(START, *moves)
    try:
        list(GameRecord.from_bytes(data).positions())
    except GameFileError:
        with pytest.raises(GameFileError, match="illegal move at ply"):
            decode(data)
    else:
        decode(data)


def test_where_an_illegal_move_stands_is_told() -> None:
    good = random_game(chess.Board(), 1, 30)
    data = good + game_of(START, new_move(chess.A2, chess.A3, QUIET), new_move(chess.A2, chess.A3, QUIET))
    with pytest.raises(GameFileError, match=f"the game at byte {len(good)}: illegal move at ply 1"):
        decode(data)


def with_start(fen: str, at: int = 0, value: int = 0) -> bytes:
    """A start position in which a byte is changed, if `at` is not 0."""
    start = bytearray(pack_position(parse_fen(fen)))
    if at:
        start[at] = value
    return bytes(start)


KINGS = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
ROOKS = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PASSED = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"


@pytest.mark.parametrize(
    "start",
    [
        with_start(KINGS)[:8] + bytes(24),  # pawns instead of kings
        b"\xff" * 8 + bytes(24),  # 64 men
        with_start(KINGS, 8, 0xDD),
        with_start(KINGS, 8, 0x55),  # two kings of one colour
        with_start(KINGS, 8, 0x65),  # no kind of piece
        with_start(KINGS, 8, 0xF5),
        with_start("4k3/8/8/8/8/8/4Q3/K7 b - - 0 1", 24, 0),  # the king can be taken
        with_start("4k3/8/8/8/8/8/8/P3K3 w - - 0 1".replace("P", "N"), 8, 0x50),  # a pawn on the first rank
        with_start(KINGS, 25, 0xF7),  # castling without a rook
        with_start(ROOKS, 25, 0x70),  # the rooks of the wrong sides
        with_start("r3k2r/8/8/8/8/8/4K3/R6R w kq - 0 1", 25, 0x07),  # the king is elsewhere
        with_start(PASSED, 27, 44),  # nothing has passed there
        with_start(PASSED, 27, 19),
        with_start(PASSED, 27, 64),
    ],
)
def test_starts_that_are_not_positions(start: bytes) -> None:
    with pytest.raises(GameFileError, match="does not start from a position"):
        decode(game_of(start))


@given(start=st.binary(min_size=32, max_size=32), moves=st.lists(st.integers(0, 65535), max_size=3))
def test_whatever_stands_there_is_refused_or_played(start: bytes, moves: list[int]) -> None:
    with contextlib.suppress(GameFileError):
        decode(game_of(start, *moves))


@given(
    board=boards(),
    changes=st.lists(st.tuples(st.integers(8, 39), st.integers(0, 255)), min_size=1, max_size=3),
)
def test_changed_starts_are_refused_or_played(board: chess.Board, changes: list[tuple[int, int]]) -> None:
    """The moves of the game are then illegal, or all is well."""
    data = bytearray(random_game(board, 1, 30))
    for place, value in changes:
        data[place] = value
    data[-4:] = struct.pack("<I", zlib.crc32(bytes(data[:-4])))
    with contextlib.suppress(GameFileError):
        decode(bytes(data))


def test_a_result_that_there_is_not() -> None:
    data = bytearray(random_game(chess.Board(), 1, 30))
    data[2] = 3
    data[-4:] = struct.pack("<I", zlib.crc32(bytes(data[:-4])))
    with pytest.raises(GameFileError, match="has no result"):
        decode(bytes(data))


def test_too_little_room() -> None:
    data = random_game(chess.Board(), 5, 300)
    with pytest.raises(GameFileError, match="has more positions than expected"):
        decode(data, room=3)


def test_records_that_a_network_can_be_asked_about() -> None:
    assert first_unsound(records.words(some_records(50))) == -1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("occupied", 2**64 - 1),
        ("occupied", 0),
        ("pieces", 0x55),
        ("pieces", 0x66),
        ("pieces", 0),
        ("result", 3),
    ],
)
def test_records_that_are_not_of_a_position(field: str, value: int) -> None:
    found = some_records(5)
    found[field][3] = value
    assert first_unsound(records.words(found)) == 3
