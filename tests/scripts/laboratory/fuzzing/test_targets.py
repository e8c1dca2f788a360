"""Each target of `scripts/lab fuzz` for some seconds, and what once went wrong there."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.board.fen import FenError, parse_fen
from engine.board.position import COMPILED
from scripts.laboratory.fuzzing.formats.fen import STRICTER
from scripts.laboratory.fuzzing.target import case
from scripts.laboratory.fuzzing.targets import NAMES, ParserTarget, opened, parser

CORPUS = Path(__file__).with_name("corpus")
"""What once went wrong: in the folder of its target, a file for each, made small."""
SEED = 2
DIALOGUES = {"uci": 1200, "uci-searching": 800, "options": 400, "gtp": 600}
PARSERS = {"fen": 800, "epd": 250, "text": 400, "pgn": 150, "sgf": 150, "weights": 150, "book": 60}
PARSERS |= {"network": 300, "tables": 40, "journal": 200}
"""Cases: some seconds each."""
KEPT = sorted(path for path in CORPUS.glob("*/*"))
REFUSED = {
    "fields": "8/8/8/8/8/8/8/4K2k w",
    "promotions allow": "4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - -",
    "must be a number": "4k3/8/8/8/8/8/8/4K3 w - - x 1",
    "more than four digits": "4k3/8/8/8/8/8/8/4K3 w - - 0 99999999999",
    "not a piece: '~'": "4k3/8/8/8/8/8/8/Q~3K3 w - -",
}
"""A FEN for each reason for which our reader may refuse what python-chess accepts."""


def sized(count: int) -> int:
    """Fewer cases where the kernel is not compiled."""
    return count if COMPILED else count // 10


def run(name: str, command: Sequence[str], groups: list[list[bytes]]) -> int:
    """The answers of a dialogue to lines, group by group; the process must end in order."""
    target = opened(name, command)
    try:
        answers = sum(answer.count for lines in groups for answer in target.run(lines))
        target.close()
    finally:
        target.kill()
    return answers


def test_every_target_is_tried() -> None:
    assert {*DIALOGUES, *PARSERS} == {*NAMES}


@pytest.mark.parametrize("name", DIALOGUES)
def test_dialogue(lolli_command: list[str], name: str) -> None:
    target = opened(name, lolli_command)
    size = target.together
    count = sized(DIALOGUES[name]) // size
    groups = [[case(target, SEED, n) for n in range(g * size, (g + 1) * size)] for g in range(count)]
    assert run(name, lolli_command, groups) > count * size // 2


@pytest.mark.parametrize("name", PARSERS)
def test_parser(name: str) -> None:
    target = ParserTarget(name)
    count = sized(PARSERS[name])
    assert sum(parser(name).check(case(target, SEED, n)) for n in range(count)) > count // 2


def test_every_reason_to_be_stricter_has_its_fen() -> None:
    assert {*REFUSED} == {*STRICTER}


@pytest.mark.parametrize("reason", STRICTER)
def test_reasons_to_be_stricter_are_those_of_the_reader(reason: str) -> None:
    with pytest.raises(FenError) as caught:
        parse_fen(REFUSED[reason])
    assert reason in str(caught.value)


def test_parser_in_its_own_process() -> None:
    target = ParserTarget("fen")
    try:
        answers = list(target.run([case(target, SEED, n) for n in range(60)]))
        assert len(answers) == 60
        assert target.peak() > 1 << 20
        target.close()
    finally:
        target.kill()


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_once_went_wrong(lolli_command: list[str], path: Path) -> None:
    name, data = path.parent.name, path.read_bytes()
    if name in PARSERS:
        assert parser(name).check(data) > 0
    else:
        run(name, lolli_command, [data.split(b"\n")])
