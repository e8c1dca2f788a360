"""Weaker play: the levels and their choices, what is reported and played, and when no handicap counts."""

import random
import time
from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import START_FEN, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import parse_move
from engine.lookup.openings import named_positions
from engine.search.constants import MATE
from engine.search.limits import (
    ELO_OF_LEVEL,
    FULL,
    FULL_SKILL,
    FULL_STRENGTH,
    RATING_OF_LEVEL,
    STRONGEST_ELO,
    WEAKEST_ELO,
    WEAKEST_LEVEL,
    Handicap,
    HandicapListener,
    Limits,
    Settings,
)
from engine.search.report import Bound, Outcome, Report, Score
from tests.engine.search.searching import Recorder, opened, search, sized
from tests.engine.sessions import KIWIPETE, MATE_SOON, POSITIONS
from tests.patience import PATIENCE

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


@pytest.mark.parametrize("level", [WEAKEST_LEVEL, FULL_STRENGTH - 1])
@pytest.mark.parametrize("scores", [[MATE - 5, 900, 0], [MATE - 5, MATE - 7]])
def test_mates_are_not_gambled_with(level: int, scores: list[int]) -> None:
    assert shares(Handicap.of_level(level), scores, 100)[0] == 1


def test_the_better_a_player_the_less_he_gambles_with_won_games() -> None:
    """The same loss, in a level game and with a queen more: a beginner minds neither."""
    weak, strong = Handicap.of_level(WEAKEST_LEVEL), Handicap.of_level(FULL_STRENGTH - 1)
    assert shares(weak, [900, 880]) == shares(weak, [0, -20])
    assert shares(strong, [900, 895])[0] > shares(strong, [0, -5])[0]


@pytest.mark.parametrize("level", [*range(5, FULL_STRENGTH)])
def test_no_error_costs_a_queen_that_is_seen_to_be_lost(level: int) -> None:
    assert shares(Handicap.of_level(level), [0, -900])[1] == 0


def test_a_move_known_from_the_opening_is_played_unless_it_seems_an_error() -> None:
    """By weight; it need not be among the best, but gives away neither a mate nor a pawn and a half."""
    knowing = Handicap.of_level(FULL_STRENGTH - 1).knowing({101: 3, 102: 1, 103: 9, 999: 9})
    best, first, second, error = shares(knowing, [40, 20, -60, -400])
    assert best == error == 0
    assert first == pytest.approx(0.75, abs=0.05)
    assert second == pytest.approx(0.25, abs=0.05)
    assert shares(knowing, [300, 20, -60, -400], 100)[0] == 1
    assert shares(knowing, [MATE - 5, MATE - 7, 0], 100)[0] == 1
    assert Handicap().knowing({}) == Handicap()


def test_the_weakest_level_knows_first_moves_of_which_it_sees_no_reason() -> None:
    with opened(Settings(handicap=WEAKEST)) as session:
        session.chooser = random.Random(1)
        played = [search(session, Limits()).best for _ in range(40)]
    assert sum(move in {"e2e4", "d2d4", "g1f3", "c2c4"} for move in played) > 30


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
        assert weaker.sight < stronger.sight
        assert weaker.opening <= stronger.opening
    assert len(ELO_OF_LEVEL) == len(handicaps)
    for scale in (RATING_OF_LEVEL, ELO_OF_LEVEL):
        assert all(weaker < stronger for weaker, stronger in pairwise(scale))


def test_elo_lies_between_the_levels() -> None:
    for level, elo in zip(LEVELS[:-1], ELO_OF_LEVEL, strict=True):
        assert Handicap.of_elo(elo) == Handicap.of_level(level)
    errors = [Handicap.of_elo(elo).error for elo in range(WEAKEST_ELO, STRONGEST_ELO + 1, 10)]
    assert all(weaker > stronger for weaker, stronger in pairwise(errors))


@pytest.mark.parametrize("level", [0, 0.99, FULL_STRENGTH + 0.01, FULL_STRENGTH + 1, float("nan")])
def test_levels_that_there_are_not(level: float) -> None:
    with pytest.raises(ValueError, match="from 1 to 40"):
        Handicap.of_level(level)


@pytest.mark.parametrize("elo", [0, WEAKEST_ELO - 1, STRONGEST_ELO + 1, float("nan")])
def test_elo_that_cannot_be_had(elo: float) -> None:
    with pytest.raises(ValueError, match="the Elo must be from"):
        Handicap.of_elo(elo)


