"""The two engines of a match and its rules, and how both are given on the command line."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scripts.laboratory.engine_pipe import NS_PER_MS
from scripts.laboratory.matches.adjudication import AdjudicationRules
from scripts.laboratory.matches.time_control import MatchTimeControl, Pace
from scripts.laboratory.statistics import Model, Sprt

if TYPE_CHECKING:
    from collections.abc import Sequence

PROTOCOLS = ("uci", "xboard")

# XBoard engines see their clock in hundredths of a second, and many their increment in whole seconds.
_DEFAULT_MARGIN_MS = {"uci": 0, "xboard": 50}


class PlanError(ValueError):
    """The arguments of a match cannot be used. The message says why."""


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """An engine: how to start it, and its limits."""

    name: str
    command: tuple[str, ...]
    protocol: str
    directory: str | None
    options: tuple[tuple[str, str], ...]
    pace: Pace
    margin: int
    """By how many nanoseconds a move may exceed the clock."""
    ponders: bool = False
    """Whether it thinks while its opponent does."""


@dataclass(frozen=True, slots=True)
class MatchRules:
    """What all games of a match have in common."""

    engines: tuple[EngineSpec, EngineSpec]
    adjudication: AdjudicationRules
    chess960: bool
    restart: bool
    """Whether both engines are restarted for each game."""
    stall_seconds: float
    """How long an engine may exceed its clock without a sign of life before it has stalled."""
    event: str

    def __post_init__(self) -> None:
        if self.engines[0].name == self.engines[1].name:
            raise PlanError(f"both engines are called {self.engines[0].name!r}: give each a name=")
        if self.chess960 and any(engine.protocol == "xboard" for engine in self.engines):
            raise PlanError("Chess960 is not supported for XBoard engines")


def parse_engine(words: Sequence[tuple[str, str]], defaults: Sequence[tuple[str, str]]) -> EngineSpec:
    """An engine from its `key=value` words, which override `defaults`. Raises PlanError."""
    options: dict[str, str] = {}
    values: dict[str, str] = {}
    for key, value in (*defaults, *words):
        if key.startswith("option."):
            options[key.removeprefix("option.")] = value
        elif key in _KEYS:
            values[key] = value
        else:
            raise PlanError(f"unknown key {key}=: use {', '.join(_KEYS)} or option.NAME")
    if not values.get("cmd"):
        raise PlanError("an engine needs a cmd=")
    protocol = values.get("proto", "uci")
    if protocol not in PROTOCOLS:
        raise PlanError(f"unknown protocol proto={protocol}: use {' or '.join(PROTOCOLS)}")
    try:
        command = tuple(shlex.split(values["cmd"]))
        pace = _parse_pace(values)
        margin = int(float(values.get("timemargin", _DEFAULT_MARGIN_MS[protocol])) * NS_PER_MS)
    except ValueError as error:
        raise PlanError(f"engine {values.get('name', values['cmd'])}: {error}") from error
    if protocol == "xboard" and (pace.nodes is not None or pace.nodes_time is not None):
        raise PlanError("nodes= and nodestime= are not supported for XBoard engines")
    ponders = _parse_flag("ponder", values)
    if ponders and pace.nodes_time is not None:
        raise PlanError(
            "ponder=true and nodestime= cannot be combined: who ponders spends no time, but nodes"
        )
    return EngineSpec(
        name=values.get("name", command[0].rsplit("/", 1)[-1]),
        command=command,
        protocol=protocol,
        directory=values.get("dir"),
        options=tuple(options.items()),
        pace=pace,
        margin=margin,
        ponders=ponders,
    )


_KEYS = (
    "name",
    "cmd",
    "proto",
    "dir",
    "tc",
    "nodes",
    "depth",
    "movetime",
    "nodestime",
    "timemargin",
    "ponder",
)


def _parse_flag(key: str, values: dict[str, str]) -> bool:
    value = values.get(key, "false")
    if value not in ("true", "false"):
        raise PlanError(f"{key}={value}: use true or false")
    return value == "true"


def _parse_pace(values: dict[str, str]) -> Pace:
    return Pace(
        clock=MatchTimeControl.parse(values["tc"]) if "tc" in values else None,
        nodes=int(values["nodes"]) if "nodes" in values else None,
        depth=int(values["depth"]) if "depth" in values else None,
        move_time=int(float(values["movetime"]) * NS_PER_MS) if "movetime" in values else None,
        nodes_time=int(values["nodestime"]) if "nodestime" in values else None,
    )


def parse_adjudication(
    draw: Sequence[tuple[str, str]] | None, resign: Sequence[tuple[str, str]] | None, max_moves: int | None
) -> AdjudicationRules:
    """The rules from the options --draw, --resign and --max-moves. Raises PlanError."""
    drawing = _numbers("--draw", draw, {"move": 40, "count": 8, "score": 10})
    resigning = _numbers("--resign", resign, {"count": 3, "score": 1000, "both": 0})
    return AdjudicationRules(
        draw_move=drawing.get("move", 0),
        draw_count=drawing.get("count", 0),
        draw_score=drawing.get("score"),
        resign_count=resigning.get("count", 0),
        resign_score=resigning.get("score"),
        resign_both=bool(resigning.get("both", 0)),
        max_moves=max_moves,
    )


def parse_sprt(words: Sequence[tuple[str, str]] | None) -> Sprt | None:
    """The sequential test from the option --sprt, None without it. Raises PlanError."""
    if words is None:
        return None
    values = {"alpha": "0.05", "beta": "0.05", "model": Model.LOGISTIC.value} | dict(words)
    try:
        model = Model(values.pop("model"))
        return Sprt(**{key: float(value) for key, value in values.items()}, model=model)
    except (TypeError, ValueError) as error:
        raise PlanError(f"--sprt takes elo0, elo1, alpha, beta and model: {error}") from error


def _numbers(
    option: str, words: Sequence[tuple[str, str]] | None, defaults: dict[str, int]
) -> dict[str, int]:
    """The numbers of an option, with defaults for those that are not given; empty without the option."""
    if words is None:
        return {}
    for key, value in words:
        if key not in defaults or not value.isdecimal():
            raise PlanError(f"{option} takes whole numbers for {', '.join(defaults)}, not {key}={value}")
    return defaults | {key: int(value) for key, value in words}
