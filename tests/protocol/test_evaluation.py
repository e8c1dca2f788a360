"""The table of the evaluation, as people see it."""

from engine.board.fen import START_FEN, parse_fen
from eval.evaluator import Explanation, NetworkParts, Term
from eval.outcome import OutcomeModel
from protocol.evaluation import PLAIN, Scale, table

TERMS = (
    Term("Material", (3900, 3900), (4000, 4000)),
    Term("Passed pawns", (25, 310), (0, -5)),
    Term("Hope", (-7, 0), (1000, 2050)),
)
IN_CHECK, QUIET = parse_fen("4k3/8/8/8/8/8/8/4RK2 b - - 0 1"), parse_fen(START_FEN)
SCALE = Scale(OutcomeModel((200.0, 0.0, 0.0, 0.0), (100.0, 0.0, 0.0, 0.0)), 58, normalises=True)

TABLE = """
Evaluation: linear
+--------------+-----------------+-----------------+-----------------+
| Term         |      White      |      Black      |      Total      |
|              |      MG      EG |      MG      EG |      MG      EG |
+--------------+-----------------+-----------------+-----------------+
| Material     |  +39.00  +39.00 |  +40.00  +40.00 |   -1.00   -1.00 |
| Passed pawns |   +0.25   +3.10 |   +0.00   -0.05 |   +0.25   +3.15 |
| Hope         |   -0.07   +0.00 |  +10.00  +20.50 |  -10.07  -20.50 |
+--------------+-----------------+-----------------+-----------------+
| Total        |  +39.18  +42.10 |  +50.00  +60.45 |  -10.82  -18.35 |
+--------------+-----------------+-----------------+-----------------+

Phase: 18 of 24: the middle game counts 75%, the endgame 25%
Scale: 32 of 64: the endgame value counts 50%
Note: known ending
Note: the side to move is in check, which no term counts
Value: -2.00 pawns, White's point of view
Normalised: -1.00, +1.00 being an even chance to win
Chances of White: win 1.8%, draw 48.2%, loss 50.0%""".splitlines()


def test_all_that_can_be_said() -> None:
    explanation = Explanation(TERMS, phase=18, scale=32, value=-200, note="known ending")
    assert table("linear", explanation, SCALE, IN_CHECK) == TABLE


def test_what_is_usual_or_unknown_is_not_said() -> None:
    lines = table("material", Explanation(TERMS, phase=24, scale=64, value=7), PLAIN, QUIET)
    assert lines[1] == "Evaluation: material"
    assert lines[-2:] == [
        "Phase: 24 of 24: the middle game counts 100%, the endgame 0%",
        "Value: +0.07 pawns, White's point of view",
    ]


ENDING = parse_fen("8/8/4k3/3p4/8/8/4n3/1N1QK3 b - - 0 1")
PARTS = NetworkParts(
    (-1205, 31, -7, 0, 100, 250, -99, 12),
    1,
    tuple({1: 312, 3: 1045, 12: -5, 35: 88}.get(square) for square in range(64)),
)
NETWORK = """
Evaluation: network
White's value by output bucket, one for each number of pieces; in brackets that of this position
   1-4      5-8     9-12     13-16    17-20    21-24    25-28    29-32
 -12.05   [+0.31]   -0.07    +0.00    +1.00    +2.50    -0.99    +0.12

What each piece is worth here to its own side: the value less the value without it
8  .        .        .        .        .        .        .        .
7  .        .        .        .        .        .        .        .
6  .        .        .        .        k        .        .        .
5  .        .        .        p  0.88  .        .        .        .
4  .        .        .        .        .        .        .        .
3  .        .        .        .        .        .        .        .
2  .        .        .        .        n -0.05  .        .        .
1  .        N  3.12  .        Q 10.45  K        .        .        .
   a        b        c        d        e        f        g        h

Drawn ending, or nearly: the value counts 44%
Note: known ending
Value: +0.31 pawns, White's point of view
Normalised: +0.16, +1.00 being an even chance to win
Chances of White: win 15.6%, draw 75.4%, loss 9.0%""".splitlines()


def test_network() -> None:
    explanation = Explanation((), phase=6, scale=28, value=31, note="known ending", network=PARTS)
    assert table("network", explanation, SCALE, ENDING) == NETWORK
