"""Positions whose lines of legal moves others have counted, of standard chess and of Chess960.

The first seven and `promotions` are those of the Chess Programming Wiki (Perft Results, Promotions),
the numbered ones come from the file fischer.epd that engines pass on, many of the small ones from the
collection of Martin Sedlák and Peter Ellis Jones. All counts are those of Stockfish 15.1 (`go perft`).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counted:
    """A position and how many lines of 1, 2, … plies begin there."""

    name: str
    fen: str
    nodes: tuple[int, ...]


def _table(text: str) -> tuple[Counted, ...]:
    rows = (line.split(": ") for line in text.strip().splitlines())
    return tuple(Counted(name, fen, tuple(map(int, nodes.split()))) for name, fen, nodes in rows)


STANDARD = _table("""
start: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1: 20 400 8902 197281 4865609 119060324
kiwipete: r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1: 48 2039 97862 4085603 193690690
position 3: 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1: 14 191 2812 43238 674624 11030083 178633661
position 4: r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1: 6 264 9467 422333 15833292
position 4 mirrored: r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1: 6 264 9467 422333 15833292
position 5: rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8: 44 1486 62379 2103487 89941194
position 6: r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10: 46 2079 89890 3894594 164075551
promotions: n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1: 24 496 9483 182838 3605103 71179139
en passant opens a rank: 3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1: 18 92 1670 10138 185429 1134888
en passant opens a diagonal: 8/8/4k3/8/2p5/8/B2P1K2/8 w - - 0 1: 13 102 1284 10375 138886 1038514
en passant discovers a check: 8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1: 15 126 1928 13931 206379 1440467
en passant takes the checker: 8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1: 9 50 379 2369 17879 111840
en passant by either of two on the rank of the king: 4k3/8/8/K1PpP2r/8/8/8/8 w - d6 0 2: 9 139 971 15819 113912
en passant along the diagonal of the pin: 8/5b2/8/2pPp3/8/8/K7/7k w - e6 0 2: 6 64 379 4725 27987
en passant off the file of the pin: 4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 2: 6 77 530 8079 55095 887863
en passant from the opening: rnbqkb1r/ppppp1pp/7n/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3: 31 570 17546 351806 11139762
castling gives check on the king's side: 5k2/8/8/8/8/8/8/4K2R w K - 0 1: 15 66 1198 6399 120330 661072
castling gives check on the queen's side: 3k4/8/8/8/8/8/8/R3K3 w Q - 0 1: 16 71 1286 7418 141077 803711
castling rights lost by capture: r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1: 26 1141 27826 1274206
castling prevented: r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1: 44 1494 50509 1720476
castling past an attacked b1: 4k3/1r6/8/8/8/8/8/R3K2R w KQ - 0 1: 26 452 11229 178115 4582769
rights lost by a promotion that captures: r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1: 39 1007 28659 764007
promotion blocks a check: 2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1: 11 133 1442 19174 266199 3821001
discovered check: 8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1: 29 165 5160 31961 1004658
promotion gives check: 4k3/1P6/8/8/8/8/K7/8 w - - 0 1: 9 40 472 2661 38983 217342
underpromotion gives check: 8/P1k5/K7/8/8/8/8/8 w - - 0 1: 6 27 273 1329 18135 92683
stalemate: K1k5/8/P7/8/8/8/8/8 w - - 0 1: 2 6 13 63 382 2217
stalemate and checkmate: 8/k1P5/8/1K6/8/8/8/8 w - - 0 1: 10 25 268 926 10857 43261 567584
double check: 8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1: 37 183 6559 23527 811573
218 moves: R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1: 218 99 19073 85043
""")  # noqa: E501 - a line a position

CHESS960 = _table("""
fischer 1: bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9: 21 528 12189 326672 8146062
fischer 2: 2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9: 21 807 18002 667366 16253601
fischer 3: b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9: 20 479 10471 273318 6417013
fischer 4: qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9: 22 593 13440 382958 9183776
fischer 11: qnr1bkrb/pppp2pp/3np3/5p2/8/P2P2P1/NPP1PP1P/QN1RBKRB w GDg - 3 9: 33 823 26895 713420 23114629
fischer 18: bnqnrbkr/1pp2pp1/p7/3pP2p/4P1P1/8/PPPP3P/BNQNRBKR w HEhe d6 0 9: 31 984 28677 962591 29032175
fischer 61: nnrqbkrb/pppp1pp1/7p/4p3/6P1/2N2B2/PPPPPP1P/NR1QBKR1 w Ggc - 2 9: 29 658 19364 476620 14233587
fischer 81: n1rkqbbr/p1pp1pp1/np2p2p/8/8/N4PP1/PPPPP1BP/N1RKQ1BR w HChc - 0 9: 27 670 19119 494690 14708490
fischer 103: n1rk1qbb/pppprpp1/2n4p/4p3/2PP3P/8/PP2PPP1/NNRKRQBB w ECc - 1 9: 25 622 16031 425247 11420973
king and rook change places: 5k2/8/8/8/8/8/8/5KR1 w G - 0 1: 13 43 719 3975 73098 401634
king and rook change places on both queen's sides: 2rk4/8/8/8/8/8/8/2RK4 w Cc - 0 1: 12 117 1697 24633 382955
the king stands on g1 already: r1k4r/8/8/8/8/8/8/R5KR w HAha - 0 1: 24 497 11360 252414
the rook stands on f1 already: 1k3r2/8/8/8/8/8/8/4KR2 w Ff - 0 1: 12 167 2470 37883 587544
the rook shields the king from a1: 4k3/8/8/8/8/8/8/rRK4R w HB - 0 1: 17 185 4077 57884 1412716
the rook shields the king from a8: Rr1k3r/8/8/8/8/8/8/4K3 b hb - 0 1: 18 201 4683 67994 1720584
the king walks from b1 to g1: 1k4r1/8/8/8/8/8/8/1KR5 w Cg - 0 1: 16 242 3979 62365 1021085
the rook walks from b1 to d1: 8/8/8/3k4/8/8/8/1R4KR w HB - 0 1: 25 174 4756 27735 792590
an attacked square on the way: 3k4/8/8/8/5r2/8/8/1RK4R w HB - 0 1: 24 388 9275 150031 3759327
the inner rooks castle: rr1k2rr/8/8/8/8/8/8/RR1K2RR w GBgb - 0 1: 37 1142 41327 1414750
inner rooks between enemy rooks: 4k3/8/8/8/8/8/8/r1R1KR1r w FC - 0 1: 9 174 3071 64786 1410551
the rook beside the king: rk1r4/pppppppp/8/8/8/8/PPPPPPPP/1RKR4 w DBda - 0 1: 22 506 11207 255404 5695073
promotions that take the rooks: 1r1k1r2/P5P1/8/8/8/8/p5p1/1R1K1R2 w FBfb - 0 1: 41 1209 36857 1030864
king and rook cross: rk5r/1p4p1/8/8/8/8/1P4P1/RK5R w HAha - 0 1: 27 631 15619 373133
""")
