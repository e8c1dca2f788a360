"""Thousands of random lines: never a traceback, a hang, or a second bestmove."""

import random

import pytest

from engine.board.position import COMPILED
from tests.protocol.dialogue import Dialogue

LINES = 10_000 if COMPILED else 1000
BATCH = 50  # lines between two pings
TOKENS = (
    *("uci", "isready", "ucinewgame", "stop", "ponderhit", "register", "d", "eval", "flip", "help"),
    *("compiler", "debug", "setoption", "position", "go", "on", "off", "name", "value", "startpos", "fen"),
    *("moves", "searchmoves", "wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "movetime"),
    *("mate", "infinite", "ponder", "perft", "e2e4", "e7e5", "e1g1", "a7a8q", "0000", "a1a1", "0", "-1", "1"),
    *("2", "3", "99999999999999999999", "1e3", "0x10", "٣", "#", "é", "\x00", "\x7f", "true", "false", ""),
    *("Hash", "Threads", "MultiPV", "Ponder", "Move Overhead", "Clear Hash", "UCI_Chess960", "Eval"),
    *(
        "SingularExtensions",
        "Parameters",
        "null_move=off",
        "late_depth=6",
        "late_depth=99",
        "nodestime",
        "UCI_ShowWDL",
        "EvalFile",
        "linear",
        "UCI_EngineAbout",
        "material",
        "<empty>",
        "w",
        "b",
        "-",
        "KQkq",
    ),
    *("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "8/8/8/8/8/8/8/8", "4k3/8/8/8/8/8/8/4K3", "9/9"),
    *("8/P7/8/k7/8/8/8/K7 w - - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
)
OPENINGS = (
    "",
    "go",
    "go depth 2",
    "go nodes 50",
    "go infinite",
    "position",
    "position startpos moves",
    "setoption",
)
HARMFUL = ("quit", "bench", "Debug Log File", "perft 99", "Hash value", "Threads value")


def random_tokens(rng: random.Random) -> bytes:
    """A line of known words in an order that makes sense now and then."""
    words = [rng.choice(OPENINGS), *rng.choices(TOKENS, k=rng.randrange(8))]
    return " ".join(words).encode()


def random_bytes(rng: random.Random) -> bytes:
    """A line of any bytes."""
    return rng.randbytes(rng.randrange(60)).replace(b"\n", b"\r")


def random_damage(rng: random.Random) -> bytes:
    """A good line with a few bytes changed."""
    line = bytearray(
        rng.choice(
            (
                b"position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - moves e1g1",
                b"position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5",
                b"go wtime 10 btime 10 winc 1 binc 1 movestogo 3",
                b"setoption name MultiPV value 3",
                b"go depth 2 searchmoves e2e4 d2d4",
            )
        )
    )
    for _ in range(rng.randrange(4)):
        line[rng.randrange(len(line))] = rng.choice(b" abefhkqwKQRN/012345678-\x00\xff\xe2")
    return bytes(line)


def fit(line: bytes) -> bytes:
    """The line, or a comment where it would end the process or only burn time and memory."""
    text = line.decode("utf-8", "replace")
    return b"#" if any(word in text for word in HARMFUL) else line


MAKERS = {"tokens": random_tokens, "bytes": random_bytes, "damage": random_damage}


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("searching", [False, True], ids=["idle", "searching"])
def test_random_lines(lolli_command: list[str], maker: str, searching: bool) -> None:
    rng = random.Random(f"{maker} {searching}")
    searches, answers = 0, 0
    with Dialogue(lolli_command) as dialogue:
        for start in range(0, LINES, BATCH):
            dialogue.send("stop")
            answers += count(dialogue.ask())
            if searching:
                dialogue.send("position startpos", "go infinite")
            batch = [fit(MAKERS[maker](rng)) for _ in range(BATCH)]
            searches += sum(b"go" in line for line in batch) + searching
            dialogue.send_bytes(b"\n".join(batch) + b"\n")
            dialogue.send(f"unknownword{start}")
            answers += count(dialogue.expect(f"info string unknown command: 'unknownword{start}'"))
        dialogue.send("quit")
        assert dialogue.wait() == 0
        answers += count(dialogue.rest())
    assert bool(searching) <= answers <= searches


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
