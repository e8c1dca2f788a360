"""Any text at all: either a position that python-chess takes for one too, or a FenError."""

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.position import COMPILED
from scripts.laboratory.fuzzing.formats import fen
from tests.engine.board.perft_positions import CHESS960, STANDARD

EXAMPLES = 500 if COMPILED else 200
FENS = [counted.fen for counted in (*STANDARD, *CHESS960)]

placements = st.lists(st.sampled_from("PNBRQKpnbrqk12345678/"), max_size=80).map("".join)
castlings = (
    st.sampled_from(["KQkq", "Kq", "-"])
    | st.permutations("KQkqABCDEFGHabcdefgh").map(lambda letters: "".join(letters[:3]))
    | st.text(alphabet="KQkqAa-x", min_size=1, max_size=3)
)
squares = st.sampled_from(["-", "-", "-", *chess.SQUARE_NAMES, "e", "e9", "i3", "E3"])
counters = st.sampled_from(["0", "1", "50", "100", "9999", "10000", "-1", "x", "", "1 1"])
junk = st.text(alphabet=st.sampled_from("/ wb-KQkqPpRr018e36\t.x\u0663\u212a\x85\x00"), max_size=60)


def check(text: str) -> None:
    """See scripts.laboratory.fuzzing, which goes on with FENs that are nearly good."""
    fen.check(text.encode())


@given(text=st.text() | junk)
@settings(max_examples=EXAMPLES)
def test_text(text: str) -> None:
    check(text)


@given(fields=st.tuples(placements, st.sampled_from(["w", "b", "x"]), castlings, squares, counters, counters))
@settings(max_examples=EXAMPLES)
def test_fields(fields: tuple[str, ...]) -> None:
    check(" ".join(fields))


@pytest.mark.parametrize("good", FENS)
def test_every_letter_left_out_or_doubled(good: str) -> None:
    for i in range(len(good)):
        check(good[:i] + good[i + 1 :])
        check(good[: i + 1] + good[i:])
