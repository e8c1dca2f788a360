"""What a tree search makes of Go's playouts and priors: moves that are plain to people."""

import pytest

from engine.games.players.levels import levels
from engine.games.players.player import decide
from engine.games.players.searchers import player
from engine.games.rules.game import OVER
from engine.games.rules.go.game import PASS, GoGame, final_score, name, score
from engine.games.rules.go.playouts import GoState
from engine.games.textbook.search import SearchLimits
from tests.engine.games.rules.drawn_go import drawn, play

SMALL = {"megabytes": "16"}


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


def test_a_pass_is_answered_where_the_area_wins() -> None:
    settled = drawn(*["X.X.X"] * 4, "XXXXX", player=1)
    assert chosen(play(settled, "pass"), 100) == "pass"


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


DEAD = (".XX.XO.", "XXXXXOO", "X.O.XO.", "X...XOO", "XXXXXO.", ".X.XXOO", "X.XXXO.")


@pytest.mark.parametrize("passed", [False, True])
@pytest.mark.parametrize(
    ("rows", "player", "endings"),
    [
        (SEKI, 0, {"pass"}),
        (SEKI, 1, {"pass"}),
        (SEKI_WITH_EYES, 0, {"pass"}),
        (SEKI_WITH_EYES, 1, {"pass"}),
        (LIVING, 0, {None}),  # there is room for White to live, or not
        (TWO_HEADED_DRAGON, 0, {"C4"}),
        (DEAD, 0, {"B5", "C4", "D5"}),  # with the stone on the board the count would lose
        (DEAD, 1, {"pass"}),
    ],
)
def test_a_settled_game_is_ended(
    rows: tuple[str, ...], player: int, endings: set[str | None], passed: bool
) -> None:
    board = GoGame()
    state = drawn(*rows, player=1 - player if passed else player, komi=17.5)
    if passed:
        state = play(state, "pass")
    move = board.ending(state)
    assert (None if move is None else board.text(state, move)) in endings


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_game_at_a_low_level_keeps_what_lives(number: int, seed: int) -> None:
    """No eye is filled, and it ends by passes where the count as it stands is right."""
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
    assert abs(score(state) - final_score(state)) <= 3


def test_superko_is_obeyed_in_playouts_of_one_move() -> None:
    state = play(drawn(".....", ".XO..", "X.XO.", ".XO..", ".....", komi=0.5), "pass", "B3")
    for seed in range(30):
        search = player(GoGame(), "uct-fast", seed, SMALL)
        move = search.choose(state, SearchLimits(playouts=20)).move
        assert move == PASS or name(state, move) != "C3"
