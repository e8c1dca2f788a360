"""The packages of a checkout as one: what is rewritten, what is refused, and that no old name is left."""

import ast
import re
from pathlib import Path

import pytest

from scripts.releasing import one_package
from scripts.releasing.one_package import NamingError, moved_source
from tests.compiled import ROOT, compiled_names

CIMPORT = re.compile(r"^\s*(from|cimport|import)\s+(engine|eval|protocol)\b", re.MULTILINE)
OURS = re.compile(r"(engine|eval|protocol)(\.|$)")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("package")
    one_package.write(ROOT, target, compiled_names())
    return target


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from engine.board import fen\n", "from lolli.engine.board import fen\n"),
        ("from engine import system\n", "from lolli.engine import system\n"),
        ("if x:\n    from eval.a import (\n  b)\n", "if x:\n    from lolli.eval.a import (\n  b)\n"),
        ("import protocol.text as text\n", "import lolli.protocol.text as text\n"),
        ("import engineering, os\n", "import engineering, os\n"),
        ("from evaluate import x\n", "from evaluate import x\n"),
        ("from . import engine\n", "from . import engine\n"),
        ('"""\nfrom engine.board import fen\n"""\n', '"""\nfrom engine.board import fen\n"""\n'),
        ("eval('1')\nx = 'eval'\n", "eval('1')\nx = 'eval'\n"),
    ],
)
def test_import_lines_name_what_is_inside(before: str, after: str) -> None:
    assert moved_source(before) == after


@pytest.mark.parametrize(
    "line",
    [
        "import engine.board",
        "import engine",
        "import os, eval as e",
        "x = 'engine.games'",
        "f'protocol.uci.{x}'",
    ],
)
def test_what_cannot_be_rewritten_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(NamingError, match=r"^some\.py:2: "):
        moved_source(f"\n{line}\n", "some.py")


def test_no_file_imports_by_an_old_name(package: Path) -> None:
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert not any(OURS.match(each.name) for each in node.names), path
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                assert not OURS.match(node.module or ""), path
    for path in package.rglob("*.pxd"):
        assert not CIMPORT.search(path.read_text()), path


def test_everything_is_in_the_one_package(package: Path) -> None:
    assert [path.name for path in package.iterdir()] == ["lolli"]
    for name in ("engine", "eval", "protocol"):
        inside = {path.relative_to(package / "lolli") for path in (package / "lolli" / name).rglob("*.py")}
        assert inside == {path.relative_to(ROOT) for path in (ROOT / name).rglob("*.py")}


def test_a_second_time_only_what_has_changed_is_written(package: Path) -> None:
    paths = [path for path in package.rglob("*") if path.is_file()]
    left, changed = (
        package / "lolli" / "engine" / "left.py",
        package / "lolli" / "engine" / "system" / "files.py",
    )
    before = {path: path.stat().st_mtime_ns for path in paths}
    left.touch()
    changed.write_text("")
    one_package.write(ROOT, package, compiled_names())
    assert not left.exists()
    assert {path for path in paths if path.stat().st_mtime_ns != before[path]} == {changed}
