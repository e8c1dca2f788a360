"""A person's own defaults: where the file is, what may stand in it, and how mistakes are reported."""

import json
import os
import re
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from engine.session import Session
from engine.system import services
from lolli.cli import CONFIG_VARIABLE
from lolli.cli.config import GENERAL_KEYS, UCI, Config, defaults, load, uci_defaults, unknown_sections
from lolli.cli.group import COMMANDS, group
from tests.compiled import ROOT
from tests.lolli.cli.terminal.screen import Screen
from tests.protocol.uci.dialogue import Dialogue

WHOLE = """\
# mine
hash = 256
threads = 4
eval = "linear"
tables = ["tables", "/syzygy/6"]
book = "~/books/my.bin"
colours = false
pieces = "letters"
board-size = "large"

[uci]
"Move Overhead" = 100

[analyse]
lines = 3
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (CONFIG_VARIABLE, "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def write(home: Path, text: str) -> str:
    path = home / ".config" / "lolli" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("xdg", [None, "settings"])
@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_usual_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch, platform: str, xdg: str | None
) -> None:
    """The same that click names, whose import takes longer than the start of the engine may."""
    if xdg is not None:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(home / xdg))
    monkeypatch.setenv("APPDATA", str(home / "AppData"))
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr("click.utils.WIN", platform == "win32")
    monkeypatch.setattr("click.utils.sys.platform", platform)
    assert services.config_folder("lolli") == click.get_app_dir("lolli")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_whole_file(home: Path, mark: str) -> None:
    """Also with the mark that editors on Windows put before it."""
    path = write(home, mark + WHOLE)
    own = load()
    assert own.path == path
    assert not own.problems
    folder = Path(path).parent
    assert own.general == {
        "hash": 256,
        "threads": 4,
        "eval": "linear",
        "tables": f"{folder}/tables{os.pathsep}/syzygy/6",
        "book": str(home / "books" / "my.bin"),
        "colours": False,
        "pieces": "letters",
        "board-size": "large",
    }
    assert own.sections == {"uci": {"Move Overhead": 100}, "analyse": {"lines": 3}}


def test_another_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, WHOLE)
    other = home / "other.toml"
    monkeypatch.setenv(CONFIG_VARIABLE, str(other))
    assert [*load().problems] == [f"{other}: No such file or directory"]
    other.write_text("hash = 8")
    assert load().general == {"hash": 8}
    monkeypatch.setenv(CONFIG_VARIABLE, "")
    assert load() == Config()


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("hash = 1\nhsh = 256\n", 2, "hsh: unknown key, did you mean hash?"),
        ("\n\nxyzzy = 1", 3, "xyzzy: unknown key"),
        ('hash = "big"', 1, "hash: not a whole number from 1 to 65536"),
        ("hash = 0", 1, "hash: not a whole number from 1 to 65536"),
        ("hash = true", 1, "hash: not a whole number from 1 to 65536"),
        ("threads = 513", 1, "threads: not a whole number from 1 to 512"),
        ('eval = "deep"', 1, "eval: not one of material, linear, network: 'deep'"),
        ("book = 3", 1, "book: neither true, false nor the name of a file"),
        ("tables = [3]", 1, "tables: neither a folder nor a list of folders"),
        ('"colours" = 3', 1, "colours: neither true nor false"),
        ('pieces = ["letters"]', 1, "pieces: neither a text, a number, true nor false"),
    ],
)
def test_what_is_wrong(home: Path, text: str, line: int, reason: str) -> None:
    path = write(home, f"{text}\n[uci]\nhsh = 1\n")
    own = load()
    assert [*own.problems] == [f"{path}, line {line}: {reason}"]
    assert own.general.keys() <= {"hash"}, "the rest counts"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"hash = 1\nthreads 4\n", ", line 2: Expected '=' after a key in a key/value pair"),
        (b"hash = 1\nhash = 2\n", ", line 2: Cannot overwrite a value"),
        (b"\xff", ": not in UTF-8"),
        (b"a = [", ", at the end of the file: Invalid value"),
        (b"[uci", ", at the end of the file: Expected ']' at the end of a table declaration"),
        (b"#" * (1 << 21), ": larger than 16 KiB"),
        (b"\n".join(b"key%d = 1" % number for number in range(20_000)), ": larger than 16 KiB"),
        (b"hash = " + b"9" * 6000, ": Exceeds the limit (4300 digits) for integer string conversion"),
        (b"hash = " + b"[" * 8000, ": brackets in too many brackets"),
    ],
)
def test_what_is_no_toml(home: Path, data: bytes, reason: str) -> None:
    path = write(home, "")
    Path(path).write_bytes(data)
    (problem,) = load().problems
    assert problem.startswith(f"{path}{reason}")
    assert "column" not in problem


def test_a_folder_or_a_pipe_in_place_of_the_file(home: Path) -> None:
    path = home / ".config" / "lolli" / "config.toml"
    path.mkdir(parents=True)
    assert [*load().problems] == [f"{path}: Is a directory"]
    path.rmdir()
    os.mkfifo(path)
    assert [*load().problems] == [f"{path}: a FIFO, not a regular file"]


# Over UCI: told as the options' defaults, and overruled by the client


def test_defaults_and_what_the_client_sets(
    lolli_command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client sends only what differs from the default of the `option` line."""
    file = tmp_path / "config.toml"
    file.write_text(
        f'hash = 32\nthreads = 2\neval = "linear"\ntables = "{tmp_path}"\nbook = true\n'
        '[uci]\n"move overhead" = 100\nUCI_ShowWDL = true\nThreads = 3\n'
    )
    monkeypatch.setenv(CONFIG_VARIABLE, str(file))
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("uci")
        lines = dialogue.expect("uciok")
        told = {line.split(" type ")[0]: line for line in lines}
        for expected in (
            "option name Hash type spin default 32 ",
            "option name Threads type spin default 3 ",
            "option name Eval type combo default linear ",
            f"option name SyzygyPath type string default {tmp_path}",
            "option name OwnBook type check default true",
            "option name BookFile type string default <standard>",
            "option name Move Overhead type spin default 100 ",
            "option name UCI_ShowWDL type check default true",
            "option name MultiPV type spin default 1 ",
        ):
            assert told[expected.split(" type ")[0]].startswith(expected)
        assert not [line for line in lines if line.startswith("info string") and "config" in line]
        said = dialogue.ask("setoption name OwnBook value false", "position startpos")
        assert any("SyzygyPath: no tables" in line for line in said), said
        assert "Evaluation: linear" in dialogue.ask("eval")
        lines, _ = dialogue.go("depth 3")
        assert all(" wdl " in line for line in lines if line.startswith("info depth"))
        assert not any("book move" in line for line in lines)


