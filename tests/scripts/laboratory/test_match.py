"""Matches between scripted engines: rules, clocks, the command line, disturbances."""

import io
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import chess
import chess.pgn
import psutil
import pytest
from chess.engine import Cp, Mate
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from scripts.laboratory.engine_pipe import NS_PER_MS, NS_PER_S
from scripts.laboratory.jobs import JobError
from scripts.laboratory.match import EngineMatch, MatchRules, end_by_rule, match
from scripts.laboratory.match_engine import (
    Analysis,
    Disturbance,
    GameClock,
    GameState,
    MatchTimeControl,
    Pace,
    Stalls,
    Store,
    Termination,
    go_line,
    parse_engine,
    parse_info,
    takes,
)
from scripts.laboratory.openings import OpeningSuite
from scripts.laboratory.statistics import Model, Sprt, SprtVerdict, parse_sprt
from tests.patience import wait_until
from tests.protocol.uci.dialogue import Dialogue
from tests.scripts.laboratory.fakes import (
    FAKE_ENGINE,
    LONGEST_GAME,
    STALL_SECONDS,
    fake_engine,
    play_match,
    short_rules,
)

OPENINGS = (
    "rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq -",
    "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -",
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -",
)


def read_games(path: Path) -> list[chess.pgn.Game]:
    """All games of a PGN, which must be free of errors."""
    text = io.StringIO(path.read_text(encoding="utf-8"))
    games = []
    while (game := chess.pgn.read_game(text)) is not None:
        assert not game.errors
        games.append(game)
    return games


def test_each_opening_is_played_once_with_either_colour(tmp_path: Path) -> None:
    store = Store(tmp_path / "games.pgn", {})
    book = OpeningSuite(OPENINGS, is_pgn=False, chess960=False)
    rules = short_rules(fake_engine("A"), fake_engine("B"))
    match, records = play_match(rules, 6, book, store, concurrency=2)
    store.close()

    assert [record.number for record in records] == list(range(6))
    assert match.tally.played == sum(match.tally.games) == 6
    assert sum(match.tally.pairs) == 3
    games = {game.headers["Round"]: game for game in read_games(tmp_path / "games.pgn")}
    assert set(games) == {f"{pair}.{game}" for pair in (1, 2, 3) for game in (1, 2)}
    for pair in (1, 2, 3):
        first, second = games[f"{pair}.1"], games[f"{pair}.2"]
        assert (first.headers["White"], first.headers["Black"]) == ("A", "B")
        assert (second.headers["White"], second.headers["Black"]) == ("B", "A")
        assert first.headers["FEN"] == second.headers["FEN"]
    assert {game.board().epd() for game in games.values()} == set(OPENINGS)


