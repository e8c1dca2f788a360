"""The table of the evaluation, as people see it."""

from eval.explanation import Explanation, Term
from eval.outcome import OutcomeModel
from protocol.evaluation import PLAIN, Scale, table

TERMS = (
    Term("Material", (3900, 3900), (4000, 4000)),
    Term("Passed pawns", (25, 310), (0, -5)),
    Term("Hope", (-7, 0), (1000, 2050)),
)
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
    assert table("linear", explanation, SCALE, in_check=True) == TABLE


def test_what_is_usual_or_unknown_is_not_said() -> None:
    lines = table("material", Explanation(TERMS, phase=24, scale=64, value=7), PLAIN, in_check=False)
    assert lines[1] == "Evaluation: material"
    assert lines[-2:] == [
        "Phase: 24 of 24: the middle game counts 100%, the endgame 0%",
        "Value: +0.07 pawns, White's point of view",
    ]


def test_no_terms() -> None:
    lines = table("nothing", Explanation((), phase=0, scale=64, value=0), PLAIN, in_check=False)
    assert "| Total |   +0.00   +0.00 |   +0.00   +0.00 |   +0.00   +0.00 |" in lines
