"""The positions that are searched where none are given: the test of Bratko and Kopec.

They are middle games with some 35 legal moves, as theory has it, and a few endgames; some of the best moves
are seen at once, some in depths that only a selective search reaches, some hardly ever.
"""

from __future__ import annotations

from protocol.cli.suites.epd import SuitePosition, parse_position
from protocol.uci.bench import BRATKO_KOPEC

_NAME = "Bratko-Kopec"
_BEST = (
    *("Qd1+", "d5", "f5", "e6", "Nd5 a4", "g6", "Nf6", "f5", "f5", "Ne5", "f4", "Bf5"),
    *("b4", "Qd2 Qe1", "Qxg7+", "Ne4", "h5", "Nb3", "Rxe4", "g4", "Nh6", "Bxe4", "f6", "f4"),
)


def usual_positions() -> list[SuitePosition]:
    """All 24, with their best moves as published in 1982."""
    return [
        parse_position(f'{fen} bm {best}; id "BK.{number:02}";', _NAME, number)
        for number, (fen, best) in enumerate(zip(BRATKO_KOPEC, _BEST, strict=True), 1)
    ]
