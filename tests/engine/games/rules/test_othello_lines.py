"""The lines of Othello in C, both as vectors and as other compilers take them, beside those in Python."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from random import Random
from typing import TYPE_CHECKING

import pytest

from engine.games.rules.othello_lines import captures, legal_moves
from tests.compiled import ROOT

if TYPE_CHECKING:
    from pathlib import Path

HEADER = ROOT / "engine" / "games" / "rules" / "othello_lines.pxd"
NUMBER = "unsigned long long"
EXPORTED = f"""
{NUMBER} legal({NUMBER} a, {NUMBER} b, {NUMBER} c) {{ return lolli_legal_moves(a, b, c); }}
{NUMBER} caught({NUMBER} a, {NUMBER} b, {NUMBER} c) {{ return lolli_captures(a, b, c); }}
"""
BOARDS = (0xFFFFFFFFFFFFFFFF, 0x3F3F3F3F3F3F, 0xF0F0F0F)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("words", [(), ("-march=native",), ("-U__GNUC__",)])
def test_both_are_those_in_python(words: tuple[str, ...], tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the same in both modes")
    source, library = tmp_path / "lines.c", tmp_path / "lines.so"
    source.write_text(HEADER.read_text().split('"""')[1].replace("\\\\", "\\") + EXPORTED)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", *words, source, "-o", library], check=True)
    compiled = ctypes.CDLL(str(library))
    for function in (compiled.legal, compiled.caught):
        function.restype, function.argtypes = ctypes.c_uint64, [ctypes.c_uint64] * 3
    random = Random(1)
    found = 0
    for _ in range(2000):
        own = random.getrandbits(64) & random.choice(BOARDS)
        others = random.getrandbits(64) & random.choice(BOARDS) & ~own
        for board in BOARDS:
            legal = legal_moves(own, others, board)
            assert compiled.legal(own, others, board) == legal
        for square in range(64):
            if (own | others) >> square & 1 == 0:
                turned = captures(1 << square, own, others)
                assert compiled.caught(1 << square, own, others) == turned
                found += turned != 0
    assert found > 1000
