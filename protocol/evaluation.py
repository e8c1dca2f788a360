"""Values of the evaluation as clients and people see them: on which scale, and the table of the terms."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.board.bitboard import EMPTY
from engine.board.position import Position
from engine.search.report import REPORTED_EDGE, Report
from eval.choice import Choice
from eval.evaluator import FULL_PHASE, FULL_SCALE, Explanation, NetworkParts, Term
from eval.outcome import OutcomeModel, material_of

Chances: TypeAlias = tuple[int, int, int]  # wins, draws and losses in a thousand games

_DRAWN = (0, 1000, 0)
_STAGES = f"{'MG':>7} {'EG':>7}"
_DASHES = "-" * (len(_STAGES) + 2)


@dataclass(frozen=True, slots=True)
class Scale:
    """How values are shown: in the evaluator's centipawns or normalised, with or without chances.

    `model` gives the chances of a value with that `material`; None: not known. `normalises`: show centipawns
    of which 100 are an even chance to win. `shows_chances`: show win, draw and loss, too. `dead`: nobody can
    mate any more.
    """

    model: OutcomeModel | None = None
    material: int = 0
    normalises: bool = False
    shows_chances: bool = False
    dead: bool = False

    def meaning(self, value: int) -> tuple[int, Chances] | None:
        """The normalised centipawns of a static value, and its chances; None if unknown."""
        if self.model is None:
            return None
        chances = _DRAWN if self.dead else self.model.chances(value, self.material)
        return self.model.normalised(value, self.material), chances

    def centipawns(self, value: int, known: bool = False) -> int:
        """The centipawns to show for a value of the evaluator; one `known` from a tablebase is not scaled."""
        if self.model is None or not self.normalises or known:
            return value
        return self.model.normalised(value, self.material)

    def chances(self, report: Report) -> Chances | None:
        """Wins, draws and losses for the side to move; None if unknown."""
        value = report.score.value
        if self.model is None:
            return None
        if report.score.mate() is not None:
            return (1000, 0, 0) if value > 0 else (0, 0, 1000)
        over = report.depth == 0  # only a position without legal moves is reported at depth 0
        if self.dead or over or (report.known and abs(value) <= REPORTED_EDGE):
            return _DRAWN
        return self.model.chances(value, self.material)


PLAIN = Scale()  # the evaluator's own centipawns


def scale_of(
    position: Position, model: OutcomeModel | None, normalises: bool, shows_chances: bool = False
) -> Scale:
    if model is None:
        return PLAIN
    return Scale(model, material_of(position), normalises, shows_chances, position.is_insufficient())


def tables(explanations: Iterable[tuple[Choice, Explanation]], position: Position) -> list[str]:
    lines = []
    for choice, explanation in explanations:
        scale = scale_of(position, choice.outcome, choice.normalises)
        lines += table(choice.name, explanation, scale, position)
    return lines


def table(evaluator: str, explanation: Explanation, scale: Scale, position: Position) -> list[str]:
    """A row for each term: White, Black, the difference; then the value for White, in pawns of the evaluator.

    A network has instead its values by output bucket, and what each piece is worth. With a model in the scale
    also normalised pawns and the chances.
    """
    parts = explanation.network
    body = _terms(explanation.terms) if parts is None else [*buckets(parts), *pieces(parts, position)]
    return [*heading(evaluator), *body, "", *conclusion(explanation, scale, position)]


def heading(evaluator: str) -> list[str]:
    return ["", f"Evaluation: {evaluator}"]


def buckets(parts: NetworkParts) -> list[str]:
    """The values by output bucket, in brackets the one that counts, and what the board below them shows."""
    numbers = [f"{4 * bucket + 1}-{4 * bucket + 4}" for bucket in range(len(parts.buckets))]
    values = [f"{value / 100:+.2f}" for value in parts.buckets]
    values[parts.used] = f"[{values[parts.used]}]"
    return [
        "White's value by output bucket, one for each number of pieces; in brackets that of this position",
        *("".join(f"{each:^9}" for each in row).rstrip() for row in (numbers, values)),
        "",
        "What each piece is worth here to its own side: the value less the value without it",
    ]


def pieces(parts: NetworkParts, position: Position) -> list[str]:
    """A board with the letters of the pieces, capitals for White, and in pawns what each is worth."""
    lines = []
    for rank in range(7, -1, -1):
        cells = [
            _piece(position.piece_at(square), parts.men[square]) for square in range(8 * rank, 8 * rank + 8)
        ]
        lines.append(f"{rank + 1}  {'  '.join(cells)}".rstrip())
    return [*lines, "   " + "        ".join("abcdefgh")]


def _piece(piece: int, worth: int | None) -> str:
    letter = "PNBRQK..pnbrqk"[piece] if piece != EMPTY else "."
    return f"{letter}{'' if worth is None else format(worth / 100, '6.2f'):6}"


def _terms(terms: Sequence[Term]) -> list[str]:
    total = Term("Total", _sum([term.white for term in terms]), _sum([term.black for term in terms]))
    rows = [[term.name, *map(_cell, (term.white, term.black, term.total))] for term in (*terms, total)]
    width = max(len(row[0]) for row in rows)
    rule = "+".join(["", "-" * (width + 2), _DASHES, _DASHES, _DASHES, ""])
    head = ["Term", *(f"{side:^{len(_STAGES)}}" for side in ("White", "Black", "Total"))]
    lines = [head, ["", _STAGES, _STAGES, _STAGES], *rows]
    *body, last = (f"| {name:{width}} | {' | '.join(cells)} |" for name, *cells in lines)
    return [rule, *body[:2], rule, *body[2:], rule, last, rule]


def _sum(stages: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(middle for middle, _ in stages), sum(endgame for _, endgame in stages)


def _cell(stages: tuple[int, int]) -> str:
    return f"{stages[0] / 100:+7.2f} {stages[1] / 100:+7.2f}"


def conclusion(explanation: Explanation, scale: Scale, position: Position) -> list[str]:
    """The lines below the table: the phase of the game, notes, and the value."""
    value = explanation.value
    lines = _stages(explanation) if explanation.network is None else _drawishness(explanation)
    if explanation.note:
        lines.append(f"Note: {explanation.note}")
    if position.checkers:
        what = "which no term counts" if explanation.network is None else "of which the network knows nothing"
        lines.append(f"Note: the side to move is in check, {what}")
    lines.append(f"Value: {value / 100:+.2f} pawns, White's point of view")
    if (meaning := scale.meaning(value)) is None:
        return lines
    normalised, numbers = meaning
    chances = [f"{chance / 10:.1f}%" for chance in numbers]
    return [
        *lines,
        f"Normalised: {normalised / 100:+.2f}, +1.00 being an even chance to win",
        f"Chances of White: win {chances[0]}, draw {chances[1]}, loss {chances[2]}",
    ]


def _stages(explanation: Explanation) -> list[str]:
    phase = explanation.phase
    share = round(100 * phase / FULL_PHASE)
    lines = [f"Phase: {phase} of {FULL_PHASE}: the middle game counts {share}%, the endgame {100 - share}%"]
    if explanation.scale != FULL_SCALE:
        counts = round(100 * explanation.scale / FULL_SCALE)
        lines.append(f"Scale: {explanation.scale} of {FULL_SCALE}: the endgame value counts {counts}%")
    return lines


def _drawishness(explanation: Explanation) -> list[str]:
    if explanation.scale == FULL_SCALE:
        return []
    counts = round(100 * explanation.scale / FULL_SCALE)
    return [f"Drawn ending, or nearly: the value counts {counts}%"]
