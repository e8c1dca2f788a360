"""Reasons of moves: each sentence of the catalogue, what it names, and what real mistakes lose."""

import re
from collections.abc import Iterator
from functools import partial
from random import Random

import chess
import pytest
from chess.engine import Cp, Mate, Score

from engine.search.limits import Limits
from lolli import _texts as texts
from lolli._analyst import Analyst
from lolli._annotator import counting_limits
from lolli._claims import Counting, promoting
from lolli._findings import AnalystSettings
from lolli._ideas import attacks, effects, opposition, threats
from lolli._motifs import Line
from lolli._reasons import Known, Reason, why_bad, why_good
from tests.lolli.test_motifs import puzzles

Told = tuple[Score, str]
"""White's score, and a line."""
SCHOLAR = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
PAWN = "r3k2r/ppp3pp/8/8/8/8/PPP1P1PP/R3K2R w - - 0 1"
CHECKS = "5r2/r4kpQ/2p4p/p3qB2/p3n2P/2P5/2P2P2/4R1K1 b - - 3 30"
SQUARES = re.compile(r"the (pawn|knight|bishop|rook|queen|king) on ([a-h][1-8])")


@pytest.fixture(scope="module")
def count() -> Iterator[Counting]:
    with Analyst(AnalystSettings(megabytes=1)) as analyst:
        yield partial(analyst.material, limits=counting_limits(Limits()))


def line_of(board: chess.Board, text: str) -> tuple[chess.Move, ...]:
    board = board.copy()
    return tuple(board.push_san(word) for word in text.split())


@pytest.mark.parametrize(
    ("fen", "line", "said"),
    [
        ("3r2k1/7p/7b/8/8/1p1N4/3R2PP/7K w - - 0 1", "Nc5 b2", []),  # the rook, not the knight, attacks d8
        (
            "4k3/8/2n5/4p3/8/5N2/4BPPP/6K1 w - - 0 1",
            "Bb5 Kd7",
            ["the knight on c6"],
        ),  # not e5, whose guard it pins
        ("6k1/8/1n3r2/8/8/1P6/P5PP/3N2K1 w - - 0 1", "Nc3 Kg7", []),
        ("6k1/8/1n3r2/8/2N5/1P6/P5PP/6K1 w - - 0 1", "Ne5 Rf5", []),
        (
            "6k1/3b4/6r1/8/2N5/1P6/P5PP/6K1 w - - 0 1",
            "Ne5 Rg5",
            ["the rook on g6 and the bishop on d7", "the rook on g6"],
        ),
    ],
)
def test_two_pieces_are_attacked_by_the_piece_that_moves(fen: str, line: str, said: list[str]) -> None:
    board = chess.Board(fen)
    found = [each.text for each in attacks(Line(board, line_of(board, line)))]
    assert found == [f"attacks {each}" for each in said]


@pytest.mark.parametrize(
    ("fen", "line", "square"),
    [
        ("8/8/5k2/P7/8/8/8/K7 w - - 0 1", "a6 Ke6 a7 Kd6 a8=Q", "a6"),
        ("8/8/5k2/P7/8/8/8/K7 w - - 0 1", "Kb2 Ke6 a6 Kd7 a7 Kc7 a8=Q Kd7", "a5"),
        ("8/8/5k2/8/P7/8/8/K7 w - - 0 1", "Kb2 Ke6 a5 Kd7 a6 Kd8 a7 Kd7 a8=Q", None),  # too late to be said
        ("8/P7/5k2/8/8/8/8/K7 w - - 0 1", "a8=Q Ke6", None),  # at once
        ("8/2k5/8/P7/8/8/8/K7 w - - 0 1", "a6 Kc8 a7 Kb7 a8=Q Kxa8", None),
    ],
)
def test_pawn_that_promotes(fen: str, line: str, square: str | None) -> None:
    board = chess.Board(fen)
    found = promoting(Line(board, line_of(board, line)))
    assert found == (None if square is None else chess.parse_square(square))


