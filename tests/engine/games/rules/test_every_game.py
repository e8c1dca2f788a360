"""What holds for every game: promises of states, notation, refusals, playouts, and the rules of OpenSpiel."""

from typing import Any

import pytest

from engine.games.catalogue import game
from engine.games.rules.game import IllegalMoveError, NotApplicableError, SizeError
from tests.engine.games.rules.open_spiel import assert_same_rules
from tests.engine.games.rules.plain_play import check_game

COMPILED = [
    *(("virus", {"players": players, "pattern": "square"}, 5) for players in (2, 5)),
    *(("virus", {"players": players}, 6) for players in (2, 3, 6)),
    *(("focus", {"players": players}, None) for players in (2, 3, 4)),
    *(("chinesecheckers", {"players": players, "cap": 60}, None) for players in (2, 3, 6)),
    *(("checkers", {}, None), ("connectfour", {}, None), ("connectfour", {"columns": 5, "rows": 4}, None)),
    *(("othello", {}, 4), ("othello", {}, 8), ("go", {}, 5)),
]
PLAIN: list[tuple[str, dict[str, Any], int | None]] = [
    *(("tictactoe", {"judge": judge}, None) for judge in ("lines", "adjacent")),
    *(("nim", {}, 20), ("chess", {}, None)),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "options", "size"), [*COMPILED, *PLAIN])
def test_states_keep_their_promises(name: str, options: dict[str, Any], size: int | None, seed: int) -> None:
    check_game(game(name, **options), size, seed)


@pytest.mark.parametrize(("name", "options", "size"), COMPILED)
def test_playouts_are_games_that_can_be_repeated(
    name: str, options: dict[str, Any], size: int | None
) -> None:
    start = game(name, **options).start(size)
    payoffs = [start.playout(seed) for seed in range(30)]
    assert payoffs == [start.playout(seed) for seed in range(30)]
    assert all(abs(sum(payoff)) < 1e-9 for payoff in payoffs)
    assert len(set(payoffs)) > 1 or name == "chinesecheckers"  # its cap comes first


@pytest.mark.parametrize("games", [30, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "theirs"), [("connectfour", "connect_four"), ("othello", "othello")])
def test_the_rules_are_those_of_open_spiel(name: str, theirs: str, games: int) -> None:
    assert_same_rules(game(name).start(), theirs, games)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, {"players": 3}) for name in ("othello", "connectfour", "checkers", "chess", "go", "nim")),
        *((name, {"players": 3}) for name in ("tictactoe", "backgammon")),
        *((name, {"players": players}) for name in ("virus", "focus") for players in (1, 7)),
        *(("chinesecheckers", {"players": 5}), ("virus", {"pattern": "star"}), ("nim", {"piles": "3,x"})),
        *(("chinesecheckers", {"cap": cap}) for cap in (0, 2.5, 10**12)),
        *(("chinesecheckers", {"blocking": "no"}), ("chess", {"judge": "nobody"}), ("chess", {"fen": "x"})),
        *(("connectfour", each) for each in ({"columns": 3}, {"columns": 9, "rows": 7}, {"columns": 7.5})),
        *(("go", each) for each in ({"komi": 1e9}, {"komi": float("nan")}, {"handicap": 1})),
        ("backgammon", {"scoring": "money"}),
        *(("tictactoe", {"judge": "nobody"}), ("tictactoe", {"board": "XXX/OOO/..."})),
    ],
)
def test_options_that_there_are_not(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(SizeError) as error:
        game(name, **options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "sizes", "texts"),
    [
        ("virus", (4, 13), ("", "A1", "i9", "pass", "Z99", "\u212a8")),
        ("focus", (9,), ("", "*D4", "B2-D2", "A1-A2", "C3", "C3-C3", "pass")),
        ("chinesecheckers", (9,), ("", "N17", "N17-N16", "K14-K13", "pass", "I1-I2")),
        ("othello", (5,), ("", "A1", "D4", "I3", "pass", "D33", "Z9")),
        ("connectfour", (8,), ("", "A2", "H", "8", "0", "44", "\u0664")),
        ("checkers", (10,), ("", "22-8", "x", "22", "é", "1" * 5000)),
        ("chess", (10,), ("", "e1e3", "0000", "--", "Kd9", "é4", "a" * 1000)),
        ("go", (0, 4, 20), ("", "I5", "K1", "A0", "A10", "resign", "a", "5", "A\u0661", "A00019")),
        ("tictactoe", (4,), ("D1", "A4", "", "AA", "A", "1A", "pass")),
        ("nim", (0, 51, -1), ("5-5", "7-2", "10-0", "7", "", "7-3-1", "-3-7", "a-b", "\u0667-3")),
        ("backgammon", (19,), ("", "11", "7", "07", "70", "3-1", "331", "²²", "8/5")),
        ("tree", (3,), ("3", "-1", "", "01", "one", "1.0")),
    ],
)
def test_sizes_and_texts_that_there_are_not(
    name: str, sizes: tuple[int, ...], texts: tuple[str, ...]
) -> None:
    rules = game(name)
    for size in sizes:
        with pytest.raises(SizeError):
            rules.start(size)
    for text in texts:
        with pytest.raises(IllegalMoveError):
            rules.parse(rules.start(), text)


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("focus", "B2-B3 B7-B6 F2-F3 F7-F6 B3-D3 B6-D6", "F2-F3 F7-F6 B2-B3 B7-B6 B3-D3 B6-D6"),
        ("chinesecheckers", "K14-J13 K4-J5 M14-L13 M4-L5", "M14-L13 M4-L5 K14-J13 K4-J5"),
        ("othello", "f5 d6 c3 d3 c4", "f5 d6 c4 d3 c3"),
        ("connectfour", "A B C", "C B A"),
        ("chess", "e3 e6 d3", "d3 e6 e3"),
        ("go", "C3 G7 E5", "E5 G7 C3"),
    ],
)
def test_states_are_equal_if_the_same_can_follow(name: str, one: str, other: str) -> None:
    """In Go the positions on the way count, too."""
    rules, states = game(name), []
    for words in (one, other, one):
        state = rules.start()
        for word in words.split():
            state = state.play(rules.parse(state, word))
        states.append(state)
    assert states[0] == states[2] != rules.start()
    assert hash(states[0]) == hash(states[2])
    assert (states[0] == states[1]) == (name != "go")
    assert name == "go" or hash(states[0]) == hash(states[1])


@pytest.mark.parametrize(("name", "players"), [("virus", 4), ("focus", 4), ("chinesecheckers", 6)])
def test_the_turn_goes_on_from_whom_it_was_given_to(name: str, players: int) -> None:
    state = game(name, players).start().turn(2)
    assert state.player == 2
    assert state.play(state.moves()[0]).player == 3


@pytest.mark.parametrize("name", ["chess", "backgammon", "tree"])
def test_turns_that_belong_to_the_position(name: str) -> None:
    with pytest.raises(NotApplicableError):
        game(name).start().turn(0)
