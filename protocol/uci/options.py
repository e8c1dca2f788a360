"""The options, each declared once: name, type, default, bounds, and what setting it does."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from engine.lookup.library import LONGEST_BOOK
from engine.search.handicap import FULL_SKILL, STRONGEST_ELO, USUAL_ELO, WEAKEST_ELO
from engine.search.parameters import changes
from engine.session import Session
from protocol import about
from protocol.text import ProtocolError, integer, quoted
from protocol.uci.strength import Strength

EMPTY = "<empty>"  # how UCI writes an empty string
STANDARD_FILE = "<standard>"  # what came with the program; python-chess misreads "<default>"


class Target(Protocol):
    """What the options act on: the dialogue that they are part of."""

    session: Session
    chess960: bool
    shows_chances: bool
    strength: Strength
    switched: dict[str, int]

    def log_to(self, path: str) -> None:
        """Write the dialogue to this file from now on; an empty path ends it."""

    def notice(self, text: str) -> None:
        """Tell the client something."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option. `apply` is given a value that `value` has accepted; None is an option only to be read.

    What a combo can be depends on the session: `choices` asks it, and the first of them is the default. A
    string that has a `judge` is refused where that raises ValueError.
    """

    name: str
    kind: str  # check, spin, combo, string or button
    apply: Callable[[Target, Any], None] | None
    default: bool | int | str | None = None
    smallest: int = 0
    largest: int = 0
    choices: Callable[[Session], tuple[str, ...]] | None = None
    judge: Callable[[str], object] | None = None

    def declaration(self, session: Session) -> str:
        """The `option` line that the client reads."""
        words = f"option name {self.name} type {self.kind}"
        if self.kind == "check":
            return words + (" default true" if self.default else " default false")
        if self.kind == "string":
            return f"{words} default {self.default or EMPTY}"
        if self.kind == "spin":
            return f"{words} default {self.default} min {self.smallest} max {self.largest}"
        if self.choices is None:
            return words
        choices = self.choices(session)
        return f"{words} default {choices[0]}" + "".join(f" var {choice}" for choice in choices)

    def value(self, text: str, session: Session) -> bool | int | str | None:
        """The text as a value of this option. Raises ProtocolError with the reason."""
        if self.apply is None:
            raise ProtocolError(f"{self.name} can only be read")
        if self.choices is not None:
            return _read_choice(self, self.choices(session), text)
        return _READERS[self.kind](self, text)


def find(name: str) -> Option:
    """The option of that name, whatever its case and blanks. Raises ProtocolError when there is none."""
    option = _BY_NAME.get(_folded(name))
    if option is None:
        raise ProtocolError(f"no option is called {quoted(name)}")
    return option


def _folded(name: str) -> str:
    return " ".join(name.lower().split())


def _read_check(option: Option, text: str) -> bool:
    lowered = text.lower()
    if lowered not in ("true", "false"):
        raise ProtocolError(f"{option.name} is true or false, not {quoted(text)}")
    return lowered == "true"


def _read_spin(option: Option, text: str) -> int:
    if not text:
        raise ProtocolError(f"{option.name} needs a number")
    try:
        number = integer(text)
    except ProtocolError as error:
        raise ProtocolError(f"{option.name}: {error}") from None
    if not option.smallest <= number <= option.largest:
        raise ProtocolError(f"{option.name} must be from {option.smallest} to {option.largest}")
    return number


def _read_choice(option: Option, choices: tuple[str, ...], text: str) -> str:
    for choice in choices:
        if choice.lower() == text.lower():
            return choice
    raise ProtocolError(f"{option.name} is one of {', '.join(choices)}, not {quoted(text)}")


def _read_string(option: Option, text: str) -> str:
    value = "" if text == EMPTY else text
    if option.judge is not None:
        try:
            option.judge(value)
        except ValueError as error:
            raise ProtocolError(f"{option.name}: {error}") from None
    return value


def _read_button(_option: Option, _text: str) -> None:
    return None


_READERS: dict[str, Callable[[Option, str], bool | int | str | None]] = {
    "check": _read_check,
    "spin": _read_spin,
    "string": _read_string,
    "button": _read_button,
}


def _setting(field: str) -> Callable[[Target, Any], None]:
    """Sets one field of the session's settings, which the next search reads."""
    return lambda target, value: setattr(target.session.settings, field, value)


