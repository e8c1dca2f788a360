"""Go's rules, by a plain model, by hand, and on the way through notation."""

import random
from typing import Any

import pytest

from engine.games.rules.game import OVER, IllegalMoveError, SizeError
from engine.games.rules.go import (
    PASS,
    GoGame,
    at,
    final_score,
    final_status,
    fixed_handicap,
    name,
    ownership,
    point,
    with_handicap,
)
from engine.games.rules.go.playouts import GoState
from tests.engine.games.rules.drawn_go import drawn, play
from tests.engine.games.rules.plain_go import PlainGo


def legal(state: GoState, text: str) -> bool:
    return point(state, text) in state.moves()


def cells(state: GoState) -> dict[tuple[int, int], int]:
    places = [(column, row) for row in range(state.size) for column in range(state.size)]
    return {place: stone - 1 for place in places if (stone := state.at(at(state, *place)))}


@pytest.mark.parametrize("size", [5, 6, 7, 9])
@pytest.mark.parametrize("seed", range(3))
def test_random_games_obey_the_plain_rules(size: int, seed: int) -> None:
    chooser = random.Random(1000 * size + seed)
    state, plain = GoGame().start(size), PlainGo(size)
    for _ in range(4 * size * size):
        if state.player == OVER:
            break
        wanted = {at(state, *place) for place in plain.legal(state.player)}
        assert set(state.moves()) == wanted | {PASS}
        assert state.moves()[-1] == PASS
        assert list(state.moves()[:-1]) == sorted(wanted)
        assert state.score() == plain.area() - 7.5
        busy = [move for move in state.moves() if move != PASS]
        move = chooser.choice(busy) if busy and chooser.random() < 0.97 else PASS
        if move != PASS:
            row, column = divmod(move, state.stride)
            plain.play((column - 1, row - 1), state.player)
        state = state.play(move)
        assert cells(state) == plain.stones


LONELY = (
    "..XXXXO..",
    "..XXXXO..",
    "..XXXXO..",
    ".OXXXXO..",
    "..XXXXO..",
    "..XXXXO..",
    "..XXXXOX.",
    "..XXXXO..",
    "..XXXXO..",
)
KO = (".....", ".XO..", "X.XO.", ".XO..", ".....")


def test_ko_may_be_retaken_only_after_the_board_has_changed() -> None:
    ko = play(drawn(*KO), "pass", "B3")
    assert not legal(ko, "C3")
    assert legal(play(ko, "E1", "E5"), "C3")
    assert legal(play(ko, "pass"), "C3"), "White may always connect"


def test_ko_is_not_retaken_after_passes_either() -> None:
    """The stones would be as they were before: positional superko."""
    ko = play(drawn(*KO), "pass", "B3")
    assert not legal(ko.turn(1).turn(0), "C3")


def test_sending_two_returning_one_is_forbidden() -> None:
    """White gives two stones and would retake one: the same stones, but with Black to move."""
    start = drawn(".....", ".....", "XXX..", "XXOOO", ".O.O.", player=1)
    taken = play(start, "A1", "C1")
    assert taken.captured(2) == 2
    assert not legal(taken, "B1")
    assert legal(drawn(".....", ".....", "XXX..", "XXOOO", "..XO.", player=1), "B1")


def test_triple_ko_ends_with_the_sixth_move() -> None:
    mine, yours = ("..XO.", ".X.XO", "..XO."), ("..XO.", ".XO.O", "..XO.")
    rows = ["....." + "." * 8] + [
        row + "." * 8 for shape in (yours, mine, yours) for row in (*shape, ".....")
    ]
    kos = play(drawn(*rows), "D11", "C7", "D3", "C11", "D7")
    assert not legal(kos, "C3")
    assert legal(play(kos, "N1", "N2"), "C3")


SEKI = ("XXOOO", "XXOOO", "XX.OO", "XXXOO", "XX.OO")


def test_shared_liberties_of_a_seki_belong_to_nobody() -> None:
    assert drawn(*SEKI).score() == 11 - 12 - 7.5


