"""Dialogues with the real process: the commands of GTP, and the worked examples over the line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sgfmill import sgf

from engine.games.networks.network import COMPILED
from protocol import about
from tests.protocol.gtp.client import Controller

GAME = """(;GM[1]SZ[9]KM[5.5]AB[cc][gg]AW[ee]PL[W]C[a game]
;W[ce];B[];W[ec](;B[gc])(;B[gd]))"""


@pytest.fixture(scope="module")
def controller(lolli_command: list[str]) -> Iterator[Controller]:
    """One process for all; each test sets its own game."""
    with Controller([*lolli_command, "gtp", "--game", "tictactoe", "--seed", "1"]) as made:
        yield made


def stats(controller: Controller) -> dict[str, str]:
    return dict(line.partition(" ")[::2] for line in controller.get("search-stats").split("\n"))


def solved(controller: Controller, searcher: str, move: str, value: str) -> dict[str, str]:
    """The statistics of an exact search for Black, which has to find this move and value."""
    controller.get(f"search-algorithm {searcher}")
    assert controller.get("reg_genmove b") == move
    assert controller.get("search-value") == value
    told = stats(controller)
    assert told["exact"] == "true"
    return told


def test_who_it_is(controller: Controller) -> None:
    assert controller.get("protocol_version") == "2"
    assert controller.get("name") == about.NAME
    assert controller.get("version") == about.build()


def test_all_commands_are_there(controller: Controller) -> None:
    listed = controller.get("list_commands whatever else").split("\n")
    required = """protocol_version name version known_command list_commands quit boardsize clear_board komi
        play genmove undo time_settings time_left final_score final_status_list fixed_handicap
        place_free_handicap set_free_handicap reg_genmove loadsgf showboard set_game list_games
        gogui-analyze_commands gogui-interrupt gogui-rules_game_id gogui-rules_board
        gogui-rules_board_size gogui-rules_legal_moves gogui-rules_side_to_move
        gogui-rules_final_result search-algorithm search-level search-stats search-value"""
    assert set(listed) >= set(required.split())
    assert len(listed) == len(set(listed))
    for name in listed:
        assert controller.get(f"known_command {name}") == "true"
    for name in ("", "xyzzy", "play b E5"):
        assert controller.get(f"known_command {name}") == "false"


def test_ids_come_back(controller: Controller) -> None:
    for identity in ("0", "17", "007", "9" * 400):
        assert controller.say(f"{identity} name").id == identity
        assert controller.say(f"{identity}\tfoo").id == identity
    assert not controller.say("12").good


def test_standard_messages(controller: Controller) -> None:
    controller.get("set_game tictactoe")
    assert controller.fail("xyzzy") == "unknown command"
    assert controller.fail("play b") == "syntax error"
    assert controller.fail("play red B2") == "syntax error"
    assert controller.fail("play b B4") == "illegal move"
    assert controller.fail("boardsize 19") == "unacceptable size"
    assert controller.fail("boardsize 99999999999999999999999") == "unacceptable size"
    assert controller.fail("undo") == "cannot undo"
    assert controller.fail("final_score") == "cannot score"
    assert controller.fail("loadsgf nothing.sgf").startswith("cannot load file: ")


def test_komi_and_boardsize_that_change_nothing(controller: Controller) -> None:
    controller.get("set_game tictactoe")
    for number in ("0", "-7.5", "1e6", "6.5"):
        controller.get(f"komi {number}")
    controller.get("boardsize 3")
    for number in ("nan", "much", ""):
        assert controller.fail(f"komi {number}") == "syntax error"


def test_a_game(controller: Controller) -> None:
    controller.get("set_game Tic-Tac-Toe")
    for line in ("play B a1", "play white A3", "play b b2", "play W c1"):
        controller.get(line)
    assert controller.get("genmove black") == "C3"
    assert controller.get("final_score") == "B+1"
    assert controller.fail("genmove w") == "the game is over"
    assert controller.get("showboard").split("\n")[-1] == "the game is over: B+1"
    controller.get("undo")
    assert controller.get("showboard").split("\n")[-1] == "black to move"
    assert controller.get("gogui-rules_board") == "O . .\n. X .\nX . O"


def test_out_of_turn(controller: Controller) -> None:
    controller.get("set_game tictactoe")
    controller.get("play w A1")
    controller.get("play w C3")
    assert controller.get("genmove w") == "B2"
    assert controller.get("final_score") == "W+1"
    controller.get("set_game tree")
    assert controller.fail("play w 0") == "illegal move"
    assert controller.fail("genmove w") == "black to move, not white"


def test_more_than_two_players(controller: Controller) -> None:
    controller.get("set_game tree p1(p2(1/5/2, 3/4/9), p3(2/2/7, 6/1/0))")
    controller.get("search-algorithm maxn")
    assert controller.get("genmove p1") == "1"
    assert controller.get("search-value") == "2 2 7"
    assert controller.fail("play b 0") == "illegal move"
    assert controller.fail("genmove p2") == "p3 to move, not p2"
    assert controller.fail("play p4 0") == "syntax error"
    controller.get("play P3 0")
    assert controller.get("final_score") == "2 2 7"


def test_a_roll_of_dice_is_a_colour(controller: Controller) -> None:
    controller.get("set_game tree ([0.75:1, 0.25:(3, [0:1, 1:2])], 0.5)")
    controller.get("play b 0")
    assert controller.fail("genmove w") == "dice to move, not white"
    rolled = set()
    for _ in range(40):
        rolled.add(controller.get("genmove DICE"))
        controller.get("undo")
    assert rolled == {"0", "1"}
    assert controller.get("reg_genmove dice") == controller.get("reg_genmove dice")


def test_dice_can_be_set(controller: Controller) -> None:
    controller.get("set_game tree ([0.75:1, 0.25:(3, 4)], 0.5)")
    controller.get("play b 0")
    assert controller.fail("play dice 2") == "illegal move"
    controller.get("play dice 1")
    assert controller.get("genmove w") == "0"
    assert controller.get("final_score") == "B+3"


@pytest.mark.parametrize(
    ("tree", "move", "value", "leaves"),
    [
        ("((3,12,8),(2,4,6),(14,5,2))", "0", "3", "7"),  # 2 of 9 are left out
        ("({5,2},{10,8},{3,15})", "1", "8", "5"),
    ],
)
def test_worked_examples(controller: Controller, tree: str, move: str, value: str, leaves: str) -> None:
    controller.get(f"set_game tree {tree}")
    for searcher in ("minimax", "alphabeta"):
        told = solved(controller, f"{searcher} depth=10", move, value)
        assert told["searcher"] == searcher
        if searcher == "minimax":
            assert int(told["leaves"]) == tree.count(",") + 1
        else:
            assert told["leaves"] == leaves
    assert controller.get("genmove b") == move


@pytest.mark.parametrize(
    ("game", "shown"),
    [
        ("tree choice", "max\n0: 4\n1: 4\n2: 6\n3: 7"),
        ("nim 7,5", " 7 ooooooo"),
        ("Connect Four", "   A B C D E F G"),
    ],
)
def test_the_command_line_names_a_game_as_that_of_other_commands_does(
    lolli_command: list[str], game: str, shown: str
) -> None:
    with Controller([*lolli_command, "gtp", "--game", game]) as controller:
        assert shown in controller.get("showboard")


def test_levels(controller: Controller) -> None:
    controller.get("set_game tictactoe")
    now, *levels = controller.get("search-level").split("\n")
    assert now == "none"
    assert [line.split(":")[0] for line in levels] == [str(n + 1) for n in range(len(levels))]
    controller.get("search-level 1")
    assert controller.get("search-level").split("\n")[0] == "1"
    assert controller.get("search-algorithm").split("\n")[0] == "random"
    controller.get("genmove b")
    assert controller.get("search-value") == "unknown"


def test_limits(controller: Controller) -> None:
    controller.get("set_game tictactoe")
    controller.get("search-limits depth=2 seconds=5")
    assert controller.get("search-limits") == "seconds=5 depth=2"
    controller.get("genmove b")
    assert stats(controller)["depth"] == "2"
    controller.get("search-limits none")
    assert controller.get("search-limits") != "seconds=5 depth=2"


@pytest.mark.parametrize("game", ["tictactoe", "connectfour", "focus", "backgammon"])
def test_enormous_limits(controller: Controller, game: str) -> None:
    """Compiled searchers have small numbers; an error would be reported on stderr."""
    controller.get(f"set_game {game}")
    most = "9" * 30
    controller.get(f"search-limits depth={most} nodes={most} playouts={most} seconds=0.05")
    controller.get(f"time_settings {most} 0 0")
    if game == "backgammon":
        controller.get("play dice 31")
    controller.get("genmove b")
    controller.get("search-limits none")
    controller.get("time_settings 0 1 0")


def test_what_a_search_that_samples_has_tried(controller: Controller) -> None:
    controller.get("set_game tictactoe ..X/.O./X.O")
    controller.get("search-algorithm uct")
    controller.get("search-limits playouts=300")
    assert controller.get("genmove b") == "A3"
    first, *others = controller.get("search-visits").split("\n")
    assert first.startswith("A3 ")
    assert sum(int(line.split()[1]) for line in (first, *others)) <= 300
    assert stats(controller)["playouts"] == "300"
    assert controller.get("search-variation").startswith("b A3")
    controller.get("search-limits none")


def test_every_analysis_of_gogui_is_a_command(controller: Controller) -> None:
    controller.get("set_game tictactoe")
    controller.get("genmove b")
    for line in controller.get("gogui-analyze_commands").split("\n"):
        kind, label, command = line.split("/")
        assert kind in {"var", "pspairs", "string", "hstring", "plist"}
        assert label
        if command != "final_score":
            controller.get(command)
    controller.get("gogui-interrupt")


@pytest.mark.parametrize(
    ("game", "size", "moves"),
    [("tictactoe", "3", 9), ("othello", "8", 4), ("connectfour", "7 6", 7), ("go", "9", 82)],
)
def test_the_rules_for_gogui(controller: Controller, game: str, size: str, moves: int) -> None:
    controller.get(f"set_game {game}")
    assert controller.get("gogui-rules_game_id") == game.capitalize()
    assert controller.get("gogui-rules_board_size") == size
    rows = controller.get("gogui-rules_board").split("\n")
    width, height = (size.split() * 2)[:2]
    assert len(rows) == int(height)
    assert all(len(row.split()) == int(width) and not set(row) - set("XO. ") for row in rows)
    legal = controller.get("gogui-rules_legal_moves").split()
    assert len(legal) == moves
    assert controller.get("gogui-rules_side_to_move") == "black"
    assert controller.get("gogui-rules_final_result") == ""
    for vertex in legal:
        controller.get(f"play b {vertex}")
        controller.get("undo")
    if " " not in size:
        controller.get(f"boardsize {size}")


def test_a_finished_game_for_gogui(controller: Controller) -> None:
    controller.get("set_game tictactoe XOX/.O./XXO")
    controller.get("play w C2")
    controller.get("play b A2")
    assert controller.get("gogui-rules_legal_moves") == ""
    assert controller.get("gogui-rules_final_result") == "B+1"


@pytest.mark.parametrize("game", ["nim", "tree", "backgammon", "focus", "chinesecheckers"])
def test_games_that_gogui_cannot_show(controller: Controller, game: str) -> None:
    controller.get(f"set_game {game}")
    assert "not a grid of black and white stones" in controller.fail("gogui-rules_board")


def test_every_game_can_be_begun_and_shown(controller: Controller) -> None:
    for game in controller.get("list_games").split("\n"):
        controller.get(f"set_game {game}")
        assert len(controller.get("showboard").split("\n")) > 2
        controller.get("search-level 1")
        assert controller.fail("undo") == "cannot undo"


@pytest.mark.parametrize("number", ["1" * 5000, "1e400", "inf", "-inf", "nan"])
def test_numbers_that_are_not_finite(controller: Controller, number: str) -> None:
    for game, option in (("go", "komi"), ("focus", "players"), ("tree", "players"), ("virus", "rule")):
        reason = controller.fail(f"set_game {game} {option}={number}")
        assert "internal error" not in reason
    assert controller.fail(f"set_game go komi={number}").startswith("not a finite number: ")


def test_handicap(controller: Controller) -> None:
    controller.get("set_game go")
    controller.get("boardsize 9")
    assert controller.get("fixed_handicap 4").split() == ["C3", "G7", "C7", "G3"]
    assert controller.fail("fixed_handicap 2") == "board not empty"
    assert controller.get("gogui-rules_side_to_move") == "white"
    controller.get("clear_board")
    assert controller.fail("fixed_handicap 10") == "invalid number of stones"
    assert len(controller.get("place_free_handicap 3").split()) == 3
    controller.get("clear_board")
    assert controller.fail("set_free_handicap A1 B2 A1") == "bad vertex list"
    assert controller.fail("set_free_handicap A1 pass") == "bad vertex list"
    controller.get("set_free_handicap A1 b2")
    assert controller.get("gogui-rules_board").split("\n")[-2:] == [
        ". X . . . . . . .",
        "X . . . . . . . .",
    ]
    controller.get("play w E5")
    controller.get("komi 0.5")
    assert controller.get("gogui-rules_board").count("X") == 2


def test_points(controller: Controller) -> None:
    """A wall of Black, one of White: 45 and 36 points, and a stone of White's that is dead."""
    controller.get("set_game go komi=0.5")
    for row in range(1, 10):
        controller.get(f"play b E{row}")
        controller.get(f"play w F{row}")
    controller.get("play w A1")
    assert controller.get("final_status_list dead") == "A1"
    assert len(controller.get("final_status_list alive").split("\n")) == 2
    controller.get("play b pass")
    controller.get("play w pass")
    assert controller.get("showboard").split("\n")[-1] == "the game is over: B+8.5"
    controller.get("play b C3")


