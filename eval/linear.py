"""Material at 1/3/3/5/9 plus learned weights times features, tapered from middle game to endgame."""

import cython

from engine.board.position import Position
from eval.evaluator import Evaluator
from eval.explanation import Explanation, Term, Trace
from eval.features import FEATURES, TERMS
from eval.pawns import Pawns
from eval.pieces import AttackMaps
from eval.tally import Tally
from eval.weight_file import Weights

if not cython.compiled:
    from engine.board.bitboard import BISHOP, BLACK, KNIGHT, PAWN, QUEEN, ROOK, WHITE, i32, i64, popcount
    from eval.endings import FULL_SCALE, drawish_scale, won_ending
    from eval.features import TEMPO
    from eval.material import MINOR_VALUE, PAWN_VALUE, QUEEN_VALUE, ROOK_VALUE, worth
    from eval.pawns import PASSERS, SCORE, SPAN
    from eval.pieces import (
        king_attack,
        king_flank,
        minor_pieces,
        mobility,
        passed_pawns,
        placement,
        rooks,
        space,
        threats,
    )
    from eval.tally import weigh

    FULL_PHASE, LARGEST, MEMORY_MASK = 24, 20000, 4095


class Linear(Evaluator):
    """The learned evaluation. One for each thread: it remembers positions and pawn structures."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.tally = Tally(weights.middle, weights.endgame)
        self.pawns = Pawns()
        self.maps = AttackMaps()
        self.memory = [0] * 4096
        self.material = 0
        self.phase = 0
        self.scale = FULL_SCALE
        self.known = False

    def evaluate(self, position: Position) -> int:
        slot = i32(position.key & MEMORY_MASK)
        entry = self.memory[slot]
        if entry >> 16 == position.key >> 16:
            return i32(entry & 0xFFFF) - 32768
        value = self._white_value(position)
        if position.side:
            value = -value
        self.memory[slot] = (position.key >> 16 << 16) | (value + 32768)
        return value

    def trace(self, position: Position) -> Trace:
        """The counts of all features in the position, computed from scratch."""
        self.tally.clear()
        self.tally.tracing = True
        value = self._white_value(position)
        self.tally.tracing = False
        counts = self.tally.counted()
        return Trace(counts, self.material, self.phase, self.scale, self.known, value)

    def explain(self, position: Position) -> Explanation:
        """Material, then the learned terms, which do not count in a known ending."""
        trace = self.trace(position)
        sums = {name: [0, 0, 0, 0] for name in TERMS}
        for feature in FEATURES:
            row = sums[feature.term]
            for index in range(feature.start, feature.start + feature.size):
                for colour, count in enumerate(trace.counts.get(index, (0, 0))):
                    row[2 * colour] += count * self.weights.middle[index]
                    row[2 * colour + 1] += count * self.weights.endgame[index]
        white, black = worth(position, WHITE), worth(position, BLACK)
        terms = [Term("Material", (white, white), (black, black))]
        terms += [Term(name, (row[0], row[1]), (row[2], row[3])) for name, row in sums.items()]
        note = "known ending: a bare king is driven to the edge" if trace.known else ""
        return Explanation(tuple(terms), trace.phase, trace.scale, trace.value, note)

    def _white_value(self, position: Position) -> int:
        """Centipawns for White."""
        self._count_material(position)
        self.scale = FULL_SCALE
        won = won_ending(position, WHITE) - won_ending(position, BLACK)
        self.known = won != 0
        if won != 0 and not self.tally.tracing:
            return self.material + won
        base = self.pawns.probe(position, self.tally)
        total = i64(self.pawns.slots[base + SCORE])
        total += placement(position, self.tally, WHITE) - placement(position, self.tally, BLACK)
        self.maps.begin(position)
        total += mobility(position, self.maps, self.tally, WHITE)
        total -= mobility(position, self.maps, self.tally, BLACK)
        total += self._side(position, WHITE, base) - self._side(position, BLACK, base)
        if position.side:
            total -= weigh(self.tally, BLACK, TEMPO, 1)
        else:
            total += weigh(self.tally, WHITE, TEMPO, 1)
        value = self._taper(position, total)
        return self.material + won if won != 0 else value

    def _side(self, position: Position, us: int, base: int) -> int:
        """The terms of one side that depend on what both sides attack."""
        span = self.pawns.slots[base + SPAN + (us ^ 1)]
        score = minor_pieces(position, self.maps, self.tally, us, span)
        score += rooks(position, self.maps, self.tally, us)
        score += threats(position, self.maps, self.tally, us)
        score += king_attack(position, self.maps, self.tally, us)
        score += passed_pawns(position, self.maps, self.tally, us, self.pawns.slots[base + PASSERS])
        score += king_flank(position, self.maps, self.tally, us)
        return score + space(position, self.maps, self.tally, us)

    def _count_material(self, position: Position) -> None:
        """Set `material`, White's minus Black's, and `phase`."""
        white = position.by_colour[WHITE]
        black = position.by_colour[BLACK]
        pawns = position.by_type[PAWN]
        light = position.by_type[KNIGHT] | position.by_type[BISHOP]
        white_minors = popcount(white & light)
        black_minors = popcount(black & light)
        white_rooks = popcount(white & position.by_type[ROOK])
        black_rooks = popcount(black & position.by_type[ROOK])
        white_queens = popcount(white & position.by_type[QUEEN])
        black_queens = popcount(black & position.by_type[QUEEN])
        self.material = (
            PAWN_VALUE * (popcount(white & pawns) - popcount(black & pawns))
            + MINOR_VALUE * (white_minors - black_minors)
            + ROOK_VALUE * (white_rooks - black_rooks)
            + QUEEN_VALUE * (white_queens - black_queens)
        )
        phase = white_minors + black_minors + 2 * (white_rooks + black_rooks)
        self.phase = min(phase + 4 * (white_queens + black_queens), FULL_PHASE)

    def _taper(self, position: Position, total: int) -> int:
        """White's centipawns: material added, stages mixed by phase, the endgame by `scale`, set here."""
        middle = i32((total + i64(0x80000000)) >> 32)
        endgame = i32(total - i64(middle) * i64(0x100000000)) + self.material
        self.scale = drawish_scale(position, WHITE if endgame > 0 else BLACK)
        mixed = (middle + self.material) * self.phase * FULL_SCALE
        mixed += endgame * (FULL_PHASE - self.phase) * self.scale
        size = min((mixed if mixed > 0 else -mixed) // (FULL_PHASE * FULL_SCALE), LARGEST)
        return size if mixed > 0 else -size
