"""The rules of a match: engines, their limits and clocks, adjudication, the sequential test."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Self

import chess
from chess.engine import Score

from scripts.laboratory.engine_pipe import NS_PER_MS, NS_PER_S
from scripts.laboratory.matches.disturb import Disturbance
from scripts.laboratory.matches.record import Termination
from scripts.laboratory.statistics import Model, Sprt

_TIME_CONTROL = re.compile(
    r"(?:(?P<moves>\d+)/)?(?:(?P<minutes>\d+):)?(?P<seconds>[\d.]+)(?:\+(?P<inc>[\d.]+))?"
)


@dataclass(frozen=True, slots=True)
class MatchTimeControl:
    """A base time, for the whole game or for every `moves` moves, and an increment a move, in nanoseconds."""

    base: int
    increment: int = 0
    moves: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `[moves/][minutes:]seconds[+increment]`. Raises ValueError with the reason."""
        match = _TIME_CONTROL.fullmatch(text)
        if match is None:
            raise ValueError(
                f"{text!r} is not a time control: expected [moves/][minutes:]seconds[+increment]"
            )
        base = _nanoseconds(match["seconds"]) + int(match["minutes"] or 0) * 60 * NS_PER_S
        moves = int(match["moves"]) if match["moves"] else None
        if base <= 0 or moves == 0:
            raise ValueError(f"{text!r} leaves no time for a move")
        return cls(base, _nanoseconds(match["inc"] or "0"), moves)

    def __str__(self) -> str:
        moves = f"{self.moves}/" if self.moves else ""
        increment = f"+{self.increment / NS_PER_S:g}" if self.increment else ""
        return f"{moves}{self.base / NS_PER_S:g}{increment}"


@dataclass(frozen=True, slots=True)
class Pace:
    """The limits of an engine's moves: at least one of clock, nodes, depth, and nanoseconds per move.

    With `nodes_time` the clock counts nodes instead of time, so many of them as a millisecond. Raises
    ValueError if no limit is given, or both a clock and a time per move, or `nodes_time` without a clock.
    """

    clock: MatchTimeControl | None = None
    nodes: int | None = None
    depth: int | None = None
    move_time: int | None = None
    nodes_time: int | None = None

    def __post_init__(self) -> None:
        if self.clock is None and self.nodes is None and self.depth is None and self.move_time is None:
            raise ValueError("no limit: give tc, nodes, depth or movetime")
        if self.clock is not None and self.move_time is not None:
            raise ValueError("tc and movetime cannot be combined")
        if self.clock is None and self.nodes_time is not None:
            raise ValueError("nodestime needs a tc")
        limits = (self.nodes, self.depth, self.move_time, self.nodes_time)
        if any(limit is not None and limit <= 0 for limit in limits):
            raise ValueError("limits must be above zero")

    def __str__(self) -> str:
        parts = [str(self.clock)] if self.clock else []
        parts += [f"{self.nodes_time} nodes for each ms"] if self.nodes_time else []
        parts += [f"{self.nodes} nodes"] if self.nodes else []
        parts += [f"depth {self.depth}"] if self.depth else []
        parts += [f"{self.move_time / NS_PER_MS:g} ms a move"] if self.move_time else []
        return ", ".join(parts)


class GameClock:
    """The clock of one side in one game. All times are in nanoseconds."""

    def __init__(self, pace: Pace, margin: int) -> None:
        """Start with the full time. A move may exceed it by `margin` without a loss on time."""
        self._control = pace.clock
        self._move_time = pace.move_time
        self._margin = margin
        self._moves = 0
        self.left = pace.clock.base if pace.clock else 0
        self.lowest: int | None = None

    @property
    def runs(self) -> bool:
        """Whether there is a time control."""
        return self._control is not None

    @property
    def increment(self) -> int:
        """The increment per move."""
        return self._control.increment if self._control else 0

    @property
    def moves_to_go(self) -> int | None:
        """The number of moves until the next time control, None if there is none."""
        if self._control is None or self._control.moves is None:
            return None
        return self._control.moves - self._moves % self._control.moves

    @property
    def allowance(self) -> int | None:
        """How long the next move may take without a loss on time; None: no limit."""
        if self._control is not None:
            return self.left + self._margin
        return None if self._move_time is None else self._move_time + self._margin

    def overrun(self, elapsed: int) -> int:
        """By how much a move of `elapsed` nanoseconds exceeds the time on the clock, without the margin."""
        allowance = self.allowance
        return 0 if allowance is None else max(0, elapsed - (allowance - self._margin))

    def spend(self, elapsed: int) -> bool:
        """Subtract the time of a move. False if the move loses on time."""
        allowance = self.allowance
        if allowance is None:
            return True
        if elapsed > allowance:
            return False
        if self._control is not None:
            self.left = max(0, self.left - elapsed)
            self.lowest = self.left if self.lowest is None else min(self.lowest, self.left)
            self._moves += 1
            self.left += self._control.increment
            if self._control.moves is not None and self._moves % self._control.moves == 0:
                self.left += self._control.base
        return True


