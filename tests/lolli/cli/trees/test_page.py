"""The page where the student decides, in a real browser: predicting, filling in, searching again, a quiz."""

from pathlib import Path
from typing import Any

import pytest

from engine.games.search.recording import Act, RecordedStep
from lolli.cli.questions import TOPICS, questions
from lolli.cli.questions.answers import choice, numbers, result_and_move, some_leaves, some_moves
from lolli.cli.quiz import quiz_page
from lolli.cli.terminal.screen import MINUS
from lolli.cli.trees import WatchedSearch, worth_text
from lolli.cli.trees.pages import page_picture, tree_page
from lolli.cli.trees.picture import Picture, picture_of, pretty, shown_value
from tests.lolli.cli.reports.browser import Reader
from tests.lolli.cli.trees.searches import searched

_TYPE = """
    const fields = [...document.querySelectorAll(".entry input")];
    arguments[0].forEach((value, place) => { fields[place].value = value; });
    const buttons = [...document.querySelectorAll(".entry button")];
    buttons.find(({ textContent }) => textContent === arguments[1]).click();
    return document.querySelector(".verdict").textContent;
"""
_CHOOSE = """
    const field = document.getElementById(arguments[0]);
    if (field.type === "checkbox") field.checked = arguments[1];
    else field.value = arguments[1];
    field.dispatchEvent(new Event("change"));
"""
_TAP = """
    const node = document.querySelector(`.pane [data-node="${arguments[0]}"] .shape`);
    const box = node.getBoundingClientRect();
    const middle = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
    const at = { ...middle, bubbles: true, pointerId: 1 };
    node.closest(".stage").setPointerCapture = () => {};
    node.dispatchEvent(new PointerEvent("pointerdown", at));
    node.dispatchEvent(new PointerEvent("pointerup", at));
"""
_VALUES = """
    const groups = [...document.querySelectorAll(".pane:not([hidden]) g[data-node]")];
    return Object.fromEntries(groups.map((group) => [
        group.dataset.node, [group.getAttribute("class"), group.querySelector(".value").textContent],
    ]));
"""
MOST_MILLISECONDS, STEPS = 50, 60
_STEP_TIMES = """
    const [button, times, done] = [document.getElementById(arguments[0]), [], arguments[2]];
    const step = () => {
        const began = performance.now();
        button.click();
        document.querySelector(".stage").getBoundingClientRect();
        times.push(performance.now() - began);
        if (times.length < arguments[1]) requestAnimationFrame(step);
        else done(times.sort((one, other) => one - other)[times.length >> 1]);
    };
    requestAnimationFrame(step);
"""


class Page:
    def __init__(self, browser: Reader, folder: Path) -> None:
        self.browser = browser
        self.file = folder / "page.html"

    def show(
        self,
        page: WatchedSearch | str,
        *,
        depth: int | None = None,
        boards: bool = False,
        merge: bool = False,
    ) -> None:
        if isinstance(page, WatchedSearch):
            page = tree_page(page_picture(page, depth=depth), boards=boards, merge=merge)
        self.file.write_text(page, encoding="utf-8")
        self.browser.open(self.file)

    def choose(self, name: str, value: str | bool) -> None:
        self.browser.ask(_CHOOSE, name, value)

    def type(self, values: list[str], button: str) -> str:
        told: str = self.browser.ask(_TYPE, values, button)
        return told

    def tap(self, node: str) -> None:
        self.browser.ask(_TAP, node)

    def verdict(self) -> str:
        return self.browser.text(".verdict")

    def title(self) -> str:
        return self.browser.text("#title")

    def values(self) -> dict[str, tuple[str, str]]:
        return {name: (classes, value) for name, (classes, value) in self.browser.ask(_VALUES).items()}


@pytest.fixture
def page(desktop: Reader, tmp_path: Path) -> Page:
    return Page(desktop, tmp_path)


