"""Exercises: puzzles, with one right move, and mistakes, with all that were good; as PGN, EPD and page."""

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import chess
import chess.pgn
from chess.engine import PovScore, Score

from lolli._assessment import Mark, after_first, score_of
from lolli._positions import move_words
from lolli._puzzles import Goal, Puzzle
from lolli.cli import given_file
from lolli.cli.given_file import BadInputError
from lolli.cli.pgn import LARGEST_FILE, raw_games
from lolli.cli.pgn.game_reader import NoGameError, UnreadableError, header_text, read_game
from lolli.cli.reports import BOARD, STYLE, html_page
from lolli.cli.reports.pictures import moved_squares, shared_definitions
from lolli.cli.reports.story import text_of
from lolli.cli.terminal.screen import DASH, counted, score_text, with_real_minus
from protocol import about

_GOAL, _PLAYED, _LAST, _SOURCE = "PuzzleGoal", "PuzzlePlayed", "PuzzleLast", "PuzzleSource"
_MOTIFS = "PuzzleMotifs"
_BETTER = "better"  # the goal of a mistake, in its header
_COPIED = ("Site", "Date", "White", "Black", "WhiteElo", "BlackElo", "ECO", "Opening", "Variation")
_COLUMNS = 80
_FOLDER = Path(__file__).parent / "page"
_UNKNOWN = frozenset(("", "?", "????.??.??"))
_DIGITS = 16
_CAPITAL = re.compile("[A-Z]|[0-9]+")


@dataclass(frozen=True, slots=True)
class Mistake:
    """The position before a marked move, `played`, and all moves that keep what the best one keeps.

    `lines` begin with these moves, best first. `scores` are White's after the first move of each, `after`
    that after the mistake, which the moves of `reply` answer. `reason` says what was wrong, or is empty;
    `motifs` has Lichess's names.
    """

    board: chess.Board
    played: chess.Move
    mark: Mark
    after: Score
    reply: tuple[chess.Move, ...]
    lines: tuple[tuple[chess.Move, ...], ...]
    scores: tuple[Score, ...]
    last: chess.Move | None
    source: str
    headers: Mapping[str, str]
    reason: str = ""
    motifs: tuple[str, ...] = ()

    @property
    def line(self) -> tuple[chess.Move, ...]:
        return self.lines[0]

    @property
    def task(self) -> str:
        side = "White" if self.board.turn else "Black"
        return f"{side} played {self.board.san(self.played)}{self.mark.symbol}. Find a better move."


Exercise: TypeAlias = Puzzle | Mistake


def asked_of(exercise: Exercise) -> tuple[chess.Move, ...]:
    """The moves to find, the best of each, with the replies between them."""
    return exercise.line if isinstance(exercise, Puzzle) else exercise.line[:1]


def right_moves(exercise: Exercise) -> list[chess.Move]:
    return [exercise.line[0]] if isinstance(exercise, Puzzle) else [line[0] for line in exercise.lines]


def story_of(exercise: Exercise) -> str:
    if exercise.played is None:
        return ""
    board = exercise.board
    side = "White" if board.turn else "Black"
    who = header_text(exercise.headers.get(side, "?"))
    name = side if who in {"", "?"} else who
    move = move_words(board, exercise.played)
    if isinstance(exercise, Puzzle):
        return f"{name} {'found' if exercise.found else 'played'} {move}."
    before = after_first(exercise.scores[0], board.turn, -1)
    change = f"{_told(before)} became {_told(exercise.after)}"
    return f"{name} played {move}{exercise.mark.symbol}: {change}."


def others_of(exercise: Exercise) -> str:
    """The right moves beside the best, with White's scores; empty if there are none."""
    board = exercise.board
    rated = zip(right_moves(exercise), exercise.scores, strict=False)
    others = [f"{board.san(move)} ({_told(score)})" for move, score in list(rated)[1:]]
    return f"Also right: {', '.join(others)}." if others else ""


def _told(score: Score) -> str:
    return with_real_minus(score_text(score))


def game_of(exercise: Exercise) -> chess.pgn.Game:
    """As PGN: the best line is the main line; other right moves, and a wrong one that was played, follow."""
    game = chess.pgn.Game()
    game.setup(exercise.board)
    headers = exercise.headers
    game.headers.update({name: headers[name] for name in _COPIED if name in headers})
    is_puzzle = isinstance(exercise, Puzzle)
    game.headers.update(
        {
            "Event": "Puzzle" if is_puzzle else "Mistake",
            "Result": "*",
            "Annotator": f"{about.NAME} {about.VERSION}",
            _SOURCE: exercise.source,
            _GOAL: exercise.goal.value if isinstance(exercise, Puzzle) else _BETTER,
        }
    )
    for name, move in ((_PLAYED, exercise.played), (_LAST, exercise.last)):
        if move is not None:
            game.headers[name] = move.uci()
    game.comment = " ".join(filter(None, (exercise.task, story_of(exercise))))
    if isinstance(exercise, Puzzle):
        _add_solution(game, exercise)
    else:
        if exercise.motifs:
            game.headers[_MOTIFS] = " ".join(exercise.motifs)
        _add_lines(game, exercise)
    return game


