"""The sentences about moves, in English: templates by name. Another language is another such file.

Fields of a template: `{move}` and `{better}` are moves with numbers, `{line}` is several; `{what}` is
one of WHAT; `{state}`, `{kept}` and `{now}` are of STATES, KEPT and NOW, `{fact}` of FACTS or CLAUSES,
`{idea}` of IDEAS.
Others name a mate, a number, a side, or a piece with its square.
"""

from __future__ import annotations

from collections.abc import Sequence

import chess

PIECES = {
    chess.PAWN: "pawn",
    chess.KNIGHT: "knight",
    chess.BISHOP: "bishop",
    chess.ROOK: "rook",
    chess.QUEEN: "queen",
    chess.KING: "king",
}
SIDES = {chess.WHITE: "White", chess.BLACK: "Black"}
COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}

WHAT = {
    "one": "a {piece}",
    "only": "the {piece}",
    "placed": "the {piece} on {square}",
    "minor": "a piece",
    "several": "{count} {piece}s",
    "minors": "{count} pieces",
    "exchange": "the exchange",
    "exchange_and_pawns": "the exchange and {pawns}",
    "exchange_for_pawns": "the exchange for {pawns}",
    "for": "{lost} for {gained}",
    "material": "material",
}

MATES = {
    "mate": "mate",
    "backRankMate": "back-rank mate",
    "smotheredMate": "smothered mate",
    "arabianMate": "an Arabian mate",
    "hookMate": "a hook mate",
    "dovetailMate": "a dovetail mate",
    "doubleBishopMate": "mate by two bishops",
    "bodenMate": "Boden's mate",
    "anastasiaMate": "Anastasia's mate",
    "operaMate": "an opera mate",
    "pillsburysMate": "Pillsbury's mate",
}

# How a line does it: after a colon, instead of the bare moves.
CLAUSES = {
    "doubleCheck": "{move} is double check",
    "discoveredCheck": "{move} is a discovered check",
    "fork": "{move} forks {targets}",
    "skewer": "{move} attacks {front} and, behind it, {back}",
    "pin": "{move} pins {pinned}",
    "trappedPiece": "{move} attacks {victim}, which has no safe square",
    "discoveredAttack": "{move} uncovers an attack by {actor} on {victim}",
    "deflection": "{move} draws {guard} away from {victim}",
    "attraction": "{move} draws {guard} to {square}",
    "capturingDefender": "{move} takes the defender of {victim}",
    "intermezzo": "{move} comes before the capture on {square}",
}

FACTS = {
    "attacking": "{fact} and attacks {what}",
    "wins": "after {line} {side} has won {what}",
    "wins_back": "after {line} {side} has won back {what}",
    "after": "after {line} {now}",
    "and": "{fact}, and {now}",
    "does": "{move} {idea}",
    "which": "{better}, which {idea}",
    "uncaught": "after {move} the king can no longer catch the pawn on {square}",
    "promotes": "after {move} the pawn on {square} promotes",
    "uncovered": "after {move} the bishop does not cover {square}, where the pawn promotes",
    "uncastles": "the king can no longer castle",
}
IDEAS = {
    "threatens": "threatens {threat}",
    "threatens_mate": "threatens {threat} with mate",
    "threatens_to_win": "threatens to win {what} with {threat}",
    "traps": "traps {what}",
    "attacks": "attacks {what}",
    "pins": "pins {what}",
    "drives": "attacks {what}, a guard of {victim}",
    "skewers": "attacks {what} and, behind it, {victim}",
    "attacks_with_check": "attacks {what} with check",
    "wins_by_check": "wins {what} by the check",
    "doubles": "doubles {side}'s pawns",
    "uncastles": "keeps {side} from castling",
    "zugzwang": "puts {side} in zugzwang",
    "opposition": "takes the opposition",
    "castles": "brings the king to safety",
    "retakes": "recaptures",
    "takes": "takes {what}",
    "wins": "wins {what}",
    "wins_more": "wins {what} more",
    "develops": "develops {what}",
    "centre": "puts a pawn in the centre",
    "advances": "advances the passed pawn",
    "passes": "makes a passed pawn",
    "file": "puts a rook on the open {file}-file",
    "king": "brings the king nearer to the centre",
}
LINE = "{clause} ({line})"
AND = "{move} takes {what} and"
"""In front of the rest of a clause."""