def test_all_leaves_are_seen_before_the_search(page: Page) -> None:
    page.show(searched("alphabeta", text="sixteen"))
    told = page.values()
    shown = [value for name, (_, value) in told.items() if name.count(">") == 3]
    assert " ".join(shown) == "5 3 4 6 8 6 5 6 8 7 8 9 2 8 1 2"
    assert {value for name, (_, value) in told.items() if name.count(">") < 3} == {""}


def predict(page: Page, search: WatchedSearch) -> None:
    """Answer all that is asked, from the recorded steps."""
    best: dict[int, tuple[str, ...]] = {}
    steps = search.recording.steps
    after_child: RecordedStep | None = None

    def fields(step: RecordedStep) -> tuple[str, ...]:
        window = step.window or ()
        value = () if step.value is None else (worth_text(step.value),)
        return (*value, *(worth_text(each) for each in window))

    for step in steps:
        node = step.node
        if after_child is not None and after_child.node.above is not None:
            above = after_child.node.above
            if step.act is Act.UPDATE:
                best[above.number] = fields(step)
            if above.state.player >= 0:
                page.type([*best[above.number]], "That is it")
        after_child = step if step.act in {Act.ESTIMATE, Act.RETURN} else None
        if step.act is Act.INHERIT:
            best.setdefault(node.number, ())
            page.type([*fields(step)], "That is it")
        elif step.act is Act.CUT:
            page.type([], "It prunes the rest")
        elif step.act is Act.RETURN:
            page.type([*fields(step)[:1]], "It returns")
        elif step.act is Act.ENTER and node.above is not None:
            page.tap(search.path_text(node))


@pytest.mark.parametrize(
    ("searcher", "text"),
    [("alphabeta", "lecture"), ("minimax", "lecture"), ("maxn", "animals"), ("expectiminimax", "dice")],
)
def test_every_step_can_be_predicted(page: Page, searcher: str, text: str) -> None:
    search = searched(searcher, text=text)
    page.show(search)
    page.choose("mode", "predict")
    predict(page, search)
    told = page.verdict()
    right, asked = (int(word) for word in told.split() if word.isdigit())
    assert told.startswith("That was the whole search")
    assert right == asked > len(search.recording.nodes)


def test_a_wrong_prediction_is_answered_at_once(page: Page) -> None:
    page.show(searched("alphabeta"))
    page.choose("mode", "predict")
    assert page.type(["-inf", "0"], "That is it").startswith("No: beta is wrong. 0 of 1")
    assert page.type(["-inf", "inf"], "That is it").startswith("Right. 0 of 1")
    assert page.type([], "It prunes the rest").startswith("No: alpha is below beta")
    page.tap("2")
    assert page.verdict().startswith("No: not that node")
    page.tap("0")
    assert page.verdict().startswith("Right.")
    page.type([], "Show me")
    assert page.verdict() == f"0 starts with alpha {MINUS}∞ and beta ∞."


def test_a_click_answers_only_which_node_comes_next(page: Page) -> None:
    page.show(searched("uct:playouts=9"))
    page.choose("mode", "predict")
    while "Visits and mean" not in page.browser.text(".prompt"):
        page.type([], "Show me")
    told = page.verdict()
    page.tap("0")
    assert page.verdict() == told


def test_the_whole_tree_is_filled_in(page: Page) -> None:
    search = searched("alphabeta")
    page.show(search)
    page.choose("mode", "fill")
    page.tap("1>1")
    page.tap("1>2")
    page.tap("root")
    assert page.type(["3", "3", "inf", "1"], "Keep") != ""
    for name, values in {"0": ["3", "-inf", "3"], "1": ["<=2", "3", "2"], "2": ["2", "3", "2"]}.items():
        page.tap(name)
        page.type(values, "Keep")
    told = page.type([], "Check all")
    assert told == "Right: values 4 of 4, windows 4 of 4, pruned leaves 2 of 2, the move is wrong."
    page.choose("boards", value=True)  # changes the look and no answer
    page.tap("root")
    page.type(["3", "3", "inf", "0"], "Keep")
    assert page.type([], "Check all").startswith("All right: ")
    page.tap("2>0")
    told = page.type([], "Check all")
    assert "pruned leaves 2 of 2, 1 wrong" in told
    classes = {name: classes for name, (classes, _) in page.values().items()}
    assert "struck bad" in classes["2>0"]
    assert "struck good" in classes["1>1"]