BAD: list[tuple[str, str, Told, Told, str]] = [
    (
        *("6k1/2Kn4/8/5p2/P7/8/8/8 b - - 3 72", "Ne5"),
        *((Cp(-987), "f4 a5 Nc5 Kb6 f3 Kxc5 f2"), (Cp(140), "a5 f4 a6 f3 a7 Kf7 a8=Q Ke6")),
        (
            "72... f4 would have kept a winning position, "
            "but now after 73. a5 the pawn on a5 promotes, and White has the advantage."
        ),
    ),
    (
        *("rn1qkbnr/ppp2ppp/8/4p3/2B1P3/5Q2/PPP2PPP/RNB1K2R b KQkq - 1 6", "Nf6"),
        *((Cp(132), "Qd7 c3 Nf6"), (Cp(245), "Qb3 Qe7 Nc3 c6")),
        "7. Qb3 threatens 8. Bxf7+ with mate, and White's advantage grows; better was 6... Qd7.",
    ),
    (
        *("1nbq1knr/rp2b3/2ppp2p/p6p/2PP2p1/P1B1P1NB/1P3P2/RN1QK2R w KQ - 0 18", "d5"),
        *((Cp(158), "Bf1 Nd7 Nxh5 Ngf6 Nf4"), (Cp(-55), "e5 f4 gxh3 fxe5 dxe5 Bxe5")),
        (
            "18. Bf1 Nd7 19. Nxh5, which wins a pawn, would have kept the advantage, "
            "but now after 18... e5 19. f4 gxh3 the advantage is gone."
        ),
    ),
    (
        *("r1b2rk1/2p1qppp/p2p4/1p5n/3QP3/1B6/PPPN1PPP/R4RK1 w - - 0 13", "c4"),
        *((Cp(37), "e5 dxe5 Rfe1 exd4 Rxe7 c5"), (Cp(-24), "Nf4 Rfe1 Bb7 Qe3 Qf6 Nf1 b4 c5 dxc5")),
        "13... Nf4 threatens to win the queen with 14... Ne2+; better was 13. e5.",
    ),
    (
        *("2kr3r/ppp3pp/2B2p2/2p1p3/8/2P5/PP1B1PPP/R3R1K1 b - - 0 14", "bxc6"),
        *((Cp(95), "Rxd2 Be4 g6 g4 Rxb2 Rab1 Rxb1 Rxb1"), (Cp(308), "Be3 c4 Bxa7 Rd2 Rab1 Kb7 Be3")),
        "After 15. Be3 c4 16. Bxa7 White is winning; better was 14... Rxd2, which wins a pawn more.",
    ),
    (
        *("8/8/8/8/p7/8/3K4/6k1 w - - 0 1", "Ke3", (Cp(0), "Kc2 Kf2"), (Cp(-900), "a3")),
        "After 1... a3 the king can no longer catch the pawn on a3, and Black is winning; better was 1. Kc2.",
    ),
    (
        *("8/8/8/4k3/4P2P/8/8/3B2K1 w - - 0 1", "Kg2", (Cp(300), "Bc2"), (Cp(0), "Kxe4")),
        (
            "1. Bc2 would have kept a winning position, but now after 1... Kxe4 the bishop does not cover h8,"
            " where the pawn promotes, and the advantage is gone."
        ),
    ),
    (
        *("8/4k3/8/8/3K4/8/4P3/8 w - - 0 1", "Kd3", (Cp(200), "Ke5 Kd7"), (Cp(0), "Kd6 e4")),
        (
            "1. Ke5, which takes the opposition, would have kept a winning position, "
            "but now after 1... Kd6 the advantage is gone."
        ),
    ),
    (
        *("8/8/8/4p3/2k1P1K1/8/8/8 w - - 0 1", "Kf5"),
        *((Cp(300), "Kg5 Kd4 Kf5"), (Cp(-400), "Kd4 Kg4 Kxe4")),
        (
            "1. Kg5 would have kept a winning position, "
            "but now 1... Kd4 puts White in zugzwang, and Black is winning."
        ),
    ),
    (  # the fork is the point, not the pawn
        *(
            "r3k3/ppp2ppp/8/8/3n4/8/PPP2PPP/R3KB2 w q - 0 1",
            "h3",
            (Cp(10), "Bd3"),
            (Cp(-110), "Nxc2+ Kd2 Nxa1"),
        ),
        ("1... Nxc2+ forks the king on e1 and the rook on a1; better was 1. Bd3."),
    ),
    (
        *(
            "r3k3/ppp2ppp/8/8/3n4/8/PPB2PPP/R3KB2 w q - 0 1",
            "h3",
            (Cp(10), "Ba4"),
            (Cp(-110), "Nxc2+ Kd2 Nxa1"),
        ),
        (
            "1... Nxc2+ takes the bishop on c2 and forks the king on e1 and the rook on a1;"
            " better was 1. Ba4+."
        ),
    ),
    (
        *("4r3/3q1pk1/5pbp/3Nb3/1p6/6PP/1P1QRPBK/8 w - - 1 32", "Qxb4"),
        *((Cp(360), "f4 Bd6 Rxe8 Qxe8 Nxf6 Kxf6 Qxd6+"), (Cp(-354), "Bxg3+ fxg3 Rxe2 Nf4 Rc2 b3 Qd2")),
        (
            "32. f4, which attacks the bishop on e5, would have kept a winning position,"
            " but now 32... Bxg3+ uncovers an attack by the rook on e8 on the rook on e2, and "
            "Black is winning."
        ),
    ),
    (  # more than a pawn of it is not certain, and yet it is a queen for a rook
        *("6k1/1p3p2/p2p2p1/P1pP4/5P2/2P1r2p/7Q/7K w - - 0 38", "c4"),
        *((Cp(345), "Qb2 c4 Kh2 Rd3"), (Cp(-880), "Re1+ Qg1 Rxg1+ Kxg1 Kg7 Kh2 Kf6 Kxh3 Kf5")),
        "Loses the queen for a rook: 38... Re1+ 39. Qg1 Rxg1+ 40. Kxg1. 38. Qb2 wins a pawn.",
    ),
    (
        *("r3k2r/p2b3p/1p2p1p1/qR1pnp2/3p1P2/P2B1Q2/P1P3PP/2B2RK1 w kq - 0 16", "Rxa5"),
        *((Cp(176), "Qe2 Bxb5 Bxb5+ Kf7 fxe5"), (Cp(-399), "Nxf3+ gxf3 bxa5 Bb2 Kf7 Bxd4 Rhb8 Be5 Rb6")),
        (
            "16. Qe2 would have kept the advantage, "
            "but now after 16... Nxf3+ 17. gxf3 bxa5 Black has won the exchange."
        ),
    ),
    (  # a promotion is a gain without a capture
        *("8/P4pkp/6p1/8/8/1r6/5PP1/6K1 w - - 0 1", "f4", (Cp(600), "a8=Q Rb2"), (Cp(-100), "Ra3 Kf2 Rxa7")),
        (
            "1. a8=Q would have kept a winning position, "
            "but now after 1... Ra3 2. Kf2 Rxa7 Black has the advantage."
        ),
    ),
    (  # what is taken en passant does not stand where the capture goes
        *("r3k2r/ppp3pp/8/8/4p3/8/PPPP2PP/R3K2R w - - 0 1", "d4"),
        *((Cp(60), "d3"), (Cp(-160), "exd3 cxd3 Kd7")),
        "After 1... exd3 Black has the advantage; better was 1. d3.",
    ),
    (
        *("r3k1r1/p2n3p/6p1/3P1b2/2B5/8/P2K1PPP/R5NR b q - 2 19", "Ne5"),
        *((Cp(100), "Nb6 Bb3 O-O-O"), (Cp(500), "Re1 Kd7 Rxe5")),
        ("Loses the knight on e5: 20. Re1 pins the knight on e5. Better was 19... Nb6."),
    ),
    (
        *("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1", "Rb3", (Mate(1), "Rb8#"), (Mate(-2), "Ra1+ Rb1 Rxb1#")),
        "Allows back-rank mate in 2: 1... Ra1+ 2. Rb1 Rxb1#. 1. Rb8# is mate.",
    ),
    (
        *("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1", "Rc1", (Mate(2), "h3"), (Mate(-8), "h6")),
        "Allows mate in 8: 1... h6. 1. h3 mates in 2.",
    ),
    (
        *("6k1/5ppp/7r/8/8/8/5PPP/1R4K1 b - - 0 1", "Rc6", (Cp(0), "g5"), (Mate(2), "Rb8+ Rc8 Rxc8#")),
        "Allows back-rank mate in 2: 2. Rb8+ Rc8 3. Rxc8#. Better was 1... g5.",
    ),
    (
        *(SCHOLAR, "Nf6", (Cp(0), "g6"), (Mate(1), "Qxf7#")),
        "Allows mate: 4. Qxf7#. Better was 3... g6.",
    ),
    (
        *("6k1/5ppp/8/8/8/8/5PPP/1R2R1K1 w - - 0 1", "h3", (Mate(1), "Rb8#"), (Cp(900), "h6")),
        "Misses back-rank mate: 1. Rb8#.",
    ),
    (
        *("7k/8/5K2/8/8/8/8/R7 w - - 0 1", "Ra2", (Mate(2), "Kf7 Kh7 Rh1#"), (Cp(900), "Kg8")),
        "Misses mate in 2: 1. Kf7 Kh7 2. Rh1#.",
    ),
    (
        *("7k/8/8/6Q1/8/5K2/8/8 w - - 0 1", "Qg6", (Mate(4), "Kf4"), (Cp(0), "")),
        "Stalemate gives away a winning position: 1. Kf4 would have kept it.",
    ),
    (
        *("r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", "b4"),
        *((Cp(40), "O-O Nf6 d3"), (Cp(-90), "Bxb4 c3 Ba5")),
        "Loses the pawn on b4: 4... Bxb4. Better was 4. O-O.",
    ),
    (
        *("3rk3/pp3ppp/8/8/8/4b3/PPN2PPP/3RK3 b - - 0 1", "f6", (Cp(0), "Bb6"), (Cp(300), "Nxe3 Rxd1+ Kxd1")),
        "Loses the bishop on e3, which is undefended: 2. Nxe3. Better was 1... Bb6.",
    ),
    (
        *("8/8/8/8/p7/8/3K4/5k2 w - - 0 1", "Ke3", (Cp(0), "Kc2 Ke2 Kb2"), (Cp(-900), "a3 Kd2 a2 Kc2 a1=Q")),
        "Lets the pawn on a4 promote: 1... a3 2. Kd2 a2 3. Kc2 a1=Q. Better was 1. Kc2.",
    ),
    (
        *("r3k3/5ppp/p7/3N4/8/8/PP3PPP/R5K1 w - - 0 1", "h3", (Cp(700), "Nc7+ Kd7 Nxa8"), (Cp(300), "Kd8")),
        "Misses a chance to win the rook on a8: 1. Nc7+ forks the king on e8 and the rook on a8.",
    ),
    (
        *("r5k1/p1p2ppp/1p6/8/7B/6P1/r4P1P/R5K1 b - - 0 1", "Rxf2", (Cp(0), "Rxa1+"), (Cp(500), "Kxf2")),
        "Loses the rook on f2 for a pawn: 2. Kxf2. 1... Rxa1+ wins the rook on a1.",
    ),
    (
        *("3q2k1/5ppp/8/8/8/3B4/5PPP/3R2K1 b - - 0 1", "h6", (Cp(0), "Qf8"), (Cp(600), "Bh7+ Kxh7 Rxd8")),
        (
            "Loses the queen for a piece: 2. Bh7+ uncovers an attack by the rook on d1 on the queen on d8."
            " Better was 1... Qf8."
        ),
    ),
    (
        *("6k1/1p3ppp/2n5/4b3/B7/8/5PPP/4R1K1 b - - 0 1", "h6", (Cp(0), "f6"), (Cp(300), "Bxc6 bxc6 Rxe5")),
        "Loses a piece: 2. Bxc6 takes the defender of the bishop on e5. Better was 1... f6.",
    ),
    (
        *("3q2k1/p4pp1/8/4N3/8/8/5PP1/6KR b - - 0 1", "a6", (Cp(0), "Qe7")),
        (Cp(300), "Rh8+ Kxh8 Nxf7+ Kg8 Nxd8"),
        (
            "Loses the queen and a pawn for a rook: 2. Rh8+ draws the king on g8 to h8"
            " (2. Rh8+ Kxh8 3. Nxf7+ Kg8 4. Nxd8). Better was 1... Qe7."
        ),
    ),
    (
        *("3qk3/8/8/4N3/8/8/8/2K1R3 b - - 0 1", "Qd7", (Cp(0), "Kf8"), (Cp(900), "Nxd7+ Kxd7")),
        ("Loses the queen on d7 for a piece: 2. Nxd7+ is a discovered check. Better was 1... Kf8."),
    ),
    (
        *("7k/8/8/8/8/5K2/6Q1/8 w - - 0 1", "Qg6", (Cp(900), "Kf4"), (Cp(0), "")),
        "Stalemate gives away a winning position: 1. Kf4 would have kept it.",
    ),
    (
        *(CHECKS, "Qxc3", (Cp(-351), "Qf6 Rxe4"), (Cp(0), "Qg6+ Kg8 Qh7+ Kf7")),
        "Lets White give perpetual check: 31. Qg6+ Kg8 32. Qh7+ Kf7.",
    ),
    (
        *(PAWN, "Kd2", (Cp(200), "e4"), (Cp(0), "Kd7 Ke3 Ke8 Kd2")),
        "Allows a repetition of moves: 1... Kd7 2. Ke3 Ke8 3. Kd2.",
    ),
    (
        *("7k/8/7K/8/Q7/8/8/6r1 w - - 0 1", "Qa2", (Cp(900), "Qe8+"), (Cp(0), "Rg6+ Kxg6")),
        "Lets Black escape by stalemate: 1... Rg6+ 2. Kxg6.",
    ),
    (
        *("r5k1/5ppp/8/8/2N5/8/5PPP/4R1K1 b - - 0 1", "h6", (Cp(10), "g6"), (Cp(80), "Nb6 Rb8")),
        "2. Nb6 attacks the rook on a8; better was 1... g6.",
    ),
    (
        *("6k1/5ppp/8/8/8/3r4/5PPP/4R1K1 w - - 0 1", "h3", (Cp(600), "Re8#"), (Cp(-30), "Rd8")),
        "1. Re8# would have kept a winning position, but now after 1... Rd8 the advantage is gone.",
    ),
    (
        *("6k1/5ppp/8/8/4r3/8/5PPP/3R2K1 b - - 0 1", "h6", (Cp(10), "g6"), (Cp(160), "Rd8+ Kh7")),
        "After 2. Rd8+ White has the advantage; better was 1... g6.",
    ),
    (
        *("6k1/5ppp/4p3/8/8/2r5/3P1PPP/3R2K1 b - - 0 1", "Rc6", (Cp(-120), "Rc2"), (Cp(-20), "d4")),
        "1... Rc2 would have kept the advantage, but now after 2. d4 the advantage is gone.",
    ),
    (
        *("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "f3", (Cp(600), "f4"), (Cp(-90), "Kf8")),
        "1. f4 would have kept a winning position, but now after 1... Kf8 the advantage is gone.",
    ),
    (
        *("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "Kd2", (Cp(210), "Kf2"), (Cp(0), "Ke4")),
        "1. Kf2 would have kept a winning position, but now after 1... Ke4 the advantage is gone.",
    ),
    (
        *("r1b1qrk1/p1pn1pbp/1p1p2p1/3Np3/2PPP1n1/3QBN2/PP3PPP/R3KB1R b KQ - 1 11", "c6"),
        *(
            (Cp(-135), "Nxe3 fxe3 Qd8 Be2 exd4 exd4 Re8"),
            (Cp(129), "Nc7 Qe7 Nxa8 Nxe3 fxe3 exd4 exd4 Nf6 Be2 Nxe4"),
        ),
        ("12. Nc7 forks the queen on e8 and the rook on a8; better was 11... Nxe3."),
    ),
    (
        *(PAWN, "e3", (Cp(250), "Kd2"), (Cp(130), "Ke7")),
        "1. Kd2 would have kept the advantage, but now after 1... Ke7 White's advantage is smaller.",
    ),
    (
        *(PAWN, "e3", (Cp(-110), "Kd2"), (Cp(-310), "Ke7")),
        "1. Kd2 would have limited the damage, but now after 1... Ke7 Black is winning.",
    ),
    (
        *("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", "f4"),
        *((Cp(250), "Nf3 Nc6"), (Cp(60), "exf4 Nf3 g5")),
        (
            "2. Nf3, which attacks the pawn on e5, would have kept the advantage,"
            " but now 2... exf4 takes the pawn on f4, and much of the advantage is gone."
        ),
    ),
    (
        *("r1bqk2r/ppp2p2/3p3p/2b1n1pn/2B1P3/3P2B1/PPP2PPP/RN1Q1RK1 w kq - 0 10", "Qxh5"),
        *((Cp(170), "Bxe5 dxe5 Qxh5 Qe7 Nd2 Be6 c3 a6"), (Cp(-265), "Bg4 Bxe5 Bxh5 Bxh8 f6 Nc3 c6")),
        (
            "10. Bxe5 dxe5 11. Qxh5 would have kept the advantage, "
            "but now 10... Bg4 traps the queen on h5, and Black has the advantage."
        ),
    ),
    (
        *("8/8/P3p3/1R1pkpp1/8/K7/5r2/8 b - - 1 53", "Rh2"),
        *((Cp(0), "Rf3+ Kb2 Rf4 Kb3 Rf3+"), (Cp(188), "a7 Rh3+ Ka2 Rh2+ Rb2 Rh8 Rb8 Rh2+")),
        "54. a7 threatens 55. a8=Q, and White has the advantage; better was 53... Rf3+.",
    ),
    (  # Rxa8 takes the new queen
        *("8/8/P3p3/1R1pkpp1/8/K7/7r/8 b - - 1 53", "Rh8"),
        *((Cp(0), "Rh3+ Kb2 Rh4"), (Cp(188), "a7 Ra8 Rb7 d4")),
        "After 54. a7 White has the advantage; better was 53... Rh3+.",
    ),
    (
        *("5rk1/4Qp1p/p3pPp1/1pp5/8/P4P1P/1Pq3P1/6RK b - - 0 33", "Qxb2"),
        *((Cp(-145), "a5 Re1 b4 Rxe6 Qxb2 Rd6"), (Cp(790), "Rd1 Qd4 Rxd4 cxd4 Qd6 h6 Qxd4")),
        (
            "33... a5 would have kept the advantage, "
            "but now 34. Rd1 threatens 35. Qxf8+ with mate, and White is winning."
        ),
    ),
    (
        *("r1bq1rk1/pp3ppp/2n1p3/3p4/2PP4/1Qb1B1P1/PP3PBP/R3K2R w KQ - 0 12", "bxc3"),
        *((Cp(19), "Qxc3 dxc4 O-O Ne7"), (Cp(-149), "Na5 Qc2 Nxc4 Bc1 b6 O-O Ba6 Re1 Na5")),
        (
            "12... Na5 attacks the queen on b3 and the pawn on c4, and Black has the advantage;"
            " better was 12. Qxc3, which wins a pawn more."
        ),
    ),
    (  # the rook on f6 is guarded: it is the queen behind it who falls
        *("r5kn/p1p3pp/1p1p1r2/3Pp2q/2P1P3/2P2RP1/P2B2K1/R2Q4 b - - 1 24", "Raf8"),
        *((Cp(-276), "Rf7 Rxf7 Qxf7"), (Cp(723), "Rxf6 Qxd1 Rxf8+ Kxf8 Rxd1 Nf7 Rf1 g6")),
        "Loses a rook: 25. Rxf6 Qxd1 26. Rxf8+ Kxf8 27. Rxd1. Better was 24... Rf7.",
    ),
    (
        *("4R1k1/5r1p/p4np1/3p4/2p4Q/8/q2BK1PP/8 b - - 3 40", "Rf8"),
        *((Cp(-1493), "Nxe8 Qd8 Qa4"), (Cp(263), "Rxf8+ Kxf8 Qxf6+ Kg8 Qd8+ Kg7")),
        (
            "Loses a piece: 41. Rxf8+ takes the defender of the knight on f6."
            " 40... Nxe8 wins the rook on e8 for a pawn."
        ),
    ),
    (
        *("rn2k1nr/pp2q1pp/2pbbp2/3p4/3PpN2/1QP1P1P1/PP3PBP/RNB2RK1 b kq - 5 9", "h6"),
        *((Cp(-42), "Bf7 c4 dxc4 Qc2 Na6"), (Cp(755), "Nxe6 b6 Bh3 h5 c4 h4")),
        "Loses a piece: 10. Nxe6 (10... Qxe6 11. Qxb7). Better was 9... Bf7.",
    ),
    (
        *("8/6R1/4pN2/8/r4k2/6p1/4K3/8 w - - 0 46", "Nh5+"),
        *((Cp(692), "Rg4+ Ke5 Rxa4 Kxf6 Kf3"), (Cp(12), "Ke5 Nxg3 Ra2+ Kd3 Ra3+")),
        (
            "46. Rg4+, which wins the rook on a4 by the check, would have kept a winning position,"
            " but now after 46... Ke5 47. Nxg3 Ra2+ the advantage is gone."
        ),
    ),
    (
        *("r3k2r/ppNq1pbp/3p1p2/8/2Q1P3/8/PPP2PPP/R3K2R b KQkq - 0 12", "Kf8"),
        *((Cp(591), "Ke7 Nxa8 Rxa8 O-O-O"), (Cp(820), "Nxa8 b5 Qd5 f5 O-O-O fxe4")),
        "13. Nxa8 takes the rook on a8; better was 12... Ke7 13. Nxa8 Rxa8.",
    ),
    (  # the rook has no square, but the knight can be taken
        *("r1bqk2r/3pbpp1/2p2n1p/np2p3/B3P3/2PP1N2/P4PPP/RNBQK2R w KQkq - 0 10", "Bb3"),
        *((Cp(-80), "Bc2 Qc7 O-O O-O"), (Cp(-235), "Nxb3 Qxb3 d6 O-O O-O")),
        "After 10... Nxb3 Black has the advantage; better was 10. Bc2.",
    ),
    (
        *("rnbqk1nr/pppp1ppp/8/8/1b1Qp3/2N5/PPP1PPPP/R1B1KBNR b KQkq - 0 1", "Nc6"),
        *((Cp(0), "Bxc3+ Qxc3 Nf6"), (Cp(420), "Qxg7 Qf6 Bh6 Qxh6 Qxh8")),
        (
            "2. Qxg7 takes the pawn on g7 and attacks the rook on h8, and White is winning;"
            " better was 1... Bxc3+."
        ),
    ),
    (  # in passing it takes nothing on b3
        *("2rq1rk1/pp3ppp/2nbpn2/3p4/1PpP1B2/P1P1PN2/2QN1PPP/R3R1K1 b - b3 0 13", "b5"),
        *((Cp(-165), "cxb3 Nxb3 Bxf4 exf4 Na5"), (Cp(17), "Bxd6 Qxd6 a4 a6 e4 Qd8")),
        (
            "13... cxb3 14. Nxb3 Bxf4 would have kept the advantage, "
            "but now after 14. Bxd6 the advantage is gone."
        ),
    ),
    (  # the queen on e2 guards c2, but may not take
        *("r3kbnr/pp4pp/3p1p2/qNpPp3/1n2P3/4BN2/PPP2PPP/R2QK2R w KQkq - 1 10", "Qe2"),
        *((Cp(206), "Nc3 Qc7 Qe2 Qd7"), (Cp(-381), "Nxc2+ Kd1 Nxa1 Nc3 Qa6")),
        "Loses a rook and a pawn: 10... Nxc2+ is double check. Better was 10. Nc3.",
    ),
    (  # the knight could have moved
        *("4r1k1/pp1rn2p/3p2p1/1Pp5/P4PnB/4PK2/4N3/2RR4 b - - 1 35", "Nh6"),
        *((Cp(-428), "Nxe3 Kxe3 Nf5+ Kf2 Nxh4"), (Cp(-86), "Bg5 b6 Bxh6 Nf5 Bg5 Rxe3+")),
        (
            "35... Nxe3 would have kept a winning position,"
            " but now 36. Bg5 attacks the knight on h6, and much of the advantage is gone."
        ),
    ),
    (  # the knight was pinned before
        *("r3k2r/ppp2q1p/3b1pp1/3Nnb2/2PN4/P3Q3/1P2PPPP/R3KB1R b KQkq - 6 16", "Bd7"),
        *((Cp(66), "Bc5 b4 Bxd4 Qxd4 c6"), (Cp(306), "f4 c6 fxe5 fxe5 Nc3 Qxc4")),
        "17. f4 attacks the knight on e5, and White is winning; better was 16... Bc5.",
    ),
    (
        *("rn2k1r1/pp2pp2/2p4p/8/2B2q2/1QP2pNP/PP3P1K/R3R3 w q - 2 19", "Re3"),
        (Cp(1415), "Qxb7 e6 Qc8+ Ke7 Qxg8 Qg5 Qxg5+ hxg5 Nf5+ Kf6 Nd4"),
        (Cp(-123), "Rxg3 fxg3 Qxe3 Kh1 Nd7 Bxf7+ Kd8 Qe6 Qd2"),
        (
            "Misses a chance to win a rook and a pawn: 19. Qxb7 e6 20. Qc8+ Ke7 21. Qxg8."
            " After 19... Rxg3 20. fxg3 Qxe3 Black has won a piece."
        ),
    ),
    (
        *("r2q1rk1/p4ppp/5b2/5b2/4p1n1/1B3PQ1/PPPP2PP/R1B1K1NR b KQ - 0 16", "exf3"),
        *((Cp(-552), "Bh4 fxg4 Bxg4 Ne2 Bxe2 Kxe2 Bxg3 hxg3"), (Cp(-150), "Qxf3 Re8+ Ne2 Nh6 h3 Be4 Qf2")),
        (
            "16... Bh4, which pins the queen on g3, would have kept a winning position, "
            "but now 17. Qxf3 attacks the bishop on f5, and much of the advantage is gone."
        ),
    ),
    (
        *("r3k2r/pbpp1ppp/1pn5/4p3/2B1P3/3P1N1q/PPP2B1P/R2QK1R1 w Qkq - 1 12", "Rg3"),
        *((Cp(761), "Bxf7+ Kf8 Bd5 Qh5 Rg5 Qh3 Qe2 g6"), (Cp(317), "Qh6 Qd2 Qxd2+ Nxd2 g6 O-O-O Ke7")),
        (
            "After 12... Qh6 13. Qd2 Qxd2+ White's advantage is smaller; "
            "better was 12. Bxf7+, which takes the pawn on f7 (12... Kxf7 13. Ng5+)."
        ),
    ),
    (  # the threat is there after the better move, too
        *("8/bp3Q2/p7/8/4p3/B2kP3/3PqPPP/6K1 w - - 1 44", "Qd7+"),
        *((Cp(819), "Qd5+ Kc2 Qa2+ Kd3 Qb1+ Kc4"), (Cp(242), "Kc2 Qc7+ Kxd2 Bb4+ Kd1 h4")),
        (
            "44. Qd5+ Kc2 45. Qa2+ would have kept a winning position, "
            "but now after 44... Kc2 45. Qc7+ Kxd2 White's advantage is smaller."
        ),
    ),
    (  # the rook is taken back, and White was the exchange up
        *("3r1qk1/5ppp/Q7/1pp5/8/2Pn4/PP3PPP/R3R1K1 w - - 1 22", "Qxb5"),
        *((Cp(585), "Re2 Nf4 Re4 g5 Qxb5 Kg7 a4 Qd6"), (Cp(352), "Nxe1 Rxe1 Rb8 Qe2 Qd8 a4 g6 Ra1")),
        "After 22... Nxe1 23. Rxe1 Black has won back the exchange for a pawn; better was 22. Re2.",
    ),
    (  # the pawn on c6 attacks b7, not the bishop behind it
        *("r1bqk2r/pppp1ppp/2P2b2/8/2B1n3/5N2/PP3PPP/R1BQ1RK1 b kq - 0 10", "O-O"),
        *((Cp(-178), "bxc6 Qc2 d5 Bd3 O-O Qxc6 Rb8"), (Cp(-96), "Bd5 Nd6 cxb7 Bxb7 Bxb7 Nxb7 Be3 Re8")),
        (
            "10... bxc6, which takes the pawn on c6, would have kept the advantage, "
            "but now 11. Bd5 attacks the knight on e4."
        ),
    ),
    (  # pawns of both sides promote
        *("8/8/3k4/3P1pp1/2K5/6P1/7P/8 w - - 0 46", "h4"),
        *((Cp(405), "Kd4 f4 Ke4 fxg3 hxg3 g4 Kd4 Ke7"), (Cp(0), "f4 h5 fxg3 h6 g2 h7 g1=Q h8=Q Qf1+")),
        (
            "46. Kd4 would have kept a winning position, "
            "but now after 46... f4 47. h5 fxg3 the advantage is gone."
        ),
    ),
    (  # a score as of a mate is not explained by a piece
        *("2k4r/1p2P1pp/1p6/8/4n1q1/NBP2r2/PP4PP/R3R1K1 w - - 0 21", "Ba4"),
        *((Cp(-348), "Bc2 Rf4 Nc4 Qe6 Nd2 Qxe7 Bxe4 Qc5+"), (Cp(-4204), "Rf2 g3 Rxh2 Bd7+ Kxd7 Rad1+ Kc8")),
        (
            "21. Bc2, which attacks the knight on e4, would have limited the damage, "
            "but now 21... Rf2 threatens 22... Qxg2#, and Black's advantage grows."
        ),
    ),
    (  # engines differ about a score of 0
        *("r2q1rk1/p4ppp/5bb1/4n3/4p3/1B2Q3/PPPP1PPP/R1B1K1NR b KQ - 4 14", "Ng4"),
        *((Cp(-174), "a5 Ba4 Rb8 Qc5 Rc8 Qb5 e3 fxe3"), (Cp(0), "Qh3 h5 Ne2 Qd6 O-O a5 c3 a4")),
        "14... a5 would have kept the advantage, but now 15. Qh3 attacks the knight on g4.",
    ),
    (  # the queen merely moves: what is won then is told
        *("1k1r2nr/ppp2pp1/3p1b2/4p3/q3P1Q1/1NP1B2P/PP3P2/1K1R3R b - - 12 20", "Be7"),
        *((Cp(-477), "Rh4 Qg2 Qxe4+ Qxe4 Rxe4 Nd2 Rh4"), (Cp(-215), "Nd2 g6 f4 Nf6 Qf3 Qc6")),
        (
            "20... Rh4 21. Qg2 Qxe4+ 22. Qxe4 Rxe4, which wins a pawn, would have kept a winning position, "
            "but now after 21. Nd2 Black's advantage is smaller."
        ),
    ),
    (
        *("r1q2rk1/1p2ppbp/pB4p1/2pP1n2/2P2Q2/2N5/PP3PPP/2R2RK1 b - - 5 18", "Nd4"),
        *((Cp(49), "Bh6 Qe5 Bxc1 Rxc1 Qb8 Qxb8"), (Cp(129), "Rcd1 Re8 Rfe1 Nf5 Qd2 Bd4 h3 e6")),
        "Better was 18... Bh6, which attacks the queen on f4 and, behind it, the rook on c1.",
    ),
    (
        *("r1b1k3/ppp3p1/3p2p1/2b1p3/1nB1P2P/3P1P2/PPPN1P2/2K3R1 b q - 2 15", "Kf8"),
        *((Cp(-367), "Bxf2 Rxg6 Kf8 h5 Be3 c3 Nc6"), (Cp(-279), "d4 Bxd4 c3 Bxf2 Rg2 Bxh4 cxb4 g5")),
        "Better was 15... Bxf2, which takes the pawn on f2 and attacks the rook on g1.",
    ),
    (  # the exchange that it misses is less than the queen that it loses
        *("rn1q3r/pbppk3/1p2pn1p/4N3/3P4/2NB1p2/PPP3PP/R2QK2R w KQ - 0 14", "Qxf3"),
        *((Cp(215), "Ng6+ Kf7 Nxh8+ Qxh8 gxf3 Nc6 Ne2 Rg8"), (Cp(-719), "Bxf3 Ng6+ Kd6 gxf3 Rg8 a4 a6")),
        (
            "14. Ng6+, which attacks the rook on h8 with check, would have kept the advantage, "
            "but now after 14... Bxf3 Black is winning."
        ),
    ),
    (  # a mate that is too far away to be told is not explained by a piece either
        *("6rk/pbq2prp/4PQ2/1pp5/8/PB1P3P/1PP3P1/R4RK1 b - - 0 24", "Qc6"),
        *((Mate(-9), "Qg3 Bd5 Bxd5 Rf2 Bxg2 Qf4 Qxh3 Re2"), (Cp(400), "Rf2 fxe6 Bxe6 Re8 Bg4 Qxf6 Rxf6")),
        (
            "24... Qg3, which threatens 25... Qxg2#, would have kept a winning position, "
            "but now after 25. Rf2 fxe6 26. Bxe6 White is winning."
        ),
    ),
    (
        *("r1bq1rk1/pppp1ppp/2n2n2/2b1p3/2B1P3/1P3N2/PBPP1PPP/RN1QK2R w KQ - 3 6", "d4"),
        *((Cp(-54), "d3 d5 exd5 Nxd5 Nbd2 Bg4 h3 Bh5"), (Cp(-252), "exd4 O-O Nxe4 Nxd4 Qh4 c3 Ne5 Be2")),
        "Loses the pawn on d4: 6... exd4 (7. Nxd4 Nxd4 8. Bxd4 Nxe4). Better was 6. d3.",
    ),
    (  # not for a pawn, which is taken back later
        *("rnb1k1nr/pp3ppp/8/4p3/1b2p3/1NP2P2/PP4PP/R1BNKB1R b KQkq - 0 9", "Bc5"),
        *((Cp(48), "Be7 fxe4 Nf6 Nf2 Be6 Be3"), (Cp(435), "Nxc5 exf3 Ne4 Nf6 Nd6+ Ke7 Nxc8+ Rxc8 gxf3")),
        "Loses the bishop on c5, which is undefended: 10. Nxc5 exf3. Better was 9... Be7.",
    ),
    (
        *(
            "6k1/5ppp/8/7b/4p3/5N2/5PPP/6K1 b - - 0 1",
            "Bxf3",
            (Cp(-300), "exf3 gxf3 Bxf3"),
            (Cp(0), "gxf3 exf3"),
        ),
        "Captures with the wrong piece: better was 1... exf3 2. gxf3 Bxf3.",
    ),
]


def bad(count: Counting, fen: str, move: str, before: Told, after: Told) -> Reason:
    board = chess.Board(fen)
    then = board.copy()
    played = then.push_san(move)
    known = Known(before[0], line_of(board, before[1])), Known(after[0], line_of(then, after[1]))
    reason = why_bad(board, played, *known, count)
    assert reason is not None
    return reason


@pytest.mark.parametrize(("fen", "move", "before", "after", "said"), BAD)
def test_what_is_said_of_a_bad_move(
    count: Counting, fen: str, move: str, before: Told, after: Told, said: str
) -> None:
    assert bad(count, fen, move, before, after).paragraph == said


ITALIAN = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
HUNG = "rnbqkbnr/pppp1ppp/8/4p3/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2"
NIMZO = "rnbqk2r/pppp1ppp/4pn2/8/1bPP4/2N5/PP2PPPP/R1BQKBNR w KQkq - 2 4"
QUIET: list[tuple[str, str, str, str, str]] = [
    (chess.STARTING_FEN, "h3", "e4 e5", "d5", "Better was 1. e4, which puts a pawn in the centre."),
    (chess.STARTING_FEN, "h3", "Nf3 d5", "d5", "Better was 1. Nf3, which develops the knight on g1."),
    (ITALIAN, "h3", "O-O Nf6", "d6", "Better was 4. O-O, which brings the king to safety."),
    (ITALIAN, "Ke2", "d3 Nf6", "d6", "The king can no longer castle; better was 4. d3."),
    (ITALIAN, "h3", "Bxf7+ Kxf7", "d6", "Better was 4. Bxf7+, which keeps Black from castling."),
    (HUNG, "h3", "Nxe5 d6", "d6", "Better was 2. Nxe5, which takes the pawn on e5."),
    (
        *(HUNG.replace(" w ", " b "), "h6", "e4 Ng1", "e4"),
        "Better was 2... e4, which attacks the knight on f3.",
    ),
    (
        *("r1bqk2r/ppppbpp1/2n2n1p/4p3/1PB1P3/2PP1N2/P4PPP/RNBQK2R w KQkq - 0 6", "h3", "b5 Nb8 Nxe5", "O-O"),
        "Better was 6. b5, which attacks the knight on c6, a guard of the pawn on e5.",
    ),
    (NIMZO, "h3", "Qc2 d6", "Bxc3+ bxc3 d6", "4... Bxc3+ doubles White's pawns; better was 4. Qc2."),
    (PAWN, "h3", "e4 Kd7", "Kd7", "Better was 1. e4, which advances the passed pawn."),
    (
        *("r3k3/6pp/8/5p2/4P3/8/8/R3K3 w - - 0 1", "Ra2", "e5 Ke7", "Ke7"),
        "Better was 1. e5, which makes a passed pawn.",
    ),
    (
        *("4r1k1/p4ppp/8/2p5/8/4P3/P4PPP/R5K1 w - - 0 1", "h3", "Rd1 Kf8", "Kf8"),
        "Better was 1. Rd1, which puts a rook on the open d-file.",
    ),
    (
        *("8/5ppk/8/8/8/4P3/5PPK/8 w - - 0 1", "f3", "Kg3 Kg6", "Kg6"),
        "Better was 1. Kg3, which brings the king nearer to the centre.",
    ),
    (
        *("6k1/6pp/8/8/2p5/8/3Q1PPP/6K1 w - - 0 1", "h3", "Qd5+ Kh8 Qxc4", "Kh8"),
        "Better was 1. Qd5+, which attacks the pawn on c4 with check.",
    ),
]
"""A better move, the answer, and what they do; so little is lost that it is not said how the game stands."""


@pytest.mark.parametrize(("fen", "move", "better", "answer", "said"), QUIET)
def test_what_is_said_of_a_quiet_move(
    count: Counting, fen: str, move: str, better: str, answer: str, said: str
) -> None:
    sign = 1 if chess.Board(fen).turn else -1
    assert bad(count, fen, move, (Cp(40 * sign), better), (Cp(-15 * sign), answer)).paragraph == said


SILENT: list[tuple[Told, Told]] = [
    ((Cp(900), "Kd2"), (Cp(460), "Ke7")),
    ((Cp(500), "Kd2"), (Cp(310), "Ke7")),
    ((Cp(350), "Kd2"), (Cp(290), "Ke7")),
    ((Cp(70), "Kd2"), (Cp(-40), "Ke7")),
    ((Cp(140), "Kd2"), (Cp(90), "Ke7")),
    ((Cp(60), "Kd2"), (Cp(-40), "Ke7")),
    ((Cp(-150), "Kd2"), (Cp(-240), "Ke7")),
    ((Cp(-310), "Kd2"), (Cp(-510), "Ke7")),
    ((Cp(-510), "Kd2"), (Cp(-910), "Ke7")),
    ((Cp(-710), "Kd2"), (Mate(-6), "Ke7")),
]
"""Decided before and after, or a difference that a deeper search may not see."""


def test_the_better_move_takes_back(count: Counting) -> None:
    board = chess.Board("1k4r1/3R1p1p/1B1n1p2/4p3/8/7P/5PPK/8 w - - 0 36")
    board.push_san("Rxf7")
    then = board.copy()
    move = then.push_san("h5")
    better, answer = line_of(board, "Nxf7 g4 Kc8 Be3 Kd7 f4"), line_of(then, "Bc7+ Kb7 Bxd6+ Kc6 Rxf6 Kd5")
    reason = why_bad(board, move, Known(Cp(-447), better), Known(Cp(406), answer), count)
    loss = "Loses the knight on d6: 37. Bc7+ forks the king on b8 and the knight on d6."
    assert reason is not None
    assert reason.paragraph == f"{loss} 36... Nxf7 recaptures."


def test_what_the_move_does_as_well_is_no_reason_for_another(count: Counting) -> None:
    board = chess.Board()
    then = board.copy()
    move = then.push_san("Nc3")
    known = Known(Cp(40), line_of(board, "Nf3 d5")), Known(Cp(-15), line_of(then, "d5"))
    assert why_bad(board, move, *known, count) is None


@pytest.mark.parametrize(("before", "after"), SILENT)
def test_what_nobody_would_learn_from_is_not_said(count: Counting, before: Told, after: Told) -> None:
    board = chess.Board(PAWN)
    then = board.copy()
    move = then.push_san("e3")
    known = Known(before[0], line_of(board, before[1])), Known(after[0], line_of(then, after[1]))
    assert why_bad(board, move, *known, count) is None


def test_any_moves_with_any_lines_get_a_reason_or_none(count: Counting) -> None:
    """The lines are random, of up to five plies, and may end the game."""
    random = Random(5)
    board, reasons = chess.Board(), 0

    def randomly(start: chess.Board, most: int) -> tuple[chess.Move, ...]:
        line = start.copy()
        while len(line.move_stack) - len(start.move_stack) < most and not line.is_game_over():
            line.push(random.choice(list(line.legal_moves)))
        return tuple(line.move_stack[len(start.move_stack) :])

    for _ in range(300):
        played, then = random.choice(list(board.legal_moves)), board.copy()
        then.push(played)
        before, after = (
            Known(Cp(random.randint(-400, 400)), randomly(each, random.randint(1, 5)))
            for each in (board, then)
        )
        reason = why_bad(board, played, before, after, count)
        reasons += reason is not None
        assert reason is None or not re.search(r"  |[{}]", reason.paragraph), (board.fen(), reason)
        board = then if not then.is_game_over() and then.ply() < 120 else chess.Board()
    assert reasons > 100


def test_who_cannot_move_after_a_pass_threatens_nothing(count: Counting) -> None:
    board = chess.Board("8/8/p7/8/P7/7p/7P/5k1K w - - 0 1")
    assert not list(threats(Line(board, (chess.Move.from_uci("a4a5"),)), count, quiet=True))


def test_a_capture_that_is_not_taken_back(count: Counting) -> None:
    board = chess.Board()
    for move in ("e4", "d5", "exd5"):
        board.push_san(move)
    then = board.copy()
    played = then.push_san("h6")
    best = Known(Cp(30), line_of(board, "Qxd5 Nc3 Qa5"))
    reason = why_bad(board, played, best, Known(Cp(150), line_of(then, "c4")), count)
    assert reason
    assert reason.text == "Does not recapture on d5: 2... Qxd5."
    reason = why_bad(board, played, best, Known(Cp(80), line_of(then, "c4")), count)
    assert reason
    assert reason.text == "Better was 2... Qxd5, which recaptures."


GOOD: list[tuple[str, str, Told, tuple[str, Score] | None, str]] = [
    (SCHOLAR.replace(" b ", " w "), "Qxf7#", (Mate(1), ""), None, "Checkmate."),
    (
        *("7k/8/5K2/8/8/8/8/R7 w - - 0 1", "Kf7", (Mate(1), "Kh7 Rh1#"), None),
        "Mates in 2: 1. Kf7 Kh7 2. Rh1#.",
    ),
    (
        *("3rk3/pp3ppp/8/8/8/4b3/PPN2PPP/3RK3 w - - 0 1", "Nxe3", (Cp(300), "Rxd1+ Kxd1"), None),
        "Takes the bishop on e3, which is undefended.",
    ),
    (
        *("r3k3/5ppp/p7/3N4/8/8/PP3PPP/R5K1 w - - 0 1", "Nc7+", (Cp(700), "Kd7 Nxa8"), None),
        "Wins the rook on a8: 1. Nc7+ forks the king on e8 and the rook on a8.",
    ),
    (
        *("6k1/5ppp/8/8/8/8/5PPP/1R4K1 b - - 0 1", "f5", (Mate(5), "Rb8+"), None),
        "Cannot avoid mate in 5: 2. Rb8+.",
    ),
    (
        *("3q3k/5r1Q/p1p1bNp1/1p2P3/6P1/P4P1R/1PP1N3/2K5 b - - 0 26", "Rxh7", (Mate(1), "Rxh7#"), None),
        "Cannot avoid an Arabian mate: 27. Rxh7#.",
    ),
    (SCHOLAR, "g6", (Cp(0), "Qf3 Nf6"), None, "Stops the threat of mate by Qxf7#."),
    (
        *("6k1/2p2ppp/1p6/B7/8/8/5PPP/6K1 w - - 0 1", "Bc3", (Cp(-30), "h6"), None),
        "Saves the bishop on a5: otherwise bxa5 would win it.",
    ),
    (
        *(PAWN, "e3", (Cp(0), "Ke7"), ("e4", Cp(-300))),
        "By far the best move: after the next best, 1. e4, Black is winning.",
    ),
    (PAWN, "Kd2", (Cp(0), "Kd7 Kd3"), None, "Loses nothing: 1. Kd2 Kd7 2. Kd3."),
    (PAWN, "Kd2", (Cp(150), "Kd7 Kd3"), None, "Keeps the advantage: 1. Kd2 Kd7 2. Kd3."),
    (PAWN, "Kd2", (Cp(320), "Kd7 Kd3"), None, "Keeps a winning position: 1. Kd2 Kd7 2. Kd3."),
    (PAWN, "Kd2", (Cp(-110), "Kd7 Kd3"), None, "Limits the damage: 1. Kd2 Kd7 2. Kd3."),
]


NOT_SAID: list[tuple[str, str, Told, str]] = [
    # The bishop on e7 still stands between the rook and the queen.
    ("r3q1k1/4bp1p/p4np1/8/4N3/8/5PPP/4R1K1 w - - 0 1", "Nxf6+", (Cp(500), "Bxf6 Rxe8+ Rxe8"), "opens"),
    # A trade: the knight is gone, too.
    ("r4rk1/ppp2ppp/4pn2/3N4/8/8/PPP2PPP/R4RK1 w - - 0 1", "Nxf6+", (Cp(0), "gxf6 Rfe1"), "Saves"),
    # Without the move Bxc3+ bxc3 Rxa3 wins the bishop; the knight is guarded.
    ("r3k3/8/5b2/8/8/B1N5/1P3PPP/4K3 w - - 0 1", "Bc5", (Cp(0), "Kd7"), "Saves the knight"),
    ("1k6/8/1r6/8/1b5K/4B3/7P/4R3 w - - 0 1", "Bxb6", (Cp(300), "Bxe1+"), "Saves the rook"),
    # The check only puts the mate off.
    ("6k1/6p1/4p3/3p3Q/4n3/8/6PP/6RK w - - 0 1", "Qe8+", (Cp(0), "Kh7 Qh5+ Kg8"), "Stops the threat"),
    # The bishop on g2 takes back once the pawn has gone.
    ("4k3/8/8/3n4/4P3/8/6b1/3QK3 w - - 0 1", "exd5", (Cp(500), "Kd7"), "undefended"),
]


@pytest.mark.parametrize(("fen", "move", "after", "never"), NOT_SAID)
def test_what_would_not_be_so(count: Counting, fen: str, move: str, after: Told, never: str) -> None:
    board = chess.Board(fen)
    then = board.copy()
    played = then.push_san(move)
    known = Known(after[0], line_of(then, after[1]))
    assert never not in why_good(board, played, known, count, None).paragraph


NOT_SAID_OF_BAD: list[tuple[str, str, Told, Told, str]] = [
    # It is White who saves himself by checks.
    (
        *("6k1/5p1p/4q3/Q7/4p3/P4pP1/5P1P/R5K1 w - - 0 1", "a4"),
        *((Cp(400), "h4"), (Cp(0), "Qh3 Qg5+ Kh8 Qf6+ Kg8 Qg5+"), "Black"),
    ),
    # The capture is a trade: g6 guards the knight.
    (
        *("r3k2r/ppp3pp/3p1p2/4p3/5n2/2N3P1/PPP2P1P/R3KB1R b KQkq - 0 1", "Nh5"),
        *((Cp(-20), "Ne6 Bg2"), (Cp(60), "Be2 g6 Bxh5 gxh5 Nd5"), "traps"),
    ),
    # The queen takes back: it is the exchange.
    (
        *("r1q5/5kpp/1p6/p7/P3N2P/1P6/5PB1/6K1 w - - 0 1", "h5"),
        *((Cp(-40), "Ng5+ Kg8 Bxa8 Qxa8 Nf3"), (Cp(-260), "Ra7 Ng5+ Kg8"), "wins the rook"),
    ),
    # The pawn is taken in passing.
    (
        *("r1bqk2r/ppp2ppp/8/2b1n3/4p3/2P5/PP1P1PPP/RNBQKB1R w KQkq - 0 1", "h3"),
        *((Cp(40), "d4 exd3 Bxd3"), (Cp(-40), "O-O"), "attacks"),
    ),
    # The king is safe without queens.
    (
        *("r3k2r/ppp3pp/8/8/8/8/PPP1P1PP/R3K2R w KQkq - 0 1", "h3"),
        *((Cp(40), "O-O-O Ke7"), (Cp(-15), "Ke7"), "safety"),
    ),
    # The knight comes from b1.
    (
        *("r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BPP1N1P/PP3PP1/R1BQRNK1 w - - 0 1", "a3"),
        *((Cp(40), "Ng3 Re8"), (Cp(-15), "Be6"), "develops"),
    ),
    # After the better move the king cannot catch the pawn either.
    ("8/8/8/8/p7/8/5K2/7k w - - 0 1", "Kf3", (Cp(-300), "Ke2"), (Cp(-900), "a3"), "no longer"),
]


@pytest.mark.parametrize(("fen", "move", "before", "after", "never"), NOT_SAID_OF_BAD)
def test_what_would_not_be_so_of_a_bad_move(
    count: Counting, fen: str, move: str, before: Told, after: Told, never: str
) -> None:
    board = chess.Board(fen)
    then = board.copy()
    played = then.push_san(move)
    known = (Known(before[0], line_of(board, before[1])), Known(after[0], line_of(then, after[1])))
    reason = why_bad(board, played, *known, count)
    assert reason is None or never not in reason.paragraph


@pytest.mark.parametrize(
    ("fen", "line", "never"),
    [
        ("4k3/5pp1/5p2/8/7B/8/5PPP/6K1 w - - 0 1", "Bxf6 gxf6", "doubles"),  # as they were before
        ("3k1b2/8/8/1q1N4/3R2K1/r2Q4/8/8 w - - 0 1", "Nb4+ Qd7+", "wins_by_check"),  # a check in return
    ],
)
def test_effects_that_are_none(fen: str, line: str, never: str) -> None:
    board = chess.Board(fen)
    assert never not in {each.kind for each in effects(Line(board, line_of(board, line)))}


def test_kings_with_a_pawn_between_them_are_not_in_opposition() -> None:
    board = chess.Board("8/8/8/3k4/3p4/8/4K3/8 w - - 0 1")
    assert opposition(Line(board, line_of(board, "Kd3"))) is None
    board = chess.Board("8/8/8/3k4/6p1/8/4K3/8 w - - 0 1")
    assert opposition(Line(board, line_of(board, "Kd3"))) is not None


@pytest.mark.parametrize(("fen", "move", "after", "second", "said"), GOOD)
def test_what_is_said_of_a_good_move(
    count: Counting, fen: str, move: str, after: Told, second: tuple[str, Score] | None, said: str
) -> None:
    board = chess.Board(fen)
    then = board.copy()
    played = then.push_san(move)
    other = (board.parse_san(second[0]), second[1]) if second else None
    known = Known(after[0], line_of(then, after[1]))
    assert why_good(board, played, known, count, other).paragraph == said


@pytest.fixture(scope="module")
def mistakes(count: Counting) -> list[tuple[chess.Board, chess.Move, Reason]]:
    """The mistakes of real games with their refutations, the better move being the best for material."""
    found = []
    for line, _ in puzzles():
        board = line.boards[0].copy()
        played = board.pop()
        then = line.boards[0]
        _, best = count(board)
        if not best or best[0] == played:
            continue
        mate = (len(line.moves) + 1) // 2 if line.boards[-1].is_checkmate() else None
        score = Cp(600) if mate is None else Mate(mate)
        after = Known(score if then.turn else -score, line.moves)
        reason = why_bad(board, played, Known(Cp(0), tuple(best)), after, count)
        assert reason is not None
        found.append((board, played, reason))
    return found


def test_real_mistakes_lose_something(mistakes: list[tuple[chess.Board, chess.Move, Reason]]) -> None:
    kinds = [reason.facts["kind"] for *_, reason in mistakes]
    assert len(kinds) > 100
    assert kinds.count("evaluation") < 0.3 * len(kinds)


def test_every_piece_that_is_named_is_there(mistakes: list[tuple[chess.Board, chess.Move, Reason]]) -> None:
    """Before the mistake, after it, or after the first move of the refutation or of the better line."""
    named = 0
    for board, played, reason in mistakes:
        boards = [board]
        for first in (played, None):
            after = board.copy()
            if first:
                after.push(first)
                boards.append(after)
            for move in after.legal_moves:
                later = after.copy(stack=False)
                later.push(move)
                boards.append(later)
        for name, square in SQUARES.findall(reason.paragraph):
            named += 1
            kind = chess.PIECE_NAMES.index(name)
            assert any(each.piece_type_at(chess.parse_square(square)) == kind for each in boards), reason
    assert named > 50


def test_every_template_is_used(mistakes: list[tuple[chess.Board, chess.Move, Reason]]) -> None:
    said = [text for *_, text in (*BAD, *QUIET, *GOOD)]
    said += [reason.paragraph for *_, reason in mistakes]
    everything = "\n".join(said) + "\nDoes not recapture on d5: 2... Qxd5. It recaptures."
    unused = []
    for catalogue in (
        texts.REASONS,
        texts.BETTER,
        texts.GOOD,
        texts.CLAUSES,
        texts.FACTS,
        texts.IDEAS,
        texts.KEPT,
        texts.KEEPS,
        texts.NOW,
    ):
        for name, template in catalogue.items():
            pattern = re.sub(r"\\{\w+\\}", ".+", re.escape(template))
            if not re.search(pattern, everything, re.IGNORECASE):
                unused.append(name)
    assert not unused


def test_an_answer_to_the_better_move_is_no_reason(count: Counting) -> None:
    board = chess.Board("r1bq3r/pppp1kpp/2n5/2bQP3/4n3/5N2/PPP2PPP/RNB1K2R b KQ - 1 7")
    then = board.copy()
    move = then.push_san("Ke7")
    before = Known(Cp(216), line_of(board, "Kf8 Qxe4 d5 exd6 cxd6 O-O Qe8 Qh4"))
    after = Known(Cp(324), line_of(then, "Qxe4 Qe8 Nc3 h6 Nd5+ Kd8 b4 Bb6"))
    assert why_bad(board, move, before, after, count) is None
