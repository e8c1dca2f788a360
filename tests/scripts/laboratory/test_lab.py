"""`scripts/lab`: one command with all experiments, and its help."""

import subprocess
import sys
from itertools import product
from unittest.mock import Mock

import click
import pytest
from click.testing import CliRunner

from lolli.cli.group import COMMANDS as OF_LOLLI
from lolli.cli.group import LazyCommand
from scripts.laboratory.lab import COMMANDS, SECTIONS, LabCommand, Needs, lab
from tests.compiled import ROOT, compiled_names


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_loaded_and_explains_itself(name: str) -> None:
    command = LazyCommand.load(COMMANDS[name])  # without a build
    assert isinstance(command, click.Command)
    done = CliRunner().invoke(command, ["--help"], prog_name=f"scripts/lab {name}")
    assert done.exit_code == 0
    assert done.output.startswith(f"Usage: scripts/lab {name} [OPTIONS]")
    assert command.help
    options = [param for param in command.params if isinstance(param, click.Option)]
    assert [option.name for option in options if not option.help] == []


@pytest.mark.parametrize("each", [*COMMANDS.values(), *OF_LOLLI.values()], ids=lambda each: each.where)
def test_options_take_no_infinite_number_and_not_nan(each: LazyCommand) -> None:
    command = LazyCommand.load(each)
    numbers = [param for param in command.params if isinstance(param.type, type(click.FLOAT))]
    for param, value in product(numbers, ("nan", "inf")):
        with pytest.raises(click.BadParameter, match=r"not a finite number|not in the range|not a number"):
            param.process_value(click.Context(command), value)


def test_the_help_lists_all_commands_by_purpose() -> None:
    done = CliRunner().invoke(lab, ["--help"])
    assert done.exit_code == 0
    places = [done.output.index(f"\n{heading}:\n") for heading in SECTIONS]
    assert places == sorted(places)
    for name, command in COMMANDS.items():
        assert f"\n  {name} " in done.output
        assert command.help.endswith(".")
    assert max(map(len, done.output.splitlines())) <= 80
    assert sum(map(len, SECTIONS.values())) == len(COMMANDS)


def test_help_is_given_without_a_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the command needs a package that a build would install."""
    build = Mock()
    monkeypatch.setattr("scripts.laboratory.lab.build", build)
    assert CliRunner().invoke(lab, ["tune", "--help"]).exit_code == 0
    build.assert_not_called()
    assert CliRunner().invoke(lab, ["tune", "--no-such-option"]).exit_code == 2
    build.assert_called_with(Needs.DEV)
    build.reset_mock()
    monkeypatch.setattr(LazyCommand, "load", Mock(side_effect=ImportError))
    assert isinstance(CliRunner().invoke(lab, ["tune", "--help"]).exception, ImportError)
    build.assert_called_with(Needs.DEV)


def test_ctrl_c_while_a_command_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LabCommand, "load", Mock(side_effect=KeyboardInterrupt))
    done = CliRunner().invoke(lab, ["match"])
    assert (done.exit_code, done.output) == (130, "")


def test_listing_the_commands_loads_nothing_that_a_build_would_replace() -> None:
    code = "import sys, scripts.laboratory.lab; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(compiled_names()).isdisjoint(done.stdout.split())
