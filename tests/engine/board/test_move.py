"""What a move's bits mean; and that no other file of the project reads or makes them."""

import ast
import random
import re
from pathlib import Path

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import move as moves
from engine.board.bitboard import KNIGHT, QUEEN
from engine.board.fen import format_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from tests.compiled import ROOT
from tests.declarations import declared
from tests.engine.board.games import boards, play

KINDS = {
    *(moves.QUIET, moves.DOUBLE_PUSH, moves.KING_CASTLE, moves.QUEEN_CASTLE),
    *(moves.CAPTURE, moves.EN_PASSANT),
    *(moves.PROMOTION | capture | i for capture in (0, moves.CAPTURE) for i in range(4)),
}

# Other encodings: the moves of other games and of Polyglot's books.
ELSEWHERE = (
    *("engine/games/", "engine/lookup/book.py", "scripts/laboratory/learn_"),
    *("scripts/laboratory/match_game.py", "scripts/laboratory/measure_searchers.py"),
    *("tests/engine/games/", "tests/engine/lookup/"),
    *("tests/protocol/gtp/", "tests/scripts/laboratory/test_books.py"),
)
A_MOVE = re.compile(r"(\w+_)?move|m")
SOME_MOVES = re.compile(r"(\w+_)?moves|ms")
NOISY = 0xC000
MASKS = {0xF000, 0x8000, 0x4000, 0xFFF}
SQUARE_MASK = 63
SHIFTS = (6, 12)
BITWISE = (ast.BitAnd, ast.LShift, ast.RShift)


@given(board=boards(), seed=st.integers(0, 2**32 - 1), plies=st.integers(0, 80))
def test_legal_moves_are_what_they_are_for_others(board: chess.Board, seed: int, plies: int) -> None:
    *_, position = play(board, random.Random(seed), plies)
    board = chess.Board(format_fen(position, chess960=True), chess960=True)
    for move in legal_moves(position):
        theirs = chess.Move.from_uci(move_text(move, chess960=True))
        assert (moves.origin(move), moves.target(move)) == (theirs.from_square, theirs.to_square)
        assert moves.from_to(move) == theirs.from_square + 64 * theirs.to_square
        assert moves.is_capture(move) == board.is_capture(theirs)
        assert moves.is_promotion(move) == (theirs.promotion is not None)
        assert moves.is_castling(move) == board.is_castling(theirs)
        assert moves.is_en_passant(move) == board.is_en_passant(theirs)
        assert moves.is_quiet(move) == (not board.is_capture(theirs) and not theirs.promotion)
        if theirs.promotion:
            assert moves.promoted_to(move) == theirs.promotion - chess.PAWN
        board.push(theirs)
        if moves.is_castling(move):
            assert board.piece_type_at(moves.castled_king(move)) == chess.KING
            assert board.piece_type_at(moves.castled_rook(move)) == chess.ROOK
        if moves.is_double_push(move):
            assert board.ep_square == moves.passed_square(move)
        if moves.is_en_passant(move):
            assert board.piece_at(moves.en_passant_victim(move)) is None
        board.pop()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_move_is_what_it_was_made_of(kind: int) -> None:
    for origin, target in ((0, 63), (63, 0), (4, 7), (12, 28)):
        move = moves.new_move(origin, target, kind)
        assert 0 < move < 1 << 16
        assert (moves.origin(move), moves.target(move), moves.kind(move)) == (origin, target, kind)


@pytest.mark.parametrize("piece", range(KNIGHT, QUEEN + 1))
@pytest.mark.parametrize("kind", [moves.QUIET, moves.CAPTURE])
def test_a_promotion_is_what_it_was_made_of(piece: int, kind: int) -> None:
    move = moves.new_promotion(chess.A7, chess.B8, piece, kind)
    assert (moves.is_promotion(move), moves.promoted_to(move)) == (True, piece)
    assert moves.is_capture(move) == (kind == moves.CAPTURE)


