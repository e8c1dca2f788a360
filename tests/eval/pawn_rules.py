"""What the features of pawn structure and of passed pawns count; see `feature_oracle`."""

from collections.abc import Callable, Iterable, Iterator

from tests.eval.seen import BISHOP, KNIGHT, PAWN, QUEEN, ROOK, Axes, Rule, Seen, Square, steps

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


RULES: dict[str, Rule] = {
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
}
