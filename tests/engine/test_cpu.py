"""The look at the processor."""

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from engine.cpu import built_for, missing_feature
from tests.compiled import ROOT

MAIN = """
#include <stdio.h>
int main(void) { printf("%s %s", lolli_march(), lolli_first_missing()); return 0; }
"""


def test_this_processor_has_all_that_the_kernel_was_built_for() -> None:
    assert missing_feature() is None


def test_plain_python_is_built_for_nothing_in_particular(is_pure: bool) -> None:
    if not is_pure:
        pytest.skip("compiled")
    assert built_for() == ""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="not x86-64")
@pytest.mark.parametrize(
    ("needs", "answer"),
    [
        ("", "some-march "),
        ('NEED("sse2")', "some-march "),
        ('NEED("sse2") NEED("xop")', "some-march xop"),  # only AMD's Bulldozer, 2011 to 2016, ever had it
    ],
)
def test_names_the_first_feature_that_is_missing(tmp_path: Path, needs: str, answer: str) -> None:
    block = re.search(r'"""(.*?)"""', (ROOT / "engine" / "cpu.pxd").read_text(), re.DOTALL)
    assert block
    program = tmp_path / "program"
    (tmp_path / "program.c").write_text(block[1] + MAIN)
    macros = ['-DLOLLI_MARCH="some-march"', f"-DLOLLI_NEEDS={needs}"]
    subprocess.run(["cc", *macros, "-o", program, tmp_path / "program.c"], check=True)
    assert subprocess.run([program], check=True, capture_output=True, text=True).stdout == answer
