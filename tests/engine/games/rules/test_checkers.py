"""Checkers: its rules beside OpenSpiel's and published counts, its notation, draws and estimate."""

import random
from itertools import pairwise

import pytest

from engine.board.position import COMPILED
from engine.games.rules.checkers import BLACK, WHITE, CheckersGame, format_position, path
from engine.games.rules.checkers.board import Checkers
from engine.games.rules.game import OVER, IllegalMoveError, SizeError

PERFT = [7, 49, 302, 1_469, 7_361, 36_768, 179_740, 845_931, 3_963_680]
"""Published counts of move sequences from the start: Aart Bik's, https://www.aartbik.com."""
RULES = CheckersGame()


def at(position: str) -> Checkers:
    return CheckersGame(fen=position).start()


def texts(state: Checkers) -> set[str]:
    return {RULES.text(state, move) for move in state.moves()}


def after(state: Checkers, *words: str) -> Checkers:
    for word in words:
        state = state.play(RULES.parse(state, word))
    return state


def perft(state: Checkers, depth: int) -> int:
    moves = state.moves()
    return len(moves) if depth == 1 else sum(perft(state.play(move), depth - 1) for move in moves)


def test_positions_after_so_many_plies() -> None:
    known = PERFT if COMPILED else PERFT[:4]
    assert [perft(RULES.start(), depth + 1) for depth in range(len(known))] == known


def name(square: int) -> str:
    """OpenSpiel's name of a square: its first player is below, so that the board is turned."""
    row, column = (square - 1) // 4, 2 * ((square - 1) % 4) + 1 - (square - 1) // 4 % 2
    return f"{'abcdefgh'[7 - column]}{row + 1}"


def steps(move: int) -> list[str]:
    squares = [name(square) for square in path(move)]
    return [first + second for first, second in pairwise(squares)]


def men_of(state: Checkers) -> int:
    return sum(state.pieces(player).bit_count() for player in (BLACK, WHITE))


def compare(games: int) -> None:
    """Random games by both rules, until OpenSpiel calls a draw, which it does after fewer moves.

    There a player goes on to move while it has to capture.
    """
    theirs = pytest.importorskip("pyspiel").load_game("checkers")
    draws = random.Random(games)
    for _ in range(games):
        ours, other, quiet = RULES.start(), theirs.new_initial_state(), 0
        while not other.is_terminal():
            assert ours.player == other.current_player()
            todo = {tuple(steps(move)): move for move in ours.moves()}
            assert len(todo) == len(ours.moves())
            done: tuple[str, ...] = ()
            while done not in todo:
                names = {other.action_to_string(action): action for action in other.legal_actions()}
                assert set(names) == {way[len(done)] for way in todo if way[: len(done)] == done}
                word = draws.choice(sorted(names))
                other.apply_action(names[word])
                done = (*done, word)
            men = men_of(ours)
            ours = ours.play(todo[done])
            quiet = quiet + 1 if men_of(ours) == men else 0
        if any(other.returns()):
            assert (ours.player, list(ours.payoff())) == (OVER, other.returns())
        else:
            assert quiet == 40  # plies without capture, of which ours may be a draw only after 80


def test_the_rules_are_those_of_open_spiel() -> None:
    compare(1000 if COMPILED else 10)


def test_a_man_that_is_crowned_ends_its_move() -> None:
    state = at("W:W11:B8,7")
    assert texts(state) == {"11x4", "11x2"}
    crowned = after(state, "11x4")
    assert crowned.crowned() == crowned.pieces(WHITE) == 1 << 3
    king = at("W:WK11:B8,7")
    assert texts(king) == {"11x4", "11x2"}
    assert texts(at("W:W27:B24,16,8")) == {"27x20x11x4"}
    assert texts(at("W:WK27:B23,15,16")) == {"27x18x11x20"}


def test_a_king_may_come_back_to_where_it_was() -> None:
    around = at("B:W6,7,14,15:BK2")
    assert texts(around) == {"2x9x18x11x2", "2x11x18x9x2"}
    assert after(around, "2x9x18x11x2").payoff() == (1.0, -1.0)
    with pytest.raises(IllegalMoveError):
        RULES.parse(around, "2x2")  # either way round


def test_squares_on_the_way_may_be_left_out() -> None:
    state = at("W:W22,32:B18,11")
    assert RULES.parse(state, "22x8") == RULES.parse(state, "22X15X8")
    for text in ("22-8", "22x15", "15x8", "8x22", "", "x", "22", "é", "22x8x8", "1" * 5000):
        with pytest.raises(IllegalMoveError):
            RULES.parse(state, text)


def test_who_cannot_move_has_lost() -> None:
    assert at("W:W13:B9,6").payoff() == (1.0, -1.0)
    lost = after(at("B:W13:B9,1"), "1-6")
    assert (lost.player, lost.moves(), lost.payoff()) == (OVER, (), (1.0, -1.0))
    assert after(at("W:W22:B18"), "22x15").payoff() == (-1.0, 1.0)


