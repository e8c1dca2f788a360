"""A person's own defaults as values of UCI's options."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.session import Session
from protocol.config_file import UCI, Config, UnusableValueError, as_typed, load
from protocol.text import ProtocolError
from protocol.uci.options import UciOption, find

_NAMES = {"hash": "Hash", "threads": "Threads", "eval": "Eval", "tables": "SyzygyPath"}
_OF_EVALUATORS = ("Eval", "EvalFile")


@dataclass(frozen=True, slots=True)
class Preferences:
    """Options with their values, in the order in which they are to be set, and what could not be used."""

    values: tuple[tuple[UciOption, Any], ...] = ()
    problems: tuple[str, ...] = ()

    @classmethod
    def from_file(cls, session: Session, *, evaluator_chosen: bool = False) -> "Preferences":
        """Those of the person; with `evaluator_chosen` the session's evaluator is not changed."""
        values: dict[str, tuple[UciOption, Any]] = {}
        config = load()
        problems = list(config.problems)
        for section, key, name, value in _wanted(config):
            try:
                option = _option(name)
                values[option.name] = option, _value(option, value, session)
            except UnusableValueError as error:
                problems.append(config.problem(section, key, str(error)))
        for name in _OF_EVALUATORS if evaluator_chosen else ():
            values.pop(name, None)
        return cls(tuple(values.values()), tuple(problems))

    def declared(self, options: Sequence[UciOption]) -> tuple[UciOption, ...]:
        """The options with the person's defaults, which a client shows and need not send."""
        defaults = {option.name: value for option, value in self.values}
        return tuple(replace(each, default=defaults.get(each.name, each.default)) for each in options)


def _wanted(config: Config) -> Iterator[tuple[str, str, str, Any]]:
    """Section and key in the file, the option's name, and the value for it."""
    for key, value in config.general.items():
        if key in _NAMES:
            yield "", key, _NAMES[key], value
        elif key == "book":
            if isinstance(value, str):
                yield "", key, "BookFile", value
            yield "", key, "OwnBook", bool(value)
    for name, value in config.sections.get(UCI, {}).items():
        yield UCI, name, name, value


def _option(name: str) -> UciOption:
    """Raises UnusableValueError."""
    try:
        option = find(name)
    except ProtocolError:
        raise UnusableValueError("unknown option") from None
    if option.kind == "button":
        raise UnusableValueError("has no value")
    return option


def _value(option: UciOption, value: Any, session: Session) -> Any:
    """A value of TOML as one of the option. Raises UnusableValueError, which does not name the option."""
    try:
        return option.value(as_typed(value), session)
    except ProtocolError as error:
        raise UnusableValueError(str(error).removeprefix(option.name).lstrip(": ")) from None