@pytest.mark.parametrize(
    ("book", "options"), [("false", {"OwnBook": False}), ('"/b"', {"BookFile": "/b", "OwnBook": True})]
)
def test_no_book_and_one_by_name(home: Path, book: str, options: dict[str, object]) -> None:
    write(home, f"book = {book}")
    assert {option.name: value for option, value in uci_defaults(Session(megabytes=1))[0].items()} == options


def test_mistakes_are_told_and_the_rest_counts(
    lolli_command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        "hash = 24\nhsh = 1\n[uci]\nNope = 1\nThreads = 0\nUCI_EngineAbout = 'me'\n'Clear Hash' = true\n"
        "SyzygyPath = ['a', 'b']\nhash = 'x'\nponder = 3\nParameters = 'no=1'\n"
        f"MultiPV = 0x{'f' * 6000}\n"
    )
    monkeypatch.setenv(CONFIG_VARIABLE, str(file))
    with Dialogue(lolli_command, quiet=False) as dialogue:
        dialogue.send("uci")
        lines = dialogue.expect("uciok")
        assert any(line.startswith("option name Hash type spin default 24 ") for line in lines)
        told = [line for line in lines if line.startswith("info string") and str(file) in line]
        assert told == [
            f"info string {file}, line {line}: {text}"
            for line, text in (
                (2, "hsh: unknown key, did you mean hash?"),
                (4, "Nope: unknown option"),
                (5, "Threads: must be from 1 to 512"),
                (6, "UCI_EngineAbout: is read only"),
                (7, "Clear Hash: has no value"),
                (8, "SyzygyPath: neither a text, a number, true nor false"),
                (9, "hash: not a whole number: 'x'"),
                (10, "ponder: must be true or false, not '3'"),
                (11, "Parameters: unknown parameter 'no'"),
                (12, "MultiPV: a number of thousands of digits"),
            )
        ]
        dialogue.ask("isready")


