"""`lolli tournament`: the real process."""

import signal
from functools import partial
from pathlib import Path

import pytest

from tests.protocol.cli.running import objects, run_command
from tests.protocol.cli.terminal.screen import CTRL_C, Screen

run = partial(run_command, "tournament")

QUICK = ("--game", "tictactoe", "--players", "minimax:depth=9,random", "--rounds", "4")


def test_the_table(lolli_command: list[str]) -> None:
    done = run(lolli_command, *QUICK, "--all-games")
    assert done.stderr == ""
    lines = [line.split() for line in done.stdout.splitlines()]
    games = lines[:8]
    assert [line[0] for line in games] == [f"{number}:" for number in range(1, 9)]
    first = next(line for line in lines if line[:1] == ["1"])
    assert first[1:3] == ["minimax:depth=9", "8"]
    assert first[5] == "0"
    assert done.stdout.splitlines()[-1].startswith("8 games in ")


@pytest.mark.parametrize(
    ("columns", "headings"),
    [
        (130, "# Player Games Won Shared Lost Score 95% Payoff Nodes Playouts Depth Time"),
        (80, "# Player Games Score 95% Nodes Playouts Time"),
        (68, "# Player Games Score 95% Nodes Time"),
        (48, "# Player Games Score 95%"),
    ],
)
def test_a_narrow_terminal_shows_who_and_how_strong(
    lolli_command: list[str], columns: int, headings: str
) -> None:
    words = ["--game", "tictactoe", "--players", "minimax:depth=1,random:depth=1", "--rounds", "1"]
    with Screen([*lolli_command, "tournament", *words], columns=columns) as screen:
        assert screen.wait() == 0
        assert headings.split() in [line.split() for line in screen.text.splitlines()]
        for label in ("minimax:depth=1", "random:depth=1"):
            assert label in screen.text
        assert "…" not in screen.text


def test_json_adds_up(lolli_command: list[str]) -> None:
    told = objects(run(lolli_command, *QUICK, "--json").stdout)
    games = [each for each in told if each["type"] == "game"]
    standings = [each for each in told if each["type"] == "standing"]
    assert [each["number"] for each in games] == list(range(1, 9))
    assert told[-1]["type"] == "summary"
    assert told[-1]["games"] == 8
    assert not told[-1]["interrupted"]
    for standing in standings:
        seats = [
            (game["payoffs"][seat], max(game["payoffs"]), game["payoffs"].count(max(game["payoffs"])))
            for game in games
            for seat, player in enumerate(game["players"])
            if player == standing["player"]
        ]
        points = sum(1 / winners for payoff, most, winners in seats if payoff == most)
        assert standing["score"] == pytest.approx(points / 8, abs=1e-4)
        assert standing["low"] <= standing["score"] <= standing["high"]
        assert (standing["won"], standing["shared"], standing["lost"]) == (
            sum(payoff == most and winners == 1 for payoff, most, winners in seats),
            sum(payoff == most and winners > 1 for payoff, most, winners in seats),
            sum(payoff < most for payoff, most, winners in seats),
        )


def test_the_number_of_jobs_changes_nothing(lolli_command: list[str]) -> None:
    words = (
        "--game",
        "connectfour",
        "--players",
        "uct,random",
        "--playouts",
        "10",
        "--rounds",
        "3",
        "--json",
    )
    one, two = (
        [
            each
            for each in objects(run(lolli_command, *words, "--jobs", jobs).stdout)
            if each["type"] == "game"
        ]
        for jobs in ("1", "2")
    )
    assert one == two


def test_more_than_two(lolli_command: list[str]) -> None:
    words = ("--game", "virus", "--seats", "3", "--size", "5", "--depth", "1", "--rounds", "1")
    told = objects(run(lolli_command, *words, "--players", "maxn,paranoid,random,random", "--json").stdout)
    assert sum(each["type"] == "game" for each in told) == 12
    assert sum(each["score"] * each["games"] for each in told if each["type"] == "standing") == pytest.approx(
        12, abs=0.01
    )


def test_a_game_is_named_as_for_the_other_commands(lolli_command: list[str]) -> None:
    words = ("--players", "maxn,random", "--rounds", "1", "--opening-plies", "0", "--json")
    tree, *_ = objects(run(lolli_command, "--game", "tree animals", *words).stdout)
    assert (len(tree["players"]), len(tree["moves"])) == (3, 3)
    pile, *_ = objects(run(lolli_command, "--game", "Nim", "--set", "piles=3", *words).stdout)
    assert pile["moves"] == ["2-1"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--game", "shogi", "--players", "random"), "unknown game 'shogi'; available: tree"),
        (("--game", "nim", "--players", "random,nobody"), "unknown searcher 'nobody'"),
        (("--game", "nim", "--players", "random,random", "--seats", "3"), "two players"),
        (("--game", "othello", "--players", "random,random", "--size", "7"), "7"),
        (("--game", "backgammon", "--players", "random,minimax"), "minimax: "),
        (("--game", "nim", "--players", "random", "--time", "0"), "above 0"),
        (("--game", "nim"), "--players"),
    ],
)
def test_bad_input_is_one_line(lolli_command: list[str], words: tuple[str, ...], said: str) -> None:
    done = run(lolli_command, *words, status=2)
    assert done.stdout == ""
    assert said in done.stderr.splitlines()[-1]


def test_ctrl_c_shows_the_standings(lolli_command: list[str]) -> None:
    words = ["--game", "tictactoe", "--players", "random,random", "--rounds", "100000", "--jobs", "1"]
    with Screen([*lolli_command, "tournament", *words], columns=110) as screen:
        screen.expect(r"[1-9]\d*/200000")
        screen.type(CTRL_C)
        assert screen.wait() == 128 + signal.SIGINT
        assert "stopped; scores with their 95% intervals" in screen.text
        assert not screen.cursor_hidden


def test_games_are_saved(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "games.pdn"
    words = ("--game", "checkers", "--players", "alphabeta,random", "--depth", "2", "--rounds", "1")
    for _ in range(2):
        run(lolli_command, *words, "--save", str(path))
    texts = path.read_text().split("[White ")
    assert len(texts) == 5
    assert all(text.rstrip().endswith(("1-0", "0-1", "1/2-1/2")) for text in texts[1:])
    assert {'"alphabeta"]', '"random"]'} == {text.split("\n")[0] for text in texts[1:]}


@pytest.mark.parametrize(("game", "where"), [("tictactoe", "games.txt"), ("checkers", "missing/games.pdn")])
def test_games_that_cannot_be_saved(lolli_command: list[str], tmp_path: Path, game: str, where: str) -> None:
    words = ("--game", game, "--players", "random,random", "--save", str(tmp_path / where))
    done = run(lolli_command, *words, status=2)
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / where).exists()
