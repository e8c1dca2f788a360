"""Lines, clocks, the session and the dialogue of GTP, with a searcher that does what the test says."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from threading import Thread
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.catalogue import Rules, game
from engine.games.rules.game import State
from engine.games.search.basics import Counts, Decision, SearchLimits, Tried
from engine.games.search.monte_carlo import sampled
from protocol import reader
from protocol.gtp.commands import COMMANDS, answer
from protocol.gtp.dialogue import GtpDialogue
from protocol.gtp.match import (
    RESERVE,
    SHORTEST,
    Clock,
    TimeControl,
    clock_after,
    full_clock,
    moves_to_go,
    seconds_for_move,
)
from protocol.gtp.parser import Request, failure, is_interrupt, parse, success
from protocol.gtp.session import GtpSession, is_hopeless
from protocol.writer import Writer
from tests.patience import PATIENCE
from tests.protocol.gtp.client import GtpAnswer, read
from tests.protocol.gtp.fake_searcher import NAME, FakePlayer, fake_searcher


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("play b E5", Request("", "play", ("b", "E5"))),
        ("  12\tplay  b\tE5  # a comment # of two", Request("12", "play", ("b", "E5"))),
        ("genmove b#at once", Request("", "genmove", ("b",))),
        ("\x00na\x07me\x7f\r", Request("", "name")),
        ("007 name", Request("007", "name")),
        ("9" * 5000 + " name", Request("9" * 5000, "name")),
        ("12", Request("12", "")),
        ("12x", Request("", "12x")),
        ("-1 name", Request("", "-1", ("name",))),
        ("\u0663 name", Request("", "\u0663", ("name",))),
        ("loadsgf Zoë.sgf", Request("", "loadsgf", ("Zoë.sgf",))),
    ],
)
def test_requests(line: str, wanted: Request) -> None:
    assert parse(line) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [("#interrupt", True), ("  #  interrupt  ", True), ("name # interrupt", False), ("# interrupted", False)],
)
def test_interrupt(line: str, wanted: bool) -> None:
    assert is_interrupt(line) == wanted
    assert (parse(line) is None) == (wanted or line.startswith("#"))


@given(st.text(), st.booleans())
def test_no_text_forges_the_end_of_an_answer(text: str, good: bool) -> None:
    *told, end = success("3", text) if good else failure("3", text)
    assert end == ""
    assert all(told)
    assert told[0][:2] in ("=3", "?3")
    assert not any("\n" in line or "\r" in line for line in told)


@given(st.text())
def test_any_line_can_be_parsed(line: str) -> None:
    request = parse(line)
    if request is not None:
        assert all(word and not word.isspace() for word in request.arguments)
        assert not request.id or request.id.isdigit()


class ByoYomiReferee:
    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self.main = control.main
        self.period, self.stones = control.byo_yomi, control.stones

    def moved(self, seconds: float) -> bool:
        if self.main > 0 and seconds < self.main:
            self.main -= seconds
            return True
        seconds -= self.main
        self.main = 0
        if not self.stones or seconds > self.period:
            return False
        self.period -= seconds
        self.stones -= 1
        if self.stones == 0:
            self.period, self.stones = self._control.byo_yomi, self._control.stones
        return True


CONTROLS = st.builds(
    TimeControl,
    st.integers(0, 100).map(float),
    st.integers(1, 60).map(float),
    st.integers(1, 25),
) | st.builds(TimeControl, st.integers(10, 1000).map(float))


@given(CONTROLS, st.integers(1, 200))
def test_a_game_never_loses_on_time(control: TimeControl, length: int) -> None:
    """Where each move takes as long as it may, and a tenth of the shortest more."""
    clock, referee = full_clock(control), ByoYomiReferee(control)
    for number in range(length):
        allowed = seconds_for_move(clock, control, max(8, length - number))
        spent = allowed + min(RESERVE, allowed) / 10
        assert referee.moved(spent), f"move {number}, {clock}"
        clock = clock_after(clock, control, spent)


@given(CONTROLS, st.lists(st.floats(0, 5), max_size=60))
def test_our_clock_is_the_referee_s(control: TimeControl, times: list[float]) -> None:
    clock, referee = full_clock(control), ByoYomiReferee(control)
    for seconds in times:
        if not referee.moved(seconds):
            break
        clock = clock_after(clock, control, seconds)
        in_main = referee.main > 0 or not control.stones
        expected = (referee.main, 0) if in_main else (referee.period, referee.stones)
        assert clock.left == pytest.approx(expected[0], abs=1e-6)
        assert clock.stones == expected[1]


@given(CONTROLS, st.floats(0, 100), st.integers(0, 30), st.integers(-5, 500))
def test_a_move_never_takes_more_than_there_is(
    control: TimeControl, left: float, stones: int, to_go: int
) -> None:
    seconds = seconds_for_move(Clock(left, stones), control, to_go)
    assert SHORTEST <= seconds <= max(SHORTEST, left + (0 if stones else control.seconds_per_stone))


def test_shares() -> None:
    assert seconds_for_move(Clock(100.0), TimeControl(100.0), 50, 0.5) == pytest.approx(1.5)
    assert seconds_for_move(Clock(10.0, 5), TimeControl(0.0, 10.0, 5), 50, 0.5) == pytest.approx(1.5)
    assert seconds_for_move(Clock(100.0), TimeControl(100.0, 30.0, 10), 50, 0.5) == pytest.approx(4.5)
    assert seconds_for_move(Clock(0.0), TimeControl(0.0), 50) == SHORTEST


@pytest.mark.parametrize("length", [250, 330, 400, 473])
def test_late_moves_of_go_have_time_to_think(length: int) -> None:
    """On 19 lines with 20 s a side, 10 ms lost with each move, where a game lasts longer than most do.

    A game of 473 moves had 185 empty points after 200 moves, and 88 at its end.
    """
    control = TimeControl(20.0)
    clock, allowed = full_clock(control), []
    for played in range(0, length, 2):
        empty = max(361 - played, 185 - 97 * (played - 200) // 273)
        allowed.append(seconds_for_move(clock, control, moves_to_go("go", 2, played, empty)))
        clock = clock_after(clock, control, allowed[-1] + 0.01)
    assert min(allowed) >= 0.05
    assert clock.left > 0.5
    assert max(allowed) < 0.3


@pytest.fixture
def players(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[FakePlayer]]:
    with fake_searcher(monkeypatch) as made:
        yield made


@pytest.fixture
def session(players: list[FakePlayer]) -> GtpSession:
    del players
    made = GtpSession(Rules("tictactoe"))
    made.player.use(NAME, {})
    return made


def say(session: GtpSession, line: str) -> GtpAnswer:
    request = parse(line)
    assert request is not None
    return read(answer(session, request))


def test_the_searcher_hears_of_another_komi() -> None:
    session = GtpSession(Rules("go"))
    assert say(session, "komi 0.5").good
    assert session.player.game.komi == session.game.komi == 0.5


def test_a_search_that_breaks_down_is_told_and_a_legal_move_played(
    session: GtpSession, players: list[FakePlayer], capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(_state: object) -> Decision:
        raise RuntimeError("no idea")

    players[-1].choice = fail
    assert say(session, "genmove b") == GtpAnswer(True, "", "A1")
    errors = capfd.readouterr().err
    assert errors.startswith("lolli: the search failed: RuntimeError: no idea (")
    assert errors.count("\n") == 1
    assert say(session, "play w B2").good


def test_an_error_of_ours_is_an_answer(
    session: GtpSession, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(_moves: int) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(session.match, "undo", fail)
    assert say(session, "5 undo") == GtpAnswer(False, "5", "internal error: ZeroDivisionError: oh")
    assert capfd.readouterr().err.startswith("lolli: internal error: ZeroDivisionError: oh (")


def test_the_clock_becomes_a_limit(session: GtpSession, players: list[FakePlayer]) -> None:
    for settings, least, most in (("0 10 1", 9, 10), ("80 0 0", 5, 10), ("0 10 5", 1, 2), ("0 0 0", 0, 0.01)):
        assert say(session, "clear_board").good
        assert say(session, f"time_settings {settings}").good
        assert say(session, "genmove b").good
        limits = players[-1].limits[-1]
        assert limits.seconds is not None
        assert least <= limits.seconds <= most


@pytest.mark.parametrize(
    ("mean", "visits", "answer"),
    [(-0.95, 500, "resign"), (-0.85, 500, "A1"), (-1.0, 200, "A1"), (1.0, 500, "A1")],
)
def test_resigns_where_hope_is_gone(players: list[FakePlayer], mean: float, visits: int, answer: str) -> None:
    session = GtpSession(Rules("tictactoe"), resign_below=0.05)
    session.player.use(NAME, {})
    move = session.game.parse(session.match.state, "A1")
    players[-1].choice = lambda _state: Decision(
        move, mean, counts=Counts(playouts=2 * visits), tried=(Tried(move, visits, mean),) * 2
    )
    for line in ("time_settings 0 10 1", "genmove b"):
        told = say(session, line)
    assert told.text == answer
    assert len(session.match.played) == (answer != "resign")


@pytest.mark.parametrize(
    ("between", "resigned"),
    [
        ([""] * 5, 5),
        (["", "", "+"], None),
        (["", "", "undo"], None),
        (["", "komi 6.5"], None),
        (["", "", "", "search-level 3"], None),
        (["", "", "clear_board"], None),
    ],
)
def test_small_searches_give_up_together(
    players: list[FakePlayer], between: list[str], resigned: int | None
) -> None:
    """With 90 playouts a move it takes six moves in a row, of the player's own, in one game by one player.

    The visits of a tree that was kept are more.
    """
    session = GtpSession(Rules.named("go", None, {}), 9, resign_below=0.05)
    session.player.use(NAME, {})
    means: list[float] = []

    def decided(state: State) -> Decision:
        move = state.moves()[0]
        return Decision(move, 0.0, counts=Counts(playouts=90), tried=(Tried(move, 900, means[-1]),))

    players[-1].choice = decided
    told = []
    for said in [*between, *[""] * (5 - len(between)), ""]:
        means.append(0.0 if said == "+" else -1.0)
        told.append(say(session, "genmove b").text)
        means.append(1.0)
        say(session, "genmove w")
        if len(said) > 1:
            assert say(session, said).good
            if said.startswith("search-level"):
                session.player.use(NAME, {})
            players[-1].choice = decided
    assert [i for i, text in enumerate(told) if text == "resign"] == ([] if resigned is None else [resigned])


def test_the_value_of_a_move_that_is_played_instead_counts() -> None:
    """A pass that wins, though the search gives its own move no chance."""
    go, lost = Rules("go").game(), -1.0
    decision = Decision(40, lost, tried=(Tried(40, 900, lost),))
    assert is_hopeless(go, decision, 0.05)
    assert not is_hopeless(go, replace(decision, move=0, value=1.0), 0.05)


def test_no_clock_no_limit(session: GtpSession, players: list[FakePlayer]) -> None:
    for line in ("genmove b", "time_settings 0 1 0", "genmove w", "time_left b 1 0", "genmove b"):
        assert say(session, line).good
    assert players[-1].limits == [SearchLimits()] * 3


def test_time_left_is_believed(session: GtpSession, players: list[FakePlayer]) -> None:
    for line in ("time_settings 1000 0 0", "time_left b 16 0", "genmove b", "time_left w 3 1", "genmove w"):
        assert say(session, line).good
    (black, white) = [limits.seconds for limits in players[-1].limits]
    assert black is not None
    assert white is not None
    assert 1 < black <= 2
    assert 2 < white <= 3


@pytest.mark.parametrize(
    ("line", "control", "after"),
    [
        ("time_settings 0.5 2.5 1", TimeControl(0.5, 2.5, 1), Clock(9, 1)),
        ("kgs-time_settings none", None, None),
        ("kgs-time_settings absolute 600", TimeControl(600), Clock(9, 5)),
        ("kgs-time_settings canadian 600 30.5 10", TimeControl(600, 30.5, 10), Clock(9, 5)),
        ("kgs-time_settings byoyomi 600 30 5", TimeControl(600, 30, 1), Clock(9, 1)),  # 5 periods are left
        ("kgs-time_settings byoyomi 600 30 0", TimeControl(600), Clock(9, 5)),
    ],
)
def test_time_settings(
    session: GtpSession, line: str, control: TimeControl | None, after: Clock | None
) -> None:
    assert say(session, line).good
    assert session.control == control
    assert say(session, "time_left b 9 5").good
    assert session.clocks.get(0) == after


def test_a_forecast_is_on_the_clock_and_its_error_an_answer(
    players: list[FakePlayer], monkeypatch: pytest.MonkeyPatch
) -> None:
    del players
    session = GtpSession(Rules("go"), 5)
    session.player.use(NAME, {})
    monkeypatch.setattr(session.game, "forecast", lambda _state: time.sleep(0.3))
    for line in ("time_settings 100 0 0", "cgos-genmove_analyze b"):
        assert say(session, line).good
    assert session.clocks[0].left <= 99.7

    def fail(_state: State) -> None:
        raise RuntimeError("oh")

    monkeypatch.setattr(session.game, "forecast", fail)
    for command in ("kata-analyze", "kata-genmove_analyze", "cgos-genmove_analyze"):
        assert not say(session, f"{command} b allow b A1 1").good


def test_a_search_that_fails_plays_none_that_is_avoided_or_harmful(players: list[FakePlayer]) -> None:
    """Black's eyes are A1 and A5."""
    session = GtpSession(Rules("go"), 5)
    session.player.use(NAME, {})
    for row in range(1, 6):
        for line in (f"play b {'A' if row in {2, 3, 4} else 'B'}{row}", f"play w C{row}", f"play b B{row}"):
            say(session, line)
    refused = say(session, "lz-genmove_analyze b allow b A1,A5 1")
    assert refused == GtpAnswer(False, "", "no sensible move is left to search")

    def fail(_state: State) -> Decision:
        raise RuntimeError("oh")

    players[-1].choice = fail
    for keys, move in (("", "D1"), (" avoid b D1,E1 1", "D2"), (" allow b A1,E5 1", "E5")):
        assert say(session, f"lz-genmove_analyze b{keys}").text.endswith(f"play {move}")
        say(session, "undo")
        say(session, "play w pass")