def test_inner_nodes_with_nothing_drawn_below_keep_their_marks(page: Page) -> None:
    page.show(searched("alphabeta"), depth=1)
    page.choose("mode", "fill")
    page.type(["3", "3", "inf", "0"], "Keep")
    page.tap("2")
    page.type([], "Pruned")
    assert "1 wrong" in page.type([], "Check all")
    classes = {name: classes.split() for name, (classes, _) in page.values().items()}
    assert "good" in classes["root"]
    assert classes["0"] == classes["1"] == ["unseen", "bad"]
    assert {"struck", "bad"} <= {*classes["2"]}
    page.type([], "Not pruned")
    page.type(["2", "3", "2"], "Keep")
    page.type([], "Check all")
    assert page.values()["2"][0].split()[:2] == ["unseen", "good"]


def test_a_leaf_is_changed_and_the_tree_is_searched_again(page: Page) -> None:
    page.show(searched("alphabeta"))
    page.tap("1>0")
    page.type(["7"], "Search again")
    search = searched("alphabeta", text="((3,12,8),(7,4,6),(14,5,2))")
    picture = page_picture(search)
    assert page.title() == "alpha-beta, Game tree: 13 nodes, value 4, move 1"
    told = page.values()
    for node in picture.nodes:
        classes, value = told[node.path]
        assert value == pretty(shown_value(node, search))
        assert ("pruned" in classes) == node.pruned
        assert ("best" in classes) == node.best


def test_order_algorithm_and_depth(page: Page) -> None:
    page.show(searched("alphabeta", text="worst"))
    page.choose("order", "best")
    page.browser.press("END")
    assert page.title() == "alpha-beta, Game tree: 9 nodes, value 3, move 2", "3 + 3 - 1 leaves and 4 others"
    page.choose("algorithm", "minimax")
    assert page.title() == "minimax, Game tree: 13 nodes, value 3, move 2"
    page.choose("depth", "1")
    assert page.title() == "minimax, Game tree: 4 nodes, value 7.6667, move 2", "the mean of the leaves below"
    page.choose("depth", "2")
    page.tap("2")
    page.type([], "later ▶")
    assert page.title().startswith("minimax, Game tree: 13 nodes"), "the first place is taken by the best"


def test_two_searches_side_by_side_meet_at_the_same_node(page: Page) -> None:
    page.show(searched("alphabeta"))
    page.choose("beside", "minimax")
    page.browser.press("c")
    sentences = "return [...document.querySelectorAll('.sentence')].map((each) => each.textContent)"
    mine, other = page.browser.ask(sentences)
    assert mine.startswith("Cut at 1")
    assert other.startswith(("2 is the best", "1>0 is worth"))
    for _ in range(4):
        page.browser.press("ARROW_RIGHT")
    mine, other = page.browser.ask(sentences)
    assert "1>2" in other, "minimax is at what alpha-beta has pruned"
    assert "1" in mine
    page.browser.press("END")
    assert page.browser.ask(sentences) == ["root returns 3."] * 2
    code = page.browser.ask(
        "return [...document.querySelectorAll('.code .here')].map((each) => each.textContent)"
    )
    assert [line.strip() for line in code] == ["return best"] * 2


