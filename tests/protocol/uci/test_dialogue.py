"""The dialogue over a session that does what the test says: order, deferral, one answer per `go`."""

import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from threading import Thread

import chess
import pytest

from engine.board.fen import START_FEN
from engine.board.notation import move_text
from engine.search.report import Bound, Outcome, Report, Score
from tests.patience import wait_until
from tests.protocol.uci.fake_session import Conversation, FakeSession


@pytest.fixture
def talk() -> Iterator[Conversation]:
    talk = Conversation()
    yield talk
    talk.close()


def test_greeting(talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = talk.say("uci")
    assert answer[0].startswith("id name Lolli ")
    assert answer[1].startswith("id author ")
    assert all(line.startswith("option name ") for line in answer[2:17])
    assert answer[-1] == "uciok"
    assert talk.say("isready", "", "# a comment", "register later") == ["readyok"]
    monkeypatch.setattr("protocol.uci.replies.COMPILED", False)
    talk.session.problems.append("Eval linear cannot be used: w.json: there is no such file")
    slow, problem, _ = talk.say("uci")[-3:]
    assert slow.startswith("info string this engine runs uncompiled, about 100 times slower")
    assert problem == "info string Eval linear cannot be used: w.json: there is no such file"


@pytest.mark.parametrize(
    "line",
    [
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen rubbish",
        "position",
        "setoption name Nothing value 3",
        "setoption name Hash value 0",
        "setoption name Hash value 2000",
        "setoption name Debug Log File value /no/such/folder/log",
        "setoption name Eval value network",
        "setoption name EvalFile value bad.json",
        "setoption name Parameters value null_move=off magic=on",
        "setoption name Parameters value \u202e\u0663=on",
        "rubbish",
        "\x00\x1b[2J",
        "\u202e",
    ],
)
def test_what_cannot_be_obeyed_gets_one_reason_and_changes_nothing(talk: Conversation, line: str) -> None:
    talk.say("position startpos moves d2d4")
    before = talk.fen
    (answer,) = talk.say(line)
    assert answer.startswith("info string ")
    assert answer.isprintable()
    assert talk.fen == before
    assert talk.session.calls == []
    assert talk.session.settings == FakeSession().settings
    assert talk.say("isready") == ["readyok"]


@pytest.mark.parametrize(
    ("words", "skipped", "search_moves"),
    [
        ("searchmoves 0000", 1, []),
        ("searchmoves e2e5", 1, []),
        ("searchmoves e2e4 e2e5 rubbish depth 2", 2, ["e2e4"]),
        ("searchmoves", 1, []),
        ("movetime infinite", 1, []),
        ("depth one lag 30", 3, []),
    ],
)
def test_a_go_with_something_unusable_searches_without_it(
    talk: Conversation, words: str, skipped: int, search_moves: list[str]
) -> None:
    told = talk.say(f"go {words}")
    assert len(told) == skipped
    assert all(line.startswith("info string go: ") for line in told)
    assert [move_text(move) for move in talk.session.limits.search_moves] == search_moves
    assert talk.say("stop") == ["bestmove e2e4"]


def test_a_position_plays_the_moves_before_an_illegal_one(talk: Conversation) -> None:
    talk.say("position startpos moves g1f3")
    assert talk.say("position startpos moves d2d4 d7d5 c2c4 xxxx e7e6") == [
        "info string position: not a legal move: 'xxxx'; played the moves before it"
    ]
    board = chess.Board()
    for move in ("d2d4", "d7d5", "c2c4"):
        board.push_uci(move)
    assert talk.fen == board.fen()


def test_go_and_isready_are_answered_whatever_fails(
    talk: Conversation, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(talk.session, "get_ready", fail)
    monkeypatch.setattr(talk.session, "go", fail)
    assert talk.say("isready") == ["readyok"]
    told = talk.say("go depth 1")
    assert told[0].startswith("info string the search failed: OSError")
    assert told[1].startswith("bestmove ")
    assert "Too many open files" in capfd.readouterr().err


def test_an_error_of_the_engine_itself_does_not_end_the_dialogue(
    talk: Conversation, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise RuntimeError("the board fell down")

    monkeypatch.setattr(talk.session, "flip", fail)
    assert talk.say("flip", "isready") == [
        "info string internal error: RuntimeError: the board fell down",
        "readyok",
    ]
    errors = capfd.readouterr().err
    assert errors.startswith("lolli: internal error: RuntimeError: the board fell down (")
    assert errors.count("\n") == 1


def test_one_bestmove_whatever_the_session_does(talk: Conversation) -> None:
    talk.say("go infinite")
    listener = talk.session.listener
    assert listener is not None
    talk.session.answer("g1f3")
    listener.outcome(Outcome(0, 0))
    assert talk.say("stop", "stop", "ponderhit") == ["bestmove g1f3"]


def test_stop_without_a_search_is_silent(talk: Conversation) -> None:
    assert talk.say("stop", "ponderhit", "stop") == []
    assert "stop" not in talk.session.calls


@pytest.mark.parametrize(
    "line",
    [
        *("go depth 1", "go perft 1", "go perft x", "position startpos moves e2e4", "ucinewgame", "flip"),
        *("eval", "bench 1", "setoption name Hash value 64", "setoption name Hash value 0"),
    ],
)
def test_what_would_disturb_a_search_waits_for_its_end(talk: Conversation, line: str) -> None:
    assert talk.say("go infinite", line, "d", "isready") == ["readyok"]
    assert talk.session.calls == ["go"]
    assert talk.fen == START_FEN
    talk.session.answer()
    assert talk.until("Legal moves.*")[0] == "bestmove e2e4"


def test_a_go_during_a_search_is_answered_after_it(talk: Conversation) -> None:
    talk.say("go depth 9", "position startpos moves e2e4", "go depth 8", "isready")
    assert talk.session.limits.depth == 9
    talk.session.answer("g1f3")
    wait_until(lambda: talk.session.calls == ["go", "go"])
    assert talk.session.limits.depth == 8
    talk.session.answer("g8f6")
    assert talk.until("bestmove g8f6") == ["bestmove g1f3", "bestmove g8f6"]


def test_stop_ends_the_search_and_those_that_wait(talk: Conversation) -> None:
    told = talk.say("go infinite", "go infinite", "go ponder", "stop", "go depth 1")
    wait_until(lambda: talk.session.calls.count("go") == 4)
    assert told + talk.heard() == ["bestmove e2e4"] * 3
    assert talk.session.limits.depth == 1


@pytest.mark.parametrize("line", ["ponderhit", "isready"])
def test_what_waits_does_not_keep_a_line_from_the_search(talk: Conversation, line: str) -> None:
    talk.say("go ponder", "position startpos", "go depth 1")
    talk.uci.receive(line, 7)
    assert (talk.session.hit_ns, talk.heard()) == ((7, []) if line == "ponderhit" else (None, ["readyok"]))


def test_a_ponderhit_is_for_the_go_ponder_that_waits(talk: Conversation) -> None:
    talk.say("go depth 9", "position startpos", "go ponder")
    talk.uci.receive("ponderhit", 7)
    assert talk.session.hit_ns is None
    talk.session.answer()
    wait_until(lambda: talk.session.calls == ["go", "go", "ponderhit"])
    assert talk.session.hit_ns == 7


def test_more_lines_than_can_wait_end_a_search_without_end(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For no `stop` could be read. The searches that wait are not stopped."""
    monkeypatch.setattr("protocol.reader.MOST_WAITING", 1)
    told = talk.say("go infinite", "position startpos", "go depth 1", "position startpos")
    wait_until(lambda: talk.session.calls.count("go") == 2)
    full = "info string stopped the search: other lines wait for its end"
    assert told + talk.heard() == [full, "bestmove e2e4"]
    assert talk.session.calls == ["go", "stop", "go"]


@pytest.mark.parametrize("end", ["quit", ""])
def test_each_go_that_waits_at_the_end_has_its_bestmove(talk: Conversation, end: str) -> None:
    said = f"go infinite\ngo depth 9\nposition startpos\ngo perft 1\ngo ponder\n{end}"
    talk.uci.run(BytesIO(said.encode()))
    told = talk.heard()
    assert told.count("bestmove e2e4") == 3
    assert "Nodes searched: 20" in told


def test_options_set_during_a_search_take_effect_after_it(talk: Conversation) -> None:
    talk.say("go infinite")
    answers = talk.say(
        "setoption name Hash value 64",
        "setoption name MultiPV value 3",
        "setoption name Clear Hash",
        "setoption name Eval value linear",
        "setoption name EvalFile value bad.json",
        "setoption name UCI_ShowWDL value true",
        "setoption name Hash value none",
        "isready",
    )
    assert answers == ["readyok"]
    assert talk.session.calls == ["go"]
    assert talk.session.settings.lines == 1
    assert talk.session.evaluator == "material"
    talk.session.answer()
    assert talk.until("info string Hash.*") == [
        "bestmove e2e4",
        "info string EvalFile stays as it was: bad.json: there is no such file",
        "info string Hash: not a whole number: 'none'",
    ]
    assert talk.session.calls == ["go", "resize_table 64", "clear_table", "use_evaluator linear"]
    assert talk.session.settings.lines == 3


def test_what_answers_the_bestmove_at_once_is_obeyed(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client may speak before the thread of the search is quite gone."""
    write = talk.uci._writer.line
    client = Thread(target=talk.uci.receive, args=("position startpos moves e2e4", 0))

    def write_and_let_the_client_answer(text: str) -> None:
        write(text)
        if text.startswith("bestmove"):
            client.start()
            time.sleep(0.05)

    monkeypatch.setattr(talk.uci._writer, "line", write_and_let_the_client_answer)
    talk.say("go infinite")
    talk.session.answer()
    client.join()
    assert talk.heard() == ["bestmove e2e4"]
    assert "/4P3/" in talk.fen


def test_a_search_that_fails_is_reported_and_still_answers(
    talk: Conversation, capfd: pytest.CaptureFixture[str]
) -> None:
    talk.say("go infinite")
    assert talk.session.listener is not None
    talk.session.listener.failed(ZeroDivisionError("division by zero"))
    talk.session.answer("d2d4")
    assert talk.heard() == [
        "info string the search failed: ZeroDivisionError: division by zero",
        "bestmove d2d4",
    ]
    assert capfd.readouterr().err == "lolli: the search failed: ZeroDivisionError: division by zero\n"


def test_debug_tells_the_limits(talk: Conversation) -> None:
    assert talk.say("debug on", "go depth 4")[0].startswith("info string Limits(")
    talk.session.answer()
    talk.heard()
    assert talk.say("debug off", "go depth 4") == []


def test_eval_and_flip(talk: Conversation) -> None:
    answer = talk.say("eval")
    assert "| Hope     |   +0.25   +0.10 |   +0.00   +0.20 |   +0.25   -0.10 |" in answer
    assert answer[-1] == "Value: +1.07 pawns, White's point of view"
    talk.say("position startpos moves e2e4", "flip")
    assert talk.fen == "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def test_scores_are_told_on_the_scale_of_the_evaluator(talk: Conversation) -> None:
    """The fake session's model has an even chance to win at 200 centipawns, and 1 / (1 + e²) at none."""
    report = Report(1, 1, 1, Score(100), Bound.EXACT, 1, 1, 0, 0, ())
    told = []
    for line in ("", "setoption name Eval value linear", "setoption name UCI_ShowWDL value true"):
        talk.say(line, "go depth 1")
        assert talk.session.listener is not None
        talk.session.listener.report(report)
        told.append(talk.heard()[0].partition(" score ")[2].partition(" nodes ")[0])
        talk.session.answer()
        talk.heard()
    assert told == ["cp 100", "cp 50", "cp 50 wdl 269 684 47"]


def test_chess960_castling(talk: Conversation) -> None:
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    assert " e1g1 " in talk.say(f"position fen {fen}", "d")[-1]
    answer = talk.say("setoption name UCI_Chess960 value true", "d")
    assert " e1h1 " in answer[-1]
    assert "Fen: 4k3/8/8/8/8/8/8/4K2R w H - 0 1" in answer


def test_log_of_the_dialogue(talk: Conversation, tmp_path: Path) -> None:
    path = tmp_path / "dialogue.log"
    talk.say(f"setoption name Debug Log File value {path}", "isready", "setoption name Debug Log File value")
    written = [line.split(" ", 1)[1] for line in path.read_text().splitlines()]
    assert written[1:] == [">> isready", "<< readyok", ">> setoption name Debug Log File value"]


def test_nothing_is_read_after_quit(talk: Conversation) -> None:
    talk.uci.run(BytesIO(b"quit\nisready\n"))
    assert talk.heard() == []
