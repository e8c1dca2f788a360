"""Completion of words in a shell: its script, and real shells in a terminal."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lolli.cli.completion import SHELLS
from tests.lolli.cli.terminal.screen import Screen
from tests.patience import PATIENCE

# As in a session of a person without settings of their own; then the script.
STARTS = {
    "bash": "bash --norc --noprofile -i",
    "fish": "fish --no-config --interactive",
    "zsh": "zsh -f -i",
}
SET_UP = {
    "bash": "PS1='> '; eval \"$(lolli completion bash)\"",
    "fish": "function fish_prompt; echo '> '; end; lolli completion fish | source",
    "zsh": "PS1='> '; autoload -Uz compinit; compinit -u -D; eval \"$(lolli completion zsh)\"",
}
TAB = "\t"
KILL_LINE = "\x15"


@pytest.fixture(params=SHELLS)
def shell(
    request: pytest.FixtureRequest,
    lolli_command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Screen]:
    name = request.param
    if shutil.which(name) is None and "LOLLI_REQUIRE_SHELLS" not in os.environ:
        pytest.skip(f"there is no {name}")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "lolli").write_text(f'#!/bin/sh\nexec {shlex.join(lolli_command)} "$@"\n')
    (programs / "lolli").chmod(0o755)
    (tmp_path / "unmistakable.epd").touch()
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with Screen(shlex.split(STARTS[name]), columns=80) as screen:
        screen.type(f"{SET_UP[name]}; echo re''ady\n")
        screen.expect(r"^ready\n(.*\n)*> ?$")
        yield screen


def test_a_command_an_option_and_a_file(shell: Screen) -> None:
    for typed, completed in (
        ("lolli perf", r"> lolli perft $"),
        ("lolli suite --stop", r"> lolli suite --stop-early $"),
        ("lolli suite --eval lin", r"> lolli suite --eval linear $"),
        ("lolli suite unmis", r"> lolli suite unmistakable\.epd $"),
        ("lolli setup cutech", r"> lolli setup cutechess $"),
        ("lolli setup --wri", r"> lolli setup --write $"),
        ("lolli doctor --js", r"> lolli doctor --json $"),
        ("lolli eval unmis", r"> lolli eval unmistakable\.epd $"),
    ):
        shell.type(typed + TAB)
        shell.expect(completed.replace(" $", " ?$"))
        shell.type(KILL_LINE)


@pytest.mark.parametrize("shell_in_use", ["/bin/tcsh", ""])
def test_a_shell_that_is_not_known(lolli_command: list[str], shell_in_use: str) -> None:
    done = subprocess.run(
        [*lolli_command, "completion"],
        capture_output=True,
        check=False,
        env={**os.environ, "SHELL": shell_in_use},
        text=True,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: unknown shell: use lolli completion bash|fish|zsh\n"
