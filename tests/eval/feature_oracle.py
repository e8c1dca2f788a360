"""What every feature of the linear evaluation should count, worked out with sets of squares.

Each rule below is for one side and says, in terms of the axes of the feature, where it applies; it
follows the feature's `meaning`. The board is always seen from that side (see `seen`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import chess

from eval.features import FEATURES, Feature
from tests.eval.seen import (
    BISHOP,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    Piece,
    Seen,
    Square,
    is_dark,
    on_board,
    steps,
)

Axes = tuple[int, ...]
Rule = Callable[[Seen], Iterable[Axes]]
MOST_DANGER = 31


def counts(board: chess.Board) -> dict[int, tuple[int, int]]:
    """What White and Black count, by the index of the weight, where either is not 0."""
    white, black = (_one_side(Seen(board, colour)) for colour in (chess.WHITE, chess.BLACK))
    return {
        index: (white[index], black[index])
        for index in sorted(white.keys() | black.keys())
        if (white[index], black[index]) != (0, 0)
    }


def feature_of(index: int) -> str:
    """The name of the feature that a weight belongs to."""
    return next(each.name for each in FEATURES if each.start <= index < each.start + each.size)


def _one_side(seen: Seen) -> Counter[int]:
    found: Counter[int] = Counter()
    for feature in FEATURES:
        for axes in RULES[feature.name](seen):
            found[_index(feature, axes)] += 1
        found.update({feature.start: FACTORS[feature.name](seen)} if feature.name in FACTORS else {})
    return found


def _index(feature: Feature, axes: Axes) -> int:
    """The weight at a place of the feature's table, the last axis running fastest."""
    assert len(axes) == len(feature.shape), feature.name
    place = 0
    for here, length in zip(axes, feature.shape, strict=True):
        assert 0 <= here < length, f"{feature.name}{axes}"
        place = place * length + here
    return feature.start + place


# Where the pieces stand, and how far they reach


def _placement(seen: Seen, last: int, king: Square) -> Iterator[Axes]:
    for piece in seen.own.pieces:
        if piece.kind <= last:
            file, rank = piece.at
            yield piece.kind, rank, file if king[0] >= 4 else 7 - file


def placement(seen: Seen) -> Iterator[Axes]:
    return _placement(seen, KING, seen.own.king)


def facing(seen: Seen) -> Iterator[Axes]:
    return _placement(seen, QUEEN, seen.enemy.king)


def mobility(kind: int) -> Rule:
    """What a piece attacks but own pawns, the own king and squares that enemy pawns attack."""

    def rule(seen: Seen) -> Iterator[Axes]:
        barred = seen.own.pawns | {seen.own.king} | seen.enemy.attacks(PAWN)
        for piece in seen.own.pieces:
            if piece.kind == kind:
                yield (len(piece.attacks - barred),)

    return rule


# Pawns


def _beside(seen: Seen, pawn: Square) -> list[Square]:
    return [other for other in seen.own.pawns if abs(other[0] - pawn[0]) == 1]


def _support(seen: Seen, pawn: Square) -> list[Square]:
    """Own pawns on the files beside it, level with it or behind."""
    return [other for other in _beside(seen, pawn) if other[1] <= pawn[1]]


def _guards(seen: Seen, pawn: Square) -> list[Square]:
    """Enemy pawns ahead on its file or beside."""
    return [other for other in seen.enemy.pawns if abs(other[0] - pawn[0]) <= 1 and other[1] > pawn[1]]


def _opposed(seen: Seen, pawn: Square) -> bool:
    return any(square in seen.enemy.pawns for square in seen.ahead(pawn))


def _doubled(seen: Seen, pawn: Square) -> bool:
    return any(square in seen.own.pawns for square in seen.ahead(pawn))


def _backward(seen: Seen, pawn: Square) -> bool:
    stop = seen.ahead(pawn)[0]
    return bool(_beside(seen, pawn)) and not _support(seen, pawn) and stop in seen.enemy.attacks(PAWN)


def _passed(seen: Seen, pawn: Square) -> bool:
    return not _guards(seen, pawn) and not _doubled(seen, pawn)


def _candidate(seen: Seen, pawn: Square) -> bool:
    """Not passed, no enemy pawn on its file, and as many beside it as there are to guard its way."""
    enough = len(_support(seen, pawn)) >= len(_guards(seen, pawn))
    return not _passed(seen, pawn) and not _opposed(seen, pawn) and enough


def _on_rank(pawns: Callable[[Seen], Iterable[Square]]) -> Rule:
    return lambda seen: ((rank,) for _, rank in pawns(seen))


