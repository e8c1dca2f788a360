"""The engine in this process: its own ways, its errors, threads, and what can interrupt it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Thread, active_count

import chess
import chess.engine
import chess.variant
import pytest
from chess.engine import Cp, EngineError, EngineTerminatedError, Limit

import lolli
from engine.board.fen import parse_fen
from engine.board.position import COMPILED
from eval.choice import Choices
from protocol.evaluation import scale_of
from protocol.uci.bench import counts, fresh_session
from tests.compiled import ROOT
from tests.engine.sessions import KIWIPETE
from tests.lolli.test_engine_like_uci import without_time
from tests.patience import PATIENCE

DEPTH = 5 if COMPILED else 2


@pytest.fixture
def engine() -> Iterator[lolli.Engine]:
    with lolli.Engine() as engine:
        yield engine


def output_of(code: str) -> str:
    """What a program prints; it must end well."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# python-chess's own example, with one line changed


def test_the_example_of_python_chess() -> None:
    """That of its documentation, `Playing`; with time instead of a pipe."""
    example = """
import chess
import chess.engine

engine = chess.engine.SimpleEngine.popen_uci("/usr/bin/stockfish")

board = chess.Board()
while not board.is_game_over():
    result = engine.play(board, chess.engine.Limit(time=0.001))
    board.push(result.move)

engine.quit()
print(board.result(), len(board.move_stack))
"""
    changed = example.replace(
        'engine = chess.engine.SimpleEngine.popen_uci("/usr/bin/stockfish")',
        "import lolli; engine = lolli.Engine()",
    )
    assert changed != example
    result, plies = output_of(changed).split()
    assert result in ("1-0", "0-1", "1/2-1/2")
    assert int(plies) > 3


# Findings


def test_an_analysis_is_read_while_it_runs(engine: lolli.Engine) -> None:
    with engine.analysis(chess.Board()) as analysis:
        first = analysis.get()
        assert first["depth"] == 1
        for info in analysis:
            if info["depth"] >= DEPTH:
                break
    best = analysis.wait()
    assert best.move is not None
    assert best.move in chess.Board().legal_moves
    while analysis.next() is not None:
        assert not analysis.would_block()
    assert analysis.empty()
    assert analysis.info["depth"] >= DEPTH
    with pytest.raises(chess.engine.AnalysisComplete):
        analysis.get()


def test_one_that_nobody_refers_to_ends(engine: lolli.Engine) -> None:
    for _ in engine.analyse(chess.Board()):
        break
    began = time.monotonic()
    while engine._session.searching:
        assert time.monotonic() < began + PATIENCE
        time.sleep(0.01)


def test_the_next_call_ends_it(engine: lolli.Engine) -> None:
    analysis = engine.analysis(chess.Board())
    assert engine.play(chess.Board(KIWIPETE), depth=1).move is not None
    assert analysis.wait().move is not None


@pytest.mark.parametrize("name", Choices().names)
def test_evaluate(name: str) -> None:
    with lolli.Engine(eval=name) as engine:
        board = chess.Board("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1")
        value = engine.evaluate(board)
        assert value.turn == chess.BLACK
        assert value.white() > Cp(150)
        if name == "material":
            assert value.white() == Cp(900)
        choice, position = Choices()[name], parse_fen(board.fen())
        scale = scale_of(position, choice.outcome, choice.normalises)
        assert value.white() == Cp(scale.centipawns(choice.make().explain(position).value))


def test_bench() -> None:
    with lolli.Engine(hash=1, eval="material") as engine:
        found = engine.bench(1)
    assert found.nodes == sum(nodes for _, nodes in counts(fresh_session(), 1, lambda: False))
    assert found.nps > 0


# Options


def test_options_of_one_call_hold_for_it_alone(engine: lolli.Engine) -> None:
    board, limit = chess.Board(KIWIPETE), Limit(depth=1)
    usual = engine.evaluate(board)
    engine.analyse(board, limit, options={"Eval": "material"})
    assert engine.evaluate(board) == usual
    engine.configure(eval="material")
    engine.analyse(board, limit, options={"Eval": "linear"})
    assert engine.evaluate(board) == by_material(board)
    engine.configure({"Clear Hash": None})


