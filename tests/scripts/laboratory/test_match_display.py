"""A match that is watched: the boards are the games, and nothing else about the match changes."""

import json
import re
import signal
import subprocess
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import chess.pgn
import psutil
import pytest
from chess.engine import PovScore
from rich.console import Console

from lolli.cli.terminal.board import BoardSize, Look
from scripts.laboratory.engine_pipe import NS_PER_S
from scripts.laboratory.match import EngineMatch
from scripts.laboratory.match_display import LiveGame, WatchedPlaces, arrangement, boards, summary
from scripts.laboratory.match_engine import FinishedGame, MatchTally, Store, Termination, Usage
from scripts.laboratory.openings import OpeningSuite
from tests.lolli.cli.terminal.screen import CTRL_C, Screen
from tests.patience import PATIENCE
from tests.scripts.laboratory.fakes import FAKE_ENGINE, fake_engine, short_rules

ROOT = Path(__file__).parents[3]
LOLLI = f"{sys.executable} -c 'from lolli.__main__ import main; main()'"
MATCH = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from scripts.laboratory.match import match; match()"
START = LiveGame(0, chess.STARTING_FEN, None, (None, None), (None, None))
ENGINES = (fake_engine("first"), fake_engine("second with a name that is too long"))


def command(engine: str, *words: str) -> list[str]:
    engines = ["--engine", "name=A", f"cmd={engine}", "dir=" + str(ROOT)]
    engines += ["--engine", "name=B", f"cmd={engine}", "dir=" + str(ROOT)]
    return [sys.executable, "-c", MATCH, *engines, "--watch", *words]


def games_in(pgn: Path) -> dict[int, chess.pgn.Game]:
    """The games by their numbers, from 1."""
    games = {}
    with pgn.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            pair, half = game.headers["Round"].split(".")
            games[2 * int(pair) - 2 + int(half)] = game
    return games


def test_workers_tell_every_position_with_clocks_and_scores(tmp_path: Path) -> None:
    rules = short_rules(fake_engine("A"), fake_engine("B"))
    store = Store(tmp_path / "games.pgn", {})
    told: defaultdict[int, list[LiveGame]] = defaultdict(list)
    match = EngineMatch(rules, 4, OpeningSuite.of_start_position(), 7, store=store)
    played = list(match.play(2, lambda live: told[live.number].append(live)))
    store.close()
    assert len(played) == 4
    for number, game in games_in(tmp_path / "games.pgn").items():
        lives = told[number - 1]
        nodes: list[chess.pgn.GameNode] = [game, *game.mainline()]
        assert [live.fen for live in lives] == [node.board().fen() for node in nodes]
        for live, node in zip(lives[1:], nodes[1:], strict=True):
            assert isinstance(node, chess.pgn.ChildNode)
            assert live.last == node.move.uci()
            mover = not node.turn()
            clock, analysis = live.clocks[not mover], live.analyses[not mover]
            assert clock is not None
            assert clock / NS_PER_S == pytest.approx(node.clock(), abs=0.001)
            assert analysis is not None
            told_score = None if analysis.score is None else PovScore(analysis.score, mover)
            assert node.eval() == told_score


@pytest.mark.parametrize("look", Look)
def test_boards_fit_any_terminal_and_are_as_large_as_they_can(look: Look) -> None:
    for count in (1, 2, 3, 5, 8, 40):
        places = WatchedPlaces(count)
        for number in range(count):
            places.follow(LiveGame(number, *_fields(START)), 0)
        for width in (10, 27, 60, 80, 132, 300):
            for height in (3, 10, 21, 40, 90):
                fitting = arrangement(count, width, height, look)
                lines = boards(places.games, ENGINES, fitting, look, 0)
                assert len(lines) <= height
                text = "\n".join(line.plain for line in lines)
                shown = len(re.findall(r"Game \d+,", text, re.MULTILINE))
                hidden = re.search(r"… and (\d+) more", text)
                assert shown + int(hidden[1] if hidden else 0) == count
                assert shown == 0 or max(line.cell_len for line in lines) <= width + 3
                for size in BoardSize:
                    if size.value > fitting[0].value:
                        across, down = size.extent(look)
                        assert (width + 3) // (max(across, 27) + 3) * ((height + 1) // (down + 4)) < count