def _pawns(which: Callable[[Seen, Square], bool]) -> Callable[[Seen], list[Square]]:
    return lambda seen: [pawn for pawn in seen.own.pawns if which(seen, pawn)]


def isolated(seen: Seen) -> Iterator[Axes]:
    for pawn in seen.own.pawns:
        if not _beside(seen, pawn):
            yield (0 if _opposed(seen, pawn) else 1,)


def backward(seen: Seen) -> Iterator[Axes]:
    for pawn in _pawns(_backward)(seen):
        yield (0 if _opposed(seen, pawn) else 1,)


def doubled(seen: Seen) -> Iterator[Axes]:
    return ((0,) for _ in _pawns(_doubled)(seen))


def _is_phalanx(seen: Seen, pawn: Square) -> bool:
    return any(other[1] == pawn[1] for other in _beside(seen, pawn))


def _is_supported(seen: Seen, pawn: Square) -> bool:
    return pawn in seen.own.attacks(PAWN)


# Passed pawns

_passers = _pawns(_passed)


def king_to_passed(own: bool) -> Rule:
    def rule(seen: Seen) -> Iterator[Axes]:
        king = seen.own.king if own else seen.enemy.king
        for pawn in _passers(seen):
            if pawn[1] >= 3:
                yield (steps(king, seen.ahead(pawn)[0]),)

    return rule


def _blocked(seen: Seen, pawn: Square) -> bool:
    return _passed(seen, pawn) and seen.ahead(pawn)[0] in seen.enemy.all


def _free(seen: Seen, pawn: Square) -> bool:
    return _passed(seen, pawn) and not seen.occupied & {*seen.ahead(pawn)}


def _safe(seen: Seen, pawn: Square) -> bool:
    return _passed(seen, pawn) and seen.ahead(pawn)[0] not in seen.enemy.attacks()


def _defended(seen: Seen, pawn: Square) -> bool:
    return _passed(seen, pawn) and seen.ahead(pawn)[0] in seen.own.attacks()


def rook_behind(seen: Seen) -> Iterator[Axes]:
    """The first piece behind it on its file is a rook."""
    for file, rank in _passers(seen):
        behind = [(file, nearer) for nearer in range(rank - 1, -1, -1) if (file, nearer) in seen.occupied]
        for side, army in enumerate((seen.own, seen.enemy)):
            if behind[:1] and behind[0] in army.places(ROOK):
                yield (side,)


def unstoppable(seen: Seen) -> Iterator[Axes]:
    """Its way is empty, and it queens before the only piece of the enemy, the king, can take it then."""
    if seen.enemy.places(KNIGHT, BISHOP, ROOK, QUEEN):
        return
    for pawn in _pawns(_free)(seen):
        moves = 7 - pawn[1] - (pawn[1] == 1)
        if steps(seen.enemy.king, (pawn[0], 7)) > moves + (not seen.moves):
            yield (0,)


# Pieces


def bishop_pair(seen: Seen) -> list[Axes]:
    return [(0,)] if len(seen.own.places(BISHOP)) >= 2 else []


def rook_file(seen: Seen) -> Iterator[Axes]:
    for file, _ in seen.own.places(ROOK):
        if not any(pawn[0] == file for pawn in seen.own.pawns):
            yield (0 if any(pawn[0] == file for pawn in seen.enemy.pawns) else 1,)


def rook_on_seventh(seen: Seen) -> Iterator[Axes]:
    target = seen.enemy.king[1] == 7 or any(rank == 6 for _, rank in seen.enemy.pawns)
    return ((0,) for _, rank in seen.own.places(ROOK) if rank == 6 and target)


def outpost(seen: Seen) -> Iterator[Axes]:
    """On ranks 4 to 6 only."""
    chasers = {
        (pawn[0] + side, rank) for pawn in seen.enemy.pawns for side in (-1, 1) for rank in range(pawn[1])
    }
    for axis, kind in enumerate((KNIGHT, BISHOP)):
        for square in seen.own.places(kind):
            if square[1] in {3, 4, 5} and square in seen.own.attacks(PAWN) - chasers:
                yield (axis,)


def behind_pawn(seen: Seen) -> Iterator[Axes]:
    for axis, kind in enumerate((KNIGHT, BISHOP)):
        for file, rank in seen.own.places(kind):
            if (file, rank + 1) in seen.own.pawns | seen.enemy.pawns:
                yield (axis,)


def bad_bishop(seen: Seen) -> Iterator[Axes]:
    for square in seen.own.places(BISHOP):
        for pawn in seen.own.pawns:
            if is_dark(pawn) == is_dark(square):
                yield (0,)


# Threats