def _nanoseconds(seconds: str) -> int:
    try:
        return int(Decimal(seconds) * NS_PER_S)
    except InvalidOperation:
        raise ValueError(f"{seconds!r} is not a number of seconds") from None


# The score of a mate, in centipawns.
_MATE_SCORE = 100_000


@dataclass(frozen=True, slots=True)
class AdjudicationRules:
    """When a game is adjudicated. Scores are in centipawns; None means never.

    A draw: from full move `draw_move` on, the scores of the last `draw_count` moves of both sides were within
    ±`draw_score`. A loss: the scores of a side's last `resign_count` moves were at most -`resign_score` and,
    with `resign_both`, the opponent's were at least `resign_score`. After `max_moves` full moves a game is
    drawn.
    """

    draw_move: int = 0
    draw_count: int = 8
    draw_score: int | None = None
    resign_count: int = 3
    resign_score: int | None = None
    resign_both: bool = False
    max_moves: int | None = None


class Referee:
    """Decides after every move of a game whether it is over."""

    def __init__(self, board: chess.Board, rules: AdjudicationRules) -> None:
        """Start at the first move of the engines. Positions before it count for repetitions."""
        self._rules = rules
        self._seen: Counter[Hashable] = Counter()
        self._scores: dict[chess.Color, list[int | None]] = {chess.WHITE: [], chess.BLACK: []}
        replay = board.root()
        self._note_position(replay)
        for move in board.move_stack:
            replay.push(move)
            self._note_position(replay)

    def end_by_rule(self, board: chess.Board) -> Termination | None:
        """How the game ends by the rules of chess in this position, None if it goes on.

        A draw by threefold repetition or fifty moves is claimed at once.
        """
        if not any(board.generate_legal_moves()):
            return Termination.CHECKMATE if board.is_check() else Termination.STALEMATE
        if board.is_insufficient_material():
            return Termination.INSUFFICIENT_MATERIAL
        if board.halfmove_clock >= 100:
            return Termination.FIFTY_MOVES
        return Termination.REPETITION if self._seen[_key(board)] >= 3 else None

    def note(self, board: chess.Board, score: Score | None) -> None:
        """Note the position after a move, and the score that its player reported."""
        self._note_position(board)
        value = None if score is None else score.score(mate_score=_MATE_SCORE)
        self._scores[not board.turn].append(value)

    def adjudicate(self, board: chess.Board) -> tuple[Termination, chess.Color | None] | None:
        """How the game is adjudicated after the last move, and the winner; None if it goes on."""
        rules = self._rules
        if self._is_agreed_draw(board):
            return Termination.DRAW_ADJUDICATED, None
        loser = not board.turn
        if rules.resign_score is not None and self._is_lost(loser, rules.resign_score):
            return Termination.WIN_ADJUDICATED, not loser
        if rules.max_moves is not None and board.turn and board.fullmove_number > rules.max_moves:
            return Termination.MOVE_LIMIT, None
        return None

    def _note_position(self, board: chess.Board) -> None:
        self._seen[_key(board)] += 1

    def _is_agreed_draw(self, board: chess.Board) -> bool:
        bound, count = self._rules.draw_score, self._rules.draw_count
        if bound is None or board.fullmove_number < self._rules.draw_move:
            return False
        last = [score for scores in self._scores.values() for score in scores[-count:]]
        return len(last) == 2 * count and all(score is not None and abs(score) <= bound for score in last)

    def _is_lost(self, colour: chess.Color, bound: int) -> bool:
        count = self._rules.resign_count
        own, other = self._scores[colour][-count:], self._scores[not colour][-count:]
        if len(own) < count or not all(score is not None and score <= -bound for score in own):
            return False
        if not self._rules.resign_both:
            return True
        return len(other) == count and all(score is not None and score >= bound for score in other)


