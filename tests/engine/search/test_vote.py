"""The vote of several threads on what to play."""

from collections.abc import Sequence

import pytest

from engine.board.notation import move_text
from engine.search import run
from engine.search.constants import INFINITE, MATE
from engine.search.limits import Limits, Settings
from engine.search.report import Bound, Variation
from engine.search.run import elect
from tests.engine.search.searching import opened, search, sized

A, B = (100, 1), (200, 2)  # lines of play, each with another root move


def line(moves: tuple[int, ...], depth: int, score: int, bound: Bound = Bound.EXACT) -> Variation:
    return Variation(moves, depth, score, bound)


@pytest.mark.parametrize(
    ("lines", "elected"),
    [
        pytest.param([line(A, 10, 30)], 0, id="one thread is not outvoted"),
        pytest.param([line(A, 10, 30), line(B, 10, 30)], 0, id="the first thread wins ties"),
        pytest.param([line(A, 10, 30), line(B, 11, 30)], 1, id="deeper"),
        pytest.param([line(A, 10, 30), line(B, 10, 31)], 1, id="better score"),
        pytest.param([line(A, 10, 0), line(B, 9, 40)], 1, id="a much better score of less depth"),
        pytest.param([line(A, 20, 0), line(B, 10, 10)], 0, id="a little better score of much less depth"),
        pytest.param([line(A, 10, 30), line(B, 10, 25), line(B, 10, 25)], 1, id="two against one"),
        pytest.param([line(A, 12, 60), line(B, 10, 0), line(B, 10, 0)], 0, id="one better against two"),
        pytest.param([line(A, 10, -500), line(B, 10, -510), line(B, 10, -510)], 1, id="in a bad position"),
        pytest.param([line(A, 10, 30), line(A, 12, 20), line(B, 10, 25)], 1, id="the move's deepest line"),
        pytest.param([line(A, 12, 30), line(A, 12, 40), line(B, 10, 25)], 0, id="of equal depth the first"),
        pytest.param(
            [line(A, 12, 30, Bound.LOWER), line(A, 11, 40), line(B, 10, 25)],
            1,
            id="an exact score is preferred",
        ),
        pytest.param([line(A, 10, 30), line(B, 0, -INFINITE)], 0, id="who found nothing has no vote"),
        pytest.param([line(A, 0, -INFINITE), line(B, 0, -INFINITE)], 0, id="nobody found anything"),
        pytest.param([line(A, 0, -INFINITE), line(B, 1, -50)], 1, id="only a helper found anything"),
    ],
)
def test_votes_weigh_depth_and_score(lines: list[Variation], elected: int) -> None:
    assert elect(lines) == elected


@pytest.mark.parametrize(
    ("lines", "elected"),
    [
        pytest.param(
            [line(A, 20, 900), line(A, 20, 900), line(B, 9, MATE - 5)], 2, id="a win beats a majority"
        ),
        pytest.param([line(A, 20, MATE - 9), line(B, 9, MATE - 5)], 1, id="the shortest win"),
        pytest.param([line(A, 20, MATE - 5), line(B, 25, MATE - 5)], 0, id="of equal wins the first"),
        pytest.param([line(A, 9, 0), line(B, 9, MATE - 5, Bound.LOWER)], 1, id="at least a win is a win"),
        pytest.param([line(A, 9, -MATE + 4), line(B, 9, MATE - 5)], 1, id="a win beats a loss"),
        pytest.param([line(A, 9, -100), line(B, 12, -MATE + 6)], 1, id="a loss is proven for all moves"),
        pytest.param(
            [line(A, 9, -MATE + 8), line(B, 12, -MATE + 6)], 1, id="the shortest loss refutes the other"
        ),
        pytest.param(
            [line(A, 9, -100), line(B, 12, -MATE + 6, Bound.LOWER)],
            0,
            id="a loss of the moves searched so far",
        ),
        pytest.param(
            [line(A, 9, -100), line(B, 12, -MATE + 6, Bound.UPPER)],
            0,
            id="which move loses latest is not known",
        ),
    ],
)
def test_proven_mates_need_no_majority(lines: list[Variation], elected: int) -> None:
    assert elect(lines) == elected


@pytest.mark.parametrize(
    ("limits", "lines", "votes"),
    [
        (Limits(nodes=sized(100_000, 2000)), 1, True),
        (Limits(mate=9, nodes=sized(100_000, 2000)), 1, True),
        (Limits(depth=sized(10, 3)), 1, False),
        (Limits(move_time=300), 2, False),
    ],
)
def test_the_line_elected_is_reported_and_played(
    monkeypatch: pytest.MonkeyPatch, limits: Limits, lines: int, votes: bool
) -> None:
    """A search to a depth and one for several lines end with the first thread's, without a vote."""
    elected: list[Variation] = []

    def elect_a_helper(lines: Sequence[Variation]) -> int:
        elected.append(lines[1])
        return 1

    monkeypatch.setattr(run, "elect", elect_a_helper)
    with opened(Settings(threads=2, lines=lines)) as session:
        heard = search(session, limits)
    best = next(report for report in reversed(heard.reports) if report.line == 1).moves
    assert heard.best == move_text(best[0])
    assert len(best) == 1 or heard.outcomes[0].ponder == best[1]
    assert len(elected) == votes
    if votes:
        assert elected[0].depth > 0 or limits.nodes  # all of which the first thread may have searched
        line = elected[0].moves
        shown = heard.last.moves  # a short line is lengthened from the table, to four plies at most
        assert shown[: len(line)] == line
        assert len(shown) <= max(len(line), 4)
        assert heard.last.depth == elected[0].depth
        assert heard.value == elected[0].score
