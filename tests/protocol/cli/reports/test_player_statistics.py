"""One player's statistics, against figures worked out by hand from the text of the games."""

from itertools import cycle

import chess
import chess.pgn
import pytest
from chess.engine import Cp, PovScore
from hypothesis import given
from hypothesis import strategies as st

from protocol.cli.analysis.assessment import PlayerSummary
from protocol.cli.reports.judged_game import JudgedGame
from protocol.cli.reports.page import page_of
from protocol.cli.reports.player_statistics import Phase, PlayerGame, PlayerStatistics, Row, phases_of
from protocol.cli.reports.story import story_of
from tests.protocol.cli.reports.samples import parsed, sample

FIRST = """\
[White "Ada"]
[Black "Ben"]
[Result "1-0"]
[TimeControl "60+2"]

1. e4 { [%eval 0.3] [%clk 0:00:58] } e5 { [%eval 0.3] [%clk 0:00:50] }
2. Nf3 { [%eval 0.3] [%clk 0:00:20] } Nc6 { [%eval 0.3] [%clk 0:00:49] }
3. Bc4 { [%eval -3.0] [%clk 0:00:12] } 1-0
"""
SECOND = """\
[White "Ben"]
[Black "Ada"]
[Result "1/2-1/2"]

1. e4 { [%eval 0.3] [%clk 0:05:00] } c5 { [%eval 0.3] [%clk 0:04:00] }
2. Nf3 { [%eval 0.3] [%clk 0:04:30] } d6 { [%eval 0.3] [%clk 0:03:30] } 1/2-1/2
"""
OTHER = '[White "Cleo"]\n[Black "Ben"]\n[Result "*"]\n\n1. d4 *\n'


@pytest.fixture
def ada() -> PlayerStatistics:
    statistics = PlayerStatistics("Ada")
    for text in (FIRST, SECOND, OTHER):
        statistics.add(JudgedGame(parsed(text)))
    return statistics


def test_games_and_scores(ada: PlayerStatistics) -> None:
    both, white, black = ada.overall()
    assert [len(row.games) for row in (both, white, black)] == [2, 1, 1]
    assert [row.score for row in (both, white, black)] == ["1½ of 2", "1 of 1", "½ of 1"]
    assert [len(row.moves) for row in (both, white, black)] == [5, 3, 2]


def test_time_used(ada: PlayerStatistics) -> None:
    """60 s and 2 s more after each move: 4, 40 and 10 s; without a time control the first move is unknown."""
    _, white, black = ada.overall()
    assert [move.seconds for move in white.moves] == [4, 40, 10]
    assert white.seconds == 18
    assert [move.seconds for move in black.moves] == [None, 30]
    assert [row.label for row in ada.phases()] == ["Opening", "Middle game", "Endgame", "Under 30 s left"]
    hurried = ada.phases()[-1]
    assert [move.left for move in hurried.moves] == [20]


def test_time_used_on_lichess() -> None:
    """The clock of neither side runs before its first move is made, after which it shows 3:00 still."""
    game = """\
[White "Ada"]
[Black "Ada"]
[TimeControl "180+2"]

1. e4 { [%clk 0:03:00] } e5 { [%clk 0:03:00] } 2. Nf3 { [%clk 0:03:00] } Nc6 { [%clk 0:02:52] } *
"""
    statistics = PlayerStatistics("Ada")
    statistics.add(JudgedGame(parsed(game)))
    _, white, black = statistics.overall()
    assert [move.seconds for move in white.moves] == [None, 2]
    assert [move.seconds for move in black.moves] == [None, 10]


def test_accuracy(ada: PlayerStatistics) -> None:
    """A blunder by White from +0.3 to -3.0; all other moves lose nothing."""
    both, white, black = ada.overall()
    assert black.measures == PlayerSummary(2, 0, 100)
    assert white.measures
    assert white.measures.average_centipawn_loss == 330 // 2  # of two moves judged: the first has no score
    mean = (white.measures.accuracy + black.measures.accuracy) / 2
    assert both.measures
    assert both.measures.accuracy == pytest.approx(mean)
    opening, middle_game, _, _ = ada.phases()
    assert (opening.measures, middle_game.measures) == (both.measures, None)


