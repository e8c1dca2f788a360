"""The page of puzzles, solved in a real browser."""

import io
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import chess
import chess.pgn
import pytest
from chess.engine import Cp
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from lolli._puzzles import Goal, Puzzle
from lolli.cli.tactics import _castling, exercises_page
from tests.lolli.cli.reports.browser import Reader, reader

LEGAL = "r2qkbnr/ppp2p1p/3p2p1/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6"
PROMOTION = "8/k1P5/8/1K6/8/8/8/8 w - - 0 1"  # a knight and a bishop do not win
CASTLING = "4k3/8/8/8/8/8/r6r/R3K3 w Q - 0 1"
MATES = "6k1/5ppp/8/8/8/8/4QPPP/3R2K1 w - - 0 1"
CHESS960 = "4k3/8/8/8/8/8/r6r/4KR2 w F - 0 1"
BLACK = "4r1k1/8/8/8/8/8/5PPP/6K1 b - - 0 1"


def puzzle(fen: str, line: str, played: str | None = None, *, chess960: bool = False) -> Puzzle:
    moves = tuple(chess.Move.from_uci(move) for move in line.split())
    return Puzzle(
        board=chess.Board(fen, chess960=chess960),
        goal=Goal.WIN,
        line=moves,
        scores=(Cp(500),) * ((len(moves) + 1) // 2),
        played=chess.Move.from_uci(played) if played else moves[0],
        last=None,
        source="game 1, move 1",
        headers={"White": "<b>Evil</b>", "Black": "B"},
    )


PUZZLES = [
    puzzle(LEGAL, "c4f7 e8e7 c3d5", "e1d1"),
    puzzle(PROMOTION, "c7c8q"),
    puzzle(CASTLING, "e1c1"),
    puzzle(BLACK, "e8e1"),
    puzzle(CHESS960, "e1f1", chess960=True),
    puzzle(MATES, "d1d8"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Reader]:
    with reader() as found:
        found.media()
        yield found


@pytest.fixture
def page(browser: Reader, tmp_path: Path) -> Reader:
    path = tmp_path / "puzzles.html"
    path.write_text(exercises_page(PUZZLES, "Puzzles of <games>"), encoding="utf-8")
    browser.window(1200, 900)
    browser.open(path)
    browser.ask("localStorage.clear()")
    browser.open(path)
    return browser


def click(page: Reader, square: str, *, flipped: bool = False) -> None:
    board = page.element("#board svg")
    size = board.rect["width"] / 8
    number = chess.parse_square(square)
    column, row = chess.square_file(number), 7 - chess.square_rank(number)
    if flipped:
        column, row = 7 - column, 7 - row
    x, y = ((each - 3.5) * size for each in (column, row))
    ActionChains(page.driver).move_to_element_with_offset(board, x, y).click().perform()


def after(fen: str, *moves: str) -> str:
    board = chess.Board(fen)
    for move in moves:
        board.push_uci(move)
    return board.board_fen()


def test_a_whole_line_is_solved_by_clicks(page: Reader) -> None:
    assert page.text("h1") == "Puzzles of <games>"
    assert page.text("#task") == "1. White to move and win."
    assert page.board() == LEGAL.split(maxsplit=1)[0]
    click(page, "c4")
    targets = page.ask(
        "return [...document.querySelectorAll('rect.target')].map(each => each.dataset.square)"
    )
    board = chess.Board(LEGAL)
    legal = {chess.square_name(move.to_square) for move in board.legal_moves if move.from_square == chess.C4}
    assert set(targets) == legal
    click(page, "f7")
    page.wait(2500)
    assert page.board() == after(LEGAL, "c4f7", "e8e7")
    assert "And now?" in page.text("#message")
    click(page, "c3")
    click(page, "d5")
    assert page.board() == after(LEGAL, "c4f7", "e8e7", "c3d5")
    assert page.text("#message") == "Nd5# is right. Solved."
    assert page.text("#line") == "6. Bxf7+ Ke7 7. Nd5#"
    assert page.text("#story") == "<b>Evil</b> played 6. Kxd1."
    assert page.text("#tally") == "1 of 1 solved at the first attempt"
    assert page.text("#list [aria-current]") == "1 ✓"
    assert page.problems() == []


def test_a_wrong_move_is_told_and_taken_back(page: Reader) -> None:
    click(page, "e1")
    click(page, "d1")
    assert page.text("#message") == "Kxd1 is not it. Try again."
    assert page.board() == LEGAL.split(maxsplit=1)[0]
    assert page.text("#tally") == "0 of 1 solved at the first attempt"
    click(page, "c4")
    click(page, "f7")
    page.wait(2500)
    click(page, "c3")
    click(page, "d5")
    assert page.text("#message") == "Nd5# is right."
    assert page.text("#list [aria-current]") == "1 ✗"


def test_moves_are_typed(page: Reader) -> None:
    for typed, told in (("Qh8", "not a legal move"), ("Bf7", "Bxf7+ is right")):
        page.element("#typed").send_keys(typed)
        # In one step: the reply comes half a second later.
        answer = "document.querySelector('#answer button').click();"
        assert told in page.ask(f"{answer} return document.querySelector('#message').textContent")


def test_promotion_asks_to_what(page: Reader) -> None:
    page.click("#next")
    click(page, "c7")
    click(page, "c8")
    buttons = page.driver.find_elements(By.CSS_SELECTOR, "#promotion button")
    assert [each.text for each in buttons] == ["Queen", "Rook", "Bishop", "Knight"]
    buttons[0].click()
    assert page.text("#message") == "c8=Q is right. Solved."
    assert page.board() == after(PROMOTION, "c7c8q")


def test_any_mate_is_right(page: Reader) -> None:
    page.click("#list li:nth-child(6) button")
    page.element("#typed").send_keys("Qe8\n")
    assert page.text("#message") == "Qe8# is right. Solved."
    assert page.board() == after(MATES, "e2e8")
    assert page.text("#list [aria-current]") == "6 ✓"


@pytest.mark.parametrize("square", ["f1", "g1"])
def test_castling_in_chess960_goes_to_the_rook_or_to_the_target(page: Reader, square: str) -> None:
    page.click("#list li:nth-child(5) button")
    click(page, "e1")
    click(page, square)
    assert page.text("#message") == "O-O is right. Solved."
    assert page.board() == "4k3/8/8/8/8/8/r6r/5RK1"


def test_in_chess_a_click_on_the_rook_chooses_it(page: Reader) -> None:
    page.click("#list li:nth-child(3) button")
    click(page, "e1")
    click(page, "a1")
    assert page.board() == CASTLING.split(maxsplit=1)[0]
    click(page, "a2")
    assert page.text("#message") == "Rxa2 is not it. Try again."


@pytest.mark.parametrize(
    ("number", "typed"),
    [(3, "e1c1"), (3, "e1a1"), (3, "0-0-0"), (5, "e1f1"), (5, "e1g1"), (5, "O-O"), (5, "oo")],
)
def test_castling_is_typed(page: Reader, number: int, typed: str) -> None:
    """Each of these but the last is what python-chess reads as castling."""
    page.click(f"#list li:nth-child({number}) button")
    page.element("#typed").send_keys(f"{typed}\n")
    told = "oo is not a legal move." if typed == "oo" else "is right. Solved."
    assert page.text("#message").endswith(told)


def test_names_of_castling_are_those_of_python_chess() -> None:
    """In all start positions of Chess960 without the pieces between, and in chess."""
    for number in range(960):
        board = chess.Board.from_chess960_pos(number)
        for square in chess.SquareSet(chess.BB_RANK_1) - chess.SquareSet(board.kings | board.rooks):
            board.remove_piece_at(square)
        legal = {move.uci() for move in board.legal_moves}
        names = _castling(board, legal)
        assert not names.keys() & legal
        for name, move in names.items():
            assert board.is_castling(chess.Move.from_uci(move))
            with suppress(chess.IllegalMoveError):  # python-chess reads it only from the usual squares
                assert board.parse_uci(name) == chess.Move.from_uci(move)
    board = chess.Board("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    names = _castling(board, {move.uci() for move in board.legal_moves})
    assert names == {"e1h1": "e1g1", "e1a1": "e1c1"}
    assert all(board.parse_uci(name).uci() == move for name, move in names.items())


def test_the_solution_is_shown(page: Reader) -> None:
    page.press("s")
    page.wait(4000)
    assert page.board() == after(LEGAL, "c4f7", "e8e7", "c3d5")
    assert page.text("#message") == "The solution: 6. Bxf7+ Ke7 7. Nd5#"


@pytest.mark.alone
def test_a_solution_under_way_gives_way_to_the_reader(page: Reader) -> None:
    page.press("s")
    page.wait(650)  # the reply has come, and the solver's next move has not
    page.element("#typed").send_keys("Nd5\n")
    page.wait(2500)
    assert page.board() == after(LEGAL, "c4f7", "e8e7", "c3d5")
    assert page.problems() == []


def test_what_was_solved_is_remembered(page: Reader) -> None:
    page.click("#next")
    page.element("#typed").send_keys("c8=Q\n")
    page.driver.refresh()
    assert page.text("#tally") == "1 of 1 solved at the first attempt"


def test_on_a_phone_nothing_is_wider_than_the_screen(page: Reader) -> None:
    page.window(360, 740, phone=True)
    assert page.ask("return document.documentElement.scrollWidth") <= 360
    assert page.element("#controls").rect["y"] < 740
    assert page.problems() == []


def test_the_page_needs_no_network_and_is_html() -> None:
    text = exercises_page(PUZZLES, "P")
    assert "http://" not in text.replace("http://www.w3.org/", "")
    assert "https://" not in text
    assert "<b>Evil" not in text
    assert io.StringIO(text).readline() == "<!DOCTYPE html>\n"
