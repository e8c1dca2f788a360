"""Moves as people type them; python-chess is the oracle of what they mean."""

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lolli.cli.analysis.notation import displayed, move_of, why_not

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PROMOTION = "3r2k1/2P5/8/8/8/1b6/2P5/4K3 w - - 0 1"
CHECKED = "r3k2r/2P2ppp/8/1B6/4r3/8/8/R3K2R w KQkq - 0 1"
BLOCKED = "4k3/8/8/3p4/4P3/4p3/4P3/N1N1K3 w - - 0 1"
THROUGH_CHECK = "r3k2r/8/8/8/8/8/5n2/R3K2R w KQkq - 0 1"
PINNED = "4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1"
BISHOP_OR_PAWN = "4k3/8/8/8/8/2p5/1P3B2/B3K3 w - - 0 1"


def answer(fen: str, text: str) -> str:
    board = chess.Board(fen)
    move = move_of(board, text)
    return why_not(board, text) if move is None else board.san(move)


def positions(seed: int, chess960: bool) -> list[chess.Board]:
    chooser = random.Random(seed)
    board = chess.Board.from_chess960_pos(chooser.randrange(960)) if chess960 else chess.Board()
    boards: list[chess.Board] = []
    while not board.is_game_over() and len(boards) < 60:
        boards.append(board.copy())
        board.push(chooser.choice(list(board.legal_moves)))
    return boards


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("chess960", [False, True])
def test_every_notation_of_every_legal_move(seed: int, chess960: bool) -> None:
    for board in positions(seed, chess960)[::6]:
        for move in board.legal_moves:
            san = board.san(move)
            texts = {san, board.uci(move), board.lan(move), san.replace("x", "").replace("+", "")}
            if "O" in san:
                texts.add(san.replace("O", "0"))
            for text in texts:
                assert move_of(board, text) == move, (board.fen(), text)


@pytest.mark.parametrize("seed", range(4))
def test_small_letters_mean_the_only_move_that_they_can_mean(seed: int) -> None:
    for board in positions(seed, chess960=False)[::4]:
        sans = [board.san(move) for move in board.legal_moves]
        for move, san in zip(board.legal_moves, sans, strict=True):
            if [each.lower() for each in sans].count(san.lower()) == 1:
                assert move_of(board, san.lower()) == move, (board.fen(), san)


@pytest.mark.parametrize(
    ("fen", "text", "san"),
    [
        (KIWIPETE, "0-0", "O-O"),
        (KIWIPETE, "o-o-o", "O-O-O"),
        (KIWIPETE, "e1h1", "O-O"),
        (KIWIPETE, "Kc1", "O-O-O"),
        (KIWIPETE, "d5-e6", "dxe6"),
        (KIWIPETE, "de6", "dxe6"),
        (KIWIPETE, "d5:e6", "dxe6"),
        (KIWIPETE, " 12... qf6 ", "Qxf6"),
        (KIWIPETE, "♘c4", "Nc4"),
        (KIWIPETE, "Nc3-b5+", "Nb5"),
        (KIWIPETE, "N3b5", "Nb5"),
        (KIWIPETE, "bc4", "Bc4"),
        (PROMOTION, "c8q", "c8=Q"),
        (PROMOTION, "c7d8r", "cxd8=R+"),
        (PROMOTION, "c8(B)", "c8=B"),
        (BISHOP_OR_PAWN, "bd4", "Bd4"),
        (BISHOP_OR_PAWN, "bxc3", "bxc3"),
        ("4k3/8/8/8/8/2p5/8/B3K3 w - - 0 1", "bxc3", "Bxc3"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6 e.p.", "exd6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "ed6ep", "exd6"),
    ],
)
def test_liberties(fen: str, text: str, san: str) -> None:
    assert answer(fen, text) == san


@pytest.mark.parametrize(
    ("fen", "text", "line"),
    [
        (BLOCKED, "Nb3", "is ambiguous: Nab3 or Ncb3"),
        (BLOCKED, "d5", "is not a legal move, but exd5 is"),
        (BLOCKED, "e3", "is not a legal move: the pawn on e3 is in the way"),
        (BLOCKED, "0-0", "is not a legal move: there is no right to castle on that side"),
        (BLOCKED, "Qd4", "is not a legal move: White has no queen"),
        (chess.STARTING_FEN, "Bc4", "is not a legal move: the pawn on e2 is in the way"),
        (chess.STARTING_FEN, "e2e5", "is not a legal move: a pawn does not move from e2 to e5"),
        (chess.STARTING_FEN, "exd3", "is not a legal move: there is no piece to take on d3"),
        (chess.STARTING_FEN, "e7e5", "is not a legal move: the pawn on e7 is Black's"),
        (chess.STARTING_FEN, "e4e5", "is not a legal move: e4 is empty"),
        (chess.STARTING_FEN, "Nhf3", "is not a legal move: White has no knight on the h-file"),
        (chess.STARTING_FEN, "N6f3", "is not a legal move: White has no knight on rank 6"),
        (chess.STARTING_FEN, "O-O", "is not a legal move: there are pieces between king and rook"),
        (chess.STARTING_FEN, "--", "is not a legal move: passing is not allowed"),
        (chess.STARTING_FEN, "hello", "is not a move"),
        (CHECKED, "O-O", "is not a legal move: the king is in check"),
        (CHECKED, "Rd1", "is not a legal move: it leaves the king in check"),
        (CHECKED, "Ke2", "is not a legal move: the king would be in check on e2"),
        (CHECKED, "Bxe4", "is not a legal move: a bishop does not move from b5 to e4"),
        (THROUGH_CHECK, "O-O-O", "is not a legal move: the king would be in check on d1"),
        (PINNED, "Nf4", "is not a legal move: it would put the king in check"),
        (PROMOTION, "c8", "needs a piece for the promotion: c8=B, c8=N, c8=Q or c8=R"),
        (PROMOTION, "c8=K", "needs a piece for the promotion: c8=B, c8=N, c8=Q or c8=R"),
    ],
)
def test_why_not(fen: str, text: str, line: str) -> None:
    assert answer(fen, text) == line


MOVE_LETTERS = st.sampled_from("abcdefgh12345678KQRBNPOo0x=+#-!?. 9z")


@given(st.text(MOVE_LETTERS, max_size=8) | st.text(max_size=50), st.integers(0, 3))
def test_any_text_gets_an_answer(text: str, seed: int) -> None:
    """One line; a move only where it is legal."""
    board = chess.Board(KIWIPETE) if seed == 0 else positions(seed, chess960=seed == 1)[-1]
    before = board.fen()
    move = move_of(board, text)
    assert move in board.legal_moves if move else why_not(board, text).isprintable()
    assert board.fen() == before
    assert displayed(text).isprintable()
    assert len(displayed(text)) <= 20