def test_what_a_move_took_is_off_the_clock(session: GtpSession, players: list[FakePlayer]) -> None:
    def think(state: State) -> Decision:
        time.sleep(0.3)
        return Decision(state.moves()[0])

    players[-1].choice = think
    for line in ("time_settings 100 0 0", "genmove b"):
        assert say(session, line).good
    assert 40 < session.clocks[0].left <= 99.7
    assert session.clocks[1].left == 100


def test_limits_of_the_user_hold_beside_the_clock(session: GtpSession, players: list[FakePlayer]) -> None:
    for line in ("search-limits depth=3 seconds=2", "genmove b", "time_settings 0 1 1", "genmove w"):
        assert say(session, line).good
    first, second = players[-1].limits
    assert first.depth == 3
    assert first.seconds is not None
    assert 1 < first.seconds <= 2
    assert second.depth == 3
    assert second.seconds is not None
    assert second.seconds < 1


def test_a_level_s_limits_hold_unless_it_was_nobody_s_choice(session: GtpSession) -> None:
    session.set_game(Rules("tictactoe"))
    player = session.player
    top = player.levels[-1]
    assert player.limits_within(None) == top.limits
    assert player.limits_within(5.0) == SearchLimits(seconds=5.0)
    player.use_level(len(player.levels) - 1)
    chosen = player.levels[-2].limits
    assert player.limits_within(None) == chosen
    assert player.limits_within(5.0) == SearchLimits(5.0, chosen.depth, chosen.nodes, chosen.playouts)