def test_a_pgn_tells_result_clocks_and_termination(tmp_path: Path) -> None:
    store = Store(tmp_path / "games.pgn", {})
    _, records = play_match(short_rules(fake_engine("A"), fake_engine("B")), 2, store=store)
    store.close()

    for record, game in zip(records, read_games(tmp_path / "games.pgn"), strict=True):
        assert game.headers["Result"] == record.result
        assert game.headers["TimeControl"] == "600+0.1"
        assert int(game.headers["PlyCount"]) == len(list(game.mainline_moves())) == record.plies
        if record.ending is Termination.MOVE_LIMIT:
            assert game.headers["Termination"] == "adjudication"
            assert record.plies == 2 * LONGEST_GAME
        assert record.ending.value in game.end().comment
        for number, node in enumerate(game.mainline()):
            score, clock = node.eval(), node.clock()
            assert score is not None
            assert clock is not None
            assert score.pov(not node.turn()).score() == number // 2 + 1
            assert 1 < clock <= 600 + 0.1 * (number // 2 + 1)


def test_what_the_engines_spent_is_counted() -> None:
    match, records = play_match(short_rules(fake_engine("A"), fake_engine("B")), 2)
    for seat in (0, 1):
        usage = match.tally.usage[seat]
        assert usage.moves == usage.depth_moves == sum(record.usage[seat].moves for record in records)
        assert sum(record.plies for record in records) == sum(used.moves for used in match.tally.usage)
        assert usage.nodes == 10 * usage.depth
        assert 0 < usage.longest_move < usage.time
        assert usage.lowest_clock is not None
        assert usage.lowest_clock < 600e9
        assert 4 << 20 < usage.peak_memory < 512 << 20


def test_a_clock_counts_the_nodes_that_the_engines_report(tmp_path: Path) -> None:
    """A fake engine reports ten nodes more at each move; ten of them count as a millisecond."""
    store = Store(tmp_path / "games.pgn", {})
    slow = fake_engine("A", "late 11", tc="0.2+0.002", nodestime="10")
    play_match(short_rules(slow, fake_engine("B", tc="0.2+0.002", nodestime="10")), 2, store=store)
    store.close()

    for game in read_games(tmp_path / "games.pgn"):
        clocks = [node.clock() for node in game.mainline()][::2]
        spent = [0.001 * number - 0.002 for number in range(1, len(clocks) + 1)]
        assert clocks == pytest.approx([0.2 - sum(spent[: number + 1]) for number in range(len(clocks))])


def test_an_engine_that_talks_has_not_stalled() -> None:
    """Without a clock it may take as long as it likes."""
    slow = fake_engine("slow", "talkative", nodes="10")
    rules = MatchRules((fake_engine("good", nodes="10"), slow), max_moves=3, stall_seconds=2)
    match, _ = play_match(rules, 2)
    assert match.tally.forfeits_of(1) == Counter()


@pytest.mark.parametrize(
    ("manner", "ending", "told"),
    [
        ("illegal", Termination.ILLEGAL_MOVE, "< bestmove e2e5"),
        ("crash", Termination.CRASH, "! this is the end"),
        ("silent", Termination.STALL, "> stop"),
        ("late", Termination.TIME_LOSS, "> stop"),
    ],
)
def test_a_forfeit_is_counted_against_the_engine(manner: str, ending: Termination, told: str) -> None:
    pace = {Termination.STALL: {"tc": "1"}, Termination.TIME_LOSS: {"tc": "0.2"}}.get(ending, {})
    stall = STALL_SECONDS if ending is Termination.STALL else 60
    rules = short_rules(fake_engine("good"), fake_engine("bad", manner, **pace), stall_seconds=stall)
    match, records = play_match(rules, 2)

    assert [record.ending for record in records] == [ending, ending]
    assert [record.result for record in records] == ["1-0", "0-1"]
    assert match.tally.games == [0, 0, 2]
    assert match.tally.pairs == [0, 0, 0, 0, 1]
    assert match.tally.forfeits_of(0) == Counter()
    assert match.tally.forfeits_of(1) == {ending: 2}
    assert told in records[0].last_lines


@pytest.mark.parametrize(("opponent", "guesses_right"), [("first", True), ("legal", False)])
def test_an_engine_ponders_on_the_answer_that_it_expects(
    tmp_path: Path, opponent: str, guesses_right: bool
) -> None:
    """What the engine reads is kept by tee on its way."""
    heard = tmp_path / "heard"
    command = f"sh -c 'tee {heard} | {' '.join(fake_engine('A').command)}'"
    rules = short_rules(fake_engine("A", cmd=command, ponder="true"), fake_engine("B", opponent))
    match, records = play_match(rules, 2)

    assert match.tally.forfeits == []
    lines = heard.read_text().splitlines()
    assert "setoption name Ponder value true" in lines
    pondered = [index for index, line in enumerate(lines) if line.startswith("go ponder wtime ")]
    hits = lines.count("ponderhit")
    assert hits + lines.count("stop") == len(pondered) > 10
    assert hits > 10 if guesses_right else hits < len(pondered) / 2
    for index in pondered:
        *before, guessed = lines[index - 1].split()
        after = lines[index + 1 : index + 3]
        if after[0] == "stop" and after[1].startswith("position"):
            *played, answer = after[1].split()
            assert played == before
            assert answer != guessed
        else:
            assert after[0] in ("ponderhit", "stop")
    own = sum(record.usage[0].moves for record in records)
    assert hits + sum(line.startswith("go wtime ") for line in lines) == own


def test_chess960_games_castle_and_start_where_they_should(tmp_path: Path) -> None:
    store = Store(tmp_path / "games.pgn", {})
    rules = short_rules(fake_engine("A"), fake_engine("B"), chess960=True)
    book = OpeningSuite.of_chess960()
    match, _ = play_match(rules, 4, book, store)
    store.close()

    assert match.tally.forfeits == []
    games = read_games(tmp_path / "games.pgn")
    for number, game in enumerate(games):
        start = game.board()
        assert start.chess960
        assert start.shredder_fen() == book.entries[book.order(7)[number // 2]]


def test_a_match_stops_when_it_is_decided() -> None:
    rules = short_rules(fake_engine("good"), fake_engine("bad", "illegal 0"))
    test = Sprt(-50, 50, alpha=0.4, beta=0.4)
    match = EngineMatch(rules, 1000, OpeningSuite.of_start_position(), 1, test)
    records = list(match.play(1))
    assert match.verdict is SprtVerdict.H1
    assert 2 <= len(records) < 1000
    assert not list(match.play(1))


def test_an_option_that_an_engine_lacks_ends_the_match() -> None:
    wrong = fake_engine("B", **{"option.Hsah": "16"})
    with pytest.raises(JobError, match="B has no option 'Hsah'"):
        play_match(short_rules(fake_engine("A"), wrong), 2)


def test_a_value_that_an_option_does_not_take_ends_the_match() -> None:
    wrong = fake_engine("B", **{"option.Hash": "999999"})
    reason = "B: its option 'Hash' does not take '999999': spin default 16 min 1 max 64"
    with pytest.raises(JobError, match=reason):
        play_match(short_rules(fake_engine("A"), wrong), 2)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("spin default 0 min -5 max 64", ["-5", "0", "64"], ["-6", "65", "", "1.5", "ten"]),
        ("spin default 0", ["-1", "1000000"], ["x"]),
        ("combo default Calm var Calm var Very Wild", ["Calm", "very wild"], ["Very", "Wild", ""]),
        ("combo var Solid var Very Wild default Solid", ["Solid", "Very Wild"], ["Solid default"]),
        ("check default false", ["true", "false"], ["yes", "1", ""]),
        ("string default <empty>", ["", "anything"], []),
        ("button", [""], []),
    ],
)
def test_what_an_option_takes(kind: str, good: list[str], bad: list[str]) -> None:
    assert [value for value in (*good, *bad) if takes(kind, value)] == good


@pytest.mark.parametrize(
    ("fen", "ending"),
    [
        (chess.STARTING_FEN, None),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Termination.CHECKMATE),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 100 80", Termination.CHECKMATE),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Termination.STALEMATE),
        ("7k/8/6K1/8/8/8/8/7N b - - 0 1", Termination.INSUFFICIENT_MATERIAL),
        ("7k/8/6K1/8/8/8/8/7R b - - 99 80", None),
        ("7k/8/6K1/8/8/8/8/7R b - - 100 80", Termination.FIFTY_MOVES),
    ],
)
def test_the_rules_of_chess(fen: str, ending: Termination | None) -> None:
    board = chess.Board(fen)
    assert end_by_rule(board) is ending


