"""docs/python.md and docs/python.ipynb: every example is run, and prints what stands there."""

import doctest
import re
from pathlib import Path
from types import ModuleType

import nbformat
import pytest
from nbclient import NotebookClient

import lolli
from engine.board.position import COMPILED
from lolli import games
from tests.compiled import ROOT
from tests.patience import PATIENCE

PAGE, NOTEBOOK = ROOT / "docs" / "python.md", ROOT / "docs" / "python.ipynb"
_BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.skipif(not COMPILED, reason="the examples are for the compiled engine")


def test_every_example_prints_what_the_page_says(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    blocks = _BLOCK.findall(PAGE.read_text())
    assert len(blocks) > 10
    for code, expected in blocks:
        exec(compile(code, str(PAGE), "exec"), names)
        assert capsys.readouterr().out == expected, code


def test_every_public_name_is_on_the_page() -> None:
    text = PAGE.read_text()
    for name in (*lolli.__all__, *games.__all__):
        assert name == "__version__" or re.search(rf"\b{name}\b", text), name


@pytest.mark.parametrize("module", [lolli, games], ids=lambda module: module.__name__)
def test_the_examples_in_docstrings(module: ModuleType) -> None:
    done = doctest.testmod(module)
    assert done.attempted > 2
    assert not done.failed


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    where = {"metadata": {"path": ROOT}}
    seconds = int(PATIENCE)
    client = NotebookClient(
        notebook, timeout=seconds, startup_timeout=seconds, iopub_timeout=seconds, resources=where
    )
    client.execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs)
