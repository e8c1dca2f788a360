"""A run of the tuner from folders of self-play to weights and a report, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.files import open_file
from eval.learning import dataset, samples
from eval.learning.loss import Examples, Judgement, judge, least_loss, targets_of
from eval.learning.report import Source, TuningReport
from eval.learning.start import hand_set
from eval.learning.tuner import Epoch, Tuner, TunerSettings, nothing, rounded, table_of
from protocol.journal import LONGEST_LINE, run_of
from scripts.laboratory.matches.journal import LARGEST

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from eval.weight_file import Weights

HAND = "set by hand"
"""The name of the weights that eval/learning/start.py sets."""

_JOURNAL = "selfplay.jsonl"


class TuningError(ValueError):
    """Games that nothing can be learned from; the message says why."""


@dataclass(frozen=True, slots=True)
class TuningPlan:
    """`start` are the weights to begin with, `origin` is what they are called; `mix` is the share of the
    games' results in what is to be expected, `held_out` the share of games that only judge."""

    start: Weights
    origin: str
    mix: float
    held_out: float
    settings: TunerSettings


def files_of(folders: Sequence[Path]) -> list[list[Path]]:
    """The files of samples in each folder. Raises TuningError where there are none."""
    found = [samples.files([folder]) for folder in folders]
    for folder, files in zip(folders, found, strict=True):
        if not files:
            raise TuningError(f"{folder}: holds no samples")
    return found


def learn(
    folders: Sequence[Path],
    files: Sequence[Sequence[Path]],
    plan: TuningPlan,
    tell: Callable[[Epoch], object],
) -> tuple[Weights, TuningReport]:
    """Learn from files whose counts are ready, telling of each epoch. Raises TuningError, OSError."""
    data = dataset.load(files)
    sources = [_source(folder, number, data) for number, folder in enumerate(folders)]
    training, validation = _examples(data, plan)
    del data
    before = table_of(plan.start)
    tuner = Tuner(training, validation, before, plan.settings)
    epochs = []
    for epoch in tuner.epochs():
        tell(epoch)
        epochs.append(epoch)
    learned = rounded(tuner.best)
    report = TuningReport(
        made=datetime.now(UTC).date().isoformat(),
        start=plan.origin,
        mix=plan.mix,
        settings=plan.settings,
        sources=sources,
        training=len(training.data),
        validation=len(validation.data),
        held_out=plan.held_out,
        epochs=epochs,
        judgements=_judgements(training, validation, plan, learned),
        least=least_loss(validation.targets),
        before=before,
        learned=table_of(learned),
        uses=training.data.uses(),
    )
    return replace(learned, outcome=plan.start.outcome, about=report.about()), report


def _examples(data: dataset.Dataset, plan: TuningPlan) -> tuple[Examples, Examples]:
    training, validation = dataset.split(data, plan.held_out, plan.settings.seed)
    if not len(training) or not len(validation):
        raise TuningError("there are too few games to learn from some and to judge by others")
    examples = Examples(data, targets_of(data, plan.mix))
    return examples.take(training), examples.take(validation)


def _judgements(
    training: Examples, validation: Examples, plan: TuningPlan, learned: Weights
) -> list[Judgement]:
    tables = {"material": nothing(), HAND: table_of(hand_set())}
    if plan.origin != HAND:
        tables[f"before: {plan.origin}"] = table_of(plan.start)
    tables["learned"] = table_of(learned)
    return [judge(name, table, training, validation) for name, table in tables.items()]


def _source(folder: Path, number: int, data: dataset.Dataset) -> Source:
    of_folder = data.source == number
    games = len(np.unique(data.game[of_folder]))
    return Source(folder.resolve().name, games, int(of_folder.sum()), _played(folder))


def _played(folder: Path) -> dict[str, Any]:
    """How the games were played, as the journal of self-play begins; nothing where that is not known."""
    try:
        with open_file(folder / _JOURNAL, LARGEST) as file:
            return run_of(file.readline(LONGEST_LINE))
    except OSError:
        return {}
