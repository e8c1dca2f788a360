"""The features of the linear evaluation, one list for the engine, the learner and the explanation.

A position counts, for either side, how often each weight applies. Ranks are from that side's view (0 its own
first), and squares are mirrored so that its king stands on files e to h. The numbers in capitals are where
each feature's weights start; C reads them from features.pxd.
"""

from dataclasses import dataclass

PLACEMENT = 0
FACING = 384
KNIGHT_MOBILITY = 704
BISHOP_MOBILITY = 713
ROOK_MOBILITY = 727
QUEEN_MOBILITY = 742
BISHOP_PAIR = 770
ISOLATED = 771
DOUBLED = 773
BACKWARD = 774
PHALANX = 776
SUPPORTED = 784
PASSED = 792
CANDIDATE = 800
PASSED_OWN_KING = 808
PASSED_ENEMY_KING = 816
PASSED_BLOCKED = 824
PASSED_FREE = 832
PASSED_SAFE = 840
PASSED_DEFENDED = 848
PASSED_ROOK_BEHIND = 856
UNSTOPPABLE = 858
ROOK_FILE = 859
ROOK_SEVENTH = 861
OUTPOST = 862
BEHIND_PAWN = 864
BAD_BISHOP = 866
PAWN_THREAT = 867
MINOR_THREAT = 871
ROOK_THREAT = 876
KING_THREAT = 881
HANGING = 882
PUSH_THREAT = 883
SHELTER = 884
STORM = 916
BLOCKED_STORM = 948
RING_ATTACKERS = 956
RING_ATTACKS = 960
SAFE_CHECK = 964
DANGER = 968
PAWNLESS_FLANK = 1000
CASTLING_RIGHTS = 1001
SPACE = 1002
KNIGHT_PAWNS = 1003
ROOK_PAWNS = 1004
TEMPO = 1005
WEIGHTS = 1006  # how many weights there are in all

PIECE_NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")

_REACH = "squares within reach but for own pawns and king and what enemy pawns attack"


@dataclass(frozen=True, slots=True)
class Feature:
    """`shape` are the axes of its weights, the last one running fastest; `term` is the line of the
    explanation that it belongs to; `meaning` says what is counted and what the axes are."""

    name: str
    start: int
    shape: tuple[int, ...]
    term: str
    meaning: str

    @property
    def size(self) -> int:
        product = 1
        for length in self.shape:
            product *= length
        return product


