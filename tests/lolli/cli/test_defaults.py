"""A person's own defaults for the commands of `lolli`."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from engine.session import Session
from lolli.cli.defaults import defaults, unknown_sections
from lolli.cli.group import COMMANDS, group
from protocol.config import VARIABLE
from protocol.config_file import GENERAL_KEYS, UCI, load
from protocol.uci.preferences import Preferences
from tests.compiled import ROOT
from tests.lolli.cli.terminal.screen import Screen
from tests.protocol.uci.dialogue import Dialogue

NO_VALUE = "neither a text, a number, true nor false"
POSITION = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of this person, empty at first."""
    path = tmp_path / "config.toml"
    path.touch()
    monkeypatch.setenv(VARIABLE, str(path))
    for name in ("NO_COLOR", "LOLLI_PIECES"):
        monkeypatch.setenv(name, "")  # set back at the end
        monkeypatch.delenv(name)
    return path


def run(*words: str) -> Result:
    return CliRunner().invoke(group, words)


def test_defaults_of_a_command_and_what_is_typed(file: Path) -> None:
    file.write_text('eval = "material"\n[analyse]\nlines = 2\ndepth = 2\njson = true\n')
    for name in ("analyse", "analyze"):
        done = run(name, POSITION)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert {line["line"] for line in lines if "line" in line} == {1, 2}
        assert max(line["depth"] for line in lines if "depth" in line) == 2
    lines = [json.loads(line) for line in run("analyse", POSITION, "--lines", "1").stdout.splitlines()]
    assert {line["line"] for line in lines if "line" in line} == {1}
    assert "Evaluation: material" in run("eval", POSITION).stdout
    assert "Evaluation: linear" in run("eval", POSITION, "--eval", "linear").stdout
    assert "Evaluation: network" in run("--no-config", "eval", POSITION).stdout


def test_weights_tell_which_evaluator_they_are_for(file: Path) -> None:
    file.write_text('eval = "material"\n')
    weights = ROOT / "eval" / "weights" / "linear.json"
    assert "Evaluation: linear" in run("eval", POSITION, "--weights", str(weights)).stdout
    refused = run("eval", POSITION, "--weights", str(weights), "--eval", "material")
    assert refused.exit_code == 2


def test_measurements_do_not_depend_on_it(file: Path) -> None:
    plain = run("bench", "1").stdout.split()[0]
    file.write_text('eval = "material"\nhash = 1\n')
    assert run("bench", "1").stdout.split()[0] == plain


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        ("hsh = 1", ("eval", "startpos"), "line 1: hsh: unknown key, did you mean hash?"),
        ("\n[analise]\n", ("eval", "startpos"), "line 2: [analise]: lolli has no such command"),
        ("[eval]\nlines = 2\n", ("eval", "startpos"), "line 2: lines: lolli eval has no such option"),
        ("[analyse]\nlines = 0\n", ("analyse", "startpos"), "line 2: lines: 0 is not in the range 1<=x<=256"),
        ("[analyse]\ntime = -1\n", ("analyse",), "line 2: time: -1.0 is not a number of seconds above 0"),
        ("[analyse]\nlines = 2.5\n", ("analyse",), "line 2: lines: '2.5' is not a valid integer range"),
        ("[analyse]\nlines = true\n", ("analyse",), "line 2: lines: 'true' is not a valid integer range"),
        *(
            (f"[analyse]\nlines = {value}\n", ("analyse",), f"line 2: lines: {NO_VALUE}")
            for value in ("[3]", "{a = 1}", "2026-01-01")
        ),
        ("[diagram]\narrow = [[1]]\n", ("diagram", "startpos"), f"line 2: arrow: {NO_VALUE}"),
    ],
)
def test_a_mistake(file: Path, text: str, words: tuple[str, ...], told: str) -> None:
    file.write_text(text)
    done = run(*words)
    assert done.exit_code == 2
    assert done.stderr == f"Error: {file}, {told}\n"
    assert run("--no-config", "eval", POSITION).exit_code == 0


def test_help_and_uci_alone_beside_a_mistake(file: Path) -> None:
    file.write_text("hash = 0\n[analyse]\nlines = 7\n")
    done = run("analyse", "--help")
    assert done.exit_code == 0
    assert "[default: 7;" in done.stdout


def test_without_the_file_and_without_a_command_it_speaks_uci(file: Path, lolli_command: list[str]) -> None:
    file.write_text("hash = 7\n")
    for words, megabytes in ((), 7), (("--no-config",), 16):
        with Dialogue([*lolli_command, *words]) as dialogue:
            dialogue.send("uci")
            assert f"Hash type spin default {megabytes} " in " ".join(dialogue.expect("uciok"))


