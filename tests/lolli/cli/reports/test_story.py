"""A game in reading order, its heading, marks and critical moments, and a player's statistics."""

from __future__ import annotations

import sys

import chess
import chess.engine
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lolli._assessment import Mark, MoveAssessment, PlayerSummary, critical_moves, summary
from lolli.cli.reports.page import page_of_judged
from lolli.cli.reports.story import (
    JudgedGame,
    Phase,
    PlayerStatistics,
    has_scores,
    heading_of,
    phases_of,
    rows_of,
    story_of,
)
from lolli.cli.terminal.screen import DASH
from tests.lolli.cli.reports.samples import ANNOTATED, NAMES, nodes_in_order, parsed, sample


class Told(chess.pgn.BaseVisitor[list[str]]):
    def __init__(self) -> None:
        self.words: list[str] = []

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        self.words.append(board.san(move))

    def begin_variation(self) -> None:
        self.words.append("(")

    def end_variation(self) -> None:
        self.words.append(")")

    def result(self) -> list[str]:
        return self.words


def check(game: chess.pgn.Game) -> None:
    story = story_of(game)
    nodes = nodes_in_order(game)
    assert [step.index for step in story.steps] == list(range(len(nodes)))
    place = {id(node): index for index, node in enumerate(nodes)}
    for step, node in zip(story.steps, nodes, strict=True):
        board = node.board()
        assert step.fen == board.fen()
        assert step.ply == board.ply()
        assert step.check == (chess.square_name(board.king(board.turn) or 0) if board.is_check() else None)
        assert step.parent == (None if node.parent is None else place[id(node.parent)])
        if isinstance(node, chess.pgn.ChildNode):
            assert (step.move, step.san) == (node.move, node.san())
            assert step.by_white == (node.turn() == chess.BLACK)
        following = [place[id(each)] for each in node.variations]
        assert following == sorted(following)  # the script of the page takes the lowest for the main one
        told = list(story.line(step))
        assert [each.index for each in told[1:]] == [place[id(each)] for each in node.mainline()]
    words = [each if isinstance(each, str) else each.san for each in story.parts]
    assert words[1:] == game.accept(Told())
    assert [step.fen for step in story.main_line] == [
        game.board().fen(),
        *(node.board().fen() for node in game.mainline()),
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_samples(name: str) -> None:
    check(sample(name))


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), max_size=25))
def test_any_tree_of_moves(choices: list[tuple[int, int]]) -> None:
    game = chess.pgn.Game()
    nodes: list[chess.pgn.GameNode] = [game]
    for where, which in choices:
        node = nodes[where % len(nodes)]
        moves = [move for move in node.board().legal_moves if not node.has_variation(move)]
        if moves:
            nodes.append(node.add_variation(moves[which % len(moves)]))
    check(game)


def test_variations_nested_deeper_than_calls_of_python() -> None:
    depth = sys.getrecursionlimit() + 10
    game = chess.pgn.Game()
    node: chess.pgn.GameNode = game
    board = game.board()
    shuffle = [chess.Move.from_uci(text) for text in ("g1f3", "g8f6", "f3g1", "f6g8")]
    for ply in range(depth):
        node.add_variation(next(move for move in board.legal_moves if move != shuffle[ply % 4]))
        node = node.add_variation(shuffle[ply % 4])
        board.push(shuffle[ply % 4])
    story = story_of(game)
    assert len(story.steps) == 1 + 2 * depth
    assert max(step.depth for step in story.steps) == depth


def test_what_comments_say() -> None:
    game = parsed(
        "{ Before. } 1. e4 { [%clk 0:01:02.5] Two\n lines. [%eval 0.25,12] } "
        "( { Or } 1. d4 $4 $14 { [%cal Gd2d4,Rd4d4][%csl Ye5] } ) 1... e5 { [%eval #-3] } *"
    )
    first, e4, d4, e5 = story_of(game).steps
    assert first.comment == "Before."
    assert (e4.comment, e4.clock, e4.score) == ("Two lines.", 62.5, chess.engine.Cp(25))
    assert (d4.opening, d4.comment, d4.nags) == ("Or", "", (4, 14))
    assert set(d4.drawings) == {
        ("d2", "d4", "green"),
        ("d4", "d4", "red"),
        ("e5", "e5", "yellow"),
    }
    assert e5.score == chess.engine.Mate(-3)


@pytest.mark.parametrize(
    ("moves", "text"),
    [
        ("1. f3 e5 2. g4 Qh4# { [%eval #0] }", "Mate(-0)"),
        ("1. e4 f5 2. Qh5+ g6 3. Nc3 a6 4. Nd5 a5 5. Nxc7+ Qxc7 6. exf5 a4 7. f6 a3 8. Qxg6+ hxg6", "None"),
        ("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#", "MateGiven"),
    ],
)
def test_the_rules_score_a_game_that_is_over(moves: str, text: str) -> None:
    assert repr(story_of(parsed(moves)).main_line[-1].score) == text


