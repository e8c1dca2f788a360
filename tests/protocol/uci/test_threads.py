"""Many threads in the real process: searches ended in every way, tables and threads changed in between."""

import random
import time

import chess
import pytest

from engine.board.position import COMPILED
from tests.protocol.uci.dialogue import Dialogue, field, infos, moves_of

OPTIONS = (
    *(f"Hash value {megabytes}" for megabytes in (1, 2, 16, 33)),
    *(f"Threads value {threads}" for threads in (1, 2, 5, 8)),
    *(f"MultiPV value {lines}" for lines in (1, 3)),
    *("Clear Hash", "Eval value material", "Eval value linear"),
)
ENDING = ("depth 4", "nodes 3000", "movetime 20", "wtime 300 btime 300")
HELD = ("infinite", "ponder wtime 200 btime 200", "ponder")


def random_position(rng: random.Random) -> tuple[str, chess.Board]:
    board = chess.Board()
    for _ in range(rng.randrange(60)):
        move = rng.choice(list(board.legal_moves))
        board.push(move)
        if not any(board.legal_moves):
            board.pop()
            break
    moves = "".join(f" {move.uci()}" for move in board.move_stack)
    return f"position startpos moves{moves}" if moves else "position startpos", board


def bestmove(dialogue: Dialogue) -> str:
    *before, answer = dialogue.expect("bestmove .*")
    assert all(line.startswith("info depth ") for line in before)
    return answer.split()[1]


@pytest.mark.parametrize("seed", range(2))
def test_every_search_is_answered_once_whatever_was_changed_before_it(
    lolli_command: list[str], seed: int
) -> None:
    rng = random.Random(seed)
    with Dialogue(lolli_command) as dialogue:
        for _ in range(40 if COMPILED else 4):
            for option in rng.sample(OPTIONS, k=rng.randrange(4)):
                dialogue.send(f"setoption name {option}")
            if rng.random() < 0.2:
                dialogue.send("ucinewgame")
            command, board = random_position(rng)
            assert dialogue.ask(command) == []
            if rng.random() < 0.5:
                dialogue.send(f"go {rng.choice(ENDING)}")
            else:
                dialogue.send(f"go {(words := rng.choice(HELD))}")
                time.sleep(rng.random() * 0.05)
                dialogue.send("ponderhit" if "wtime" in words and rng.random() < 0.5 else "stop")
            assert chess.Move.from_uci(bestmove(dialogue)) in board.legal_moves
        assert dialogue.ask("stop", "ponderhit") == []


@pytest.mark.parametrize("threads", [2, 3, 4])
@pytest.mark.parametrize("limit", ["movetime 150", f"nodes {40_000 if COMPILED else 1000}", "infinite"])
def test_the_last_line_is_that_of_the_move_played(lolli_command: list[str], threads: int, limit: str) -> None:
    """Whichever thread was elected; the move to ponder on is from the same line."""
    rng = random.Random(threads)
    with Dialogue(lolli_command) as dialogue:
        dialogue.send(f"setoption name Threads value {threads}")
        for _ in range(8 if COMPILED else 1):
            command, _ = random_position(rng)
            dialogue.send(command, f"go {limit}")
            if limit == "infinite":
                time.sleep(0.15)
                dialogue.send("stop")
            *before, answer = dialogue.expect("bestmove .*")
            best, *ponder = answer.split()[1::2]
            line = moves_of(infos(before)[-1])
            assert line[0] == best
            assert len(line) == 1 or ponder == [line[1]]


@pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")
@pytest.mark.parametrize(("limit", "end"), [("mate 3", ()), ("infinite", ("stop",))])
def test_a_mate_found_by_several_threads_is_the_mate(
    lolli_command: list[str], limit: str, end: tuple[str, ...]
) -> None:
    fen = "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"  # mate in three by Ra6+
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("setoption name Threads value 4", f"position fen {fen}", f"go {limit}")
        found = dialogue.expect(r"info .* score mate 3 .*")
        dialogue.send(*end)
        *more, best = dialogue.expect("bestmove .*")
        assert best.split()[1] == "f6a6"
        assert field(infos(found + more)[-1], "mate") == 3
