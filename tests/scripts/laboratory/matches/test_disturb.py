"""What disturbs the engines of a match, and that the games go on. The engines are scripted."""

import subprocess
import sys
import time
from dataclasses import replace

import psutil
import pytest

from scripts.laboratory.engine_pipe import NS_PER_MS
from scripts.laboratory.matches.disturb import Disturbance, Stalls, busy_programs
from scripts.laboratory.matches.record import Termination
from scripts.laboratory.matches.rules import MatchRulesError, MatchTimeControl, Pace, parse_disturbance
from tests.protocol.uci.dialogue import Dialogue
from tests.scripts.laboratory.matches.fakes import FAKE_ENGINE, fake_engine, play_match, short_rules
from tests.scripts.laboratory.processes import PATIENCE_SECONDS

PACE = Pace(MatchTimeControl.parse("3+0.03"))  # two stops of three are 2.8 s apart


def test_disturbances_in_words() -> None:
    assert parse_disturbance([]) == Disturbance()
    words = [("stalls", "20-300"), ("busy", "2"), ("slow", "5")]
    assert parse_disturbance(words) == Disturbance((20, 300), 2, 5)
    for key, value in (("stalls", "300"), ("stalls", "x-y"), ("slow", "1-2"), ("busy", "-1"), ("noise", "1")):
        with pytest.raises(MatchRulesError, match=f"not {key}={value}"):
            parse_disturbance([(key, value)])


def test_stops_depend_on_the_game_and_its_clock() -> None:
    disturbance = Disturbance(stalls=(20, 300))
    plans = [disturbance.stops(number, PACE) for number in (1, 1, 2)]
    first, again, other = [[next(plan) for _ in range(1000)] for plan in plans]
    assert first == again != other
    waits, lengths = zip(*first, strict=True)
    assert 2.5 < sum(waits) / 1000 < 3.1
    assert 0.02 <= min(lengths) < 0.03
    assert 0.29 < max(lengths) <= 0.3
    assert list(Disturbance().stops(1, PACE)) == []
    with pytest.raises(MatchRulesError, match="stalls= needs a tc="):
        replace(short_rules(fake_engine("A", nodes="1"), fake_engine("B")), disturbance=disturbance)


@pytest.fixture
def sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"], start_new_session=True)


def wait_for(condition: object) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_stalls_stop_and_continue_processes(sleeper: subprocess.Popen[bytes]) -> None:
    process = psutil.Process(sleeper.pid)
    try:
        with Stalls([sleeper.pid], [(0.01, 0.05), (0.01, 0.05), (0.01, 60.0)]) as stalls:
            wait_for(lambda: len(stalls._stopped) == 2)
            wait_for(lambda: process.status() == psutil.STATUS_STOPPED)
        assert process.status() != psutil.STATUS_STOPPED
    finally:
        sleeper.kill()
        sleeper.wait()
    first, second, _ = stalls._stopped
    assert first[1] - first[0] >= 50 * NS_PER_MS
    assert stalls.within(first[0], second[1]) == first[1] - first[0] + second[1] - second[0]
    assert stalls.within(first[0] + 10, first[0] + 30) == 20
    assert stalls.within(first[1], second[0]) == 0


def test_stalls_outlive_the_end_of_a_process(sleeper: subprocess.Popen[bytes]) -> None:
    sleeper.kill()
    sleeper.wait()
    with Stalls([sleeper.pid], [(0.0, 0.001)] * 5) as stalls:
        wait_for(lambda: len(stalls._stopped) == 5)


def test_busy_programs_are_busy_until_the_end() -> None:
    before = set(psutil.Process().children())
    with busy_programs(2):
        programs = [child for child in psutil.Process().children() if child not in before]
        assert len(programs) == 2
        wait_for(lambda: all(program.cpu_times().user >= 0.1 for program in programs))
    assert not any(program.is_running() for program in programs)


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


def test_a_match_goes_on_while_it_is_disturbed() -> None:
    rules = short_rules(fake_engine("A"), fake_engine("B"))
    match, records = play_match(replace(rules, disturbance=Disturbance((1, 20), 0, 2)), 2)
    assert match.tally.forfeits == []
    assert len(records) == 2


def test_a_loss_on_time_tells_how_long_the_engines_were_stopped() -> None:
    rules = short_rules(fake_engine("A", tc="0.2"), fake_engine("B", tc="0.2"))
    rules = replace(rules, disturbance=Disturbance(stalls=(400, 500)))
    _, records = play_match(replace(rules, adjudication=replace(rules.adjudication, max_moves=None)), 4)
    late = [record for record in records if record.ending is Termination.TIME_LOSS]
    assert late
    assert all("stopped for" in record.detail for record in late)
