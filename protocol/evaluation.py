"""The table of the terms of the evaluation, for people."""

from collections.abc import Sequence

from eval.explanation import FULL_PHASE, FULL_SCALE, Explanation, Term
from protocol.scale import Scale

_STAGES = f"{'MG':>7} {'EG':>7}"
_DASHES = "-" * (len(_STAGES) + 2)


def table(evaluator: str, explanation: Explanation, scale: Scale, in_check: bool) -> list[str]:
    """Each term for White, for Black and the difference, then what comes of them for White.

    Pawns, those of the evaluator; with a model in the scale also normalised ones, and the chances.
    """
    rows = [_row(term) for term in (*explanation.terms, _sum_of(explanation.terms))]
    width = max(len(row[0]) for row in rows)
    rule = "+".join(["", "-" * (width + 2), _DASHES, _DASHES, _DASHES, ""])
    head = ["Term", *(f"{side:^{len(_STAGES)}}" for side in ("White", "Black", "Total"))]
    body = [_line(row, width) for row in rows]
    top = [rule, _line(head, width), _line(["", _STAGES, _STAGES, _STAGES], width), rule]
    conclusion = _conclusion(explanation, scale, in_check)
    return ["", f"Evaluation: {evaluator}", *top, *body[:-1], rule, body[-1], rule, "", *conclusion]


def _sum_of(terms: Sequence[Term]) -> Term:
    white, black = [term.white for term in terms], [term.black for term in terms]
    return Term("Total", _sum(white), _sum(black))


def _sum(stages: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(middle for middle, _ in stages), sum(endgame for _, endgame in stages)


def _row(term: Term) -> list[str]:
    cells = (term.white, term.black, term.total)
    return [term.name, *(f"{middle / 100:+7.2f} {endgame / 100:+7.2f}" for middle, endgame in cells)]


def _line(cells: Sequence[str], width: int) -> str:
    return "| " + " | ".join([f"{cells[0]:{width}}", *cells[1:]]) + " |"


def _conclusion(explanation: Explanation, scale: Scale, in_check: bool) -> list[str]:
    """What follows the table: the stage of the game, all that is special, and the value."""
    phase, value = explanation.phase, explanation.value
    share = round(100 * phase / FULL_PHASE)
    lines = [f"Phase: {phase} of {FULL_PHASE}: the middle game counts {share}%, the endgame {100 - share}%"]
    if explanation.scale != FULL_SCALE:
        lines.append(f"Scale: {explanation.scale} of {FULL_SCALE}: the endgame counts so much less")
    if explanation.note:
        lines.append(f"Note: {explanation.note}")
    if in_check:
        lines.append("Note: the side to move is in check; the terms do not look at that")
    lines.append(f"Value: {value / 100:+.2f} pawns, White's point of view")
    if scale.model is None:
        return lines
    normalised = scale.model.normalised(value, scale.material)
    chances = [f"{chance / 10:.1f}%" for chance in scale.model.chances(value, scale.material)]
    return [
        *lines,
        f"Normalised: {normalised / 100:+.2f}, +1.00 being an even chance to win",
        f"Chances of White: win {chances[0]}, draw {chances[1]}, loss {chances[2]}",
    ]
