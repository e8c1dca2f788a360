"""Go: area scoring, positional superko, no suicide; two passes end the game, and White gets komi.

After 1,500 moves the game is over and counted as it stands: there is no room for a longer past. All stones on
the board count as alive; `final_status` guesses which are dead. White gets a point for each handicap stone,
as in China: it is worth a point of area to Black.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from engine.games.rules.game import (
    OVER,
    Forecast,
    Game,
    IllegalMoveError,
    SizeError,
    grid,
    parse_vertex,
    vertex,
)
from engine.games.rules.go.playouts import GoState

PASS = 0
BLACK, WHITE = 1, 2
_SMALLEST, _LARGEST = 5, 19
_MOST_KOMI = 1000.0
_SETTLING = 100  # playouts
_MARKS = ".XO"
_LEADS = (0, 1, -1, 0)  # of Black, by what owns a point: nobody, Black, White, both


class GoGame(Game[GoState]):
    """Go on 5 to 19 lines. Moves are points, see engine.games.rules.go.board, or PASS."""

    name = "go"
    title = "Go"
    komi: float = 7.5
    advice: Mapping[str, Mapping[str, str]] = {
        "uct-fast": {
            "exploration": "0",
            "expand_after": "4",
            "rave": "1000",
            "policy": "40",
            "network": "shipped",
            "solver": "off",
        },
        "puct-fast": {"games": "4", "expand_after": "6", "mixing": "0.7", "solver": "off"},
    }
    sizes = (9, 13, 19, *(n for n in range(_SMALLEST, _LARGEST) if n not in {9, 13}))

    def __init__(self, players: int = 2, komi: float = 7.5, handicap: int = 0) -> None:
        """`handicap` stones are on the fixed points when a game starts. Raises SizeError."""
        super().__init__(players)
        if not abs(komi) <= _MOST_KOMI:
            raise SizeError(
                f"komi must be between -{_MOST_KOMI:.0f} and {_MOST_KOMI:.0f}, not {str(komi)[:40]}"
            )
        if handicap != 0 and handicap not in range(2, 10):
            raise SizeError(f"handicap must be 0, or 2 to 9 stones, not {str(handicap)[:40]}")
        self.komi = float(komi)
        self.handicap = int(handicap)

    def start(self, size: int | None = None) -> GoState:
        state = GoState(self.checked_size(size), self.komi, 0)
        return with_handicap(state, fixed_handicap(state.size, self.handicap)) if self.handicap else state

    def noisy(self, state: GoState) -> Sequence[int]:
        if state.player == OVER:
            return ()
        enemy = 2 - state.player
        before = state.captured(enemy)
        return tuple(move for move in state.moves() if state.play(move).captured(enemy) > before)

    def ending(
        self, state: GoState, look: Callable[[], None], *, cleaning: bool = False
    ) -> tuple[int, float | None] | None:
        """A pass, a dame, or the capture of dead stones, where random games find every point settled."""
        found = state.settling_move(_SETTLING, look, cleaning)
        if found is None:
            return None
        move, lead = found
        return move, None if lead is None else float((lead > 0) - (lead < 0))

    def last_move(self, state: GoState) -> tuple[int, float] | None:
        return (PASS, state.play(PASS).playout(0)[state.player]) if state.passes == 1 else None

    def moves_left(self, state: GoState) -> int:
        """As many as there are empty points: those that are left empty make up for those that are retaken."""
        return state.vacant

    def text(self, state: GoState, move: int) -> str:
        return "pass" if move == PASS else name(state, move)

    def parse(self, state: GoState, text: str) -> int:
        move = point(state, text)
        if state.player == OVER:
            raise IllegalMoveError("the game is over")
        if move != PASS and (state.at(move) or not state.legal(move)):
            raise IllegalMoveError(f"{text.strip()[:40]!r} is not a legal move")
        return move

    def show(self, state: GoState) -> str:
        stars = _stars(state.size)

        def mark(column: int, row: int) -> str:
            stone = state.at(at(state, column, row))
            return "+" if not stone and (column, row) in stars else _MARKS[stone]

        took = f"Black (X) has taken {state.captured(WHITE)}, White (O) {state.captured(BLACK)}"
        return f"{grid(state.size, state.size, mark)}\n{took}"

    def margin(self, state: GoState) -> float:
        return final_score(state)

    def forecast(self, state: GoState) -> Forecast:
        """The mean of 500 random games, the same ones each time; in points, komi and handicap off."""
        owned = ownership(state)
        regions = state.owners()
        as_it_stands = sum(_LEADS[state.at(place) or regions[place]] for place in owned)
        compensation = as_it_stands - state.score()  # komi and handicap
        rows = range(state.size - 1, -1, -1)
        return Forecast(
            margin=sum(owned.values()) - compensation,
            owners=[owned[at(state, column, row)] for row in rows for column in range(state.size)],
        )

    def fates(self, state: GoState) -> Mapping[str, Sequence[Sequence[str]]]:
        status = final_status(state)
        blocks: dict[str, list[Sequence[str]]] = {fate: [] for fate in ("alive", "seki", "dead")}
        while status:
            place, fate = next(iter(status.items()))
            block = sorted(state.string_at(place))
            blocks[fate].append([name(state, stone) for stone in block])
            for stone in block:
                del status[stone]
        return blocks

    def handicap_points(self, size: int | None, stones: int) -> Sequence[str]:
        return fixed_handicap(self.checked_size(size), stones)

    def arrange(self, size: int | None, stones: Sequence[tuple[int, str]], player: int) -> GoState:
        """Two or more black stones alone, with White to move, are a handicap, for which White gets points."""
        bare = GoState(self.checked_size(size), self.komi, 0)
        black, white = ([text for owner, text in stones if owner == side] for side in (0, 1))
        if player == 1 and not white and len(black) > 1:
            return with_handicap(bare, black)
        return set_up(
            bare, [_stone(bare, text) for text in black], [_stone(bare, text) for text in white], player
        )


def _stone(state: GoState, text: str) -> int:
    if (place := point(state, text)) == PASS:
        raise IllegalMoveError("a stone cannot be set up on a pass")
    return place


def at(state: GoState, column: int, row: int) -> int:
    """The point, as a move, of a column and a row from 0."""
    return (row + 1) * state.stride + column + 1


def name(state: GoState, move: int) -> str:
    row, column = divmod(move, state.stride)
    return vertex(column - 1, row - 1)


def point(state: GoState, text: str) -> int:
    """The point that a vertex names, or PASS. Raises IllegalMoveError where there is none, legal or not."""
    text = text.strip()
    if text.lower() == "pass":
        return PASS
    return at(state, *parse_vertex(text, state.size, state.size))


def points(state: GoState) -> tuple[int, ...]:
    """All points of the board, the lowest row first."""
    return tuple(at(state, column, row) for row in range(state.size) for column in range(state.size))


# Positions that do not begin with an empty board


def set_up(state: GoState, black: Iterable[int], white: Iterable[int], player: int = 0) -> GoState:
    """Stones added to a state, in this order, as if the game began so. Raises IllegalMoveError.

    None may be where there is one already, or be without liberties.
    """
    made = state.turn(player)
    for colour, stones in ((BLACK, black), (WHITE, white)):
        for stone in stones:
            if made.at(stone) or not made.turn(colour - 1).legal(stone):
                raise IllegalMoveError(f"no stone can be set up at {name(state, stone)}")
            made.place_stone(stone, colour)
    if any(made.captured(colour) != state.captured(colour) for colour in (BLACK, WHITE)):
        raise IllegalMoveError("stones without liberties cannot be set up")
    return made


def most_handicap(size: int) -> int:
    """The greatest number of fixed handicap stones; 0 on small boards."""
    return 0 if size < 7 else 9 if size % 2 and size > 7 else 4


def fixed_handicap(size: int, stones: int) -> tuple[str, ...]:
    """The vertices of GTP's fixed handicap, in the order of its definition. Raises SizeError.

    On the fourth line, on boards of less than 13 lines on the third; the middle from 5 stones on if odd.
    """
    if not 2 <= stones <= most_handicap(size):
        raise SizeError(f"cannot place {stones} handicap stones on a board of {size} lines")
    low = 2 if size < 13 else 3
    middle, high = size // 2, size - 1 - low
    places = [(low, low), (high, high), (low, high), (high, low)][: min(stones, 4)]
    if stones >= 6:
        places += [(low, middle), (high, middle)]
    if stones >= 8:
        places += [(middle, low), (middle, high)]
    if stones > 4 and stones % 2:
        places.append((middle, middle))
    return tuple(vertex(column, row) for column, row in places)


def with_handicap(state: GoState, vertices: Sequence[str]) -> GoState:
    """Free or fixed handicap stones on an empty board, with White to move. Raises IllegalMoveError.

    White gets a point for each. There must be 2 of them at least, all different, and one point left.
    """
    stones = [point(state, text) for text in vertices]
    if not 2 <= len(set(stones)) == len(stones) < state.size**2 or PASS in stones:
        raise IllegalMoveError("handicap stones are 2 or more different points")
    return set_up(GoState(state.size, state.komi, len(stones)), stones, (), player=1)


# Counting


def ownership(state: GoState, playouts: int = 500, seed: int = 0) -> dict[int, float]:
    """The owner of each point, a mean over playouts: from 1, always Black, to -1, always White."""
    owned = state.ownership(playouts, seed)
    return {place: owned[place] for place in points(state)}


def final_status(state: GoState, playouts: int = 500, seed: int = 0) -> dict[int, str]:
    """Each stone's point with `alive`, `dead` or `seki`, all alike in a string.

    A string is dead if its points are mostly the enemy's after playouts, unless the enemy would lose more by
    taking it. A live string is in seki if, with the dead gone, it has no liberty in territory but some among
    the points that belong to nobody; this is right at the end of a game, when only seki leaves such points.
    """
    owned = ownership(state, playouts, seed)
    board = _without_dead(state, {place: "alive" for place in owned if state.at(place)})  # has no end
    status: dict[int, str] = {}
    for place in owned:
        colour = state.at(place)
        if colour and place not in status:
            string = state.string_at(place)
            theirs = sum(owned[stone] for stone in string) * (1 if colour == WHITE else -1)
            dead = theirs > 0 and not _is_guarded(board, string)
            status.update(dict.fromkeys(string, "dead" if dead else "alive"))
    _note_seki(_without_dead(state, status), status)
    return status


def _is_guarded(state: GoState, string: Sequence[int]) -> bool:
    """Whether the enemy loses a string that is no smaller, whichever liberty of `string` he takes.

    Playouts take it all the same, and so find `string` dead. A rule of thumb: it looks two plies ahead.
    """
    attacker = state.turn(2 - state.at(string[0]))
    for liberty in _liberties(state, string):
        if attacker.legal(liberty) and not _is_answered(attacker.play(liberty), string):
            return False
    return True


def _is_answered(attacked: GoState, string: Sequence[int]) -> bool:
    enemy = 3 - attacked.at(string[0])
    for near in _beside(attacked, string):
        if attacked.at(near) == enemy <= WHITE:  # 3 is no enemy: the string is gone
            attackers = attacked.string_at(near)
            last = _liberties(attacked, attackers)
            if len(last) == 1 and len(attackers) >= len(string) and attacked.legal(*last):
                return True
    return False


def _liberties(state: GoState, string: Sequence[int]) -> set[int]:
    return {near for near in _beside(state, string) if not state.at(near)}


def _beside(state: GoState, string: Sequence[int]) -> set[int]:
    return {stone + step for stone in string for step in (1, -1, state.stride, -state.stride)}


def final_score(state: GoState, playouts: int = 500, seed: int = 0) -> float:
    """As `state.score()`, with the dead of `final_status` taken off the board first."""
    return _without_dead(state, final_status(state, playouts, seed)).score()


def _without_dead(state: GoState, status: Mapping[int, str]) -> GoState:
    stones: dict[int, list[int]] = {BLACK: [], WHITE: []}
    for place in status:
        if status[place] != "dead":
            stones[state.at(place)].append(place)
    return set_up(GoState(state.size, state.komi, state.handicap), stones[BLACK], stones[WHITE])


def _note_seki(bare: GoState, status: dict[int, str]) -> None:
    """Change live strings without territory to `seki`; all stones of `bare` are alive."""
    owners = bare.owners()
    for place in points(bare):
        if bare.at(place) and status[place] == "alive":
            string = bare.string_at(place)
            beside = {owners[near] for near in _liberties(bare, string)}
            status.update(dict.fromkeys(string, "seki" if beside == {BLACK | WHITE} else "alive"))


def _stars(size: int) -> set[tuple[int, int]]:
    if not most_handicap(size):
        return set()
    low = 2 if size < 13 else 3
    lines = {low, size - 1 - low} | ({size // 2} if size % 2 else set())
    return {(column, row) for column in lines for row in lines}
