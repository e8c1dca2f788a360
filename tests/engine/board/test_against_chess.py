"""Random games of both kinds, in which everything must be as python-chess has it."""

import random
from collections.abc import Hashable

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.cycles import has_upcoming_repetition
from engine.board.fen import format_fen, mirrored, parse_fen
from engine.board.move import (
    CAPTURE,
    DOUBLE_PUSH,
    EN_PASSANT,
    KING_CASTLE,
    PROMOTION,
    QUEEN_CASTLE,
    QUIET,
    kind,
)
from engine.board.movegen import MoveStack, count_moves, generate, gives_check, legal_moves, threats
from engine.board.notation import move_text, parse_move
from engine.board.position import COMPILED, Position
from tests.engine.board.games import boards, chess960_boards, play, standard_boards

GAMES = 60 if COMPILED else 30
PLIES = 120
STACK = MoveStack()

some_games = settings(max_examples=GAMES)
seeds = st.integers(0, 2**32 - 1)


def snapshot(position: Position) -> tuple[object, ...]:
    return (
        tuple(position.piece_at(square) for square in range(64)),
        *(position.side, position.castling, position.en_passant, position.halfmoves, position.fullmove()),
        *(position.key, position.pawn_key, position.checkers, position.reversible, position.height),
        tuple(position.rook_square(right) for right in range(4)),
    )


def noisy_moves(position: Position) -> list[int]:
    return [STACK.at(i) for i in range(generate(position, STACK, 0, True))]


def transposition_key(board: chess.Board) -> Hashable:
    key: Hashable = board._transposition_key()
    return key


def kind_of(board: chess.Board, move: chess.Move) -> int:
    if board.is_castling(move):
        return KING_CASTLE if board.is_kingside_castling(move) else QUEEN_CASTLE
    if board.is_en_passant(move):
        return EN_PASSANT
    if move.promotion:
        return PROMOTION + move.promotion - chess.KNIGHT + CAPTURE * board.is_capture(move)
    if board.is_capture(move):
        return CAPTURE
    double = abs(move.from_square - move.to_square) == 16
    return DOUBLE_PUSH if double and board.piece_type_at(move.from_square) == chess.PAWN else QUIET


def agree_on_moves(position: Position, board: chess.Board) -> None:
    moves = list(board.legal_moves)
    ours = {move_text(move, board.chess960): kind(move) for move in legal_moves(position)}
    assert ours == {move.uci(): kind_of(board, move) for move in moves}, board.fen()
    assert count_moves(position, STACK, 7) == len(moves), board.fen()
    noisy = {move.uci() for move in moves if board.is_capture(move) or move.promotion}
    found = [move_text(move, board.chess960) for move in noisy_moves(position)]
    assert sorted(found) == sorted(noisy), board.fen()
    checks = {
        move_text(move, board.chess960) for move in legal_moves(position) if gives_check(position, move)
    }
    assert checks == {move.uci() for move in moves if board.gives_check(move)}, board.fen()


def assert_key_foretold(position: Position) -> None:
    """By `key_after`, for moves that change no more than a piece's place; by `key_after_null` for a pass."""
    for move in legal_moves(position):
        after = position.copy()
        after.make(move)
        rights = position.castling == after.castling and position.en_passant == after.en_passant
        if rights and kind(move) in (QUIET, CAPTURE):
            assert position.key_after(move) == after.table_key(), move_text(move)
    if not position.checkers and position.en_passant < 0:
        after = position.copy()
        after.make_null()
        assert position.key_after_null() == after.table_key()


