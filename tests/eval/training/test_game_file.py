"""Files of games: byte by byte, there and back, and damaged ones."""

import random
import struct
import zlib
from array import array
from pathlib import Path

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import START_FEN, format_fen, parse_fen
from engine.board.move import QUIET, new_move
from engine.board.notation import parse_move
from eval.training.game_file import (
    GAMES,
    GameFileError,
    GameRecord,
    games,
    is_worth_keeping,
    pack_block,
    pack_game,
    pack_position,
    unpack_position,
)
from tests.engine.board.games import play, standard_boards
from tests.eval.training.record_files import end_of, verify

MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


def game(number: int = 3, texts: tuple[str, ...] = MATE, result: int = -1, ending: int = 0) -> bytes:
    """The bytes of a game from the start position, with scores 10, 11, 12 …"""
    position = parse_fen(START_FEN)
    start = pack_position(position)
    moves = array("H")
    for text in texts:
        moves.append(parse_move(position, text))
        position.advance(moves[-1])
    scores = array("h", range(10, 10 + len(texts)))
    return pack_game(number, result, ending, start, moves.tobytes(), scores.tobytes())


def write(path: Path, *bodies: bytes) -> Path:
    path.write_bytes(GAMES.pack_header({"nodes": 500}) + pack_block(bodies))
    return path


def test_a_file_byte_by_byte() -> None:
    header = GAMES.pack_header({"seed": 1})
    text = b'{"seed": 1}'
    start = b"LolliGms" + struct.pack("<HHI", 2, 0, len(text)) + text
    assert header == start + struct.pack("<I", zlib.crc32(start))
    body = struct.pack("<HBBI", 4, 0, 0, 3)
    body += bytes.fromhex("ffff00000000ffff 13422531 00000000 88888888 9bcaadb9")
    body += struct.pack("<BHBBHB", 0, 0x0707, 255, 0, 1, 0)
    assert len(body) == 40
    f2f3, e7e5, g2g4, d8h4 = 0x054D, 0x1934, 0x178E, 0x07FB
    body += struct.pack("<HhHhHhHh", f2f3, 10, e7e5, 11, g2g4, 12, d8h4, 13)
    assert game() == body + struct.pack("<I", zlib.crc32(body))


@given(board=standard_boards(), seed=st.integers(0, 2**32 - 1), plies=st.integers(0, 60))
def test_positions_come_back(board: chess.Board, seed: int, plies: int) -> None:
    *_, position = play(board, random.Random(seed), plies)
    assert format_fen(unpack_position(pack_position(position))) == format_fen(position)


def test_games_come_back(tmp_path: Path) -> None:
    path = write(tmp_path / "a.games", game(3), game(9, ("e2e4",), 0, 7))
    first, second = games(path)
    assert (first.number, first.result, first.ending, len(first.plies)) == (3, -1, 0, 4)
    assert first.plies["score"].tolist() == pytest.approx([10, 11, 12, 13], abs=4)
    assert (second.number, second.result, second.ending) == (9, 0, 7)
    assert format_fen(end_of(first)).split()[0] == "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR"
    with path.open("rb") as file:
        assert GAMES.read_header(file, "a") == {"nodes": 500}


def header_of(text: bytes) -> bytes:
    head = b"LolliGms" + struct.pack("<HHI", 2, 0, len(text)) + text
    return head + struct.pack("<I", zlib.crc32(head))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a file of games"),
        (b"P" * 100, "not a file of games"),
        (b"LolliGms" + bytes(8), "version 0, not 2"),
        (b"LolliGms" + struct.pack("<HHI", 1, 0, 0), "version 1, not 2"),
        (b"LolliGms" + struct.pack("<HHI", 2, 0, 1 << 31), "description is too long"),
        (GAMES.pack_header({})[:-1] + b"x", "description is damaged"),
        (GAMES.pack_header({})[:-2], "description is damaged"),
        (header_of(b"{"), "description is not JSON"),
        (header_of(b"[" * 50_000), "description is not JSON"),
        (header_of(b"\xff"), "description is not JSON"),
        (header_of(b"[]"), "description is not an object"),
    ],
)
def test_what_is_not_a_file_of_games(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "x.games"
    path.write_bytes(data)
    with pytest.raises(GameFileError, match=reason):
        list(games(path))


def test_an_illegal_move_is_found() -> None:
    record = GameRecord.from_bytes(game())
    plies = record.plies.copy()
    plies["move"][2] = new_move(chess.A2, chess.A6, QUIET)
    with pytest.raises(GameFileError, match="game 3: illegal move at ply 2"):
        end_of(GameRecord(3, -1, 0, record.start, plies))


@pytest.mark.parametrize(
    ("result", "ending", "texts", "reason"),
    [
        (-1, 0, MATE, None),
        (1, 0, MATE, "the result is -?[01], not 1"),
        (0, 7, MATE, "not an ending by too long"),
        (-1, 5, MATE, "not an ending by clear win"),
        (1, 5, MATE[:3], None),
        (0, 1, MATE[:3], "not an ending by stalemate"),
        (1, 7, MATE[:3], "the result is -?[01], not 1"),
        (0, 4, ("g1f3", "g8f6", "f3g1", "f6g8") * 2, None),
        (0, 6, ("g1f3", "g8f6", "f3g1", "f6g8") * 2, "not an ending by clear draw"),
    ],
)
def test_verifying(result: int, ending: int, texts: tuple[str, ...], reason: str | None) -> None:
    record = GameRecord.from_bytes(game(3, texts, result, ending))
    if reason is None:
        verify(record)
    else:
        with pytest.raises(GameFileError, match=reason):
            verify(record)


def test_positions_that_are_kept() -> None:
    """Those after four plies, not in check, with a quiet best move and a moderate score."""
    legal = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5c6", "d7c6", "e1g1")
    record = GameRecord.from_bytes(game(5, legal, 1, 5))
    plies = record.plies.copy()
    plies["score"][8] = 1500
    assert is_worth_keeping(plies).tolist() == [False] * 4 + [True, True, False, False, False]
    assert [(ply, format_fen(position).split()[0]) for ply, position in record.kept()][::2] == [
        (4, "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R"),
        (8, "r1bqkbnr/1pp2ppp/p1p5/4p3/4P3/5N2/PPPP1PPP/RNBQK2R"),
    ]
