"""Many threads in the real process: searches ended in every way, tables and threads changed in between."""

import random
import time

import chess
import pytest

from engine.board.position import COMPILED
from tests.engine.sessions import KIWIPETE
from tests.protocol.uci.dialogue import Dialogue, field, infos

OPTIONS = (
    *(f"Hash value {megabytes}" for megabytes in (1, 2, 16, 33)),
    *(f"Threads value {threads}" for threads in (1, 2, 5, 8)),
    *(f"MultiPV value {lines}" for lines in (1, 3)),
    *("Clear Hash", "Eval value material", "Eval value linear"),
)
ENDING = ("depth 4", "nodes 3000", "movetime 20", "wtime 300 btime 300")
HELD = ("infinite", "ponder wtime 200 btime 200", "ponder")


def random_position(rng: random.Random) -> tuple[str, chess.Board]:
    """The command for a position with a legal move, and its board."""
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
    """The move, when nothing but information has come before it."""
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


def test_eight_threads_share_a_small_table(lolli_command: list[str]) -> None:
    """They keep the limit of nodes together, up to the eighth by which several may exceed it."""
    limit = 50_000 if COMPILED else 2000
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("setoption name Threads value 8", "setoption name Hash value 1")
        dialogue.send(f"position fen {KIWIPETE}")
        before, best = dialogue.go(f"nodes {limit}")
        assert chess.Move.from_uci(best) in chess.Board(KIWIPETE).legal_moves
        assert field(infos(before)[-1], "nodes") <= limit * 9 // 8
        assert dialogue.ask() == []