def agree_on_state(position: Position, board: chess.Board) -> None:
    assert format_fen(position) == board.fen()
    assert format_fen(position, chess960=True) == board.shredder_fen()
    assert position.side == (not board.turn)
    assert position.checkers == board.checkers_mask(), board.fen()
    assert position.is_insufficient() == board.is_insufficient_material(), board.fen()
    assert (position.is_fifty_moves() and bool(legal_moves(position))) == board.is_fifty_moves()
    assert position.is_repetition(0) == board.is_repetition(3), board.fen()
    assert position.is_repetition(position.height + 1) == board.is_repetition(2), board.fen()
    assert position.men() == board.occupied.bit_count(), board.fen()
    theirs = chess.SquareSet(board.occupied_co[not board.turn])
    attacked = {sq for piece in theirs for sq in board.attacks(piece)}
    assert threats(position) == sum(1 << sq for sq in attacked), board.fen()
    for colour in chess.COLORS:
        pieces = board.occupied_co[colour] & ~board.kings & ~board.pawns
        assert position.has_pieces(not colour) == bool(pieces), board.fen()


def one_move_apart(board: chess.Board, earlier: chess.Board) -> bool:
    """Whether a reversible move of a piece, for which the way is free, makes the one into the other."""
    if board.clean_castling_rights() != earlier.clean_castling_rights():
        return False
    changed = board.occupied ^ earlier.occupied
    src, dst = chess.msb(changed & earlier.occupied), chess.msb(changed & board.occupied)
    if src < 0 or dst < 0 or earlier.has_legal_en_passant() or earlier.piece_type_at(src) == chess.PAWN:
        return False
    moved = earlier.copy(stack=False)
    moved.set_piece_at(dst, moved.remove_piece_at(src))
    moved.turn = not moved.turn
    moved.ep_square = None
    return transposition_key(moved) == transposition_key(board) and bool(board.attacks_mask(dst) & 1 << src)


@given(board=boards(), seed=seeds)
@some_games
def test_upcoming_repetitions(board: chess.Board, seed: int) -> None:
    """Compared are the positions below the root, which is drawn at random, three plies back or more."""
    rng = random.Random(seed)
    path: list[chess.Board] = []
    for position in play(board, rng, PLIES):
        path.append(board.copy(stack=False))
        ply = rng.randrange(len(path) + 1)
        expected = any(one_move_apart(board, earlier) for earlier in path[max(len(path) - ply, 0) : -3])
        assert has_upcoming_repetition(position, ply) == expected, (board.fen(), ply)


@given(board=boards(), seed=seeds)
@some_games
def test_moves(board: chess.Board, seed: int) -> None:
    for position in play(board, random.Random(seed), PLIES):
        agree_on_moves(position, board)
        assert_key_foretold(position)


@pytest.mark.parametrize(
    "fen",
    [
        "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
        "r3k3/8/8/8/8/8/8/3K4 b q - 0 1",
        "8/8/8/8/8/8/8/RK4k1 w A - 0 1",
        "6k1/8/8/8/8/8/8/RK6 w A - 0 1",  # it does not
    ],
)
def test_castling_that_checks(fen: str) -> None:
    agree_on_moves(parse_fen(fen), chess.Board(fen, chess960=True))


@given(board=boards(), seed=seeds)
@some_games
def test_fen_check_and_draws(board: chess.Board, seed: int) -> None:
    for position in play(board, random.Random(seed), PLIES):
        agree_on_state(position, board)


