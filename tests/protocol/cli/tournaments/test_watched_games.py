"""`lolli tournament --watch`: the board after each move."""

import re
import signal
import time
from itertools import pairwise
from threading import Event, Thread

import pytest
from click.testing import CliRunner

from engine.games.players.catalogue import game
from engine.games.rules.game import State
from engine.games.textbook.search import Decision, SearchLimits
from protocol.cli.group import group
from protocol.cli.tournaments.contest import Contest, Fixture, PlayedMove, TournamentGame, play, schedule
from protocol.cli.tournaments.entrant import entrants
from protocol.cli.tournaments.watched_games import WatchedGames
from protocol.gtp.rules import Rules
from tests.protocol.cli.running import run_command
from tests.protocol.cli.terminal.screen import CTRL_C, Screen
from tests.protocol.gtp.fake_searcher import NAME, PATIENCE, FakePlayer, fake_searcher


def contest(name: str, *players: str, opening_plies: int = 2, seats: int | None = None) -> Contest:
    made = game(name, seats)
    found = entrants(players, made, SearchLimits(depth=1, playouts=20))
    return Contest(Rules(name, made.players), made.players, None, found, opening_plies, 1)


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


def test_the_score_so_far() -> None:
    text = watch(
        "--game", "nim", "--size", "3", "--players", "random,random", "--rounds", "2", "--opening-plies", "0"
    )
    # A pile of three has one split: whoever moves first wins.
    scores = re.findall(r"^Game \d of 4: p1  \S+ #\d \((\d)\), p2  \S+ #\d \((\d)\)$", text, re.MULTILINE)
    assert scores == [("0", "0"), ("0", "1"), ("1", "1"), ("1", "2")]


def test_dice_are_shown() -> None:
    text = watch("--game", "backgammon", "--players", "random,random", "--rounds", "1")
    assert re.match(r"Game 1 of 2: .*\n\n1\. Chance: [1-6][1-6]\.\n\+-1", text)


def test_chess(lolli_command: list[str]) -> None:
    """Through pipes: the board of chess, without colours."""
    words = (
        "--game",
        "chess",
        "--players",
        "random,random",
        "--rounds",
        "1",
        "--opening-plies",
        "3",
        "--watch",
    )
    done = run_command("tournament", lolli_command, *words)
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    boards = done.stdout.count("\n    a b c d e f g h\n")
    assert boards == len(re.findall(r"^\d+\. ", done.stdout, re.MULTILINE)) > 20
    assert done.stdout.startswith("Game 1 of 2: Black  random #1 (0), White  random #2 (0)\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--watch", "--json"), "--watch cannot be combined with --json or with several --jobs"),
        (("--watch", "--jobs", "2"), "--watch cannot be combined with --json or with several --jobs"),
        (("--delay", "1"), "--delay needs --watch"),
        (("--watch", "--delay", "-1"), "-1.0 is not in the range"),
    ],
)
def test_bad_input(words: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(group, ["tournament", "--game", "nim", "--players", "random", *words])
    assert done.exit_code == 2
    assert said in done.output


def test_a_stop_ends_the_search_and_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    thinking, stopped = Event(), Event()

    def choose(_player: FakePlayer, state: State, _limits: SearchLimits) -> Decision:
        thinking.set()
        assert stopped.wait(PATIENCE), "nobody said stop"
        return Decision(state.moves()[0])

    monkeypatch.setattr(FakePlayer, "choose", choose)
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


def test_a_delay_is_waited_after_each_move() -> None:
    moves: list[PlayedMove] = []
    watched = WatchedGames(contest("nim", "random", "random", opening_plies=0), moves.append, 0.02)
    began = time.monotonic()
    assert watched.run([Fixture(1, (0, 1), 1)], lambda _: None)
    assert time.monotonic() - began >= 0.02 * len(moves) > 0


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
        assert screen.text.count(" of 2000\n") == 1
        assert any(screen.background(4, line) != "default" for line in range(12))
        screen.type(CTRL_C)
        assert screen.wait() == 128 + signal.SIGINT
        assert "stopped; scores with their 95% intervals" in screen.text
        assert not screen.cursor_hidden
