"""What a terminal could obey reaches none, wherever it comes from."""

import io
import json
import re
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from lolli.cli.group import group
from lolli.cli.terminal.keys import PrintableStream, plain, printable_streams
from lolli.cli.terminal.screen import messages, output
from protocol.text import escaped, escaped_lines
from tests.lolli.cli.terminal.screen import Screen
from tests.protocol.uci.dialogue import Dialogue

EVIL = "\x1b]0;evil\x07\x9b31m\u202e\x08\x7f"
"""It sets the title of the window, then a colour; the direction of writing; it goes back, and deletes."""
SHOWN = r"\x1b]0;evil\x07\x9b31m\u202e\x08\x7f"
# The commands that a terminal may get from us: colours, the cursor, and how it is to be edited.
_OURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")


def is_harmless(text: str) -> bool:
    left = _OURS.sub("", text)
    return not any(
        unicodedata.category(letter) in {"Cc", "Cs"} and letter not in "\n\r\t" for letter in left
    ) and not set(left) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def test_what_is_escaped() -> None:
    assert escaped(EVIL) == SHOWN
    assert escaped("\ud800\n\t\u2028\ufeff\U000e0041") == r"\ud800\n\t\u2028\ufeff\U000e0041"
    assert escaped("a\tb\nc", "\n\t") == "a\tb\nc"
    for name in (
        "Müller",
        "Спасский",
        "岡\u3000潔",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0646\u0645",
        "\U0001f468\u200d\U0001f469",
        "♘\ufe0e",
    ):
        assert escaped(name) == name


@given(st.text(st.characters()))
def test_any_text(text: str) -> None:
    assert is_harmless(escaped(text))
    assert is_harmless(escaped_lines(text.encode("utf-8", "surrogatepass")).decode())


def test_streams_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Print and the error stream, and both again as they were; consoles write their colours beside them."""
    before = sys.stdout
    with printable_streams():
        assert isinstance(sys.stdout, PrintableStream)
        click.echo(EVIL)
        click.echo(EVIL, err=True)
        assert plain(sys.stdout) is before
        output().print("out")
        messages().print("err")
        with printable_streams():
            click.echo("twice")
    assert sys.stdout is before
    said = capsys.readouterr()
    assert said.out == f"{SHOWN}\nout\ntwice\n"
    assert said.err == f"{SHOWN}\nerr\n"


def test_a_character_that_the_encoding_lacks_is_a_question_mark() -> None:
    below = io.BytesIO()
    stream = PrintableStream(io.TextIOWrapper(below, "latin-1"))
    stream.write("Müller, Kostić: ♔\x07")
    assert below.getvalue() == b"M\xfcller, Kosti?: ?\\x07"


NAMES = {
    "command": (EVIL,),
    "option": ("bench", f"--{EVIL}"),
    "choice": ("tournament", "--game", EVIL, "--players", "uct"),
    "position": ("analyse", EVIL),
    "moves": ("analyse", "--moves", f"e4 {EVIL}"),
    "no folder": ("diagram", "startpos", "-o", f"{EVIL}/x.svg"),
    "suite": ("suite", EVIL),
    "puzzles": ("puzzles", EVIL),
    "play against": ("play", "--game", "nim", EVIL),
}


@pytest.mark.parametrize("words", NAMES.values(), ids=NAMES)
def test_words_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.pgn").write_text("1. e4 *\n")
    result = CliRunner().invoke(group, words)
    assert result.exit_code == 2, result.output
    assert is_harmless(result.output)
    assert "Traceback" not in result.output


def _weights(path: Path) -> None:
    path.write_text(json.dumps({"format": "lolli weights", "version": 1, "features": {EVIL: 1}}))


def _game(path: Path) -> None:
    path.write_text(
        f'[Event "{EVIL}"]\n[White "{EVIL}"]\n[Black "B"]\n\n1. e4 {{ {EVIL} }} e5 2. d4\n*\n\n'
        f'[Event "{EVIL}"]\n\n1. e4 {EVIL} *\n\n[{EVIL} "{EVIL}"]\n\n*\n'
    )


def _epd(path: Path) -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K3 w - -"
    path.write_text(f'{fen} bm e4; id "{EVIL}";\n{fen} bm {EVIL};\n{fen} {EVIL};\n{EVIL}\n')


def _good_epd(path: Path) -> None:
    path.write_text(f'4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id "{EVIL}";\n')


CONTENTS: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "weights": (_weights, ("eval", "--weights")),
    "annotate": (_game, ("annotate", "--nodes", "20", "--jobs", "1", "--force")),
    "analyse": (_game, ("analyse", "--nodes", "20", "--game", "1")),
    "eval": (_good_epd, ("eval",)),
    "suite": (_epd, ("suite", "--nodes", "20")),
    "ablate": (_epd, ("ablate", "--only", "ladder", "--ladder-depth", "1")),
    "report": (_game, ("report", "--game", "2", "-o", "-")),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_contents_and_names_of_files(lolli_command: list[str], tmp_path: Path, name: str) -> None:
    """On a terminal, as the person sees them."""
    write, words = CONTENTS[name]
    path = tmp_path / f"{EVIL}.{'epd' if write in (_epd, _good_epd) else 'pgn'}"
    write(path)
    with Screen([*lolli_command, *words, str(path)], columns=300) as screen:
        screen.wait()
        assert screen.raw
        assert is_harmless(screen.raw), ascii(screen.raw)
        assert "Traceback" not in screen.text


UCI = (
    *(EVIL, f"go nodes 1 {EVIL}", "stop", f"setoption name {EVIL} value {EVIL}", f"position fen {EVIL}"),
    f"setoption name EvalFile value /{EVIL}",
)


def test_a_dialogue_in_uci(lolli_command: list[str], tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(f"setoption name Debug Log File value {log}")
        said = dialogue.ask("debug on", *UCI)
        assert len(said) >= len(UCI)
        assert all(is_harmless(line) for line in said)
    assert is_harmless(log.read_text())
    assert SHOWN in log.read_text()
