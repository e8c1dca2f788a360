"""The dialogue over a session that takes its time to stop: what comes before the `bestmove` waits for it."""

import os
from collections.abc import Iterator
from io import BytesIO
from threading import Thread, Timer

import pytest

from engine.board.fen import START_FEN
from protocol import reader
from tests.patience import PATIENCE, wait_until
from tests.protocol.uci.fake_session import Conversation


@pytest.fixture
def talk() -> Iterator[Conversation]:
    """A search of its session ends when the test says so, not with `stop`."""
    talk = Conversation()
    talk.session.slow = True
    yield talk
    talk.close()


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
def test_after_stop_a_command_waits_for_the_bestmove(
    talk: Conversation, line: str, answers: list[str]
) -> None:
    assert talk.say("go infinite", "stop", line, "isready") == []
    assert talk.session.calls == ["go", "stop"]
    talk.session.answer("g1f3")
    assert talk.until("readyok") == ["bestmove g1f3", "readyok"]
    assert talk.session.calls == ["go", "stop", *answers]


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("d", "Checkers: ?"),
        ("eval", r"Value: \+1.07 pawns, White's point of view"),
        ("go perft 2", "Nodes searched: 400"),
        ("rubbish", "info string unknown command: 'rubbish'"),
        ("uci", "uciok"),
        ("stop", "readyok"),
    ],
)
def test_after_stop_what_is_said_comes_after_the_bestmove(talk: Conversation, line: str, last: str) -> None:
    assert talk.say("go infinite", "stop", line, "isready") == []
    talk.session.answer()
    assert talk.until(last)[0] == "bestmove e2e4"


def test_the_position_and_its_search_wait(talk: Conversation) -> None:
    talk.say("go infinite", "stop", "position startpos moves e2e4", "flip", "go infinite", "isready")
    assert talk.fen == START_FEN
    talk.session.answer()
    assert talk.until("readyok") == ["bestmove e2e4", "readyok"]
    assert talk.fen == "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    talk.session.answer("d2d4")
    assert talk.heard() == ["bestmove d2d4"]


def test_a_search_that_has_ended_by_itself_is_waited_for(talk: Conversation) -> None:
    talk.say("go depth 1")
    talk.session.ending = True
    assert talk.say("position startpos moves c2c4", "isready") == []
    talk.session.answer()
    assert talk.until("readyok") == ["bestmove e2e4", "readyok"]
    assert "/2P5/" in talk.fen


def test_a_go_that_waited_was_on_the_clock(talk: Conversation) -> None:
    for line, received_ns in (("go infinite", 1), ("stop", 2), ("go wtime 1000", 3), ("isready", 4)):
        talk.uci.receive(line, received_ns)
    assert talk.session.started_ns == 1
    talk.session.answer()
    talk.until("readyok")
    assert talk.session.started_ns == 3


def test_a_ponderhit_that_waited_counts_from_its_arrival(talk: Conversation) -> None:
    for received_ns, line in enumerate(
        ("go infinite", "stop", "go ponder wtime 1000", "ponderhit", "isready")
    ):
        talk.uci.receive(line, received_ns)
    talk.session.answer()
    wait_for_calls(talk, 4)
    assert talk.session.calls == ["go", "stop", "go", "ponderhit"]
    assert (talk.session.started_ns, talk.session.hit_ns) == (2, 3)


@pytest.mark.parametrize("end", [b"quit\nisready\n", b""])
def test_lines_that_wait_when_the_input_ends_are_obeyed(talk: Conversation, end: bytes) -> None:
    """Each `go` has its bestmove, the last one at once."""
    script = b"go infinite\nstop\nposition startpos moves e2e4\ngo infinite\n" + end
    dialogue = Thread(target=talk.uci.run, args=(BytesIO(script),))
    dialogue.start()
    wait_for_calls(talk, 2)
    talk.session.answer("g1f3")
    wait_for_calls(talk, 4)
    talk.session.answer("e7e5")
    dialogue.join(PATIENCE)
    assert talk.heard() == ["bestmove g1f3", "bestmove e7e5"]
    assert talk.session.calls == ["go", "stop", "go", "stop", "close"]


def test_quit_is_heard_while_lines_wait(talk: Conversation) -> None:
    """Though the input stays open, and nothing has been answered yet."""
    incoming, outgoing = os.pipe()
    with os.fdopen(incoming, "rb") as stream:
        dialogue = Thread(target=talk.uci.run, args=(stream,))
        dialogue.start()
        os.write(outgoing, b"go infinite\nstop\nisready\nunknown word quit\n")
        wait_for_calls(talk, 2)
        assert dialogue.is_alive()
        talk.session.answer()
        dialogue.join(PATIENCE)
        assert not dialogue.is_alive()
        os.close(outgoing)
    assert talk.heard() == ["bestmove e2e4", "readyok"]


def test_few_lines_wait(talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the thread that reads waits, so that memory stays bounded."""
    talk.say("go infinite", "stop")
    monkeypatch.setattr(reader, "MOST_WAITING", 5000)
    client = Thread(target=talk.say, args=["isready"] * 100)
    client.start()
    client.join(0.2)
    assert client.is_alive()
    talk.session.answer()
    client.join(PATIENCE)
    assert not client.is_alive()


def test_without_another_thread_reading_waits(talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_job: object, _name: str) -> None:
        raise RuntimeError("can't start new thread")

    talk.say("go infinite", "stop")
    Timer(0.1, talk.session.answer).start()
    monkeypatch.setattr(reader, "run_in_thread", fail)
    assert talk.say("position startpos moves e2e4", "isready") == ["bestmove e2e4", "readyok"]
    assert "/4P3/" in talk.fen


def test_a_job_that_was_stopped_is_waited_for(talk: Conversation) -> None:
    heard = talk.say(
        *("go perft 12", "position startpos moves d2d4", "bench 30", "go perft 12", "stop", "go infinite")
    )
    wait_for_calls(talk, 1)
    told = [line for line in [*heard, *talk.heard()] if ": " not in line]
    assert told == [f"info string {word} stopped" for word in ("perft", "bench", "perft")]
    assert "/3P4/" in talk.fen
    assert talk.session.calls == ["go"]
    talk.session.answer("e7e5")


def wait_for_calls(talk: Conversation, number: int) -> None:
    wait_until(lambda: len(talk.session.calls) >= number)
