"""`lolli doctor`: what it tells of this machine, and each thing that it finds wrong."""

import json
import os
import platform
import subprocess
from collections.abc import Callable, Mapping
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.board.position import COMPILED
from engine.system import linux, memory
from engine.system.processor import built_for
from eval import network_file
from lolli.cli import CONFIG_VARIABLE, clients
from lolli.cli import doctor as module
from lolli.cli.doctor import Record
from lolli.cli.group import group
from protocol import about
from tests.compiled import ROOT, compiled_names
from tests.patience import PATIENCE


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without anything; speed is not asked for."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(module, "examine_speed", lambda _record: None)
    return tmp_path


@pytest.fixture
def file(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = home / "config.toml"
    monkeypatch.setenv(CONFIG_VARIABLE, str(path))
    for name in ("NO_COLOR", "LOLLI_PIECES"):
        monkeypatch.setenv(name, "")  # set back at the end
        monkeypatch.delenv(name)
    return path


def doctor(*words: str) -> Result:
    return CliRunner().invoke(group, ["doctor", *words])


def problems(done: Result) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(done.stdout)["problems"]
    assert done.exit_code == bool(found), done.output
    assert all(each["problem"] and each["remedy"] and "\n" not in "".join(each.values()) for each in found)
    return found if COMPILED else [each for each in found if "not compiled" not in each["problem"]]


def _output(command: list[str], env: Mapping[str, str]) -> str:
    done = subprocess.run(command, capture_output=True, check=True, env=env, text=True, timeout=PATIENCE)
    return done.stdout


@pytest.mark.skipif(not COMPILED, reason="what it says of plain Python is below")
def test_this_machine(lolli_command: list[str], tmp_path: Path) -> None:
    """Each fact from another source; the nodes are those of `lolli bench`."""
    env = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    told, bench = (_output([*lolli_command, *words], env) for words in (["doctor", "--json"], ["bench"]))
    facts = json.loads(told)
    assert facts["problems"] == []
    assert facts["lolli"]["version"] == about.VERSION
    assert facts["lolli"]["command"] == str(ROOT / "scripts" / "run")
    head = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, check=True, text=True
    ).stdout
    assert head.startswith(facts["lolli"]["commit"].split()[0])
    assert facts["python"]["version"] == platform.python_version()
    assert facts["kernel"]["built_for"] == (built_for() or "the baseline")
    assert facts["kernel"]["modules"] == len(compiled_names())
    assert f"chess {metadata.version('chess')}" in facts["packages"]["needed"]
    digest = sha256(Path(network_file.STANDARD).read_bytes()).hexdigest()
    assert facts["evaluation"]["network"].endswith(digest[:16])
    assert facts["speed"]["nodes"] == int(bench.split()[0])
    assert facts["speed"]["seconds_to_uciok"] > 0


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="what Linux tells")
def test_processor_and_memory() -> None:
    """As free and lscpu say, which read the same but are not ours."""
    total = subprocess.run(["free", "-b"], capture_output=True, check=True, text=True).stdout
    assert linux.total_memory() == int(total.splitlines()[1].split()[1])
    said = subprocess.run(["lscpu"], capture_output=True, check=True, text=True, env={"LC_ALL": "C"}).stdout
    told = [line.partition(":") for line in said.splitlines()]
    names = [value.strip() for key, _, value in told if key == "Model name"]
    features = [value.split() for key, _, value in told if key == "Flags"]
    if not names and not features:
        pytest.skip("lscpu names neither the processor nor what it can do")
    assert all(name == linux.processor_name() for name in names)
    assert all(each == linux.processor_features() for each in features)


def test_what_a_person_has_set(file: Path) -> None:
    file.write_text('hash = 32\neval = "material"\npieces = "letters"\n[analyse]\nlines = 2\n')
    facts = json.loads(doctor("--json").stdout)["config"]
    assert facts == {
        "file": "~/config.toml",
        "Hash": 32,
        "Eval": "material",
        "pieces": "letters",
        "sections": ["analyse"],
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hsh = 1", ["line 1: hsh: unknown key"]),
        ("[analise]\n[eval]\nlines = 1\n[analyse]\nlines = 0", ["line 1: [analise]", "line 3:", "line 5:"]),
        ('book = "nowhere.bin"', ["nowhere.bin: no such file"]),
        ('tables = "nowhere"', ["no tables"]),
        ("threads = 512", ["threads is 512, but only"]),
        ("hash = 65536", ["hash is 65536 MB, but only"]),
    ],
)
def test_mistakes_in_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: list[str]
) -> None:
    monkeypatch.setattr(memory, "available", lambda: 1 << 30)
    file.write_text(text)
    found = problems(doctor("--json"))
    found = [each for each in found if "Fathom" not in each["problem"]]
    assert len(found) == len(told), found
    for each, expected in zip(found, told, strict=True):
        assert expected in each["problem"]


