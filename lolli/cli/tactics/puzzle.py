"""A puzzle: a position with one right move, and its line; as PGN, where all of it is kept, and as EPD."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
import chess.pgn
from chess.engine import PovScore

from lolli.cli.pgn.game_reader import header_text
from lolli.cli.tactics.only_move import Goal
from protocol import about

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chess.engine import Score

_GOAL, _PLAYED, _LAST, _SOURCE = "PuzzleGoal", "PuzzlePlayed", "PuzzleLast", "PuzzleSource"
_COPIED = ("Site", "Date", "White", "Black", "WhiteElo", "BlackElo", "ECO", "Opening", "Variation")
_COLUMNS = 80
_FEN = re.compile(r'^\[FEN "([^"]*)"\]$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Puzzle:
    """The side to move reaches `goal` with the moves of `line` alone.

    board -- without the moves that led to it
    line -- the solver's moves and the best replies in turn, the first and the last by the solver
    scores -- after each of the solver's moves, from White's point of view
    played -- the move of the game; None if not known
    last -- the move before, None if not known
    source -- where it was found, as in `game 3, move 24`
    headers -- those of the game that tell who played and when
    """

    board: chess.Board
    goal: Goal
    line: tuple[chess.Move, ...]
    scores: tuple[Score, ...]
    played: chess.Move | None
    last: chess.Move | None
    source: str
    headers: Mapping[str, str]

    @property
    def found(self) -> bool:
        """Whether the right move was played."""
        return self.played == self.line[0]

    @property
    def side(self) -> str:
        """The side to move, `White` or `Black`."""
        return "White" if self.board.turn else "Black"

    @property
    def task(self) -> str:
        """`White to move and win.`"""
        return f"{self.side} to move and {self.goal.value}."

    @property
    def story(self) -> str:
        """What was played in the game; empty if not known."""
        if self.played is None:
            return ""
        who = header_text(self.headers.get(self.side, "?"))
        name = self.side if who in {"", "?"} else who
        return f"{name} {'found' if self.found else 'played'} {move_words(self.board, self.played)}."

    def game(self) -> chess.pgn.Game:
        """As PGN: the solution is the main line, and a move that missed it a variation."""
        game = chess.pgn.Game()
        game.setup(self.board)
        game.headers.update({name: self.headers[name] for name in _COPIED if name in self.headers})
        game.headers.update({"Event": "Puzzle", "Result": "*", "Annotator": f"{about.NAME} {about.VERSION}"})
        game.headers[_SOURCE] = self.source
        game.headers[_GOAL] = self.goal.value
        for name, move in ((_PLAYED, self.played), (_LAST, self.last)):
            if move is not None:
                game.headers[name] = move.uci()
        game.comment = " ".join(filter(None, (self.task, self.story)))
        last = game.add_line(self.line)
        solved = [node for number, node in enumerate(game.mainline()) if number % 2 == 0]
        for node, score in zip(solved, self.scores, strict=False):
            node.set_eval(PovScore(score, chess.WHITE))
        last.comment = f"{last.comment} {_end(self.goal, last.board())}".strip()
        if self.played is not None and not self.found:
            game.add_variation(self.played).nags.add(chess.pgn.NAG_MISTAKE)
        return game

    def pgn(self) -> str:
        """The text of `game`, and a blank line."""
        return f"{self.game().accept(chess.pgn.StringExporter(columns=_COLUMNS))}\n\n"

    def epd(self) -> str:
        """One line: the position, the right move `bm`, the line `pv`, and where it is from."""
        comment = " ".join(filter(None, (self.task, self.story))).replace('"', "'")
        return self.board.epd(bm=[self.line[0]], pv=list(self.line), id=self.source, c0=comment)


def position_in(pgn: str) -> str:
    """The position of a puzzle in the text of `Puzzle.pgn`, as EPD."""
    found = _FEN.search(pgn)
    return " ".join((found[1] if found else chess.STARTING_FEN).split()[:4])


def is_puzzle(game: chess.pgn.Game) -> bool:
    """Whether a game is a puzzle as `Puzzle.game` writes it."""
    return _GOAL in game.headers


def puzzle_of(game: chess.pgn.Game) -> Puzzle:
    """The puzzle in a game as `Puzzle.game` writes it. Raises ValueError if it is none."""
    board = game.board()
    line = tuple(game.mainline_moves())
    if not line or len(line) % 2 == 0:
        raise ValueError("the solution of a puzzle begins and ends with the solver's move")
    evals = (node.eval() for node in list(game.mainline())[::2])
    return Puzzle(
        board=board,
        goal=Goal(game.headers[_GOAL]),
        line=line,
        scores=tuple(score.white() for score in evals if score is not None),
        played=_move_in(game, _PLAYED, board),
        last=_move_in(game, _LAST, None),
        source=game.headers.get(_SOURCE, ""),
        headers={name: game.headers[name] for name in _COPIED if name in game.headers},
    )


def _move_in(game: chess.pgn.Game, name: str, board: chess.Board | None) -> chess.Move | None:
    """The move in a header, legal on `board`. Raises ValueError."""
    text = game.headers.get(name)
    if text is None:
        return None
    return chess.Move.from_uci(text) if board is None else board.parse_uci(text)


def move_words(board: chess.Board, move: chess.Move) -> str:
    """`24. Qd2`, `24... Qd7`."""
    return f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(move)}"


def line_words(board: chess.Board, line: Sequence[chess.Move]) -> str:
    """`24. Qd8+ Kh7 25. Qh8#`."""
    return board.variation_san(line)


def _end(goal: Goal, board: chess.Board) -> str:
    """What the line has reached."""
    if board.is_checkmate():
        return ""
    side = "Black" if board.turn else "White"
    return f"{side} wins." if goal is Goal.WIN else f"{side} holds the draw."
