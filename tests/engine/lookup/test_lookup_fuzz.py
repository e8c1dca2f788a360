"""Damaged books and tables: refused with a line that names the file, or read for what is in them."""

import struct
import time
from pathlib import Path
from random import Random

import chess
import chess.polyglot
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.lookup.book import STANDARD, Book, BookError
from engine.lookup.syzygy import SyzygyTables
from tests.engine.lookup.endings import FOLDER, random_board
from tests.fuzzing import assert_plain, cut, damaged, examples, flipped
from tests.protocol.fuzz_lines import SPECIAL

ENTRY = struct.Struct(">QHHI")
ASKED = (chess.STARTING_FEN, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", *SPECIAL[:3])


@st.composite
def entries(draw: st.DrawFn) -> tuple[int, int, int, int]:
    board = chess.Board(draw(st.sampled_from(ASKED)), chess960=True)
    key = chess.polyglot.zobrist_hash(board)
    moves = [
        move.to_square | move.from_square << 6 | max(0, (move.promotion or 1) - 1) << 12
        for move in board.legal_moves
    ]
    raw = draw(st.sampled_from(moves or [0]) | st.integers(0, 0xFFFF))
    return (
        draw(st.just(key) | st.just(key) | st.integers(0, (1 << 64) - 1)),
        raw,
        draw(st.sampled_from((0, 1, 2, 100, 65535))),
        draw(st.integers(0, (1 << 32) - 1)),
    )


def packed(rows: list[tuple[int, int, int, int]]) -> bytes:
    return b"".join(ENTRY.pack(*row) for row in rows)


unsorted = st.lists(entries(), max_size=20)
good_books = unsorted.map(sorted).map(packed)
books = st.one_of(
    good_books,
    good_books,
    unsorted.map(packed),
    damaged(good_books, most=2),
    cut(good_books),
    flipped(st.just(STANDARD.read_bytes())),
    st.binary(max_size=100),
)


@given(books)
@examples(100)
def test_books(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "book.bin"
    path.write_bytes(data)
    try:
        book = Book(path, Random(1))
    except BookError as error:
        reason = str(error)
        assert_plain(reason)
        assert reason.startswith(f"{path}: ")
        return
    try:
        for fen in ASKED:
            check_moves(book, fen, expected_moves(data, fen))
    finally:
        book.close()


def check_moves(book: Book, fen: str, expected: dict[str, int] | None) -> None:
    position = parse_fen(fen)
    weights = {move_text(move, chess960=True): weight for move, weight in book.moves(position).items()}
    assert expected is None or weights == expected, f"{fen}: plays {weights}, has {expected}"
    for best in (True, False):
        chosen = book.choose(position, best)
        assert (chosen is None) == (not weights), f"{fen}: chooses {chosen}"
        if chosen is not None:
            assert move_text(chosen.move, chess960=True) in weights, f"{fen}: chooses another move"
            assert 0 < chosen.weight <= chosen.total, f"{fen}: weight {chosen.weight} of {chosen.total}"


def expected_moves(data: bytes, fen: str) -> dict[str, int] | None:
    """The legal moves and weights in the bytes; None if the entries are not sorted."""
    board = chess.Board(fen, chess960=True)
    key = chess.polyglot.zobrist_hash(board)
    entries = [ENTRY.unpack_from(data, place) for place in range(0, len(data), ENTRY.size)]
    if [entry[0] for entry in entries] != sorted(entry[0] for entry in entries):
        return None
    weights: dict[str, int] = {}
    for found, raw, weight, _ in entries:
        move = legal(board, raw) if found == key and weight else None
        if move is not None:
            weights[move] = weights.get(move, 0) + weight
    return weights


def legal(board: chess.Board, raw: int) -> str | None:
    """The move of 16 bits, with castling as king takes rook; None if it is not legal."""
    to_square, from_square, promotion = raw & 63, raw >> 6 & 63, raw >> 12 & 7  # as in Polyglot
    if promotion > 4 or from_square == to_square:
        return None
    move = chess.Move(from_square, to_square, (None, 2, 3, 4, 5)[promotion])
    try:
        legal = board.parse_uci(move.uci())
    except ValueError:
        return None
    return legal.uci() if legal.promotion == move.promotion else None  # castling cannot promote


ENDINGS = ("KQvK", "KRvK", "KPvK", "KBNvK", "KRvKR", "KQvKQ", "KPPvK", "KRPvK")
MAGIC = {"rtbw": b"\x71\xe8\x23\x5d", "rtbz": b"\xd7\x66\x0c\xa5"}
PIECES = " PNBRQK"
IN_EACH = 3  # positions
LONGEST = 60.0  # seconds for all positions; far more than they take
OTHER_COLOURS = MAGIC["rtbw"] + b"\0H\xe6\xb3\xa2n" + bytes(70)


@st.composite
def made_up(draw: st.DrawFn, ending: str, kind: str) -> bytes:
    white, black = ending.split("v")
    pieces = [PIECES.index(letter) for letter in white] + [PIECES.index(letter) | 8 for letter in black]
    orders = draw(st.binary(min_size=2, max_size=2))[: 2 if "P" in white and "P" in black else 1]
    one = orders + bytes(piece | (piece ^ 8) << 4 for piece in pieces)
    head = MAGIC[kind] + bytes([draw(st.integers(0, 3))]) + one * (4 if "P" in ending else 1)
    size, rng = draw(st.sampled_from((64, 256, 2048))), Random(draw(st.integers(0, 1 << 32)))
    body = head + draw(st.sampled_from((rng.randbytes(size), bytes(size), b"\xff" * size)))
    return body[: len(body) // 64 * 64] + bytes(16)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, bytes]:
    ending = draw(st.sampled_from(ENDINGS))
    files = {}
    for kind in draw(st.sampled_from((("rtbw",), ("rtbw", "rtbz"), ("rtbw", "rtbz"), ("rtbz",)))):
        path = FOLDER / f"{ending}.{kind}"
        whole = st.just(path.read_bytes()) if path.is_file() else made_up(ending, kind)
        head = draw(st.sampled_from((4, 4, 48, 200)))
        inside = flipped(whole, head)
        ways = (whole, whole, inside, inside, flipped(whole), damaged(whole, most=2), cut(whole))
        files[path.name] = draw(st.one_of(*ways, made_up(ending, kind)))
    return files


@given(tables(), st.integers(0, 1 << 32))
@example({"KBNvK.rtbw": OTHER_COLOURS}, 1)
@examples(60)
def test_tables(tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes], seed: int) -> None:
    place = tmp_path_factory.mktemp("tables")
    for name, content in files.items():
        (place / name).write_bytes(content)
    asked = SyzygyTables([str(place)])
    assert_plain(asked.summary)
    began = time.monotonic()
    for ending in dict.fromkeys(name.partition(".")[0] for name in files):
        ask(asked, ending, place, Random(seed))
    assert time.monotonic() - began < LONGEST


def ask(tables: SyzygyTables, ending: str, place: Path, chooser: Random) -> None:
    for _ in range(IN_EACH):
        position = parse_fen(random_board(ending, chooser).fen())
        moves = legal_moves(position)
        told = tables.verdict(position, moves, lambda: False)
        damage = tables.damage()
        if damage:
            assert_plain(damage)
            assert str(place) in damage, f"the damage does not name the file: {damage}"
        assert not tables.damage()
        if told is not None:
            assert told.best
            assert sorted((*told.best, *told.others)) == sorted(moves)
            assert set(told.values) == set(moves)