def test_a_file_that_is_named_and_not_there(file: Path) -> None:
    (found,) = problems(doctor("--json"))
    assert found["problem"] == "~/config.toml: No such file or directory"
    assert CONFIG_VARIABLE in found["remedy"]
    assert file.name in found["remedy"]


def test_a_client_whose_file_cannot_be_read(home: Path) -> None:
    (home / ".xboardrc").mkdir()
    (found,) = problems(doctor("--json"))
    assert found == {
        "problem": "XBoard: ~/.xboardrc: Is a directory",
        "remedy": "repair ~/.xboardrc, or move it away",
    }


def test_clients_that_know_lolli_and_that_do_not(home: Path) -> None:
    path = home / ".config" / "cutechess" / "engines.json"
    path.parent.mkdir(parents=True)
    for words, state in (([], "Lolli is not there"), (["setup", "cutechess", "--write"], "starts ")):
        assert not words or CliRunner().invoke(group, words).exit_code == 0
        assert state in json.loads(doctor("--json").stdout)["clients"]["cutechess"]
    (entry,) = json.loads(path.read_text())
    path.write_text(json.dumps([{name: entry[name] for name in ("name", "command", "protocol")}]))
    assert ", without its options" in json.loads(doctor("--json").stdout)["clients"]["cutechess"]
    path.write_text(path.read_text().replace(str(ROOT), "/elsewhere"))
    assert "starts another Lolli" in json.loads(doctor("--json").stdout)["clients"]["cutechess"]


def _not_compiled(monkeypatch: pytest.MonkeyPatch) -> Callable[[Record], None]:
    monkeypatch.setattr(module, "COMPILED", False)
    return module.examine_kernel


def _stale(monkeypatch: pytest.MonkeyPatch) -> Callable[[Record], None]:
    monkeypatch.setattr(module, "_is_stale", lambda path: path.name.startswith("movegen."))
    return module.examine_kernel


def _no_program(monkeypatch: pytest.MonkeyPatch) -> Callable[[Record], None]:
    monkeypatch.setattr(clients, "_candidates", lambda: iter(()))
    return module.examine_installation


def _no_package(monkeypatch: pytest.MonkeyPatch) -> Callable[[Record], None]:
    version = module._version
    monkeypatch.setattr(
        module,
        "_version",
        lambda name: None if name in {"rich", "matplotlib"} else version(name),
    )
    return module.examine_packages


def _no_network(monkeypatch: pytest.MonkeyPatch) -> Callable[[Record], None]:
    files = ("/no/linear", "/no/material", "/no/network")
    monkeypatch.setattr("eval.choice.Choices.__init__.__defaults__", files)
    return module.examine_evaluators


def _no_start(monkeypatch: pytest.MonkeyPatch) -> Callable[[Record], None]:
    monkeypatch.setattr(module, "_MODULE", "no.such.module")
    monkeypatch.setattr(module, "_DEPTH", 1)
    return module.examine_speed


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (_not_compiled, "the engine is not compiled"),
        pytest.param(
            _stale,
            "engine.board.movegen was compiled from an older source",
            marks=pytest.mark.skipif(not COMPILED, reason="nothing is compiled"),
        ),
        (_no_program, "no program starts this installation"),
        (_no_package, "not installed: rich"),
        (_no_network, "Eval network cannot be used: /no/network"),
        (_no_start, "the engine does not start"),
    ],
)
def test_what_is_broken(
    monkeypatch: pytest.MonkeyPatch,
    broken: Callable[[pytest.MonkeyPatch], Callable[[Record], None]],
    told: str,
) -> None:
    record = Record()
    broken(monkeypatch)(record)
    assert any(told in what for what, _ in record.problems), record.problems
    assert all(remedy for _, remedy in record.problems)
    assert "All is well." not in record.lines()


def test_a_home_is_not_told_and_other_folders_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    record = Record()
    record.add(
        "config", file="/home/ann/a", tables="/home/anna/t:/home/ann/t:/home/ann", sections=["/home/ann"]
    )
    assert record.content()["config"] == {"file": "~/a", "tables": "/home/anna/t:~/t:~", "sections": ["~"]}