def test_a_game_from_a_file(controller: Controller, tmp_path: Path) -> None:
    path = tmp_path / "a game.sgf"
    path.write_text(GAME)
    controller.get("set_game go")
    controller.get(f"loadsgf {path}")
    assert controller.get("gogui-rules_side_to_move") == "white"
    board = controller.get("gogui-rules_board").split("\n")
    assert board[2] == ". . X . O . X . ."
    assert board[4] == ". . O . O . . . ."
    controller.get(f"loadsgf {path} 3")
    assert controller.get("gogui-rules_board").count("O") == 2
    controller.get("undo")
    controller.get("undo")
    assert controller.fail("undo") == "cannot undo"
    before = controller.get("showboard")
    for text, reason in {
        "": "no SGF data found",
        "rubbish": "no SGF data found",
        "(;GM[2])": "not a game of Go",
        "(;GM[x]SZ[9])": "not a value of GM: 'x'",
        "(;SZ[9];B[ee];W[ee])": "move 2, W E5: illegal move",
        "(;SZ[99])": "size out of range: 99",
        "(;SZ[9:13])": "not a square board: '9:13'",
        "(;SZ[x])": "not a size: 'x'",
        "(;SZ[9];B[zz])": "not a value of B: 'zz'",
        "(;SZ[9]KM[x])": "not a value of KM: 'x'",
        "(;SZ[9]PL[x])": "not a value of PL: 'x'",
        "(;SZ[9]AB[ee]AW[ee])": "two stones at E5",
        "(;SZ[9];B[ee];AB[aa])": "stones are set up after move 1",
    }.items():
        path.write_text(text)
        assert controller.fail(f"loadsgf {path}") == f"cannot load file: {reason}"
    assert controller.fail(f"loadsgf {tmp_path}").startswith("cannot load file: ")
    path.write_text("(;GM[1])".ljust((1 << 20) + 1))
    assert controller.fail(f"loadsgf {path}") == "cannot load file: larger than 1 MiB"
    assert controller.get("showboard") == before
    controller.get("set_game othello")
    path.write_text(GAME)
    assert controller.fail(f"loadsgf {path}").startswith("cannot load file: ")


