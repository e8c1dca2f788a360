"""Positions that an evaluation may get wrong, and what evaluators and their searches say of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import chess
import chess.syzygy

from engine.adjudication import STANDARD
from engine.board.fen import parse_fen
from engine.search.engine import Engine
from engine.search.selfplay import SelfPlayer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engine.search.alphabeta import Searcher
    from eval.evaluator import Evaluator

PROBES = Path(__file__).parents[1] / "data" / "probes.epd"
"""Positions of known kinds, some with their results."""

DECISIVE, LARGEST = 150, 1000
"""Centipawns: a value from DECISIVE on says that a side wins; one beyond LARGEST counts as LARGEST."""

_RESULTS = {"1-0": 1, "1/2-1/2": 0, "0-1": -1, "*": None}
_PAWN_ENDING = re.compile("KP+vKP*")
_DRAWN_BY_RULE = 1
_MEGABYTES = 16
_MOST_TRIES = 1000  # to place men, for each position that is wanted


@dataclass(frozen=True, slots=True)
class Probe:
    """A position of a kind with its result, White's 1, 0, -1, or None where it is not known."""

    kind: str
    name: str
    board: chess.Board
    result: int | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What an evaluator says of a position, in White's centipawns: at once, and after a search."""

    static: int
    searched: int


def read_probes(path: Path) -> list[Probe]:
    """The positions in an EPD file: `c0` is their kind, `c1` their result, `id` their name.

    Raises OSError, and ValueError at a line that is not a probe.
    """
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            board = chess.Board(chess960=True)
            try:
                said = board.set_epd(line)
                found.append(Probe(_said(said, "c0"), _said(said, "id"), board, _RESULTS[_said(said, "c1")]))
            except KeyError as error:
                raise ValueError(f"{path}, line {number}: unknown result {error}") from error
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from error
    return found


def _said(operations: Mapping[str, object], name: str) -> str:
    """An operation of a line. Raises ValueError where it is missing."""
    if name not in operations:
        raise ValueError(f"{name} is missing")
    return str(operations[name])


def sample_tables(folder: Path, count: int, seed: int) -> list[Probe]:
    """`count` random quiet positions of each pawn ending that `folder` has a Syzygy table of, with results.

    Raises OSError and ValueError if there is no such table.
    """
    names = sorted(path.stem for path in folder.glob("*.rtbw") if _PAWN_ENDING.fullmatch(path.stem))
    if not names:
        raise ValueError(f"{folder}: no Syzygy tables of pawn endings")
    with chess.syzygy.open_tablebase(str(folder)) as tables:
        found = []
        for name in names:
            rng = Random(f"{seed}:{name}")
            boards = filter(is_quiet, (_placed(name, rng) for _ in range(_MOST_TRIES * count)))
            for place, board in zip(range(count), boards, strict=False):
                found.append(Probe(f"table {name}", f"{name} {place}", board, _looked_up(tables, board)))
        return found


def _placed(name: str, rng: Random) -> chess.Board:
    """The men of a table, such as KPvK, on random squares, not always of a legal position."""
    white, _, black = name.partition("v")
    men = white + black.lower()
    board = chess.Board(None)
    for square, man in zip(rng.sample(chess.SQUARES, len(men)), men, strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(man))
    board.turn = rng.random() < 1 / 2
    return board


def is_quiet(board: chess.Board) -> bool:
    """Whether a static value may be asked for: no check, and nothing to capture or to promote."""
    if not board.is_valid() or board.is_check() or board.is_game_over():
        return False
    return not any(board.is_capture(move) or move.promotion for move in board.legal_moves)


def _looked_up(tables: chess.syzygy.Tablebase, board: chess.Board) -> int:
    """White's result; a win that the rule of fifty moves spoils is none."""
    found = tables.probe_wdl(board)
    result = 0 if abs(found) <= _DRAWN_BY_RULE else found // abs(found)
    return result if board.turn else -result


class Judge:
    """An evaluator, asked at once and at the leaves of a search."""

    def __init__(self, evaluator: Evaluator, nodes: int) -> None:
        """Its searches have `nodes` nodes."""
        self._evaluator = evaluator
        searcher: Searcher = Engine.single(evaluator, _MEGABYTES).searchers[0]
        self._player = SelfPlayer(searcher, nodes, nodes, STANDARD)

    def ask(self, board: chess.Board) -> Answer:
        """What it says of a position, of which no earlier one is remembered."""
        position = parse_fen(board.shredder_fen())
        sign = 1 if board.turn else -1
        self._player.forget()
        _, score = self._player.think(position)
        return Answer(sign * self._evaluator.static_value(position), sign * score)


@dataclass(frozen=True, slots=True)
class KindSummary:
    """How a judge did in the positions of a kind.

    Of those with a known result, how many it judged wrong at once and after a search; and by how many
    centipawns its static values and its searches are apart on average.
    """

    wrong_at_once: int
    wrong_searched: int
    apart: float


def summary(probes: Sequence[Probe], answers: Sequence[Answer]) -> KindSummary:
    """Sum up the answers of one judge to at least one position."""
    known = [(probe.result, answer) for probe, answer in zip(probes, answers, strict=True)]
    known = [(result, answer) for result, answer in known if result is not None]
    return KindSummary(
        _wrong((result, answer.static) for result, answer in known),
        _wrong((result, answer.searched) for result, answer in known),
        sum(abs(_held(each.static) - _held(each.searched)) for each in answers) / len(answers),
    )


def _wrong(pairs: Iterable[tuple[int | None, int]]) -> int:
    return sum(result != verdict(value) for result, value in pairs)


def verdict(value: int) -> int:
    """The result that a value in centipawns says: 1, 0 or -1."""
    return (value >= DECISIVE) - (value <= -DECISIVE)


def _held(value: int) -> int:
    return max(-LARGEST, min(LARGEST, value))
