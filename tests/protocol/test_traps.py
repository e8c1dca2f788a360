"""A FIFO, a device or the like in the place of a file is refused at once, by dialogues and commands."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner

from lolli.cli.group import group
from scripts.laboratory.engine_pipe import peak_resident
from tests.engine.lookup.books import four, packed
from tests.engine.lookup.endings import FOLDER, needs_tables
from tests.patience import PATIENCE
from tests.protocol.gtp.client import Controller
from tests.protocol.uci.dialogue import Dialogue, field, infos
from tests.traps import REASONS, TRAPS, laid

AT_ONCE = 60.0  # seconds; it is a hundredth of one, but a machine may be busy
LITTLE = 200 << 20  # bytes of memory; the engine with its smallest table has a quarter of it
TABLE = "KQvK.rtbw"


def told(dialogue: Dialogue, option: str, path: Path) -> str:
    """The one line that the engine answers to such a value; it goes on, and takes little memory."""
    dialogue.send(f"setoption name {option} value {path}", "isready")
    *lines, ready = dialogue.expect("readyok", AT_ONCE)
    assert ready == "readyok"
    (line,) = lines
    assert peak_resident(dialogue.process.pid) < LITTLE
    return line


@pytest.mark.parametrize("trap", TRAPS)
def test_options_of_uci(lolli_command: list[str], tmp_path: Path, trap: str) -> None:
    path, reason = laid(trap, tmp_path / "x"), REASONS[trap]
    table = laid(trap, tmp_path / TABLE)
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask()
        line = told(dialogue, "EvalFile", path)
        assert line.startswith(f"info string EvalFile stays as it was: {path}: cannot be read: {reason}")
        line = told(dialogue, "BookFile", path)
        if trap == "folder":
            reason = "a folder, not a book"
        assert line.startswith(f"info string BookFile stays as it was: {path}: ")
        assert reason in line
        line = told(dialogue, "SyzygyPath", tmp_path)
        assert line.startswith(f"info string SyzygyPath: no tables; {table}: cannot be read: {REASONS[trap]}")
        line = told(dialogue, "Debug Log File", path)
        reason = "a symbolic link" if path.is_symlink() else REASONS[trap]
        assert (
            f"info string no log: {path}: {'a file that is not a log' if trap == 'giant' else reason}" in line
        )
        assert dialogue.go("depth 1")[1] != "0000"


def test_a_log_on_a_full_disk_ends_not_the_game(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    limited = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *lolli_command]
    with Dialogue(limited) as dialogue:
        dialogue.ask(f"setoption name Debug Log File value {path}")
        said = [line for _ in range(30) for line in dialogue.ask("d") if line.startswith("info string")]
        assert said == ["info string the log ends here: File too large"]
    assert 500 <= path.stat().st_size <= 1024


@pytest.mark.parametrize("left", [0, 20, 48])
def test_a_book_that_is_cut_while_it_is_in_use(lolli_command: list[str], tmp_path: Path, left: int) -> None:
    """To read beyond the end of a file that is mapped into memory would end the process."""
    path = tmp_path / "book.bin"
    path.write_bytes(packed(four()))
    with Dialogue(lolli_command) as dialogue:
        told = dialogue.ask("setoption name OwnBook value true", f"setoption name BookFile value {path}")
        assert told == []
        assert dialogue.go("nodes 50")[0][0].startswith("info string book move")
        os.truncate(path, left)
        assert dialogue.go("nodes 50")[1] != "0000"


@needs_tables
def test_a_table_that_is_cut_while_it_is_in_use(lolli_command: list[str], tmp_path: Path) -> None:
    for name in ("KRvK.rtbw", "KRvK.rtbz"):
        shutil.copy(FOLDER / name, tmp_path)
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(f"setoption name SyzygyPath value {tmp_path}")
        dialogue.send("position fen 8/8/8/8/8/4k3/8/K6R w - - 0 1")
        assert field(infos(dialogue.go("nodes 100")[0])[-1], "tbhits")
        for path in tmp_path.iterdir():
            os.truncate(path, 0)
        before, best = dialogue.go("nodes 100")
        assert best != "0000"
        (told,) = (line for line in before if line.startswith("info string a damaged endgame table"))
        assert "KRvK.rtbw (EOFError)" in told


@pytest.mark.parametrize("trap", TRAPS)
def test_games_for_gtp(lolli_command: list[str], tmp_path: Path, trap: str) -> None:
    path = laid(trap, tmp_path / "x.sgf")
    with Controller([*lolli_command, "gtp"]) as controller:
        controller.get("name")
        answer = controller.say(f"loadsgf {path}", AT_ONCE)
        assert not answer.good
        assert answer.text.startswith(f"cannot load file: {REASONS[trap]}")
        assert peak_resident(controller.process.pid) < LITTLE


COMMANDS = {
    "analyse": ("analyse", "{trap}"),
    "diagram": ("diagram", "{trap}"),
    "eval": ("eval", "{trap}"),
    "weights": ("eval", "--weights", "{trap}"),
    "play": ("play", "{trap}"),
    "kept games": ("play", "--pgn", "{trap}"),
    "saved games": ("tournament", "--game", "checkers", "--players", "random,random", "--save", "{trap}"),
    "report": ("report", "{trap}", "-o", "-"),
    "suite": ("suite", "{trap}"),
    "ablate": ("ablate", "{trap}"),
    "annotate": ("annotate", "{trap}", "-o", "-"),
    "annotate's weights": ("annotate", "{game}", "-o", "-", "--weights", "{trap}"),
}
"""Each with a file that it reads, or adds to."""


def refused(trap: str, said: str) -> None:
    last = said.splitlines()[-1]
    assert "Traceback" not in said
    assert last.startswith("Error: "), said
    assert REASONS[trap].lower() in last.lower()


def words_of(command: str, trap: str, folder: Path) -> list[str]:
    path, game = laid(trap, folder / "x"), folder / "game.pgn"
    game.write_text("1. e4 *\n")
    return [word.format(trap=path, game=game) for word in COMMANDS[command]]


@pytest.mark.parametrize(
    ("command", "trap"),
    [
        (command, trap)
        for command in COMMANDS
        for trap in ("FIFO", "device", "folder", "giant")
        if trap != "giant" or command not in {"kept games", "saved games"}  # which can be added to
    ],
)
def test_commands(tmp_path: Path, command: str, trap: str) -> None:
    words = words_of(command, trap, tmp_path)
    result = CliRunner().invoke(group, words)
    assert result.exit_code == 2, result.output
    refused(trap, result.stderr)


def run(command: list[str], *words: str, descriptors: Sequence[int] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=PATIENCE,
        pass_fds=descriptors,
    )


@pytest.mark.parametrize(
    ("words", "content", "said"),
    [
        (("eval", "{pipe}"), "8/8/8/8/8/4k3/8/K6R w - - 0 1", "Chances of White: win 100.0%"),
        (("suite", "{pipe}", "--nodes", "100"), '8/8/8/8/8/4k3/8/K6R w - - bm Rh3+; id "x";', "of 1 solved"),
        (("annotate", "{pipe}", "-o", "-", "--nodes", "40"), "1. e4 e5 *", "[%eval"),
        (("diagram", "{pipe}"), "1. e4 e5 *", "<svg"),
    ],
)
def test_what_the_shell_hands_over(
    lolli_command: list[str], words: tuple[str, ...], content: str, said: str
) -> None:
    """As in `lolli suite <(xz -dc suite.epd.xz)`."""
    outlet, inlet = os.pipe()
    os.write(inlet, f"{content}\n".encode())
    os.close(inlet)
    done = run(
        lolli_command, *(word.format(pipe=f"/dev/fd/{outlet}") for word in words), descriptors=[outlet]
    )
    os.close(outlet)
    assert done.stderr.count("Error") == 0
    assert said.lower() in (done.stdout + done.stderr).lower()


def test_results_for_a_fifo(lolli_command: list[str], tmp_path: Path) -> None:
    """One that nobody reads from; then one with a reader."""
    fifo, game = laid("FIFO", tmp_path / "out.pgn"), tmp_path / "game.pgn"
    game.write_text("1. e4 e5 *\n")
    words = ("annotate", str(game), "-o", str(fifo), "--nodes", "40")
    done = run(lolli_command, *words)
    assert (done.returncode, done.stderr) == (2, f"Error: {fifo}: nobody reads from it\n")
    read: list[bytes] = []
    reader = Thread(target=lambda: read.append(fifo.read_bytes()), daemon=True)
    reader.start()
    for _ in range(20):  # until the reader has opened it
        done = run(lolli_command, *words)
        if done.returncode == 0:
            break
    reader.join(PATIENCE)
    assert b"[%eval" in read[0]
    assert fifo.is_fifo()
