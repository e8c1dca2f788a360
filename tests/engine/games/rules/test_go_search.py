"""What a tree search makes of Go's playouts and priors: moves that are plain to people."""

from typing import Any

import pytest

from engine.games.levels import levels
from engine.games.players import decide
from engine.games.rules.game import OVER
from engine.games.rules.go import PASS, GoGame, final_score, name, point
from engine.games.rules.go.playouts import GoState
from engine.games.search.basics import SearchLimits
from engine.games.searchers import player
from tests.engine.games.rules.drawn_go import drawn, play

SMALL = {"megabytes": "16"}


def unlimited() -> None:
    """No limit of time, and no stop."""


def chosen(state: GoState, playouts: int = 300) -> str:
    board = GoGame()
    search = player(board, "uct-fast", 1, SMALL)
    return board.text(state, search.choose(state, SearchLimits(playouts=playouts)).move)


@pytest.mark.parametrize("komi", [0.5, 100.5, -100.5])
def test_a_large_string_in_atari_is_taken(komi: float) -> None:
    """Also in a game that is lost, or won, whatever is played: for the points."""
    assert chosen(drawn(".....", "XXXX.", "OOOO.", "XXXXX", ".....", komi=komi)) == "E3"


@pytest.mark.parametrize("komi", [-5.5, 100.5, -100.5])
def test_a_large_string_in_atari_is_saved(komi: float) -> None:
    assert chosen(drawn(".....", "OOO..", "XXX..", "OOO..", ".....", komi=komi)) == "D3"


def test_a_pass_is_not_answered_where_points_are_left() -> None:
    """Nobody has the line in the middle yet: Black, behind by half a point, would get four of its seven."""
    line = drawn(*[".XX.OO.", "XXX.OOO"] * 3, "XXX.OOO", player=1, komi=0.5)
    assert chosen(play(line, "pass"), 100).startswith("D")


LIVING = (".XO..", "XXO..", "XXO..", "XXO..", ".XO..")
FALSE = (".XO..", "XO...", "XO...", "XO...", ".....")
RING = (".......", ".......", "..OXX..", "..X.XXX", "..XXO.X", "...X..X", "...XXXX")
TWO_HEADED_DRAGON = ("XXXXX", "XO.OX", ".XXX.", "XXXXX", "XXXXX")
SEKI = ("XXOOO", "XXOOO", "XX.OO", "XXXOO", "XX.OO")
SEKI_WITH_EYES = (".XXXX", "XXXXX", "XX.OO", "OOOOO", "OOOO.")


@pytest.mark.parametrize(
    ("rows", "eyes"),
    [
        (LIVING, {"A1", "A5"}),
        (FALSE, set()),
        (RING, {"D4"}),
        (TWO_HEADED_DRAGON, {"A3", "E3"}),
        (SEKI, set()),
        (SEKI_WITH_EYES, {"A5"}),
    ],
)
def test_no_own_eye_is_filled(rows: tuple[str, ...], eyes: set[str]) -> None:
    """Unless it is false. Enemies at its corners do no harm if the stones around are connected elsewhere."""
    state = drawn(*rows, komi=0.5)
    left_out = {name(state, move) for move in set(state.moves()) - set(state.sensible_moves())}
    assert left_out == eyes
    for searcher in ("uct", "uct-fast", "montecarlo"):
        tried = player(GoGame(), searcher, 1).choose(state, SearchLimits(playouts=100)).tried
        assert not {each.move for each in tried} - set(state.sensible_moves())
    anyone = player(GoGame(), "random", 1)
    assert {anyone.choose(state, SearchLimits()).move for _ in range(200)} == set(state.sensible_moves())
    flat = player(GoGame(), "montecarlo", 1, {"games": "2"}).choose(state, SearchLimits())
    assert {each.visits for each in flat.tried} == {2}


DEAD = (".XX.XO.", "XXXXXOO", "X.O.XO.", "X...XOO", "XXXXXO.", ".X.XXOO", "X.XXXO.")
OPEN_LINE = ("..X.OO.", "..X.OOO", ".XX.OO.", "O.X.OOO", ".XX.OO.", "..X.OOO", "..X.OOO")
WIDE = ("...XO..", ".X.XO.O", "..XXOO.", "O..XO..", ".X.XO.O", "..XXOO.", "...XO..")


@pytest.mark.parametrize("passed", [False, True])
@pytest.mark.parametrize(
    ("rows", "player", "endings", "lead"),
    [
        (SEKI, 0, {"pass"}, -1),
        (SEKI, 1, {"pass"}, 1),
        (SEKI_WITH_EYES, 0, {"pass"}, 0),
        (SEKI_WITH_EYES, 1, {"pass"}, 0),
        (LIVING, 0, {None}, 0),  # there is room for White to live, or not
        (TWO_HEADED_DRAGON, 0, {"C4"}, 25),
        (DEAD, 0, {"B5", "C4", "D5"}, 21),  # with the stone on the board it is 16
        (DEAD, 1, {"pass"}, -21),
    ],
)
def test_a_settled_game_is_ended(
    rows: tuple[str, ...], player: int, endings: set[str | None], lead: int, passed: bool
) -> None:
    """With the payoff that `lead`, in points, brings."""
    board = GoGame()
    sides = 1 if player == 0 else -1
    bonus = 0.5 if passed else -0.5
    state = drawn(*rows, player=1 - player if passed else player, komi=sides * lead + bonus)
    if passed:
        state = play(state, "pass")
    move, payoff = board.ending(state, unlimited) or (None, None)
    assert (None if move is None else board.text(state, move)) in endings
    assert payoff == (None if move is None else -2 * sides * bonus)