@pytest.mark.parametrize(
    ("text", "stones", "mover", "komi"),
    [
        ("AB[ee];B[cc]", {"E5": "X", "C7": "X"}, "white", "6.5"),
        ("AB[ee];W[cc]", {"E5": "X", "C7": "O"}, "black", "6.5"),
        ("AB[ab][ba]AE[ab]", {"B9": "X"}, "white", "6.5"),
        ("PL[W];W[ee]", {"E5": "O"}, "black", "6.5"),
        ("PL[W]", {}, "white", "6.5"),
        ("PL[];AB[aa];AW[bb]PL[B];B[cc]", {"A9": "X", "B8": "O", "C7": "X"}, "white", "6.5"),
        ("GM[]CA[]KM[]HA[];B[cc]", {"C7": "X"}, "white", "6.5"),
        ("CA[no such];B[cc]", {"C7": "X"}, "white", "6.5"),
        ("KM[-5.5]", {}, "black", "-5.5"),
        ("KM[375];B[cc]", {"C7": "X"}, "white", "7.5"),  # of Fox: 3.75 stones by Chinese counting
        ("KM[650]", {}, "black", "6.5"),
        ("AP[foxwq]KM[50]", {}, "black", "0.5"),
        ("AP[foxwq]KM[6.5]", {}, "black", "6.5"),
    ],
)
@pytest.mark.parametrize("size", ["9", "9:9"])
def test_what_sgf_allows(
    controller: Controller,
    tmp_path: Path,
    text: str,
    stones: dict[str, str],
    mover: str,
    komi: str,
    size: str,
) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(f"(;SZ[{size}]{text})")
    controller.get("set_game go komi=6.5")
    controller.get(f"loadsgf {path}")
    rows = [row.split() for row in controller.get("gogui-rules_board").split("\n")]
    found = {
        f"{'ABCDEFGHJ'[column]}{9 - row}": rows[row][column]
        for row in range(9)
        for column in range(9)
        if rows[row][column] != "."
    }
    assert found == stones
    assert controller.get("gogui-rules_side_to_move") == mover
    assert controller.get("get_komi") == komi
    board = controller.get("showboard")
    controller.get(f"printsgf {path}")
    controller.get("clear_board")
    assert controller.get("get_komi") == "6.5", "a file's komi is for its game alone"
    controller.get(f"loadsgf {path}")
    assert (controller.get("showboard"), controller.get("get_komi")) == (board, komi)


