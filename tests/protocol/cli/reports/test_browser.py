"""Reports in a real browser."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn
import pytest
from pypdf import PdfReader
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from protocol.cli.reports.judged_game import JudgedGame
from protocol.cli.reports.page import page_of
from protocol.cli.terminal.words import MINUS
from tests.protocol.cli.reports.browser import Reader, reader
from tests.protocol.cli.reports.samples import ANNOTATED, NAMES, nodes_in_order, sample

_LEAST_FINGER = 24  # pixels: https://www.w3.org/TR/WCAG22/#target-size-minimum
_LEAST_CONTRAST = 4.5  # https://www.w3.org/TR/WCAG21/#contrast-minimum


@pytest.fixture(scope="module")
def browser() -> Iterator[Reader]:
    with reader() as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    for name in NAMES:
        (made / name).with_suffix(".html").write_text(page_of(sample(name)), encoding="utf-8")
    return made


@pytest.fixture
def page(browser: Reader) -> Iterator[Reader]:
    """The browser as at a desk, with nothing to complain of in the end."""
    browser.window(1280, 800)
    browser.media()
    browser.problems()
    yield browser
    assert browser.problems() == []


@pytest.fixture
def annotated(page: Reader, folder: Path) -> Reader:
    """The page of the annotated game."""
    page.open(folder / "annotated.html")
    return page


def board_after(name: str, index: int) -> str:
    return nodes_in_order(sample(name))[index].board().board_fen()


def label(page: Reader) -> str:
    return page.text("#label")


@pytest.mark.parametrize("name", NAMES)
def test_every_position_is_that_of_python_chess(page: Reader, folder: Path, name: str) -> None:
    page.open((folder / name).with_suffix(".html"))
    boards = [node.board() for node in nodes_in_order(sample(name))]
    assert page.board() == boards[0].board_fen()
    assert page.boards_and_fens() == [(board.board_fen(), board.fen()) for board in boards[1:]]


def test_buttons_and_keys_step_through_the_game(annotated: Reader) -> None:
    line = [node.board().board_fen() for node in sample(ANNOTATED).mainline()]
    begin = chess.Board().board_fen()
    annotated.click("#next")
    annotated.press("ARROW_RIGHT")
    assert annotated.board() == line[1]
    assert label(annotated) == "1… d6"
    annotated.press("ARROW_LEFT")
    assert annotated.board() == line[0]
    annotated.click("#previous")
    assert annotated.board() == begin
    assert label(annotated) == "Before the first move"
    annotated.press("ARROW_LEFT")
    annotated.press("END")
    assert annotated.board() == line[-1]
    annotated.press("ARROW_RIGHT")
    assert annotated.board() == line[-1]
    annotated.press("HOME")
    assert annotated.board() == begin
    annotated.click("#last")
    assert annotated.board() == line[-1]
    annotated.click("#first")
    assert annotated.board() == begin
    for position in line[:10]:
        annotated.press("ARROW_RIGHT")
        assert annotated.board() == position


def test_buttons_that_lead_nowhere_are_off(annotated: Reader) -> None:
    def enabled() -> list[bool]:
        return [annotated.element(f"#{name}").is_enabled() for name in ("first", "previous", "next", "last")]

    assert enabled() == [False, False, True, True]
    annotated.press("ARROW_RIGHT")
    assert enabled() == [True] * 4
    annotated.press("END")
    assert enabled() == [True, True, False, False]


def test_what_stands_about_the_board(annotated: Reader) -> None:
    annotated.click("a.cell.good")
    assert label(annotated) == "24. Rxd4!"
    assert annotated.text("#score") == f"{MINUS}1.61"
    assert annotated.text("#clock") == "1:37:44"
    current = annotated.driver.find_elements("css selector", "[aria-current]")
    assert [each.text.split()[0] for each in current] == ["Rxd4!"]
    last = annotated.ask(
        "return [...document.querySelectorAll('rect.last')].map((r) => r.dataset.square).sort()"
    )
    assert last == ["d1", "d4"]
    assert annotated.ask("return document.querySelectorAll('#board polygon').length") == 2  # drawn arrows
    assert annotated.ask("return document.querySelectorAll('#board circle').length") == 1
    share = annotated.ask(
        "const [bar, share] = ['bar', 'share'].map((id) => document.getElementById(id).clientHeight);"
        "return share / bar"
    )
    assert share == pytest.approx(0.356, abs=0.01)


def test_check_is_shown(annotated: Reader) -> None:
    annotated.ask("document.querySelector(\"a[href='#move-93']\").click()")
    assert label(annotated) == "25. Qxd4+"
    assert annotated.ask("return document.querySelector('rect.check').dataset.square") == "a7"


def test_variations_can_be_stepped_through(annotated: Reader) -> None:
    nodes = nodes_in_order(sample(ANNOTATED))
    labels = [node.san() for node in nodes if isinstance(node, chess.pgn.ChildNode)]
    begin = 1 + next(at for at in range(len(labels)) if labels[at : at + 2] == ["Kb6", "b4"])
    annotated.ask("document.getElementById(arguments[0]).click()", f"move-{begin}")
    annotated.press("ARROW_RIGHT")
    assert label(annotated) == "25. b4"
    annotated.press("END")
    assert label(annotated) == "26… Nxd5"
    assert annotated.board() == nodes[begin].end().board().board_fen()
    for _ in range(5):
        annotated.press("ARROW_LEFT")
    assert label(annotated) == "24. Rxd4!"
    annotated.press("ARROW_RIGHT")
    assert label(annotated) == "24… cxd4"


def test_clicking_on_the_graph_goes_to_the_move(annotated: Reader) -> None:
    line = list(sample(ANNOTATED).mainline())
    plot = annotated.element(".plot")
    box = plot.rect
    ends = annotated.ask(
        "const g = JSON.parse(document.getElementById('data').textContent).graph; return [g.left, g.right]"
    )
    for ply in (20, 47, 66, len(line)):
        x = box["width"] * (ends[0] + (ends[1] - ends[0]) * ply / len(line))
        ActionChains(annotated.driver).move_to_element_with_offset(
            plot, round(x - box["width"] / 2), 0
        ).click().perform()
        assert annotated.board() == line[ply - 1].board().board_fen()
        cursor = annotated.element("#cursor").rect
        assert cursor["x"] + cursor["width"] / 2 - box["x"] == pytest.approx(x, abs=1.5)


def test_the_cursor_is_where_the_mark_is(annotated: Reader) -> None:
    annotated.ask("document.querySelectorAll('a.cell.blunder')[1].click()")
    marks = annotated.ask(
        "return [...document.querySelectorAll('.plot use')]"
        ".filter((use) => use.style.fill.includes('blunder'))"
        ".map((use) => { const b = use.getBoundingClientRect(); return b.left + b.width / 2; })"
    )
    cursor = annotated.element("#cursor").rect
    assert cursor["x"] + cursor["width"] / 2 == pytest.approx(max(marks), abs=1.5)


def test_the_board_turns(annotated: Reader) -> None:
    annotated.press("ARROW_RIGHT")
    position = annotated.board()
    annotated.click("#flip")
    assert annotated.board(flipped=True) == position
    annotated.press("ARROW_RIGHT")
    assert annotated.board(flipped=True) == board_after(ANNOTATED, 2)
    annotated.press("f")
    assert annotated.board() == board_after(ANNOTATED, 2)


def test_small_boards_turn_with_the_big_one(annotated: Reader) -> None:
    moments = JudgedGame(sample(ANNOTATED)).moments()
    boards = [moment.before.fen.split()[0] for moment in moments]
    assert annotated.diagrams(flipped=False) == boards
    annotated.click("#flip")
    assert annotated.diagrams(flipped=True) == boards
    turned = annotated.ask(
        "const at = (line, end) => new DOMPoint(line[`x${end}`].baseVal.value, line[`y${end}`].baseVal.value)"
        ".matrixTransform(line.getScreenCTM());"
        "return [...document.querySelectorAll('.diagram line')].map((line) => {"
        "const box = line.ownerSVGElement.getBoundingClientRect(), tail = at(line, 1);"
        "const unit = box.width / 374;"
        "return [(tail.x - box.left) / unit - 14, (tail.y - box.top) / unit]; })"
    )
    steps = [step for moment in moments for step in (*moment.better[:1], moment.played)]
    for step, (x, y) in zip(steps, turned, strict=True):
        tail = chess.parse_square(step.squares[0])
        assert (int(x // 45), int(y // 45)) == (7 - chess.square_file(tail), chess.square_rank(tail))
    annotated.press("f")
    assert annotated.diagrams(flipped=False) == boards


@pytest.mark.parametrize("width", [360, 1280])
def test_coordinates_stand_beside_all_boards(page: Reader, folder: Path, width: int) -> None:
    page.window(width, 800, phone=width < 500)
    page.open(folder / "annotated.html")
    white, black = ("abcdefgh", "87654321", True), ("hgfedcba", "12345678", True)
    assert page.coordinates() == [white] * 7
    page.click("#flip")
    assert page.coordinates() == [black] * 7


def test_the_best_move_is_an_arrow_before_a_mistake(annotated: Reader) -> None:
    moments = JudgedGame(sample(ANNOTATED)).moments(1000)
    arrow = (
        "const arrow = document.querySelector('#board .better-move'); if (!arrow) return null;"
        "return arrow.getAttribute('points').split(' ').map((point) => point.split(',').map(Number))"
    )
    better = {moment.before.index: moment.better[0] for moment in moments if moment.better}
    assert len(better) > 5
    for step in JudgedGame(sample(ANNOTATED)).story.steps[1:]:
        annotated.ask("document.getElementById(arguments[0]).click()", f"move-{step.index}")
        points = annotated.ask(arrow)
        if step.index not in better:
            assert points is None
            assert annotated.text("#better") == ""
            continue
        best = better[step.index]
        tip = points[3]
        tail = [(points[0][at] + points[-1][at]) / 2 for at in (0, 1)]
        for (x, y), name in zip((tail, tip), best.squares, strict=True):
            assert chess.square_name(chess.square(int(x // 45), 7 - int(y // 45))) == name
        assert annotated.text("#better") == f"best: {best.number} {best.san}"


def test_a_page_seen_from_black(page: Reader, tmp_path: Path) -> None:
    path = tmp_path / "black.html"
    path.write_text(page_of(sample(ANNOTATED), chess.BLACK), encoding="utf-8")
    page.open(path)
    assert page.board(flipped=True) == chess.Board().board_fen()


def test_diagrams_and_their_lines_lead_to_the_board(annotated: Reader) -> None:
    annotated.click(".card:nth-child(3) .headline")
    assert label(annotated) == "25. Re7+??"
    annotated.click(".card:nth-child(3) .better a:nth-of-type(2)")
    assert label(annotated) == "25… Qb6"


def test_an_address_leads_to_a_move(page: Reader, folder: Path) -> None:
    page.open(folder / "annotated.html", "#move-3")
    assert label(page) == "2. d4"
    page.press("ARROW_RIGHT")
    page.ask("location.hash = '#move-1'")
    page.wait(1000)
    assert label(page) == "1. e4"
    page.open(folder / "annotated.html", "#move-99999")
    assert label(page) == "Before the first move"


def test_the_fen_can_be_copied(annotated: Reader) -> None:
    annotated.press("ARROW_RIGHT")
    annotated.click("#copy")
    annotated.wait(1000)
    assert annotated.text("#copy") == "Copied"
    annotated.element("#fen").send_keys(Keys.ARROW_LEFT)  # which in a field is for the field
    assert label(annotated) == "1. e4"


def test_a_move_can_be_chosen_with_the_keyboard(annotated: Reader) -> None:
    annotated.element("#move-4").send_keys(Keys.ENTER)
    assert label(annotated) == "2… Nf6"


def test_the_text_follows_the_board_that_stands_still(annotated: Reader) -> None:
    annotated.ask("document.querySelector('.game').scrollIntoView()")
    for key in ("END", "HOME", "END"):
        annotated.press(key)
    move = annotated.element("[aria-current]")
    top = annotated.ask("return arguments[0].getBoundingClientRect().top", move)
    assert 0 < top < 800


@pytest.mark.parametrize("name", NAMES)
def test_a_phone_needs_no_scrolling_sideways(page: Reader, folder: Path, name: str) -> None:
    page.window(360, 640, phone=True)
    page.open((folder / name).with_suffix(".html"))
    assert page.ask("return [innerWidth, document.documentElement.scrollWidth]") == [360, 360]
    assert page.element("#board svg").rect["width"] == 360
    buttons = page.ask("return [...document.querySelectorAll('#controls button')].map((b) => b.clientHeight)")
    assert min(buttons) >= _LEAST_FINGER


def test_a_swipe_on_the_board_steps(page: Reader, folder: Path) -> None:
    page.window(360, 640, phone=True)
    page.open(folder / "annotated.html")
    page.ask("document.getElementById('panel').scrollIntoView()")
    box = page.ask(
        "const b = document.getElementById('board').getBoundingClientRect(); return [b.left, b.top]"
    )

    def swipe(start: tuple[int, int], end: tuple[int, int]) -> None:
        points = [{"x": box[0] + x, "y": box[1] + y} for x, y in (start, end)]
        page.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=points[:1])
        page.command("Input.dispatchTouchEvent", type="touchMove", touchPoints=points[1:])
        page.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    swipe((250, 100), (100, 110))
    assert label(page) == "1. e4"
    swipe((250, 100), (230, 100))
    assert label(page) == "1. e4"
    swipe((100, 100), (250, 90))
    assert label(page) == "Before the first move"


def test_the_board_of_a_phone_stays_while_the_moves_go_by(page: Reader, folder: Path) -> None:
    page.window(360, 740, phone=True)
    page.open(folder / "annotated.html")
    page.ask("document.getElementById('move-60').scrollIntoView()")
    assert page.ask("return document.getElementById('panel').getBoundingClientRect().top") == 0
    page.ask("document.getElementById('move-60').click()")
    page.click("#next")
    bottom = page.ask("return document.getElementById('panel').getBoundingClientRect().bottom")
    top = page.ask("return document.querySelector('[aria-current]').getBoundingClientRect().top")
    assert bottom <= top < 740


def test_print_has_diagrams_and_moves_and_no_stepper(annotated: Reader) -> None:
    document = PdfReader(io.BytesIO(annotated.pdf()))
    assert 2 <= len(document.pages) <= 4
    text = re.sub(r"\s", "", "".join(each.extract_text() for each in document.pages))
    for node in nodes_in_order(sample(ANNOTATED))[1:]:
        assert isinstance(node, chess.pgn.ChildNode)
        assert node.san() in text
    for words in ("Criticalmoments", "Betterwas25.Qxd4+Qb6", "Blackexpandsbeforehedevelops."):
        assert words in text
    assert "FEN" not in text


def test_paper_is_white(annotated: Reader) -> None:
    for scheme in ("light", "dark"):
        annotated.media("print", scheme)
        seen = annotated.ask(
            "return ['#panel', '#fen-row', '.cursor', '.card', '#moves']"
            ".map((selector) => document.querySelector(selector).offsetHeight)"
        )
        assert seen[:3] == [0, 0, 0]
        assert min(seen[3:]) > 100
        colors = annotated.ask(
            "const style = getComputedStyle(document.body);"
            "return [style.backgroundColor, style.color, style.getPropertyValue('--graph-black')]"
        )
        assert colors == ["rgb(255, 255, 255)", "rgb(0, 0, 0)", "#c9cbce"]


def luminance(color: list[int]) -> float:
    """https://www.w3.org/TR/WCAG21/#dfn-relative-luminance"""
    parts = [value / 255 for value in color]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_stands_out(annotated: Reader, scheme: str) -> None:
    annotated.media(scheme=scheme)
    classes = (
        "event",
        "san",
        "score",
        "clock",
        "number",
        "comment",
        "better",
        "inaccuracy",
        "mistake",
        "blunder",
        "good",
    )
    seen = annotated.ask(
        "const style = getComputedStyle(document.body), chosen = style.getPropertyValue('--chosen');"
        "const paint = document.createElement('i'); document.body.append(paint); paint.style.color = chosen;"
        "const papers = [style.backgroundColor, getComputedStyle(paint).color];"
        "const shown = (name) => document.querySelector(`main .${name}, header .${name}`);"
        "return [papers, arguments[0].map((name) => getComputedStyle(shown(name)).color)]",
        classes,
    )
    papers, inks = (
        [luminance(list(map(int, re.findall(r"\d+", color)[:3]))) for color in each] for each in seen
    )
    assert (papers[0] > 0.5) == (scheme == "light")
    for name, ink in zip(classes, inks, strict=True):
        darker, lighter = sorted((ink, papers[0]))
        assert (lighter + 0.05) / (darker + 0.05) >= _LEAST_CONTRAST, name


