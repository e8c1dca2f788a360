"""Packed games: they come back, at the step of each score; and the format stays what it is."""

import contextlib
import hashlib
import random
import struct
from array import array
from functools import cache
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.position import Position
from eval.training import positions
from eval.training.game_file import (
    GAMES,
    SUFFIX,
    GameFileError,
    GameRecord,
    games,
    is_worth_keeping,
    pack_block,
    pack_game,
    pack_position,
    read_blocks,
)
from eval.training.packing import GameCoder, first_unsound, score_of, steps_of
from eval.training.positions import RECORD, Records
from tests.engine.board.games import boards
from tests.eval.training.record_files import all_records, random_game, read_corpus, record_of, some_records

START = pack_position(parse_fen(chess.STARTING_FEN))
HEAD = 32


def unpacked(block: bytes) -> list[GameRecord]:
    ((head, data),) = read_blocks(block, 0)
    assert (head.first, head.last) == (HEAD, len(block))
    return [GameRecord.from_bytes(game) for game in head.unpack(data)]


def decoded(block: bytes) -> Records:
    ((head, data),) = read_blocks(block, 0)
    out = np.zeros(head.kept, RECORD)
    assert GameCoder().records(data, head.games, positions.words(out), 0) == head.kept
    return out


def replayed(block: bytes) -> Records:
    """The same by a replay of the games in Python."""
    found = [
        record_of(
            position,
            game.plies["score"][ply],
            1 + (-game.result if position.side else game.result),
            ply,
            game.number,
        )
        for game in unpacked(block)
        for ply, position in enumerate(game.positions())
        if is_worth_keeping(game.plies)[ply] and not position.checkers
    ]
    return np.array(found, RECORD)


def game_of(position_fen: str, scores: list[int], seed: int, number: int = 0) -> bytes:
    rng = random.Random(seed)
    position = parse_fen(position_fen)
    start, moves = pack_position(position), array("H")
    for _ in scores:
        if not (legal := legal_moves(position)):
            break
        moves.append(rng.choice(legal))
        position.advance(moves[-1])
    kept = array("h", scores[: len(moves)])
    return pack_game(number, rng.choice((-1, 0, 1)), rng.randrange(8), start, moves.tobytes(), kept.tobytes())


def test_steps() -> None:
    scores = np.arange(-32768, 32768)
    steps = np.array([steps_of(int(score)) for score in scores])
    values = np.array([score_of(int(step)) for step in steps])
    size = np.abs(scores)
    step = np.where(size < 256, 4, 4 << np.maximum(np.floor(np.log2(np.maximum(size, 1))) - 7, 0).astype(int))
    assert (np.abs(values - scores) <= step // 2 + (size > 32767)).all()
    assert (np.diff(steps) >= 0).all()
    assert (steps == -steps[::-1][np.maximum(0, np.arange(65536) - 1)])[1:].all()
    assert [score_of(steps_of(int(value))) for value in np.unique(values)] == np.unique(values).tolist()


@given(
    board=boards(),
    lists=st.lists(st.lists(st.integers(-32768, 32767), max_size=40), min_size=1, max_size=4),
    numbers=st.lists(st.integers(0, 2**32 - 1), min_size=4, max_size=4),
)
def test_games_come_back(board: chess.Board, lists: list[list[int]], numbers: list[int]) -> None:
    played = [
        game_of(board.fen(), scores, seed, number)
        for seed, (scores, number) in enumerate(zip(lists, numbers, strict=False))
    ]
    block = pack_block(played)
    back = unpacked(block)
    assert len(back) == len(played)
    for game, again in zip(map(GameRecord.from_bytes, played), back, strict=True):
        assert (again.number, again.result, again.ending) == (game.number, game.result, game.ending)
        assert again.start == game.start
        assert again.plies["move"].tolist() == game.plies["move"].tolist()
        expected = [score_of(steps_of(score)) for score in game.plies["score"].tolist()]
        assert again.plies["score"].tolist() == expected
    assert np.array_equal(decoded(block), replayed(block))


def test_the_format_is_what_it_is() -> None:
    """Compiled and as plain Python: files that were written must be read by every later version."""
    played = [random_game(chess.Board(), seed, 80, 7 * seed) for seed in range(8)]
    packed = GameCoder().pack(b"".join(played))
    assert hashlib.sha256(packed).hexdigest()[:16] == "2a8d3db7db84952d"


def test_a_coder_forgets_the_games_before() -> None:
    coder = GameCoder()
    first, second = (random_game(chess.Board(), seed, 60, seed) for seed in (1, 2))
    alone = coder.pack(second)
    coder.pack(first)
    assert coder.pack(second) == alone
    assert coder.unpack(alone, 1, 60)[:-4] == coder.unpack(GameCoder().pack(second), 1, 60)[:-4]


def test_an_illegal_move_is_not_packed() -> None:
    game = bytearray(random_game(chess.Board(), 1, 20, 9))
    game[60] ^= 0x15
    with pytest.raises(GameFileError, match="game 9 is against the rules"):
        GameCoder().pack(bytes(game))


@given(data=st.binary(max_size=300), count=st.integers(1, 5), plies=st.integers(0, 200))
def test_whatever_is_unpacked_is_refused_or_games(data: bytes, count: int, plies: int) -> None:
    out = np.zeros(50, RECORD)
    for attempt in (
        lambda: GameCoder().unpack(data, count, plies),
        lambda: GameCoder().records(data, count, positions.words(out), 0),
    ):
        try:
            attempt()
        except GameFileError:
            continue


@cache
def blocks_of(count: int) -> list[bytes]:
    found = []
    for number in range(count):
        played = [random_game(chess.Board(), 10 * number + each, 30, 3 * number + each) for each in range(3)]
        found.append(pack_block(played[:1] if number % 2 else played))
    return found


@given(flips=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 7)), min_size=1, max_size=3))
def test_damage_costs_only_the_blocks_that_it_is_in(flips: list[tuple[int, int]]) -> None:
    whole = blocks_of(5)
    data, starts = bytearray(b"".join(whole)), np.cumsum([0, *map(len, whole)])
    hit = set()
    for number, bit in flips:
        place = number % len(data)
        data[place] ^= 1 << bit
        hit.add(int(np.searchsorted(starts, place, "right")) - 1)
    if bytes(data) == b"".join(whole):
        hit = set()
    lost: list[tuple[int, int]] = []
    found = [block.first - HEAD for block, _ in read_blocks(bytes(data), 0, lambda *each: lost.append(each))]
    assert set(starts[:-1].tolist()) - set(found) <= {int(starts[number]) for number in hit}
    assert set(found) <= set(starts.tolist())
    covered = sum(len(whole[starts.tolist().index(place)]) for place in found)
    assert covered + sum(last - first for first, last in lost) == len(data)