def test_forty_moves_of_each_side_without_progress_are_a_draw() -> None:
    state = at("B:WK32:BK1")
    for i in range(79):
        state = after(state, ("1-5", "32-28", "5-1", "28-32")[i % 4])
        assert state.idle == i + 1
        assert state.player != OVER
    state = after(state, "28-32")
    assert (state.player, state.payoff()) == (OVER, (0.0, 0.0))


def test_progress_starts_the_count_again() -> None:
    state = after(at("B:WK32,21:BK1,12"), "1-5", "32-28")
    assert state.idle == 2
    assert after(state, "12-16").idle == 0


def test_equal_states_are_equal() -> None:
    assert after(at("B:W31,32:B1,2"), "1-6", "31-27", "2-7") == after(
        at("B:W31,32:B1,2"), "2-7", "31-27", "1-6"
    )
    assert at("B:WK32:BK1") != at("W:WK32:BK1")


def test_positions_are_read_and_written() -> None:
    for position in ("W:W21,22,K30:B1,K7", "B:WK4:B1,2,3,K32"):
        assert format_position(at(position)) == position
    assert at("b:b1:w32.") == at("B:W32:B1")
    for bad in ("", "W:W1", "X:W5:B6", "W:W5:B5", "W:W33:B1", "W:W0:B1", "W:W5:W6", "W:W1:B5", "B:W5:B29"):
        with pytest.raises(SizeError) as error:
            at(bad)
        assert "\n" not in str(error.value)
    with pytest.raises(SizeError, match="at most 12"):
        at(f"W:W{','.join(map(str, range(10, 23)))}:B1")
    with pytest.raises(SizeError):
        CheckersGame(players=3)
    with pytest.raises(SizeError):
        RULES.start(10)


def test_the_estimate_is_fair() -> None:
    """The same for both when the board is turned and the colours change."""
    draws = random.Random(2)
    for _ in range(10):
        state = RULES.start()
        while state.player >= 0:
            words = format_position(state).translate(str.maketrans("BW", "WB")).split(":")
            turned = ":".join([words[0], _turned(words[1]), _turned(words[2])])
            assert at(turned).estimate() == pytest.approx(state.estimate()[::-1])
            state = state.play(draws.choice(state.moves()))


def _turned(side: str) -> str:
    men = [man for man in side[1:].split(",") if man]
    return side[0] + ",".join(f"K{33 - int(man[1:])}" if man[0] == "K" else str(33 - int(man)) for man in men)


def test_the_estimate_likes_kings_and_men_that_have_come_far() -> None:
    ordinary = at("W:W22,23:B10,11").estimate()[WHITE]
    assert at("W:WK22,23:B10,11").estimate()[WHITE] > ordinary
    assert at("W:W14,22:B1,12").estimate()[WHITE] > at("W:W18,22:B1,12").estimate()[WHITE]
    assert at("W:W22,23:B10").estimate()[WHITE] > at("W:W21,22,23:B10,11").estimate()[WHITE]


def test_captures_and_crownings_are_noisy() -> None:
    state = at("W:W5,32:BK20,21")
    assert [RULES.text(state, move) for move in RULES.noisy(state)] == ["5-1"]
    capture = at("W:W22:B18")
    assert RULES.noisy(capture) == list(capture.moves())


def test_plain_and_compiled_do_the_same() -> None:
    """Numbers that either gave; this test runs in both modes."""
    start = RULES.start()
    assert [start.playout(seed)[0] for seed in range(12)] == [1, 1, -1, -1, -1, 1, 1, -1, 1, 1, -1, -1]
    assert hash(start) == 1077618198501969052
    assert start.play(start.moves()[0]).estimate()[BLACK] == pytest.approx(0.003810975609756017, rel=1e-12)


def test_a_game_as_pdn() -> None:
    assert RULES.record(("11-15", "22-18", "15x22", "25x18"), ("one", "two"), (0.0, 0.0)) == "\n".join(
        (
            '[White "two"]',
            '[Black "one"]',
            '[Result "1/2-1/2"]',
            '[GameType "21"]',
            "",
            "1. 11-15 22-18 2. 15x22 25x18 1/2-1/2",
        )
    )
    elsewhere = CheckersGame(fen="W:W27,32:B18").record(("27-23", "18x27", "32x23"), ("b", "w"), (-1.0, 1.0))
    assert '[Result "1-0"]' in elsewhere
    assert '[SetUp "1"]\n[FEN "W:W27,32:B18"]' in elsewhere
    assert max(map(len, RULES.record(("11-15",) * 99, ("", ""), (1.0, -1.0)).splitlines())) <= 80
