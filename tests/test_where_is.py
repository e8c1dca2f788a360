"""docs/where-is.md: each idea once, each file there, and each name defined in it."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.compiled import ROOT

PAGE = ROOT / "docs" / "where-is.md"
LEAST = 40
_HEADS = ("idea", "file", "name")
_LINK = re.compile(r"\[([^]]+)]\(([^)]+)\)")
_NAMES = re.compile(r"`[\w.]+`(?:, `[\w.]+`)*")


@dataclass(frozen=True)
class Row:
    """An idea, the file's path as the page shows it and as it links to it, and the names in the file."""

    idea: str
    shown: str
    link: str
    names: tuple[str, ...]


def rows(text: str) -> Iterator[Row]:
    """The rows of all tables. Raises ValueError for a row that is not understood."""
    for line in text.splitlines():
        if not line.startswith("|"):
            continue
        cells = tuple(cell.strip() for cell in line.strip("|").split("|"))
        if cells == _HEADS or not set(line) - set("|-"):
            continue
        if len(cells) != len(_HEADS):
            raise ValueError(f"not three cells: {line}")
        idea, file, names = cells
        link = _LINK.fullmatch(file)
        if not idea or link is None or not _NAMES.fullmatch(names):
            raise ValueError(f"not an idea, a link and names: {line}")
        yield Row(idea, link[1], link[2], tuple(re.findall(r"[\w.]+", names)))


def defined(node: ast.AST, prefix: str = "") -> Iterator[str]:
    """The names that a module, class or function defines: `name`, and `outer.name` for what is inside."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield prefix + name
                yield from defined(child, f"{prefix}{name}.")
            case ast.Assign(targets=targets) if not isinstance(node, ast.FunctionDef):
                found = [name for target in targets for name in ast.walk(target)]
                yield from (prefix + name.id for name in found if isinstance(name, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)) if not isinstance(node, ast.FunctionDef):
                yield prefix + name
            case ast.If():
                yield from defined(child, prefix)


def faults(text: str, page: Path, least: int = LEAST) -> list[str]:
    found = list(rows(text))
    faults = [
        f"{idea}: twice" for idea, times in Counter(row.idea.lower() for row in found).items() if times > 1
    ]
    if len(found) < least:
        faults.append(f"only {len(found)} rows")
    for row in found:
        file = (page.parent / row.link).resolve()
        if not file.is_file() or file != (ROOT / row.shown).resolve():
            faults.append(f"{row.idea}: no file {row.shown} at {row.link}")
            continue
        known = set(defined(ast.parse(file.read_text())))
        faults += [f"{row.idea}: no {name} in {row.shown}" for name in row.names if name not in known]
    return faults


def test_every_row_is_right() -> None:
    assert faults(PAGE.read_text(), PAGE) == []


def test_the_readme_links_to_the_page() -> None:
    assert f"({PAGE.relative_to(ROOT)})" in (ROOT / "README.md").read_text()


# The check itself, on a small table

MOVE = "[engine/board/move.py](../engine/board/move.py)"
GOOD = f"""# Where

| idea | file | name |
|---|---|---|
| What a move means | {MOVE} | `NO_MOVE`, `origin` |
| Make | [engine/board/position.py](../engine/board/position.py) | `Position.make`, `Position` |
| Magics | [engine/board/attacks.py](../engine/board/attacks.py) | `rook_attacks` |
| Star1 | [engine/games/search/star1.py](../engine/games/search/star1.py) | `star1.expected_value` |
"""


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (f"| Wrong function | {MOVE} | `orign` |", "Wrong function: no orign in engine/board/move.py"),
        (f"| Parameter | {MOVE} | `origin.move` |", "Parameter: no origin.move in engine/board/move.py"),
        (f"| Import | {MOVE} | `origin`, `cython` |", "Import: no cython in engine/board/move.py"),
        (
            "| Wrong link | [engine/board/move.py](../engine/board/fen.py) | `parse_fen` |",
            "Wrong link: no file engine/board/move.py at ../engine/board/fen.py",
        ),
        (f"| star1 | {MOVE} | `origin` |", "star1: twice"),
    ],
)
def test_a_wrong_row_is_found(row: str, fault: str) -> None:
    assert faults(GOOD, PAGE, least=4) == []
    assert faults(GOOD + row + "\n", PAGE, least=5) == [fault]


@pytest.mark.parametrize(
    "row",
    ["| two | cells |", f"| no names | {MOVE} | origin |", "| no link | engine/board/move.py | `origin` |"],
)
def test_a_row_that_is_not_understood_is_refused(row: str) -> None:
    with pytest.raises(ValueError, match="not "):
        list(rows(GOOD + row + "\n"))