def test_node_limit() -> None:
    weak = Handicap(nodes=500)
    assert weak.node_limit(None) == 500
    assert weak.node_limit(100) == 100
    assert weak.node_limit(1000) == 500
    assert FULL.node_limit(None) is None
    assert FULL.node_limit(1000) == 1000


def test_less_is_seen_the_shorter_the_time() -> None:
    usual = Handicap.of_level(8)
    seen = [usual.hurried(left).sight for left in (-500, 0, 1_000, 10_000, 19_000, 20_000)]
    assert seen[0] == seen[1]
    assert all(less < more for less, more in pairwise(seen[1:]))
    assert usual.hurried(20_000) == usual.hurried(3_600_000) == usual.hurried(None) == usual
    assert FULL.hurried(0) == FULL


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


WEAKEST = Handicap.of_level(WEAKEST_LEVEL)
CARELESS = Handicap(300, lines=6, error=10_000.0)  # plays any of six lines, all about as often
NODES = 1500  # enough for the first depth of three lines, by material alone
TINY = Handicap(NODES, lines=10, error=300.0)


def of_depth(depth: int, scores: list[int]) -> list[Report]:
    """Lines of these scores, with the moves 101 and 1, 102 and 2, and so on; the last has no reply."""
    return [
        Report(depth, depth, line, Score(score), Bound.EXACT, 1, 1, 0, 0, (100 + line, line))
        if line < len(scores)
        else Report(depth, depth, line, Score(score), Bound.EXACT, 1, 1, 0, 0, (100 + line,))
        for line, score in enumerate(scores, 1)
    ]


def heard(reports: list[Report], shown: int, handicap: Handicap = CARELESS, seed: int = 1) -> Recorder:
    listener = Recorder()
    weakened = HandicapListener(listener, handicap, shown, random.Random(seed))
    for report in reports:
        weakened.report(report)
    weakened.outcome(Outcome(101, 77))
    return listener


@given(st.lists(st.integers(-300, 300), min_size=1, max_size=6), st.integers(1, 6), st.integers())
def test_what_is_played_is_told_last(scores: list[int], shown: int, seed: int) -> None:
    reports = [*of_depth(1, scores), *of_depth(2, scores)]
    listener = heard(reports, shown, seed=seed)
    (outcome,) = listener.outcomes
    told = min(shown, len(scores))
    closing = listener.reports[-told:]
    assert [each.line for each in closing] == list(range(1, told + 1))
    assert closing[0].moves[0] == outcome.best
    assert len({each.moves for each in closing}) == told
    assert {each.depth for each in closing} == {2}
    assert listener.reports[: 2 * told] == [each for each in reports if each.line <= shown]
    assert len(listener.reports) == (2 if outcome.best == 101 else 3) * told


@given(st.integers(2, 6), st.integers())
def test_the_reply_is_that_of_the_line_played(count: int, seed: int) -> None:
    (outcome,) = heard(of_depth(3, [0] * count), 1, seed=seed).outcomes
    line = outcome.best - 100
    assert outcome.ponder == {1: 77, count: 0}.get(line, line)


@pytest.mark.parametrize("fen", POSITIONS)
def test_the_weakest_plays_legal_moves(fen: str) -> None:
    with opened(Settings(handicap=WEAKEST)) as session:
        for seed in range(sized(20, 3)):
            session.chooser = random.Random(seed)
            outcome = search(session, Limits(nodes=sized(2000, 60)), fen).outcomes[0]
            position = session.position.copy()
            assert outcome.best in legal_moves(position)
            position.make(outcome.best)
            assert not outcome.ponder or outcome.ponder in legal_moves(position)


def same(listener: Recorder) -> tuple[list[Report], list[Outcome]]:
    return [replace(each, milliseconds=0) for each in listener.reports], listener.outcomes


