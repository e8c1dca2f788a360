"""What others read of the project: the workflow that builds wheels, the citation, the metadata."""

import re
import subprocess
import sys
import tomllib
from typing import Any

import pytest

from protocol import about
from tests.compiled import ROOT


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-workflows", ".github/workflows/wheels.yml"),
        ("vendor.citation-file-format", "CITATION.cff"),
    ],
)
def test_files_of_others_forms_are_as_these_demand(schema: str, file: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(ROOT / file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_wheels_are_built_for_the_pythons_that_are_named(settings: dict[str, Any]) -> None:
    named = [
        match[1]
        for each in settings["project"]["classifiers"]
        if (match := re.fullmatch(r"Programming Language :: Python :: 3\.(\d+)", each))
    ]
    assert settings["tool"]["cibuildwheel"]["build"] == [f"cp3{minor}-*" for minor in named]
    assert settings["project"]["requires-python"] == f">=3.{named[0]}"


def test_the_version_and_the_authors_have_one_place(settings: dict[str, Any]) -> None:
    assert settings["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "protocol.about.VERSION"}
    assert "version" not in settings["project"]
    assert about.VERSION not in (ROOT / "CITATION.cff").read_text()
    assert settings["project"]["authors"] == [{"name": about.AUTHOR}]
    assert settings["project"]["license"] == about.LICENCE