def decodings(text: str) -> list[str]:
    """The expressions of some Python in which the bits of a move are taken apart or put together."""
    tree = ast.parse(text)
    kinds = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and is_kind(node.value, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return [ast.unparse(node) for node in ast.walk(tree) if is_decoding(node, kinds)]


def is_decoding(node: ast.AST, kinds: set[str]) -> bool:
    """Whether an expression masks, shifts or compares bits of a move; `kinds` are names of moves' kinds."""
    if isinstance(node, ast.Constant):
        return node.value == NOISY
    if isinstance(node, ast.Compare):
        return is_kind(node.left, kinds) and any(is_number(part) for part in ast.walk(node))
    if not isinstance(node, ast.BinOp):
        return False
    sides = (node.left, node.right)
    if isinstance(node.op, BITWISE) and any(is_move(side) or is_kind(side, kinds) for side in sides):
        return True
    if isinstance(node.op, ast.BitAnd):
        masks = {side.value for side in sides if isinstance(side, ast.Constant)}
        return bool(masks & MASKS) or (
            SQUARE_MASK in masks and any(is_shifted(side, ast.RShift) for side in sides)
        )
    return isinstance(node.op, ast.BitOr) and any(is_shifted(side, ast.LShift) for side in sides)


def is_number(node: ast.AST) -> bool:
    """Whether an expression is a bare integer."""
    return isinstance(node, ast.Constant) and type(node.value) is int


def is_move(node: ast.expr) -> bool:
    """Whether an expression names a move: move, undo_move[n], moves[i], each.move, plies["move"]."""
    if isinstance(node, ast.Subscript):
        if isinstance(node.slice, ast.Constant) and node.slice.value == "move":
            return True
        return is_move(node.value) or bool(SOME_MOVES.fullmatch(name_of(node.value)))
    return bool(A_MOVE.fullmatch(name_of(node)))


def name_of(node: ast.expr) -> str:
    """The name of a variable or an attribute; empty for any other expression."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_kind(node: ast.expr, kinds: set[str]) -> bool:
    """Whether an expression is the kind of a move."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).rpartition(".")[2] == "kind"
    return isinstance(node, ast.Name) and node.id in kinds


def is_shifted(node: ast.expr, way: type[ast.operator]) -> bool:
    """Whether an expression is shifted by as many bits as a move's target or its kind."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, way):
        return False
    return isinstance(node.right, ast.Constant) and node.right.value in SHIFTS


@pytest.mark.parametrize(
    "planted",
    [
        *("best_move & 63", "63 & move", "move >> 6", "position.undo_move[n] >> 12", "plies['move'] & 1"),
        *("source | dst << 6", "low | kind << 12", "kind(move) & 8", "kind(move) == 5", "each.move & 4095"),
        *("m >> 12", "self.moves[i] & 63", "ms[n] >> 6", "packed >> 6 & 63", "word & 0xF000", "word & 4095"),
        *(
            "noisy = 0xC000",
            "flag = kind(move)\nflag >> 1",
            "flag = move.kind(hash_move)\nflag in (2, 3) or flag == 1",
        ),
    ],
)
def test_a_planted_decoding_is_found(planted: str) -> None:
    assert decodings(f"x = 1\n{planted}\n")


@pytest.mark.parametrize(
    "innocent",
    [
        "move == best_move",
        "u64(move) | u64(score) << 16",
        "moves & 63",
        "kind & 7",
        "kind(move) == EN_PASSANT",
    ],
)
def test_what_is_no_decoding_is_left_alone(innocent: str) -> None:
    assert not decodings(innocent)


def test_a_decoding_planted_in_a_header_is_found() -> None:
    header = "cdef inline int f(int move) noexcept nogil:\n    return <int>(move >> 6 & 63)\n"
    assert decodings(declared(header).bodies["f"])


def chess_files(suffix: str) -> dict[Path, str]:
    """The files that may have to do with chess moves, and their texts; not those of engine/board/move."""
    found = [
        path
        for top in ("engine", "eval", "lolli", "protocol", "scripts", "tests")
        for path in (ROOT / top).rglob(suffix)
    ]
    names = {path: path.relative_to(ROOT).as_posix() for path in found}
    own = ("engine/board/move.", "tests/engine/board/test_move.py")
    return {path: path.read_text() for path in found if not names[path].startswith((*ELSEWHERE, *own))}


@pytest.mark.checkout
def test_moves_are_decoded_in_one_place_only() -> None:
    found = {path: decodings(text) for path, text in chess_files("*.py").items()}
    for path, text in chess_files("*.pxd").items():
        found[path] = [each for body in declared(text).bodies.values() for each in decodings(body)]
    assert not {path: lines for path, lines in found.items() if lines}