def test_an_unknown_leaf_may_get_a_value(page: Page) -> None:
    page.show(searched("alphabeta", text="A(a1: B(b1: 3, b2: 12), a2: C(c1: 2, c2: x))"))
    page.browser.press("END")
    told = page.values()
    assert (told["a2>c2"], told["a2"][1]) == (("pruned", "x"), "≤ 2")
    page.tap("a2>c2")
    page.type(["5"], "Search again")
    page.choose("algorithm", "minimax")
    page.browser.press("END")
    assert page.values()["a2>c2"][1] == "5"
    assert page.title() == "minimax, Game tree: 7 nodes, value 3, move a1"


def test_boards_and_equal_positions(page: Page) -> None:
    search = searched("minimax", "tictactoe", moves="B2 A1 C3 A3 A2")
    page.show(search, boards=True)
    states = {node.state for node in page_picture(search).nodes}
    page.browser.press("0")
    nodes = len(page.values())
    assert nodes > len(states)
    count = "return document.querySelectorAll('.picture .best, g[data-node] circle').length"
    assert page.browser.ask(count) > nodes, "men on the boards"
    assert page.browser.element(".board svg").is_displayed()
    page.choose("merge", value=True)
    page.browser.press("END")
    assert len(page.values()) == len(states)


_OVERLAPS = """
    const words = document.querySelectorAll("[data-index] > text, .move");
    const texts = [...words].filter((each) => each.textContent);
    const boxes = texts.map((each) => [each.textContent, each.getBoundingClientRect()]);
    return boxes.flatMap(([name, one], place) => boxes.slice(place + 1).filter(([, other]) =>
        Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
        && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3
    ).map(([other]) => `${name} on ${other}`));
"""


@pytest.mark.parametrize(
    ("searcher", "game", "text", "boards"),
    [
        ("alphabeta", "tree", "sixteen", False),
        ("expectiminimax", "tree", "dice", False),
        ("maxn", "tree", "animals", False),
        ("minimax", "tree", "A(long: B(b1: -12.25, b2: x), other: Longer(0.125,-3.75))", False),
        ("minimax", "tictactoe", "XOX/.O./X..", True),
        *(
            (searcher, "nim", piles, True)
            for searcher in ("alphabeta", "minimax")
            for piles in ("7", "5,4", "9")
        ),
        ("uct:playouts=60", "tree", "sixteen", False),
    ],
)
def test_no_words_are_over_others(page: Page, searcher: str, game: str, text: str, *, boards: bool) -> None:
    for merge in (False, True):
        page.show(searched(searcher, game, text), boards=boards, merge=merge)
        page.browser.press("END")
        page.browser.press("0")
        assert page.browser.ask(_OVERLAPS) == []


@pytest.mark.parametrize(
    ("searcher", "game", "is_whole"),
    [
        ("alphabeta:depth=3", "nim", True),
        ("expectiminimax:depth=1", "tree", True),
        ("minimax:depth=5", "tictactoe", False),
        ("alphabeta:cut_off=quiet:depth=2", "tictactoe", False),
        ("enhanced", "tree", False),
        ("uct:playouts=9", "tree", False),
    ],
)
def test_which_pages_search_again(searcher: str, game: str, is_whole: bool) -> None:
    assert page_picture(searched(searcher, game)).whole is is_whole


def test_a_page_with_few_plies_shows_what_is_below_pruned_branches() -> None:
    search = searched("alphabeta", "nim", text="9")
    picture = page_picture(search, depth=3)
    assert not picture.whole
    assert any(node.pruned and node.children for node in picture.nodes)


def test_pruned_branches_do_not_take_the_room_of_visited_nodes() -> None:
    search = searched("alphabeta", "nim", text="9")
    drawn = [[node.path for node in draw(search, nodes=60).nodes] for draw in (page_picture, picture_of)]
    assert drawn[0] == drawn[1]


