"""The real process: lines sent in one write, at any moment of a search, are obeyed in order."""

import random
import time
from collections.abc import Callable
from io import BytesIO
from tempfile import TemporaryFile
from threading import Event

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.position import COMPILED
from engine.session import Session
from engine.system.thread_pool import Job, run_in_thread
from eval.choice import Choices
from protocol.uci.dialogue import Uci
from protocol.writer import Writer
from tests.protocol.uci.dialogue import Dialogue

ROUNDS = 30
LONGEST = 0.05  # seconds until the client has enough of a search
CLOCK = "wtime 60000 btime 60000"
FIRST = (  # the search that is stopped, if it has not ended by then; the last one holds its move back
    *("infinite", f"ponder {CLOCK}", CLOCK, "wtime 100 btime 100", "movetime 20", "nodes 5000", "depth 2"),
    *("infinite depth 1",),
)
SECOND = ("depth 2", "nodes 300", "movetime 3", "wtime 60 btime 60") if COMPILED else ("depth 1", "nodes 20")


def like_xboard(dialogue: Dialogue, position: str, go: str) -> list[str]:
    """XBoard through Polyglot, and PyChess: everything at once."""
    dialogue.send("stop", position, go)
    return dialogue.expect("bestmove .*") + dialogue.expect("bestmove .*")


def like_pychess(dialogue: Dialogue, position: str, go: str) -> list[str]:
    for line in ("stop", "setoption name MultiPV value 2", position, "isready", "stop", go):
        dialogue.send(line)
    return dialogue.expect("bestmove .*") + dialogue.expect("readyok") + dialogue.expect("bestmove .*")


def like_cute_chess(dialogue: Dialogue, position: str, go: str) -> list[str]:
    dialogue.send("stop", "isready")
    told = dialogue.expect("bestmove .*") + dialogue.expect("readyok")
    dialogue.send(position, "isready")
    told += dialogue.expect("readyok")
    dialogue.send(go)
    return told + dialogue.expect("bestmove .*")


def like_python_chess(dialogue: Dialogue, position: str, go: str) -> list[str]:
    dialogue.send("stop")
    told = dialogue.expect("bestmove .*")
    dialogue.send(position, go)
    return told + dialogue.expect("bestmove .*")


def like_somebody_in_a_hurry(dialogue: Dialogue, position: str, go: str) -> list[str]:
    dialogue.send("stop", position, f"{go} infinite", "stop", "stop", "isready")
    return dialogue.expect("bestmove .*") + dialogue.expect("bestmove .*") + dialogue.expect("readyok")


ODD = (
    *("depth", "nodes", "movetime", "mate", "wtime", "btime", "winc", "movestogo", "infinite", "ponder"),
    *("searchmoves", "e2e4", "e2e5", "0000", "1", "2", "-3", "1000.0", "1e3", "one", "lag", "stop"),
)
GOES = (*("go infinite", "go depth 1", "go nodes 20", "go movetime infinite", "go ponder depth 1", "go"),)
CHOICES = Choices()
CLIENTS = (like_xboard, like_pychess, like_cute_chess, like_python_chess, like_somebody_in_a_hurry)


