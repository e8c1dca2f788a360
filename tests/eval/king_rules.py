"""What the features of the kings, of what surrounds them and of space count; see `feature_oracle`."""

from collections.abc import Iterator

from tests.eval.seen import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, Axes, Piece, Rule, Seen, Square, on_board

MOST_DANGER = 31


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


RULES: dict[str, Rule] = {
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
}
