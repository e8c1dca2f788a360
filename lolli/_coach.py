"""Games annotated and moves explained: `lolli.annotate`, `lolli.accuracy`, `lolli.explain`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from threading import local
from typing import NamedTuple

import chess
import chess.pgn
from chess.engine import Limit, Score

from engine.board.fen import FenError
from engine.board.notation import MoveError
from engine.search.limits import Limits
from lolli._analyst import Analyst
from lolli._annotator import AnnotationOptions, annotate_game, counting_limits
from lolli._assessment import JUDGING_NODES, after_first, game_summary, mark_of, mated_score
from lolli._claims import TELLING
from lolli._engine import engine_limits, lines_of, needed
from lolli._errors import LimitError, PositionError, whole
from lolli._findings import AnalystSettings, Finding
from lolli._positions import Board, board_of
from lolli._reasons import Known, only_better, why_bad, why_good

EXPLAINING_NODES = 100_000
"""For each of the two positions that a move is explained by."""
_PRAISE = frozenset(("evaluation", "mated"))  # kinds of reasons that would not be so of a move that loses
_SLIGHT, _MATE = 30, 10_000  # centipawns
_THREAD = local()


class Accuracy(NamedTuple):
    """In per cent, as Lichess measures it; None for a side of which no move has an evaluation."""

    white: float | None
    black: float | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is said of a move.

    `mark` is `??`, `?`, `?!` or empty. `motifs` are Lichess's names: of the refutation of a bad move, of the
    idea of a good one. `better` is the best line instead of the move, `reply` the best one after it.
    """

    text: str
    motifs: frozenset[str]
    mark: str
    better: tuple[chess.Move, ...]
    reply: tuple[chess.Move, ...]

    def __str__(self) -> str:
        return self.text


def annotate(
    game: chess.pgn.Game,
    limit: Limit | None = None,
    *,
    lines: int = 1,
    reasons: bool = True,
    fresh: bool = False,
) -> chess.pgn.Game:
    """A copy of a game with evaluations, marks, better lines and reasons, as `lolli annotate` writes them.

    `limit` is for each position, by default 200,000 nodes; with two `lines` or more, only moves get `!`.
    `fresh` takes out all earlier marks, comments and variations first. Raises PositionError for a position
    that is not one of chess, LimitError, and OptionError for a wrong number of lines.
    """
    board_of(game.board())
    copy = game.accept(chess.pgn.GameBuilder())
    limits = Limits(nodes=JUDGING_NODES) if limit is None else engine_limits(needed(limit))
    with Analyst(AnalystSettings(lines=lines_of("lines", lines))) as analyst:
        try:
            annotate_game(copy, analyst, limits, AnnotationOptions(reasons=reasons, fresh=fresh))
        except (FenError, MoveError) as error:
            raise PositionError(str(error)) from None
    return copy


def accuracy(game: chess.pgn.Game) -> Accuracy:
    """The accuracy of both players by the `[%eval]`s of a game, as `annotate` and Lichess write them.

    >>> accuracy(chess.pgn.Game())
    Accuracy(white=None, black=None)
    """
    found = (game_summary(game, color) for color in (chess.WHITE, chess.BLACK))
    return Accuracy(*(None if each is None else round(each.accuracy, 1) for each in found))


def explain(board: Board, move: chess.Move | str, *, nodes: int = EXPLAINING_NODES) -> Explanation:
    """Why a move is bad, or what a good one does, by searches of `nodes` before and after it.

    `board` may be a FEN, `move` in SAN or UCI's notation. Raises PositionError for a position that is not one
    of chess, and for a move that is not legal, and LimitError.
    """
    board, nodes = board_of(board), whole("the nodes", nodes)
    if nodes < 1:
        raise LimitError(f"the nodes must be at least 1, not {nodes}")
    if isinstance(move, str):
        move = _read(board, move)
    if not board.is_valid():
        raise PositionError("not a position from which a game could go on")
    if move not in board.legal_moves:
        raise PositionError(f"not a legal move: {move}")
    move = board.parse_uci(move.uci())  # castling has two names
    return explained(_analyst(), board, move, engine_limits(Limit(nodes=nodes)))


def _read(board: chess.Board, text: str) -> chess.Move:
    for parse in (board.parse_san, board.parse_uci):
        try:
            return parse(text)
        except ValueError:
            continue
    raise PositionError(f"not a legal move: {text!r:.40}")


def _analyst() -> Analyst:
    """That of this thread."""
    if not hasattr(_THREAD, "analyst"):
        _THREAD.analyst = Analyst()
    found: Analyst = _THREAD.analyst
    found.new_game()
    return found


def explained(analyst: Analyst, board: chess.Board, move: chess.Move, limits: Limits) -> Explanation:
    """See `explain`; `move` is legal. After a `stop` of the analyst the searches to come are short."""
    short, stops = counting_limits(limits), analyst.stops
    count = partial(analyst.material, limits=short)
    best = analyst.best(board, limits)
    before = Known(best.white, best.moves)
    then = board.copy()
    then.push(move)
    if then.is_checkmate():
        after = Known(mated_score(then), ())
    elif best.moves[:1] == (move,):
        after = _followed(best)
    else:
        found = analyst.best(then, limits if analyst.stops == stops else short)
        after = Known(found.white, found.moves)
    is_best = best.moves[:1] == (move,)
    mark = None if is_best else mark_of(board.turn, before.score, after.score)
    reason = why_good(board, move, after, count, None) if mark is None else None
    is_praise = reason is not None and reason.facts["kind"] in _PRAISE and not is_best
    if reason is None or (is_praise and _is_worse(board.turn, before.score, after.score)):
        reason = why_bad(board, move, before, after, count) or only_better(board, best.moves[0])
    symbol = "" if mark is None else mark.symbol
    return Explanation(reason.paragraph, reason.motifs, symbol, before.line, after.line)


def _is_worse(mover: chess.Color, before: Score, after: Score) -> bool:
    """Whether a move loses something that two searches tell apart, though it gets no mark."""
    best, played = (score if mover == chess.WHITE else -score for score in (before, after))
    if (mate := played.mate()) is not None and mate < 0:
        return (best.mate() or 0) >= 0 or (mate >= -TELLING and played < best)  # short ones are exact
    least = max(_SLIGHT, abs(best.score(mate_score=_MATE)) // 4)
    return best.score(mate_score=_MATE) - played.score(mate_score=_MATE) >= least


def _followed(finding: Finding) -> Known:
    """What is known after the first move of a finding."""
    return Known(after_first(finding.white, finding.score.turn), finding.moves[1:])


def idea(analyst: Analyst, board: chess.Board, finding: Finding) -> Explanation:
    """What the best move of a search does."""
    after = _followed(finding)
    count = partial(analyst.material, limits=counting_limits(Limits()))
    reason = why_good(board, finding.moves[0], after, count, None)
    return Explanation(reason.paragraph, reason.motifs, "", finding.moves, after.line)
