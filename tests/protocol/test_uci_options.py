"""The options: what is declared, which values are taken, what they do."""

from typing import cast

import pytest

from engine.session import Session
from protocol.uci_options import OPTIONS, Option, find
from protocol.uci_parser import ProtocolError
from tests.protocol.fake_session import FakeSession

DECLARATIONS = """\
option name Hash type spin default 16 min 1 max 65536
option name Threads type spin default 1 min 1 max 512
option name MultiPV type spin default 1 min 1 max 256
option name Ponder type check default false
option name Move Overhead type spin default 10 min 0 max 5000
option name Clear Hash type button
option name UCI_Chess960 type check default false
option name UCI_AnalyseMode type check default false
option name UCI_EngineAbout type string default Lolli 0.1.0, a chess engine in Python; GPL-3.0-or-later; \
README.md tells more
option name Eval type combo default material var material
option name SingularExtensions type check default false
option name nodestime type spin default 0 min 0 max 10000
option name Debug Log File type string default <empty>""".splitlines()


class Target:
    """What the options act on, with a fake session."""

    def __init__(self) -> None:
        self.fake = FakeSession()
        self.session = cast("Session", self.fake)
        self.chess960 = False
        self.log = ""

    def log_to(self, path: str) -> None:
        self.log = path


def apply(option: Option, text: str) -> Target:
    """Set an option on a fresh target."""
    target = Target()
    assert option.apply is not None
    option.apply(target, option.value(text))
    return target


def test_declarations() -> None:
    assert [option.declaration() for option in OPTIONS] == DECLARATIONS


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_defaults_lie_within_the_bounds(option: Option) -> None:
    """Cute Chess hides an option whose default is outside."""
    if option.kind == "spin":
        assert isinstance(option.default, int)
        assert option.smallest <= option.default <= option.largest
    if option.kind == "combo":
        assert option.default in option.choices


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_the_default_is_what_the_session_starts_with(option: Option) -> None:
    if option.apply is None or option.name in ("Hash", "Clear Hash"):
        return
    default = str(option.default)
    assert apply(option, default).fake.settings == FakeSession().settings


@pytest.mark.parametrize("name", ["Move Overhead", "move overhead", "MOVE  OVERHEAD"])
def test_names_without_regard_to_case_and_blanks(name: str) -> None:
    assert find(name).name == "Move Overhead"


def test_unknown_name() -> None:
    with pytest.raises(ProtocolError, match="no option is called 'MoveOverhead'"):
        find("MoveOverhead")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("Hash", "1", 1),
        ("Hash", "65536", 65536),
        ("Move Overhead", "0", 0),
        ("Ponder", "TRUE", True),
        ("Ponder", "false", False),
        ("Eval", "Material", "material"),
        ("Clear Hash", "", None),
        ("Clear Hash", "whatever", None),
        ("Debug Log File", "", ""),
        ("Debug Log File", "<empty>", ""),
        ("Debug Log File", "/var/log/a  b", "/var/log/a  b"),
    ],
)
def test_values(name: str, text: str, value: object) -> None:
    assert find(name).value(text) == value


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("Hash", "", "Hash needs a number"),
        ("Hash", "0", "Hash must be from 1 to 65536"),
        ("Hash", "65537", "Hash must be from 1 to 65536"),
        ("Hash", "9" * 5000, "Hash must be from 1 to 65536"),
        ("Hash", "big", "Hash: 'big' is not a whole number"),
        ("Hash", "16 32", "Hash: '16 32' is not a whole number"),
        ("Threads", "-1", "Threads must be from 1 to 512"),
        ("Threads", "٣", "Threads: '\\\\u0663' is not a whole number"),
        ("Ponder", "yes", "Ponder is true or false, not 'yes'"),
        ("Ponder", "", "Ponder is true or false, not ''"),
        ("Eval", "network", "Eval is one of material, not 'network'"),
        ("UCI_EngineAbout", "mine", "UCI_EngineAbout can only be read"),
    ],
)
def test_refused_values(name: str, text: str, reason: str) -> None:
    with pytest.raises(ProtocolError, match=reason):
        find(name).value(text)


def test_effects_on_the_settings() -> None:
    assert apply(find("Threads"), "3").fake.settings.threads == 3
    assert apply(find("MultiPV"), "4").fake.settings.lines == 4
    assert apply(find("Move Overhead"), "250").fake.settings.move_overhead == 250
    assert apply(find("Eval"), "material").fake.settings.evaluator == "material"
    assert apply(find("SingularExtensions"), "true").fake.settings.singular_extensions
    assert apply(find("nodestime"), "600").fake.settings.nodes_time == 600


def test_other_effects() -> None:
    assert apply(find("Hash"), "64").fake.calls == ["resize_table 64"]
    assert apply(find("Clear Hash"), "").fake.calls == ["clear_table"]
    assert apply(find("UCI_Chess960"), "true").chess960
    assert apply(find("Debug Log File"), "x.log").log == "x.log"
    assert apply(find("UCI_AnalyseMode"), "true").fake.calls == []