def _strength(field: str) -> Callable[[Target, Any], None]:
    """Sets one of the options that limit the strength, which together make the handicap."""

    def apply(target: Target, value: Any) -> None:
        target.strength = replace(target.strength, **{field: value})
        target.session.settings.handicap = target.strength.handicap

    return apply


def _chess960(target: Target, value: bool) -> None:
    target.chess960 = value


def _singular_extensions(target: Target, value: bool) -> None:
    """Switch them; a later `Parameters` that does not name them leaves them as they are."""
    target.switched = {} if value else {"singular_extensions": 0}
    settings = target.session.settings
    others = {name: number for name, number in settings.parameters.items() if name != "singular_extensions"}
    settings.parameters = {**others, **target.switched}


def _parameters(target: Target, value: str) -> None:
    target.session.settings.parameters = {**target.switched, **changes(value)}


def _evaluator(target: Target, value: str) -> None:
    target.session.use_evaluator(value)
    _warn_of_unknown_chances(target)


def _weights(target: Target, value: str) -> None:
    known = target.session.outcome_model is not None
    target.session.load_weights(None if value in ("", STANDARD_FILE) else value)
    if known:  # else it has been said already
        _warn_of_unknown_chances(target)


def _chances(target: Target, value: bool) -> None:
    target.shows_chances = value
    _warn_of_unknown_chances(target)


def _warn_of_unknown_chances(target: Target) -> None:
    if target.shows_chances and target.session.outcome_model is None:
        target.notice(f"UCI_ShowWDL shows nothing: no chances are known for Eval {target.session.evaluator}")


def _lookup(field: str) -> Callable[[Target, Any], None]:
    """Sets one field of the session's library."""
    return lambda target, value: setattr(target.session.library, field, value)


def _analysing(target: Target, value: bool) -> None:
    """No opening book, and no handicap."""
    target.session.library.analysing = value
    target.session.settings.analysing = value


def _book(target: Target, value: str) -> None:
    target.session.library.load_book(None if value in ("", STANDARD_FILE) else value)


def _endgame_tables(target: Target, value: str) -> None:
    found = target.session.library.load_tables(value)
    if found:
        target.notice(f"SyzygyPath: {found}")


def _nothing(target: Target, value: bool) -> None:
    """Accepted because clients send it; nothing here depends on it."""


OPTIONS = (
    Option("Hash", "spin", lambda target, value: target.session.resize_table(value), 16, 1, 65536),
    Option("Threads", "spin", _setting("threads"), 1, 1, 512),
    Option("MultiPV", "spin", _setting("lines"), 1, 1, 256),
    Option("Ponder", "check", _nothing, False),
    Option("Move Overhead", "spin", _setting("move_overhead"), 10, 0, 5000),
    Option("Clear Hash", "button", lambda target, _: target.session.clear_table()),
    Option("UCI_Chess960", "check", _chess960, False),
    Option("UCI_AnalyseMode", "check", _analysing, False),
    Option("UCI_LimitStrength", "check", _strength("limited"), False),
    Option("UCI_Elo", "spin", _strength("elo"), USUAL_ELO, WEAKEST_ELO, STRONGEST_ELO),
    Option("Skill Level", "spin", _strength("skill"), FULL_SKILL, 0, FULL_SKILL),
    Option("UCI_EngineAbout", "string", None, about.ABOUT),
    Option("UCI_ShowWDL", "check", _chances, False),
    Option("Eval", "combo", _evaluator, choices=lambda session: session.evaluators),
    Option("EvalFile", "string", _weights, STANDARD_FILE),
    Option("OwnBook", "check", lambda target, value: target.session.library.use_book(value), False),
    Option("BookFile", "string", _book, STANDARD_FILE),
    Option("Best Book Move", "check", _lookup("best_only"), False),
    Option("Book Depth", "spin", _lookup("deepest"), LONGEST_BOOK, 1, LONGEST_BOOK),
    Option("SyzygyPath", "string", _endgame_tables, ""),
    Option(
        "Syzygy50MoveRule",
        "check",
        lambda target, value: target.session.library.respect_fifty_moves(value),
        True,
    ),
    Option("SingularExtensions", "check", _singular_extensions, True),
    Option("Parameters", "string", _parameters, "", judge=changes),
    Option("nodestime", "spin", _setting("nodes_time"), 0, 0, 10000),
    Option("Debug Log File", "string", lambda target, value: target.log_to(value), ""),
)
_BY_NAME = {_folded(option.name): option for option in OPTIONS}
