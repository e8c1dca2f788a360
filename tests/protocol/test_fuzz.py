"""Searches under fire, and a line without an end; lines at random are in tests/scripts/laboratory/fuzzing."""

import random

from engine.board.position import COMPILED
from tests.protocol.dialogue import Dialogue


def count(lines: list[str]) -> int:
    """The bestmoves among them."""
    return sum(line.startswith("bestmove ") for line in lines)


def test_one_bestmove_for_each_search_under_fire(lolli_command: list[str]) -> None:
    """Searches that end by themselves, by stop, and in the midst of lines that cannot be obeyed."""
    rng = random.Random(7)
    noise = (
        b"position startpos moves e2e5",
        b"go depth x",
        b"setoption name Hash value 0",
        b"\xff\xfe",
        b"stop x",
    )
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


def test_a_line_without_an_end(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send_bytes(b"x" * 3_000_000 + b"\n")
        dialogue.expect("info string a line of more than .*")
        dialogue.send("position startpos moves" + " e2e4" * 1000)
        (answer,) = dialogue.ask()
        assert answer.startswith("info string ")
        assert len(answer) < 400