def pawn_threat(seen: Seen) -> Iterator[Axes]:
    for piece in seen.enemy.pieces:
        if KNIGHT <= piece.kind <= QUEEN and piece.at in seen.own.attacks(PAWN):
            yield (piece.kind - 1,)


def threat_by(*kinds: int) -> Rule:
    def rule(seen: Seen) -> Iterator[Axes]:
        covered = seen.enemy.attacks(PAWN)
        for piece in seen.enemy.pieces:
            counted = piece.kind < KING and not (piece.kind == PAWN and piece.at in covered)
            if counted and piece.at in seen.own.attacks(*kinds):
                yield (piece.kind,)

    return rule


def attacked_loose(*kinds: int) -> Rule:
    """Enemy pieces and pawns that nothing protects, attacked by these kinds, or any."""

    def rule(seen: Seen) -> Iterator[Axes]:
        for square in seen.enemy.all - {seen.enemy.king} - seen.enemy.attacks():
            if square in seen.own.attacks(*kinds):
                yield (0,)

    return rule


def push_threat(seen: Seen) -> Iterator[Axes]:
    """A step, single or double, is safe where no pawn takes back and nothing else or we protect it.

    Counts pieces that no pawn attacks already.
    """
    landed = set()
    for pawn in seen.own.pawns:
        for square in seen.ahead(pawn)[: 2 if pawn[1] == 1 else 1]:
            if square in seen.occupied:
                break
            landed.add(square)
    contested = seen.enemy.attacks() - seen.own.attacks()
    safe = landed - seen.enemy.attacks(PAWN) - contested
    reached = on_board((file + side, rank + 1) for file, rank in safe for side in (-1, 1))
    targets = {*seen.enemy.places(KNIGHT, BISHOP, ROOK, QUEEN)}
    return ((0,) for _ in (reached & targets) - seen.own.attacks(PAWN))


# Kings


def _wing(seen: Seen) -> range:
    """Three files: the king's and those beside it, or the three at the edge."""
    first = min(max(seen.own.king[0] - 1, 0), 5)
    return range(first, first + 3)


def _nearest(pawns: set[Square], file: int, king: Square) -> int:
    """The rank of the nearest pawn of a file level with the king or before it; 0 where there is none."""
    return min((rank for at, rank in pawns if at == file and rank >= king[1]), default=0)


def shelter(seen: Seen) -> Iterator[Axes]:
    for file in _wing(seen):
        yield min(file, 7 - file), _nearest(seen.own.pawns, file, seen.own.king)


def _stormers(seen: Seen) -> Iterator[tuple[int, int, bool]]:
    """File, rank of the enemy pawn before the king or 0, and whether the own pawn stands right before it."""
    for file in _wing(seen):
        rank = _nearest(seen.enemy.pawns, file, seen.own.king)
        shield = _nearest(seen.own.pawns, file, seen.own.king)
        yield file, rank, bool(rank and shield) and shield == rank - 1


def storm(seen: Seen) -> Iterator[Axes]:
    """Those not blocked."""
    return ((min(file, 7 - file), rank) for file, rank, blocked in _stormers(seen) if not blocked)


def blocked_storm(seen: Seen) -> Iterator[Axes]:
    return ((rank,) for _, rank, blocked in _stormers(seen) if blocked)


def _aimed(seen: Seen) -> Iterator[tuple[Piece, int]]:
    """Own pieces that attack the enemy king's ring, and how many of its squares."""
    for piece in seen.own.pieces:
        hits = len(piece.attacks & seen.ring())
        if KNIGHT <= piece.kind <= QUEEN and hits:
            yield piece, hits


def ring_attackers(seen: Seen) -> Iterator[Axes]:
    return ((piece.kind - KNIGHT,) for piece, _ in _aimed(seen))


def ring_attacks(seen: Seen) -> Iterator[Axes]:
    return ((piece.kind - KNIGHT,) for piece, hits in _aimed(seen) for _ in range(hits))


def safe_checks(seen: Seen) -> Iterator[Axes]:
    """Squares where a piece of ours can go, from which it would check, and where it would not be lost.

    It is not where the enemy does not attack, or where the king does and two of us; never where a pawn does.
    """
    for kind in (KNIGHT, BISHOP, ROOK, QUEEN):
        for square in _checking_squares(seen, kind) & seen.own.attacks(kind) - seen.own.all:
            shared = square in seen.enemy.attacks(KING) and seen.own.attackers(square) >= 2
            if square not in seen.enemy.attacks(PAWN) and (square not in seen.enemy.attacks() or shared):
                yield (kind - KNIGHT,)


