"""`lolli quiz`: in the terminal and as a sheet."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lolli.cli.group import group
from lolli.cli.questions import TOPICS, questions
from lolli.cli.quiz import sheet_page
from lolli.cli.trees.picture import Picture, pretty, shown_value
from tests.lolli.cli.terminal.screen import CTRL_C, Screen

CTRL_D = "\x04"
WITHOUT_COMMAND = 2  # topics: no command of lolli shows a graph, or a list by itself


def quiz(said: str, *words: str) -> Result:
    done = CliRunner().invoke(group, ["quiz", "--seed", "5", *words], input=said)
    assert done.stderr == ""
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done


def test_right_answers_to_all_topics() -> None:
    asked = list(questions(list(TOPICS), len(TOPICS), 5))
    answers = [question.answer.text for question in asked]
    # Of several best moves one is enough.
    done = quiz("".join(f"{answer.split(' or ')[0]}\n" for answer in answers))
    assert done.exit_code == 0
    assert done.stdout.count("\nRight.\n") == len(TOPICS)
    assert done.stdout.endswith(f"\n{len(TOPICS)} of {len(TOPICS)} right\n")
    assert [question.command for question in asked if not question.command] == [""] * WITHOUT_COMMAND
    assert done.stdout.count("\nStep by step: lolli tree --game ") == len(TOPICS) - WITHOUT_COMMAND


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


ASKED = list(questions(list(TOPICS), len(TOPICS), 5))
PAGE = sheet_page(ASKED, "lolli quiz --seed 5")


def body(page: str) -> ET.Element:
    """What is in <main>. Raises ParseError where it is not well-formed."""
    return ET.fromstring(page[page.index("<main>") : page.index("</main>") + len("</main>")])


def words(element: ET.Element) -> str:
    return " ".join(" ".join(element.itertext()).split())


def texts(element: ET.Element, name: str) -> list[str]:
    return [each.text or "" for each in element.iter("text") if name in (each.get("class") or "").split()]


def test_each_question_is_there_with_its_solution() -> None:
    main = body(PAGE)
    asked = main.findall("section[@class='question']")
    (solutions,) = main.findall("section[@class='solutions']")
    solved = solutions.findall("article")
    assert len(asked) == len(solved) == len(TOPICS)
    for number, (question, one, other) in enumerate(zip(ASKED, asked, solved, strict=True), 1):
        assert words(one).startswith(f"{number}. {question.title} {question.text}")
        assert words(one).endswith(question.answer.how)
        assert one.get("id") == f"question-{number}"
        assert words(other).startswith(f"{number}. {question.title} : {question.answer.text}")
        assert other.find("h3/a[@href]") is not None
        assert [item.text for item in other.iter("li")] == list(question.reasons)
        assert question.command in words(other)


@pytest.mark.parametrize("place", range(len(TOPICS)), ids=list(TOPICS))
def test_drawings(place: int) -> None:
    main, question = body(PAGE), ASKED[place]
    asked = main.findall("section[@class='question']")[place]
    solved = main.findall("section[@class='solutions']/article")[place]
    if isinstance(question.asked, Picture):
        shown = [pretty(shown_value(node, question.asked.search)) for node in question.asked.nodes]
        assert texts(asked, "value") == shown
        assert texts(asked, "cut") == []
    else:
        (board,) = asked.iter("pre")
        assert board.text == question.asked
    assert [each for each in asked.iter("g") if each.get("class") == "pruned"] == []
    assert not any("best" in (each.get("class") or "") for each in asked.iter("path"))
    if isinstance(question.solution, str):
        assert [board.text for board in solved.iter("pre")] == [question.solution]
        return
    values = [pretty(shown_value(node, question.solution.search)) for node in question.solution.nodes]
    assert texts(solved, "value") == values
    pruned = [each for each in solved.iter("g") if each.get("class") == "pruned" and each.get("transform")]
    assert len(pruned) == sum(node.pruned for node in question.solution.nodes)


def test_solutions_have_a_file_of_their_own_when_asked_for(tmp_path: Path) -> None:
    sheet, solutions = tmp_path / "sheet.html", tmp_path / "solutions.html"
    options = ["--seed", "5", "--sheet", str(sheet), "--solutions", str(solutions)]
    assert CliRunner().invoke(group, ["quiz", *options]).exit_code == 0
    asked, solved = (body(file.read_text(encoding="utf-8")) for file in (sheet, solutions))
    assert len(asked.findall("section[@class='question']")) == len(TOPICS)
    assert list(asked.iter("article")) == []
    assert "lolli tree" not in words(asked)
    assert "--seed" not in sheet.read_text(encoding="utf-8")
    assert "--seed 5 --sheet FILE --solutions FILE" in solutions.read_text(encoding="utf-8")
    assert solved.findall("section[@class='question']") == []
    assert len(list(solved.iter("article"))) == len(TOPICS)
    assert list(solved.iter("a")) == []
    assert list(solved.iter("span")) == []


def test_the_command_writes_it(tmp_path: Path) -> None:
    file = tmp_path / "sheet.html"
    options = ["--seed", "5", "--count", "2", "--topic", "nim"]
    done = CliRunner().invoke(group, ["quiz", *options, "--sheet", str(file)])
    assert (done.exit_code, done.stdout) == (0, "")
    page = file.read_text(encoding="utf-8")
    assert len(body(page).findall("section[@class='question']")) == 2
    assert "lolli quiz --topic nim --count 2 --seed 5 --sheet FILE" in page
    assert CliRunner().invoke(group, ["quiz", *options, "--sheet", "-"]).stdout == page