@pytest.mark.parametrize("limits", [Limits(depth=3, infinite=True), Limits(depth=3, mate=9), Limits(depth=3)])
def test_analysis_is_not_weakened(limits: Limits) -> None:
    """Limits that ask for more than a move, and the mode of analysis."""
    settings = Settings(handicap=CARELESS, analysing=limits == Limits(depth=3))
    with opened() as plain, opened(settings) as other:
        both = []
        for session in (plain, other):
            listener = Recorder()
            session.set_position(KIWIPETE)
            session.go(limits, listener)
            if limits.infinite:
                patience = time.monotonic() + PATIENCE
                while len(listener.reports) < 3 and time.monotonic() < patience:
                    time.sleep(0.01)
                session.stop()
            assert session.wait(PATIENCE)
            both.append(same(listener))
    assert both[0][1] == both[1][1]
    assert both[0][0][:3] == both[1][0][:3]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("shown", [1, 3])
def test_lines_are_shown_as_asked_for(threads: int, shown: int) -> None:
    """Not those that only the handicap looks at; nor do more threads make it stronger."""
    with opened(Settings(threads=threads, lines=shown, handicap=TINY)) as session:
        listener = search(session, Limits(), KIWIPETE)
    assert {each.line for each in listener.reports} == set(range(1, shown + 1))
    assert all(each.depth for each in listener.reports)
    assert listener.last.nodes <= NODES


def test_a_mate_seen_is_played() -> None:
    with opened(Settings(handicap=CARELESS)) as session:
        assert {search(session, Limits(), MATE_SOON).best for _ in range(10)} == {"d1d8"}


def test_after_a_failed_choice_the_best_move_is_played() -> None:
    class Unlucky(random.Random):
        def gauss(self, mu: float = 0, sigma: float = 1) -> float:
            raise ArithmeticError(mu, sigma)

    with opened(Settings(handicap=CARELESS)) as session:
        session.chooser = Unlucky()
        listener = Recorder()
        session.set_position(KIWIPETE)
        session.go(Limits(), listener)
        assert session.wait(PATIENCE)
    assert [type(error) for error in listener.errors] == [ArithmeticError]
    assert [outcome.best for outcome in listener.outcomes] == [listener.last.moves[0]]


@pytest.mark.parametrize("level", [5, 15, 25])
def test_openings_are_known_as_deep_as_the_level_says(level: int) -> None:
    """Each first move leads to a position with a name; who is asked about a move of two has no choice."""
    handicap = Handicap.of_level(level)
    with opened(Settings(handicap=handicap)) as session:
        board = chess.Board()
        session.chooser = random.Random(1)
        while board.ply() < handicap.opening:
            known = {move for move in board.legal_moves if _after(board, move) in named_positions()}
            board.push_uci(search(session, Limits(), chess.STARTING_FEN, [*map(str, board.move_stack)]).best)
            assert not known or board.peek() in known
            if not known:
                break
        wanted = (parse_move(parse_fen(START_FEN), "a2a3"),)
        assert search(session, Limits(search_moves=wanted)).best == "a2a3"


@pytest.mark.parametrize("level", [10, 26, 39])
@pytest.mark.parametrize(
    ("moves", "named", "best"),
    [
        ("e2e4 c7c6 c2c4 d7d5 e4d5", "d8d5", None),
        ("e2e4 g8f6 d1h5", "e7e5", "f6h5"),
        ("e2e4 e7e5 g1f3 b8c6 d2d4 e5d4 f1c4 f8c5 f3g5 g8h6 d1h5 h6g8", "h5d1", "h5f7"),
    ],
)
def test_no_queen_and_no_mate_is_given_for_the_name_of_an_opening(
    level: int, moves: str, named: str, best: str | None
) -> None:
    """Each position has moves of the table that lose the queen, leave the opponent's, or miss a mate."""
    board = chess.Board()
    for move in moves.split():
        board.push_uci(move)
    assert _after(board, chess.Move.from_uci(named)) in named_positions()
    with opened(Settings(handicap=Handicap.of_level(level))) as session:
        session.chooser = random.Random(1)
        found = search(session, Limits(), chess.STARTING_FEN, moves.split()).best
    assert found == best if best else found != named


def test_openings_are_read_before_the_first_search_of_a_limited_strength() -> None:
    """And only then: they take a while."""
    named_positions.cache_clear()
    with opened() as session:
        session.get_ready()
        assert named_positions.cache_info().currsize == 0
        session.settings.handicap = WEAKEST
        session.get_ready()
        assert named_positions.cache_info().currsize == 1


def _after(board: chess.Board, move: chess.Move) -> str:
    board.push(move)
    epd = board.epd()
    board.pop()
    return epd
