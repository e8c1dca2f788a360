"""Which C compiler a build takes, and what it asks for where there is none."""

import importlib.util
import os
import platform
import sys
import sysconfig
from pathlib import Path

import pytest

from scripts.releasing import compiler

pytestmark = pytest.mark.skipif(sys.platform not in {"linux", "darwin"}, reason="for systems with a PATH")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without a compiler, but with the headers of Python. Returns the one folder in PATH."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sysconfig, "get_config_var", {"CC": "x86_64-linux-gnu-gcc -pthread"}.get)
    monkeypatch.setattr(compiler, "has_headers", lambda: True)
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    has_ziglang(monkeypatch, False)
    return tmp_path


def has_ziglang(monkeypatch: pytest.MonkeyPatch, answer: bool) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: compiler.__spec__ if answer else None)


@pytest.mark.usefixtures("bare")
def test_without_a_compiler_the_one_from_pypi_is_asked_for_and_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiler.requirements() == [compiler.PACKAGE]
    assert compiler.from_pypi() is None
    assert "apt install gcc" in (compiler.missing() or "")
    has_ziglang(monkeypatch, True)
    assert compiler.from_pypi() == [sys.executable, "-m", "ziglang", "cc"]
    assert compiler.missing() is None
    assert compiler.options("x86-64-v3") == ["-march=x86_64_v3"]


@pytest.mark.parametrize("name", ["cc", "clang", "x86_64-linux-gnu-gcc"])
def test_the_machines_own_compiler_comes_first(
    bare: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (bare / name).touch()
    (bare / name).chmod(0o755)
    has_ziglang(monkeypatch, True)
    assert compiler.own()
    assert compiler.requirements() == []
    assert compiler.from_pypi() is None
    assert compiler.options("x86-64-v3") == ["-march=x86-64-v3"]
    assert compiler.options("") == []


def test_another_compiler_takes_the_place_of_pythons_own(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler.settle()
    assert "CC" not in os.environ
    (bare / "clang").touch()
    (bare / "clang").chmod(0o755)
    monkeypatch.setenv("CC", "")
    compiler.settle()
    assert os.environ["CC"] == "clang"


@pytest.mark.usefixtures("bare")
def test_without_the_headers_of_python_no_compiler_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "has_headers", lambda: False)
    assert compiler.requirements() == []
    assert "apt install python3-dev" in (compiler.missing() or "")