def test_limits_of_the_user_hold_beside_a_level_s(session: GtpSession) -> None:
    session.set_game(Rules("othello"))
    player = session.player
    levels = {level.limits.playouts: level for level in player.levels}
    player.use_level(levels[300].number)
    for limits, playouts in (("playouts=100", 100), ("playouts=1000", 300), ("none", 300)):
        assert say(session, f"search-limits {limits}").good
        assert player.limits_within(None) == SearchLimits(playouts=playouts)
    assert say(session, "search-limits seconds=2").good
    assert player.limits_within(None) == SearchLimits(seconds=2, playouts=300)
    assert player.limits_within(1.0) == SearchLimits(seconds=1, playouts=300)


def test_an_analysis_that_is_over_before_it_began_is_short(
    session: GtpSession, players: list[FakePlayer]
) -> None:
    assert say(session, "lz-analyze b 1000").text.startswith("\ninfo move A1 ")
    (limits,) = players[-1].limits
    assert limits.seconds is not None
    assert limits.seconds <= 0.1


def test_reg_genmove_asks_somebody_new_each_time(session: GtpSession, players: list[FakePlayer]) -> None:
    before = len(players)
    assert [say(session, "reg_genmove b").text for _ in range(3)] == ["A1"] * 3
    assert len(players) == before + 3
    assert len({player.seed for player in players}) == 1
    assert session.match.played == []


