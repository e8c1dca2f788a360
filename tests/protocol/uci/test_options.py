"""The options: their declarations, the values that are accepted, and their effects."""

from operator import attrgetter
from typing import cast

import pytest

from engine.session import Session
from protocol.text import ProtocolError
from protocol.uci.options import OPTIONS, Strength, UciOption, find
from tests.protocol.uci.fake_session import FakeSession

DECLARATIONS = """\
option name Hash type spin default 16 min 1 max 65536
option name Threads type spin default 1 min 1 max 512
option name MultiPV type spin default 1 min 1 max 256
option name Ponder type check default false
option name Move Overhead type spin default 10 min 0 max 5000
option name Clear Hash type button
option name UCI_Chess960 type check default false
option name UCI_AnalyseMode type check default false
option name UCI_LimitStrength type check default false
option name UCI_Elo type spin default 920 min 450 max 3130
option name Skill Level type spin default 20 min 0 max 20
option name UCI_EngineAbout type string default Lolli 0.1.0, a chess engine in Python; GPL-3.0-or-later; \
see README.md
option name UCI_ShowWDL type check default false
option name Eval type combo default material var material var linear
option name EvalFile type string default <standard>
option name OwnBook type check default false
option name BookFile type string default <standard>
option name Best Book Move type check default false
option name Book Depth type spin default 255 min 1 max 255
option name SyzygyPath type string default <empty>
option name SyzygyProbeDepth type spin default 1 min 1 max 100
option name SyzygyProbeLimit type spin default 7 min 0 max 7
option name Syzygy50MoveRule type check default true
option name SingularExtensions type check default true
option name Parameters type string default <empty>
option name nodestime type spin default 0 min 0 max 10000
option name Debug Log File type string default <empty>""".splitlines()


class FakeTarget:
    def __init__(self) -> None:
        self.fake = FakeSession()
        self.session = cast("Session", self.fake)
        self.chess960 = False
        self.shows_chances = False
        self.strength = Strength()
        self.switched: dict[str, int] = {}
        self.log = ""
        self.notices: list[str] = []

    def log_to(self, path: str) -> None:
        self.log = path

    def notice(self, text: str) -> None:
        self.notices.append(text)


def apply(option: UciOption, text: str, target: FakeTarget | None = None) -> FakeTarget:
    """Set an option on `target`, by default a new one; the target."""
    target = target or FakeTarget()
    assert option.apply is not None
    option.apply(target, option.value(text, target.session))
    return target


def value(name: str, text: str) -> object:
    return find(name).value(text, FakeTarget().session)


def test_declarations() -> None:
    assert [option.declaration(FakeTarget().session) for option in OPTIONS] == DECLARATIONS


def test_only_evaluators_that_can_be_used_are_named() -> None:
    target = FakeTarget()
    target.fake.evaluators = ("material",)
    assert find("Eval").declaration(target.session) == (
        "option name Eval type combo default material var material"
    )
    with pytest.raises(ProtocolError, match=r"^Eval must be one of material, not 'linear'$"):
        find("Eval").value("linear", target.session)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_the_default_is_what_the_session_starts_with(option: UciOption) -> None:
    if option.kind == "spin":  # Cute Chess hides one whose default is outside of its bounds
        assert isinstance(option.default, int)
        assert option.smallest <= option.default <= option.largest
    if option.apply is None or option.name in ("Hash", "Clear Hash"):
        return
    if option.kind == "combo":
        default = option.declaration(FakeTarget().session).partition(" default ")[2].split()[0]
    else:
        default = str(option.default)
    target, fresh = apply(option, default), FakeTarget()
    assert target.fake.settings == fresh.fake.settings
    assert target.fake.evaluator == fresh.fake.evaluator
    assert vars(target.fake.library) == vars(fresh.fake.library)
    assert target.strength == fresh.strength
    assert (target.chess960, target.shows_chances, target.notices) == (False, False, [])


