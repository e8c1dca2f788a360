"""Put `engine`, `eval` and `protocol` inside `lolli`, for a wheel: in site-packages others use these names.

The files are copied, and their imports and cimports name `lolli.engine` and so on. A build runs this, so it
needs the standard library alone.
"""

import ast
import importlib.util
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

NAME = "lolli"
INSIDE = ("engine", "eval", "protocol")
SHADOW = f"{NAME}/cython_shadow.py"
"""In a wheel that is not compiled: the module of Cython by which compiled modules run as plain Python."""
_NOT_COPIED = {".c", ".dylib", ".pyc", ".pyd", ".so"}  # made from the others
_NAMES = "|".join(INSIDE)
_IMPORT = re.compile(rf"^(\s*(?:from|import)\s+)({_NAMES})\b")
_CIMPORT = re.compile(rf"^(\s*(?:from|cimport|import)\s+)({_NAMES})\b", re.MULTILINE)
_LOOKS_FOR_THE_BEST = f"""from {NAME}.engine.system.processor import best_first

best_first(__path__, __name__)
"""
_CYTHON = re.compile(r"^import cython$", re.MULTILINE)
_DOTTED = re.compile(rf"({_NAMES})\.[a-z_]\w*[\w.:]*")


class NamingError(Exception):
    """A file cannot be moved into the package. The message says where and why."""


def write(root: Path, target: Path, compiled: Iterable[str]) -> None:
    """Writes only files that change. The packages of `compiled` look for those that suit the processor."""
    wanted: dict[Path, bytes] = {}
    for name in (NAME, *INSIDE):
        for path in _files(root / name):
            place = path.relative_to(root)
            wanted[target / (place if name == NAME else Path(NAME) / place)] = _moved(path)
    for package in {name.rpartition(".")[0] for name in compiled}:
        face = target.joinpath(NAME, *package.split("."), "__init__.py")
        wanted[face] = _looking_for_the_best(wanted[face].decode()).encode()
    for path in [path for path in target.rglob("*") if path.is_file() and path not in wanted]:
        path.unlink()
    for path, content in wanted.items():
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def _looking_for_the_best(text: str) -> str:
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            lines.insert(node.lineno - 1, _LOOKS_FOR_THE_BEST)
            return "".join(lines)
    return text + _LOOKS_FOR_THE_BEST


def run_without_cython(target: Path) -> None:
    """Add to the package in `target`, which is not compiled, the one module of Cython that it imports."""
    origin = importlib.util.find_spec("Cython.Shadow")
    if origin is None or origin.origin is None:
        return
    for path in (target / NAME).rglob("*.py"):
        text = path.read_text("utf-8")
        shadowed = _CYTHON.sub(f"from {NAME} import {Path(SHADOW).stem} as cython", text)
        if shadowed != text:
            path.write_text(shadowed, "utf-8")
    note = "# A copy of Shadow.py of Cython, https://cython.org, under the Apache License 2.0.\n"
    (target / SHADOW).write_text(note + Path(origin.origin).read_text("utf-8"), "utf-8")


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix not in _NOT_COPIED:
            yield path


def _moved(path: Path) -> bytes:
    content = path.read_bytes()
    if path.suffix == ".py":
        return moved_source(content.decode(), str(path)).encode()
    if path.suffix == ".pxd":
        return _CIMPORT.sub(rf"\1{NAME}.\2", content.decode()).encode()
    return content


def moved_source(text: str, where: str = "<text>") -> str:
    """Python source whose imports of our packages name them inside `lolli`.

    Raises NamingError for `import engine.board`, which would bind another name, and for a string that is the
    dotted name of a module: such names have to be relative to `__package__`.
    """
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text, where)):
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.name.partition(".")[0] in INSIDE and (each.asname is None or len(node.names) > 1):
                    raise NamingError(f"{where}:{node.lineno}: use 'from … import' or 'import … as'")
        if isinstance(node, ast.Import | ast.ImportFrom):
            lines[node.lineno - 1] = _IMPORT.sub(rf"\1{NAME}.\2", lines[node.lineno - 1])
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _DOTTED.fullmatch(node.value):
            raise NamingError(
                f"{where}:{node.lineno}: name the module relative to __package__: {node.value!r}"
            )
    return "".join(lines)
