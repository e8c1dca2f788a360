"""`lolli games` and the options of `lolli gtp`."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games.catalogue import GAMES
from engine.games.searchers import SEARCHERS
from lolli.cli.group import group
from tests.lolli.cli.contests import RARE, RARE_LINE
from tests.patience import PATIENCE
from tests.protocol.gtp.client import Controller


def run(command: list[str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*command, *words], capture_output=True, check=False, text=True, timeout=PATIENCE)


def test_games_as_json(lolli_command: list[str]) -> None:
    done = run(lolli_command, "games", "--json")
    assert done.stderr == ""
    told = {game["game"]: game for game in map(json.loads, done.stdout.splitlines())}
    assert list(told) == list(GAMES)
    for game in told.values():
        assert list(game["searchers"]) == list(SEARCHERS)
        assert game["searchers"]["random"] is None
        assert all(reason is None or reason for reason in game["searchers"].values())
        assert [level["level"] for level in game["levels"]] == list(range(1, len(game["levels"]) + 1))
        assert {game["searchers"][level["searcher"]] for level in game["levels"]} == {None}
    assert told["focus"]["players"] == [2, 3, 4]
    assert told["go"]["sizes"][:3] == [9, 13, 19]
    assert "komi" in told["go"]["options"]
    assert told["backgammon"]["chance"] is True
    assert told["backgammon"]["searchers"]["minimax"] is not None


def test_games_as_a_table(lolli_command: list[str], is_pure: bool) -> None:
    if is_pure:
        pytest.skip("takes long, and says what the objects say")
    head, *rows = run(lolli_command, "games").stdout.splitlines()
    assert head.split() == ["Game", "Players", "Sizes", "Played", "by"]
    assert [row.split()[0] for row in rows] == list(GAMES)
    assert "2-4" in rows[list(GAMES).index("focus")]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("games", "shogi"), "unknown game 'shogi'"),
        (("games", "tictactoe", "--players", "3"), "Tic-tac-toe is for 2 players, not 3"),
        (("games", "--players", "3"), "--players needs a GAME"),
        (("gtp", "--game", "shogi"), "unknown game 'shogi'"),
        (("gtp", "--game", "tictactoe", "--size", "4"), "Tic-tac-toe has one board"),
        (("gtp", "--game", "tictactoe", "--searcher", "nobody"), "unknown searcher 'nobody'"),
        (("gtp", "--game", "backgammon", "--searcher", "minimax"), "minimax: needs a game without chance"),
        (("gtp", "--game", "tictactoe", "--level", "99"), "the level must be from 1 to"),
        (("gtp", "--searcher", "uct", "--level", "1"), "cannot be combined"),
        (("gtp", "--option", "c=1"), "--option needs --searcher"),
        (("gtp", "--set", "komi"), "--set needs NAME=VALUE"),
        (("gtp", "--game", "tictactoe", "--set", "komi=1"), "unknown option 'komi'"),
        (("gtp", "--time", "0"), "not a number of seconds above 0"),
    ],
)
def test_what_cannot_be_used(lolli_command: list[str], words: tuple[str, ...], reason: str) -> None:
    done = run(lolli_command, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


def test_options_of_gtp(lolli_command: list[str]) -> None:
    words = ["--game", "focus", "--players", "4", "--searcher", "paranoid", "--option", "depth=1"]
    with Controller([*lolli_command, "gtp", *words, "--nodes", "5000"]) as controller:
        assert controller.get("search-algorithm").split("\n")[0] == "paranoid depth=1"
        assert controller.get("search-limits") == "depth=1 nodes=5000"
        controller.get("genmove p1")
        assert "p2 to move" in controller.get("showboard").lower()


def test_the_same_seed_the_same_game(lolli_command: list[str]) -> None:
    games = []
    for _ in range(2):
        words = ["--game", "backgammon", "--level", "1", "--seed", "7"]
        with Controller([*lolli_command, "gtp", *words]) as controller:
            told = [controller.get("genmove dice")]
            mover = "b" if "black" in controller.get("showboard").split("\n")[-1] else "w"
            told.append(controller.get(f"genmove {mover}"))
            games.append(told)
    assert games[0] == games[1]


@pytest.mark.parametrize(
    "command", ["solve", "effort --depth 5", "tree minimax:depth=5", "trace minimax:depth=5"]
)
@pytest.mark.parametrize("fault", ["ValueError", "SystemExit"])
def test_a_fault_in_the_file_of_a_game_is_one_line(command: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(RARE.replace("ValueError", fault))
    done = CliRunner().invoke(group, [*command.split(), "--game", str(path)])
    told = RARE_LINE.replace("ValueError", fault)
    assert (done.exit_code, done.stderr) == (2, f"Error: {path}: {told}\n")
