"""What the engine says, as single lines of text. Pure functions: nothing here writes."""

from engine.board.notation import move_text
from engine.search.report import TABLE_WIN, Bound, Outcome, Progress, Report, Score
from protocol.scale import PLAIN, Scale

_BOUNDS = {Bound.EXACT: "", Bound.LOWER: " lowerbound", Bound.UPPER: " upperbound"}


def score(value: Score, scale: Scale = PLAIN) -> str:
    """`cp 31` or `mate -2`: the mover's side, centipawns of the scale or moves."""
    mate = value.mate()
    return f"cp {scale.centipawns(value.value)}" if mate is None else f"mate {mate}"


def chances(value: Score, scale: Scale, over: bool = False) -> str:
    """` wdl 251 700 49`, per mille for the mover; empty where they are not asked for or not known.

    A game that is `over` without a mate is drawn.
    """
    if not scale.shows_chances or scale.model is None:
        return ""
    if value.mate() is not None:
        return " wdl 1000 0 0" if value.value > 0 else " wdl 0 0 1000"
    if over:
        return " wdl 0 1000 0"
    win, draw, loss = scale.model.chances(value.value, scale.material)
    return f" wdl {win} {draw} {loss}"


def info(report: Report, chess960: bool, scale: Scale = PLAIN) -> str:
    """One finished depth of one line."""
    drawn = report.known and abs(report.score.value) < TABLE_WIN
    told = chances(report.score, scale, over=drawn or report.depth == 0)
    if report.known:
        scale = PLAIN
    words = (
        f"info depth {report.depth} seldepth {report.seldepth} multipv {report.line}"
        f" score {score(report.score, scale)}{_BOUNDS[report.bound]}{told}"
        f" nodes {report.nodes} nps {per_second(report.nodes, report.milliseconds)}"
        f" hashfull {report.hashfull} tbhits {report.table_hits} time {report.milliseconds}"
    )
    if not report.moves:
        return words
    return f"{words} pv {' '.join(move_text(move, chess960) for move in report.moves)}"


def progress(step: Progress, chess960: bool) -> str:
    """The root move that is being searched."""
    move = move_text(step.move, chess960)
    return f"info depth {step.depth} currmove {move} currmovenumber {step.number}"


def best_move(outcome: Outcome, chess960: bool) -> str:
    """The answer to a `go`."""
    if outcome.best == 0:
        return "bestmove (none)"
    words = f"bestmove {move_text(outcome.best, chess960)}"
    return f"{words} ponder {move_text(outcome.ponder, chess960)}" if outcome.ponder else words


def per_second(nodes: int, milliseconds: int) -> int:
    """Nodes per second; less than a millisecond counts as one."""
    return nodes * 1000 // max(1, milliseconds)
