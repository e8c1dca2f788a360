"""The usual positions."""

from protocol.cli.ablation.experiment import usual_positions
from protocol.cli.suites.epd import parse_position, suite_lines
from tests.pure import ROOT


def test_they_are_those_of_the_suite_that_comes_with_the_source() -> None:
    data = (ROOT / "scripts" / "laboratory" / "data" / "bratko-kopec.epd").read_bytes()
    suite = [parse_position(text, "", line) for line, text in suite_lines(data)]
    usual = usual_positions()
    assert [(each.name, each.board, each.best) for each in usual] == [
        (each.name, each.board, each.best) for each in suite
    ]