def test_another_file_and_none(
    file: Path, tmp_path: Path, lolli_command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """For commands and for UCI; beside the one that counts else."""
    file.write_text('eval = "material"\nhash = 7\n')
    (tmp_path / "other.toml").write_text('eval = "linear"\nhash = 9\n')
    monkeypatch.chdir(tmp_path)
    for words, evaluator, megabytes in (
        (["--config", "other.toml"], "linear", 9),
        (["--config", "none"], "network", 16),
        (["--no-config"], "network", 16),
        ([], "material", 7),
    ):
        monkeypatch.setenv(VARIABLE, str(file))
        assert f"Evaluation: {evaluator}" in run(*words, "eval", POSITION).stdout
        monkeypatch.setenv(VARIABLE, str(file))
        with Dialogue([*lolli_command, *words]) as dialogue:
            dialogue.send("uci")
            assert f"Hash type spin default {megabytes} " in " ".join(dialogue.expect("uciok"))
    missing = run("--config", "no.toml", "eval", POSITION)
    assert (missing.exit_code, missing.stderr) == (
        2,
        f"Error: {tmp_path / 'no.toml'}: No such file or directory\n",
    )


def test_a_flag_is_undone(file: Path) -> None:
    """What is typed last counts."""
    file.write_text("[analyse]\njson = true\ndepth = 1\n[diagram]\ntext = true\nflip = true\n")
    assert run("analyse", POSITION).stdout.startswith("{")
    assert not run("analyse", POSITION, "--no-json").stdout.startswith("{")
    assert run("analyse", POSITION, "--no-json", "--json").stdout.startswith("{")
    assert run("diagram", POSITION).stdout.splitlines()[0].split()[0] == "1"
    assert run("diagram", POSITION, "--no-flip").stdout.splitlines()[0].split()[0] == "8"
    assert "<svg" in run("diagram", POSITION, "--no-text", "-o", "-").stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_flag_has_an_opposite_that_the_help_does_not_list(name: str) -> None:
    for param in COMMANDS[name].load().params:
        if isinstance(param, click.Option) and param.is_flag:
            flag = next(word for word in param.opts if word.startswith("--"))
            assert param.secondary_opts == [f"--no-{flag[2:]}"]
    assert "--no-" not in run(name, "--help").stdout.replace("--no-book", "")


def test_values_are_read_as_if_typed(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One value of an option that may be given several times, several values, and a file in the home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for arrows in ('"a7a6"', '["a7a6", "b2b3:red"]'):
        file.write_text(f'[diagram]\narrow = {arrows}\noutput = "~/board.svg"\n')
        done = run("diagram", "startpos")
        assert done.exit_code == 0, done.output
        drawn = (tmp_path / "board.svg").read_text()
        assert drawn.count("<line ") == arrows.count(",") + 1


def test_mistakes_for_other_commands_disturb_nobody(file: Path) -> None:
    file.write_text("[analyse]\nlines = 0\n")
    assert run("eval", POSITION).exit_code == 0
    assert run("completion", "bash").exit_code == 0


def test_how_the_board_looks(file: Path, lolli_command: list[str]) -> None:
    for text, sign in (("", "♚"), ('pieces = "outlined"', "♔"), ('pieces = "letters"', "K")):
        file.write_text(text)
        with Screen([*lolli_command, "analyse", POSITION, "--depth", "1"]) as screen:
            screen.wait()
            assert sign in screen.text
    file.write_text("colours = false")
    with Screen([*lolli_command, "analyse", POSITION, "--depth", "1"]) as screen:
        screen.wait()
        assert "♔" in screen.text
        assert "\x1b[38" not in screen.raw


def test_how_large_the_board_is(file: Path, lolli_command: list[str]) -> None:
    for size, height in (("small", 1), ("medium", 2)):
        file.write_text(f'board-size = "{size}"')
        with Screen([*lolli_command, "analyse", POSITION, "--depth", "1"]) as screen:
            screen.wait()
            lines = screen.text.splitlines()
        ranks = [next(i for i, line in enumerate(lines) if line.strip().startswith(rank)) for rank in "87"]
        assert ranks[1] - ranks[0] == height


def test_the_example_of_the_documentation(file: Path) -> None:
    """Nothing in it is a mistake, and each of its keys is explained."""
    page = (ROOT / "docs" / "config.md").read_text()
    example = page.partition("```toml\n")[2].partition("```")[0]
    file.write_text(example)
    own = load()
    assert own.problems == ()
    assert Preferences.from_file(Session()).problems == ()
    assert not list(unknown_sections(own, COMMANDS))
    for name in own.sections.keys() - {UCI}:
        found, faults = defaults(own, name, COMMANDS[name].load())
        assert faults == []
        assert len(found) >= len(own.sections[name])
    for key in GENERAL_KEYS:
        assert f"`{key}`" in page


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_can_be_named(name: str) -> None:
    """By the word after the two dashes."""
    for param in COMMANDS[name].load().params:
        if isinstance(param, click.Option):
            assert any(word.startswith("--") for word in param.opts)
