"""The page of a search, seen and used in a real browser."""

from pathlib import Path
from typing import Any

import pytest

from lolli.cli.terminal.screen import MINUS
from lolli.cli.trees import WatchedSearch, trace_lines
from lolli.cli.trees.pages import page_picture, tree_page
from lolli.cli.trees.picture import notes, picture_of, pretty, shown_value
from tests.lolli.cli.reports.browser import Reader
from tests.lolli.cli.trees.searches import searched

_STATE = """
    const state = () => Object.fromEntries([...document.querySelectorAll("g[data-node]")].map((group) => [
        group.dataset.node,
        [group.getAttribute("class"), [...group.querySelectorAll("text")].map((text) => text.textContent)],
    ]));
"""
_STATES = """
    return [...Array(arguments[1])].map(() => {
        document.getElementById(arguments[0]).click();
        return state();
    });
"""
State = dict[str, tuple[str, list[str]]]


class Page:
    def __init__(self, browser: Reader, folder: Path) -> None:
        self.browser = browser
        self.file = folder / "tree.html"

    def show(self, search: WatchedSearch, fragment: str = "") -> None:
        self.file.write_text(tree_page(page_picture(search)), encoding="utf-8")
        self.browser.open(self.file, fragment)

    def state(self) -> State:
        return _read(self.browser.ask(f"{_STATE} return state();"))

    def states(self, button: str, times: int) -> list[State]:
        return [_read(each) for each in self.browser.ask(_STATE + _STATES, button, times)]

    def at(self) -> str:
        return self.browser.text("#count")


def _read(told: dict[str, Any]) -> State:
    return {name: (classes, words) for name, (classes, words) in told.items()}


@pytest.fixture
def page(desktop: Reader, tmp_path: Path) -> Page:
    return Page(desktop, tmp_path)


def test_the_cut_of_the_lecture(page: Page) -> None:
    page.show(searched("alphabeta"))
    assert page.at() == "0 of 33"
    page.browser.press("c")
    assert page.at() == "19 of 33"
    assert page.browser.text(".sentence").startswith("Cut at 1: alpha 3 ≥ beta 2.")
    state = page.state()
    assert state["1"] == ("seen cut path here", ["2", "[3, 2]"])
    assert state["1>1"] == ("pruned", ["4"])
    assert state["2"][0] == "unseen"
    page.browser.press("ARROW_LEFT")
    assert page.state()["1>1"] == ("unseen", ["4"])


def test_at_the_end_all_values_are_those_of_the_picture(page: Page) -> None:
    search = searched("alphabeta", text="sixteen")
    page.show(search)
    page.browser.press("END")
    state = page.state()
    picture = picture_of(search)
    assert len(state) == len(picture.nodes)
    for node in picture.nodes:
        classes, words = state[node.path]
        assert words[0] == pretty(shown_value(node, search))
        assert ("pruned" in classes) == node.pruned
        assert ("best" in classes) == node.best


def test_puct_shows_the_policy_of_a_node_at_once_and_at_the_end_the_bounds_of_the_picture(page: Page) -> None:
    search = searched("puct:playouts=9", "connectfour")
    page.show(search)
    page.browser.press("ARROW_RIGHT")
    moves = [(classes, words) for name, (classes, words) in page.state().items() if name != "root"]
    assert [classes for classes, words in moves if words] == ["untried"] * 7
    page.browser.press("END")
    state = page.state()
    for node in picture_of(search).root.children:
        (said,) = [note for note in notes(node, search) if note.startswith("P ")]
        assert said in state[node.move][1]
        if node.visited is not None:
            (bound,) = [note for note in notes(node, search) if note.startswith("bound ")]
            (shown,) = [words for words in state[node.move][1] if words.startswith("≤ ")]
            number = float(shown.removeprefix("≤ ").replace(MINUS, "-"))
            assert number == pytest.approx(float(bound.removeprefix("bound ")), abs=0.006)


def test_the_lines_are_those_of_the_trace(page: Page) -> None:
    search = searched("paranoid", text="sixteen")
    page.show(search)
    lines = [pretty(line) for line in trace_lines(search)]
    page.browser.press("END")
    told = page.browser.ask(
        "return [...document.querySelectorAll('.lines li')].map((each) => each.textContent)"
    )
    acts = [line.split()[:2] for line in lines[-len(told) :]]
    assert [line.split()[:2] for line in told] == acts
    page.browser.click(".lines li")
    assert page.at() == f"{len(lines) - len(told) + 1} of {len(lines)}"
