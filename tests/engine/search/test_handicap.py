"""Weaker play: what is chosen among lines, and that it can still win what is won."""

import random
from itertools import pairwise
from statistics import NormalDist

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.notation import move_text
from engine.search.constants import MATE
from engine.search.handicap import (
    ELO_OF_LEVEL,
    FULL,
    FULL_SKILL,
    FULL_STRENGTH,
    STRONGEST_ELO,
    WEAKEST_ELO,
    WEAKEST_LEVEL,
    Handicap,
)
from engine.search.limits import Limits, Settings
from engine.search.report import Bound, Report, Score
from engine.session import Session
from tests.engine.search.searching import Recorder, lone_king, search, sized

LEVELS = range(WEAKEST_LEVEL, FULL_STRENGTH + 1)
UNREPORTED = 999
lines_of_scores = st.lists(st.integers(-MATE, MATE), min_size=1, max_size=10).map(
    lambda scores: sorted(scores, reverse=True)
)


def reports(scores: list[int], depth: int = 3) -> list[Report]:
    """A depth with lines of these scores, whose moves are 100, 101 and so on."""
    return [
        Report(depth, depth, line, Score(score), Bound.EXACT, 1, 1, 0, 0, (99 + line, 7))
        for line, score in enumerate(scores, 1)
    ]


def shares(handicap: Handicap, scores: list[int], times: int = 2000) -> list[float]:
    """How often each line is chosen."""
    chooser = random.Random(1)
    chosen = [handicap.choose(reports(scores), UNREPORTED, chooser) - 100 for _ in range(times)]
    return [chosen.count(index) / times for index in range(len(scores))]


@given(lines_of_scores, st.floats(WEAKEST_LEVEL, FULL_STRENGTH), st.integers())
def test_one_of_the_lines_is_chosen(scores: list[int], level: float, seed: int) -> None:
    handicap = Handicap.of_level(level)
    chosen = {handicap.choose(reports(scores), UNREPORTED, random.Random(seed)) for _ in range(2)}
    assert len(chosen) == 1
    assert chosen.pop() - 100 in range(min(len(scores), handicap.lines))


@given(lines_of_scores, st.integers())
def test_full_strength_always_plays_the_best(scores: list[int], seed: int) -> None:
    handicap = Handicap.of_level(FULL_STRENGTH)
    assert handicap == Handicap()
    assert handicap.choose(reports(scores), UNREPORTED, random.Random(seed)) == 100


def test_a_stronger_level_loses_less_on_average() -> None:
    scores = [40, 20, -20, -100, -150, -200, -300, -500]
    losses = []
    for level in LEVELS:
        chances = shares(Handicap.of_level(level), scores)
        losses.append(sum(share * (40 - score) for share, score in zip(chances, scores, strict=True)))
    assert all(weaker >= stronger for weaker, stronger in pairwise(losses[::3]))
    assert losses[0] > 30
    assert losses[-1] == 0


def test_a_worse_line_is_played_less_often() -> None:
    """Of two, as often as one normal error exceeds another by the loss."""
    for loss in (0, 50, 100, 200, 300):
        first, second = shares(Handicap(lines=2, error=100.0), [0, -loss], 20_000)
        assert second == pytest.approx(NormalDist(0, 100 * 2**0.5).cdf(-loss), abs=0.012)
        assert first + second == pytest.approx(1)


def test_what_is_lost_plainly_is_hardly_ever_given_away() -> None:
    """That is how weak players differ from random ones: a queen seen to be lost is not moved there."""
    scores = [0, -100, -300, -900]
    weakest, middling = (shares(Handicap.of_level(level), scores, 10_000) for level in (WEAKEST_LEVEL, 5))
    assert weakest[1] > 0.2
    assert 0.02 < weakest[2] < 0.2
    assert weakest[3] < 0.005
    assert middling[2] < 0.01


@pytest.mark.parametrize(
    "scores", [[MATE - 5, 900, 0], [MATE - 5, MATE - 7], [-MATE + 8, -MATE + 4], [900, 880]]
)
def test_mates_and_won_games_are_not_gambled_with(scores: list[int]) -> None:
    assert shares(Handicap.of_level(WEAKEST_LEVEL), scores, 100)[0] == 1


def test_ahead_the_choice_is_surer() -> None:
    handicap = Handicap.of_level(5)
    best = [shares(handicap, [score, score - 60], 5000)[0] for score in (-500, 200, 400, 600, 800)]
    assert best[0] == best[1]
    assert all(less < more for less, more in pairwise(best[1:]))


