"""`scripts/lab make-book` and `name-openings`: Polyglot books and the table of opening names.

Format of books: http://hgm.nubati.net/book_format.html
"""

import heapq
import subprocess
import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from math import exp
from pathlib import Path
from typing import Any

import chess
import chess.polyglot
import click

from engine.lookup.book import ENTRY, encoded
from engine.lookup.openings import COMMENT, TABLE
from engine.search.limits import Limits
from engine.system.files import write_whole
from lolli._analyst import Analyst
from lolli._findings import AnalystSettings, Finding
from scripts.laboratory.lab_options import ROOT, WIDE, count_option, file_option
from scripts.laboratory.learning.evaluators import engine
from scripts.laboratory.long_run import JournalError, RunDisplay, RunJournal, exit_status, whole

Weights = Mapping[int, Mapping[int, float]]
"""Weights by position key and encoded move."""


def book_bytes(weights: Weights) -> bytes:
    book = bytearray()
    for key, moves in sorted(weights.items()):
        for move, weight in sorted(moves.items(), key=lambda item: (-item[1], item[0])):
            book += ENTRY.pack(key, move, int(weight), 0)
    return bytes(book)


LINES = 6
"""The number of lines (MultiPV) in each search."""
HASH_MEGABYTES = 16
_WHOLE = 1000
"""The sum of the weights of a position, about."""
_MATE = 30_000  # centipawns


@dataclass(frozen=True, slots=True)
class GrowingRules:
    """How a book is made: from `positions` positions, each searched for `nodes` nodes.

    The book plays moves up to `margin` centipawns behind the best, e times less often for each `temperature`
    centipawns. It has replies to moves up to `answered` centipawns behind the best.
    """

    positions: int
    nodes: int
    margin: int = 30
    temperature: int = 20
    answered: int = 50


class Grower:
    """Searches position after position, and keeps the results in a journal from which it resumes.

    The likelihood of a position is the product of the likelihoods of the moves on the likeliest path to it.
    """

    def __init__(self, rules: GrowingRules, journal: RunJournal) -> None:
        self.rules = rules
        self.weights: dict[int, dict[int, float]] = {}
        self._journal = journal
        self._open = [(-1.0, 0, chess.STARTING_FEN)]  # the likeliest first; then the first found
        self._found = 1

    @property
    def done(self) -> int:
        return len(self.weights)

    def run(self, analyst: Analyst) -> Generator[None, None, None]:
        records = iter(self._journal.read(_checked))
        while self.done < self.rules.positions and self._open:
            unlikeliness, _, fen = heapq.heappop(self._open)
            board = chess.Board(fen)
            key = chess.polyglot.zobrist_hash(board)
            if key in self.weights:  # reached by a likelier path
                continue
            record = next(records, None)
            if record is None:
                record = self._searched(board, analyst)
                self._journal.append(record)
            elif record["fen"] != board.fen():
                raise JournalError(
                    f"{self._journal.path} has the positions of another search (remove it to start again)"
                )
            self._take(board, key, -unlikeliness, record["scores"])
            yield

    def _searched(self, board: chess.Board, analyst: Analyst) -> dict[str, Any]:
        analyst.new_game()
        findings = _last_depth(analyst.search(board, Limits(nodes=self.rules.nodes)))
        scores = {each.moves[0].uci(): each.score.relative.score(mate_score=_MATE) for each in findings}
        return {"fen": board.fen(), "scores": scores}

    def _take(self, board: chess.Board, key: int, likelihood: float, scores: dict[str, int]) -> None:
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
                heapq.heappush(self._open, (unlikeliness, self._found, board.fen()))
                self._found += 1
            board.pop()


def _last_depth(findings: Iterator[Finding]) -> list[Finding]:
    """The lines of the last finished depth: scores of different depths cannot be compared."""
    finished: list[Finding] = []
    lines: list[Finding] = []
    for finding in findings:
        lines = [finding] if finding.line == 1 else [*lines, finding]
        alike = {each.depth for each in lines} == {finding.depth}
        if alike and len(lines) >= max(len(finished), 1):
            finished = lines
    return finished


