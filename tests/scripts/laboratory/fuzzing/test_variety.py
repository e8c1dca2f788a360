"""What is tried is neither all refused nor always the same: otherwise that nothing goes wrong says little."""

from collections import Counter
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from engine.board.fen import parse_fen
from engine.board.position import COMPILED
from engine.lookup.syzygy import SyzygyTables
from engine.search.report import Verdict
from protocol.gtp.parser import Request
from scripts.laboratory.fuzzing import ingredients, uci_target
from scripts.laboratory.fuzzing.ending_positions import FOLDER
from scripts.laboratory.fuzzing.gtp_target import GtpAnswer, GtpTarget, gtp
from scripts.laboratory.fuzzing.target import FuzzTarget, case
from scripts.laboratory.fuzzing.targets import ParserTarget, parser
from scripts.laboratory.fuzzing.uci_answers import Shown, check_answers, is_refused
from scripts.laboratory.fuzzing.uci_target import SearchingTarget

READERS = {
    "fen": "parse_fen",
    "epd": "parse_position",
    "text": "recognise_text",
    "pgn": "read_game",
    "sgf": "read_sgf",
    "weights": "load",
    "network": "load_network",
    "book": "Book",
    "journal": "FileOutput",
}
"""By target: what reads a case, or raises."""
CASES = 300 if COMPILED else 100
GROUPS = 15 if COMPILED else 5
SOME = 0.1  # of all


def run(target: FuzzTarget) -> None:
    """Some groups of lines."""
    try:
        for group in range(GROUPS):
            numbers = range(group * target.together, (group + 1) * target.together)
            for _ in target.run([case(target, 1, number) for number in numbers]):
                pass
        target.close()
    finally:
        target.kill()


def counting(read: Callable[..., Any], count: Counter[bool]) -> Callable[..., Any]:
    """The same function, whose successes are counted."""

    def counted(*args: Any, **options: Any) -> Any:
        try:
            found = read(*args, **options)
        except Exception:
            count[False] += 1
            raise
        count[True] += 1
        return found

    return counted


def is_some_of(count: Counter[bool]) -> bool:
    """Whether neither is rare."""
    return min(count[True], count[False]) > SOME * count.total()


@pytest.mark.parametrize("name", READERS)
def test_some_is_read_and_some_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    count = Counter[bool]()
    module = import_module(f"scripts.laboratory.fuzzing.formats.{name}")
    monkeypatch.setattr(module, READERS[name], counting(getattr(module, READERS[name]), count))
    target = ParserTarget(name)
    for number in range(CASES):
        parser(name).check(case(target, 1, number))
    assert is_some_of(count), count


def test_some_positions_are_in_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts = Counter[bool]()
    verdict = SyzygyTables.verdict

    def note(tables: SyzygyTables, *args: Any) -> Verdict | None:
        told = verdict(tables, *args)
        verdicts[told is not None] += 1
        return told

    monkeypatch.setattr(SyzygyTables, "verdict", note)
    for number in range(CASES // 5):
        parser("tables").check(case(ParserTarget("tables"), 1, number))
    assert verdicts[False]
    assert verdicts[True] or not FOLDER.is_dir()


def test_lines_of_uci(monkeypatch: pytest.MonkeyPatch, lolli_command: list[str]) -> None:
    count = Counter[tuple[str, bool]]()
    seen = set[str]()

    def check(command: Any, answers: list[str], before: Shown, after: Shown) -> None:
        count[type(command).__name__, is_refused(answers)] += 1
        seen.add(after.fen)
        checked(command, answers, before, after)

    checked = check_answers
    monkeypatch.setattr(uci_target, "check_answers", check)
    run(uci_target.uci(lolli_command))
    for name in ("SetPosition", "SetOption"):
        assert is_some_of(Counter({True: count[name, True], False: count[name, False]})), count
    assert len(seen) > 3 * GROUPS


def test_searches_differ(monkeypatch: pytest.MonkeyPatch, lolli_command: list[str]) -> None:
    """Once a `stop`, which is always the same line, was always followed by the same positions."""
    sent: list[str] = []
    send = SearchingTarget._send

    def note(target: SearchingTarget, *lines: str) -> None:
        sent.append("\n".join(line for line in lines if line.startswith(("position fen", "go "))))
        send(target, *lines)

    monkeypatch.setattr(SearchingTarget, "_send", note)
    run(uci_target.uci_searching(lolli_command))
    searches = [text for text in sent if "\ngo " in text]
    assert len(searches) > 2 * GROUPS
    assert len(set(searches)) > len(searches) // 3


def test_lines_of_gtp(monkeypatch: pytest.MonkeyPatch, lolli_command: list[str]) -> None:
    count: dict[str, Counter[bool]] = {}
    answer_to = GtpTarget._answer_to

    def note(target: GtpTarget, request: Request) -> GtpAnswer:
        said = answer_to(target, request)
        count.setdefault(request.name, Counter())[said.good] += 1
        return said

    monkeypatch.setattr(GtpTarget, "_answer_to", note)
    run(gtp(lolli_command))
    for name in ("play", "genmove", "set_game", "search-algorithm"):
        assert is_some_of(count[name]), (name, count[name])


@pytest.mark.parametrize("fen", ingredients.FENS)
def test_positions_to_begin_from_are_good(fen: str) -> None:
    assert parse_fen(fen).men() > 1
