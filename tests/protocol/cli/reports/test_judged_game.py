"""The heading of a game, its marks, critical moments and measures."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.cli.analysis.assessment import Mark, MoveAssessment, summary
from protocol.cli.reports.judged_game import JudgedGame, critical_moves, heading_of
from protocol.cli.terminal.words import DASH
from tests.protocol.cli.reports.samples import ANNOTATED, parsed, sample

losses = st.floats(0, 2) | st.sampled_from([0.0, 0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("1999.01.20", ("20 January 1999", "1999-01-20")),
        ("1999.12.??", ("December 1999", "1999-12")),
        ("1999.??.??", ("1999", "1999")),
        ("????.??.??", ("", "")),
        ("2026.02.31", ("February 2026", "2026-02")),
        ("2024.02.29", ("29 February 2024", "2024-02-29")),
        ("2026.13.01", ("2026", "2026")),
        ("0000.01.01", ("", "")),
        ("yesterday", ("", "")),
        ("2026-11-21", ("2026", "2026")),
    ],
)
def test_dates(date: str, expected: tuple[str, str]) -> None:
    heading = heading_of({"Date": date})
    assert (heading.date, heading.iso_date) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("300+3", "5 min + 3 s"),
        ("5400", "90 min"),
        ("45+0", "45 s"),
        ("40/7200:3600", "40/7200:3600"),
        ("-", ""),
        ("?", ""),
    ],
)
def test_time_controls(text: str, expected: str) -> None:
    assert heading_of({"TimeControl": text}).time_control == expected


def test_what_is_unknown_is_not_told() -> None:
    heading = heading_of({"Event": "?", "Site": "", "White": "?", "Round": "-", "Result": "*"})
    assert (heading.event, heading.result, heading.opening) == ("", "", "")
    assert heading.title == f"White {DASH} Black"


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


def test_of_equal_losses_the_earlier() -> None:
    assert critical_moves([assessment(0.2)] * 4, 2) == [0, 1]


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


SCORES_ALONE = "1. a3 { [%eval 0.3] } 1... h6 { [%eval 1.9] } 2. g4 { [%eval -2.5] } 2... h5 { [%eval -2.4] }"


def test_scores_without_marks_give_marks() -> None:
    game = JudgedGame(parsed(SCORES_ALONE))
    assert [game.sign(step) for step in game.story.main_line] == ["", "", "?", "??", ""]
    assert [(each.played.san, each.better) for each in game.moments()] == [("h6", ()), ("g4", ())]


def test_moves_of_the_opening_are_not_marked() -> None:
    """The Winawer, whose 4. e5 an engine may not like."""
    pgn = "1. e4 e6 2. d4 d5 3. Nc3 Bb4 { [%eval 0.3] } 4. e5 { [%eval -0.3] } h5 { [%eval 2.0] }"
    for opening, moments in ((True, ["h5"]), (False, ["e5", "h5"])):
        game = JudgedGame(parsed(pgn), opening=opening)
        assert [each.played.san for each in game.moments()] == moments
    assert [each.mark for each in game.moments()] == [Mark.INACCURACY, Mark.BLUNDER]


def test_the_engines_variation_is_the_better_line() -> None:
    game = JudgedGame(
        parsed(
            "1. e4 { [%eval 0.3] } 1... e5 { [%eval 0.2] } 2. f4 { [%eval 0.1] } 2... g5 $4 { [%eval 4.0] }"
            " ( 2... Bc5 { my idea } 3. Nf3 ) ( 2... exf4 { [%eval 0.1] } 3. Nf3 )"
        )
    )
    assert [[step.san for step in each.better] for each in game.moments()] == [["exf4", "Nf3"]]


@pytest.mark.parametrize("pgn", ["*", "1. e4 e5", "1. e4 { [%eval 0.3] } e5"])
def test_without_scores_nothing_is_judged(pgn: str) -> None:
    game = JudgedGame(parsed(pgn))
    assert not game.judged
    assert game.moments() == []
    assert game.player(chess.WHITE) is None


def test_a_course_from_mate_to_mate() -> None:
    course = JudgedGame(sample("from_position.pgn")).course()
    assert course.plies == list(range(73, 81))
    assert course.chances == [None] + [-1.0] * 7
