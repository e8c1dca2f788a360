"""The dialogue over a session that takes its time to stop: what comes before the `bestmove` waits for it."""

import os
from collections.abc import Iterator
from io import BytesIO
from threading import Thread, Timer

import pytest

from engine.board.fen import START_FEN
from protocol import reader
from tests.protocol.fake_session import BUSY, PATIENCE, Table, wait_until


@pytest.fixture
def table() -> Iterator[Table]:
    """A search of its session ends when the test says so, not with `stop`."""
    table = Table()
    table.session.slow = True
    yield table
    table.close()


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("ucinewgame", ["new_game"]),
        ("setoption name Hash value 64", ["resize_table 64"]),
        ("setoption name Eval value linear", ["use_evaluator linear"]),
        ("go depth 1", ["go"]),
        ("ponderhit", ["ponderhit"]),
    ],
)
def test_after_stop_a_command_waits_for_the_bestmove(table: Table, line: str, answers: list[str]) -> None:
    assert table.say("go infinite", "stop", line, "isready") == []
    assert table.session.calls == ["go", "stop"]
    table.session.answer("g1f3")
    assert table.until("readyok") == ["bestmove g1f3", "readyok"]
    assert table.session.calls == ["go", "stop", *answers]


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("d", "Checkers: ?"),
        ("eval", r"Value: \+1.07 pawns, White's point of view"),
        ("go perft 2", "Nodes searched: 400"),
        ("rubbish", "info string unknown command: 'rubbish'"),
        ("setoption name Hash value 0", "info string Hash.*"),
        ("uci", "uciok"),
        ("stop", "readyok"),
    ],
)
def test_after_stop_what_is_said_comes_after_the_bestmove(table: Table, line: str, last: str) -> None:
    assert table.say("go infinite", "stop", line, "isready") == []
    table.session.answer()
    told = table.until(last)
    assert told[0] == "bestmove e2e4"
    assert not any(BUSY in line for line in told)


def test_the_position_and_its_search_wait(table: Table) -> None:
    table.say("go infinite", "stop", "position startpos moves e2e4", "flip", "go infinite", "isready")
    assert table.fen == START_FEN
    table.session.answer()
    assert table.until("readyok") == ["bestmove e2e4", "readyok"]
    assert table.fen == "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert table.say("position startpos") == [f"info string position {BUSY}"]
    table.say("stop")
    table.session.answer("d2d4")
    assert table.heard() == ["bestmove d2d4"]


def test_a_search_that_has_ended_by_itself_is_waited_for(table: Table) -> None:
    table.say("go depth 1")
    table.session.ending = True
    assert table.say("position startpos moves c2c4", "isready") == []
    table.session.answer()
    assert table.until("readyok") == ["bestmove e2e4", "readyok"]
    assert "/2P5/" in table.fen


def test_stop_reaches_a_search_that_has_not_begun(table: Table) -> None:
    table.say("go infinite", "stop", "go infinite", "stop", "position startpos moves b2b4", "isready")
    table.session.answer()
    assert table.session.delivered.is_set()
    wait_for_calls(table, 4)
    assert table.session.calls == ["go", "stop", "go", "stop"]
    assert table.heard() == ["bestmove e2e4"]
    table.session.answer("g1f3")
    assert table.until("readyok") == ["bestmove g1f3", "readyok"]
    assert "/1P6/" in table.fen


def test_a_go_that_waited_was_on_the_clock(table: Table) -> None:
    for line, received_ns in (("go infinite", 1), ("stop", 2), ("go wtime 1000", 3), ("isready", 4)):
        table.uci.receive(line, received_ns)
    assert table.session.started_ns == 1
    table.session.answer()
    table.until("readyok")
    assert table.session.started_ns == 3


def test_what_was_deferred_comes_before_what_waited(table: Table) -> None:
    table.say("go infinite", "setoption name Hash value 2", "stop", "setoption name Hash value 3", "isready")
    table.session.answer()
    table.until("readyok")
    assert table.session.calls[2:] == ["resize_table 2", "resize_table 3"]


@pytest.mark.parametrize("end", [b"quit\nisready\n", b""])
def test_lines_that_wait_when_the_input_ends_are_obeyed(table: Table, end: bytes) -> None:
    """Each `go` has its bestmove, the last one at once."""
    script = b"go infinite\nstop\nposition startpos moves e2e4\ngo infinite\n" + end
    dialogue = Thread(target=table.uci.run, args=(BytesIO(script),))
    dialogue.start()
    wait_for_calls(table, 2)
    table.session.answer("g1f3")
    wait_for_calls(table, 4)
    table.session.answer("e7e5")
    dialogue.join(PATIENCE)
    assert table.heard() == ["bestmove g1f3", "bestmove e7e5"]
    assert table.session.calls == ["go", "stop", "go", "stop", "close"]


def test_quit_is_heard_while_lines_wait(table: Table) -> None:
    """Though the input stays open, and nothing has been answered yet."""
    incoming, outgoing = os.pipe()
    with os.fdopen(incoming, "rb") as stream:
        dialogue = Thread(target=table.uci.run, args=(stream,))
        dialogue.start()
        os.write(outgoing, b"go infinite\nstop\nisready\nunknown word quit\n")
        wait_for_calls(table, 2)
        assert dialogue.is_alive()
        table.session.answer()
        dialogue.join(PATIENCE)
        assert not dialogue.is_alive()
        os.close(outgoing)
    assert table.heard() == ["bestmove e2e4", "readyok"]


def test_so_many_lines_wait_and_no_more(table: Table) -> None:
    """The thread that reads waits then, so that memory stays bounded."""
    table.say("go infinite", "stop")
    client = Thread(target=table.say, args=["isready"] * (2 * reader.MOST_WAITING))
    client.start()
    client.join(0.2)
    assert client.is_alive()
    table.session.answer()
    client.join(PATIENCE)
    assert not client.is_alive()


def test_without_another_thread_reading_waits(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    table.say("go infinite", "stop")
    Timer(0.1, table.session.answer).start()
    monkeypatch.setattr(Thread, "start", fail)
    assert table.say("position startpos moves e2e4", "isready") == ["bestmove e2e4", "readyok"]
    assert "/4P3/" in table.fen


def test_a_job_that_was_stopped_is_waited_for(table: Table) -> None:
    table.say("go perft 12", "position startpos moves e2e4")
    table.heard()
    told = table.say("stop", "position startpos moves d2d4", "bench 30", "stop", "go infinite", "isready")
    told += [line for line in table.until("readyok") if ": " not in line]
    assert told == ["info string perft stopped", "info string bench stopped", "readyok"]
    assert "/3P4/" in table.fen
    assert table.session.calls == ["go"]
    table.session.answer("e7e5")


def wait_for_calls(table: Table, number: int) -> None:
    """Until the session was asked so often."""
    wait_until(lambda: len(table.session.calls) >= number)
