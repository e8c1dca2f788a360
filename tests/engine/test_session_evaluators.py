"""The evaluators that a session can have, and what changes with them."""

from pathlib import Path

import pytest

from engine.search.limits import Limits
from engine.session import SearchingError, Session
from eval.choice import Choices, EvaluatorError
from eval.network_file import save_network
from eval.weight_file import WeightsError, save, save_outcome
from tests.engine.search.searching import search, sized
from tests.engine.sessions import FOREVER, KIWIPETE, assert_answered, started
from tests.eval.some_networks import random_network
from tests.eval.some_weights import MODEL, random_weights


@pytest.fixture
def choices(tmp_path: Path) -> Choices:
    """Evaluators with files of their own; `other.json`, `other.lolli` have other weights and no outcome."""
    save(tmp_path / "linear.json", random_weights())
    save(tmp_path / "other.json", random_weights(seed=2, outcome=None))
    save_outcome(tmp_path / "material.json", MODEL, {})
    save_network(tmp_path / "network.lolli", random_network())
    save_network(tmp_path / "other.lolli", random_network(2, 64, outcome=None))
    return Choices(tmp_path / "linear.json", tmp_path / "material.json", tmp_path / "network.lolli")


def scores(session: Session, threads: int = 1) -> list[int]:
    session.settings.threads = threads
    heard = search(session, Limits(depth=sized(4, 2)), KIWIPETE)
    return [number for report in heard.reports for number in (report.score.value, report.nodes)]


def test_evaluators_to_choose_from(choices: Choices) -> None:
    session = Session(None, 1, choices)
    assert session.evaluators == choices.names
    assert session.evaluator == choices.names[0] == "network"
    assert session.problems == []
    for name in choices.names:
        session.use_evaluator(name)
        assert session.evaluator == name
        assert session.outcome_model == MODEL
        assert session.normalises == (name != "material")
        assert session.explanations() == choices.explanations(name, session.position)
    with pytest.raises(EvaluatorError, match="unknown evaluator 'stockfish'"):
        session.use_evaluator("stockfish")
    assert session.evaluator == name
    session.close()


@pytest.mark.parametrize("threads", [1, 3])
def test_after_another_evaluator_nothing_of_the_last_one_is_left(choices: Choices, threads: int) -> None:
    """A session that had another evaluator finds what a fresh one finds."""
    used = Session(None, 1, choices)
    found = {}
    for name in ("material", "linear", "network", "material", "linear"):
        used.use_evaluator(name)
        fresh = Session(None, 1, choices)
        fresh.use_evaluator(name)
        assert scores(used) == scores(fresh)
        found[name] = scores(used, threads)[0]
        fresh.close()
        used.new_game()
    assert len({*found.values()}) == 3
    used.close()


def test_a_network_of_ones_own(choices: Choices, tmp_path: Path) -> None:
    """It is recognised by what it holds; that of `linear` stays."""
    session = Session(None, 1, choices)
    before = scores(session)
    session.load_weights(tmp_path / "other.lolli")
    assert (session.evaluator, session.outcome_model, session.normalises) == ("network", None, False)
    assert scores(session) != before
    (tmp_path / "other.lolli").write_bytes(b"LolliNet")
    with pytest.raises(WeightsError, match=r"other\.lolli: is of version 0"):
        session.load_weights(tmp_path / "other.lolli")
    assert session.outcome_model is None
    session.use_evaluator("linear")
    assert session.outcome_model == MODEL
    session.load_weights(None)
    session.use_evaluator("network")
    assert session.outcome_model == MODEL
    assert scores(session) == before
    session.close()


def test_evaluators_are_not_exchanged_during_a_search(choices: Choices) -> None:
    session = Session(None, 1, choices)
    listener = started(session, FOREVER)
    with pytest.raises(SearchingError):
        session.use_evaluator("linear")
    with pytest.raises(SearchingError):
        session.load_weights(None)
    session.stop()
    assert_answered(session, listener)
    session.close()