def test_a_shard_is_read_by_all(tmp_path: Path) -> None:
    """Also around a damaged block: the trainer leaves it out and reports it, others refuse it."""
    path = tmp_path / f"a{SUFFIX}"
    body = blocks_of(3)
    path.write_bytes(GAMES.pack_header({"nodes": 7}) + b"".join(body))
    assert [game.number for game in games(path)] == [0, 1, 2, 3, 6, 7, 8]
    told: list[str] = []
    found = read_corpus([tmp_path], say=told.append)
    assert {int(number) for number in all_records(found)["game"]} == {0, 1, 2, 3, 6, 7, 8}
    (part,) = found.generations[0].files
    assert part.games == 7
    data = bytearray(path.read_bytes())
    data[-len(body[2]) + 50] ^= 1
    path.write_bytes(data)
    with pytest.raises(GameFileError, match=r"a\.games: the games from byte \d+ on are damaged"):
        list(games(path))
    again = read_corpus([tmp_path], say=told.append)
    assert {int(number) for number in all_records(again)["game"]} == {0, 1, 2, 3}
    assert again.size < found.size
    assert told[-1].endswith(f"a.games: {len(body[2])} bytes are damaged and left out")


@pytest.mark.parametrize(("place", "value"), [(2, 3), (3, 8)])
def test_an_unknown_result_or_ending_is_refused(place: int, value: int) -> None:
    game = bytearray(random_game(chess.Board(), 1, 30))
    game[place] = value
    with pytest.raises(GameFileError, match="against the rules"):
        GameCoder().pack(bytes(game))


def test_more_moves_than_any_game_has_are_refused() -> None:
    """The start of a game may be any position; in C there is room for 256 moves."""
    pieces = [7] * 64
    for square in (0, 1, *range(3, 9), 15, 16, 18, 23, 24, 31, 32, 39, 40, 46, 47, 48, 53, *range(56, 62)):
        pieces[square] = 4
    pieces[2], pieces[63] = 5, 13
    for square in (54, 55, 62):
        pieces[square] = 9
    position = Position.set_up(pieces, 0)
    moves = legal_moves(position)
    assert len(moves) == 259
    with pytest.raises(GameFileError, match="against the rules"):
        GameCoder().pack(short_game(pack_position(position), moves[0]))


def short_game(start: bytes, *moves: int) -> bytes:
    scores = struct.pack(f"<{len(moves)}h", *(0 for _ in moves))
    return pack_game(1, 0, 7, start, struct.pack(f"<{len(moves)}H", *moves), scores)


@given(moves=st.lists(st.integers(0, 65535), min_size=1, max_size=4))
def test_moves_are_legal_or_refused(moves: list[int]) -> None:
    data = short_game(START, *moves)
    try:
        list(GameRecord.from_bytes(data).positions())
    except GameFileError:
        with pytest.raises(GameFileError, match="game 1 is against the rules"):
            GameCoder().pack(data)
    else:
        GameCoder().pack(data)


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
    with pytest.raises(GameFileError, match="against the rules"):
        GameCoder().pack(short_game(start))


@given(
    board=boards(),
    changes=st.lists(st.tuples(st.integers(8, 39), st.integers(0, 255)), min_size=1, max_size=3),
)
def test_changed_starts_are_refused_or_played(board: chess.Board, changes: list[tuple[int, int]]) -> None:
    """The moves of the game are then illegal, or all is well."""
    data = bytearray(random_game(board, 1, 30))
    for place, value in changes:
        data[place] = value
    with contextlib.suppress(GameFileError):
        GameCoder().pack(bytes(data))


def test_records_that_a_network_can_be_asked_about() -> None:
    assert first_unsound(positions.words(some_records(50))) == -1


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
    assert first_unsound(positions.words(found)) == 3


@pytest.mark.parametrize("length", [0, 3, 10, -1])
def test_packed_games_cut_short_are_refused(length: int) -> None:
    packed = GameCoder().pack(random_game(chess.Board(), 1, 30))[:length]
    with pytest.raises(GameFileError, match="damaged"):
        GameCoder().unpack(packed, 1, 30)