def test_threefold_repetition_counts_the_opening() -> None:
    board = chess.Board()
    for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
        board.push_uci(move)
    for move in ("g1f3", "g8f6", "f3g1"):
        board.push_uci(move)
        assert end_by_rule(board) is None
    board.push_uci("f6g8")
    assert end_by_rule(board) is Termination.REPETITION


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("3+0.03", MatchTimeControl(3 * NS_PER_S, 30 * NS_PER_MS)),
        ("40/60", MatchTimeControl(60 * NS_PER_S, 0, 40)),
        ("1:30+1", MatchTimeControl(90 * NS_PER_S, NS_PER_S)),
        ("0.05", MatchTimeControl(50 * NS_PER_MS)),
    ],
)
def test_reading(text: str, control: MatchTimeControl) -> None:
    assert MatchTimeControl.parse(text) == control
    assert MatchTimeControl.parse(str(control)) == control


@given(st.lists(st.integers(0, 2 * NS_PER_S)), st.integers(1, NS_PER_S), st.integers(0, NS_PER_S))
def test_the_clock_never_shows_less_than_nothing(moves: list[int], base: int, increment: int) -> None:
    clock = GameClock(Pace(MatchTimeControl(base, increment)), margin=0)
    for elapsed in moves:
        before = clock.left
        assert clock.spend(elapsed) == (elapsed <= before)
        assert clock.left == (before - elapsed + increment if elapsed <= before else before)


