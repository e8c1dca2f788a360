"""Which engine plays a run of self-play: noted beside its games, so that a change of engine is seen.

Games of several engines in one folder are as good to learn from, but no single engine can make them again.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scripts.laboratory.checkout import checkout_commit
from scripts.laboratory.learning.selfplay_games import SelfPlayWorker
from scripts.laboratory.long_run import RunJournal, whole

if TYPE_CHECKING:
    from pathlib import Path

    from scripts.laboratory.learning.selfplay_games import SelfPlayRules

_NAME = "engines.jsonl"
_NODES = 500
"""Most nodes of a search in the game by which engines are told apart: it takes a tenth of a second."""


def note_engine(folder: Path, rules: SelfPlayRules, done: int) -> str | None:
    """Note which engine goes on with the run in `folder` after `done` games or positions.

    Returns a line that says so if another one has played before. Raises JournalError, OpeningSuiteError and
    OSError.
    """
    now, commit = engine_digest(rules), checkout_commit()
    with RunJournal(folder / _NAME, {"run": "engines"}) as journal:
        known = journal.read(_engine)
        if known and known[-1][0] == now:
            return None
        journal.append({"engine": now, "commit": commit, "done": done})
    if not known or not done:
        return None
    before = known[-1][1]
    return (
        f"Another engine goes on after {done}: it plays other games with the same settings "
        f"(commit {_short(before)} before, {_short(commit)} now; noted in {_NAME})"
    )


def engine_digest(rules: SelfPlayRules) -> str:
    """What tells the engine from another one: a game that it plays. Raises OpeningSuiteError.

    A hash of its sources, as workers of a cluster compare them, would tell apart engines that play alike.
    """
    worker = SelfPlayWorker(replace(rules, nodes=min(rules.nodes, _NODES)))
    return hashlib.sha256(worker.work(0)).hexdigest()[:16]


def _engine(record: dict[str, Any]) -> tuple[str, str | None]:
    """The digest and the commit of an engine."""
    engine, commit = record["engine"], record["commit"]
    if not isinstance(engine, str) or not isinstance(commit, str | None):
        raise TypeError("not an engine")
    whole(record["done"])
    return engine, commit


def _short(commit: str | None) -> str:
    return "unknown" if commit is None else commit[:9]
