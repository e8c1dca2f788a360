"""Endings: which are won, which are drawn, where the bare king is driven; and the engine plays them out."""

from itertools import combinations_with_replacement
from pathlib import Path

import chess
import pytest

from engine.board.fen import mirrored
from engine.board.notation import move_text
from engine.board.position import COMPILED
from engine.search.limits import Limits
from engine.session import Session
from eval.endings import drawish_scale, drawn_scale, won_ending
from eval.linear import Linear
from eval.weight_file import save
from tests.engine.search.searching import Recorder, opened, sized
from tests.eval import ending_oracle
from tests.eval.boards import is_usable, ours, scattered
from tests.eval.ending_oracle import is_won, scale
from tests.eval.some_weights import standard_weights

WHITE, BLACK = 0, 1
LEAST = 1000  # centipawns that any won ending adds


def sets(letters: str, most: int) -> list[str]:
    return [
        "".join(chosen)
        for count in range(most + 1)
        for chosen in combinations_with_replacement(letters, count)
    ]


def placed(pieces: dict[int, str], turn: bool = chess.WHITE) -> chess.Board | None:
    """A board with these pieces by their letters, None where the engine does not take it."""
    board = chess.Board(None)
    for square, letter in pieces.items():
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    board.turn = turn
    return board if len(board.piece_map()) == len(pieces) and is_usable(board) else None


@pytest.mark.parametrize("weak", sets("pnbrq", 2))
def test_all_small_sets_are_what_the_oracle_says(weak: str) -> None:
    linear = Linear(standard_weights())
    for strong in sets("PNBRQ", 3):
        for seed in range(sized(2, 1)):
            board = scattered(seed, "Kk" + strong + weak)
            position = ours(board)
            flipped = mirrored(position)
            for side, colour in ((WHITE, chess.WHITE), (BLACK, chess.BLACK)):
                bonus = won_ending(position, side)
                assert (bonus != 0) == is_won(board, colour), board.fen()
                assert bonus == 0 or LEAST <= bonus < 2 * LEAST, board.fen()
                if bonus:
                    trace = linear.trace(position)
                    assert trace.known
                    assert trace.value == trace.material + (-bonus if side else bonus), board.fen()
                assert won_ending(flipped, side ^ 1) == bonus, board.fen()
                hope = scale(board, colour)
                assert drawish_scale(position, side) == drawish_scale(flipped, side ^ 1) == hope, board.fen()
                drawn = ending_oracle.drawn_scale(board, colour)
                assert drawn_scale(position, side) == drawn_scale(flipped, side ^ 1) == drawn, board.fen()


def corners(fen: str) -> list[tuple[chess.Board, int]]:
    """A position and its images in the four corners, each with the side that is ahead."""
    board = chess.Board(fen)
    mirror = board.transform(chess.flip_horizontal)
    return [(board, WHITE), (mirror, WHITE), (board.mirror(), BLACK), (mirror.mirror(), BLACK)]


@pytest.mark.parametrize(
    ("fen", "is_drawn"),
    [
        ("k7/8/P7/8/2B5/8/8/4K3 w - - 0 1", False),  # the bishop is light, the corner too
        ("k7/8/P7/8/3B4/8/8/4K3 w - - 0 1", True),  # the bishop is dark
        ("8/1k6/8/P7/3B4/8/8/4K3 w - - 0 1", True),
        ("8/2k5/8/P7/3B4/8/8/4K3 w - - 0 1", False),  # too far
        ("1k6/8/P7/P7/P2B3B/8/8/4K3 w - - 0 1", True),
        ("1k6/8/P7/8/3BB3/8/8/4K3 w - - 0 1", False),
        ("1k6/8/PP6/8/3B4/8/8/4K3 w - - 0 1", False),
        ("1k6/8/1P6/8/3B4/8/8/4K3 w - - 0 1", False),
        ("1k6/8/P6P/8/3B4/8/8/4K3 w - - 0 1", False),
        ("1k6/8/P7/8/3N4/8/8/4K3 w - - 0 1", False),
        ("1k6/8/P7/8/3B4/8/8/R3K3 w - - 0 1", False),
        ("1k6/8/P7/P7/8/8/8/4K3 w - - 0 1", True),  # no bishop at all
        ("1k6/8/P7/8/3B2p1/6b1/8/4K3 w - - 0 1", True),  # whatever the defender has
    ],
)
def test_pawn_of_the_wrong_rook_in_all_four_corners(fen: str, is_drawn: bool) -> None:
    for board, strong in corners(fen):
        assert (drawish_scale(ours(board), strong) == 0) == is_drawn, board.fen()