def test_a_game_as_sgf(controller: Controller, tmp_path: Path) -> None:
    controller.get("set_game go komi=0.5")
    controller.get("fixed_handicap 2")
    for move in ("w E5", "b pass", "w J1", "b D5"):
        controller.get(f"play {move}")
    score = controller.get("final_score")
    told = controller.get("printsgf")
    game = sgf.Sgf_game.from_string(told)
    root = game.get_root()
    assert (game.get_size(), game.get_komi(), game.get_handicap(), root.get("PL")) == (9, 0.5, 2, "w")
    assert root.get_setup_stones() == ({(2, 2), (6, 6)}, set(), set())
    moves = [node.get_move() for node in game.get_main_sequence()[1:]]
    assert moves == [("w", (4, 4)), ("b", None), ("w", (0, 8)), ("b", (4, 3))]
    path = tmp_path / "game.sgf"
    path.write_text(told)
    controller.get(f"loadsgf {path}")
    assert controller.get("final_score") == score
    assert controller.fail(f"printsgf {tmp_path}").startswith("cannot write file: ")
    controller.get("set_game othello")
    assert controller.fail("printsgf") == "Othello has no SGF files"


def test_moves_of_every_game(controller: Controller) -> None:
    for game in controller.get("list_games").split("\n"):
        controller.get(f"set_game {game}")
        first, *_ = controller.get("legal_moves").split()
        colour = "dice" if game == "backgammon" else "w" if game == "chess" else "p1"
        controller.get(f"play {colour} {first}")
        assert controller.get("move_history").split()[1] == first
        assert first not in controller.get("legal_moves").split() or game in {"tree", "connectfour"}
    controller.get("set_game go")
    controller.get("play b C3")
    controller.get("play w pass")
    assert controller.get("move_history") == "white pass\nblack C3"
    controller.get("set_game tictactoe XXX/OO./...")
    assert controller.get("legal_moves") == ""