def _fields(live: LiveGame) -> tuple[str, str | None, tuple[None, None], tuple[None, None]]:
    return live.fen, live.last, (None, None), (None, None)


def test_the_clock_of_the_side_to_move_runs() -> None:
    places = WatchedPlaces(1)
    clocks = (61 * NS_PER_S, 59 * NS_PER_S)
    places.follow(LiveGame(1, chess.STARTING_FEN, None, clocks, (None, None)), 5 * NS_PER_S)
    fitting = arrangement(1, 80, 30, Look.LETTERS)
    lines = [line.plain for line in boards(places.games, ENGINES, fitting, Look.LETTERS, 7 * NS_PER_S)]
    assert re.fullmatch(r"  first +0:59 *", lines[1])
    assert re.fullmatch(r"> second with a name .*0:59 *", lines[-1])
    places.ended(FinishedGame(1, "1-0", Termination.TIME_LOSS, "", 0, (Usage(), Usage())))
    lines = [line.plain for line in boards(places.games, ENGINES, fitting, Look.LETTERS, 99 * NS_PER_S)]
    assert lines[0].split() == ["Game", "2,", "1-0", "loss", "on", "time"]
    assert re.fullmatch(r"  second with a name .*1:01 *", lines[-1])


def test_a_watched_match_is_stopped_and_goes_on(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    engine = f"{sys.executable} {FAKE_ENGINE}"
    words = ("--each", "nodes=1", "--max-moves", "12", "--pgn", str(pgn), "--sprt", "elo0=0", "elo1=5")
    with Screen(command(engine, *words, "--games", "4000"), columns=160) as screen:
        screen.expect(r"A against B: \+\d+ -\d+ =\d+ .*LLR .*\sgames/min")  # on the next line if it is fast
        children = psutil.Process(screen.process.pid).children(recursive=True)
        screen.type(CTRL_C)
        assert screen.wait() == 128 + signal.SIGINT
        assert "of 4000 games" in screen.text
        assert not screen.cursor_hidden
        _, alive = psutil.wait_procs(children, timeout=PATIENCE)
        assert not alive
    played = len(pgn.with_suffix(".jsonl").read_text().splitlines()) - 1
    assert 0 < played < 4000
    games = played + played % 2 + 4
    with Screen(command(engine, *words, "--games", str(games)), columns=160) as screen:
        assert screen.wait() == 0
        assert f"{games} of {games} games" in screen.text
    records = [json.loads(line) for line in pgn.with_suffix(".jsonl").read_text().splitlines()[1:]]
    assert sorted(record["game"]["number"] for record in records) == list(range(games))


def test_boards_follow_the_size_of_the_window() -> None:
    words = ("--each", "nodes=1", "--games", "400", "--concurrency", "2", "--max-moves", "40")
    engine = f"{sys.executable} {FAKE_ENGINE}"
    with Screen(command(engine, *words), columns=120, lines=40, term="linux") as screen:
        for columns, lines, gap in ((120, 40, 5), (60, 30, 1), (80, 30, 3)):
            screen.resize(columns, lines)
            letters = (" " * gap).join("abcdefgh")
            screen.expect(rf"^ +{letters} +{letters}$")
        screen.resize(58, 10)
        screen.expect(r"^… and 2 more$")
        screen.process.terminate()
        assert screen.wait() == 130
        assert "A against B: " in screen.text
        assert not screen.cursor_hidden


def test_a_game_reported_before_the_last_one_has_ended() -> None:
    places = WatchedPlaces(1)
    places.follow(START, 0)
    places.follow(replace(START, number=1), 1)
    assert places.games == [START]
    places.ended(FinishedGame(0, "1-0", Termination.CHECKMATE, "", 5, (Usage(), Usage())))
    places.follow(replace(START, number=1), 2)
    assert places.games == [replace(START, number=1, since=2)]


def test_a_name_is_no_markup() -> None:
    console = Console(width=200)
    with console.capture() as shown:
        console.print(summary(MatchTally(), [fake_engine("a[/b]"), fake_engine("[red]c")], 2, None))
    assert shown.get().count("a[/b]") == shown.get().count("[red]c") == 2


def test_without_a_terminal_nothing_is_played(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    words = command(LOLLI, "--each", "nodes=1", "--pgn", str(pgn))
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert "--watch needs a terminal" in done.stderr
    assert not pgn.exists()