def test_names_without_regard_to_case_and_blanks() -> None:
    assert find("MOVE  overhead").name == "Move Overhead"
    with pytest.raises(ProtocolError, match="unknown option 'MoveOverhead'"):
        find("MoveOverhead")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Hash", "1", 1),
        ("Hash", "65536", 65536),
        ("Move Overhead", "0", 0),
        ("Ponder", "TRUE", True),
        ("Ponder", "false", False),
        ("Eval", "Material", "material"),
        ("Eval", "linear", "linear"),
        ("EvalFile", "my weights/a  b.json", "my weights/a  b.json"),
        ("Clear Hash", "", None),
        ("Clear Hash", "whatever", None),
        ("Debug Log File", "", ""),
        ("Debug Log File", "<empty>", ""),
        ("Debug Log File", "/var/log/a  b", "/var/log/a  b"),
    ],
)
def test_values(name: str, text: str, expected: object) -> None:
    assert value(name, text) == expected


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("Hash", "", "Hash: missing number"),
        ("Hash", "0", "Hash must be from 1 to 65536"),
        ("Hash", "65537", "Hash must be from 1 to 65536"),
        ("Hash", "9" * 5000, "Hash must be from 1 to 65536"),
        ("Hash", "big", "Hash: not a whole number: 'big'"),
        ("Hash", "16 32", "Hash: not a whole number: '16 32'"),
        ("Threads", "-1", "Threads must be from 1 to 512"),
        ("Threads", "٣", "Threads: not a whole number: '\\\\u0663'"),
        ("Ponder", "yes", "Ponder must be true or false, not 'yes'"),
        ("Ponder", "", "Ponder must be true or false, not ''"),
        ("Eval", "network", "Eval must be one of material, linear, not 'network'"),
        ("UCI_EngineAbout", "mine", "UCI_EngineAbout is read only"),
    ],
)
def test_refused_values(name: str, text: str, reason: str) -> None:
    with pytest.raises(ProtocolError, match=reason):
        value(name, text)


@pytest.mark.parametrize(
    ("name", "value", "field", "expected"),
    [
        ("Threads", "3", "settings.threads", 3),
        ("MultiPV", "4", "settings.lines", 4),
        ("Move Overhead", "250", "settings.move_overhead", 250),
        ("nodestime", "600", "settings.nodes_time", 600),
        ("Book Depth", "12", "library.deepest", 12),
        ("Best Book Move", "true", "library.best_only", True),
        ("SyzygyProbeDepth", "12", "library.probe_depth", 12),
        ("SyzygyProbeLimit", "5", "library.most_men", 5),
    ],
)
def test_effects(name: str, value: str, field: str, expected: object) -> None:
    assert attrgetter(field)(apply(find(name), value).fake) == expected


def test_a_switched_technique_stays_so_unless_parameters_name_it() -> None:
    """Other parameters replace those set before."""
    target = apply(find("SingularExtensions"), "false")
    assert target.fake.settings.parameters == {"singular_extensions": 0}
    apply(find("Parameters"), "late_depth=6", target)
    assert target.fake.settings.parameters == {"singular_extensions": 0, "late_depth": 6}
    apply(find("Parameters"), "singular_extensions=on null_move=off", target)
    assert target.fake.settings.parameters == {"singular_extensions": 1, "null_move": 0}
    for usual in ("<empty>", ""):
        apply(find("Parameters"), usual, target)
        assert target.fake.settings.parameters == {"singular_extensions": 0}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("magic=on", "^Parameters: unknown parameter 'magic'$"),
        ("null_move=off late_depth=99", "^Parameters: late_depth must be from 3 to 14, not '99'$"),
    ],
)
def test_refused_parameters_change_nothing(text: str, reason: str) -> None:
    target = apply(find("Parameters"), "null_move=off")
    with pytest.raises(ProtocolError, match=reason):
        find("Parameters").value(text, target.session)
    assert target.fake.settings.parameters == {"null_move": 0}


def test_other_effects() -> None:
    assert apply(find("Hash"), "64").fake.calls == ["resize_table 64"]
    assert apply(find("Clear Hash"), "").fake.calls == ["clear_table"]
    assert apply(find("UCI_Chess960"), "true").chess960
    assert apply(find("Eval"), "linear").fake.calls == ["use_evaluator linear"]
    assert apply(find("EvalFile"), "w.json").fake.calls == ["load_weights w.json"]
    for usual in ("<standard>", "<empty>", ""):
        assert apply(find("EvalFile"), usual).fake.calls == ["load_weights None"]
    assert apply(find("Debug Log File"), "x.log").log == "x.log"


def test_analysis_mode() -> None:
    target = apply(find("UCI_AnalyseMode"), "true")
    assert target.fake.settings.analysing
    apply(find("UCI_AnalyseMode"), "false", target)
    assert not target.fake.settings.analysing


def test_chances_that_are_not_known_are_told_so_once() -> None:
    target = FakeTarget()
    target.fake.models.clear()
    apply(find("UCI_ShowWDL"), "true", target)
    apply(find("EvalFile"), "w.json", target)
    assert target.shows_chances
    assert target.notices == ["UCI_ShowWDL has no effect: Eval material has no model of win, draw and loss"]
    apply(find("Eval"), "linear", target)
    assert target.notices[1:] == ["UCI_ShowWDL has no effect: Eval linear has no model of win, draw and loss"]


def test_chances_that_are_known_need_no_words() -> None:
    target = apply(find("UCI_ShowWDL"), "true", apply(find("Eval"), "linear"))
    assert target.shows_chances
    assert target.notices == []
    apply(find("Eval"), "material", target)
    assert len(target.notices) == 1