def test_seki_is_left_alone_by_playouts() -> None:
    board = drawn(*SEKI)
    assert set(final_status(board, 50).values()) == {"seki"}
    assert final_score(board, 50) == board.score()


SEKI_IN_A_CORNER = (
    "X.XOOO.X.",
    "XXXXXOOXO",
    "X.X.XXOO.",
    "XOXX.XXOO",
    "XXXXXXXOX",
    "XXOXXOXXX",
    "XXOOOOOX.",
    "XO.O.OOXX",
    "OOO.O.OOX",
)


def test_who_would_take_a_seki_loses_a_string() -> None:
    """A game of level 8: White on G9 or J9 is taken on J7, which playouts do not see. GNU Go says seki."""
    board = drawn(*SEKI_IN_A_CORNER)
    status = final_status(board)
    assert {name(board, place) for place in status if status[place] == "dead"} == {"B6"}
    assert {name(board, place) for place in status if status[place] == "seki"} == {"H8", "H9"}
    assert final_score(board) == 46 - 33 - 7.5


def test_lonely_stones_in_strong_territory_are_dead() -> None:
    board = drawn(*LONELY)
    owned, status = ownership(board, 400), final_status(board, 400)
    assert owned[point(board, "B6")] > 0.5
    assert owned[point(board, "H3")] < -0.5
    dead = {name(board, place) for place in status if status[place] == "dead"}
    assert dead == {"B6", "H3"}
    assert set(status.values()) == {"alive", "dead"}
    assert final_score(board, 400) == 54 - 27 - 7.5
    assert board.score() == 36 - 9 - 7.5  # neither side surrounds a region with a stone of the other's in it


@pytest.mark.parametrize("komi", [-400.0, 300.0])
def test_a_large_komi_ends_no_playout(komi: float) -> None:
    assert ownership(drawn(*LONELY, komi=komi), 50) == ownership(drawn(*LONELY), 50)


def test_two_passes_end_the_game_and_the_area_decides() -> None:
    over = play(drawn(*SEKI, komi=0.0), "pass", "pass")
    assert over.player == OVER
    assert over.moves() == ()
    assert over.payoff() == (-1, 1)
    assert play(drawn(*SEKI, komi=-1.0), "pass", "pass").payoff() == (0, 0)
    assert play(drawn(*SEKI, komi=-1.5), "pass", "pass").payoff() == (1, -1)
    assert over.turn(1).player == 1
    assert over.turn(1).moves()


def test_equal_states_have_the_same_past() -> None:
    start = GoGame().start(9)
    one, other = play(start, "C3", "G7"), play(start, "C3", "G7")
    assert one == other
    assert hash(one) == hash(other)
    swapped = play(start, "pass", "G7", "C3").turn(0)
    assert swapped != one  # G7 alone was on the board, not C3 alone
    assert play(one, "pass") != one.turn(1)
    assert play(start.turn(0), "C3") != start.turn(1)
    assert play(GoGame(komi=6.5).start(9), "C3", "G7") != one
    assert GoGame().start(13) != start


@pytest.mark.parametrize("text", ["\u017f1", "\ufb061"])
def test_letters_that_become_latin_capitals_are_no_columns(text: str) -> None:
    assert text.upper() in {"S1", "ST1"}
    with pytest.raises(IllegalMoveError):
        GoGame().parse(GoGame().start(19), text)


def test_a_game_that_is_over_by_its_length_does_not_go_on() -> None:
    """There is no room for more of its past; dead stones can still be found."""
    state = drawn(*LONELY)
    while state.player != OVER:
        state = state.play(PASS).turn(0)
    assert state.turn(0).player == state.turn(1).player == OVER
    assert final_status(state, 50) == final_status(drawn(*LONELY), 50)