def test_keyboard_and_phone(page: Page) -> None:
    page.browser.window(390, 780, phone=True)
    page.show(searched("alphabeta"))
    width = "return [document.documentElement.scrollWidth, innerWidth]"
    wide, room = page.browser.ask(width)
    assert wide <= room
    keys = """
        for (const key of arguments[0]) {
            const shiftKey = key.startsWith("Arrow");
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true }));
        }
    """
    page.choose("mode", "predict")
    page.type(["-inf", "inf"], "That is it")
    page.browser.ask(keys, ["ArrowDown", "ArrowDown", "Enter"])
    assert page.verdict().startswith("Right."), "the first node below the root"


TYPED = (
    f"2.5|+2.5|5/2|2.504|.33|1/0|3 -1 4|3, {MINUS}1; 4|b d|BD|b;d|none|x|a1 c3|C3,A1|b2|a1 a1"
    "|draw a1|B2 draw|0 a1|win c3|draw|a1|1 2 3|6-1|1-6|4-3, 5-2||seven|draw draw"
)
NAMES = ["a1", "b2", "c3"]
ANSWERS = [
    numbers((2.5,)),
    numbers((3.0, -1.0, 4.0)),
    some_leaves("bd", "abcd"),
    some_leaves("", "abcd"),
    some_moves(("a1", "c3"), NAMES, lambda word: NAMES[NAMES.index(word)]),
    some_moves((), NAMES, lambda word: NAMES[NAMES.index(word)]),
    choice("b2", NAMES),
    result_and_move(0, ("a1", "b2"), NAMES, lambda word: NAMES[NAMES.index(word)]),
]


def test_an_answer_is_checked_as_in_the_terminal(page: Page) -> None:
    asked = [*questions(["nim"], 1, 7)]
    page.show(quiz_page(asked))
    answers = [*ANSWERS, asked[0].answer]

    def checked(answer: Any, typed: str) -> Any:
        try:
            return [*answer.checked(typed)]
        except ValueError:
            return None

    expected = [[checked(answer, typed) for typed in TYPED.split("|")] for answer in answers]
    script = """
        return arguments[0].map((rule) => arguments[1].map((typed) => {
            const told = checkAnswer(rule, typed);
            return told && [told.isRight, told.partly];
        }));
    """
    assert page.browser.ask(script, [answer.rule for answer in answers], TYPED.split("|")) == expected


def test_all_topics_of_the_quiz(page: Page) -> None:
    asked = [*questions(list(TOPICS), len(TOPICS), 5)]
    page.show(quiz_page(asked))
    for place, question in enumerate(asked):
        assert page.browser.text("#heading") == f"{place + 1}. {question.title}"
        answer = question.answer.text.split(" or ")[0]
        if isinstance(question.asked, str):
            assert "click" not in page.browser.text("#how")
        page.browser.ask("document.getElementById('typed').value = arguments[0]", answer)
        page.browser.click("#answer button")
        assert page.browser.text("#judged") == f"Right: {question.answer.text}."
        assert page.browser.text("#reasons").split("\n") == [*question.reasons]
        if isinstance(question.solution, str):
            assert page.browser.text("#given") == question.solution
        else:
            assert page.title() == question.solution.search.title()
        page.browser.click("#following")


def test_leaves_of_the_quiz_are_clicked(page: Page) -> None:
    (question,) = questions(["alphabeta"], 1, 5)
    page.show(quiz_page([question]))
    letters = question.answer.text.split()
    assert isinstance(question.solution, Picture)
    for node in question.solution.nodes:
        if node.name in letters:
            page.tap(node.path)
    page.browser.click("#answer button")
    assert page.browser.text("#judged") == f"Right: {question.answer.text}."


@pytest.mark.alone
def test_a_step_on_a_page_of_ten_thousand_nodes(page: Page) -> None:
    page.show(searched("minimax:depth=5", "tictactoe"))
    for key in ("", "0"):  # near, and from afar
        if key:
            page.browser.press(key)
        assert page.browser.driver.execute_async_script(_STEP_TIMES, "forward", STEPS) <= MOST_MILLISECONDS
