"""The look at the processor."""

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from engine.cpu import choices, missing
from tests.compiled import ROOT

MAIN = """
#include <stdio.h>
int main(int count, char **words) { printf("%s", lolli_first_missing(words[1])); return 0; }
"""
NEEDS = (
    """MARCH("usual", NEED("sse2")) MARCH("rare", NEED("sse2") NEED("xop") NEED("tbm")) MARCH("anything",)"""
)


def test_this_processor_has_all_that_the_kernel_was_built_for() -> None:
    assert {missing(march) for march in choices()} == {None}


def test_plain_python_is_built_for_nothing_in_particular(is_pure: bool) -> None:
    if not is_pure:
        pytest.skip("compiled")
    assert choices() == [""]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="not x86-64")
@pytest.mark.parametrize(
    ("march", "answer"),
    [
        ("usual", ""),
        ("rare", "xop"),  # only AMD's Bulldozer, 2011 to 2016, ever had it
        ("anything", ""),
    ],
)
def test_names_the_first_feature_that_is_missing(tmp_path: Path, march: str, answer: str) -> None:
    block = re.search(r'"""(.*?)"""', (ROOT / "engine" / "cpu.pxd").read_text(), re.DOTALL)
    assert block
    program = tmp_path / "program"
    (tmp_path / "program.c").write_text(block[1] + MAIN)
    subprocess.run(["cc", f"-DLOLLI_NEEDS={NEEDS}", "-o", program, tmp_path / "program.c"], check=True)
    assert subprocess.run([program, march], check=True, capture_output=True, text=True).stdout == answer