REASONS = {
    "allows_mate": "Allows {mate} in {count}: {line}.",
    "allows_mate_at_once": "Allows {mate}: {line}.",
    "misses_mate": "Misses {mate} in {count}: {line}.",
    "misses_mate_at_once": "Misses {mate}: {line}.",
    "loses": "Loses {what}: {line}.",
    "loses_undefended": "Loses {what}, which is undefended: {line}.",
    "lets_promote": "Lets the pawn on {square} promote: {line}.",
    "misses_win": "Misses a chance to win {what}: {line}.",
    "misses_retaking": "Does not recapture on {square}: {line}.",
    "takes_wrongly": "Captures with the wrong piece: better was {line}.",
    "stalemates": "Stalemate gives away {state}: {better} would have kept it.",
    "allows_stalemate": "Lets {side} escape by stalemate: {line}.",
    "allows_perpetual": "Lets {side} give perpetual check: {line}.",
    "allows_repetition": "Allows a repetition of moves: {line}.",
    "kept": "{better} {kept}, but now {fact}.",
    "kept_by": "{better}, which {idea}, {kept}, but now {fact}.",
    "better_was": "{fact}; better was {better}.",
    "only": "Better was {better}.",
}

BETTER = {
    "mates": "{better} mates in {count}.",
    "mates_at_once": "{better} is mate.",
    "wins": "{better} wins {what}.",
    "retakes": "{better} recaptures.",
    "plain": "Better was {better}.",
}

GOOD = {
    "mates": "Mates in {count}: {line}.",
    "is_mate": "Checkmate.",
    "mated": "Cannot avoid {mate} in {count}: {line}.",
    "mated_at_once": "Cannot avoid {mate}: {line}.",
    "wins": "Wins {what}: {line}.",
    "wins_undefended": "Takes {what}, which is undefended.",
    "stops_mate": "Stops the threat of mate by {line}.",
    "saves": "Saves {what}: otherwise {line} would win it.",
    "only": "By far the best move: after the next best, {better}, {now}.",
}

# Keyed by how the mover stands at least
STATES = {"won": "a winning position", "better": "the advantage"}
KEPT = {
    "won": "would have kept a winning position",
    "better": "would have kept the advantage",
    "level": "",
    "worse": "would have limited the damage",
}
KEEPS = {
    "won": "Keeps a winning position: {line}.",
    "better": "Keeps the advantage: {line}.",
    "level": "Loses nothing: {line}.",
    "worse": "Limits the damage: {line}.",
}
NOW = {
    "won": "{side} is winning",
    "better": "{side} has the advantage",
    "more": "{side}'s advantage grows",
    "lost": "the advantage is gone",
    "gone": "much of the advantage is gone",
    "less": "{side}'s advantage is smaller",
}


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def piece_on(board: chess.Board, square: chess.Square) -> str:
    """`the knight on e5`."""
    return pieces_on(board, [square])


def pieces_on(board: chess.Board, squares: Sequence[chess.Square]) -> str:
    """`the knight on e5 and the pawns on b2 and d4`, in the order of the first of each kind."""
    by_kind: dict[chess.PieceType, list[str]] = {}
    for square in squares:
        kind = board.piece_type_at(square) or chess.PAWN
        by_kind.setdefault(kind, []).append(chess.square_name(square))
    return listed(
        [
            WHAT["placed"].format(piece=f"{PIECES[kind]}{'s' * (len(names) > 1)}", square=listed(names))
            for kind, names in by_kind.items()
        ]
    )
