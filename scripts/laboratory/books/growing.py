"""A book from the engine's own searching: the likeliest positions first, from the start of the game."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from math import exp
from typing import TYPE_CHECKING, Any

import chess
import chess.polyglot

from engine.search.limits import Limits
from scripts.laboratory.matches.journal import JournalError, RunJournal, whole

from .polyglot import encoded

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from protocol.cli.analysis.analyst import Analyst
    from protocol.cli.analysis.finding import Finding

LINES = 6
"""How many moves of a position the engine compares."""
HASH_MEGABYTES = 16
_WHOLE = 1000
"""The weights of a position add up to about this."""
_MATE = 30_000  # centipawns


@dataclass(frozen=True, slots=True)
class GrowingRules:
    """What a book is made by: as many `positions`, each searched for so many `nodes`.

    The book plays moves that are at most `margin` centipawns behind the best, e times less often for each
    `temperature` centipawns. It knows answers to moves up to `answered` centipawns behind.
    """

    positions: int
    nodes: int
    margin: int
    temperature: int
    answered: int


@dataclass(order=True, slots=True)
class _Candidate:
    """A position still to be searched: the likeliest first, and of equal ones the one found first."""

    unlikeliness: float
    number: int
    fen: str = field(compare=False)


class Grower:
    """Searches position after position; what it finds goes to a journal, from which it can go on.

    A position's likelihood is the product of those of the moves that lead to it, on the likeliest way there.
    """

    def __init__(self, rules: GrowingRules, journal: RunJournal) -> None:
        self.rules = rules
        self.weights: dict[int, dict[int, float]] = {}
        self._journal = journal
        self._open = [_Candidate(-1.0, 0, chess.STARTING_FEN)]
        self._found = 1

    @property
    def done(self) -> int:
        """How many positions are in the book."""
        return len(self.weights)

    def run(self, analyst: Analyst) -> Generator[None, None, None]:
        """Search until there are positions enough, or no more; yields after each.

        Raises JournalError where the journal has other positions.
        """
        records = iter(self._journal.read(_checked))
        while self.done < self.rules.positions and self._open:
            candidate = heapq.heappop(self._open)
            board = chess.Board(candidate.fen)
            key = chess.polyglot.zobrist_hash(board)
            if key in self.weights:  # there was a likelier way
                continue
            record = next(records, None)
            if record is None:
                record = self._searched(board, analyst)
                self._journal.append(record)
            elif record["fen"] != board.fen():
                raise JournalError(
                    f"{self._journal.path} has the positions of another search: remove it to begin anew"
                )
            self._take(board, key, -candidate.unlikeliness, record["scores"])
            yield

    def _searched(self, board: chess.Board, analyst: Analyst) -> dict[str, Any]:
        """The best moves with their scores, in centipawns from the mover's side."""
        analyst.new_game()
        findings = _last_depth(analyst.search(board, Limits(nodes=self.rules.nodes)))
        scores = {each.moves[0].uci(): each.score.relative.score(mate_score=_MATE) for each in findings}
        return {"fen": board.fen(), "scores": scores}

    def _take(self, board: chess.Board, key: int, likelihood: float, scores: dict[str, int]) -> None:
        """Put a position into the book, and those after it among the candidates."""
        best = max(scores.values())
        shares = {
            move: exp((score - best) / self.rules.temperature)
            for move, score in scores.items()
            if best - score <= self.rules.answered
        }
        total = sum(shares.values())
        self.weights[key] = {}
        for text, share in shares.items():
            move = board.parse_uci(text)
            if best - scores[text] <= self.rules.margin:
                weight = max(1.0, _WHOLE * share / total)
                self.weights[key][encoded(board, move)] = weight
            board.push(move)
            if not board.is_game_over():
                unlikeliness = -likelihood * share / total
                heapq.heappush(self._open, _Candidate(unlikeliness, self._found, board.fen()))
                self._found += 1
            board.pop()


def _last_depth(findings: Iterator[Finding]) -> list[Finding]:
    """The lines of the last depth that was finished: those of different depths cannot be compared."""
    finished: list[Finding] = []
    lines: list[Finding] = []
    for finding in findings:
        lines = [finding] if finding.line == 1 else [*lines, finding]
        alike = {each.depth for each in lines} == {finding.depth}
        if alike and len(lines) >= max(len(finished), 1):
            finished = lines
    return finished


def _checked(record: dict[str, Any]) -> dict[str, Any]:
    """A record of a position, with at least one legal move. Raises what `RunJournal.read` expects."""
    board = chess.Board(record["fen"])
    if not record["scores"]:
        raise ValueError("no scores")
    for move, score in record["scores"].items():
        board.parse_uci(move)
        whole(abs(score))
    return record