def test_rows_and_notes() -> None:
    game = parsed(
        "1. e4 { King's pawn. } (1. d4 d5 (1... Nf6 2. c4 { best } 2... e6) 2. c4) 1... e5 2. Nf3 Nc6"
    )
    rows = rows_of(story_of(game))
    shape = [(row.number, row.white and row.white.san, row.black and row.black.san) for row in rows]
    assert shape == [(1, "e4", None), (1, None, "e5"), (2, "Nf3", "Nc6")]
    comment, variation = rows[0].notes
    assert not isinstance(variation, str)
    assert comment == "King's pawn."
    pieces = [
        (piece.number, piece.step.san) if piece.step else (piece.part, piece.text) for piece in variation
    ]
    assert pieces == [
        ("1.", "d4"),
        ("", "d5"),
        ("open", ""),
        ("1…", "Nf6"),
        ("2.", "c4"),
        ("comment", "best"),
        ("2…", "e6"),
        ("close", ""),
        ("2.", "c4"),
    ]


losses = st.floats(0, 2) | st.sampled_from([0.0, 0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("1999.01.20", ("20 January 1999", "1999-01-20")),
        ("1999.12.??", ("December 1999", "1999-12")),
        ("????.??.??", ("", "")),
        ("2026.02.31", ("February 2026", "2026-02")),
        ("2026.13.01", ("2026", "2026")),
        ("yesterday", ("", "")),
        ("2026-11-21", ("2026", "2026")),
    ],
)
def test_dates(date: str, expected: tuple[str, str]) -> None:
    for headers in ({"Date": date}, {"Date": date, "UTCDate": "????.??.??"}):
        heading = heading_of(headers)
        assert (heading.date, heading.iso_date) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("300+3", "5 min + 3 s"),
        ("5400", "90 min"),
        ("45+0", "45 s"),
        ("40/7200:3600", "40/7200:3600"),
        ("-", ""),
    ],
)
def test_time_controls(text: str, expected: str) -> None:
    assert heading_of({"TimeControl": text}).time_control == expected


def test_a_whole_heading() -> None:
    heading = heading_of(
        {
            "Event": " Hoogovens ",
            "Site": "Wijk aan Zee",
            "Round": "4",
            "White": "Kasparov",
            "WhiteElo": "2812",
            "Black": "Topalov",
            "BlackTitle": "GM",
            "Result": "1/2-1/2",
            "ECO": "B07",
            "Opening": "Pirc Defence",
        }
    )
    assert heading.event == "Hoogovens, Wijk aan Zee, round 4"
    assert heading.title == f"Kasparov {DASH} Topalov, ½{DASH}½"
    assert (heading.white.elo, heading.white.points, heading.black.title) == ("2812", "½", "GM")
    assert heading.opening == "B07 Pirc Defence"


def test_the_opening_is_found_by_the_moves_if_the_file_does_not_name_it() -> None:
    moves = "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 *"
    assert JudgedGame(parsed(moves)).heading.opening == "B90 Sicilian Defense: Najdorf Variation"
    assert JudgedGame(parsed(f'[Opening "Mine"]\n\n{moves}')).heading.opening == "B90 Mine"
    assert JudgedGame(parsed('[Opening "?"]\n\n*')).opening_family == ""


def assessment(loss: float | None) -> MoveAssessment | None:
    if loss is None:
        return None
    mark = next((mark for mark in Mark if loss >= mark.least), None)
    return MoveAssessment(loss, 0, 0.0, mark, 1.0)


@given(st.lists(st.none() | losses), st.integers(0, 8))
def test_critical_moves_are_the_worst_in_order(given_losses: list[float | None], most: int) -> None:
    chosen = critical_moves([assessment(loss) for loss in given_losses], most)
    bad = [move for move, loss in enumerate(given_losses) if loss is not None and loss >= 0.1]
    assert chosen == sorted(set(chosen))
    assert set(chosen) <= set(bad)
    assert len(chosen) == min(most, len(bad))
    left = [given_losses[move] or 0 for move in bad if move not in chosen]
    assert all((given_losses[move] or 0) >= max(left, default=0) for move in chosen)


def test_moments_of_the_annotated_game() -> None:
    game = JudgedGame(sample(ANNOTATED))
    told = [
        (
            f"{each.played.number} {each.played.san}",
            each.mark,
            each.better[0].san,
            len(each.better),
            each.goes_on,
        )
        for each in game.moments()
    ]
    assert told == [
        ("12… a6", Mark.INACCURACY, "a5", 5, True),
        ("13. Nc1", Mark.INACCURACY, "dxe5", 5, True),
        ("25. Re7+", Mark.BLUNDER, "Qxd4+", 5, True),
        ("27. b4+", Mark.MISTAKE, "Qc3+", 5, True),
        ("31… Kxa3", Mark.MISTAKE, "Rd1+", 5, True),
        ("33. c3+", Mark.BLUNDER, "Bd7", 5, True),
    ]
    assert all(each.before.index == each.played.parent for each in game.moments())