def by_material(board: chess.Board) -> chess.engine.PovScore:
    worth = {chess.PAWN: 100, chess.KNIGHT: 300, chess.BISHOP: 300, chess.ROOK: 500, chess.QUEEN: 900}
    value = sum(
        worth.get(piece.piece_type, 0) * (1 if piece.color == board.turn else -1)
        for piece in board.piece_map().values()
    )
    return chess.engine.PovScore(Cp(value), board.turn)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nope": 1}, "unknown option 'nope'"),
        ({"hash": 0}, "Hash must be from 1 to 65536"),
        ({"hash": "many"}, "Hash: not a whole number: 'many'"),
        ({"eval": "best"}, "Eval must be one of"),
        ({"uci_elo": 9999}, "UCI_Elo must be from"),
        ({"multipv": 2}, "MultiPV is set by each call"),
        ({"UCI_EngineAbout": "mine"}, "UCI_EngineAbout is read only"),
        ({"evalfile": Path("/no/such.lolli")}, "EvalFile stays as it was: .*no/such.lolli"),
        ({"syzygypath": "a\nb"}, "SyzygyPath: a line break"),
        ({"debug_log_file": "x"}, "unknown option 'debug_log_file'"),
    ],
)
def test_wrong_options(engine: lolli.Engine, options: dict[str, object], message: str) -> None:
    with pytest.raises(lolli.OptionError, match=message):
        lolli.Engine(**options)  # type: ignore[arg-type]
    with pytest.raises(EngineError, match=message):
        engine.configure(options)  # type: ignore[arg-type]
    assert engine.play(chess.Board(), depth=1).move is not None


def test_a_weak_player_is_weak_and_an_analysis_is_not() -> None:
    board = chess.Board()
    with lolli.Engine(uci_limitstrength=True, uci_elo=1000) as engine:
        engine._session.chooser = Random(1)
        moves = {engine.play(board, nodes=2000).move for _ in range(30)}
        assert len(moves) > 2
        analysed = [without_time(engine.analyse(board, Limit(nodes=300), game=n)) for n in range(2)]
    with lolli.Engine() as strong:
        expected = without_time(strong.analyse(board, Limit(nodes=300)))
    assert analysed == [expected, expected]


# Errors


@pytest.mark.parametrize(
    "board",
    [
        chess.Board(None),
        chess.Board("8/8/8/8/8/8/8/K6k w - - 0 1".replace("K", "Q")),
        chess.Board("4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1"),
        chess.variant.AtomicBoard(),
    ],
)
def test_boards_that_are_no_positions(engine: lolli.Engine, board: chess.Board) -> None:
    for call in (engine.evaluate, lambda board: engine.play(board, depth=1), engine.analysis):
        with pytest.raises(lolli.PositionError):
            call(board)
    assert engine.play(chess.Board(), depth=1).move is not None


