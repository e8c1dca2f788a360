"""Dialogues with the real process: the commands of GTP, and the worked examples over the line."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sgfmill import sgf

from engine.games.networks.network import COMPILED
from tests.protocol.gtp.client import Controller

GAME = """(;GM[1]SZ[9]KM[5.5]AB[cc][gg]AW[ee]PL[W]C[a game]
;W[ce];B[];W[ec](;B[gc])(;B[gd]))"""


@pytest.fixture(scope="module")
def controller(lolli_command: list[str]) -> Iterator[Controller]:
    """One process for all; each test sets its own game."""
    with Controller([*lolli_command, "gtp", "--game", "tictactoe", "--seed", "1"]) as made:
        yield made


def follow(controller: Controller, transcript: str) -> None:
    """Send what is in the lines, and compare the answers: dialogues.txt says how they are written."""
    for line in filter(None, map(str.strip, transcript.splitlines())):
        request, sign, wanted = re.fullmatch(r"(.*?)(?:  +([=?]) ?(.*))?", line).groups()  # type: ignore[union-attr]
        found = controller.fail(request) if sign == "?" else controller.get(request)
        pattern = re.escape(wanted or ("*" if sign is None else "")).replace(r"\*", ".*").replace(r"\|", "\n")
        assert re.fullmatch(pattern, found, re.DOTALL), f"{line}: {found}"


FILE = Path(__file__).with_name("dialogues.txt")
TRANSCRIPTS = dict(part.split("\n", 1) for part in FILE.read_text(encoding="utf-8").split("## ")[1:])


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_a_transcript(controller: Controller, name: str) -> None:
    follow(controller, TRANSCRIPTS[name])


def test_every_command_is_listed_once_and_known(controller: Controller) -> None:
    listed = controller.get("list_commands whatever else").split("\n")
    assert len(listed) == len(set(listed))
    assert all(controller.get(f"known_command {name}") == "true" for name in listed)


def test_ids_come_back(controller: Controller) -> None:
    for identity in ("0", "007", "9" * 400):
        assert controller.say(f"{identity} name").id == identity
        assert controller.say(f"{identity}\tfoo").id == identity
    assert not controller.say("12").good


def test_a_roll_of_dice_is_a_colour(controller: Controller) -> None:
    controller.get("set_game tree ([0.75:1, 0.25:(3, [0:1, 1:2])], 0.5)")
    controller.get("play b 0")
    rolled = set()
    for _ in range(40):
        rolled.add(controller.get("genmove DICE"))
        controller.get("undo")
    assert rolled == {"0", "1"}
    assert controller.get("reg_genmove dice") == controller.get("reg_genmove dice")


@pytest.mark.parametrize(
    ("words", "asked", "shown"),
    [
        (["--game", "tree choice"], "showboard", "max\n0: 4\n1: 4\n2: 6\n3: 7"),
        (["--game", "nim 7,5"], "showboard", " 7 ooooooo"),
        (["--game", "Connect Four"], "showboard", "   A B C D E F G"),
        (
            ["--searcher", "uct", "--option", "playouts=9", "--time", "60"],
            "search-limits",
            "seconds=60 playouts=9",
        ),
    ],
)
def test_the_command_line(lolli_command: list[str], words: list[str], asked: str, shown: str) -> None:
    with Controller([*lolli_command, "gtp", *words]) as controller:
        assert shown in controller.get(asked)


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
    for vertex in legal:
        controller.get(f"play b {vertex}")
        controller.get("undo")
    controller.get(f"boardsize {size.split(maxsplit=1)[0]}")


def test_every_game_can_be_begun_shown_and_played(controller: Controller) -> None:
    for game in controller.get("list_games").split("\n"):
        controller.get(f"set_game {game}")
        assert len(controller.get("showboard").split("\n")) > 2
        if game not in {"tictactoe", "othello", "connectfour", "go", "virus"}:
            assert "not a grid of black and white stones" in controller.fail("gogui-rules_board")
        first, *_ = controller.get("legal_moves").split()
        colour = "dice" if game == "backgammon" else "w" if game == "chess" else "p1"
        controller.get(f"play {colour} {first}")
        assert controller.get("move_history").split()[1] == first
        assert first not in controller.get("legal_moves").split() or game in {"tree", "connectfour"}
        controller.get("undo")


def play_walls(controller: Controller) -> None:
    """A wall of Black, one of White: 45 and 36 points, and a stone of White's that is dead."""
    controller.get("set_game go komi=0.5")
    for row in range(1, 10):
        controller.get(f"play b E{row}")
        controller.get(f"play w F{row}")
    for move in ("w A1", "b pass", "w pass"):
        controller.get(f"play {move}")


def test_points(controller: Controller) -> None:
    play_walls(controller)
    assert controller.get("final_status_list dead") == "A1"
    assert len(controller.get("final_status_list alive").split("\n")) == 2
    assert controller.get("showboard").split("\n")[-1] == "the game is over: B+8.5"
    controller.get("play b C3")


def test_what_kgs_and_cgos_ask(controller: Controller) -> None:
    play_walls(controller)
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
    controller.get("search-limits none")


