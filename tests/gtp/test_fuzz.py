"""Random lines: each is answered once, in order, and nothing is ever said on stderr."""

import random

import pytest

from engine.board.position import COMPILED
from protocol.gtp.lines import parse
from tests.gtp.client import Controller

LINES = 2000 if COMPILED else 600
BATCH = 50  # lines between two pings
LIMITS = ("--depth", "1", "--nodes", "200", "--playouts", "20", "--time", "0.05")
GAMES = ("tictactoe", "tree", "nim", "connectfour", "othello", "go", "backgammon", "virus", "focus")
COMMANDS = (
    *("protocol_version", "name", "version", "known_command", "list_commands", "boardsize", "clear_board"),
    *("komi", "play", "genmove", "undo", "time_settings", "time_left", "final_score", "final_status_list"),
    *("showboard", "fixed_handicap", "place_free_handicap", "set_free_handicap", "reg_genmove", "loadsgf"),
    *("set_game", "list_games", "gogui-analyze_commands", "gogui-interrupt", "gogui-rules_game_id"),
    *("gogui-rules_board", "gogui-rules_board_size", "gogui-rules_legal_moves", "gogui-rules_side_to_move"),
    *("gogui-rules_final_result", "search-algorithm", "search-level", "search-stats", "search-value"),
    *("search-variation", "search-visits", "xyzzy"),
)
WORDS = (
    *("b", "w", "B", "White", "p1", "p3", "p9", "dice", "A1", "b2", "C3", "D4", "E5", "pass", "resign", "31"),
    *(
        "0",
        "1",
        "2",
        "3",
        "7",
        "9",
        "19",
        "-1",
        "99999999999999999999",
        "1e9",
        "nan",
        "٣",
        "é",
        "\x00",
        "true",
    ),
    *(*GAMES, "((1,2),(3", "random", "alphabeta", "uct", "depth=2", "depth=x", "=", "players=4", "komi=5.5"),
    *("none", "alive", "dead", "7-3", "#", "\t", "8/5,6/5", "/dev/null", "..X/.O./X.O"),
)


def random_words(rng: random.Random) -> bytes:
    """A line that makes sense now and then."""
    identity = rng.choice(("", "", f"{rng.randrange(100)} ", "0" * rng.randrange(300) + "1 "))
    return (identity + " ".join([rng.choice(COMMANDS), *rng.choices(WORDS, k=rng.randrange(4))])).encode()


def random_bytes(rng: random.Random) -> bytes:
    """A line of any bytes."""
    return rng.randbytes(rng.randrange(60)).replace(b"\n", b"\r")


def random_damage(rng: random.Random) -> bytes:
    """A good line with a few bytes changed."""
    good = (
        b"12 play b C3",
        b"genmove w",
        b"time_settings 60 10 5",
        b"set_game tree ((3,12),(2,4))",
        b"komi 6.5",
    )
    line = bytearray(rng.choice(good))
    for _ in range(rng.randrange(4)):
        line[rng.randrange(len(line))] = rng.choice(b" abw19C-()#=\x00\xff\xe2\t")
    return bytes(line)


MAKERS = {"words": random_words, "bytes": random_bytes, "damage": random_damage}


def fit(line: bytes) -> bytes:
    """The line, or a comment where it would end the process."""
    return b"#" if b"quit" in line else line


def wanted(line: bytes) -> str | None:
    """The id of the answer, or None where there is none."""
    request = parse(line.decode("utf-8", "replace"))
    return None if request is None else request.id


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("searching", [False, True], ids=["idle", "searching"])
def test_random_lines(lolli_command: list[str], maker: str, searching: bool) -> None:
    rng = random.Random(f"{maker} {searching}")
    with Controller([*lolli_command, "gtp", "--game", "tictactoe", *LIMITS]) as controller:
        for start in range(0, LINES, BATCH):
            batch = [fit(MAKERS[maker](rng)) for _ in range(BATCH)]
            batch = [line for line in batch if b"search-limits" not in line]
            if searching:
                batch = [b"set_game othello", b"77 genmove b", *batch]
            identities = [identity for identity in map(wanted, batch) if identity is not None]
            controller.send_bytes(b"\n".join([*batch, b"# interrupt", b""]))
            controller.send(f"{start} protocol_version")
            answers = [controller.answer() for _ in identities]
            assert [answer.id for answer in answers] == identities
            assert not any("internal error" in answer.text for answer in answers)
            last = controller.answer()
            assert (last.id, last.text) == (str(start), "2")
        controller.send("quit")
        assert controller.wait() == 0
        assert len(controller.answers()) == 1


def test_a_line_without_an_end(lolli_command: list[str]) -> None:
    with Controller([*lolli_command, "gtp", "--game", "tictactoe"]) as controller:
        controller.send_bytes(b"x" * 3_000_000 + b"\n")
        assert controller.answer().text == "syntax error"
        identity = "9" * 500_000
        assert controller.say(f"{identity} name").id == identity
        assert not controller.say("play" + " b" * 300_000).good
