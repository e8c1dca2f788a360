"""Boards of all games: in colours nothing is lost of what the game shows as text."""

import io
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from rich.console import Console
from rich.text import Text

from engine.games.players.catalogue import GAMES, game
from engine.games.rules.game import OVER
from protocol.cli.terminal.board import MOVED, BoardSize
from protocol.cli.terminal.game_board import ShownState, beside, position_lines, side_text
from protocol.cli.terminal.game_looks import GRIDS, LINES


def console(width: int, height: int, *, colours: bool = True) -> Console:
    file = io.TextIOWrapper(io.BytesIO(), "utf-8")
    return Console(
        file=file,
        width=width,
        height=height,
        force_terminal=True,
        color_system="truecolor" if colours else None,
    )


def played(name: str, plies: int, players: int | None = None) -> ShownState:
    """After some random moves."""
    rules, random = game(name, players), Random(1)
    position = ShownState(rules, rules.start())
    for _ in range(plies):
        state = position.state
        move = random.choice(state.moves())
        if state.play(move).player == OVER:
            break
        position = ShownState(rules, state.play(move), state, move)
    return position


def colours(line: Text, kind: str) -> list[str]:
    """The colour of each character, `color`, or behind it, `bgcolor`; empty where there is none."""
    looks = [line.get_style_at_offset(console(80, 24), i) for i in range(len(line.plain))]
    return ["" if (colour := getattr(look, kind)) is None else colour.name for look in looks]


def backgrounds(line: Text) -> list[str]:
    return colours(line, "bgcolor")


def foregrounds(line: Text) -> list[str]:
    return colours(line, "color")


@pytest.mark.parametrize("name", GAMES)
def test_plain_text_is_that_of_the_game(name: str) -> None:
    position = played(name, 4)
    lines = [line.plain for line in position_lines(position, console(80, 12, colours=False))]
    if name == "chess":
        assert lines[8].split() == list("abcdefgh")
    else:
        assert lines == position.game.show(position.state).splitlines()


@pytest.mark.parametrize("name", [name for name in GRIDS if name != "chess"])
def test_every_man_is_on_the_board_in_its_colours(name: str) -> None:
    position = played(name, 6)
    lines = position_lines(position, console(90, 9))
    drawn = Counter(pair for line in lines for pair in zip(line.plain, foregrounds(line), strict=True))
    rows = [row for row in position.game.show(position.state).splitlines() if row[:2].strip().isdigit()]
    written = Counter("".join(row[3:-2] for row in rows))
    men = GRIDS[name].men
    assert sum(written[mark] for mark in men) > 0
    assert {mark: drawn[man.glyph, man.colour] for mark, man in men.items()} == {
        mark: written[mark] for mark in men
    }


@pytest.mark.parametrize("name", LINES)
def test_other_boards_stay_as_they_are_but_for_the_men(name: str) -> None:
    position = played(name, 6 if name != "nim" else 1)
    lines = position_lines(position, console(90, 30))
    text = position.game.show(position.state).splitlines()
    men = LINES[name]
    for line, row in zip(lines, text, strict=True):
        assert line.cell_len == len(row)
        assert all(a == b or a == men[b].glyph for a, b in zip(line.plain, row, strict=True))
    assert sum(glyph == "●" for line in lines for glyph in line.plain) > 5


@pytest.mark.parametrize("name", GAMES)
def test_a_board_fits_the_terminal(name: str) -> None:
    for width, height in ((80, 24), (120, 40), (200, 100)):
        lines = position_lines(played(name, 6), console(width, height))
        assert max(line.cell_len for line in lines) <= width
        assert len(lines) <= height
    assert position_lines(played(name, 6), console(20, 10))


@pytest.mark.parametrize("name", [name for name in GRIDS if name not in ("chess", "go")])
def test_a_board_of_medium_size_is_the_small_one_with_half_lines_between(name: str) -> None:
    position = played(name, 6)
    small, medium = (
        position_lines(position, console(150, 60), size=size) for size in (BoardSize.SMALL, BoardSize.MEDIUM)
    )
    rows = len(medium) - len(small) - 1
    width = max(5, GRIDS[name].width)
    for row in range(rows):
        assert medium[2 * row + 1].plain.split() == small[row].plain.split()
        squares = backgrounds(medium[2 * row + 1])[3::width]
        assert squares == backgrounds(small[row])[3 :: GRIDS[name].width]
        above, below = medium[2 * row], medium[2 * row + 2]
        upper = zip(above.plain[3::width], foregrounds(above)[3::width], strict=True)
        seen = [
            colour if half == "▄" else behind
            for (half, colour), behind in zip(upper, backgrounds(above)[3::width], strict=True)
        ]
        assert seen == squares
        halves = zip(below.plain[3::width], foregrounds(below)[3::width], strict=True)
        assert [colour if half == "▀" else "" for half, colour in halves] == squares


