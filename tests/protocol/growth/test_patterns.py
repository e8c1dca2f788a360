"""No regular expression takes more than linear time for any text.

Each is tried on long texts made of what it knows itself:
its characters and its words, one or two of them again and again, and then something that does not fit. A
quadratic one takes a tenth of a second for these or more, a linear one some thousandths at most.
"""

import ast
import importlib
import inspect
import re
import time
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.alone

ROOT = Path(__file__).parents[3]
FOLDERS = ("protocol", "engine/games", "scripts/laboratory/matches")
LIBRARIES = ("chess", "chess.pgn", "sgfmill.sgf_grammar")
SEARCHING = {"search", "sub", "subn", "finditer", "findall", "split"}
LENGTH = 16_000  # characters
MOST_SECONDS = 0.03
ALWAYS = 'a1 \n"'

AnyPattern = re.Pattern[str] | re.Pattern[bytes]


def modules() -> Iterator[ModuleType]:
    """All that have regular expressions."""
    yield from map(importlib.import_module, LIBRARIES)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "re.compile(" in path.read_text(encoding="utf-8"):
                yield importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


def patterns() -> Iterator[tuple[str, AnyPattern, bool]]:
    """Each with its name, and whether it is looked for anywhere in a text, not only where that begins."""
    for module in modules():
        with warnings.catch_warnings(action="ignore"):  # those of libraries are not ours
            tree = ast.parse(inspect.getsource(module))
        uses = [
            (node.value.id, node.attr)
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        ]
        for name, value in vars(module).items():
            for number, pattern in enumerate(value if isinstance(value, tuple) else (value,)):
                if isinstance(pattern, re.Pattern):
                    searching = any((name, method) in uses for method in SEARCHING)
                    yield f"{module.__name__}.{name}[{number}]", pattern, searching


def pumps(pattern: AnyPattern) -> set[str]:
    """What to repeat: the words and characters in a pattern, and pairs of characters."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    signs = {sign for sign in source if not sign.isalnum()} | set(ALWAYS)
    signs |= set(re.findall(r"(?<![\\\w])\w", source))
    words = set(re.findall(r"(?<!\\)[a-z]{2,}", source))
    marked = {f"{sign}{word}{end}" for sign, word, end in product("[% ", words, " ")}
    return {*map("".join, product(signs, signs)), *words, *marked, "[%", '[A "'}


def seconds(pattern: AnyPattern, text: str, *, searching: bool) -> float:
    """The processor's time of looking for it once."""
    given = text if isinstance(pattern.pattern, str) else text.encode()
    look = pattern.search if searching else pattern.fullmatch
    began = time.process_time()
    look(given)  # type: ignore[arg-type]
    return time.process_time() - began


def slow_text(pattern: AnyPattern, *, searching: bool) -> str | None:
    """What is repeated in a text that takes long, None where nothing does."""
    for pump in sorted(pumps(pattern)):
        text = f"{pump * (LENGTH // len(pump))}\0"
        if all(seconds(pattern, text, searching=searching) > MOST_SECONDS for _ in range(2)):
            return pump
    return None


ALL = {name: (pattern, searching) for name, pattern, searching in patterns()}


def test_there_are_patterns() -> None:
    assert len(ALL) > 50
    assert any(searching for _, searching in ALL.values())


@pytest.mark.parametrize("name", ALL)
def test_pattern_takes_linear_time(name: str) -> None:
    pattern, searching = ALL[name]
    assert slow_text(pattern, searching=searching) is None


@pytest.mark.parametrize("source", [r"[+#!?\s]*$", r"\[%[^\]]*\]", r"\s+x", r"\d+[.]\d+b"])
def test_slow_ones_are_found(source: str) -> None:
    assert slow_text(re.compile(source), searching=True) is not None
