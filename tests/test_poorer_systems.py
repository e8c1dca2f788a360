"""The engine, its commands and its dialogues where the system lacks what others have."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compiled import ROOT
from tests.poorer import SHIMS, without
from tests.protocol.dialogue import PATIENCE, Dialogue

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="started by env(1)")

MISSING = {
    "affinity": ["os.sched_getaffinity", "os.sched_setaffinity"],
    "terminals": ["termios"],
    "locks": ["fcntl"],
    "hang-ups": ["signal.SIGHUP"],
    "masks": ["signal.pthread_sigmask"],
    "limits": ["resource"],
    "alarms": ["signal.SIGALRM", "signal.setitimer"],
}
# psutil, which scripts need, does not load without resource where others have it.
MISSING["all"] = [name for what, names in MISSING.items() if what != "limits" for name in names]
PGN = '[Event "?"]\n[White "A"]\n[Black "B"]\n[Result "*"]\n\n1. e4 e5 *\n\n'
# Run in one process, so that they are loaded only once; a journal, workers, signals and a clock among them.
COMMANDS = """
import contextlib, io, sys
from protocol.cli.group import group

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


@pytest.mark.parametrize("what", MISSING)
def test_the_engine(lolli_command: list[str], what: str) -> None:
    with Dialogue(without(MISSING[what], lolli_command)) as dialogue:
        assert dialogue.ask("uci", "setoption name Threads value 2", "position startpos")[-1] == "uciok"
        dialogue.go("depth 4")
        dialogue.send("go infinite", "stop")
        dialogue.expect("bestmove .*")


@pytest.mark.parametrize("what", MISSING)
def test_the_commands(tmp_path: Path, what: str, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the commands are the same in both modes")
    (tmp_path / "games.pgn").write_text(PGN)
    (tmp_path / "commands.py").write_text(COMMANDS)
    done = subprocess.run(
        without(MISSING[what], [sys.executable, "commands.py"]),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.count("done: ") == 9
    assert (tmp_path / "games-annotated.pgn").read_text().startswith('[Event "?"]')


def test_the_scripts_are_loaded() -> None:
    """But those that are for a Python inside GNU Backgammon, or inside a sanitizer."""
    code = (
        "import pkgutil, scripts, sys\n"
        "from importlib import import_module\n"
        "for each in pkgutil.walk_packages(scripts.__path__, 'scripts.'):\n"
        "    if not each.name.endswith(('.gnubg_side', '.address_plugin')):\n"
        "        import_module(each.name)\n"
        "print(sum(name.startswith('scripts.') for name in sys.modules))\n"
    )
    done = subprocess.run(
        without(MISSING["all"], [sys.executable, "-c", code]),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 50


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("what", MISSING)
def test_the_tests_of_the_dialogue(what: str, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("nothing of this is in the kernel")
    files = ["test_endings.py", "test_dialogues_of_people.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        + [f"tests/protocol/{file}" for file in files],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(SHIMS), "LOLLI_WITHOUT": " ".join(MISSING[what])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