@pytest.mark.parametrize(
    "line",
    [
        *("boardsize 4", "boardsize", "set_game nothing", "set_game virus size=0", "set_game tree (1,2"),
        *(
            "set_game go komi=x",
            "set_game nim players=9",
            "set_game tictactoe XXX",
            "play b Z9",
            "play b B2 C3",
        ),
        *("play p3 A1", "genmove dice", "undo", "loadsgf /no/such", "fixed_handicap 2", "search-level 99"),
        *("search-algorithm nobody", "search-algorithm alphabeta depth=x", "search-limits depth=-1"),
        *("kgs-time_settings", "kgs-time_settings byoyomi 1 2", "kgs-time_settings none 1", "printsgf"),
        *("time_settings 1 2", "time_settings -1 0 0", "time_left dice 1 0", "final_status_list hungry"),
        *("set_game backgammon moves", "search-limits seconds=nan", "search-limits x=1", "xyzzy", "1 2"),
    ],
)
def test_what_fails_changes_nothing(session: GtpSession, line: str) -> None:
    say(session, "search-limits depth=2")
    player, match, rules = session.player, session.match, session.rules
    state, limits, searcher = match.state, player.limits, player.searcher
    refused = say(session, line)
    assert not refused.good
    assert refused.text
    assert "internal" not in refused.text
    assert (session.match, session.player, session.rules) == (match, player, rules)
    assert (match.state, player.limits, player.searcher) == (state, limits, searcher)
    assert match.played == []