def test_without_scripts_it_is_still_a_document(page: Reader, folder: Path) -> None:
    page.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(folder / "annotated.html")
        text = page.text("main")
        for words in ("Critical moments", "Better was 25. Qxd4+", "Rxd4!", "Black resigned.", "81.0%"):
            assert words in text
        for selector in (".plot svg", ".card svg", "#board svg"):
            assert page.element(selector).is_displayed()
        for selector in ("#controls", "#fen-row", "#bar", "#cursor"):
            assert not page.element(selector).is_displayed()
    finally:
        page.command("Emulation.setScriptExecutionDisabled", value=False)


def test_hostile_text_runs_nothing(page: Reader, folder: Path) -> None:
    page.open(folder / "hostile.html")
    page.press("END")
    assert page.ask("return window.broken === undefined")
    assert "<img src=x" in page.text("h1")


def test_moves_glide_and_come_to_rest(annotated: Reader) -> None:
    annotated.command("Emulation.setEmulatedMedia", media="", features=[])
    annotated.click("#next")
    assert annotated.ask("return document.querySelector('#board svg').classList.contains('glides')")
    annotated.wait(2000)
    assert annotated.board() == board_after(ANNOTATED, 1)
    annotated.click("#last")
    assert annotated.board() == sample(ANNOTATED).end().board().board_fen()