def test_an_engine_in_words() -> None:
    words = [
        ("cmd", "'/a b/run' --uci"),
        ("option.Move Overhead", "20"),
        ("option.Hash", "8"),
        ("nodes", "5"),
    ]
    spec = parse_engine(words, [("option.Hash", "16"), ("tc", "40/60"), ("timemargin", "2.5")])
    assert spec.name == "run"
    assert spec.command == ("/a b/run", "--uci")
    assert dict(spec.options) == {"Hash": "8", "Move Overhead": "20"}
    assert spec.pace == Pace(MatchTimeControl.parse("40/60"), nodes=5)
    assert spec.margin == 2_500_000


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({"cmd": " "}, "an engine needs a cmd="),
        ({"timemargin": "inf"}, "'inf' is not a number of milliseconds"),
        ({"movetime": "1e400"}, "'1e400' is not a number of milliseconds"),
        ({"movetime": "soon"}, "'soon' is not a number of milliseconds"),
        ({"depth": "abc"}, "depth=abc is not a whole number"),
    ],
)
def test_invalid_engine_options(words: dict[str, str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_engine([("cmd", "x"), ("nodes", "1"), *words.items()], [])


def test_a_sequential_test_in_words() -> None:
    assert parse_sprt(None) is None
    assert parse_sprt([("elo0", "0"), ("elo1", "10")]) == Sprt(0, 10)
    words = [("elo0", "-5"), ("elo1", "0"), ("alpha", "0.1"), ("model", "normalised")]
    assert parse_sprt(words) == Sprt(-5, 0, 0.1, 0.05, Model.NORMALISED)
    for wrong, reason in (
        ([("elo0", "0")], "missing or unknown: elo1$"),
        ([("elo0", "9"), ("elo1", "0")], r"must be below elo1"),
        ([("elo0", "0"), ("elo1", "1"), ("x", "1")], "missing or unknown: x$"),
    ):
        with pytest.raises(ValueError, match=f"--sprt takes .*: .*{reason}"):
            parse_sprt(wrong)


def test_openings_of_a_pgn_need_no_event(tmp_path: Path) -> None:
    path = tmp_path / "few.pgn"
    path.write_text('[White "A"]\n\n1. e4 *\n\n[White "B"]\n\n1. d4 {\n[Event is a word here} d5 *\n')
    book = OpeningSuite.read(path, chess960=False)
    assert [book.opening(number).moves for number in range(2)] == [("e2e4",), ("d2d4", "d7d5")]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--engine", "cmd=x"], "two engines, not 1"),
        (["--engine", "cmd=x", "--engine", "cmd=y", "--games", "3"], "must be even"),
        (["--engine", "cmd"], "not of the form key=value"),
        (["--engine", "cmd=x", "--engine", "cmd=y", "--openings", "/nonexistent.epd"], "nonexistent"),
    ],
)
def test_command_lines_that_make_no_sense(arguments: list[str], reason: str) -> None:
    outcome = CliRunner().invoke(match, [*arguments, "--each", "nodes=1"])
    assert outcome.exit_code == 2
    assert reason in outcome.output


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ({"tc": "3+0.03"}, "go wtime 3000 btime 2000 winc 30 binc 30"),
        ({"tc": "40/60"}, "go wtime 60000 btime 59000 movestogo 40"),
        ({"tc": "0.0001"}, "go wtime 1 btime 1"),
        ({"nodes": "20000"}, "go nodes 20000"),
        ({"depth": "7", "nodes": "5"}, "go nodes 5 depth 7"),
        ({"movetime": "100"}, "go movetime 100"),
    ],
)
def test_what_the_engine_is_told(words: dict[str, str], line: str) -> None:
    spec = parse_engine([("cmd", "x"), *words.items()], [])
    white, black = GameClock(spec.pace, 0), GameClock(spec.pace, 0)
    black.left -= 1000 * NS_PER_MS
    told = go_line(spec, GameState(chess.Board(), None, [], (white, black)))
    assert sorted(told.split()) == sorted(line.split())


