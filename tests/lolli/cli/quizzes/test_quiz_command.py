"""`lolli quiz`: the dialogue through pipes and in a terminal."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

from lolli.cli.group import group
from lolli.cli.questions import TOPICS, questions
from tests.lolli.cli.terminal.screen import CTRL_C, Screen

CTRL_D = "\x04"


def quiz(said: str, *words: str) -> Result:
    """What is said to these lines."""
    done = CliRunner().invoke(group, ["quiz", "--seed", "5", *words], input=said)
    assert done.stderr == ""
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done


def test_right_answers_to_all_topics() -> None:
    answers = [question.answer.text for question in questions(list(TOPICS), len(TOPICS), 5)]
    # Of several best moves one is enough.
    done = quiz("".join(f"{answer.split(' or ')[0]}\n" for answer in answers))
    assert done.exit_code == 0
    assert done.stdout.count("\nRight.\n") == len(TOPICS)
    assert done.stdout.endswith(f"\n{len(TOPICS)} of {len(TOPICS)} right\n")
    assert done.stdout.count("\nStep by step: lolli tree --game ") == len(TOPICS)


def test_what_is_not_an_answer_leaves_the_question() -> None:
    (question,) = questions(["minimax"], 1, 5)
    done = quiz(f"seven\n\n?\n{question.answer.text}\n", "--topic", "minimax", "--count", "1")
    before, right, _ = done.stdout.partition("\nRight.\n")
    assert right
    assert before.count("Answer: ") == 4
    assert before.count(question.text) == 1
    assert "\nnot an answer: 'seven'; type a number" in before
    assert done.stdout.endswith("\n1 of 1 right\n")


def test_a_wrong_answer_is_explained() -> None:
    (question,) = questions(["alphabeta"], 1, 5)
    done = quiz("none\n", "--topic", "alphabeta", "--count", "1")
    _, no, after = done.stdout.partition(f"\nNo, the answer is {question.answer.text}.\n")
    assert no
    assert all(f"  {reason}\n" in after for reason in question.reasons)
    assert "pruned\n" in after
    assert after.endswith("\n0 of 1 right; missed: Alpha-beta\n")


def test_skip_shows_the_solution_and_quit_leaves() -> None:
    (question,) = questions(["nim", "ucb"], 1, 5)
    done = quiz("skip\nquit\n", "--topic", "nim", "--topic", "ucb")
    assert done.exit_code == 0
    assert f"\nThe answer is {question.answer.text}.\n" in done.stdout
    assert f"2 of {len(TOPICS)}. UCB1" in done.stdout
    assert done.stdout.endswith("\n0 of 1 right; missed: Splitting Nim\n")


@pytest.mark.parametrize(
    "words", [("--topic", "chess"), ("--count", "0"), ("--seed", "-1"), ("--sheet", "no/such/folder/x.html")]
)
def test_errors(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(group, ["quiz", *words])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("key", "status"), [(CTRL_D, 0), (CTRL_C, 130)])
def test_keys_that_leave(lolli_command: list[str], key: str, status: int) -> None:
    words = ["quiz", "--seed", "5", "--topic", "minimax"]
    with Screen([*lolli_command, *words], columns=70) as screen:
        screen.expect(r"^Answer: ?$")
        screen.type("seven\n")
        screen.expect(r"^not an answer: 'seven'(.|\n)*^Answer: ?$")
        screen.type(key)
        assert screen.wait() == status
        assert screen.text.endswith("0 of 0 right")
        assert "Traceback" not in screen.text
