"""What docs/openbench tells OpenBench about Lolli."""

import json

import pytest

from engine.session import Session
from protocol.uci import options as uci_options
from tests.compiled import ROOT

CONFIGURATION = json.loads((ROOT / "docs" / "openbench" / "Lolli.json").read_text())
PRESETS = [pytest.param(preset, id=name) for name, preset in CONFIGURATION["test_presets"].items()]


@pytest.mark.parametrize("preset", PRESETS)
def test_lolli_takes_the_options_of_every_preset(preset: dict[str, str]) -> None:
    session = Session()
    for option in preset.get("both_options", "").split():
        name, _, value = option.partition("=")
        uci_options.find(name).value(value, session)  # or ProtocolError


def test_it_is_built_where_the_makefile_is() -> None:
    assert (ROOT / CONFIGURATION["build"]["path"] / "Makefile").is_file()
