"""What a client can ask, as values: the parser makes them, the dialogue acts on them."""

from dataclasses import dataclass

from engine.search.limits import Limits

BARE_WORDS = (
    "uci",
    "isready",
    "ucinewgame",
    "stop",
    "ponderhit",
    "register",
    "quit",
    "d",
    "eval",
    "flip",
    "help",
    "compiler",
)


@dataclass(frozen=True, slots=True)
class Bare:
    """A command that is one of BARE_WORDS and nothing more."""

    word: str


@dataclass(frozen=True, slots=True)
class Debug:
    """`debug on|off`."""

    on: bool


@dataclass(frozen=True, slots=True)
class SetOption:
    """`setoption name … value …`: the name with single blanks, the value as it was written, maybe empty."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class SetPosition:
    """`position …`: a FEN not yet looked at, and the moves played from it as text."""

    fen: str
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Go:
    """`go …`: what the search may spend. The root moves stay text, since only the position can read them."""

    limits: Limits
    search_moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Perft:
    """`go perft N`: count the leaves of the move tree, at least one ply deep."""

    depth: int


@dataclass(frozen=True, slots=True)
class Bench:
    """`bench [depth]`: None is the usual depth."""

    depth: int | None = None


Command = Bare | Debug | SetOption | SetPosition | Go | Perft | Bench