@given(st.lists(st.lists(st.integers(-900, 900), min_size=3, max_size=40), min_size=1, max_size=6))
def test_the_total_lies_between_the_games(evals: list[list[int]]) -> None:
    """And that of one game is what its page says, be it from the scores or from the headers."""
    statistics = PlayerStatistics("Ada")
    pages = []
    for number, scores in enumerate(evals):
        game = chess.pgn.Game({"White": "Ada"})
        board = chess.Board()
        node: chess.pgn.GameNode = game
        for score, uci in zip(scores, cycle(("g1f3", "g8f6", "f3g1", "f6g8"))):
            node = node.add_variation(board.parse_uci(uci))
            node.set_eval(PovScore(Cp(score), chess.WHITE))
            board.push(node.move)
        if number % 2:
            game.headers.update({"Analysis": "Lolli 0", "WhiteACPL": "33", "WhiteAccuracy": "76.6"})
        judged = JudgedGame(game)
        statistics.add(judged)
        performance = judged.player(chess.WHITE)
        assert performance
        pages.append(performance.measures)
    total = statistics.overall()[0].measures
    assert total
    for name in ("accuracy", "average_centipawn_loss"):
        values = [getattr(page, name) for page in pages]
        assert min(values) - 1e-9 <= getattr(total, name) <= max(values) + 1e-9


def test_openings(ada: PlayerStatistics) -> None:
    assert [row.label for row in ada.openings(chess.WHITE)] == ["Italian Game"]
    assert [row.label for row in ada.openings(chess.BLACK)] == ["Sicilian Defense"]


def test_chess960_is_named() -> None:
    """On its page, too."""
    game = sample("chess960.pgn")
    statistics = PlayerStatistics("One")
    statistics.add(JudgedGame(game))
    assert [row.label for row in statistics.openings(chess.WHITE)] == ["Chess960"]
    assert "November 2026</time> · <span>Chess960</span>" in page_of(game).replace("\n", " ")


def test_nobody() -> None:
    nobody = PlayerStatistics("Nobody")
    nobody.add(JudgedGame(parsed(FIRST)))
    assert nobody.games == []
    row = nobody.overall()[0]
    assert (row.score, row.measures, row.seconds) == ("", None, None)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1))
def test_a_score_reads_as_it_is(points: list[float]) -> None:
    row = Row("", [PlayerGame(chess.WHITE, "", each, [], None) for each in points])
    number, _, count = row.score.partition(" of ")
    assert int(count) == len(points)
    assert float(number.replace("½", ".5")) == sum(points)


@pytest.mark.parametrize(
    ("fen", "phase"),
    [
        (chess.STARTING_FEN, Phase.OPENING),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 5 4", Phase.OPENING),
        ("2rq1rk1/pp1bbppp/2np1n2/4p3/4P3/1NN1BP2/PPPQB1PP/2R2RK1 w - - 0 12", Phase.MIDDLE_GAME),
        ("2r3k1/pp3ppp/3r4/8/8/3R4/PPP3PP/2R3K1 w - - 0 30", Phase.ENDGAME),
    ],
)
def test_phases(fen: str, phase: Phase) -> None:
    game = chess.pgn.Game()
    game.setup(chess.Board(fen))
    assert phases_of(story_of(game).main_line) == [phase]


def test_a_phase_does_not_come_back() -> None:
    game = chess.pgn.Game()
    game.setup(chess.Board("4k3/4P3/8/8/8/8/8/RN1QKBNR w KQ - 0 1"))
    found = phases_of(story_of(game).main_line)
    assert found == [Phase.ENDGAME]