def _key(board: chess.Board) -> Hashable:
    """A key that is equal for positions that count as repetitions of each other."""
    pieces = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    en_passant = board.ep_square if board.has_legal_en_passant() else None
    return *pieces, board.occupied_co[chess.WHITE], board.turn, board.clean_castling_rights(), en_passant


class MatchRulesError(ValueError):
    """The arguments of a match cannot be used. The message says why."""


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """An engine: how to start it, and its limits."""

    name: str
    command: tuple[str, ...]
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
    disturbance: Disturbance

    def __post_init__(self) -> None:
        if self.disturbance.stalls and self.engines[0].pace.clock is None:
            raise MatchRulesError("stalls= needs a tc=: how often they come depends on the length of a game")
        if self.engines[0].name == self.engines[1].name:
            raise MatchRulesError(f"both engines are called {self.engines[0].name!r}: give each a name=")


def parse_engine(words: Sequence[tuple[str, str]], defaults: Sequence[tuple[str, str]]) -> EngineSpec:
    """An engine from its `key=value` words, which override `defaults`. Raises MatchRulesError."""
    options: dict[str, str] = {}
    values: dict[str, str] = {}
    for key, value in (*defaults, *words):
        if key.startswith("option."):
            options[key.removeprefix("option.")] = value
        elif key in _KEYS:
            values[key] = value
        else:
            raise MatchRulesError(f"unknown key {key}=: use {', '.join(_KEYS)} or option.NAME")
    if not values.get("cmd"):
        raise MatchRulesError("an engine needs a cmd=")
    try:
        command = tuple(shlex.split(values["cmd"]))
        pace = _parse_pace(values)
        margin = int(float(values.get("timemargin", 0)) * NS_PER_MS)
    except ValueError as error:
        raise MatchRulesError(f"engine {values.get('name', values['cmd'])}: {error}") from error
    ponders = values.get("ponder", "false")
    if ponders not in ("true", "false"):
        raise MatchRulesError(f"ponder={ponders}: use true or false")
    if ponders == "true" and pace.nodes_time is not None:
        raise MatchRulesError(
            "ponder=true and nodestime= cannot be combined: who ponders spends no time, but nodes"
        )
    return EngineSpec(
        name=values.get("name", command[0].rsplit("/", 1)[-1]),
        command=command,
        directory=values.get("dir"),
        options=tuple(options.items()),
        pace=pace,
        margin=margin,
        ponders=ponders == "true",
    )


_KEYS = ("name", "cmd", "dir", "tc", "nodes", "depth", "movetime", "nodestime", "timemargin", "ponder")


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
    """The rules from the options --draw, --resign and --max-moves. Raises MatchRulesError."""
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


def parse_disturbance(words: Sequence[tuple[str, str]]) -> Disturbance:
    """What disturbs the engines, from the option --disturb. Raises MatchRulesError."""
    try:
        return Disturbance.parse(words)
    except ValueError as error:
        raise MatchRulesError(str(error)) from error


def parse_sprt(words: Sequence[tuple[str, str]] | None) -> Sprt | None:
    """The sequential test from the option --sprt, None without it. Raises MatchRulesError."""
    if words is None:
        return None
    values = {"alpha": "0.05", "beta": "0.05", "model": Model.LOGISTIC.value} | dict(words)
    try:
        model = Model(values.pop("model"))
        return Sprt(**{key: float(value) for key, value in values.items()}, model=model)
    except (TypeError, ValueError) as error:
        raise MatchRulesError(f"--sprt takes elo0, elo1, alpha, beta and model: {error}") from error


def _numbers(
    option: str, words: Sequence[tuple[str, str]] | None, defaults: dict[str, int]
) -> dict[str, int]:
    """The numbers of an option, with defaults for those that are not given; empty without the option."""
    if words is None:
        return {}
    for key, value in words:
        if key not in defaults or not value.isdecimal():
            raise MatchRulesError(
                f"{option} takes whole numbers for {', '.join(defaults)}, not {key}={value}"
            )
    return defaults | {key: int(value) for key, value in words}
