"""Reports in a real browser."""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import chess
import chess.pgn
import pytest
from pypdf import PdfReader
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from lolli.cli.reports.page import origin_block, page_of_judged
from lolli.cli.reports.story import JudgedGame
from lolli.cli.terminal.screen import MINUS
from tests.lolli.cli.reports.browser import Reader, reader
from tests.lolli.cli.reports.samples import ANNOTATED, NAMES, nodes_in_order, parsed, sample
from tests.patience import wait_until

_LEAST_FINGER = 24  # pixels: https://www.w3.org/TR/WCAG22/#target-size-minimum


@pytest.fixture(scope="module")
def browser() -> Iterator[Reader]:
    with reader() as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    for name in NAMES:
        (made / name).with_suffix(".html").write_text(
            page_of_judged(JudgedGame(sample(name), opening=True)), encoding="utf-8"
        )
    return made


@pytest.fixture
def page(browser: Reader) -> Iterator[Reader]:
    browser.window(1280, 800)
    browser.media()
    browser.problems()
    yield browser
    assert browser.problems() == []


@pytest.fixture
def annotated(page: Reader, folder: Path) -> Reader:
    page.open(folder / "annotated.html")
    return page


def board_of(name: str, index: int) -> chess.Board:
    return nodes_in_order(sample(name))[index].board()


def board_after(name: str, index: int) -> str:
    return board_of(name, index).board_fen()


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


def test_the_board_turns(annotated: Reader) -> None:
    annotated.press("ARROW_RIGHT")
    position = annotated.board()
    annotated.click("#flip")
    assert annotated.board(flipped=True) == position
    annotated.press("ARROW_RIGHT")
    assert annotated.board(flipped=True) == board_after(ANNOTATED, 2)
    annotated.press("f")
    assert annotated.board() == board_after(ANNOTATED, 2)


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
    wait_until(lambda: annotated.text("#copy") == "Copied")
    annotated.element("#fen").send_keys(Keys.ARROW_LEFT)  # which in a field is for the field
    assert label(annotated) == "1. e4"


def pasted(page: Reader) -> str:
    """What the clipboard holds."""
    page.ask(
        "const field = document.createElement('textarea'); field.id = 'pasted'; document.body.append(field)"
    )
    page.element("#pasted").send_keys(Keys.CONTROL, "v")
    return str(
        page.ask("const field = document.getElementById('pasted'); field.remove(); return field.value")
    )


def test_what_is_copied_is_the_position_and_the_game(page: Reader, folder: Path, tmp_path: Path) -> None:
    """Also where the page holds the game for a later run."""
    game = sample(ANNOTATED)
    again = page_of_judged(JudgedGame(game), origin=origin_block({}, game))
    (tmp_path / "one_of_many.html").write_text(again, encoding="utf-8")
    for path in (folder / "annotated.html", tmp_path / "one_of_many.html"):
        page.open(path, "#move-5")
        page.click("#copy")
        assert pasted(page) == board_of(ANNOTATED, 5).fen()
        page.click("#copy-pgn")
        wait_until(lambda: page.text("#copy-pgn") == "Copied")
        copied = parsed(pasted(page))
        assert copied.accept(chess.pgn.StringExporter()) == game.accept(chess.pgn.StringExporter())


@pytest.mark.parametrize(("name", "variant"), [(ANNOTATED, "standard"), ("chess960.pgn", "chess960")])
def test_the_link_to_lichess_has_the_position(page: Reader, folder: Path, name: str, variant: str) -> None:
    page.open((folder / name).with_suffix(".html"), "#move-3")
    for color in ("white", "black"):
        address = urlsplit(str(page.element("#lichess").get_attribute("href")))
        assert (address.scheme, address.netloc, address.query) == ("https", "lichess.org", f"color={color}")
        _, analysis, kind, fen = address.path.split("/", 3)
        assert (analysis, kind) == ("analysis", variant)
        assert chess.Board(unquote(fen).replace("_", " "), chess960=variant == "chess960") == board_of(
            name, 3
        )
        page.click("#flip")


def first_of_phase(boards: list[chess.Board], belongs: Callable[[chess.Board], bool]) -> int | None:
    return next((board.ply() for board in boards if belongs(board)), None)


def pieces(board: chess.Board) -> int:
    return sum(piece.symbol() in "QRBNqrbn" for piece in board.piece_map().values())


