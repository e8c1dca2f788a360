"""`lolli setup`: what it finds, shows and writes, and what it leaves alone."""

import json
import os
import stat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import chess.engine
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from lolli.cli import clients
from lolli.cli.clients import (
    CLIENTS,
    ROOT,
    ClientFileError,
    carry_out,
)
from lolli.cli.group import group
from tests.patience import PATIENCE
from tests.traps import full_disk

COMMAND = ROOT / "scripts" / "run"
OURS = f'"Lolli" -fcp "./run" -fd "{COMMAND.parent}" -fUCI'

# As Cute Chess, PyChess and En Croissant write them: another engine each.
CUTE_CHESS = """[
\t{
\t\t"command" : "/opt/fruit",
\t\t"name" : "Fruit",
\t\t"options" : [
\t\t\t{
\t\t\t\t"alias" : "",
\t\t\t\t"default" : 16,
\t\t\t\t"max" : 1024,
\t\t\t\t"min" : 1,
\t\t\t\t"name" : "Hash",
\t\t\t\t"type" : "spin",
\t\t\t\t"value" : 64
\t\t\t}
\t\t],
\t\t"protocol" : "uci",
\t\t"stderrFile" : "",
\t\t"timeoutScaleFactor" : 1,
\t\t"workingDirectory" : ""
\t}
]
"""
PYCHESS = """[
 {
  "command": "/usr/games/fruit",
  "country": "fr",
  "level": 20,
  "md5": "0123456789abcdef0123456789abcdef",
  "name": "fruit",
  "protocol": "uci",
  "recheck": false
 }
]"""
EN_CROISSANT = """[
    {
        "type": "local",
        "id": "01234567-89ab-4cde-8f01-23456789abcd",
        "name": "Früit",
        "version": "2.1",
        "path": "/opt/früit",
        "loaded": true,
        "settings": []
    }
]"""
XBOARD = """;
; xboard 4.9.1 Save Settings file
;
-saveDate 1700000000
-firstChessProgramNames {fairymax
"Fruit 2.1" -fcp fruit -fUCI
# Old ones
"Caf\xe9" -fcp cafe
# end
}
-themeNames {"native" -ubt false
}
"""
FILES = {
    "cutechess": (".config/cutechess/engines.json", CUTE_CHESS.encode()),
    "pychess": (".config/pychess/engines.json", PYCHESS.encode()),
    "en-croissant": (".local/share/org.encroissant.app/engines/engines.json", EN_CROISSANT.encode()),
    "xboard": (".xboardrc", XBOARD.encode("latin-1")),
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(clients, "on_path", lambda *_: False)
    return tmp_path


@pytest.fixture(params=FILES)
def client(request: pytest.FixtureRequest, home: Path) -> tuple[str, Path, bytes]:
    """The key of a client, its file with another engine in it, and the content of that."""
    where, data = FILES[request.param]
    path = home / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return request.param, path, data


def setup(*words: str) -> Result:
    return CliRunner().invoke(group, ["setup", *words])


def test_no_client(home: Path) -> None:
    done = setup()
    assert done.exit_code == 2
    assert "no client found: name one of cutechess" in done.output
    assert not list(home.iterdir())


def test_without_write_nothing_is_written(client: tuple[str, Path, bytes], home: Path) -> None:
    key, path, data = client
    before = sorted(home.rglob("*"))
    done = setup()
    assert done.exit_code == 0, done.output
    assert f"Engine: {COMMAND}\n" in done.output
    assert done.output.count(str(COMMAND.parent)) >= 2  # in the entry, too
    assert "Nothing has been written" in done.output
    assert done.output.count(str(path)) == 1, key
    assert path.read_bytes() == data
    assert sorted(home.rglob("*")) == before


def test_an_entry_more_and_nothing_else(client: tuple[str, Path, bytes]) -> None:
    _, path, data = client
    path.chmod(0o600)
    done = setup("--write")
    assert done.exit_code == 0, done.output
    new = path.read_bytes()
    added = [line for line in new.splitlines() if line not in data.splitlines()]
    assert 1 <= len(added) <= (200 if b'"options"' in new else 20)
    position = 0
    for line in data.splitlines():  # each of the old lines, in order; one of them got a comma
        position = max(new.find(line, position), new.find(line + b",", position))
        assert position >= 0, line
    assert path.with_name(f"{path.name}.before-lolli").read_bytes() == data
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(list(path.parent.iterdir())) <= 3  # no part of a file is left


def test_cute_chess_gets_the_options_that_it_would_ask_for(lolli_command: list[str], home: Path) -> None:
    with chess.engine.SimpleEngine.popen_uci(lolli_command, timeout=PATIENCE) as engine:
        declared = dict(engine.options)
    assert setup("cutechess", "--write").exit_code == 0
    (entry,) = json.loads((home / FILES["cutechess"][0]).read_text())
    options = {each.pop("name"): each for each in entry["options"]}
    left_out = {"Ponder", "UCI_Chess960", "UCI_AnalyseMode", "UCI_EngineAbout", "UCI_ShowWDL"}
    assert options.keys() == declared.keys() - left_out
    for name, found in options.items():
        option = declared[name]
        assert found["type"] == {"string": "text"}.get(option.type, option.type)
        assert [found.get(key) for key in ("min", "max", "choices")] == [
            option.min,
            option.max,
            option.var or None,
        ]
        if option.type != "button":
            default = "<empty>" if option.default == "" else option.default
            assert (found["alias"], found["default"], found["value"]) == ("", default, default)


@pytest.mark.parametrize("command", [str(COMMAND), "/old/run"])
@pytest.mark.parametrize("without", [{}, {"options": []}])
def test_an_older_entry_of_cute_chess_gets_its_options(
    home: Path, command: str, without: dict[str, list[str]]
) -> None:
    """What earlier versions wrote had none. Those of a person stay."""
    path = home / FILES["cutechess"][0]
    assert setup("cutechess", "--write").exit_code == 0
    (entry,) = json.loads(path.read_text())
    options = entry.pop("options")
    path.write_text(json.dumps([{"name": "Fruit"}, {**entry, **without, "command": command, "mine": 1}]))
    done = setup("cutechess", "--write")
    assert ("lacks the engine's options" in done.output) == (command == str(COMMAND))
    assert json.loads(path.read_text())[1] == {**entry, "options": options, "mine": 1}
    own = [{**entry, "options": options[:1]}]
    path.write_text(json.dumps(own))
    assert "Lolli is there" in setup("cutechess", "--write").output
    assert json.loads(path.read_text()) == own


def test_another_command_under_the_same_name(client: tuple[str, Path, bytes], home: Path) -> None:
    """The entry stays, with what the client or a person has added to it, and so does an older copy."""
    key, path, _ = client
    setup("--write")
    old = home / "old" / "run"
    path.write_bytes(path.read_bytes().replace(str(COMMAND.parent).encode(), str(old.parent).encode()))
    outdated = path.read_bytes()
    done = setup(key, "--write")
    assert "it names another command" in done.output
    assert str(COMMAND.parent).encode() in path.read_bytes()
    assert str(old.parent).encode() not in path.read_bytes()
    assert path.with_name(f"{path.name}.before-lolli.1").read_bytes() == outdated
    assert "Lolli is there" in setup(key).output


def test_no_copy_is_written_over(client: tuple[str, Path, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Another `setup --write` makes its copy at the same moment; of a private file nobody reads it."""
    key, path, data = client
    path.chmod(0o600)
    plan = CLIENTS[key].plan(path, "Lolli", COMMAND)
    other = path.with_name(f"{path.name}.before-lolli")
    real = os.fsync
    modes: list[int] = []

    def other_first(descriptor: int) -> None:
        real(descriptor)
        if not modes:
            other.write_bytes(b"the other's")
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))

    monkeypatch.setattr(os, "fsync", other_first)
    assert carry_out(plan) == path.with_name(f"{other.name}.1")
    assert other.read_bytes() == b"the other's"
    assert path.with_name(f"{other.name}.1").read_bytes() == data
    assert set(modes) == {0o600}


def test_the_list_of_xboard(home: Path) -> None:
    """At its end, behind the groups; a list that ends on the line of its last engine; none at all."""
    path = home / ".xboardrc"
    for text, expected in (
        (XBOARD, XBOARD.replace("# end\n}", f"# end\n{OURS}\n}}")),
        ("-firstChessProgramNames {fairymax}\n", f"-firstChessProgramNames {{fairymax\n{OURS}\n}}\n"),
        ("-saveDate 17\n", f"-installEngine {{{OURS}}}\n-saveDate 17\n"),
    ):
        path.write_bytes(text.encode("latin-1"))
        setup("xboard", "--write")
        assert path.read_bytes().decode("latin-1") == expected


@pytest.mark.parametrize(
    ("key", "text", "reason"),
    [
        ("cutechess", '[{"name": "Fruit"}', "line 1"),
        ("cutechess", "[" * 100_000, "nested too deeply"),
        ("pychess", '{"name": "Fruit"}', "not a list"),
        ("pychess", '[\n{"name" "Fruit"}\n]', "line 2"),
        ("en-croissant", "[\n\xff", "utf-8"),
        ("xboard", "-firstChessProgramNames {fairymax\n", "no end"),
    ],
)
def test_a_broken_file(home: Path, key: str, text: str, reason: str) -> None:
    path = home / FILES[key][0]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "latin-1")
    done = setup("--write")
    assert done.exit_code == 1
    assert f"Error: {path}: " in done.output
    assert reason in done.output
    assert path.read_text("latin-1") == text
    assert len(list(path.parent.iterdir())) == 1


def test_a_link_stays_one(home: Path) -> None:
    """Settings are often kept in a repository, with links to them."""
    kept = home / "dotfiles" / "engines.json"
    kept.parent.mkdir()
    kept.write_text("[]\n")
    (home / ".config" / "cutechess").mkdir(parents=True)
    link = home / ".config" / "cutechess" / "engines.json"
    link.symlink_to(kept)
    setup("--write")
    assert link.is_symlink()
    assert json.loads(kept.read_text())[0]["name"] == "Lolli"
    assert kept.with_name("engines.json.before-lolli").exists()


def test_what_was_changed_meanwhile_is_left(client: tuple[str, Path, bytes]) -> None:
    key, path, data = client
    plan = CLIENTS[key].plan(path, "Lolli", COMMAND)
    path.write_bytes(data + b"\n")
    with pytest.raises(ClientFileError, match="changed in the meantime"):
        carry_out(plan)
    assert path.read_bytes() == data + b"\n"


def test_a_full_disk(client: tuple[str, Path, bytes]) -> None:
    """No copy that is cut short is left, which would pass for the file before."""
    _, path, _ = client
    data = path.read_bytes() + b"\n" * 1000
    path.write_bytes(data)
    with full_disk(len(data) - 1):
        done = setup("--write")
    assert (done.exit_code, done.stderr) == (1, f"Error: {path}.before-lolli: File too large\n")
    assert path.read_bytes() == data
    assert list(path.parent.glob(f"*{path.name}*")) == [path]


def test_a_name_that_xboard_cannot_quote(home: Path) -> None:
    done = setup("xboard", "--name", 'a"b', "--write")
    assert done.exit_code == 1
    assert "no quotes, braces or backslashes in 'a\"b'" in done.output
    assert not (home / ".xboardrc").exists()


def test_a_name_in_a_folder_that_is_gone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "gone").mkdir()
    monkeypatch.chdir(home / "gone")
    (home / "gone").rmdir()
    try:
        done = setup("cutechess", "--file", "engines.json")
    finally:
        os.chdir(home)
    assert done.exit_code == 2
    assert done.stderr == "Error: the folder that you are in is gone: give --file with a whole name\n"


def test_twice_is_once(client: tuple[str, Path, bytes], home: Path) -> None:
    key, path, _ = client
    setup("--write")
    written, present = path.read_bytes(), sorted(home.rglob("*"))
    for words in (["--write"], [], [key, "--write"]):
        done = setup(*words)
        assert done.exit_code == 0
        assert "Lolli is there" in done.output
        assert "Nothing has been written" not in done.output
    assert path.read_bytes() == written
    assert sorted(home.rglob("*")) == present


def test_a_list_of_xboard_in_another_form(home: Path) -> None:
    """It writes it so where there is a brace in it."""
    path = home / ".xboardrc"
    text = '-firstChessProgramNames "fairymax\n\\"A}\\" -fcp a\n"\n'
    path.write_text(text)
    done = setup("--write")
    assert "by hand" in done.output
    assert OURS in done.output
    assert path.read_text() == text


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.sampled_from(["cutechess", "pychess", "en-croissant"]),
    st.lists(values | st.just({"name": "Lolli", "mine": 1}), max_size=4),
    st.sampled_from(["", "\n", "\r\n "]),
)
def test_all_other_items_stay(key: str, items: list[Any], ending: str) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "engines.json")
        file.write_text(json.dumps(items, indent=1) + ending, newline="")
        plan = CLIENTS[key].plan(file, "Lolli", COMMAND)
        assert plan.new is not None
        new = json.loads(plan.new)
        if (ours := {"name": "Lolli", "mine": 1}) in items:
            at = items.index(ours)
            assert new[at].items() >= ours.items()
            new[at] = ours
            assert new == items
        else:
            assert new[:-1] == items
        assert plan.new.decode().endswith("]" + ending)
        assert plan.new.count(b"\n") == plan.new.count(b"\r\n") or not ending.startswith("\r")
