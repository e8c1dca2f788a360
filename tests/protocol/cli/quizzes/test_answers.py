"""What counts as an answer, and as a right one."""

import pytest

from protocol.cli.quizzes.answers import (
    AnswerError,
    LeavesAnswer,
    MovesAnswer,
    NumbersAnswer,
    QuizAnswer,
    ResultAnswer,
)


def read(word: str) -> str:
    """A move of three, in small letters."""
    return ("a1", "b2", "c3")[("a1", "b2", "c3").index(word)]


NUMBER, VECTOR = NumbersAnswer((2.5,)), NumbersAnswer((3.0, -1.0, 4.0))
LEAVES, NO_LEAVES = LeavesAnswer(frozenset("bd"), "abcd"), LeavesAnswer(frozenset(), "abcd")
MOVES = MovesAnswer(frozenset(("a1", "c3")), ["a1", "b2", "c3"], read)
NO_MOVES = MovesAnswer(frozenset(), ["a1", "b2", "c3"], read)
CHOICE = MovesAnswer(frozenset(("b2",)), ["a1", "b2", "c3"], read, one=True)
RESULT = ResultAnswer(0, ("a1", "b2"), read)


@pytest.mark.parametrize(
    ("answer", "typed"),
    [
        *((NUMBER, typed) for typed in ("2.5", "+2.5", "5/2", "2.50", "2.504", " 2.5 ")),
        *((VECTOR, typed) for typed in ("3 -1 4", "3, -1, 4", "3;\N{MINUS SIGN}1;4", "3.0 -1. 4")),
        *((LEAVES, typed) for typed in ("b d", "bd", "D, B", "b;d")),
        *((MOVES, typed) for typed in ("a1 c3", "C3,A1")),
        *((RESULT, typed) for typed in ("draw a1", "B2 draw", "0 a1", "drawn b2")),
        (NumbersAnswer((-6.0,)), "-6"),
        (NumbersAnswer((1 / 3,)), "1/3"),
        (NumbersAnswer((1 / 3,)), ".33"),
        (NO_LEAVES, "none"),
        (NO_MOVES, "None"),
        (CHOICE, "b2"),
        (ResultAnswer(1, ("a1",), read), "win a1"),
        (ResultAnswer(-1, ("a1",), read), "-1 a1"),
    ],
)
def test_right(answer: QuizAnswer, typed: str) -> None:
    assert answer.is_right(typed)


@pytest.mark.parametrize(
    ("answer", "typed"),
    [
        *((NUMBER, typed) for typed in ("2.51", "-2.5", "2", "0.00001")),
        *((VECTOR, typed) for typed in ("3 -1 5", "4 -1 3")),
        *((LEAVES, typed) for typed in ("b", "b c d", "none")),
        *((MOVES, typed) for typed in ("a1", "a1 b2 c3", "none")),
        *((RESULT, typed) for typed in ("win a1", "draw c3")),
        (NO_LEAVES, "a"),
        (NO_MOVES, "a1"),
        (CHOICE, "a1"),
    ],
)
def test_wrong(answer: QuizAnswer, typed: str) -> None:
    assert not answer.is_right(typed)


@pytest.mark.parametrize(
    ("answer", "typed", "part"),
    [
        (NUMBER, "3", ""),
        (VECTOR, "3 -1 5", "2 of 3 right"),
        (VECTOR, "4 -1 3", "1 of 3 right"),
        (VECTOR, "1 2 3", ""),
        (LEAVES, "b", "1 of 2 found"),
        (LEAVES, "b c d", "2 of 2 found, 1 wrong"),
        (LEAVES, "a c", ""),
        (LEAVES, "none", ""),
        (NO_LEAVES, "a", ""),
        (MOVES, "a1 b2", "1 of 2 found, 1 wrong"),
        (CHOICE, "a1", ""),
        (RESULT, "win a1", "the move is right"),
        (RESULT, "draw c3", "the result is right"),
        (RESULT, "loss c3", ""),
    ],
)
def test_what_is_right_of_a_wrong_answer(answer: QuizAnswer, typed: str, part: str) -> None:
    assert not answer.is_right(typed)
    assert answer.partly(typed) == part


@pytest.mark.parametrize(
    ("answer", "typed"),
    [
        *((NUMBER, typed) for typed in ("", "two", "2.5 3", "1/0", "nan", "inf", "1e3", "9" * 5000, "²")),
        *((VECTOR, typed) for typed in ("3", "3 -1", "3 -1 4 1", "3-1 4 x")),
        *((LEAVES, typed) for typed in ("", "e", "b e", "1>0", "b none")),
        *((MOVES, typed) for typed in ("", "d4", "a1 d4", "a1 none")),
        *((CHOICE, typed) for typed in ("", "none", "a1 b2")),
        *((RESULT, typed) for typed in ("", "draw", "a1", "draw win a1", "draw a1 b2", "draw d4")),
        (NUMBER, "\x1b[31m"),
    ],
)
def test_no_answer_at_all(answer: QuizAnswer, typed: str) -> None:
    with pytest.raises(AnswerError, match=r"^not an answer: ") as error:
        answer.is_right(typed)
    assert str(error.value).isprintable()
    assert str(error.value).endswith(f"; type {answer.how}")


@pytest.mark.parametrize("answer", [NUMBER, VECTOR, LEAVES, NO_LEAVES, MOVES, NO_MOVES, CHOICE])
def test_the_text_is_a_right_answer(answer: QuizAnswer) -> None:
    assert answer.is_right(answer.text)


def test_the_text_of_a_result() -> None:
    assert RESULT.text == "draw a1 or b2"