@pytest.mark.parametrize("rounds", [ROUNDS, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("client", CLIENTS)
def test_the_next_search_after_stop(
    lolli_command: list[str], client: Callable[[Dialogue, str, str], list[str]], rounds: int
) -> None:
    """Search, and then another position: two moves, each legal in its own."""
    rng = random.Random(client.__name__)
    with Dialogue(lolli_command) as dialogue:
        for number in range(rounds):
            if number % 10 == 0:
                dialogue.ask(f"setoption name Threads value {rng.choice((1, 1, 2, 4))}")
            board = random_board(rng)
            dialogue.send(position_line(board), f"go {rng.choice(FIRST)}")
            asked = board.copy()
            asked.push(rng.choice(list(asked.legal_moves)))
            time.sleep(rng.uniform(0, LONGEST))
            told = client(dialogue, position_line(asked), f"go {rng.choice(SECOND)}")
            assert not any(line.startswith("info string") for line in told), told
            first, second = (line.split()[1] for line in told if line.startswith("bestmove "))
            assert chess.Move.from_uci(first) in board.legal_moves
            assert chess.Move.from_uci(second) in asked.legal_moves
        assert not any(line.startswith("bestmove ") for line in dialogue.ask("stop"))


def random_board(rng: random.Random) -> chess.Board:
    while True:
        board = chess.Board()
        for _ in range(rng.randrange(40)):
            if board.is_game_over():
                break
            board.push(rng.choice(list(board.legal_moves)))
        if all(can_go_on(board, move) for move in board.legal_moves) and any(board.legal_moves):
            return board


def can_go_on(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy(stack=False)
    after.push(move)
    return any(after.legal_moves)


def position_line(board: chess.Board) -> str:
    return " ".join(("position startpos moves", *(move.uci() for move in board.move_stack)))


# A `stop`, a `ponderhit` or another `go` at the moment when a search ends


@pytest.mark.parametrize("words", ["movetime 10", "wtime 200 btime 200", "depth 3", "nodes 3000"])
@pytest.mark.parametrize("stops", [("stop",), ("stop", "stop")])
def test_stop_when_the_search_ends_by_itself(
    lolli_command: list[str], words: str, stops: tuple[str, ...]
) -> None:
    """One move, and before the answer to what was asked after the `stop`."""
    rng = random.Random(words)
    with Dialogue(lolli_command) as dialogue:
        for _ in range(ROUNDS):
            dialogue.send("ucinewgame", f"go {words}")
            time.sleep(rng.uniform(0, 0.02))
            told = dialogue.ask(*stops)
            assert sum(line.startswith("bestmove ") for line in told) == 1


@pytest.mark.parametrize("words", ["movetime 10", "wtime 200 btime 200", "depth 2", CLOCK])
def test_stop_after_ponderhit(lolli_command: list[str], words: str) -> None:
    rng = random.Random(words)
    with Dialogue(lolli_command) as dialogue:
        for _ in range(ROUNDS):
            dialogue.send("ucinewgame", f"go ponder {words}")
            time.sleep(rng.uniform(0, 0.02))
            dialogue.send("ponderhit")
            time.sleep(rng.choice((0, rng.uniform(0, 0.01))))
            told = dialogue.ask("stop", "ponderhit")
            assert sum(line.startswith("bestmove ") for line in told) == 1


@pytest.mark.alone
def test_ponderhit_lets_go_of_a_move_that_was_held_back(lolli_command: list[str]) -> None:
    """It is on its way then, without a `stop`."""
    with Dialogue(lolli_command) as dialogue:
        for _ in range(ROUNDS):
            pondered(dialogue, f"ponder depth 1 {CLOCK}")
            assert dialogue.ask("position startpos moves e2e4", "go depth 1") == []
            dialogue.send("ponderhit")
            told = dialogue.expect("bestmove .*") + dialogue.expect("bestmove .*")
            assert chess.Move.from_uci(told[-1].split()[1]) in chess.Board().mirror().legal_moves


def test_what_comes_in_an_infinite_search_that_has_ended_waits(lolli_command: list[str]) -> None:
    """Nobody has stopped it: its move is not on its way."""
    with Dialogue(lolli_command) as dialogue:
        pondered(dialogue, "infinite depth 1")
        assert dialogue.ask("position startpos moves e2e4", "flip", "ponderhit") == []
        told = dialogue.ask("stop", "position startpos moves d2d4", "d")
        assert told[0].startswith("bestmove ")
        assert "Fen: rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1" in told


def pondered(dialogue: Dialogue, words: str) -> None:
    dialogue.send("position startpos", f"go {words}")
    dialogue.expect("info depth 1 .*")
    time.sleep(0.02)


# Lines that cannot be obeyed in between


def count(lines: list[str]) -> int:
    return sum(line.startswith("bestmove ") for line in lines)


def test_one_bestmove_for_each_search_under_fire(lolli_command: list[str]) -> None:
    """Searches that end by themselves or by `stop`, amid lines that cannot be obeyed."""
    rng = random.Random(7)
    noise = (b"position startpos moves e2e5", b"debug x", b"setoption name Hash value 0", b"\xff\xfe")
    with Dialogue(lolli_command) as dialogue:
        for _ in range(200 if COMPILED else 60):
            words = rng.choice(
                ("depth 1", "nodes 100", "infinite", "movetime 5", "ponder", "wtime 5 btime 5")
            )
            dialogue.send(f"go {words}")
            for _ in range(rng.randrange(4)):
                dialogue.send_bytes(rng.choice(noise) + b"\n")
            dialogue.send("stop", "stop", "ponderhit")
            dialogue.expect("bestmove .*")
            assert count(dialogue.ask("stop")) == 0
        dialogue.hang_up()
        dialogue.wait()
        assert count(dialogue.rest()) == 0


def answers(*said: str) -> list[str]:
    with TemporaryFile() as output:
        Uci(Session(megabytes=1, choices=CHOICES), Writer(output.fileno())).run(
            BytesIO("\n".join(said).encode())
        )
        output.seek(0)
        return output.read().decode().splitlines()


@settings(max_examples=300 if COMPILED else 20)
@given(
    st.lists(st.integers(0, 1000), max_size=8),
    st.sampled_from(("", " xxxx", " 0000 e2e4", " a1a1", " e2", " \u0665")),
    st.lists(st.sampled_from(ODD) | st.text(st.characters(exclude_characters="\n")), max_size=8).map(
        " ".join
    ),
)
def test_an_odd_go_in_an_odd_position_gets_one_legal_move(moves: list[int], rest: str, words: str) -> None:
    board = chess.Board()
    for number in moves:
        board.push([*board.legal_moves][number % board.legal_moves.count()])
    told = answers(
        f"{position_line(board)}{rest}" if moves else f"position startpos moves{rest}", f"go {words}"
    )
    (best,) = (line for line in told if line.startswith("bestmove "))
    assert chess.Move.from_uci(best.split()[1]) in board.legal_moves


@settings(max_examples=300 if COMPILED else 20)
@given(
    st.lists(
        st.sampled_from(("stop", "isready", "position startpos moves e2e4 x", "ponderhit", *GOES)),
        max_size=30,
    )
)
def test_each_go_gets_one_bestmove_in_any_order(said: list[str]) -> None:
    told = answers(*said, "quit", "isready", "go depth 1")
    assert count(told) == sum(line.startswith("go") for line in said)
    assert told.count("readyok") == said.count("isready")


def test_a_go_for_which_there_is_no_thread_is_answered_and_the_next_one_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second move is legal in the second position alone."""
    refusals = [RuntimeError("can't start new thread")]

    def start_or_not(job: Job, name: str) -> Event:
        if refusals:
            raise refusals.pop()
        return run_in_thread(job, name)

    monkeypatch.setattr("engine.session.run_in_thread", start_or_not)
    told = answers("go depth 1", "position startpos moves e2e4", "go depth 1")
    assert told[0] == "info string the search failed: RuntimeError: can't start new thread"
    first, second = (line.split()[1] for line in told if line.startswith("bestmove "))
    assert chess.Move.from_uci(first) in chess.Board().legal_moves
    assert chess.Move.from_uci(second) in chess.Board().mirror().legal_moves


def test_a_line_without_an_end(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send_bytes(b"x" * 3_000_000 + b"\n")
        dialogue.expect("info string ignored a line longer than .*")
        dialogue.send("position startpos moves" + " e2e4" * 1000)
        (answer,) = dialogue.ask()
        assert answer.startswith("info string ")
        assert len(answer) < 400
