"""Games to annotate, and the real command that does it."""

import io
import random
import subprocess
from contextlib import suppress
from pathlib import Path

import chess
import chess.pgn
import psutil

from lolli.cli.runs import part_path
from tests.patience import PATIENCE, wait_until

FEW_NODES = ("--nodes", "40", "--hash", "1")

SCHOLAR = """\
[Event "Scholar's mate"]
[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 { [%clk 0:10:00] } e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0

"""


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    return game


def random_games(count: int, plies: int, seed: int = 1) -> bytes:
    chooser = random.Random(seed)
    texts = []
    for number in range(1, count + 1):
        board = chess.Board()
        while len(board.move_stack) < plies and not board.is_game_over():
            board.push(chooser.choice(list(board.legal_moves)))
        game = chess.pgn.Game.from_board(board)
        game.headers["Round"] = str(number)
        for ply, node in enumerate(game.mainline()):
            node.set_clock(600 - ply)
        texts.append(f"{game}\n\n")
    return "".join(texts).encode()


def annotate(
    command: list[str], *words: object, said: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*command, "annotate", *map(str, words)],
        input=said,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )


def annotated(command: list[str], pgn: Path, *words: object) -> bytes:
    """What `lolli annotate` makes of a file, with few nodes unless `words` say otherwise."""
    target = pgn.with_name(f"{pgn.name}.expected")
    done = annotate(command, pgn, "-o", target, *FEW_NODES, *words)
    assert done.returncode in (0, 1), done.stderr
    return target.read_bytes()


def records(target: Path) -> int:
    """One more than the games that a run has kept; 0 without one."""
    with suppress(FileNotFoundError):
        return part_path(target).read_bytes().count(b"%lolli ")
    return 0


def wait_until_gone(processes: list[psutil.Process]) -> None:
    """Until they have ended, whether or not their new parent has noticed."""
    wait_until(lambda: not any(is_alive(process) for process in processes))


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