def _add_solution(game: chess.pgn.Game, puzzle: Puzzle) -> None:
    last = game.add_line(puzzle.line)
    solved = [node for number, node in enumerate(game.mainline()) if number % 2 == 0]
    for node, score in zip(solved, puzzle.scores, strict=False):
        node.set_eval(PovScore(score, chess.WHITE))
    if not last.board().is_checkmate():
        end = "wins" if puzzle.goal is Goal.WIN else "holds the draw"
        last.comment = f"{last.comment} {'White' if puzzle.board.turn else 'Black'} {end}.".strip()
    if puzzle.played is not None and not puzzle.found:
        game.add_variation(puzzle.played).nags.add(chess.pgn.NAG_MISTAKE)


def _add_lines(game: chess.pgn.Game, mistake: Mistake) -> None:
    for line, score in zip(mistake.lines, mistake.scores, strict=True):
        game.add_line(line)
        game.variation(line[0]).set_eval(PovScore(score, chess.WHITE))
    played = game.add_variation(mistake.played, comment=mistake.reason)
    played.nags.add(mistake.mark.nag)
    played.set_eval(PovScore(mistake.after, chess.WHITE))
    if mistake.reply:
        played.add_line(mistake.reply)


def pgn_of(exercise: Exercise) -> str:
    return f"{game_of(exercise).accept(chess.pgn.StringExporter(columns=_COLUMNS))}\n\n"


def epd_of(exercise: Exercise) -> str:
    """One line: the position, the right moves `bm`, the line `pv`, and where it is from."""
    comment = " ".join(filter(None, (exercise.task, story_of(exercise)))).replace('"', "'")
    return exercise.board.epd(
        bm=right_moves(exercise), pv=list(exercise.line), id=exercise.source, c0=comment
    )


def exercise_of(game: chess.pgn.Game) -> Exercise:
    """The exercise in a game as `game_of` writes it. Raises ValueError if it is none, KeyError."""
    board, headers = game.board(), game.headers
    played = board.parse_uci(headers[_PLAYED]) if _PLAYED in headers else None
    last = chess.Move.from_uci(headers[_LAST]) if _LAST in headers else None
    source = headers.get(_SOURCE, "")
    copied = {name: headers[name] for name in _COPIED if name in headers}
    if headers[_GOAL] == _BETTER:
        return _mistake_in(game, last, source, copied)
    line = tuple(game.mainline_moves())
    if not line or len(line) % 2 == 0:
        raise ValueError("the solution of a puzzle begins and ends with the solver's move")
    known = (score_of(node, node.board()) for node in list(game.mainline())[::2])
    scores = tuple(score for score in known if score is not None)
    return Puzzle(board, Goal(headers[_GOAL]), line, scores, played, last, source, copied)


def _mistake_in(
    game: chess.pgn.Game, last: chess.Move | None, source: str, headers: Mapping[str, str]
) -> Mistake:
    played = game.variation(game.board().parse_uci(game.headers[_PLAYED]))
    mark = Mark.among(played.nags)
    right = [node for node in game.variations if node is not played]
    scores = [score_of(node, node.board()) for node in (*right, played)]
    known = [score for score in scores if score is not None]
    if mark is None or not right or len(known) < len(scores):
        raise ValueError("a mistake has a mark, right moves beside it, and a score for each")
    return Mistake(
        board=game.board(),
        played=played.move,
        mark=mark,
        after=known.pop(),
        reply=tuple(played.mainline_moves()),
        lines=tuple((node.move, *node.mainline_moves()) for node in right),
        scores=tuple(known),
        last=last,
        source=source,
        headers=headers,
        reason=text_of(played.comment),
        motifs=tuple(game.headers.get(_MOTIFS, "").split()),
    )