def test_the_signature_stays_the_same(
    lolli_command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`bench` is what versions are compared by."""
    file = tmp_path / "config.toml"
    sums = []
    for text in ("", 'eval = "material"\nhash = 1\nthreads = 2\n[uci]\nParameters = "null_move=off"\n'):
        file.write_text(text)
        monkeypatch.setenv(CONFIG_VARIABLE, str(file))
        with Dialogue(lolli_command) as dialogue:
            dialogue.send("bench 1")
            sums.append(dialogue.expect(r"\d+ nodes \d+ nps")[-1].split()[0])
    assert sums[0] == sums[1]


# For the commands

NO_VALUE = "neither a text, a number, true nor false"
POSITION = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of this person, empty at first."""
    path = tmp_path / "config.toml"
    path.touch()
    monkeypatch.setenv(CONFIG_VARIABLE, str(path))
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
    file.write_text(f'eval = "material"\n[analyse]\nweights = "{weights}"\n')
    assert run("analyse", POSITION, "--nodes", "10").exit_code == 0


WEIGHTS = ROOT / "eval" / "weights" / "linear.json"


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("[play]\nlevel = 12", "play --elo 1500"),
        ("[play]\nlevel = 12", "play --game othello random"),
        ("[play]\nlevel = 12", "play --game othello"),
        ("[play]\nchess960 = 5", "play startpos"),
        ("[play]\nchess960 = 5", "play"),
        ('[play]\ngame = "othello"', "play --elo 1500"),
        ('[play]\ncolor = "white"', "play --game othello --seat 2 random"),
        ("[gtp]\nlevel = 3", "gtp --searcher uct --option playouts=5"),
        ('[gtp]\nsearcher = "uct"\noption = ["playouts=5"]', "gtp --level 3"),
        ("[solve]\nnodes = 50", "solve --game checkers --men 2 --make table"),
        ("[solve]\nforce = true", "solve"),
        ("[annotate]\nbook = true", "annotate --no-book games.pgn"),
        ("[annotate]\nno-book = true", "annotate games.pgn --book"),
        ("[annotate]\nbook = false", "annotate games.pgn"),
        ("[play]\nchess960 = false", "play startpos"),
        ('[report]\nplayer = "Ada"', "report games.pgn --nodes 5"),
        (f'[analyse]\nweights = "{WEIGHTS}"', "analyse --eval material --depth 1 startpos"),
    ],
)
def test_what_is_typed_counts_more_than_a_default_that_contradicts_it(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, section: str, words: str
) -> None:
    file.write_text(section)
    (tmp_path / "games.pgn").write_text("1. e4 *\n")
    monkeypatch.chdir(tmp_path)
    done = run(*words.split())
    assert "Error" not in done.output
    assert done.exit_code == 0


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        (
            f"eval = 0x{'f' * 4000}",
            ("eval", "startpos"),
            "line 1: eval: a number of thousands of digits",
        ),
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
        monkeypatch.setenv(CONFIG_VARIABLE, str(file))
        assert f"Evaluation: {evaluator}" in run(*words, "eval", POSITION).stdout
        monkeypatch.setenv(CONFIG_VARIABLE, str(file))
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


def test_an_option_that_needs_no_value(file: Path, tmp_path: Path) -> None:
    """It is true, as where it is typed without one."""
    game, target = tmp_path / "x.pgn", tmp_path / "y.pgn"
    game.write_text("1. e4 e5 *\n")
    words = ("annotate", str(game), "-o", str(target), "--nodes", "40", "--hash", "1", "--force")
    texts = []
    for text, typed in (("", ("--book",)), ("[annotate]\nbook = true\n", ())):
        file.write_text(text)
        assert run(*words, *typed).exit_code == 0
        texts.append(target.read_bytes())
    assert texts[0] == texts[1]
    told = []
    for text, typed in (("", ("--chess960",)), ("[play]\nchess960 = true\n", ())):
        file.write_text(text)
        told.append(CliRunner().invoke(group, ["play", "--seed", "1", *typed], input="fen\n").stdout)
    assert told[0] == told[1]
    assert " w KQkq - 0 1" in told[0]


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


def test_the_example_of_the_documentation(file: Path) -> None:
    """Nothing in it is a mistake, and each of its keys is explained."""
    page = (ROOT / "docs" / "config.md").read_text()
    example = page.partition("```toml\n")[2].partition("```")[0]
    file.write_text(example)
    own = load()
    assert not own.problems
    assert not uci_defaults(Session())[1]
    assert not list(unknown_sections(own, COMMANDS))
    for name in own.sections.keys() - {UCI}:
        found, faults = defaults(own, name, COMMANDS[name].load())
        assert faults == []
        assert len(found) >= len(own.sections[name])
    for key in GENERAL_KEYS:
        assert f"`{key}`" in page
    (options,) = re.findall(r"the options without the dashes: (.+?) \|", page)
    for option in re.findall("`(.+?)`", options):
        file.write_text(f"[suite]\n{option}\n")
        assert defaults(load(), "suite", COMMANDS["suite"].load())[1] == []


def test_measurements_do_not_depend_on_it(file: Path) -> None:
    plain = run("bench", "1").stdout.split()[0]
    file.write_text('eval = "material"\nhash = 1\n')
    assert run("bench", "1").stdout.split()[0] == plain
    for name in ("ablate", "bench"):
        assert defaults(load(), name, COMMANDS[name].load()) == ({}, [])