def test_rules_as_katago_has_them(controller: Controller) -> None:
    controller.get("set_game go komi=6.5")
    rules = controller.get("kata-get-rules")
    assert json.loads(rules)["scoring"] == "AREA"
    for good in (rules, "chinese-kgs", "Chinese-OGS", '{"ko":"POSITIONAL", "friendlyPassOk":true}'):
        controller.get(f"kata-set-rules {good}")
    for bad in ("japanese", "tromp-taylor", '{"scoring":"TERRITORY"}', '{"colour":1}'):
        assert controller.fail(f"kata-set-rules {bad}").startswith("the rules are chinese-kgs: ")
    controller.get("kata-set-rules chinese")  # as Sabaki and Lizzie say
    controller.get("fixed_handicap 2")
    assert controller.fail("kata-set-rules chinese").startswith("the rules are chinese-kgs: ")
    assert controller.fail("kata-set-rules {") == "syntax error"
    controller.get("set_game chess")
    for line in ("kata-get-rules", "kata-set-rules chinese-kgs", "get_komi"):
        assert controller.fail(line) == "Chess has no komi and no choice of rules"


def test_what_kgs_and_cgos_ask(controller: Controller) -> None:
    controller.get("set_game go komi=0.5")
    for row in range(1, 10):
        controller.get(f"play b E{row}")
        controller.get(f"play w F{row}")
    controller.get("play w A1")
    controller.get("play b pass")
    controller.get("play w pass")
    controller.get("search-limits playouts=200")
    for colour in "bwbw":
        controller.get(f"kgs-genmove_cleanup {colour}")
        if not controller.get("final_status_list dead"):
            break
    assert "A1 " not in controller.get("final_status_list alive"), "the dead stone is taken"
    controller.get("kgs-game_over")
    controller.get("clear_board")
    empty, told, move = controller.get("cgos-genmove_analyze b").split("\n")
    found = json.loads(told)
    assert empty == ""
    assert move == f"play {found['moves'][0]['move']}"
    assert found["visits"] == sum(each["visits"] for each in found["moves"]) > 0
    assert 0 <= found["winrate"] <= 1
    assert len(found["ownership"]) == 81
    controller.get("set_game chess")
    controller.get("search-limits nodes=100")
    _, told, move = controller.get("cgos-genmove_analyze w").split("\n")
    assert set(json.loads(told)) == {"winrate", "visits", "moves"}