@given(board=chess960_boards(), seed=seeds)
@some_games
def test_the_notation_of_standard_chess_names_moves_of_chess960(board: chess.Board, seed: int) -> None:
    for position in play(board, random.Random(seed), PLIES // 4):
        for move in legal_moves(position):
            assert parse_move(position, move_text(move)) == move, board.fen()


@given(board=boards(), seed=seeds)
@some_games
def test_keys_are_those_of_the_position_set_up_anew(board: chess.Board, seed: int) -> None:
    for position in play(board, random.Random(seed), PLIES):
        anew = parse_fen(format_fen(position, chess960=True))
        assert (anew.key, anew.pawn_key) == (position.key, position.pawn_key), board.fen()
        assert snapshot(anew)[:-3] == snapshot(position)[:-3], board.fen()


@given(board=boards(), seeds=st.lists(seeds, min_size=4, max_size=4))
@settings(max_examples=GAMES // 3)
def test_keys_are_equal_where_python_chess_sees_a_transposition(board: chess.Board, seeds: list[int]) -> None:
    by_key: dict[int, Hashable] = {}
    by_position: dict[Hashable, int] = {}
    for seed in seeds:
        game = board.copy()
        for position in play(game, random.Random(seed), PLIES):
            theirs = transposition_key(game)
            assert by_key.setdefault(position.key, theirs) == theirs, game.fen()
            assert by_position.setdefault(theirs, position.key) == position.key, game.fen()


@given(board=standard_boards())
@settings(max_examples=GAMES // 6)
def test_keys_of_all_positions_nearby(board: chess.Board) -> None:
    """Two plies on, many positions are reached in both orders, and en passant tells some apart."""
    by_key: dict[int, Hashable] = {}
    by_position: dict[Hashable, int] = {}

    def walk(position: Position, depth: int) -> None:
        theirs = transposition_key(board)
        assert by_key.setdefault(position.key, theirs) == theirs, board.fen()
        assert by_position.setdefault(theirs, position.key) == position.key, board.fen()
        for move in legal_moves(position) if depth else []:
            board.push_uci(move_text(move))
            position.make(move)
            walk(position, depth - 1)
            position.unmake()
            board.pop()

    walk(parse_fen(board.fen()), 2)


@given(board=boards(), seed=seeds)
@some_games
def test_unmake_restores_everything(board: chess.Board, seed: int) -> None:
    game = []
    for position in play(board, random.Random(seed), PLIES):
        before, moves = snapshot(position), legal_moves(position)
        game.append((before, moves))
        if len(game) % 8 == 1:
            for move in moves:
                position.make(move)
                position.unmake()
                assert snapshot(position) == before, (board.fen(), move_text(move, chess960=True))
            assert legal_moves(position) == moves, board.fen()
    for before, moves in reversed(game):
        assert (snapshot(position), legal_moves(position)) == (before, moves)
        if position.height:
            position.unmake()


@given(board=boards(), seed=seeds)
@some_games
def test_passing(board: chess.Board, seed: int) -> None:
    for position in play(board, random.Random(seed), PLIES // 2):
        if board.is_check():
            continue
        before, moves = snapshot(position), legal_moves(position)
        position.make_null()
        board.push(chess.Move.null())
        assert format_fen(position) == board.fen()
        assert position.key == parse_fen(format_fen(position, chess960=True)).key, board.fen()
        assert not position.is_repetition(position.height)
        agree_on_moves(position, board)
        board.pop()
        position.unmake_null()
        assert (snapshot(position), legal_moves(position)) == (before, moves)


@given(board=boards(), seed=seeds, other_seed=seeds)
@some_games
def test_copies_go_their_own_ways(board: chess.Board, seed: int, other_seed: int) -> None:
    *_, position = play(board, random.Random(seed), PLIES // 2)
    copied, before = position.copy(), snapshot(position)
    assert snapshot(copied) == before
    rng = random.Random(other_seed)
    for _ in range(20):
        if moves := legal_moves(copied):
            copied.make(rng.choice(moves))
    assert snapshot(position) == before
    while copied.height > position.height:
        copied.unmake()
    assert snapshot(copied) == before
    while position.height:
        position.unmake()
        copied.unmake()
        assert snapshot(copied) == snapshot(position)


@given(board=boards(), seed=seeds)
@some_games
def test_mirrored(board: chess.Board, seed: int) -> None:
    for position in play(board, random.Random(seed), PLIES // 4):
        turned = mirrored(position)
        assert format_fen(turned, chess960=True) == board.mirror().shredder_fen()
        assert len(legal_moves(turned)) == len(legal_moves(position))
        assert mirrored(turned).key == position.key
