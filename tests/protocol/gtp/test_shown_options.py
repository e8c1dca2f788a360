"""For every game and searcher: the options that are shown are those that the searcher is made with."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from engine.games.catalogue import GAMES, Rules, game
from engine.games.searchers import SEARCHERS
from lolli.cli.games import command
from protocol.gtp.commands import answer
from protocol.gtp.parser import Request
from protocol.gtp.session import GtpSession
from tests.protocol.gtp.client import read

if TYPE_CHECKING:
    from engine.games.searchers import Option

RULES = [
    *(Rules(name) for name in GAMES),
    *(Rules("tree", text=tree) for tree in ("sixteen", "chance", "animals")),
    *(Rules("focus", 3), Rules("virus", 4)),
]

Made = dict[str, Any]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    values: Made = {}

    def recording(make: Any) -> Any:
        def recorded(game: Any, seed: int, **given: Any) -> Any:
            player = make(game, seed, **given)  # which may make another to fall back on
            values.clear()
            values.update(given)
            return player

        return recorded

    for name, algorithm in SEARCHERS.items():
        monkeypatch.setitem(SEARCHERS, name, replace(algorithm, make=recording(algorithm.make)))
    return values


def say(session: GtpSession, name: str, *arguments: str) -> list[str]:
    told = read(answer(session, Request("", name, arguments)))
    assert told.good, told.text
    return told.lines


def as_text(name: str, values: Made) -> str:
    return " ".join([name, *(f"{option}={str(value).lower()}" for option, value in values.items())])


def another(option: Option, value: Any) -> str:
    if isinstance(value, bool):
        return str(not value).lower()
    if isinstance(value, str):
        return next(choice for choice in option.choices if choice != value)
    if option.most is not None and value + 1 > option.most:
        return str(value / 2)
    return str(value + 1).removesuffix(".0")


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"{rules.name} {rules.players or rules.text}")
def test_shown_and_used(rules: Rules, made: Made) -> None:
    session = GtpSession(rules)
    playing, *possible = say(session, "search-algorithm")
    assert playing == as_text(session.player.searcher, made)
    shown = {line.split(":")[0].split()[0]: line.split(": ")[0] for line in possible}
    for name, line in shown.items():
        say(session, "search-algorithm", name)
        assert line == as_text(name, made)
        for option in SEARCHERS[name].options:
            need = SEARCHERS[name].switches.get(option.name)
            if need is not None and need(session.game):
                continue  # cannot be on here
            if isinstance(option.default, str) and not option.choices:
                continue  # the name of a file
            text = another(option, made[option.name])
            say(session, "search-algorithm", name, f"{option.name}={text}")
            assert str(made[option.name]).lower().removesuffix(".0") == text
            assert say(session, "search-algorithm")[0] == as_text(name, made)


@pytest.mark.parametrize("name", GAMES)
def test_games_shows_the_same(name: str, made: Made) -> None:
    told = json.loads(CliRunner().invoke(command, [name, "--json"]).output)
    table = CliRunner().invoke(command, [name]).output
    rules = game(name)
    for searcher, obstacle in told["searchers"].items():
        if obstacle is None:
            SEARCHERS[searcher].player(rules)
            assert told["searcher_options"][searcher] == made
            assert as_text("", made).strip() in table