@pytest.mark.parametrize(
    ("size", "stones", "vertices"),
    [
        (19, 7, "D16 Q16 D10 K10 Q10 D4 Q4"),
        (19, 9, "D16 K16 Q16 D10 K10 Q10 D4 K4 Q4"),
        (9, 5, "C7 G7 E5 C3 G3"),
        (8, 4, "C6 F6 C3 F3"),
        (7, 4, "C5 E5 C3 E3"),
    ],
)
def test_fixed_handicap_is_where_gnu_go_puts_it(size: int, stones: int, vertices: str) -> None:
    assert set(fixed_handicap(size, stones)) == set(vertices.split())
    state = GoGame(handicap=stones).start(size)
    assert state.player == 1
    assert state.score() == size * size - 7.5 - stones


@pytest.mark.parametrize(("size", "stones"), [(6, 2), (7, 5), (8, 5), (9, 1), (9, 10)])
def test_handicaps_that_there_are_not(size: int, stones: int) -> None:
    with pytest.raises(SizeError):
        fixed_handicap(size, stones)


@pytest.mark.parametrize("vertices", [["A1"], ["A1", "a1"], ["A1", "pass"], ["A1", "Z9"]])
def test_free_handicap_is_refused_where_it_is_none(vertices: list[str]) -> None:
    with pytest.raises(IllegalMoveError):
        with_handicap(GoGame().start(9), vertices)


@pytest.mark.parametrize("stones", [[(0, "A1"), (1, "A2"), (1, "B1")], [(1, "A1"), (0, "A2"), (0, "B1")]])
def test_stones_without_liberties_are_not_set_up(stones: list[tuple[int, str]]) -> None:
    with pytest.raises(IllegalMoveError):
        GoGame().arrange(9, stones, 0)


def test_noisy_moves_are_captures() -> None:
    state = drawn(*KO, player=1)
    assert [name(state, move) for move in GoGame().noisy(state)] == ["B3"]
    assert GoGame().noisy(play(GoGame().start(9), "pass", "pass")) == ()


def test_board_for_people() -> None:
    shown = GoGame().show(play(drawn(*KO), "pass", "B3"))
    assert shown.splitlines() == [
        "   A B C D E",
        " 5 . . . . . 5",
        " 4 . X O . . 4",
        " 3 X O . O . 3",
        " 2 . X O . . 2",
        " 1 . . . . . 1",
        "   A B C D E",
        "Black (X) has taken 0, White (O) 1",
    ]
    assert " 7 . . + . + . + . . 7" in GoGame().show(GoGame().start(9))


@pytest.mark.parametrize(
    ("size", "games"), [(5, 12), (9, 10), (13, 6), (19, 2), pytest.param(9, 1000, marks=pytest.mark.slow)]
)
def test_rules_are_those_of_open_spiel(size: int, games: int) -> None:
    """OpenSpiel draws a game when a position comes back, and ends it after twice as many moves as points."""
    pyspiel = pytest.importorskip("pyspiel")
    their_game = pyspiel.load_game(f"go(board_size={size},komi=7.5)")
    chooser = random.Random(size)
    for _ in range(games):
        ours, theirs = GoGame().start(size), their_game.new_initial_state()
        passing = chooser.choice((0.0, 0.2))
        while not theirs.is_terminal():
            assert ours.player == theirs.current_player()
            actions = {move: _action(ours, move) for move in ours.moves()}
            forbidden = set(theirs.legal_actions()) - set(actions.values())
            assert set(actions.values()) <= set(theirs.legal_actions())
            assert all(_repeats(theirs, action) for action in forbidden)
            busy = [move for move in actions if move != PASS]
            move = chooser.choice(busy) if busy and chooser.random() >= passing else PASS
            ours = ours.play(move)
            theirs.apply_action(actions[move])
        if ours.player == OVER:
            assert list(ours.payoff()) == theirs.returns()
        else:
            assert theirs.move_number() == their_game.max_game_length()


def _action(state: GoState, move: int) -> int:
    row, column = divmod(move, state.stride)
    return int(state.size**2 if move == PASS else (row - 1) * state.size + column - 1)


def _repeats(theirs: Any, action: int) -> bool:
    after = theirs.child(action)
    return bool(after.is_terminal() and after.returns() == [0, 0])
