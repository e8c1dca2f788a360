"""Checks of the answers to a line of UCI, given the position before and after it."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from engine.board.fen import parse_fen
from engine.board.notation import MoveError, parse_move
from protocol.text import ProtocolError
from protocol.uci.parser import Bare, Bench, Command, Debug, Go, Perft, SetOption, SetPosition
from scripts.laboratory.fuzzing.formats.fen import STRICTER
from scripts.laboratory.fuzzing.target import CaseError, require

if TYPE_CHECKING:
    from collections.abc import Sequence

Understood = Command | ProtocolError | None
_INFO_STRING = "info string "
_INFO = re.compile(
    r"info depth \d+ (currmove [a-h][1-8]\S* currmovenumber \d+|seldepth \d+ multipv \d+"
    r" score (cp -?\d+|mate -?\d+)( lowerbound| upperbound)?( wdl \d+ \d+ \d+)?"
    r" nodes \d+ nps \d+ hashfull \d+ tbhits \d+ time \d+( pv( [a-h][1-8][a-h][1-8][nbrq]?)+)?)"
)
_PREFIX = "played the moves before it"
_BOARD_LINES = 24
_SILENT = ("ucinewgame", "stop", "ponderhit", "register", "flip")


@dataclass(frozen=True, slots=True)
class Shown:
    """The answer to `d`: the position, and its legal moves as the engine writes them."""

    fen: str
    key: str
    moves: frozenset[str]

    @classmethod
    def read(cls, lines: Sequence[str]) -> Shown:
        """Read the last lines of the answer."""
        try:
            fen, key, _, moves = lines[-4:]
        except ValueError:
            raise CaseError(f"no board: {lines!r}") from None
        require(fen.startswith("Fen: ") and moves.startswith("Legal moves:"), f"no board: {lines[-4:]!r}")
        return cls(fen.removeprefix("Fen: "), key, frozenset(moves.split()[2:]))

    @property
    def board(self) -> chess.Board:
        """The position as a board of python-chess."""
        return chess.Board(self.fen, chess960=True)


def without_board(lines: Sequence[str]) -> list[str]:
    """The lines before the answer to `d`."""
    require(len(lines) >= _BOARD_LINES, f"no board: {lines!r}")
    return list(lines[:-_BOARD_LINES])


def is_refused(answers: Sequence[str]) -> bool:
    """Whether the answer is a single line with a reason."""
    return len(answers) == 1 and answers[0].startswith(_INFO_STRING)


def check_answers(command: Understood, answers: Sequence[str], before: Shown, after: Shown) -> None:
    """Check the answers to a line to an idle engine; see check_search for the answers to `go`.

    Raises CaseError if an answer is wrong or missing, or if the position has changed without reason.
    """
    wrong = f"the answer to {command!r} is {list(answers)!r:.200}"
    match command:
        case None | Debug():
            require(not answers, wrong)
        case ProtocolError():
            require(is_refused(answers), wrong)
        case Bare(word):
            _check_bare(word, answers, wrong)
        case SetOption() | SetPosition():
            require(not answers or is_refused(answers), wrong)
        case Perft(depth, skipped):
            check_perft(depth, answers[len(skipped) :], before)
        case Go():
            require(answers[-1].startswith("bestmove "), wrong)
        case Bench():
            require(not answers, wrong)
    _check_place(command, answers, before, after)


def _check_place(command: Understood, answers: Sequence[str], before: Shown, after: Shown) -> None:
    """Check that the position is unchanged, or the one that was set."""
    if isinstance(command, SetPosition):
        _check_position(command, answers, after)
    if isinstance(command, SetOption):  # which may change how castling is written
        same = (before.key, len(before.moves)) == (after.key, len(after.moves))
    elif command == Bare("flip"):
        same = _placement(before.board.mirror()) == _placement(after.board)
    else:
        same = before == after or (
            isinstance(command, SetPosition) and (not answers or _PREFIX in answers[0])
        )
    require(same, f"{before.fen} became {after.fen} by {command!r}")


def check_search(command: Go, answers: Sequence[str], shown: Shown) -> None:
    """Check the answers to `go`: reports, then one move, which is legal and among the legal `searchmoves`."""
    *reports, best = answers
    wrong = f"the answer to {command!r} in {shown.fen} is {list(answers[-2:])!r:.200}"
    require(all(map(is_report, reports)), wrong)
    words = best.split()
    require(words[0] == "bestmove" and len(words) in (2, 4) and words[2:3] in ([], ["ponder"]), wrong)
    if not shown.moves:
        require(words[1:] == ["(none)"], wrong)
        return
    require(words[1] in shown.moves, wrong)
    position, wanted = parse_fen(shown.fen), set()
    for text in command.search_moves:
        with suppress(MoveError):
            wanted.add(parse_move(position, text))
    require(not wanted or parse_move(position, words[1]) in wanted, wrong)


def is_report(line: str) -> bool:
    """Whether a line may come before `bestmove`."""
    return line.startswith(_INFO_STRING) or _INFO.fullmatch(line) is not None


def check_perft(depth: int, answers: Sequence[str], shown: Shown) -> None:
    """Check the counts: one for each move, and their sum."""
    *counts, blank, total, end = answers
    named = dict(line.split(": ") for line in counts)
    require(len(counts) == len(named) == len(shown.moves), f"perft {depth}: {len(counts)} moves")
    require(set(named) == shown.moves, f"perft {depth}: {named}")
    require((blank, end) == ("", "") and total == f"Nodes searched: {sum(map(int, named.values()))}", total)


def _check_bare(word: str, answers: Sequence[str], wrong: str) -> None:
    if word in _SILENT:
        require(not answers, wrong)
    elif word == "isready":
        require(list(answers) == ["readyok"], wrong)
    elif word == "uci":
        require(
            answers[:1] and answers[0].startswith("id name ") and answers[1].startswith("id author "), wrong
        )
        require(answers[-1] == "uciok" and answers.count("uciok") == 1, wrong)
        require(all(line.startswith(("option name ", _INFO_STRING)) for line in answers[2:-1]), wrong)
    elif word == "d":
        require(len(answers) == _BOARD_LINES, wrong)
    else:  # eval, help, compiler
        require(answers, wrong)


def _check_position(command: SetPosition, answers: Sequence[str], after: Shown) -> None:
    """Check that the position is that of python-chess, if python-chess accepts it."""
    prefix_only = bool(answers) and _PREFIX in answers[0]
    try:
        board = chess.Board(command.fen, chess960=True)
    except ValueError:
        return
    for text in command.moves:
        try:
            move = board.parse_uci(text)
        except ValueError:
            if prefix_only:
                break
            return
        is_pawn = board.piece_type_at(move.from_square) == chess.PAWN
        if not move or (text[4:] and not is_pawn) or text[4:] in ("p", "k"):
            return  # python-chess accepts it
        board.push(move)
    if board.root().is_valid():
        if answers and not prefix_only:
            require(any(why in answers[0] for why in STRICTER), f"{command!r} is refused: {answers[0]}")
        else:
            require(board.shredder_fen() == after.board.shredder_fen(), f"{command!r}: {after.fen}")


def _placement(board: chess.Board) -> tuple[str, bool, int, int | None]:
    return board.board_fen(), board.turn, board.clean_castling_rights(), board.ep_square