FEATURES = (
    Feature("placement", PLACEMENT, (6, 8, 8), "Placement", "piece, rank, file; own king on files e to h"),
    Feature("facing", FACING, (5, 8, 8), "Placement", "piece, rank, file; enemy king on files e to h"),
    Feature("knight mobility", KNIGHT_MOBILITY, (9,), "Mobility", _REACH),
    Feature("bishop mobility", BISHOP_MOBILITY, (14,), "Mobility", _REACH),
    Feature("rook mobility", ROOK_MOBILITY, (15,), "Mobility", _REACH),
    Feature("queen mobility", QUEEN_MOBILITY, (28,), "Mobility", _REACH),
    Feature("bishop pair", BISHOP_PAIR, (1,), "Pieces", "two bishops or more"),
    Feature("isolated", ISOLATED, (2,), "Pawns", "pawns without neighbours: opposed, not opposed"),
    Feature("doubled", DOUBLED, (1,), "Pawns", "pawns with another of their own ahead"),
    Feature("backward", BACKWARD, (2,), "Pawns", "pawns behind their neighbours, held back: opposed, not"),
    Feature("phalanx", PHALANX, (8,), "Pawns", "rank of pawns with one beside them"),
    Feature("supported", SUPPORTED, (8,), "Pawns", "rank of pawns protected by pawns"),
    Feature("passed", PASSED, (8,), "Passed pawns", "rank of passed pawns, the foremost of a file"),
    Feature("candidate", CANDIDATE, (8,), "Passed pawns", "rank of pawns with as many helpers as guards"),
    Feature("own king to passed", PASSED_OWN_KING, (8,), "Passed pawns", "king steps to the square ahead"),
    Feature("enemy king to passed", PASSED_ENEMY_KING, (8,), "Passed pawns", "the same for the enemy's king"),
    Feature("blocked passed", PASSED_BLOCKED, (8,), "Passed pawns", "rank where an enemy stands ahead"),
    Feature("free passed", PASSED_FREE, (8,), "Passed pawns", "rank where the whole way is empty"),
    Feature("safe passed", PASSED_SAFE, (8,), "Passed pawns", "rank, the enemy not attacking ahead"),
    Feature("defended passed", PASSED_DEFENDED, (8,), "Passed pawns", "rank, the own side attacking ahead"),
    Feature("rook behind passed", PASSED_ROOK_BEHIND, (2,), "Passed pawns", "own rook, enemy rook behind it"),
    Feature("unstoppable", UNSTOPPABLE, (1,), "Passed pawns", "a pawn that outruns a bare king"),
    Feature("rook file", ROOK_FILE, (2,), "Pieces", "rooks on half-open files, on open files"),
    Feature("rook on seventh", ROOK_SEVENTH, (1,), "Pieces", "with the enemy king behind or pawns on it"),
    Feature("outpost", OUTPOST, (2,), "Pieces", "knights, bishops that pawns cover and none can attack"),
    Feature("behind pawn", BEHIND_PAWN, (2,), "Pieces", "knights, bishops right behind a pawn"),
    Feature("bad bishop", BAD_BISHOP, (1,), "Pieces", "own pawns on the colour of a bishop"),
    Feature("pawn threat", PAWN_THREAT, (4,), "Threats", "knights … queens that a pawn attacks"),
    Feature("minor threat", MINOR_THREAT, (5,), "Threats", "loose pawns … queens that a minor attacks"),
    Feature("rook threat", ROOK_THREAT, (5,), "Threats", "loose pawns … queens that a rook attacks"),
    Feature("king threat", KING_THREAT, (1,), "Threats", "what the king attacks and nothing defends"),
    Feature("hanging", HANGING, (1,), "Threats", "pieces and pawns attacked that nothing defends"),
    Feature("push threat", PUSH_THREAT, (1,), "Threats", "pieces that a safe pawn step attacks"),
    Feature("shelter", SHELTER, (4, 8), "King", "file from the edge, rank of the rearmost own pawn or 0"),
    Feature("storm", STORM, (4, 8), "King", "file from the edge, rank of the nearest enemy pawn or 0"),
    Feature("blocked storm", BLOCKED_STORM, (8,), "King", "rank of such a pawn that is blocked"),
    Feature("ring attackers", RING_ATTACKERS, (4,), "King", "knights … queens that attack the ring"),
    Feature("ring attacks", RING_ATTACKS, (4,), "King", "squares of the ring attacked by knights … queens"),
    Feature("safe checks", SAFE_CHECK, (4,), "King", "safe squares to check from for knights … queens"),
    Feature("danger", DANGER, (32,), "King", "danger to the enemy's king, as `king_attack` adds it up"),
    Feature("pawnless flank", PAWNLESS_FLANK, (1,), "King", "no pawns near the king's files"),
    Feature("castling rights", CASTLING_RIGHTS, (1,), "King", "rights still held"),
    Feature("space", SPACE, (1,), "Space", "safe squares of the centre; those just behind own pawns twice"),
    Feature("knight with pawns", KNIGHT_PAWNS, (1,), "Pieces", "knights times own pawns beyond five"),
    Feature("rook with pawns", ROOK_PAWNS, (1,), "Pieces", "rooks times own pawns beyond five"),
    Feature("tempo", TEMPO, (1,), "Tempo", "the side to move"),
)

TERMS = tuple(dict.fromkeys(feature.term for feature in FEATURES))
"""The lines of the explanation, in the order in which they are shown."""
