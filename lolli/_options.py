"""The options of an engine: those of UCI, by their names there or as Python writes names.

`Hash` is `hash`, `Move Overhead` is `move_overhead`, `UCI_Elo` is `uci_elo`.
"""

import logging
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Any, TypeAlias

from chess.engine import MANAGED_OPTIONS, Option, UciOptionMap

from engine.session import Session
from lolli._errors import OptionError
from protocol.text import ProtocolError, describe, quoted
from protocol.uci.options import OPTIONS, Strength, UciOption

Value: TypeAlias = bool | int | str | PathLike[str] | None
"""Of an option. None is for a button, and for the default of any other."""

_OF_THE_DIALOGUE = ("Debug Log File",)
_OFFERED = tuple(option for option in OPTIONS if option.name not in _OF_THE_DIALOGUE)
_LOG = logging.getLogger("lolli")


def _folded(name: str) -> str:
    return name.lower().replace(" ", "").replace("_", "")


_BY_NAME = {_folded(option.name): option for option in _OFFERED}


class Options:
    """The options of one session: what was configured, and what is in effect for the command under way."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.chess960 = False  # never read: each board says it
        self.shows_chances = False
        self.strength = Strength()
        self.switched: dict[str, int] = {}
        self._configured: dict[str, Any] = {}
        self._in_effect: dict[str, Any] = {}

    def log_to(self, path: str) -> None:
        """There is no dialogue to log."""

    def notice(self, text: str) -> None:
        """Tell the program's log what a client would be told."""
        _LOG.warning("%s", text)

    def declared(self) -> UciOptionMap[Option]:
        """All options, as python-chess lists them."""
        return UciOptionMap((option.name, self._declared(option)) for option in _OFFERED)

    def configure(self, given: Mapping[str, Value]) -> None:
        """Set options for all that follows. Raises OptionError; those before the wrong one are set."""
        for option, value in self._read(given):
            if option.kind == "button":
                self._apply(option, value)
                continue
            self._bring(option, value)
            self._configured[option.name] = value

    def bring_about(self, given: Mapping[str, Value], usual: Mapping[str, Value]) -> None:
        """Put into effect what was configured, with what is given for one command in its place.

        `usual` is what this command has unless it was configured or given. Raises OptionError.
        """
        wanted = {option.name: value for option, value in self._read(usual)}
        wanted |= self._configured
        for option, value in self._read(given):
            if option.kind == "button":
                self._apply(option, value)
            else:
                wanted[option.name] = value
        for option in _OFFERED:
            if option.name in wanted or option.name in self._in_effect:
                self._bring(option, wanted.get(option.name, self._default(option)))

    def _bring(self, option: UciOption, value: object) -> None:
        """Put a value into effect unless it is."""
        if self._in_effect.get(option.name, self._default(option)) != value:
            self._apply(option, value)
        self._in_effect[option.name] = value

    def _apply(self, option: UciOption, value: object) -> None:
        if option.apply is None:
            return
        try:
            option.apply(self, value)
        except Exception as error:
            raise OptionError(f"{option.name} stays as it was: {str(error) or describe(error)}") from error

    def _read(self, given: Mapping[str, Value]) -> Iterable[tuple[UciOption, Any]]:
        """Each option with the value that it is given. Raises OptionError."""
        for name, value in given.items():
            option = _BY_NAME.get(_folded(name))
            if option is None:
                known = ", ".join(each.name for each in _OFFERED)
                raise OptionError(f"unknown option {quoted(name)}; known options: {known}")
            if option.name.lower() in MANAGED_OPTIONS:
                raise OptionError(f"{option.name} is set by each call, as its board and arguments say")
            yield option, self._value(option, value)

    def _value(self, option: UciOption, value: Value) -> Any:
        if value is None and option.kind != "button":
            return self._default(option)
        text = _text(value)
        if "\n" in text or "\r" in text:
            raise OptionError(f"{option.name}: a line break in {quoted(text)}")
        try:
            return option.value(text, self.session)
        except ProtocolError as error:
            raise OptionError(str(error)) from None

    def _default(self, option: UciOption) -> Any:
        return option.default if option.choices is None else option.choices(self.session)[0]

    def _declared(self, option: UciOption) -> Option:
        spin, combo = option.kind == "spin", option.choices
        return Option(
            name=option.name,
            type=option.kind,
            default=self._default(option),
            min=option.smallest if spin else None,
            max=option.largest if spin else None,
            var=[] if combo is None else list(combo(self.session)),
        )


def _text(value: Value) -> str:
    """The value as UCI writes it."""
    if value is None:
        return ""
    if isinstance(value, PathLike):
        return fspath(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