def exercises_in(name: str) -> list[Exercise] | None:
    """All of one kind, each position once; None if the first game is not one.

    Raises BadInputError, also for a file with both kinds; OSError.
    """
    found: dict[str, Exercise] = {}
    with given_file.opened(name, LARGEST_FILE) as file:
        for raw in raw_games(file):
            try:
                game = read_game(raw.data).game
                if not found and _GOAL not in game.headers:
                    return None
                exercise = exercise_of(game)
            except (NoGameError, UnreadableError):
                continue
            except (KeyError, ValueError) as error:
                raise BadInputError(f"game {raw.number} is not an exercise: {error}") from None
            first = next(iter(found.values()), exercise)
            if type(exercise) is not type(first):
                kinds = (type(each).__name__.lower() for each in (exercise, first))
                raise BadInputError(f"game {raw.number} is a {' among '.join(kinds)}s: a file has one kind")
            found.setdefault(exercise.board.epd(), exercise)
    return list(found.values()) or None


def exercises_from(pgn: bytes) -> list[Exercise]:
    return [exercise_of(read_game(raw.data).game) for raw in raw_games(BytesIO(pgn))]


def exercises_page(exercises: Sequence[Exercise], title: str) -> str:
    """The exercises must be of one kind."""
    fens = "\n".join(exercise.board.fen() for exercise in exercises)
    digest = hashlib.sha256(fens.encode()).hexdigest()[:_DIGITS]
    kind = type(exercises[0]).__name__.lower()
    return html_page(
        _FOLDER / "puzzles.html",
        title=title,
        styles=(STYLE, _FOLDER / "puzzles.css"),
        scripts=(BOARD, _FOLDER / "puzzles.js"),
        definitions=shared_definitions(),
        # By the name a browser remembers what was solved on this page, wherever it lies.
        data={
            "name": f"lolli-{kind}s-{digest}",
            "kind": kind.capitalize(),
            "puzzles": [_content(exercise) for exercise in exercises],
        },
        count=counted(len(exercises), kind),
        kind=kind,
        motifs=missed_motifs(exercises),
    )


def missed_motifs(exercises: Sequence[Exercise]) -> list[tuple[str, list[int]]]:
    """The motifs of mistakes in words, with the numbers of the exercises, from 1; the most frequent first."""
    found: dict[str, list[int]] = {}
    for number, exercise in enumerate(exercises, 1):
        names = set(exercise.motifs if isinstance(exercise, Mistake) else ())
        in_moves = any(name.startswith("mateIn") for name in names)
        for name in names - {"mate"} if in_moves else names:
            found.setdefault(_CAPITAL.sub(lambda letter: f" {letter[0].lower()}", name), []).append(number)
    return sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))


def _content(exercise: Exercise) -> dict[str, Any]:
    board = exercise.board.copy()
    last = (exercise.last.from_square, exercise.last.to_square) if exercise.last else ()
    before = [chess.square_name(square) for square in last]
    steps, answers = [_step(board, before)], []
    for number, move in enumerate(asked_of(exercise)):
        if number % 2 == 0:
            legal = {each.uci(): board.san(each) for each in board.legal_moves}
            right = [each for each in board.legal_moves if legal[each.uci()].endswith("#")]
            if number == 0:
                right += right_moves(exercise)
            also = {each.uci(): _step_after(board, each) for each in right if each != move}
            castling = _castling(board, legal)
            answers.append({"uci": move.uci(), "legal": legal, "castling": castling, "also": also})
        steps.append(_step_after(board, move))
        board.push(move)
    if isinstance(exercise, Mistake):
        squares = map(chess.square_name, moved_squares(exercise.board, exercise.played))
        steps[0]["drawings"] = [(*squares, "red")]
    return {
        "white": exercise.board.turn == chess.WHITE,
        "chess960": exercise.board.chess960,
        "task": exercise.task,
        "line": exercise.board.variation_san(exercise.line),
        "story": story_of(exercise),
        "reason": "" if isinstance(exercise, Puzzle) else exercise.reason,
        "others": others_of(exercise),
        "origin": _origin(exercise),
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


def _step_after(board: chess.Board, move: chess.Move) -> dict[str, Any]:
    after = board.copy(stack=False)
    after.push(move)
    return _step(after, [chess.square_name(square) for square in moved_squares(board, move)])


def _step(board: chess.Board, squares: Sequence[str]) -> dict[str, Any]:
    king = board.king(board.turn)
    check = {"check": chess.square_name(king)} if king is not None and board.is_check() else {}
    return {"fen": board.fen(), "squares": list(squares), **check}


def _origin(exercise: Exercise) -> str:
    texts = {name: header_text(value) for name, value in exercise.headers.items()}
    known = {name: text for name, text in texts.items() if text not in _UNKNOWN}
    players = f"{known.get('White', 'White')} {DASH} {known.get('Black', 'Black')}"
    return ", ".join(filter(None, (players, known.get("Date", ""), exercise.source)))