def test_a_game_from_a_file(controller: Controller, tmp_path: Path) -> None:
    path = tmp_path / "a game.sgf"
    path.write_text(GAME)
    follow(
        controller,
        f"""
        set_game go
        loadsgf {path}
        gogui-rules_side_to_move  = white
        gogui-rules_board  = *|. . X . O . X . .|*|. . O . O . . . .|*
        loadsgf {path} 3
        undo
        undo
        undo  ? cannot undo
        """,
    )
    before = controller.get("showboard")
    for text, reason in {
        "": "no SGF data found",
        "(;GM[2])": "not a game of Go",
        "(;GM[x]SZ[9])": "not a value of GM: 'x'",
        "(;SZ[9];B[ee];W[ee])": "move 2, W E5: illegal move",
        "(;SZ[99])": "size out of range: 99",
        "(;SZ[9:13])": "not a square board: '9:13'",
        "(;SZ[x])": "not a size: 'x'",
        "(;SZ[9];B[zz])": "not a value of B: 'zz'",
        "(;SZ[9]AB[ee]AW[ee])": "two stones at E5",
        "(;SZ[9];B[ee];AB[aa])": "stones are set up after move 1",
        "(;GM[1])".ljust((1 << 20) + 1): "larger than 1 MiB",
    }.items():
        path.write_text(text)
        assert controller.fail(f"loadsgf {path}") == f"cannot load file: {reason}"
    assert controller.fail(f"loadsgf {tmp_path}").startswith("cannot load file: ")
    assert controller.get("showboard") == before
    path.write_text("(;SZ[9];B[ee];AB[aa])")
    controller.get(f"loadsgf {path} 2")  # the position before these stones
    controller.get("undo")
    controller.get("set_game othello")
    path.write_text(GAME)
    assert controller.fail(f"loadsgf {path}").startswith("cannot load file: ")


@pytest.mark.parametrize(
    ("text", "stones", "mover", "komi"),
    [
        ("AB[ee];B[cc]", {"E5": "X", "C7": "X"}, "white", "6.5"),
        ("AB[ee];W[cc]", {"E5": "X", "C7": "O"}, "black", "6.5"),
        ("AB[ee]PL[B]", {"E5": "X"}, "black", "6.5"),
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
def test_what_sgf_allows(
    controller: Controller, tmp_path: Path, text: str, stones: dict[str, str], mover: str, komi: str
) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(f"(;SZ[9:9]{text})")
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


def test_a_handicap_that_was_chosen_is_not_for_a_game_from_a_file(
    controller: Controller, tmp_path: Path
) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[9];B[ee])")
    controller.get("set_game go handicap=2")
    for command in (f"loadsgf {path}", "komi 5.5"):
        controller.get(command)
        assert controller.get("gogui-rules_board").count("X") == 1
    controller.get("clear_board")
    assert controller.get("gogui-rules_board").count("X") == 2


def test_a_game_as_sgf(controller: Controller, tmp_path: Path) -> None:
    controller.get("set_game go komi=0.5")
    controller.get("fixed_handicap 2")
    for move in ("w E5", "b pass", "w J1", "b D5"):
        controller.get(f"play {move}")
    game = sgf.Sgf_game.from_string(controller.get("printsgf"))
    root = game.get_root()
    assert (game.get_size(), game.get_komi(), game.get_handicap(), root.get("PL")) == (9, 0.5, 2, "w")
    assert root.get_setup_stones() == ({(2, 2), (6, 6)}, set(), set())
    moves = [node.get_move() for node in game.get_main_sequence()[1:]]
    assert moves == [("w", (4, 4)), ("b", None), ("w", (0, 8)), ("b", (4, 3))]
    assert controller.fail(f"printsgf {tmp_path}").startswith("cannot write file: ")
    controller.get("set_game othello")
    assert controller.fail("printsgf") == "Othello has no SGF files"


def test_a_line_without_an_end(lolli_command: list[str]) -> None:
    with Controller([*lolli_command, "gtp", "--game", "tictactoe"]) as controller:
        controller.send_bytes(b"x" * 3_000_000 + b"\n")
        assert controller.answer().text == "syntax error"
        identity = "9" * 500_000
        assert controller.say(f"{identity} name").id == identity
        assert not controller.say("play" + " b" * 300_000).good


def stats(controller: Controller) -> dict[str, str]:
    return dict(line.partition(" ")[::2] for line in controller.get("search-stats").split("\n"))


# What a lecture shows without setting anything


@pytest.mark.parametrize(
    ("tree", "searcher", "leaves"),
    [
        *(("lecture", "alphabeta", "7"), ("lecture", "minimax", "9"), ("reordered", "alphabeta", "5")),
        *(("sixteen", "alphabeta", "12"), ("sixteen", "minimax", "16")),
    ],
)
def test_a_tree_is_searched_in_one_go(controller: Controller, tree: str, searcher: str, leaves: str) -> None:
    for limits in ("none", "seconds=5", "nodes=1000", "depth=9"):
        controller.get(f"search-limits {limits}")
        controller.get(f"set_game tree {tree}")
        controller.get(f"search-algorithm {searcher}")
        controller.get("genmove b")
        told = stats(controller)
        assert (told["leaves"], told["exact"]) == (leaves, "true")
        assert "total-leaves" not in told
    controller.get("search-limits none")


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


@pytest.mark.skipif(not COMPILED, reason="networks are too slow in plain Python")
def test_connect_four_is_played_with_its_network(controller: Controller) -> None:
    controller.get("set_game connectfour")
    assert controller.get("search-algorithm").startswith("puct-fast ")
    controller.get("set_game connectfour columns=5")
    assert controller.get("search-algorithm").startswith("uct-fast ")
