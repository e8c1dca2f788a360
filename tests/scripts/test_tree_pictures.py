"""The pictures of docs/searchers: each is what its command draws today."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from lolli.cli.group import group
from scripts.documentation.document import FOLDER, TREE_PAGES, picture_commands
from scripts.documentation.screens import DocumentationError

COMMANDS = picture_commands()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_picture_is_that_of_its_command(name: str) -> None:
    _, *words, file = shlex.split(COMMANDS[name])
    assert file == name
    done = CliRunner().invoke(group, [*words, "-"])
    assert done.exit_code == 0, done.stderr
    assert (TREE_PAGES / FOLDER / name).read_text(encoding="utf-8") == done.stdout


def test_no_picture_is_left_over() -> None:
    assert {file.name for file in (TREE_PAGES / FOLDER).iterdir()} == set(COMMANDS)
    assert len(COMMANDS) >= 5


def test_a_picture_without_a_command_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.documentation.document.TREE_PAGES", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("lolli tree --svg one.svg\n![one](pictures/one.svg)\n")
    assert picture_commands() == {"one.svg": "lolli tree --svg one.svg"}
    page.write_text("lolli tree --svg one.svg\n![two](pictures/two.svg)\n")
    with pytest.raises(DocumentationError, match=re.escape("page.md: two.svg needs one command")):
        picture_commands()
