"""`lolli tournament`: the real process, and games to watch."""

from __future__ import annotations

import re
import signal
from dataclasses import replace
from functools import partial
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread

import pytest
from click.testing import CliRunner

from engine.games.rules.game import State
from engine.games.search.basics import Decision, SearchLimits
from lolli.cli.contest import (
    Fixture,
    PlayedMove,
    TournamentGame,
    play,
    saver,
    schedule,
)
from lolli.cli.group import group
from lolli.cli.pgn import raw_games
from lolli.cli.pgn.game_reader import header_text, read_game
from lolli.cli.tournament import WatchedGames
from tests.lolli.cli.contests import contest
from tests.lolli.cli.running import objects, run_command
from tests.lolli.cli.terminal.screen import CTRL_C, Screen
from tests.patience import PATIENCE, wait_until
from tests.protocol.gtp.fake_searcher import NAME, FakePlayer, fake_searcher

run = partial(run_command, "tournament")

QUICK = ("--game", "tictactoe", "--players", "minimax:depth=9,random", "--rounds", "4")


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
    words = [
        "--game",
        "connectfour",
        "--players",
        "uct,random",
        "--playouts",
        "10",
        "--rounds",
        "3",
        "--json",
    ]
    one, two = (
        [
            each
            for each in objects(run(lolli_command, *words, "--jobs", jobs).stdout)
            if each["type"] == "game"
        ]
        for jobs in ("1", "2")
    )
    assert one == two


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--game", "shogi", "--players", "random"), "unknown game 'shogi'; available: tree"),
        (("--game", "nim", "--players", "random,nobody"), "unknown searcher 'nobody'"),
        (("--game", "nim", "--players", "random,random", "--seats", "3"), "2 players"),
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


def test_games_are_added_to_a_file_without_a_last_line_end(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text('[White "Old"]\n\n1. e4 1-0')
    rated = contest("chess", "random", "random")
    named = tuple(replace(each, label='Bob "Rock" \\') for each in rated.entrants)
    rated = replace(rated, entrants=named)
    save = saver(rated, path)
    save(TournamentGame(Fixture(0, (0, 1), 0), ("e2e4",), (0.0, 0.0)))
    games = [read_game(raw.data).game for raw in raw_games(BytesIO(path.read_bytes()))]
    assert [header_text(each.headers["White"]) for each in games] == ["Old", 'Bob "Rock" \\']


@pytest.mark.parametrize(("game", "where"), [("tictactoe", "games.txt"), ("checkers", "missing/games.pdn")])
def test_games_that_cannot_be_saved(lolli_command: list[str], tmp_path: Path, game: str, where: str) -> None:
    words = ("--game", game, "--players", "random,random", "--save", str(tmp_path / where))
    done = run(lolli_command, *words, status=2)
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / where).exists()


def watch(*words: str, status: int = 0) -> str:
    done = CliRunner().invoke(group, ["tournament", "--watch", *words])
    assert done.exit_code == status, done.output
    return done.output


@pytest.mark.parametrize(
    ("name", "players", "seats"),
    [
        ("tictactoe", ("alphabeta", "random"), None),
        ("backgammon", ("random", "random"), None),
        ("virus", ("maxn", "random", "random"), 3),
    ],
)
def test_the_games_are_those_of_a_tournament_that_nobody_watches(
    name: str, players: tuple[str, ...], seats: int | None
) -> None:
    watched: list[TournamentGame] = []
    moves: list[PlayedMove] = []
    agreed = contest(name, *players, seats=seats)
    fixtures = list(schedule(len(players), agreed.players, 1))
    assert WatchedGames(agreed, moves.append, 0.0).run(fixtures, watched.append)
    assert [(each.fixture, each.moves, each.payoffs) for each in watched] == [
        (each.fixture, each.moves, each.payoffs) for each in (play(agreed, fixture) for fixture in fixtures)
    ]
    told = [(each.fixture, each.game.text(each.before, each.move)) for each in moves]
    assert told == [(each.fixture, text) for each in watched for text in each.moves]
    for one, other in pairwise(moves):
        assert one.fixture != other.fixture or one.state == other.before
        assert one.state == one.before.play(one.move)


def test_each_move_is_shown_with_its_board() -> None:
    text = watch("--game", "tictactoe", "--players", "alphabeta:depth=9,random", "--rounds", "1")
    parts = re.split(r"^Game (\d) of 2: ", text, flags=re.MULTILINE)
    assert parts[0::2][0] == ""
    assert parts[1::2] == ["1", "2"]
    assert parts[2].startswith("X  alphabeta:depth=9 (0), O  random (0)\n")
    assert re.match(r"X  random \(\d?\.?5?\), O  alphabeta:depth=9 \(\d?\.?5?\)\n", parts[4])
    for part in parts[2::2]:
        boards = part.count("   A B C\n 3 ")
        assert boards == len(re.findall(r"^\d\. ", part, re.MULTILINE)) >= 5
    assert re.search(r"^1\. Opening, at random: X plays \w\d\.$", text, re.MULTILINE)
    assert re.search(r"^3\. X \(alphabeta:depth=9\) plays \w\d: value \+1 for X; line ", text, re.MULTILINE)
    assert re.search(r"^4\. O \(random\) plays \w\d\.$", text, re.MULTILINE)
    assert "\n1: alphabeta:depth=9 " in text
    assert "2 games in " in text.splitlines()[-1]


def test_a_stop_ends_the_search_and_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    thinking, stopped = Event(), Event()

    def choose(_player: FakePlayer, state: State, _limits: SearchLimits, _allowed: object) -> Decision:
        thinking.set()
        assert stopped.wait(PATIENCE), "nobody said stop"
        return Decision(state.moves()[0])

    monkeypatch.setattr(FakePlayer, "_choose", choose)
    monkeypatch.setattr(FakePlayer, "stop", lambda _: stopped.set())
    results: list[bool] = []
    told: list[object] = []
    with fake_searcher(monkeypatch):
        watched = WatchedGames(contest("nim", "random", NAME, opening_plies=0), told.append, 0.0)
        thread = Thread(target=lambda: results.append(watched.run([Fixture(1, (1, 0), 1)], told.append)))
        thread.start()
        assert thinking.wait(PATIENCE)
        watched.stop()
        thread.join(PATIENCE)
    assert results == [False]
    assert told == []


def test_on_a_terminal_the_board_stays_in_its_place(lolli_command: list[str]) -> None:
    words = [
        "--game",
        "tictactoe",
        "--players",
        "random,random",
        "--rounds",
        "1000",
        "--watch",
        "--delay",
        "0.2",
    ]
    with Screen([*lolli_command, "tournament", *words], columns=100, lines=30) as screen:
        screen.expect(r"   Game \d+ of 2000$")
        screen.expect(r" X  random #1 \(\d+\)$")
        screen.expect(r"^\d\. (Opening, at random: )?[XO] ")
        screen.expect(r"^ *\d+/2000 ")
        wait_until(lambda: screen.text.count(" of 2000\n") == 1)
        wait_until(lambda: any(screen.background(4, line) != "default" for line in range(12)))
        screen.type(CTRL_C)
        assert screen.wait() == 128 + signal.SIGINT
        assert "stopped; scores with their 95% intervals" in screen.text
        assert not screen.cursor_hidden
