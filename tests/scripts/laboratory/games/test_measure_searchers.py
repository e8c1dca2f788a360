"""scripts/lab measure-searchers: what is measured, and the tables that come of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games.players.catalogue import game
from engine.games.textbook.search import SearchLimits
from protocol.cli.tournaments.contest import Contest, Fixture, PlayerTotals, TournamentGame
from protocol.cli.tournaments.entrant import entrants
from protocol.cli.tournaments.standings import Standings
from protocol.gtp.rules import Rules
from scripts.laboratory.games import measure_searchers
from scripts.laboratory.games.measure_searchers import (
    FAMILIES,
    Family,
    PageError,
    SearchEffort,
    SearcherSetting,
    count_games,
    effort_table,
    efforts,
    filled,
    strength,
    strength_table,
)

PAGES = Path(__file__).parents[4] / "docs" / "searchers"
SMALL = SearcherSetting(
    "tictactoe", "Small", plies=4, depths=(("minimax", 9), ("alphabeta", 9)), players=("minimax", "random")
)


def test_all_settings_can_be_played_and_all_pages_can_be_filled() -> None:
    for family in FAMILIES:
        assert "text" in filled((PAGES / f"{family.name}.md").read_text(), "text")
        for setting in family.settings:
            rules = game(setting.game, setting.seats)
            rules.start(setting.size)
            texts = [*setting.players, *(text for text, _ in setting.depths)]
            assert entrants(texts, rules, SearchLimits(depth=1))


def test_all_search_the_same_positions() -> None:
    """Five empty squares: 5 · 4 · 3 · 2 games at most, fewer nodes with alpha-beta, the same ones again."""
    plain, pruned = efforts(SMALL, 3, seed=1)
    assert [plain.searcher, pruned.searcher] == ["minimax", "alphabeta"]
    assert plain.visited == pytest.approx(plain.expanded + plain.leaves)
    assert plain.visited <= 1 + 5 + 20 + 60 + 120 + 120
    assert pruned.visited < plain.visited
    again = next(efforts(SMALL, 3, seed=1))
    assert (again.visited, again.leaves) == (plain.visited, plain.leaves)


def test_strength_is_a_tournament_of_so_many_games() -> None:
    ended: list[None] = []
    standings = strength(replace(SMALL, seconds=0.01, rounds=1), 1, lambda: ended.append(None))
    assert standings.games == len(ended) == count_games(replace(SMALL, rounds=1)) == 2
    assert sorted(standing.label for standing in standings.table) == ["minimax", "random"]


def test_table_of_efforts() -> None:
    found = [
        SearchEffort(name, 5, 12345.6, 345.4, 12000.2, 0.01234) for name in ("minimax", "uct-fast:rave=1")
    ]
    table = effort_table(found)
    assert table.splitlines() == [
        "| searcher | plies | nodes visited | expanded | leaves | time |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        "| `minimax` | 5 | 12,346 | 345 | 12,000 | 12.3 ms |",
        "| `uct-fast:rave=1` (compiled) | 5 | 12,346 | 345 | 12,000 | 12.3 ms |",
    ]


def test_table_of_strength_has_the_best_first() -> None:
    labels = entrants(["random", "minimax"], game("tictactoe"), SearchLimits())
    standings = Standings(Contest(Rules("tictactoe"), 2, None, tuple(labels), 0, 1))
    for number in range(1, 5):
        spent = (PlayerTotals(moves=5), PlayerTotals(moves=4, nodes=400, depth=12))
        standings.add(TournamentGame(Fixture(number, (0, 1), number), (), (-1, 1), spent))
    assert strength_table(standings).splitlines()[2:] == [
        "| `minimax` | 100.0% | 51 … 100% | 4 | 100 |  | 3.0 |",
        "| `random` | 0.0% | 0 … 49% | 4 |  |  |  |",
    ]


def test_a_page_is_filled_between_its_marks() -> None:
    page = "before\n<!-- measured: begin -->\nold\n<!-- measured: end -->\nafter\n"
    once = filled(page, r"new \1")
    assert once == "before\n<!-- measured: begin -->\nnew \\1\n<!-- measured: end -->\nafter\n"
    assert filled(once, r"new \1") == once
    with pytest.raises(PageError, match="no marks"):
        filled("nothing", "new")


def test_the_command_writes_the_page_unless_it_runs_dry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "small.md"
    page.write_text("<!-- measured: begin -->\n<!-- measured: end -->\n")
    monkeypatch.setattr(measure_searchers, "FAMILIES", (Family("small", (SMALL,)),))
    monkeypatch.setattr(measure_searchers, "_PAGES", tmp_path)
    words = ["--positions", "1", "--time", "0.005", "--rounds", "1"]
    dry = CliRunner().invoke(measure_searchers.measure_searchers, [*words, "--dry"])
    assert dry.exit_code == 0, dry.output
    assert "| `alphabeta` | 9 |" in dry.output
    assert "alphabeta" not in page.read_text()
    assert CliRunner().invoke(measure_searchers.measure_searchers, words).exit_code == 0
    assert "### Small" in page.read_text()
    page.write_text("no marks")
    failed = CliRunner().invoke(measure_searchers.measure_searchers, words)
    assert failed.exit_code == 1
    assert "no marks" in failed.output
