"""A puzzle: a position with one right move, and its line; as PGN, with all of it, as EPD and as page."""

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from io import BytesIO
from pathlib import Path
from typing import Any

import chess
import chess.pgn
from chess.engine import PovScore, Score

from lolli.cli import given_file
from lolli.cli.given_file import BadInputError
from lolli.cli.pgn import LARGEST_FILE, raw_games
from lolli.cli.pgn.game_reader import NoGameError, UnreadableError, header_text, read_game
from lolli.cli.reports import BOARD, STYLE, html_page
from lolli.cli.reports.pictures import moved_squares, shared_definitions
from lolli.cli.terminal.screen import DASH, counted
from protocol import about

_GOAL, _PLAYED, _LAST, _SOURCE = "PuzzleGoal", "PuzzlePlayed", "PuzzleLast", "PuzzleSource"
_COPIED = ("Site", "Date", "White", "Black", "WhiteElo", "BlackElo", "ECO", "Opening", "Variation")
_COLUMNS = 80
_FEN = re.compile(r'^\[FEN "([^"]*)"\]$', re.MULTILINE)
_FOLDER = Path(__file__).parent / "page"
_UNKNOWN = frozenset(("", "?", "????.??.??"))
_DIGITS = 16


class Goal(Enum):
    WIN = "win"
    DRAW = "draw"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """The side to move reaches `goal` with the moves of `line` alone.

    `line` has the solver's moves and the best replies, and ends with the solver; `scores` are White's, after
    each of the solver's moves. `played` in the game and the move `last` before are None if not known.
    `source` is as `game 3, move 24`.
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
        return self.played == self.line[0]

    @property
    def side(self) -> str:
        return "White" if self.board.turn else "Black"

    @property
    def task(self) -> str:
        return f"{self.side} to move and {self.goal.value}."

    @property
    def story(self) -> str:
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
        if not last.board().is_checkmate():
            end = "wins" if self.goal is Goal.WIN else "holds the draw"
            last.comment = f"{last.comment} {self.side} {end}.".strip()
        if self.played is not None and not self.found:
            game.add_variation(self.played).nags.add(chess.pgn.NAG_MISTAKE)
        return game

    def pgn(self) -> str:
        return f"{self.game().accept(chess.pgn.StringExporter(columns=_COLUMNS))}\n\n"

    def epd(self) -> str:
        """One line: the position, the right move `bm`, the line `pv`, and where it is from."""
        comment = " ".join(filter(None, (self.task, self.story))).replace('"', "'")
        return self.board.epd(bm=[self.line[0]], pv=list(self.line), id=self.source, c0=comment)


def positions_in(pgn: str) -> list[str]:
    """The positions of the puzzles in a text of `Puzzle.pgn`, as EPD."""
    return [" ".join(fen.split()[:4]) for fen in _FEN.findall(pgn)]


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
        played=board.parse_uci(played) if (played := game.headers.get(_PLAYED)) is not None else None,
        last=chess.Move.from_uci(last) if (last := game.headers.get(_LAST)) is not None else None,
        source=game.headers.get(_SOURCE, ""),
        headers={name: game.headers[name] for name in _COPIED if name in game.headers},
    )


def move_words(board: chess.Board, move: chess.Move) -> str:
    """`24. Qd2`, `24... Qd7`."""
    return f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(move)}"


def puzzles_in(name: str) -> list[Puzzle] | None:
    """Each position once; None if the first game is not a puzzle. Raises BadInputError, OSError."""
    puzzles: dict[str, Puzzle] = {}
    with given_file.opened(name, LARGEST_FILE) as file:
        for raw in raw_games(file):
            try:
                game = read_game(raw.data).game
                if not puzzles and _GOAL not in game.headers:
                    return None
                puzzle = puzzle_of(game)
            except (NoGameError, UnreadableError):
                continue
            except (KeyError, ValueError) as error:
                raise BadInputError(f"game {raw.number} is not a puzzle: {error}") from None
            puzzles.setdefault(puzzle.board.epd(), puzzle)
    return list(puzzles.values()) or None


def puzzles_from(pgn: bytes) -> list[Puzzle]:
    return [puzzle_of(read_game(raw.data).game) for raw in raw_games(BytesIO(pgn))]


def puzzles_page(puzzles: Sequence[Puzzle], title: str) -> str:
    fens = "\n".join(puzzle.board.fen() for puzzle in puzzles)
    digest = hashlib.sha256(fens.encode()).hexdigest()[:_DIGITS]
    return html_page(
        _FOLDER / "puzzles.html",
        title=title,
        styles=(STYLE, _FOLDER / "puzzles.css"),
        scripts=(BOARD, _FOLDER / "puzzles.js"),
        definitions=shared_definitions(),
        # By the name a browser remembers what was solved on this page, wherever it lies.
        data={"name": f"lolli-puzzles-{digest}", "puzzles": [_content(puzzle) for puzzle in puzzles]},
        count=counted(len(puzzles), "puzzle"),
    )


def _content(puzzle: Puzzle) -> dict[str, Any]:
    board = puzzle.board.copy()
    last = (puzzle.last.from_square, puzzle.last.to_square) if puzzle.last else ()
    before = [chess.square_name(square) for square in last]
    steps, answers = [_step(board, before)], []
    for number, move in enumerate(puzzle.line):
        if number % 2 == 0:
            legal = {each.uci(): board.san(each) for each in board.legal_moves}
            answers.append({"uci": move.uci(), "legal": legal, "castling": _castling(board, legal)})
        squares = [chess.square_name(square) for square in moved_squares(board, move)]
        board.push(move)
        steps.append(_step(board, squares))
    return {
        "white": puzzle.board.turn == chess.WHITE,
        "chess960": puzzle.board.chess960,
        "task": puzzle.task,
        "line": puzzle.board.variation_san(puzzle.line),
        "story": puzzle.story,
        "origin": _origin(puzzle),
        "steps": steps,
        "answers": answers,
    }


def _castling(board: chess.Board, legal: Collection[str]) -> dict[str, str]:
    """Castling by its other name: to the king's target, or onto the rook; unless it means another move."""
    names = {}
    for move in board.generate_castling_moves():
        king, target = moved_squares(board, move)
        rook = move.to_square
        if not board.chess960:
            rook = chess.square(7 if target > king else 0, chess.square_rank(king))
        names.update({chess.Move(king, square).uci(): move.uci() for square in {target, rook} - {king}})
    return {name: move for name, move in names.items() if name not in legal}


def _step(board: chess.Board, squares: Sequence[str]) -> dict[str, Any]:
    king = board.king(board.turn)
    check = {"check": chess.square_name(king)} if king is not None and board.is_check() else {}
    return {"fen": board.fen(), "squares": list(squares), **check}


def _origin(puzzle: Puzzle) -> str:
    texts = {name: header_text(value) for name, value in puzzle.headers.items()}
    known = {name: text for name, text in texts.items() if text not in _UNKNOWN}
    players = f"{known.get('White', 'White')} {DASH} {known.get('Black', 'Black')}"
    return ", ".join(filter(None, (players, known.get("Date", ""), puzzle.source)))