def _checking_squares(seen: Seen, kind: int) -> set[Square]:
    """From where a piece would attack the enemy's king."""
    file, rank = seen.enemy.king
    if kind == KNIGHT:
        leaps = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))
        return on_board((file + x, rank + y) for x, y in leaps)
    found = set()
    for x, y in [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]:
        if kind == QUEEN or (kind == BISHOP) == (x != 0 and y != 0):
            for length in range(1, 8):
                square = (file + x * length, rank + y * length)
                found |= on_board([square])
                if square in seen.occupied:
                    break
    return found


def danger(seen: Seen) -> list[Axes]:
    """Each square of the ring: 1 if we attack it and at most the king protects it, 1 if two of us attack
    it, 2 if a minor piece does, 2 if a rook does, 3 if a queen does. Besides 3, 2, 4, 4 if a knight,
    bishop, rook, queen has a safe check. Half of it, rounded down, without a queen."""
    units = 0
    for square in seen.ring():
        protectors = seen.enemy.attackers(square)
        alone = protectors == 0 or (protectors == 1 and square in seen.enemy.attacks(KING))
        units += square in seen.own.attacks() and alone
        units += seen.own.attackers(square) >= 2
        units += 2 * (square in seen.own.attacks(KNIGHT, BISHOP))
        units += 2 * (square in seen.own.attacks(ROOK)) + 3 * (square in seen.own.attacks(QUEEN))
    units += sum((3, 2, 4, 4)[kind] for (kind,) in {*safe_checks(seen)})
    if not seen.own.places(QUEEN):
        units //= 2
    return [(min(units, MOST_DANGER),)]


def pawnless_flank(seen: Seen) -> list[Axes]:
    return [] if any(file in _wing(seen) for file, _ in seen.own.pawns | seen.enemy.pawns) else [(0,)]


# The rest


def castling_rights(seen: Seen) -> list[Axes]:
    return [(0,)] * seen.rights


def space(seen: Seen) -> Iterator[Axes]:
    """Files c to f, ranks 2 to 4, without own pawns, attacked by no enemy pawn; twice where an own pawn
    is one or two squares ahead."""
    for file in range(2, 6):
        for rank in range(1, 4):
            if (file, rank) not in seen.own.pawns | seen.enemy.attacks(PAWN):
                yield (0,)
                if seen.own.pawns & {(file, rank + 1), (file, rank + 2)}:
                    yield (0,)


def tempo(seen: Seen) -> list[Axes]:
    return [(0,)] if seen.moves else []


def nothing(seen: Seen) -> list[Axes]:
    """For features that are a product, which may be negative."""
    del seen
    return []


RULES: dict[str, Rule] = {
    "placement": placement,
    "facing": facing,
    "knight mobility": mobility(KNIGHT),
    "bishop mobility": mobility(BISHOP),
    "rook mobility": mobility(ROOK),
    "queen mobility": mobility(QUEEN),
    "bishop pair": bishop_pair,
    "isolated": isolated,
    "doubled": doubled,
    "backward": backward,
    "phalanx": _on_rank(_pawns(_is_phalanx)),
    "supported": _on_rank(_pawns(_is_supported)),
    "passed": _on_rank(_passers),
    "candidate": _on_rank(_pawns(_candidate)),
    "own king to passed": king_to_passed(own=True),
    "enemy king to passed": king_to_passed(own=False),
    "blocked passed": _on_rank(_pawns(_blocked)),
    "free passed": _on_rank(_pawns(_free)),
    "safe passed": _on_rank(_pawns(_safe)),
    "defended passed": _on_rank(_pawns(_defended)),
    "rook behind passed": rook_behind,
    "unstoppable": unstoppable,
    "rook file": rook_file,
    "rook on seventh": rook_on_seventh,
    "outpost": outpost,
    "behind pawn": behind_pawn,
    "bad bishop": bad_bishop,
    "pawn threat": pawn_threat,
    "minor threat": threat_by(KNIGHT, BISHOP),
    "rook threat": threat_by(ROOK),
    "king threat": attacked_loose(KING),
    "hanging": attacked_loose(),
    "push threat": push_threat,
    "shelter": shelter,
    "storm": storm,
    "blocked storm": blocked_storm,
    "ring attackers": ring_attackers,
    "ring attacks": ring_attacks,
    "safe checks": safe_checks,
    "danger": danger,
    "pawnless flank": pawnless_flank,
    "castling rights": castling_rights,
    "space": space,
    "knight with pawns": nothing,
    "rook with pawns": nothing,
    "tempo": tempo,
}

FACTORS: dict[str, Callable[[Seen], int]] = {
    "knight with pawns": lambda seen: len(seen.own.places(KNIGHT)) * (len(seen.own.pawns) - 5),
    "rook with pawns": lambda seen: len(seen.own.places(ROOK)) * (len(seen.own.pawns) - 5),
}