def _checked(record: dict[str, Any]) -> dict[str, Any]:
    board = chess.Board(record["fen"])
    if not record["scores"]:
        raise ValueError("no scores")
    for move, score in record["scores"].items():
        board.parse_uci(move)
        whole(abs(score))
    return record


_STANDARD = ROOT / "engine" / "lookup" / "lolli.bin"
_POSITIONS_A_LINE = 50


@click.group(context_settings=WIDE)
def make_book() -> None:
    """Make an opening book in Polyglot's format."""


@make_book.command(context_settings=WIDE)
@count_option("--positions", 500, "Number of positions to search.")
@count_option("--nodes", 300_000, "Nodes of each search.")
@file_option("--out", "Book to write.", _STANDARD)
def search(positions: int, nodes: int, out: Path) -> None:
    """Search the positions after the start of the game, the likeliest first.

    The same engine makes the same book from the same arguments; another version of the search makes another
    book. A run that was stopped resumes from OUT.jsonl. Lolli's own book was made without arguments.
    """
    rules = GrowingRules(positions, nodes)
    record = out.with_name(f"{out.name}.jsonl")
    try:
        with RunJournal(record, asdict(rules) | {"engine": engine()}) as journal:
            grower = Grower(rules, journal)
            with RunDisplay("positions", positions, 0, _POSITIONS_A_LINE) as display:

                def grow() -> None:
                    settings = AnalystSettings(lines=LINES, megabytes=HASH_MEGABYTES)
                    with Analyst(settings) as analyst, closing(grower.run(analyst)) as steps:
                        for _ in steps:
                            display.show(grower.done, "")

                status = exit_status(grow, display.say)
            if status == 0:
                book = book_bytes(grower.weights)
                _write(out, book)
                moves = len(book) // ENTRY.size
                click.echo(f"{grower.done} positions, {moves} moves, {len(book)} bytes: {out}")
                record.unlink()
    except JournalError as error:
        raise click.UsageError(str(error)) from error
    sys.exit(status)


def _write(out: Path, content: bytes) -> None:
    try:
        write_whole(out, content)
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror}") from error


_SOURCE = "https://github.com/lichess-org/chess-openings"
_LICENCE = "CC0 1.0 (https://creativecommons.org/publicdomain/zero/1.0/)"
_VOLUMES = "abcde"
_HEAD = "eco\tname\tpgn"


@click.command()
@click.argument("checkout", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), default=TABLE, help="The table to write."
)
def name_openings(checkout: Path, out: Path) -> None:
    """Make engine/lookup/openings.tsv from a clone of lichess-org/chess-openings.

    A line has the code, the name and the position as EPD; where several lines of the data set lead to a
    position, the last one names it.
    """
    words = ["git", "rev-parse", "--short", "HEAD"]
    try:
        version = subprocess.run(words, cwd=checkout, check=True, capture_output=True, text=True).stdout
        volumes = [(checkout / f"{volume}.tsv").read_text(encoding="utf-8") for volume in _VOLUMES]
    except (OSError, UnicodeDecodeError, subprocess.CalledProcessError) as error:
        raise click.UsageError(f"{checkout} is not a clone of {_SOURCE}: {error}") from error
    openings: dict[str, tuple[str, str]] = {}
    for volume, text in zip(_VOLUMES, volumes, strict=True):
        lines = text.splitlines()
        if lines[:1] != [_HEAD]:
            raise click.UsageError(f"{volume}.tsv does not begin with eco, name and pgn")
        for line in lines[1:]:
            try:
                eco, name, moves = line.split("\t")
                openings[_position_after(moves)] = eco, name
            except ValueError as error:
                raise click.UsageError(f"{volume}.tsv: not eco, name and moves: {line}: {error}") from error
    rows = sorted((eco, name, epd) for epd, (eco, name) in openings.items())
    head = f"{COMMENT} Opening names from {_SOURCE}, commit {version.strip()}; licence: {_LICENCE}.\n"
    _write(out, (head + "".join("\t".join(row) + "\n" for row in rows)).encode())
    click.echo(f"{out}: {len(rows)} positions")


def _position_after(moves: str) -> str:
    board = chess.Board()
    for word in moves.split():
        if not word.endswith("."):
            board.push_san(word)
    if not board.move_stack:
        raise ValueError("no moves")
    return board.epd()