def test_wrong_moves_and_limits(engine: lolli.Engine) -> None:
    board = chess.Board()
    with pytest.raises(lolli.PositionError, match="not a legal move: 'e2e5'"):
        engine.play(board, depth=1, root_moves=[chess.Move.from_uci("e2e5")])
    with pytest.raises(lolli.PositionError, match="no root moves"):
        engine.analyse(board, Limit(depth=1), root_moves=[])
    for none in (None, Limit(), Limit(white_inc=2)):
        with pytest.raises(lolli.LimitError, match="needs a limit"):
            engine.play(board, none)
    with pytest.raises(lolli.LimitError, match="needs a limit"):
        engine.analyse(board, Limit())
    with pytest.raises(lolli.LimitError, match="not both"):
        engine.play(board, Limit(depth=1), depth=1)
    with pytest.raises(lolli.LimitError, match="not a limit"):
        engine.play(board, time=float("nan"))
    with pytest.raises(lolli.OptionError, match="multipv must be from 1 to 256"):
        engine.analyse(board, Limit(depth=1), multipv=0)
    with pytest.raises(lolli.LimitError, match="at least 1"):
        engine.bench(0)
    with pytest.raises(TypeError, match=r"^the depth of a bench must be a whole number, not 1.5$"):
        engine.bench(1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^multipv must be a whole number, not '2'$"):
        engine.analyse(board, Limit(depth=1), multipv="2")  # type: ignore[call-overload]
    assert engine.play(board, depth=1).move is not None


def test_a_search_that_crashes(engine: lolli.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("engine.search.run.Run._reports", lambda *_: 1 / 0)
        with pytest.raises(EngineError, match="ZeroDivisionError"):
            engine.analyse(chess.Board(), Limit(depth=1))
    assert engine.play(chess.Board(), depth=1).move is not None


# Closing


def test_a_closed_engine_says_so() -> None:
    engine = lolli.Engine()
    engine.quit()
    engine.close()
    assert repr(engine).endswith(", closed>")
    for call in (
        lambda: engine.play(chess.Board(), depth=1),
        lambda: engine.analysis(chess.Board()),
        lambda: engine.evaluate(chess.Board()),
        engine.ping,
        engine.configure,
        engine.bench,
    ):
        with pytest.raises(EngineTerminatedError, match="the engine is closed"):
            call()


def test_closed_while_another_thread_waits(engine: lolli.Engine) -> None:
    caught: list[BaseException] = []

    def analyse() -> None:
        try:
            engine.analyse(chess.Board(), Limit(time=10 * PATIENCE))
        except EngineError as error:
            caught.append(error)

    thread = Thread(target=analyse)
    thread.start()
    while not engine._session.searching:
        time.sleep(0.001)
    engine.close()
    thread.join(PATIENCE)
    assert [type(error) for error in caught] == [EngineTerminatedError]


def test_closed_while_an_analysis_is_read() -> None:
    with lolli.Engine() as engine:
        analysis = engine.analysis(chess.Board())
        analysis.get()
    with pytest.raises(EngineTerminatedError, match="during the search"):
        for _ in analysis:
            pass
    with pytest.raises(EngineTerminatedError):
        analysis.wait()


# Several engines, several threads


def test_threads_take_turns(engine: lolli.Engine) -> None:
    found: list[int] = []

    def analyse() -> None:
        found.append(engine.analyse(chess.Board(), Limit(nodes=300))["nodes"])

    threads = [Thread(target=analyse) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert found == [300] * 4


# Pondering


@pytest.mark.alone  # in too little time there is no expected move
def test_pondering_goes_on_with_the_expected_move(engine: lolli.Engine) -> None:
    board = chess.Board()
    limit = Limit(white_clock=20, black_clock=20)
    result = engine.play(board, limit, ponder=True)
    assert engine._session.searching
    assert result.move is not None
    assert result.ponder is not None
    search = engine._search
    board.push(result.move)
    board.push(result.ponder)
    again = engine.play(board, limit, ponder=True, info=chess.engine.INFO_ALL)
    assert search is not None
    assert search.result().move == again.move
    assert again.info["pv"][0] in board.legal_moves


def test_pondering_ends_with_another_move(engine: lolli.Engine) -> None:
    engine.play(chess.Board(), Limit(nodes=200), ponder=True)
    board = chess.Board(KIWIPETE)
    result = engine.play(board, Limit(nodes=200), ponder=True)
    assert result.move is not None
    assert result.move in board.legal_moves
    engine.ping()
    assert not engine._session.searching


# Interruptions


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_ctrl_c_ends_an_analysis_and_leaves_the_engine_usable() -> None:
    code = """
import chess, lolli
engine = lolli.Engine()
try:
    print("ready", flush=True)
    engine.analyse(chess.Board(), chess.engine.Limit(time=1000))
except KeyboardInterrupt:
    print("interrupted", engine.play(chess.Board(), depth=1).move is not None)
try:
    for info in engine.analyse(chess.Board(), time=1000):
        print(info["depth"], flush=True)
        break
    engine.analysis(chess.Board(), time=1000).wait()
except KeyboardInterrupt:
    print("again", engine.play(chess.Board(), depth=1).move is not None)
engine.close()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted True\n"
        assert process.stdout.readline() == "1\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "again True\n"
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, errors


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_engines_of_its_own() -> None:
    code = """
import chess, lolli, os
lolli.Engine().play(chess.Board(), depth=1)
child = os.fork()
if not child:
    with lolli.Engine() as engine:
        os._exit(0 if engine.play(chess.Board(), depth=1).move else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert output_of(code) == "0\n"


def test_closed_engines_leave_no_searching_threads() -> None:
    before = active_count()
    for _ in range(10):
        with lolli.Engine() as engine:
            engine.analysis(chess.Board())
    assert active_count() <= before + 2  # those of the pool
