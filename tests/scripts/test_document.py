"""The page of commands: the machinery that runs and draws them, and that the page has all of them."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

import psutil
import pytest
from rich.text import Text

from lolli.cli.group import COMMANDS
from scripts.documentation.document import (
    FOLDER,
    INTRODUCTION,
    LARGEST_PICTURE,
    LARGEST_SUM,
    PAGE,
    SOURCE,
    PageWriter,
    Section,
    Shell,
    composed,
    pictures_of,
    sections,
    store,
)
from scripts.documentation.screens import DocumentationError, Terminal, drawn
from tests.patience import PATIENCE, wait_until

SIZE = (30, 8)


@pytest.fixture
def shell() -> Iterator[Shell]:
    with Shell(lambda _command: None) as shell:
        yield shell


def terminal(shell: Shell, command: str) -> Terminal:
    return Terminal(command, SIZE, shell.folder, shell.environment)


def written(source: str) -> tuple[str, dict[str, bytes]]:
    writer = PageWriter(lambda _section, _command: None)
    return writer.written(Section("name", source, 1)), writer.pictures


def runs(process: int) -> bool:
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class TestTerminal:
    """A command in a terminal in memory."""

    def test_colours_and_styles_are_kept(self, shell: Shell) -> None:
        text = r"\033[1mB\033[0;2mD\033[22mN\033[3mI\033[0;4mU\033[0;38;2;1;2;3mT\033[0;48;5;196mX\033[0;31mR"
        with terminal(shell, f"printf '{text}'") as screen:
            assert screen.wait(PATIENCE) == 0
            line = screen.lines()[-1]
        looks = {line.plain[span.start : span.end]: str(span.style) for span in line.spans if span.style}
        assert looks == {
            "B": "bold",
            "D": "dim",
            "I": "italic",
            "U": "underline",
            "T": "#010203",
            "X": "on #ff0000",
            "R": "red",
        }

    def test_the_command_sees_a_terminal_of_that_size_with_true_colours(self, shell: Shell) -> None:
        with terminal(shell, "sh -c 'stty size; echo \"$TERM $COLORTERM\"; test -t 1'") as screen:
            assert screen.wait(PATIENCE) == 0
            assert screen.text.endswith("\n8 30\nxterm-256color truecolor")

    def test_keys_are_pressed_and_ctrl_c_interrupts(self, shell: Shell) -> None:
        script = 'trap "exit 7" INT; read name; echo "Hello $name"; while :; do sleep 0.01; done'
        with terminal(shell, f"sh -c '{script}'") as screen:
            screen.press("Rosa")
            screen.press("enter")
            screen.until("^Hello Rosa$", PATIENCE)
            screen.press("ctrl-c")
            assert screen.wait(PATIENCE) == 7


class TestDrawing:
    """The picture of a screen."""

    def test_it_refers_to_nothing_outside(self) -> None:
        svg = drawn([Text("e4 ♟│⠋ <&")], "<title>")
        assert "e4" in "".join(ET.fromstring(svg).itertext())
        assert not re.search(r"https?://(?!www\.(w3|textualize)\.)|@font-face|url\((?!#)", svg)


class TestSource:
    """The source of the page, and the page, as sections."""

    def test_sections_begin_at_headings_but_not_in_code(self) -> None:
        text = "# Title\n\n## lolli play\n\n```sh\n## no heading\n```\n\n### Hints\n\n## Exit statuses\nend\n"
        found = sections(text)
        assert list(found) == [INTRODUCTION, "play", "exit-statuses"]
        assert "\n".join(section.text for section in found.values()) == text
        assert [section.line for section in found.values()] == [1, 3, 11]

    def test_commands_go_on_after_a_backslash(self) -> None:
        section = Section(
            "", "Do:\n\n```run\n$ one \\\n    --more\n# why\n$ two\n```\n```console\n$ text\n```", 1
        )
        assert section.commands == ["one \\\n    --more", "two"]
        assert [block.line for block in section.blocks] == [1, 3, 9]


class TestWriter:
    """A section's blocks are done."""

    def test_commands_are_shown_with_both_outputs(self) -> None:
        text, _ = written("Before.\n\n```run\n$ echo out; echo err >&2\n$ true\n```\nAfter.")
        assert text == "Before.\n\n```console\n$ echo out; echo err >&2\nout\nerr\n\n$ true\n```\nAfter."

    def test_what_tells_of_this_machine_is_refused(self) -> None:
        with pytest.raises(DocumentationError, match="the output names"):
            written("```run\n$ pwd\n```")

    def test_what_is_started_runs_until_the_section_ends(self) -> None:
        text, _ = written(
            "```start ready\n$ sh -c 'echo $$ > pid; echo ready; sleep 1000'\n```\n"
            "```run\n$ cat pid; kill -0 $(cat pid) && echo alive\n```"
        )
        pid = re.search(r"^(\d+)\nalive$", text, re.MULTILINE)
        assert pid
        process = int(pid[1])
        wait_until(lambda: not runs(process))  # it is killed, but may take a moment to be gone

    def test_a_terminal_is_pictured_and_told(self) -> None:
        text, pictures = written(
            "```screen 40x5\n$ sh -c 'read line; echo [$line]; exit 4'\ntype e4\nuntil \\[e4\\]\n"
            "picture screen What is seen\ntext\nend 4\n```"
        )
        assert f"![What is seen]({FOLDER}/screen.svg)" in text
        assert "\n[e4]\n```" in text
        assert pictures.keys() == pictures_of(text) == {"screen.svg"}

    def test_pictures_of_commands_may_not_refer_to_the_network(self) -> None:
        with pytest.raises(DocumentationError, match="refers"):
            written(
                "```run\n$ echo '<image href=\"https://a.b/c\">' > a.svg\n```\n```picture a.svg 9\nText\n```"
            )

    @pytest.mark.parametrize(
        "block",
        [
            "run colour=red\n$ true",
            "screen 9\n$ true",
            "screen 9x9\n$ true\njump",
            "screen 9x9\n$ true\nend 1",
        ],
    )
    def test_what_cannot_be_done_is_told(self, block: str) -> None:
        with pytest.raises(DocumentationError):
            written(f"```{block}\n```")