def test_every_command_refuses_too_many_arguments(session: GtpSession) -> None:
    for name, command in COMMANDS.items():
        if command.most < 100:
            assert say(session, name + " x" * (command.most + 1)) == GtpAnswer(False, "", "syntax error")


class Running:
    """A dialogue at work: a pipe into it, and its answers."""

    def __init__(self, session: GtpSession) -> None:
        incoming, self._to = os.pipe()
        self._from, outgoing = os.pipe()
        self._stream: BinaryIO = os.fdopen(incoming, "rb")
        self._answers = os.fdopen(self._from, "r", encoding="utf-8")
        self._out = outgoing
        self.dialogue = GtpDialogue(session, Writer(outgoing))
        self._thread = Thread(target=self.dialogue.run, args=(self._stream,))
        self._thread.start()

    def send(self, text: str) -> None:
        os.write(self._to, text.encode())

    def search(self, player: FakePlayer, text: str) -> None:
        player.waits = True
        self.send(text)
        assert player.thinking.wait(PATIENCE)

    def answer(self) -> GtpAnswer:
        lines: list[str] = []
        while not lines or lines[-1]:
            lines.append(self._answers.readline().rstrip("\n"))
        return read(lines)

    def hang_up(self) -> None:
        os.close(self._to)

    def end(self) -> None:
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        os.close(self._out)
        self._stream.close()
        self._answers.close()


def test_interrupt_stops_what_was_asked_before_it(session: GtpSession, players: list[FakePlayer]) -> None:
    running, player = Running(session), players[-1]
    running.search(player, "1 genmove b\n")
    running.send("# interrupt\n")
    assert running.answer() == GtpAnswer(True, "1", "A1")
    player.thinking.clear()
    running.send("2 genmove w\n3 name\n# interrupt\n")
    assert running.answer() == GtpAnswer(True, "2", "B1")
    assert running.answer().id == "3"
    running.send("# interrupt\nquit\n")
    assert running.answer().good
    running.end()
    running.hang_up()


def test_lines_during_a_search_wait(session: GtpSession, players: list[FakePlayer]) -> None:
    running, player = Running(session), players[-1]
    running.search(player, "1 genmove b\n2 rubbish\n3 undo\n\n4 genmove b\n")
    time.sleep(0.05)
    assert len(player.limits) == 1
    running.hang_up()
    time.sleep(0.05)
    assert len(player.limits) == 1
    player.waits = False
    player.stop()
    answers = [running.answer() for _ in range(4)]
    assert [each.id for each in answers] == ["1", "2", "3", "4"]
    assert [each.good for each in answers] == [True, False, True, True]
    running.end()


def test_few_lines_wait(
    session: GtpSession, players: list[FakePlayer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the thread that reads waits, so that memory stays bounded."""
    monkeypatch.setattr(reader, "MOST_WAITING", 1000)
    running, player = Running(session), players[-1]
    running.search(player, "genmove b\n" + "name\n" * 100)
    time.sleep(0.05)
    assert running.dialogue._received < 20
    player.stop()
    assert [running.answer().good for _ in range(101)] == [True] * 101
    running.hang_up()
    running.end()


def test_the_dice_fall_as_often_as_they_should() -> None:
    start = game("backgammon").start()
    state = start.play(31).play(start.play(31).moves()[0])
    draws = iter(range(36))

    class Draws(Random):
        def random(self) -> float:
            return (next(draws) + 0.5) / 36

    rolls = Counter(sampled(state, Draws()) for _ in range(36))
    assert rolls == {move: round(36 * chance) for move, chance in state.chances()}


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_no_error_ends_the_dialogue(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    """A search in a file may raise any."""

    def fail(*_: object) -> Decision:
        raise error

    monkeypatch.setattr(FakePlayer, "_choose", fail)
    with fake_searcher(monkeypatch):
        session = GtpSession(Rules("tictactoe"))
        session.player.use(NAME, {})
        told = answer(session, Request("7", "genmove", ("b",)))
        assert told[0] == f"?7 internal error: {error.__name__}"
