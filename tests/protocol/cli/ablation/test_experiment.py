"""The searches that are compared, and the positions of Bratko and Kopec."""

import pytest

from engine.search.parameters import TECHNIQUES, Parameters
from protocol.cli.ablation.experiment import (
    VariantError,
    ablation,
    chosen,
    default_positions,
    ladder,
    techniques,
)
from protocol.cli.suites.epd import parse_position, suite_lines
from tests.pure import ROOT


@pytest.mark.parametrize("exact", [False, True])
def test_the_ladder_leads_from_nothing_to_the_whole_search(exact: bool) -> None:
    names = techniques(exact)
    rungs = list(ladder(names))
    assert rungs[0].on == frozenset()
    for before, rung, name in zip(rungs, rungs[1:], names, strict=False):
        assert rung.on == before.on | {name}
    assert rungs[-1].on == next(iter(ablation(names, exact))).on
    assert [rung.name for rung in rungs[:4]] == ["minimax", "+ alpha_beta", "+ ordering", "+ table"]


def test_the_whole_search_is_the_usual_one() -> None:
    whole, *others = ablation(techniques(exact=False), exact=False)
    usual, ours = Parameters(), Parameters()
    ours.reset(whole.changed)
    for name, technique in TECHNIQUES.items():
        assert getattr(ours, name) == getattr(usual, name) == technique.default
    assert {next(iter(whole.on - each.on)) for each in others} == whole.on
    assert all(len(each.on) == len(whole.on) - 1 for each in others)
    assert {each.name for each in others} == {f"without {name}" for name in whole.on}


def test_what_guesses_is_no_part_of_an_exact_search_unless_it_is_named() -> None:
    assert not any(TECHNIQUES[name].guess for name in techniques(exact=True))
    whole, with_, without = ablation(("null_move", "table"), exact=True)
    assert (with_.name, with_.on) == ("with null_move", whole.on | {"null_move"})
    assert (without.name, without.on) == ("without table", whole.on - {"table"})


def test_names_are_taken_in_their_order_and_once() -> None:
    assert chosen("table, alpha_beta,table") == ("table", "alpha_beta")
    for text in ("tables", "", "table,", "table alpha_beta"):
        with pytest.raises(VariantError, match="unknown technique") as error:
            chosen(text)
        assert "\n" not in str(error.value)


def test_they_are_those_of_the_suite_that_comes_with_the_source() -> None:
    data = (ROOT / "scripts" / "laboratory" / "data" / "bratko-kopec.epd").read_bytes()
    suite = [parse_position(text, "", line) for line, text in suite_lines(data)]
    usual = default_positions()
    assert [(each.name, each.board, each.best) for each in usual] == [
        (each.name, each.board, each.best) for each in suite
    ]