@pytest.mark.parametrize(
    ("line", "analysis"),
    [
        (b"info depth 9 seldepth 12 score cp -31 nodes 20000 nps 1 pv e2e4", Analysis(9, 20000, Cp(-31))),
        (b"info depth 9 score mate -2 nodes 7", Analysis(9, 7, Mate(-2))),
        (b"info depth x score cp", Analysis()),
        (b"info score cp 5 lowerbound", Analysis(score=Cp(5))),
        (b"", Analysis()),
        (b"\xff\xfe", Analysis()),
    ],
)
def test_what_the_engine_tells(line: bytes, analysis: Analysis) -> None:
    assert parse_info(line) == analysis


DISTURBED = Pace(MatchTimeControl.parse("3+0.03"))  # two stops of three are 2.8 s apart


def test_stops_depend_on_the_game_and_its_clock() -> None:
    disturbance = Disturbance(stalls=(20, 300))
    plans = [disturbance.stops(number, DISTURBED) for number in (1, 1, 2)]
    first, again, other = [[next(plan) for _ in range(1000)] for plan in plans]
    assert first == again != other
    waits, lengths = zip(*first, strict=True)
    assert 2.5 < sum(waits) / 1000 < 3.1
    assert 0.02 <= min(lengths) < 0.03
    assert 0.29 < max(lengths) <= 0.3
    assert list(Disturbance().stops(1, DISTURBED)) == []
    with pytest.raises(ValueError, match="stalls= needs a tc="):
        replace(short_rules(fake_engine("A", nodes="1"), fake_engine("B")), disturbance=disturbance)


@pytest.fixture
def sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"], start_new_session=True)


def test_stalls_stop_and_continue_processes(sleeper: subprocess.Popen[bytes]) -> None:
    process = psutil.Process(sleeper.pid)
    try:
        with Stalls([sleeper.pid], [(0.01, 0.05), (0.01, 0.05), (0.01, 60.0)]) as stalls:
            wait_until(lambda: len(stalls._stopped) == 2)
            wait_until(lambda: process.status() == psutil.STATUS_STOPPED)
        assert process.status() != psutil.STATUS_STOPPED
    finally:
        sleeper.kill()
        sleeper.wait()
    first, second, _ = stalls._stopped
    assert first[1] - first[0] >= 50 * NS_PER_MS
    assert stalls.within(first[0], second[1]) == first[1] - first[0] + second[1] - second[0]
    assert stalls.within(first[0] + 10, first[0] + 30) == 20
    assert stalls.within(first[1], second[0]) == 0


def test_a_slow_pipe_passes_everything_on_but_late() -> None:
    with Dialogue(list(Disturbance(slow=40).command((sys.executable, str(FAKE_ENGINE))))) as engine:
        engine.send("uci")
        engine.expect("uciok")
        began = time.monotonic()
        for _ in range(20):
            assert engine.ask() == []
        assert time.monotonic() - began > 20 * 0.02
        engine.send("go", "quit")
        assert engine.rest()[-1].startswith("bestmove ")
    assert engine.process.returncode == 0


def test_moves_to_a_draw_are_those_of_the_game() -> None:
    rules = replace(short_rules(fake_engine("A"), fake_engine("B")), max_moves=3)
    book = OpeningSuite(("4k3/8/8/8/8/8/4P3/4K2R b K - 0 60",), is_pgn=False, chess960=False)
    _, (record, _) = play_match(rules, 2, book)
    assert (record.ending, record.plies) == (Termination.MOVE_LIMIT, 6)


def test_a_match_goes_on_while_it_is_disturbed() -> None:
    rules = short_rules(fake_engine("A"), fake_engine("B"))
    match, records = play_match(replace(rules, disturbance=Disturbance((1, 20), 0, 2)), 2)
    assert match.tally.forfeits == []
    assert len(records) == 2


def test_a_loss_on_time_tells_how_long_the_engines_were_stopped() -> None:
    rules = short_rules(fake_engine("A", tc="0.2"), fake_engine("B", tc="0.2"))
    rules = replace(rules, disturbance=Disturbance(stalls=(400, 500)))
    _, records = play_match(replace(rules, max_moves=None), 4)
    late = [record for record in records if record.ending is Termination.TIME_LOSS]
    assert late
    assert all("stopped for" in record.detail for record in late)
    assert any(re.search(r"stopped for [1-9]", record.detail) for record in late)