def test_a_line_without_an_end(lolli_command: list[str]) -> None:
    with Controller([*lolli_command, "gtp", "--game", "tictactoe"]) as controller:
        controller.send_bytes(b"x" * 3_000_000 + b"\n")
        assert controller.answer().text == "syntax error"
        identity = "9" * 500_000
        assert controller.say(f"{identity} name").id == identity
        assert not controller.say("play" + " b" * 300_000).good


def test_chess_is_begun_by_white(controller: Controller) -> None:
    controller.get("set_game chess")
    assert controller.fail("play b e5") == "illegal move"
    for line in ("play w e4", "play b e5", "play w Qh5", "play b Nc6", "play w Bc4", "play b a6"):
        controller.get(line)
    controller.get("search-algorithm alphabeta depth=1")
    assert controller.get("genmove w") == "h5f7"
    assert controller.get("final_score") == "W+1"
    controller.get("set_game chess 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    assert controller.get("genmove w") == "a1a8"
    assert "expected four to six fields" in controller.fail("set_game chess fen=8/8")
    assert "\n" not in controller.fail("set_game chess judge=nobody")


def test_checkers_is_begun_by_black(controller: Controller) -> None:
    controller.get("set_game checkers")
    for line in ("play b 11-15", "play w 22-18", "play b 15x22"):
        controller.get(line)
    assert controller.fail("play w 23-19") == "illegal move"  # a capture is forced
    controller.get("search-algorithm alphabeta depth=2")
    assert controller.get("genmove w") in {"25x18", "26x17"}
    controller.get("set_game checkers W:W22,32:B18,11,7")
    controller.get("play w 22x8")
    assert controller.get("showboard").endswith("B:W8,32:B7\nblack to move")


# What a lecture shows without setting anything


def test_odds_as_fractions_or_left_out(controller: Controller) -> None:
    for die in ("[1/6:1,1/6:2,1/6:3,1/6:4,1/6:5,1/6:6]", "[1,2,3,4,5,6]"):
        controller.get(f"set_game tree ({die},3)")
        assert "0: [1, 2, 3, 4, 5, 6]" in controller.get("showboard")
        controller.get("search-algorithm expectiminimax")
        assert controller.get("genmove b") == "0"
        assert controller.get("search-value") == "3.5"
    assert "trees with a name: lecture, reordered" in controller.fail("set_game tree lectures")


@pytest.mark.parametrize(
    ("tree", "searcher", "leaves"),
    [
        *(("lecture", "alphabeta", "7"), ("lecture", "minimax", "9"), ("reordered", "alphabeta", "5")),
        *(("sixteen", "alphabeta", "12"), ("sixteen", "minimax", "16")),
    ],
)
@pytest.mark.parametrize("limits", ["none", "seconds=5", "nodes=1000", "depth=9"])
def test_a_tree_is_searched_in_one_go(
    controller: Controller, tree: str, searcher: str, leaves: str, limits: str
) -> None:
    controller.get(f"search-limits {limits}")
    controller.get(f"set_game tree {tree}")
    controller.get(f"search-algorithm {searcher}")
    controller.get("genmove b")
    controller.get("search-limits none")
    told = stats(controller)
    assert (told["leaves"], told["exact"]) == (leaves, "true")
    assert "total-leaves" not in told


def test_the_last_depth_and_the_sum_are_told_apart(controller: Controller) -> None:
    controller.get("set_game connectfour")
    sums = [0, 0, 0]
    for depth in (1, 2, 3):
        controller.get(f"search-algorithm minimax depth={depth}")
        controller.get("reg_genmove b")
        told = stats(controller)
        assert "total-visited" not in told
        names = ("visited", "expanded", "leaves")
        sums = [before + int(told[name]) for before, name in zip(sums, names, strict=True)]
    controller.get("search-algorithm minimax")
    controller.get("search-limits depth=3")
    controller.get("reg_genmove b")
    controller.get("search-limits none")
    deepened = stats(controller)
    assert [deepened[name] for name in names] == [told[name] for name in names]
    assert [int(deepened[f"total-{name}"]) for name in names] == sums


@pytest.mark.parametrize(
    ("game", "size", "searcher", "value"),
    [("tictactoe", 3, "minimax", "0"), ("tictactoe", 3, "alphabeta", "0"), ("nim", 20, "alphabeta", "-1")],
)
def test_small_games_are_exact_by_default(
    controller: Controller, game: str, size: int, searcher: str, value: str
) -> None:
    controller.get(f"set_game {game}")
    controller.get(f"boardsize {size}")
    controller.get(f"search-algorithm {searcher}")
    controller.get("genmove b")
    assert controller.get("search-value") == value
    assert stats(controller)["exact"] == "true"


def test_what_is_asked_for_last_holds(controller: Controller) -> None:
    controller.get("set_game connectfour")
    controller.get("search-limits seconds=0.05")
    assert controller.get("search-algorithm uct exploration=0.7") == "", "says nothing about how long"
    assert controller.get("search-limits") == "seconds=0.05"
    assert controller.get("search-algorithm uct playouts=3000") == "playouts=3000 in place of seconds=0.05"
    assert controller.get("search-limits") == "playouts=3000"
    controller.get("genmove b")
    told = stats(controller)
    assert (told["playouts"], told["limits"]) == ("3000", "playouts=3000")
    controller.get("search-limits seconds=60")
    controller.get("genmove w")
    told = stats(controller)
    assert (told["playouts"], told["limits"]) == ("3000", "seconds=60 playouts=3000")
    controller.get("search-limits nodes=500")
    assert controller.get("search-algorithm alphabeta depth=4") == "depth=4 in place of nodes=500"
    controller.get("genmove b")
    told = stats(controller)
    assert (told["depth"], told["limits"]) == ("4", "depth=4")
    controller.get("search-limits depth=2")
    assert controller.get("search-algorithm montecarlo games=30") == "games=30 in place of depth=2"
    controller.get("genmove w")
    assert stats(controller)["limits"] == "playouts=210", "30 for each of the 7 moves"


def test_what_is_asked_for_together_holds_together(lolli_command: list[str]) -> None:
    words = ["--game", "connectfour", "--searcher", "uct", "--option", "playouts=500", "--time", "60"]
    with Controller([*lolli_command, "gtp", *words]) as controller:
        controller.get("time_settings 0 100 1")
        controller.get("genmove b")
        told = stats(controller)
        assert told["playouts"] == "500"
        assert told["limits"] == "seconds=60 playouts=500"


def test_the_limit_that_a_searcher_has_by_itself_is_told(controller: Controller) -> None:
    controller.get("set_game connectfour")
    for searcher, limits in (("uct", "playouts=1000"), ("alphabeta", "nodes=50000"), ("random", "none")):
        controller.get(f"search-algorithm {searcher}")
        controller.get("reg_genmove b")
        assert stats(controller)["limits"] == limits


@pytest.mark.skipif(not COMPILED, reason="networks are too slow in plain Python")
def test_connect_four_is_played_with_its_network(controller: Controller) -> None:
    controller.get("set_game connectfour")
    assert controller.get("search-algorithm").startswith("puct-fast ")
    controller.get("set_game connectfour columns=5")
    assert controller.get("search-algorithm").startswith("uct-fast ")


def test_options_of_go_are_those_that_play(controller: Controller) -> None:
    controller.get("set_game go")
    playing, *possible = controller.get("search-algorithm").split("\n")
    assert playing == (
        "uct-fast playouts=10000 exploration=0.0 final=visits expand_after=4 rave=1000.0"
        " priors=true policy=40.0 network=shipped network_after=16 network_visits=8"
        " network_bias=0.3 bias=0.0 widening=0.0 solver=false reuse=true megabytes=256 threads=1"
    )
    assert any(line.startswith(f"{playing}: ") for line in possible)
    controller.get("search-algorithm uct-fast rave=0 exploration=0.5")
    assert "exploration=0.5 final=visits expand_after=4 rave=0.0 " in controller.get("search-algorithm")
    controller.get("set_game focus players=3")
    needs_two = controller.fail("search-algorithm uct-fast solver=on")
    assert needs_two == "solver needs two players, not 3"
    assert "priors needs" in controller.fail("search-algorithm uct-fast priors=on")
    controller.get("search-algorithm uct-fast solver=off priors=off")


@pytest.mark.parametrize("searcher", ["alphabeta", "uct", "montecarlo"])
def test_a_value_that_is_not_exact_says_so(controller: Controller, searcher: str) -> None:
    controller.get("set_game connectfour")
    controller.get(f"search-algorithm {searcher}")
    controller.get("genmove b")
    told = stats(controller)
    assert told["exact"] == "false"
    assert told["value"] == controller.get("search-value")
    number, mark = told["value"].split()
    assert -1 <= float(number) <= 1
    assert mark == "(estimate)"
