"""scripts/lab sanitize: what is copied, what is read from the reports, and what makes a run fail."""

import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from scripts.laboratory.sanitizing import faults, sanitizers, selection
from scripts.laboratory.sanitizing import sanitize_command as sanitize
from scripts.laboratory.sanitizing.sanitizers import (
    SANITIZERS,
    SUPPRESSIONS,
    Sanitizer,
    SanitizerError,
    library,
)
from tests.compiled import ROOT, source

RACES = """==================
WARNING: ThreadSanitizer: data race (pid=7)
  Read of size 8 at 0x7b by thread T2:
    #0 one engine/one.c:3
SUMMARY: ThreadSanitizer: data race engine/one.c:3 in one
==================
==================
WARNING: ThreadSanitizer: data race (pid=7)
SUMMARY: ThreadSanitizer: data race engine/two.c:4 in two
==================
ThreadSanitizer: reported 2 warnings
"""
PLAIN = Sanitizer("plain", compiling=(), linking=(), preloaded=(), variables={})
"""No sanitizer at all."""


def test_races_are_told_apart_by_their_place() -> None:
    first, second = sanitize.split(RACES)
    assert first.title == "SUMMARY: ThreadSanitizer: data race engine/one.c:3 in one"
    assert "Read of size 8" in first.text
    assert second.title == "SUMMARY: ThreadSanitizer: data race engine/two.c:4 in two"


@pytest.mark.parametrize(
    ("value", "title"),
    [
        ("left shift of negative value -207", "left shift of negative value N"),
        ("1e+20 is outside the range of 'int'", "N is outside the range of 'int'"),
    ],
)
def test_one_place_has_one_title_whatever_the_values(value: str, title: str) -> None:
    (found,) = sanitize.split(f"eval/linear.c:6795:108: runtime error: {value}\n    #0 0x7f in _taper\n")
    assert found.title == f"eval/linear.c:6795:108: runtime error: {title}"


def test_an_error_of_memory_is_called_by_its_summary() -> None:
    text = "=======\n==9==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60\n  #0 0x7\n"
    (found,) = sanitize.split(
        text + "SUMMARY: AddressSanitizer: heap-buffer-overflow a.c:1 in f\n==9==ABORTING\n"
    )
    assert found.title == "SUMMARY: AddressSanitizer: heap-buffer-overflow a.c:1 in f"


def test_whatever_else_is_written_is_a_report() -> None:
    (found,) = sanitize.split("\nFATAL: unexpected memory mapping\n")
    assert found.title == "FATAL: unexpected memory mapping"
    assert sanitize.split("\n") == []


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of two files."""
    root = tmp_path / "project"
    for name in ("engine/board", "tests"):
        (root / name).mkdir(parents=True)
    (root / "setup.py").write_text("1\n")
    (root / "engine/board/fen.py").write_text("2\n")
    (root / "engine/board/fen.so").write_text("compiled here")
    return root


def test_a_copy_leaves_out_what_was_made_and_has_nothing_more(project: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    (copied / "engine").mkdir(parents=True)
    (copied / "engine" / "gone.py").write_text("")
    (copied / "engine" / "fen.so").write_text("compiled there")
    sanitizers.copy(project, copied)
    found = {str(path.relative_to(copied)) for path in copied.rglob("*") if path.is_file()}
    assert found == {"setup.py", "engine/board/fen.py", "engine/fen.so"}


def test_a_copy_touches_only_what_has_changed(project: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    sanitizers.copy(project, copied)
    for path in (copied / "setup.py", copied / "engine/board/fen.py"):
        os.utime(path, ns=(1, 1))
    (project / "setup.py").write_text("3\n")
    sanitizers.copy(project, copied)
    assert (copied / "setup.py").read_text() == "3\n"
    assert (copied / "setup.py").stat().st_mtime_ns > 1
    assert (copied / "engine/board/fen.py").stat().st_mtime_ns == 1


def test_a_runtime_that_is_missing_is_named() -> None:
    with pytest.raises(SanitizerError, match=r"libno-such\.so"):
        library("libno-such.so")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "counts"), [("pass", "1 passed"), ("pass\n\ndef test_two(): assert False", "1 failed, 1 passed")]
)
def test_a_failed_test_is_told_with_what_was_said(tmp_path: Path, body: str, counts: str) -> None:
    (tmp_path / "test_it.py").write_text(f"def test_it(): {body}\n")
    outcome = selection.run(PLAIN, tmp_path, tmp_path, ("test_it.py",))
    assert outcome.counts == counts
    assert ("test_two" in outcome.failures) == ("failed" in counts)


@pytest.mark.slow
def test_a_run_without_a_test_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SanitizerError, match="no test has passed"):
        selection.run(PLAIN, tmp_path, tmp_path, ("test_none.py",))


@pytest.mark.parametrize("name", selection.SELECTIONS)
def test_a_selection_is_of_tests_that_there_are(name: str) -> None:
    assert selection.SELECTIONS[name].keys() == SANITIZERS.keys()
    for words in (*selection.SELECTIONS[name].values(), selection.LEAKS):
        for word in words:
            assert (ROOT / word.partition("::")[0]).exists(), word


@pytest.mark.parametrize("crashes", [0, 1, 2])
def test_leaks_are_looked_for_again_if_the_checker_crashed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crashes: int
) -> None:
    runs: list[str] = []

    def run(*_: object, leaks: bool) -> selection.PytestOutcome:
        assert leaks
        runs.append("a run")
        (tmp_path / f"asan.{len(runs)}").write_text(
            "==9==LeakSanitizer has encountered a fatal error.\n" if len(runs) <= crashes else "a report\n"
        )
        return selection.PytestOutcome("1 passed", "")

    monkeypatch.setattr(selection, "run", run)
    assert sanitize._look_for_leaks(tmp_path, tmp_path) == ""
    assert len(runs) == min(crashes, 1) + 1
    (report,) = sanitize.read(tmp_path)
    assert ("fatal" in report.text) == (crashes == 2)


def test_planted_faults_are_those_of_the_module() -> None:
    planted = {fault.function for each in sanitize.FAULTS.values() for fault in each}
    assert sanitize.FAULTS.keys() == SANITIZERS.keys()
    assert all(callable(getattr(faults, function)) for function in planted)
    assert all(any(fault.reported for fault in each) for each in sanitize.FAULTS.values())


def test_suppressed_are_only_functions_that_there_are() -> None:
    names = re.findall(r"^race_top:(.*)$", SUPPRESSIONS.read_text(), re.MULTILINE)
    assert names
    for name in names:
        *package, method = re.split(r"_?\d+", name)
        kind, _, function = method.partition("_")
        text = source(".".join(package), ".py").read_text()
        assert f"\nclass {kind}:" in text
        assert f"\n    def {function}(" in text


def test_an_unknown_sanitizer_is_refused() -> None:
    done = CliRunner().invoke(sanitize.sanitize, ["--with", "memory"])
    assert done.exit_code == 2
    assert "'memory' is not one of 'address', 'thread', 'both'" in done.stderr
