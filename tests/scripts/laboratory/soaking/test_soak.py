"""What disturbs a soak, what it sees, and how it goes on after it was killed. Its engines are scripted."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner, Result

from scripts.laboratory.engine_pipe import NS_PER_MS
from scripts.laboratory.matches.record import FinishedGame, Termination, Usage
from scripts.laboratory.matches.time_control import MatchTimeControl, Pace
from scripts.laboratory.soaking import slow_pipe
from scripts.laboratory.soaking.conditions import (
    Condition,
    Disturbance,
    Pulse,
    SoakPlan,
    SoakTerms,
    Stalls,
    all_conditions,
    busy_programs,
    stall_plan,
)
from scripts.laboratory.soaking.soak import Health, SoakGame
from scripts.laboratory.soaking.soak_command import soak
from scripts.laboratory.soaking.soak_report import SoakRow, is_fault
from tests.protocol.uci.dialogue import Dialogue
from tests.scripts.laboratory.matches.fakes import FAKE_ENGINE
from tests.scripts.laboratory.processes import PATIENCE_SECONDS, end, wait_for_records

ROOT = Path(__file__).parents[4]
SOAK = "from scripts.laboratory.soaking.soak_command import soak; soak()"
STOCKFISH = "/usr/games/stockfish"
CALM = Disturbance.parse("calm")
ALONE = Condition("self", 1, "standard", False, CALM)
PLAIN = ("--threads", "1", "--variants", "standard", "--ponder", "off", "--opponents", "self")


def fake(manner: str) -> str:
    """The command of a scripted engine."""
    return f"{sys.executable} {FAKE_ENGINE} {manner}"


def arguments(record: Path, manner: str, *words: str) -> list[str]:
    """A command line of short games of scripted engines; later words win."""
    usual = ["--engine", fake(manner), "--stockfish", fake("legal"), "--max-moves", "4", "--block", "2"]
    return ["--record", str(record), *usual, *PLAIN, "--disturbances", "calm", "--stall", "1", *words]


def run(record: Path, manner: str, *words: str) -> Result:
    """Let a soak run to its end."""
    return CliRunner().invoke(soak, arguments(record, manner, *words), terminal_width=200)


def games(record: Path) -> list[SoakGame]:
    """What is on record."""
    lines = record.read_text().splitlines()[1:]
    return [SoakGame.from_json(json.loads(line)) for line in lines]


# The plan


def test_all_conditions_have_their_turn() -> None:
    disturbances = [CALM, Disturbance.parse("busy=3"), Disturbance.parse("stalls=20-300")]
    conditions = all_conditions(("self", "stockfish"), (1, 2), ("standard",), (False, True), disturbances, 1)
    assert len(set(conditions)) == 2 * 2 * 2 * 3
    plan = SoakPlan(conditions, games=100, block=4)
    played = [(condition, number) for condition, numbers in plan.blocks() for number in numbers]
    assert [number for _, number in played] == list(range(100))
    assert all(plan.condition(number) == condition for condition, number in played)
    assert {condition for condition, _ in played} == set(conditions)


@pytest.mark.parametrize("text", ["", "calm=1", "stalls", "stalls=300-20", "stalls=x-y", "slow", "busy=-1"])
def test_disturbances_that_make_no_sense(text: str) -> None:
    with pytest.raises(ValueError, match="is not a disturbance"):
        Disturbance.parse(text)


def test_a_condition_becomes_the_rules_of_its_games() -> None:
    pace = Pace(MatchTimeControl.parse("3+0.03"))
    terms = SoakTerms(("lolli", "uci"), ("fish",), pace, 30 * NS_PER_MS, 10, 3, 200, 1)
    slow = Condition("stockfish", 4, "chess960", True, Disturbance.parse("slow=7"))
    rules = terms.rules(slow)
    assert rules.chess960
    assert [engine.name for engine in rules.engines] == ["Lolli", "Stockfish"]
    for engine, command in zip(rules.engines, (("lolli", "uci"), ("fish",)), strict=True):
        assert engine.ponders
        assert dict(engine.options)["Threads"] == "4"
        assert engine.command == slow_pipe.command(7, command)
        assert engine.margin == 30 * NS_PER_MS
    assert slow.demand == 8
    assert terms.rules(ALONE).engines[1].command == ("lolli", "uci")


# The disturbances


@pytest.fixture
def sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"], start_new_session=True)


def is_stopped(process: subprocess.Popen[bytes]) -> bool:
    return bool(psutil.Process(process.pid).status() == psutil.STATUS_STOPPED)


def wait_until_stopped(process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_stopped(process):
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_stalls_stop_and_continue_processes(sleeper: subprocess.Popen[bytes]) -> None:
    try:
        with Stalls([sleeper.pid], [(0.01, 0.05), (0.01, 0.05), (0.01, 60.0)]) as stalls:
            while len(stalls.stops) < 2:
                time.sleep(0.001)
            wait_until_stopped(sleeper)
        assert not is_stopped(sleeper)
    finally:
        sleeper.kill()
        sleeper.wait()
    assert len(stalls.stops) == 3
    first, second, _ = stalls.stops
    assert first[1] - first[0] >= 50 * NS_PER_MS
    assert stalls.within(first[0], second[1]) == first[1] - first[0] + second[1] - second[0]
    assert stalls.within(first[0] + 10, first[0] + 30) == 20
    assert stalls.within(first[1], second[0]) == 0


def test_stalls_outlive_the_end_of_a_process(sleeper: subprocess.Popen[bytes]) -> None:
    sleeper.kill()
    sleeper.wait()
    with Stalls([sleeper.pid], [(0.0, 0.001)] * 5) as stalls:
        while len(stalls.stops) < 5:
            time.sleep(0.001)


def test_stalls_are_planned_by_the_seed() -> None:
    plans = [stall_plan(seed, number, (20, 300), 2.0) for seed, number in ((1, 1), (1, 1), (2, 1), (1, 2))]
    first, again, *others = [[next(plan) for _ in range(1000)] for plan in plans]
    assert first == again
    assert all(other != first for other in others)
    waits, lengths = zip(*first, strict=True)
    assert 1.7 < sum(waits) / 1000 < 2.3
    assert 0.02 <= min(lengths) < 0.03
    assert 0.29 < max(lengths) <= 0.3


def test_busy_programs_are_busy_until_the_end() -> None:
    before = set(psutil.Process().children())
    with busy_programs(2):
        programs = [child for child in psutil.Process().children() if child not in before]
        assert len(programs) == 2
        deadline = time.monotonic() + PATIENCE_SECONDS
        while any(program.cpu_times().user < 0.1 for program in programs):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert not any(program.is_running() for program in programs)


@pytest.mark.alone
def test_a_pulse_notices_that_it_had_to_wait() -> None:
    with Pulse() as pulse:
        time.sleep(0.02)
        calm = pulse.longest
        began = time.monotonic_ns()
        pow(7, 3_000_000)  # keeps the interpreter lock all the time
        took = time.monotonic_ns() - began
        time.sleep(0.02)
    assert took > 20 * NS_PER_MS
    assert max(calm, took / 2) < pulse.longest < 2 * took + 100 * NS_PER_MS


def test_a_slow_pipe_passes_everything_on_but_late() -> None:
    with Dialogue(slow_pipe.command(40, (sys.executable, str(FAKE_ENGINE)))) as engine:
        engine.send("uci")
        engine.expect("uciok")
        began = time.monotonic()
        for _ in range(20):
            assert engine.ask() == []
        assert time.monotonic() - began > 20 * 0.02
        engine.send("go", "quit")
        assert engine.rest()[-1].startswith("bestmove ")
    assert engine.process.returncode == 0


# What it sees


def record_of(number: int, ending: Termination = Termination.CHECKMATE, result: str = "1-0") -> FinishedGame:
    return FinishedGame(number, result, ending, "", 60, (Usage(overrun=5), Usage(overrun=9)))


def after(life: str, resident: int = 1, descriptors: int = 5, threads: int = 2) -> Health:
    return Health(life, resident, descriptors, threads)


def test_memory_that_grows_is_told_from_memory_that_fills() -> None:
    filling, leaking = SoakRow(), SoakRow()
    for number in range(20):
        for row, resident in ((filling, min(number, 5)), (leaking, number)):
            health = after("a", resident), after("b")
            row.add(SoakGame(record_of(number), 0, 0, False, 0, health), ALONE)
    assert filling.growth(lambda health: health.resident) == 0
    assert leaking.growth(lambda health: health.resident) == 10
    assert leaking.most(lambda health: health.resident) == 19
    assert leaking.growth(lambda health: health.threads) == 0


@pytest.mark.parametrize(
    ("opponent", "result", "ending", "stopped", "fault"),
    [
        ("self", "1-0", Termination.CRASH, 0, True),
        ("self", "0-1", Termination.TIME_LOSS, 0, True),
        ("self", "0-1", Termination.TIME_LOSS, 5, False),
        ("self", "0-1", Termination.ILLEGAL_MOVE, 5, True),
        ("self", "1-0", Termination.CHECKMATE, 0, False),
        ("stockfish", "0-1", Termination.STALL, 0, True),
        ("stockfish", "1-0", Termination.STALL, 0, False),
    ],
)
def test_whose_fault_it_is(
    opponent: str, result: str, ending: Termination, stopped: int, fault: bool
) -> None:
    condition = Condition(opponent, 1, "standard", False, CALM)
    game = SoakGame(record_of(0, ending, result), 1, stopped, False, 0, (after("a"), after("b")))
    assert is_fault(game, condition) == fault
    row = SoakRow()
    row.add(game, condition)
    assert row.overrun == (9 if opponent == "self" else 5)


def test_a_game_survives_being_on_record() -> None:
    game = SoakGame(record_of(3), 2, 7, True, 9, (after("a"), None))
    assert SoakGame.from_json(json.loads(json.dumps(game.to_json()))) == game


def test_health_counts_what_a_process_and_its_children_hold(sleeper: subprocess.Popen[bytes]) -> None:
    try:
        alone = Health.of(sleeper.pid)
        together = Health.of(os.getpid())
    finally:
        sleeper.kill()
        sleeper.wait()
    assert alone is not None
    assert together is not None
    assert alone.threads == 1
    assert alone.descriptors >= 3
    assert together.resident > alone.resident > 0
    assert together.life != alone.life
    assert Health.of(sleeper.pid) is None


# Whole soaks


def test_a_soak_under_several_conditions(tmp_path: Path) -> None:
    words = ["--opponents", "stockfish", "--variants", "chess960", "--ponder", "on", "--games", "8"]
    words += ["--disturbances", "calm,busy=1,slow=5,stalls=10-20", "--stops", "200000"]
    # The clock is not what is tried here: a scripted engine may need a tenth of a second for a move.
    outcome = run(tmp_path / "soak.jsonl", "legal", *words, "--tc", "60+1")
    assert outcome.exit_code == 0, outcome.output
    played = games(tmp_path / "soak.jsonl")
    assert sorted(game.record.number for game in played) == list(range(8))
    assert all(game.record.plies == 8 and None not in game.health for game in played)
    # A game of a scripted engine may be over before the first stall.
    assert len({game.record.number // 2 for game in played if game.stops}) == 1
    for name in ("calm", "1 programs a processor", "pipes slow by 0 to 5 ms", "stalls of 10 to 20 ms", "all"):
        assert f"\n {name} " in outcome.output
    assert "All games: against Stockfish, 1 thread, Chess960, pondering" in outcome.output


@pytest.mark.parametrize(
    ("manner", "ending", "words"),
    [
        ("illegal", Termination.ILLEGAL_MOVE, []),
        ("crash", Termination.CRASH, []),
        ("silent", Termination.STALL, []),
        ("late", Termination.TIME_LOSS, ["--margin", "0"]),
    ],
)
def test_what_goes_wrong_is_seen_and_told(
    tmp_path: Path, manner: str, ending: Termination, words: list[str]
) -> None:
    record = tmp_path / "soak.jsonl"
    outcome = run(record, manner, "--opponents", "stockfish", "--games", "2", *words)
    assert outcome.exit_code == 1, outcome.output
    assert [game.record.ending for game in games(record)] == [ending, ending]
    assert "Lolli forfeits by " + ending.value in outcome.output
    for game in games(record):
        assert game.health[0] is None
        assert game.health[1] is not None
        assert game.record.usage[0].overrun > 0 or ending is not Termination.TIME_LOSS


def test_faults_of_the_opponent_are_not_ours(tmp_path: Path) -> None:
    words = ("--opponents", "stockfish", "--games", "2", "--stockfish", fake("crash"))
    outcome = run(tmp_path / "soak.jsonl", "legal", *words)
    assert outcome.exit_code == 0, outcome.output
    assert "Stockfish forfeits by crash" in outcome.output


def test_who_is_stopped_for_longer_than_the_clock_allows_has_lost_without_fault(tmp_path: Path) -> None:
    record = tmp_path / "soak.jsonl"
    words = ("--games", "2", "--tc", "0.2", "--disturbances", "stalls=400-500", "--stops", "20")
    outcome = run(record, "legal", *words, "--max-moves", "100")
    assert outcome.exit_code == 0, outcome.output
    for game in games(record):
        assert game.record.ending is Termination.TIME_LOSS
        assert game.hopeless
        assert game.stopped > 200 * NS_PER_MS
    assert "2 (2)" in outcome.output


@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_soak_that_was_killed_goes_on(tmp_path: Path, how: signal.Signals) -> None:
    record = tmp_path / "soak.jsonl"
    words = arguments(record, "legal", "--games", "10", "--block", "10", "--disturbances", "busy=1")
    process = subprocess.Popen(
        [sys.executable, "-c", SOAK, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    wait_for_records(record, 3)
    end(process, how)
    before = games(record)
    assert 3 <= len(before) < 10

    outcome = run(record, "legal", "--games", "10", "--block", "10", "--disturbances", "busy=1")
    assert outcome.exit_code in {0, 1}, outcome.output  # a scripted engine may be late on a busy machine
    assert games(record)[: len(before)] == before
    assert sorted(game.record.number for game in games(record)) == list(range(10))


def test_the_record_of_another_soak_is_left_alone(tmp_path: Path) -> None:
    record = tmp_path / "soak.jsonl"
    assert run(record, "legal", "--games", "2").exit_code == 0
    before = record.read_bytes()
    outcome = run(record, "legal", "--games", "2", "--tc", "9+1")
    assert outcome.exit_code == 2
    assert "belongs to another run" in outcome.output
    assert record.read_bytes() == before
    longer = run(record, "legal", "--games", "4")
    assert longer.exit_code == 0, longer.output
    assert record.read_bytes().startswith(before)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--block", "3"], "must be even"),
        (["--tc", "fast"], "not a time control"),
        (["--opponents", "nobody"], "'nobody' is not one of self, stockfish"),
        (["--threads", "0"], "not a number of threads"),
        (["--disturbances", "calm,noise"], "'noise' is not a disturbance"),
    ],
)
def test_command_lines_that_make_no_sense(tmp_path: Path, words: list[str], reason: str) -> None:
    outcome = run(tmp_path / "soak.jsonl", "legal", *words)
    assert outcome.exit_code == 2
    assert reason in outcome.output
    assert not (tmp_path / "soak.jsonl").exists()


@pytest.mark.alone
@pytest.mark.timeout(1200)
def test_lolli_stands_a_minute_of_all_this(tmp_path: Path) -> None:
    """Losses on time are for a machine to judge that does nothing else; here none may be by much."""
    record = tmp_path / "soak.jsonl"
    words = ["--record", str(record), "--games", "40", "--block", "4", "--threads", "1,2"]
    words += ["--disturbances", "calm,busy,slow=5,stalls=20-60"]
    words += (
        [] if Path(STOCKFISH).exists() or "LOLLI_REQUIRE_STOCKFISH" in os.environ else ["--opponents", "self"]
    )
    outcome = CliRunner().invoke(soak, words)
    played = games(record)
    assert len(played) == 40, outcome.output
    endings = Counter(game.record.ending for game in played)
    for fault in (Termination.CRASH, Termination.ILLEGAL_MOVE, Termination.STALL):
        assert not endings[fault], outcome.output
    assert max(used.overrun for game in played for used in game.record.usage) < 500 * NS_PER_MS, (
        outcome.output
    )
    assert any(game.stops for game in played)