class TestWholePage:
    """Sections together."""

    source = sections("It is {{day}}.\n## One\n```run\n$ echo 1\n```\n## Two\n```run\n$ echo 2\n```")

    def page(self, old: str, *names: str) -> str:
        return composed(self.source, sections(old), names, {"day": "Monday"}, PageWriter(lambda _s, _c: None))

    def test_all_sections_in_their_order(self) -> None:
        assert self.page("") == (
            "It is Monday.\n## One\n```console\n$ echo 1\n1\n```\n## Two\n```console\n$ echo 2\n2\n```"
        )

    def test_sections_that_are_not_named_stay(self) -> None:
        old = "It was Sunday.\n## One\nold\n## Gone\n"
        assert self.page(old, "two").startswith("It is Monday.\n## One\nold\n## Two\n```console\n$ echo 2\n2")

    def test_pictures_are_stored_and_old_ones_removed(self, tmp_path: Path) -> None:
        page = tmp_path / "page.md"
        store(page, f"![a]({FOLDER}/a.svg) ![b]({FOLDER}/b.svg)", {"a.svg": b"a", "b.svg": b"b"})
        store(page, f"![a]({FOLDER}/a.svg)", {})
        assert [file.name for file in (tmp_path / FOLDER).iterdir()] == ["a.svg"]

    @pytest.mark.parametrize(
        "pictures", [{}, {"a.svg": bytes(LARGEST_PICTURE + 1)}], ids=["missing", "too large"]
    )
    def test_nothing_is_stored_with_a_bad_picture(self, tmp_path: Path, pictures: dict[str, bytes]) -> None:
        page = tmp_path / "page.md"
        with pytest.raises(DocumentationError, match=r"a\.svg"):
            store(page, f"![a]({FOLDER}/a.svg)", pictures)
        assert not page.exists()


@pytest.fixture(scope="module")
def page() -> Mapping[str, Section]:
    return sections(PAGE.read_text())


class TestPageOfTheCommands:
    """docs/commands.md. Where one of these fails, run scripts/document."""

    source = sections(SOURCE.read_text())

    @pytest.mark.parametrize("name", COMMANDS)
    def test_each_command_has_a_section_that_runs_it(self, name: str) -> None:
        assert any(f"lolli {name}" in command for command in self.source[name].commands)

    def test_its_help_is_the_help_of_today(
        self, page: Mapping[str, Section], lolli_command: list[str]
    ) -> None:
        wide = {**os.environ, "COLUMNS": "80"}
        run = subprocess.run([*lolli_command, "--help"], env=wide, capture_output=True, text=True, check=True)
        _, _, after = page["in-general"].text.partition("\n$ lolli --help\n")
        assert after.partition("\n```")[0] == run.stdout.strip("\n"), "run scripts/document in-general"

    def test_the_page_has_the_sections_and_commands_of_its_source(self, page: Mapping[str, Section]) -> None:
        assert list(page) == list(self.source)
        for name, section in self.source.items():
            for command in section.commands:
                assert f"\n$ {command}\n" in page[name].text, f"scripts/document {name}"

    def test_its_text_is_that_of_the_source(self) -> None:
        source, page = (
            re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL).splitlines()
            for path in (SOURCE, PAGE)
        )
        assert [line for line in source if "{{" not in line and line not in page] == []

    def test_its_pictures_are_there_and_small(self) -> None:
        folder = PAGE.parent / FOLDER
        sizes = {file.name: file.stat().st_size for file in folder.iterdir()}
        assert sizes.keys() == pictures_of(PAGE.read_text())
        assert max(sizes.values()) <= LARGEST_PICTURE
        assert sum(sizes.values()) <= LARGEST_SUM
        for file in folder.glob("*.svg"):
            assert not re.search(r"href=\"(?!#)|url\((?!#)|@import", file.read_text()), file.name
