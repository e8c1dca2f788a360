"""What a tree search makes of Go's playouts and priors: moves that are plain to people."""

from engine.games.players.searchers import player
from engine.games.rules.go.game import PASS, GoGame, name
from engine.games.rules.go.playouts import GoState
from engine.games.textbook.search import SearchLimits
from tests.engine.games.rules.drawn_go import drawn, play

SMALL = {"megabytes": "16"}


def chosen(state: GoState, playouts: int = 300) -> str:
    board = GoGame()
    search = player(board, "uct-fast", 1, SMALL)
    return board.text(state, search.choose(state, SearchLimits(playouts=playouts)).move)


def test_a_large_string_in_atari_is_taken() -> None:
    assert chosen(drawn(".....", "XXXX.", "OOOO.", "XXXXX", ".....", komi=0.5)) == "E3"


def test_a_large_string_in_atari_is_saved() -> None:
    assert chosen(drawn(".....", "OOO..", "XXX..", "OOO..", ".....", komi=-5.5)) == "D3"


def test_a_pass_is_answered_where_the_area_wins() -> None:
    settled = drawn(*["X.X.X"] * 4, "XXXXX", player=1)
    assert chosen(play(settled, "pass"), 100) == "pass"


def test_a_pass_is_not_answered_where_points_are_left() -> None:
    """Nobody has the line in the middle yet: Black, behind by half a point, would get four of its seven."""
    line = drawn(*[".XX.OO.", "XXX.OOO"] * 3, "XXX.OOO", player=1, komi=0.5)
    assert chosen(play(line, "pass"), 100).startswith("D")


def test_no_own_eye_is_filled() -> None:
    living = drawn(".XO..", "XXO..", "XXO..", "XXO..", ".XO..", komi=0.5)
    assert chosen(living) not in {"A1", "A5"}


def test_superko_is_obeyed_in_playouts_of_one_move() -> None:
    state = play(drawn(".....", ".XO..", "X.XO.", ".XO..", ".....", komi=0.5), "pass", "B3")
    for seed in range(30):
        search = player(GoGame(), "uct-fast", seed, SMALL)
        move = search.choose(state, SearchLimits(playouts=20)).move
        assert move == PASS or name(state, move) != "C3"
