"""Motifs: positions of real games, which Lichess has labelled, and the rules of chess on random boards.

tests/data/motifs.csv is a sample of https://database.lichess.org/#puzzles, which is in the public domain: the
first move is the mistake, the others are the refutation.
"""

import csv
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

import chess
import pytest

from lolli._motifs import VALUES, Line, exchange, is_defended, is_trapped, motifs
from tests.compiled import ROOT

MATES = {
    *("arabianMate", "anastasiaMate", "backRankMate", "bodenMate", "doubleBishopMate", "dovetailMate"),
    *("hookMate", "smotheredMate"),
}
TACTICS = {
    *(
        "attraction",
        "deflection",
        "discoveredAttack",
        "discoveredCheck",
        "doubleCheck",
        "fork",
        "hangingPiece",
    ),
    *("pin", "promotion", "skewer", "trappedPiece", "underPromotion", "xRayAttack", "enPassant"),
}


@cache
def puzzles() -> list[tuple[Line, set[str]]]:
    found = []
    with (ROOT / "tests/data/motifs.csv").open() as file:
        for row in csv.DictReader(file):
            board = chess.Board(row["FEN"])
            mistake, *refutation = map(chess.Move.from_uci, row["Moves"].split())
            board.push(mistake)
            found.append((Line(board, refutation), set(row["Themes"].split())))
    return found


def test_motifs_are_those_that_lichess_gives() -> None:
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for line, themes in puzzles():
        found = {motif.name for motif in motifs(line)}
        for name in TACTICS | MATES:
            if name in found or name in themes:
                (right if name in found & themes else wrong)[name] += 1
    assert sum(right.values()) > 130
    assert sum(wrong.values()) <= 0.05 * sum(right.values()), wrong
    assert all(right[name] > 3 * wrong[name] for name in TACTICS | MATES), wrong


def test_the_number_of_moves_to_mate_is_that_of_the_line() -> None:
    for line, themes in puzzles():
        found = {motif.name for motif in motifs(line)}
        assert line.boards[-1].is_checkmate() == ("mate" in found)
        if "mate" in themes:
            assert f"mateIn{(len(line.moves) + 1) // 2}" in found


def random_lines(count: int, plies: int = 3) -> Iterator[Line]:
    chooser = random.Random(1)
    board = chess.Board()
    for _ in range(count):
        if board.is_game_over() or len(board.move_stack) > 90:
            board.reset()
        board.push(chooser.choice(list(board.legal_moves)))
        moves: list[chess.Move] = []
        end = board.copy()
        while len(moves) < plies and not end.is_game_over():
            captures = list(end.generate_legal_captures())
            moves.append(chooser.choice(captures or list(end.legal_moves)))
            end.push(moves[-1])
        yield Line(board, moves)


def test_what_a_motif_names_is_on_the_board() -> None:
    seen: Counter[str] = Counter()
    for line in random_lines(3000):
        for motif in motifs(line):
            seen[motif.name] += 1
            before, after = line.boards[motif.ply], line.boards[motif.ply + 1]
            actor, *others = motif.squares or (chess.A1,)
            if motif.name == "fork":
                assert len(others) > 1
                assert all(target in after.attacks(actor) for target in others)
                assert all(after.color_at(target) != line.solver for target in others)
            elif motif.name == "pin":
                pinned, king = others[-2:]
                assert after.is_pinned(not line.solver, pinned)
                assert after.piece_at(king) == chess.Piece(chess.KING, not line.solver)
            elif motif.name == "hangingPiece":
                assert before.is_capture(line.moves[0])
                assert not is_defended(before, line.moves[0].to_square)
            elif motif.name == "doubleCheck":
                assert len(after.checkers()) == 2
            elif motif.name == "discoveredCheck":
                assert actor in after.checkers()
                assert actor != line.moves[motif.ply].to_square
            elif motif.name == "skewer":
                assert others[0] in chess.SquareSet.between(actor, others[1])
            elif motif.name in {"deflection", "capturingDefender"}:
                assert before.color_at(others[-1]) in {not line.solver, None}
    assert {"fork", "pin", "hangingPiece", "discoveredCheck", "skewer", "deflection"} <= set(seen)


def best_exchange(board: chess.Board, square: chess.Square) -> int:
    """Minimax over all captures on a square, each side free to stop; pins aside."""
    best = 0
    for origin in board.attackers(board.turn, square):
        target = board.piece_at(square)
        assert target is not None
        if target.color == board.turn:
            continue
        after = board.copy(stack=False)
        after.set_piece_at(square, after.remove_piece_at(origin))
        after.turn = not board.turn
        king = board.piece_type_at(origin) == chess.KING
        if king and after.attackers(after.turn, square):
            continue
        best = max(best, VALUES[target.piece_type] - best_exchange(after, square))
    return best


def test_exchanges_are_worth_what_minimax_says() -> None:
    checked = 0
    for line in random_lines(400, plies=0):
        board = line.boards[0]
        for square in chess.SquareSet(board.occupied_co[not board.turn] & ~board.kings):
            captures = board.attackers(board.turn, square)
            pinned = any(
                board.is_pinned(color, each)
                for color in chess.COLORS
                for each in board.attackers(color, square)
            )
            if captures and not pinned and len(captures) < 4:
                assert exchange(board, square, board.turn) == best_exchange(board, square), (board, square)
                checked += 1
    assert checked > 100


@pytest.mark.parametrize(
    ("fen", "square", "trapped"),
    [
        ("4k3/8/8/8/6p1/1p5p/2p4B/4K3 w - - 0 1", "h2", False),
        ("r3k3/1b6/8/8/8/8/1p6/B3K3 b - - 0 1", "b7", False),
        ("4k3/8/1pp5/B7/1p6/8/8/4K3 w - - 0 1", "a5", False),
        ("4k3/8/2p5/1p6/p1b5/1B1P4/2P5/4K3 w - - 0 1", "b3", False),
        ("4k3/2p5/1p1p4/8/8/1p6/8/4K3 b - - 0 1", "c7", False),
        ("6k1/p4ppp/1p6/8/8/8/B4PPP/6K1 w - - 0 1", "a2", False),
        ("6k1/B1p2ppp/1p6/8/8/8/5PPP/1r4K1 w - - 0 1", "a7", False),
        ("r5k1/B1p2ppp/1p6/8/8/8/5PPP/6K1 w - - 0 1", "a7", True),
    ],
)
def test_a_trapped_piece_has_no_safe_square(fen: str, square: str, trapped: bool) -> None:
    assert is_trapped(chess.Board(fen), chess.parse_square(square)) == trapped
