"""The engine, its commands and its dialogues where the system lacks something, or has them ignore signals.

Signals are ignored at the start under nohup(1), in the background of a script, and in some CI systems.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.compiled import ROOT
from tests.patience import PATIENCE
from tests.poorer import ignoring, without
from tests.protocol.gtp.client import Controller
from tests.protocol.uci import test_endings as endings
from tests.protocol.uci import test_process as talk
from tests.protocol.uci.dialogue import Dialogue

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="started by env(1)")

A_WHILE = 0.3  # seconds in which a signal would have shown its effect

MISSING = {
    "affinity": ["os.sched_getaffinity", "os.sched_setaffinity"],
    "terminals": ["termios"],
    "locks": ["fcntl"],
    "hang-ups": ["signal.SIGHUP"],
    "masks": ["signal.pthread_sigmask"],
    "limits": ["resource"],
    "alarms": ["signal.SIGALRM", "signal.setitimer"],
}
MISSING["all"] = [name for names in MISSING.values() for name in names]
PGN = '[Event "?"]\n[White "A"]\n[Black "B"]\n[Result "*"]\n\n1. e4 e5 *\n\n'
# Run in one process, so that they are loaded only once; a journal, workers, signals and a clock among them.
COMMANDS = """
import contextlib, io, sys
from lolli.cli.group import group

COMMANDS = '''
perft 2
eval startpos
analyse startpos --depth 2
annotate games.pgn --nodes 200 --jobs 2
play --level 1 --clock 1
tournament --game tictactoe --players montecarlo,random --playouts 10 --rounds 1
report games.pgn --nodes 100 --output report.html
games
gtp --game tictactoe
'''

def main():
    for words in COMMANDS.split("\\n"):
        if not words:
            continue
        sys.stdin = io.TextIOWrapper(io.BytesIO(b"quit\\n"))
        try:
            group.main(words.split(), prog_name="lolli", standalone_mode=False)
        except SystemExit as end:
            assert not end.code, (words, end.code)
        print("done:", words)

if __name__ == "__main__":
    main()
"""


def succeeded(command: list[str], folder: Path = ROOT, timeout: float = PATIENCE) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("what", MISSING)
def test_the_engine(lolli_command: list[str], what: str) -> None:
    with Dialogue(without(MISSING[what], lolli_command)) as dialogue:
        assert dialogue.ask("uci", "setoption name Threads value 2", "position startpos")[-1] == "uciok"
        dialogue.go("depth 4")
        dialogue.send("go infinite", "stop")
        dialogue.expect("bestmove .*")


@pytest.mark.slow
@pytest.mark.parametrize("what", MISSING)
def test_the_commands(tmp_path: Path, what: str, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the commands are the same in both modes")
    (tmp_path / "games.pgn").write_text(PGN)
    (tmp_path / "commands.py").write_text(COMMANDS)
    output = succeeded(without(MISSING[what], [sys.executable, "commands.py"]), tmp_path)
    assert output.count("done: ") == 9
    assert (tmp_path / "games-annotated.pgn").read_text().startswith('[Event "?"]')


def test_the_scripts_are_loaded() -> None:
    """Except those that are for a Python inside GNU Backgammon, inside a sanitizer, or with PyTorch."""
    code = (
        "import pkgutil, scripts, sys\n"
        "from importlib import import_module\n"
        "for each in pkgutil.walk_packages(scripts.__path__, 'scripts.'):\n"
        "    if each.name.rpartition('.')[2] not in (\n"
        "        'gnubg_side', 'policy_torch'\n"
        "    ):\n"
        "        import_module(each.name)\n"
        "print(sum(name.startswith('scripts.') for name in sys.modules))\n"
    )
    assert int(succeeded(without(MISSING["all"], [sys.executable, "-c", code]))) > 20


@pytest.mark.parametrize("what", MISSING)
@pytest.mark.parametrize(
    "dialogue",
    [
        endings.test_no_input_at_all,
        endings.test_a_last_line_without_its_end,
        partial(endings.test_end_of_input, state="searching"),
        partial(endings.test_signals, state="searching", number=signal.SIGINT),
        partial(endings.test_signals, state="searching", number=signal.SIGTERM),
        partial(endings.test_closed_stdout, command="go infinite"),
        talk.test_perft_and_bench_do_not_block_the_dialogue_and_can_be_stopped,
        talk.test_eval_help_and_compiler,
    ],
)
def test_dialogues(what: str, dialogue: Callable[[list[str]], None], lolli_command: list[str]) -> None:
    dialogue(without(MISSING[what], lolli_command))


# Signals ignored at the start stay ignored


def test_the_engine_goes_on(lolli_command: list[str]) -> None:
    with Dialogue(ignoring(["INT"], lolli_command)) as dialogue:
        dialogue.ask("uci", "position startpos")
        dialogue.send("go infinite")
        dialogue.expect("info depth .*")
        dialogue.process.send_signal(signal.SIGINT)
        time.sleep(A_WHILE)
        dialogue.send("stop")
        dialogue.expect("bestmove .*")
        dialogue.process.send_signal(signal.SIGTERM)
        assert dialogue.wait() == -signal.SIGTERM


def test_gtp_goes_on(lolli_command: list[str]) -> None:
    command = ignoring(["INT"], [*lolli_command, "gtp", "--game", "tictactoe"])
    with Controller(command) as gtp:
        gtp.get("name")
        gtp.process.send_signal(signal.SIGINT)
        time.sleep(A_WHILE)
        assert gtp.get("name") == "Lolli"


def test_a_command_goes_on(lolli_command: list[str]) -> None:
    words = ["analyse", "startpos", "--time", "1.5"]
    with subprocess.Popen(
        ignoring(["INT"], [*lolli_command, *words]), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # it has begun
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, errors
        assert "Best move: " in output


@pytest.fixture
def hang_ups_heeded() -> Iterator[None]:
    """What is started here heeds SIGHUP, also where nohup(1) has started the tests."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hang_ups_heeded")
@pytest.mark.parametrize(("ignored", "status"), [(["HUP"], 0), (["INT"], 128 + signal.SIGHUP)])
def test_a_game_outlives_its_terminal_under_nohup(
    lolli_command: list[str], tmp_path: Path, ignored: list[str], status: int
) -> None:
    words = ["play", "--level", "1", "--nodes", "10", "--pgn", str(tmp_path / "game.pgn")]
    with subprocess.Popen(
        ignoring(ignored, [*lolli_command, *words]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        bufsize=0,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("e4\n")
        assert any("e4" in line for line in iter(process.stdout.readline, ""))
        process.send_signal(signal.SIGHUP)
        if status == 0:
            time.sleep(A_WHILE)
            process.stdin.write("quit\n")
        process.communicate(timeout=PATIENCE)
        assert process.returncode == status
