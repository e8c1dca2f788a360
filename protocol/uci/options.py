"""The options, each declared once: name, type, default, bounds, and the effect of setting it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from engine.lookup.library import LONGEST_BOOK, MOST_MEN
from engine.search.limits import FULL_SKILL, STRONGEST_ELO, USUAL_ELO, WEAKEST_ELO, Handicap
from engine.search.parameters import changes
from engine.session import Session
from protocol import about
from protocol.text import ProtocolError, integer, quoted

EMPTY = "<empty>"  # how UCI writes an empty string
STANDARD_FILE = "<standard>"  # what came with the program; python-chess misreads "<default>"


@dataclass(frozen=True, slots=True)
class Strength:
    """The three options that together make one handicap: while `limited` the Elo counts, else the skill."""

    limited: bool = False
    elo: int = USUAL_ELO
    skill: int = FULL_SKILL

    @property
    def handicap(self) -> Handicap:
        return Handicap.of_elo(self.elo) if self.limited else Handicap.of_skill(self.skill)


class Target(Protocol):
    """The dialogue, as far as options change it."""

    session: Session
    chess960: bool
    shows_chances: bool
    strength: Strength
    switched: dict[str, int]

    def log_to(self, path: str) -> None:
        """Log the dialogue to the file at `path`; an empty path ends the log."""

    def notice(self, text: str) -> None:
        """Send the client a message beside the answers."""


@dataclass(frozen=True, slots=True)
class UciOption:
    """One option. `apply` sets a value that `value` has accepted; None for an option that is read only.

    `choices` returns the values of a combo, which depend on the session; the first is the default if there is
    no other. A string is refused where `validate` raises ValueError.
    """

    name: str
    kind: str  # check, spin, combo, string or button
    apply: Callable[[Target, Any], None] | None
    default: bool | int | str | None = None
    smallest: int = 0
    largest: int = 0
    choices: Callable[[Session], tuple[str, ...]] | None = None
    validate: Callable[[str], object] | None = None

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
        return f"{words} default {self.default or choices[0]}" + "".join(
            f" var {choice}" for choice in choices
        )

    def value(self, text: str, session: Session) -> bool | int | str | None:
        """The text as a value of this option. Raises ProtocolError."""
        if self.apply is None:
            raise ProtocolError(f"{self.name} is read only")
        match self.kind:
            case "check" if text.lower() in ("true", "false"):
                return text.lower() == "true"
            case "check":
                raise ProtocolError(f"{self.name} must be true or false, not {quoted(text)}")
            case "spin":
                return self._number(text)
            case "combo" if self.choices is not None:
                choices = self.choices(session)
                if found := [choice for choice in choices if choice.lower() == text.lower()]:
                    return found[0]
                raise ProtocolError(f"{self.name} must be one of {', '.join(choices)}, not {quoted(text)}")
            case "string":
                return self._string("" if text == EMPTY else text)
        return None

    def _string(self, value: str) -> str:
        try:
            if self.validate is not None:
                self.validate(value)
        except ValueError as error:
            raise ProtocolError(f"{self.name}: {error}") from None
        return value

    def _number(self, text: str) -> int:
        if not text:
            raise ProtocolError(f"{self.name}: missing number")
        try:
            number = integer(text)
        except ProtocolError as error:
            raise ProtocolError(f"{self.name}: {error}") from None
        if not self.smallest <= number <= self.largest:
            raise ProtocolError(f"{self.name} must be from {self.smallest} to {self.largest}")
        return number


def find(name: str) -> UciOption:
    """The option of that name, whatever its case and blanks. Raises ProtocolError."""
    option = _BY_NAME.get(_folded(name))
    if option is None:
        raise ProtocolError(f"unknown option {quoted(name)}")
    return option


def _folded(name: str) -> str:
    return " ".join(name.lower().split())


def _setting(field: str) -> Callable[[Target, Any], None]:
    return lambda target, value: setattr(target.session.settings, field, value)


def _strength(field: str) -> Callable[[Target, Any], None]:
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
    if known:  # else the client has been warned already
        _warn_of_unknown_chances(target)


def _chances(target: Target, value: bool) -> None:
    target.shows_chances = value
    _warn_of_unknown_chances(target)


def _warn_of_unknown_chances(target: Target) -> None:
    if target.shows_chances and target.session.outcome_model is None:
        target.notice(
            f"UCI_ShowWDL has no effect: Eval {target.session.evaluator} has no model of win, draw and loss"
        )


def _lookup(field: str) -> Callable[[Target, Any], None]:
    return lambda target, value: setattr(target.session.library, field, value)


def _book(target: Target, value: str) -> None:
    target.session.library.load_book(None if value in ("", STANDARD_FILE) else value)


def _endgame_tables(target: Target, value: str) -> None:
    found = target.session.library.load_tables(value)
    if found:
        target.notice(f"SyzygyPath: {found}")


OPTIONS = (
    UciOption("Hash", "spin", lambda target, value: target.session.resize_table(value), 16, 1, 65536),
    UciOption("Threads", "spin", _setting("threads"), 1, 1, 512),
    UciOption("MultiPV", "spin", _setting("lines"), 1, 1, 256),
    UciOption("Ponder", "check", lambda _target, _value: None, False),  # clients send it
    UciOption("Move Overhead", "spin", _setting("move_overhead"), 10, 0, 5000),
    UciOption("Clear Hash", "button", lambda target, _: target.session.clear_table()),
    UciOption("UCI_Chess960", "check", _chess960, False),
    UciOption("UCI_AnalyseMode", "check", _setting("analysing"), False),
    UciOption("UCI_LimitStrength", "check", _strength("limited"), False),
    UciOption("UCI_Elo", "spin", _strength("elo"), USUAL_ELO, WEAKEST_ELO, STRONGEST_ELO),
    UciOption("Skill Level", "spin", _strength("skill"), FULL_SKILL, 0, FULL_SKILL),
    UciOption("UCI_EngineAbout", "string", None, about.ABOUT),
    UciOption("UCI_ShowWDL", "check", _chances, False),
    UciOption("Eval", "combo", _evaluator, choices=lambda session: session.evaluators),
    UciOption("EvalFile", "string", _weights, STANDARD_FILE),
    UciOption("OwnBook", "check", lambda target, value: target.session.library.use_book(value), False),
    UciOption("BookFile", "string", _book, STANDARD_FILE),
    UciOption("Best Book Move", "check", _lookup("best_only"), False),
    UciOption("Book Depth", "spin", _lookup("deepest"), LONGEST_BOOK, 1, LONGEST_BOOK),
    UciOption("SyzygyPath", "string", _endgame_tables, ""),
    UciOption("SyzygyProbeDepth", "spin", _lookup("probe_depth"), 1, 1, 100),
    UciOption("SyzygyProbeLimit", "spin", _lookup("most_men"), MOST_MEN, 0, MOST_MEN),
    UciOption("Syzygy50MoveRule", "check", _lookup("fifty_moves"), True),
    UciOption("SingularExtensions", "check", _singular_extensions, True),
    UciOption("Parameters", "string", _parameters, "", validate=changes),
    UciOption("nodestime", "spin", _setting("nodes_time"), 0, 0, 10000),
    UciOption("Debug Log File", "string", lambda target, value: target.log_to(value), ""),
)
_BY_NAME = {_folded(option.name): option for option in OPTIONS}
