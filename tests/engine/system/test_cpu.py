"""The look at the processor."""

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from engine.system.cpu import choices, missing
from tests.compiled import ROOT

MAIN = """
#include <stdio.h>
int main(int count, char **words) { printf("%s", lolli_first_missing(words[1])); return 0; }
"""
NEEDS = 'MARCH("usual", NEED("sse2")) MARCH("rare", NEED("sse2") NEED("xop")) MARCH("any",)'
COMPARED = 'printf("%s %d %d\\n", "{name}", lolli_supports("{name}"), __builtin_cpu_supports("{name}") != 0);'
on_x86 = pytest.mark.skipif(
    shutil.which("gcc") is None or platform.machine() != "x86_64", reason="no gcc, or not x86-64"
)


def output(folder: Path, main: str, *words: str) -> str:
    block = re.search(r'"""(.*?)"""', (ROOT / "engine" / "system" / "cpu.pxd").read_text(), re.DOTALL)
    assert block
    (folder / "program.c").write_text(block[1] + main)
    subprocess.run(
        ["gcc", f"-DLOLLI_NEEDS={NEEDS}", "-o", folder / "program", folder / "program.c"], check=True
    )
    return subprocess.run([folder / "program", *words], check=True, capture_output=True, text=True).stdout


def test_this_processor_has_all_that_the_kernel_was_built_for() -> None:
    assert {missing(march) for march in choices()} == {None}


def test_plain_python_is_built_for_nothing_in_particular(is_pure: bool) -> None:
    if not is_pure:
        pytest.skip("compiled")
    assert choices() == [""]


@on_x86
@pytest.mark.parametrize(
    ("march", "answer"),
    [
        ("usual", ""),
        ("rare", "xop"),  # only AMD's Bulldozer, 2011 to 2016, ever had it
        ("any", ""),
    ],
)
def test_names_the_first_feature_that_is_missing(tmp_path: Path, march: str, answer: str) -> None:
    assert output(tmp_path, MAIN, march) == answer


@on_x86
def test_features_are_those_that_gcc_finds(tmp_path: Path) -> None:
    names = re.findall(r'\{"([a-z0-9.]+)",', (ROOT / "engine" / "system" / "cpu.pxd").read_text())
    assert len(names) > 25
    lines = "".join(COMPARED.format(name=name) for name in names)
    found = output(tmp_path, f"#include <stdio.h>\nint main(void) {{ {lines} return 0; }}").splitlines()
    assert len(found) == len(names)
    assert not [line for line in found if not line.endswith((" 0 0", " 1 1"))]
