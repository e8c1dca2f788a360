"""What a match is: its two engines, its rules, its openings, its length."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .statistics import Model, Sprt
from .time_control import NS_PER_MS, MatchTimeControl, Pace

if TYPE_CHECKING:
    from collections.abc import Sequence

PROTOCOLS = ("uci", "xboard")

# XBoard engines see their clock in hundredths of a second, and many are told only whole seconds of increment.
_DEFAULT_MARGIN_MS = {"uci": 0, "xboard": 50}


class PlanError(ValueError):
    """The arguments of a match make no sense; the message says why."""


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """One engine: how to start it, and what it may spend."""

    name: str
    command: tuple[str, ...]
    protocol: str
    directory: str | None
    options: tuple[tuple[str, str], ...]
    pace: Pace
    margin: int
    """By how many nanoseconds a move may overdraw the clock."""
    ponders: bool = False
    """Whether it thinks while its opponent does."""


@dataclass(frozen=True, slots=True)
class AdjudicationRules:
    """When a game is ended before the rules of chess end it. Scores in centipawns, None for never.

    A draw: from full move `draw_move` on, the last `draw_count` moves of both sides were all scored within
    ±`draw_score`. A win: a side's last `resign_count` moves were all scored at or below -`resign_score`, and
    with `resign_both` the opponent's at or above it. `max_moves` full moves end a game as a draw.
    """

    draw_move: int = 0
    draw_count: int = 8
    draw_score: int | None = None
    resign_count: int = 3
    resign_score: int | None = None
    resign_both: bool = False
    max_moves: int | None = None


@dataclass(frozen=True, slots=True)
class MatchRules:
    """All that a single game depends on but its opening."""

    engines: tuple[EngineSpec, EngineSpec]
    adjudication: AdjudicationRules
    chess960: bool
    restart: bool
    """Whether both engines are started anew for each game."""
    stall_seconds: float
    """How long an engine may keep silent, beyond its clock, before it counts as stalled."""
    event: str

    def __post_init__(self) -> None:
        if self.engines[0].name == self.engines[1].name:
            raise PlanError(f"both engines are called {self.engines[0].name}; give them names")
        if self.chess960 and any(engine.protocol == "xboard" for engine in self.engines):
            raise PlanError("XBoard engines play no Chess960 here")


def parse_engine(words: Sequence[tuple[str, str]], defaults: Sequence[tuple[str, str]]) -> EngineSpec:
    """An engine from its `key=value` words, after those given for both. Raises PlanError with the reason."""
    options: dict[str, str] = {}
    values: dict[str, str] = {}
    for key, value in (*defaults, *words):
        if key.startswith("option."):
            options[key.removeprefix("option.")] = value
        elif key in _KEYS:
            values[key] = value
        else:
            raise PlanError(f"{key}= is not known; known are {', '.join(_KEYS)} and option.NAME")
    if not values.get("cmd"):
        raise PlanError("an engine needs a cmd=")
    protocol = values.get("proto", "uci")
    if protocol not in PROTOCOLS:
        raise PlanError(f"proto={protocol} is not known; known are {', '.join(PROTOCOLS)}")
    try:
        command = tuple(shlex.split(values["cmd"]))
        pace = _parse_pace(values)
        margin = int(float(values.get("timemargin", _DEFAULT_MARGIN_MS[protocol])) * NS_PER_MS)
    except ValueError as error:
        raise PlanError(f"engine {values.get('name', values['cmd'])}: {error}") from error
    if protocol == "xboard" and pace.nodes is not None:
        raise PlanError("XBoard engines cannot be held to a number of nodes")
    return EngineSpec(
        name=values.get("name", command[0].rsplit("/", 1)[-1]),
        command=command,
        protocol=protocol,
        directory=values.get("dir"),
        options=tuple(options.items()),
        pace=pace,
        margin=margin,
        ponders=_parse_flag("ponder", values),
    )


_KEYS = ("name", "cmd", "proto", "dir", "tc", "nodes", "depth", "movetime", "timemargin", "ponder")


def _parse_flag(key: str, values: dict[str, str]) -> bool:
    value = values.get(key, "false")
    if value not in ("true", "false"):
        raise PlanError(f"{key}= is true or false, not {value}")
    return value == "true"


def _parse_pace(values: dict[str, str]) -> Pace:
    return Pace(
        clock=MatchTimeControl.parse(values["tc"]) if "tc" in values else None,
        nodes=int(values["nodes"]) if "nodes" in values else None,
        depth=int(values["depth"]) if "depth" in values else None,
        move_time=int(float(values["movetime"]) * NS_PER_MS) if "movetime" in values else None,
    )


def parse_adjudication(
    draw: Sequence[tuple[str, str]] | None, resign: Sequence[tuple[str, str]] | None, max_moves: int | None
) -> AdjudicationRules:
    """The adjudication of the options --draw, --resign and --max-moves. Raises PlanError with the reason."""
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
    """The sequential test of the option --sprt, None without it. Raises PlanError with the reason."""
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
    """The whole numbers of an option's words over its defaults; nothing if the option is not given."""
    if words is None:
        return {}
    for key, value in words:
        if key not in defaults or not value.isdecimal():
            raise PlanError(f"{option} takes whole numbers for {', '.join(defaults)}, not {key}={value}")
    return defaults | {key: int(value) for key, value in words}
