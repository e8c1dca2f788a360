"""When games end."""

import chess
import pytest
from chess.engine import Cp, Mate, Score

from scripts.laboratory.matches.record import Termination
from scripts.laboratory.matches.rules import AdjudicationRules, MatchRulesError, Referee, parse_adjudication


@pytest.mark.parametrize(
    ("fen", "ending"),
    [
        (chess.STARTING_FEN, None),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Termination.CHECKMATE),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 100 80", Termination.CHECKMATE),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Termination.STALEMATE),
        ("7k/8/6K1/8/8/8/8/7N b - - 0 1", Termination.INSUFFICIENT_MATERIAL),
        ("7k/8/6K1/8/8/8/8/7R b - - 99 80", None),
        ("7k/8/6K1/8/8/8/8/7R b - - 100 80", Termination.FIFTY_MOVES),
    ],
)
def test_the_rules_of_chess(fen: str, ending: Termination | None) -> None:
    board = chess.Board(fen)
    assert Referee(board, AdjudicationRules()).end_by_rule(board) is ending


def test_threefold_repetition_counts_the_opening() -> None:
    board = chess.Board()
    for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
        board.push_uci(move)
    referee = Referee(board, AdjudicationRules())
    for move in ("g1f3", "g8f6", "f3g1"):
        board.push_uci(move)
        referee.note(board, None)
        assert referee.end_by_rule(board) is None
    board.push_uci("f6g8")
    referee.note(board, None)
    assert referee.end_by_rule(board) is Termination.REPETITION


def test_a_lost_castling_right_makes_another_position() -> None:
    board = chess.Board("r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1")
    referee = Referee(board, AdjudicationRules())
    for move in ("a1b1", "a8b8", "b1a1", "b8a8") * 2:
        board.push_uci(move)
        referee.note(board, None)
    assert referee.end_by_rule(board) is None
    for move in ("a1b1", "a8b8"):
        board.push_uci(move)
        referee.note(board, None)
    assert referee.end_by_rule(board) is Termination.REPETITION


def endings(
    rules: AdjudicationRules, scores: list[Score | None]
) -> list[tuple[Termination, chess.Color | None] | None]:
    """What is decided after each move of a quiet game, both sides in turn giving these scores."""
    board = chess.Board()
    referee = Referee(board, rules)
    moves = ("b1c3", "b8c6", "c3b1", "c6b8")
    decisions = []
    for number, score in enumerate(scores):
        board.push_uci(moves[number % 4])
        referee.note(board, score)
        decisions.append(referee.adjudicate(board))
    return decisions


DRAW = (Termination.DRAW_ADJUDICATED, None)


def test_draws_are_off_by_default() -> None:
    assert endings(AdjudicationRules(), [Cp(0)] * 20) == [None] * 20


def test_a_draw_needs_enough_moves_by_both_sides() -> None:
    rules = AdjudicationRules(draw_move=1, draw_count=2, draw_score=10)
    assert endings(rules, [Cp(0), Cp(10), Cp(-10), Cp(0)]) == [None, None, None, DRAW]
    assert endings(rules, [Cp(0), Cp(11), Cp(0), Cp(0), Cp(0), Cp(0)]) == [None] * 5 + [DRAW]
    assert endings(rules, [Cp(0), None, Cp(0), Cp(0), Cp(0)]) == [None] * 5


def test_a_draw_comes_not_before_its_move() -> None:
    rules = AdjudicationRules(draw_move=4, draw_count=1, draw_score=10)
    assert endings(rules, [Cp(0)] * 6) == [None] * 5 + [DRAW]


def test_a_lost_position_is_given_up() -> None:
    rules = AdjudicationRules(resign_count=2, resign_score=500)
    black_wins = (Termination.WIN_ADJUDICATED, chess.BLACK)
    assert endings(rules, [Cp(-500), Cp(0), Mate(-3)]) == [None, None, black_wins]
    assert endings(rules, [Cp(-500), Cp(0), Cp(-499)]) == [None] * 3


def test_both_must_agree_where_that_is_asked() -> None:
    rules = AdjudicationRules(resign_count=1, resign_score=500, resign_both=True)
    white_wins = (Termination.WIN_ADJUDICATED, chess.WHITE)
    assert endings(rules, [Cp(400), Cp(-600), Cp(600), Cp(-600)]) == [None, None, None, white_wins]


def test_long_games_are_cut() -> None:
    assert endings(AdjudicationRules(max_moves=2), [None] * 4) == [None] * 3 + [
        (Termination.MOVE_LIMIT, None)
    ]


def test_words_of_the_command_line() -> None:
    assert parse_adjudication(None, None, None).draw_score is None
    rules = parse_adjudication([("move", "30"), ("score", "5")], [("both", "1")], 150)
    assert (rules.draw_move, rules.draw_count, rules.draw_score) == (30, 8, 5)
    assert (rules.resign_count, rules.resign_score, rules.resign_both) == (3, 1000, True)
    with pytest.raises(MatchRulesError, match="--draw"):
        parse_adjudication([("moves", "30")], None, None)
    with pytest.raises(MatchRulesError, match="--resign"):
        parse_adjudication(None, [("score", "-5")], None)
