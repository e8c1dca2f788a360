"""scripts/sanitize: what it selects and suppresses is there, and it does nothing where it has passed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.compiled import ROOT, source

SCRIPT = ROOT / "scripts" / "sanitize"
pytestmark = pytest.mark.checkout


def test_selected_tests_are_there() -> None:
    found = re.findall(r"tests/[\w/.]+", SCRIPT.read_text().replace("$rules", "tests/engine/games/rules"))
    assert len(found) > 20
    assert [name for name in found if not (ROOT / name).exists()] == []
    for path, test in re.findall(r"(tests/[\w/.]+)::(\w+)", SCRIPT.read_text()):
        assert f"def {test}(" in (ROOT / path).read_text()


def test_suppressed_are_only_functions_that_there_are() -> None:
    names = re.findall(
        r"^race_top:(.*)$", (ROOT / "scripts/sanitizing/thread.supp").read_text(), re.MULTILINE
    )
    assert names
    for name in names:
        *package, method = re.split(r"_?\d+", name)
        kind, _, function = method.partition("_")
        text = source(".".join(package), ".py").read_text()
        assert f"\nclass {kind}:" in text
        assert f"\n    def {function}(" in text


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("scripts", ".ci", "engine", "eval"):
        (tmp_path / name).mkdir()
    shutil.copy(SCRIPT, tmp_path / "scripts")
    build = tmp_path / "scripts" / "build"
    build.write_text("#!/bin/sh\necho building\nexit 3\n")
    build.chmod(0o755)
    for name in ("setup.py", "engine/move.py", "engine/move.pxd", "engine/plain.py"):
        (tmp_path / name).write_text("1\n")
    return tmp_path


def sanitize(project: Path, *words: str) -> tuple[int, str]:
    done = subprocess.run([project / "scripts/sanitize", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_nothing_is_done_where_it_has_passed_with_the_same_sources(project: Path) -> None:
    digest = project / ".ci" / "sanitized"
    digest.write_text("other\n")
    assert sanitize(project, "--unless-passed") == (3, "building\n")
    script = (project / "scripts/sanitize").read_text()
    telling = script.replace("if [ -n", 'echo "${digest%% *}" >.ci/sanitized\nif [ -n', 1)
    (project / "scripts/sanitize").write_text(telling)
    sanitize(project)
    (project / "scripts/sanitize").write_text(script)
    (project / "engine/plain.py").write_text("2\n")
    assert sanitize(project, "--unless-passed")[0] == 0
    assert sanitize(project) == (3, "building\n")
    (project / "engine/move.py").write_text("2\n")
    assert sanitize(project, "--unless-passed") == (3, "building\n")