def test_only_the_last_report_of_each_line_counts() -> None:
    handicap = Handicap(lines=2)
    told = [*reports([100, 50], 1), *reports([10, 20], 2)]
    assert handicap.choose(told, UNREPORTED, random.Random(1)) == 101
    assert handicap.choose(reports([10, 20, 30]), UNREPORTED, random.Random(1)) == 101


def test_a_search_too_short_for_a_report() -> None:
    handicap = Handicap(lines=4, error=50.0)
    assert handicap.choose([], UNREPORTED, random.Random(1)) == UNREPORTED
    assert handicap.choose(reports([-32000], depth=0), UNREPORTED, random.Random(1)) == UNREPORTED


def test_levels_grow_in_every_respect() -> None:
    handicaps = [Handicap.of_level(level) for level in LEVELS[:-1]]
    for weaker, stronger in pairwise(handicaps):
        assert (weaker.nodes or 0) < (stronger.nodes or 0)
        assert weaker.lines >= stronger.lines > 1
        assert weaker.error > stronger.error > 0
    assert all(weaker < stronger for weaker, stronger in pairwise(ELO_OF_LEVEL))


def test_elo_lies_between_the_levels() -> None:
    for level, elo in zip(LEVELS, ELO_OF_LEVEL, strict=False):
        assert Handicap.of_elo(elo) == Handicap.of_level(level)
    errors = [Handicap.of_elo(elo).error for elo in range(WEAKEST_ELO, STRONGEST_ELO + 1, 10)]
    assert all(weaker > stronger for weaker, stronger in pairwise(errors))


@pytest.mark.parametrize("level", [0, 0.99, 20.01, 21, float("nan")])
def test_levels_that_there_are_not(level: float) -> None:
    with pytest.raises(ValueError, match="from 1 to 20"):
        Handicap.of_level(level)


@pytest.mark.parametrize("elo", [0, WEAKEST_ELO - 1, STRONGEST_ELO + 1, float("nan")])
def test_elo_that_cannot_be_had(elo: float) -> None:
    with pytest.raises(ValueError, match="the Elo must be from"):
        Handicap.of_elo(elo)


def test_node_limit() -> None:
    weak = Handicap(nodes=500)
    assert weak.node_limit(32, None) == 500
    assert weak.node_limit(32, 100) == 100
    assert weak.node_limit(6, 1000) == 500
    assert FULL.node_limit(32, None) is None
    assert FULL.node_limit(32, 1000) == 1000


def test_few_men_are_searched_far_enough_to_mate() -> None:
    weak, strong = Handicap.of_level(WEAKEST_LEVEL), Handicap.of_level(FULL_STRENGTH - 1)
    assert (weak.node_limit(6, None) or 0) < 1000 < (weak.node_limit(5, None) or 0)
    assert weak.node_limit(3, 100) == 100
    assert strong.node_limit(3, None) == strong.nodes


def test_skill_levels() -> None:
    """0 is the weakest level, 20 full strength, and each is stronger than the one before."""
    handicaps = [Handicap.of_skill(skill) for skill in range(FULL_SKILL)]
    assert handicaps[0] == Handicap.of_level(WEAKEST_LEVEL)
    assert handicaps[-1] == Handicap.of_level(FULL_STRENGTH - 1)
    assert Handicap.of_skill(FULL_SKILL) == FULL
    assert all(weaker.error > stronger.error for weaker, stronger in pairwise(handicaps))
    for skill in (-1, FULL_SKILL + 1):
        with pytest.raises(ValueError, match="the level must be from"):
            Handicap.of_skill(skill)


@pytest.mark.parametrize("piece", [chess.ROOK, chess.QUEEN])
@pytest.mark.parametrize("seed", range(sized(6, 1)))
def test_the_weakest_level_mates_a_bare_king(piece: chess.PieceType, seed: int) -> None:
    """Within 50 moves, against the engine's own defence."""
    board = lone_king(piece, seed)
    handicap, chooser = Handicap.of_level(WEAKEST_LEVEL), random.Random(seed)
    attacker = Session(Settings(lines=handicap.lines), megabytes=1)
    defender = Session(Settings(), megabytes=1)
    attack, defence = Limits(nodes=handicap.node_limit(3, None)), Limits(nodes=sized(5000, 200))
    for _ in range(50):
        heard = think(attacker, board, attack)
        board.push_uci(move_text(handicap.choose(heard.reports, heard.outcomes[0].best, chooser)))
        if board.is_game_over():
            break
        board.push_uci(move_text(think(defender, board, defence).outcomes[0].best))
    assert board.is_checkmate(), board.fen()


def think(session: Session, board: chess.Board, limits: Limits) -> Recorder:
    """Search a board to the end; what was heard."""
    return search(session, limits, board.root().fen(), [move.uci() for move in board.move_stack])
