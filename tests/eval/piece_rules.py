"""What the features of pieces, of their places and of threats count; see `feature_oracle`."""

from collections.abc import Iterator

from tests.eval.seen import (
    BISHOP,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    Axes,
    Rule,
    Seen,
    Square,
    is_dark,
    on_board,
)

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


# The move


def tempo(seen: Seen) -> list[Axes]:
    return [(0,)] if seen.moves else []


RULES: dict[str, Rule] = {
    "placement": placement,
    "facing": facing,
    "knight mobility": mobility(KNIGHT),
    "bishop mobility": mobility(BISHOP),
    "rook mobility": mobility(ROOK),
    "queen mobility": mobility(QUEEN),
    "bishop pair": bishop_pair,
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
    "tempo": tempo,
}