def test_marks_are_those_of_the_file() -> None:
    """24. Rxd4 lost by the scores, but somebody praises it; 33… Kxc3 did, but it is Lolli's own move."""
    game = JudgedGame(sample(ANNOTATED))
    signs = {f"{step.number} {step.san}": game.sign(step) for step in game.story.main_line[1:]}
    assert (signs["24. Rxd4"], signs["34. Qa1+"], signs["33. c3+"]) == ("!", "", "??")
    white, black = game.player(chess.WHITE), game.player(chess.BLACK)
    assert white is not None
    assert black is not None
    assert list(white.marks.values()) == [2, 1, 3]
    assert list(black.marks.values()) == [0, 1, 4]
    shown = [mark for mark in game.course().marks if mark]
    assert len(shown) == sum([*white.marks.values(), *black.marks.values()])


def test_measures_are_those_that_lolli_has_written() -> None:
    sample_game = sample(ANNOTATED)
    player = JudgedGame(sample_game).player(chess.WHITE)
    assert player is not None
    assert (player.measures.average_centipawn_loss, player.measures.accuracy) == (46, 81.0)
    del sample_game.headers["Analysis"]
    judged = JudgedGame(sample_game)
    assert judged.player(chess.WHITE) != player
    scores = [step.score for step in judged.story.main_line]
    other = judged.player(chess.WHITE)
    assert other is not None
    assert other.measures == summary(chess.WHITE, scores, chess.WHITE)


@pytest.mark.parametrize("analysis", ["Lolli 0.1.0, network", "by hand; Lolli 0.1.0, network", "by hand"])
def test_a_game_whose_first_moves_were_skipped_is_analysed(analysis: str) -> None:
    game = parsed("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 { [%eval 0.3] } *")
    game.headers["Analysis"] = analysis
    assert has_scores(game) == ("Lolli" in analysis)
    continued = parsed("1. e4 e5 { [%eval 0.3] } 2. Nf3 Nc6 3. Bb5 a6 *")
    continued.headers["Analysis"] = analysis
    assert not has_scores(continued)


SCORES_ALONE = "1. a3 { [%eval 0.3] } 1... h6 { [%eval 1.9] } 2. g4 { [%eval -2.5] } 2... h5 { [%eval -2.4] }"


def test_scores_without_marks_give_marks() -> None:
    game = JudgedGame(parsed(SCORES_ALONE))
    assert [game.sign(step) for step in game.story.main_line] == ["", "", "?", "??", ""]
    assert [(each.played.san, each.better) for each in game.moments()] == [("h6", ()), ("g4", ())]


def test_the_engines_variation_is_the_better_line() -> None:
    game = JudgedGame(
        parsed(
            "1. e4 { [%eval 0.3] } 1... e5 { [%eval 0.2] } 2. f4 { [%eval 0.1] } 2... g5 $4 { [%eval 4.0] }"
            " ( 2... Bc5 { my idea } 3. Nf3 ) ( 2... exf4 { [%eval 0.1] } 3. Nf3 )"
        )
    )
    assert [[step.san for step in each.better] for each in game.moments()] == [["exf4", "Nf3"]]


def test_a_null_move_is_no_better_move() -> None:
    """As where somebody shows a threat first."""
    moves = "1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } 2. Nf3 { [%eval 0.1] } 2... f6 $2 { [%eval 1.9] }"
    (moment,) = JudgedGame(parsed(f"{moves} ( 2... -- 3. Nxe5 ) ( 2... Nc6 )")).moments()
    assert [step.san for step in moment.better] == ["Nc6"]


@pytest.mark.parametrize("pgn", ["*", "1. e4 e5", "1. e4 { [%eval 0.3] } e5"])
def test_without_scores_nothing_is_judged(pgn: str) -> None:
    game = JudgedGame(parsed(pgn))
    assert not game.judged
    assert game.moments() == []
    assert game.player(chess.WHITE) is None


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


def test_who_has_no_name_is_nobody() -> None:
    """Though the page of the game says White."""
    statistics = PlayerStatistics("White")
    statistics.add(JudgedGame(parsed('[Black "white"]\n\n1. d4 *')))
    assert [game.color for game in statistics.games] == [chess.BLACK]


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


def test_chess960_is_named() -> None:
    """On its page, too."""
    game = sample("chess960.pgn")
    statistics = PlayerStatistics("One")
    statistics.add(JudgedGame(game))
    assert [row.label for row in statistics.openings(chess.WHITE)] == ["Chess960"]
    assert "November 2026</time> · <span>Chess960</span>" in page_of_judged(
        JudgedGame(game, opening=True)
    ).replace("\n", " ")


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