@pytest.mark.parametrize(
    ("rows", "takes", "payoff"), [(WIDE, {"A3", "A5", "B4"}, 1.0), (OPEN_LINE, {"A3", "A5", "B4"}, None)]
)
def test_dead_stones_are_taken_where_much_is_open_only_when_cleaning(
    rows: tuple[str, ...], takes: set[str], payoff: float | None
) -> None:
    """Most of the board is empty in one position, and the line in the middle is nobody's in the other."""
    board, state = GoGame(komi=6.5), drawn(*rows, komi=6.5)
    assert board.ending(state, unlimited) is None
    found = board.ending(state, unlimited, cleaning=True)
    assert found is not None
    assert name(state, found[0]) in takes
    assert found[1] == payoff


def test_an_ending_obeys_clock_stop_and_restrictions() -> None:
    state = drawn(*DEAD)
    board, search = GoGame(), player(GoGame(), "uct-fast", 1, SMALL)

    def decided(seconds: float | None = None, **others: Any) -> bool:
        limits = SearchLimits(seconds=seconds, playouts=10)
        found = decide(board, search, state, limits, **others)
        assert found.limits == limits
        return not found.tried

    assert decided()
    assert decided(1000.0)
    assert not decided(0.0)
    assert not decided(stopped=lambda: True)
    assert decided(allowed={point(state, each) for each in ("B5", "C4", "D5", "pass")})
    assert not decided(allowed={PASS})


def test_an_estimate_does_not_check_an_ending() -> None:
    found = decide(GoGame(), player(GoGame(), "alphabeta", 1), drawn(*DEAD), SearchLimits(depth=3))
    assert name(drawn(*DEAD), found.move) in {"B5", "C4", "D5"}
    assert found.counts.visited == 0


# Of level 3 with seed 157. Black is 60 points behind; his group of ten stones lives unless he fills its eyes.
LOST = """
E4 E5 F4 F5 D4 D5 C5 C6 G5 G6 H6 G4 H5 C4 B5 B6 B4 C3 D6 E6 D7 E7 G3 B3 C7 A5 B7 A4 E8 F8 D8 G7 H7
H8 J8 E2 F2 E9 D9 F9 D2 B8 A8 D3 E3 F3 E3 E4 H4 G2 H3 H2 F1 E1 G1 H1 C5 B5 F2 F1 F7 F6 G8 G9 J2 F4
D1 C2 C1 B1 B2 A2 C1 D1 J1 J3 J2 J1 J5 J7 J6 J4 J2 H9 J4 J3 J7 J2 A7 A6 B9 pass
"""


@pytest.mark.parametrize("seed", range(2))
def test_a_pass_is_answered_where_nothing_is_better(seed: int) -> None:
    board = GoGame()
    level = levels(board)[2]
    search = player(board, level.searcher, seed, {**level.options, **SMALL})
    lost = play(board.start(9), *LOST.split())
    assert decide(board, search, lost, level.limits).move == PASS
    assert decide(board, search, lost, level.limits, allowed=set(lost.moves()) - {PASS}).move != PASS
    won = play(GoGame(komi=-70.5).start(9), *LOST.split())
    assert decide(board, search, won, level.limits).move == PASS


# Of level 7. Random games give Black the corner; B5 takes it, and with it the game.
OPEN_CORNER = (
    "...XXO...",
    "..X.XO...",
    "..X.XO.O.",
    "...XOO..O",
    "X..XXOOOX",
    "OXXXOXXXX",
    "OOXOOX...",
    ".OO.OXOX.",
    "...OOXX..",
)


def test_who_loses_by_the_count_searches_before_passing() -> None:
    board, state = GoGame(), drawn(*OPEN_CORNER, player=1)
    assert board.ending(state, unlimited) == (PASS, -1.0)
    search = player(board, "uct-fast", 1, SMALL)
    assert name(state, decide(board, search, state, SearchLimits(playouts=300)).move) == "B5"


def test_who_wins_by_the_count_first_asks_what_the_opponent_can_do() -> None:
    board, state = GoGame(), drawn(*OPEN_CORNER)
    assert board.ending(state, unlimited) == (point(state, "G3"), 1.0)
    search = player(board, "uct-fast", 1, SMALL)
    assert name(state, decide(board, search, state, SearchLimits(playouts=1000)).move) in {"B5", "B6", "A6"}


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_game_at_a_low_level_keeps_what_lives(number: int, seed: int) -> None:
    """No eye is filled, and it ends by passes where the winner by the count as it stands is the right one."""
    board = GoGame()
    level = levels(board)[number - 1]
    players = [player(board, level.searcher, 2 * seed + side, {**level.options, **SMALL}) for side in (0, 1)]
    state, moves = board.start(9), 0
    while state.player != OVER:
        move = decide(board, players[state.player], state, level.limits).move
        assert move in state.sensible_moves()
        state = state.play(move)
        moves += 1
    assert moves < 150
    assert (state.score() > 0) == (final_score(state) > 0)