def test_a_small_board_of_squares_and_a_large_one() -> None:
    position = played("tictactoe", 4)
    rows = [row[3:8:2].replace(".", " ") for row in position.game.show(position.state).splitlines()[1:4]]
    small, large = (position_lines(position, console(80, height)) for height in (7, 24))
    assert [line.plain[4::3] for line in small[:3]] == rows
    assert len(large) == 10
    assert all(line.cell_len == 24 for line in large)
    crosses = sum(row.count("X") for row in rows)
    assert sum(line.plain.count("▀▄ ▄▀") for line in large) == crosses


def test_the_last_move_is_marked() -> None:
    for name, count in (("othello", 1), ("go", 1), ("checkers", 2), ("connectfour", 1), ("focus", 2)):
        position = played(name, 2)
        lines = position_lines(position, console(100, 9))
        width = GRIDS[name].width
        marked = sum(colour in GRIDS[name].marked for line in lines for colour in backgrounds(line))
        assert marked == count * width, name
        unknown = position_lines(ShownState(position.game, position.state), console(100, 9))
        assert not any(colour in GRIDS[name].marked for line in unknown for colour in backgrounds(line))


def test_chess_is_drawn_as_chess_and_larger_where_there_is_room() -> None:
    position = played("chess", 3)
    small, medium, large = (position_lines(position, console(100, height)) for height in (17, 24, 50))
    assert (len(small), len(medium), len(large)) == (9, 18, 25)
    for lines in (small, medium, large):
        assert sum(line.plain.count("♟") for line in lines) == 16
        assert sum(colour in MOVED for line in lines for colour in backgrounds(line)) > 0


def test_a_board_from_the_other_side_is_turned_with_its_labels() -> None:
    position = played("chess", 3)
    turned = replace(position, flipped=True)
    for height, down in ((17, 1), (50, 3)):
        one, other = (position_lines(each, console(100, height)) for each in (position, turned))
        squares = [[line.plain[3:] for line in lines[down // 2 : 8 * down : down]] for lines in (one, other)]
        assert [row.split() for row in squares[1]] == [row.split()[::-1] for row in squares[0][::-1]]
        assert other[down // 2].plain.split()[0] == "1"
        assert other[-1].plain.lower().split() == list("hgfedcba")
        marked = [
            sum(colour in MOVED for line in lines for colour in backgrounds(line)) for lines in (one, other)
        ]
        assert marked[0] == marked[1] > 0


def test_points_of_go() -> None:
    rules = game("go")
    lines = position_lines(ShownState(rules, rules.start()), console(80, 16))
    assert lines[0].plain == " 9  ┌──┬──┬──┬──┬──┬──┬──┬──┐ "
    assert lines[2].plain == " 7  ├──┼──•──┼──•──┼──•──┼──┤ "
    assert lines[8].plain == " 1  └──┴──┴──┴──┴──┴──┴──┴──┘ "
    medium = position_lines(ShownState(rules, rules.start()), console(80, 24))
    assert medium[0].plain.strip() == "9   ┌────┬────┬────┬────┬────┬────┬────┬────┐"
    assert medium[1].plain.strip() == "│    │    │    │    │    │    │    │    │"
    assert medium[4].plain.strip() == "7   ├────┼────•────┼────•────┼────•────┼────┤"
    assert medium[16].plain.strip() == "1   └────┴────┴────┴────┴────┴────┴────┴────┘"


def test_free_squares_of_checkers_have_their_numbers() -> None:
    rules = game("checkers")
    lines = position_lines(ShownState(rules, rules.start()), console(80, 16))
    assert lines[3].plain.split() == ["13", "14", "15", "16"]
    assert lines[4].plain.split() == ["17", "18", "19", "20"]


def test_men_of_several_players() -> None:
    rules = game("virus", 3)
    assert [side_text(rules, player, console(80, 24)).plain for player in range(3)] == [
        " 1  p1",
        " 2  p2",
        " 3  p3",
    ]
    plain = console(80, 24, colours=False)
    assert [side_text(game("go"), player, plain).plain for player in (0, 1)] == ["Black (X)", "White (O)"]


def test_notes_are_beside_a_board_or_below_it() -> None:
    board, notes = (
        [Text("abc"), Text("d"), Text("much longer than that")],
        [Text("one"), Text()],
    )
    assert [line.plain for line in beside(board, notes, 80)] == ["abc   one", "d", "much longer than that"]
    assert [line.plain for line in beside(board, notes, 5)][3:] == ["", "one", ""]
    assert board[0].plain == "abc"