def is_sparse(board: chess.Board) -> bool:
    """Whether fewer than four men stand on the first rank of their side."""
    homes = {chess.WHITE: 0, chess.BLACK: 7}
    men = [
        piece.color
        for square, piece in board.piece_map().items()
        if chess.square_rank(square) == homes[piece.color]
    ]
    return min(men.count(color) for color in chess.COLORS) < 4


def test_phases_and_book_are_marked_where_they_are(annotated: Reader) -> None:
    """Dashed lines on the graph, the words below it, and the caption of each step say the same."""
    game = sample(ANNOTATED)
    boards = [game.board(), *(node.board() for node in game.mainline())]
    expected = {
        "from-middle-game": first_of_phase(boards, lambda board: pieces(board) <= 10 or is_sparse(board)),
        "from-endgame": first_of_phase(boards, lambda board: pieces(board) <= 6),
        "book-end": 2 * 3,  # 3... g6: the longest opening with a name, B07
    }
    assert None not in expected.values()
    ends = annotated.ask(
        "const g = JSON.parse(document.getElementById('data').textContent).graph; return [g.left, g.right]"
    )
    plot = annotated.element(".plot").rect
    for name, ply in expected.items():
        box = annotated.ask(f"return document.getElementById('{name}').getBoundingClientRect().toJSON()")
        part = ((box["left"] + box["right"]) / 2 - plot["x"]) / plot["width"]
        seen = len(boards[1:]) * (part - ends[0]) / (ends[1] - ends[0])
        assert seen == pytest.approx(ply, abs=0.3), name
    for ply in range(1, len(boards)):
        annotated.press("ARROW_RIGHT")
        phase = "Endgame" if ply >= (expected["from-endgame"] or 0) else "Opening"
        phase = "Middle game" if phase == "Opening" and ply >= (expected["from-middle-game"] or 0) else phase
        assert annotated.text("#phase") == phase + ", book" * (ply <= 6)
    links = annotated.driver.find_elements("css selector", ".phases a")
    sans = [node.san() for node in game.mainline()]
    plies = [expected[name] or 0 for name in ("book-end", "from-middle-game", "from-endgame")]
    assert [link.text.split()[-1] for link in links] == [sans[ply - 1] for ply in plies]


def test_the_time_that_a_move_took(page: Reader, tmp_path: Path) -> None:
    """By the clocks, or as the file says; beside the evaluation and above the buttons."""
    game = parsed(
        '[TimeControl "300+2"]\n\n1. e4 { [%clk 0:05:00] } e5 { [%clk 0:05:00] } 2. Nf3 { [%clk 0:04:30] }'
        " Nc6 { [%clk 0:05:01.5] [%eval 0.3] } 3. Bb5 { [%emt 0:01:10] } *"
    )
    path = tmp_path / "clocks.html"
    path.write_text(page_of_judged(JudgedGame(game)), encoding="utf-8")
    page.open(path)
    spent = ["", "", "32 s", "0.5 s", "1:10"]
    for index, text in enumerate(spent, 1):
        page.press("ARROW_RIGHT")
        assert page.text("#spent") == text
        found = page.driver.find_elements("css selector", f"#move-{index} .spent")
        assert [each.text.splitlines()[-1] for each in found] == [text] * bool(text)


def test_a_comment_is_shown_at_its_move(annotated: Reader) -> None:
    """Which is where a reason stands."""
    annotated.click("a.cell.good")
    assert annotated.text("#reason") == "The move that the game is known for."
    annotated.press("ARROW_LEFT")
    assert annotated.text("#reason") == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_phone_needs_no_scrolling_sideways(page: Reader, folder: Path, name: str) -> None:
    page.window(360, 640, phone=True)
    page.open((folder / name).with_suffix(".html"))
    assert page.ask("return [innerWidth, document.documentElement.scrollWidth]") == [360, 360]
    assert page.element("#board svg").rect["width"] == 360
    buttons = page.ask("return [...document.querySelectorAll('#controls button')].map((b) => b.clientHeight)")
    assert min(buttons) >= _LEAST_FINGER


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


def test_hostile_text_runs_nothing(page: Reader, folder: Path) -> None:
    page.open(folder / "hostile.html")
    page.press("END")
    assert page.ask("return window.broken === undefined")
    assert "<img src=x" in page.text("h1")