# The drive


def bonuses(own: dict[int, str]) -> dict[int, int]:
    found = {}
    for refuge in chess.SQUARES:
        board = placed(own | {refuge: "k"}, chess.BLACK)
        if board and refuge not in own:
            found[refuge] = won_ending(ours(board), WHITE)
    return found


def near(one: int, other: int) -> int:
    return chess.square_distance(one, other)


@pytest.mark.parametrize("king", [chess.E4, chess.C3, chess.A8, chess.H5])
@pytest.mark.parametrize("bishop", [chess.F1, chess.C1])
def test_bare_king_is_driven_to_the_bishops_corner(king: int, bishop: int) -> None:
    """Any step towards a corner of the bishop's colour pays, the kings being as far apart as before."""
    right = (chess.A1, chess.H8) if bishop == chess.C1 else (chess.H1, chess.A8)
    wrong = {chess.A1, chess.H8, chess.A8, chess.H1} - {*right}
    found = bonuses({king: "K", bishop: "B", chess.G1: "N"})

    def nearer(one: int, other: int) -> bool:
        return all(
            min(steps(other, corner) for corner in right) < min(steps(one, corner) for corner in right)
            for steps in (chess.square_distance, chess.square_manhattan_distance)
        )

    compared = 0
    for one, before in found.items():
        for other, after in found.items():
            if near(one, other) == 1 and near(king, one) == near(king, other) and nearer(one, other):
                compared += 1
                assert after > before
            if one in wrong and other in right and near(king, one) == near(king, other):
                assert after > before
    assert compared > 10


# By play


def judge_by_hand(session: Session, folder: Path) -> None:
    path = folder / "weights.json"
    save(path, standard_weights())
    session.load_weights(path)
    session.use_evaluator("linear")


@pytest.mark.parametrize("evaluator", ["linear", "network"])
@pytest.mark.skipif(not COMPILED, reason="takes minutes")
@pytest.mark.parametrize(
    "fen",
    [
        "8/8/4k3/8/8/8/8/Q3K3 w - - 0 1",
        "8/8/4k3/8/8/8/8/4K2R w - - 0 1",
        "8/8/4k3/8/8/8/8/2B1KB2 w - - 0 1",
        "8/8/4k3/8/8/8/8/1N2KB2 w - - 0 1",
        "b1n5/8/8/3k4/8/3K4/8/8 b - - 0 1",
        "7k/8/8/8/8/8/8/KBN5 w - - 0 1",
    ],
)
def test_engine_mates_a_bare_king_that_it_defends_itself(fen: str, evaluator: str, tmp_path: Path) -> None:
    board = chess.Board(fen)
    strong = board.turn
    with opened() as session:
        if evaluator == "linear":
            judge_by_hand(session, tmp_path)
        else:
            session.use_evaluator(evaluator)
        while not (board.is_game_over() or board.is_repetition(3) or board.is_fifty_moves()):
            heard = Recorder()
            session.set_position(fen, [move.uci() for move in board.move_stack])
            session.go(Limits(nodes=20_000), heard)
            assert session.wait(60)
            board.push_uci(move_text(heard.outcomes[0].best))
    assert board.is_checkmate(), board.fen()
    assert board.turn != strong
    assert len(board.move_stack) <= 100
