"""`lz-analyze` and `kata-analyze`: what Sabaki and Lizzie see of the real process."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.board.position import COMPILED
from tests.protocol.gtp.client import Controller

LEELA = re.compile(
    r"info move (?P<move>\S+) visits (?P<visits>\d+) winrate (?P<winrate>\d+)(?: prior (?P<prior>\d+))?"
    r" lcb (?P<lcb>\d+) order (?P<order>\d+) pv (?P<pv>[^i]\S*(?: (?!info)\S+)*)"
)
NUMBER = r"-?\d+\.\d+"
KATAGO = re.compile(
    rf"info move (?P<move>\S+) visits (?P<visits>\d+) utility {NUMBER} winrate (?P<winrate>{NUMBER})"
    rf"(?: scoreMean (?P<mean>{NUMBER}) scoreLead (?P<lead>{NUMBER}))?(?: prior (?P<prior>{NUMBER}))?"
    rf" lcb (?P<lcb>{NUMBER}) order (?P<order>\d+) pv (?P<pv>[^i]\S*(?: (?!info)\S+)*)"
)


@pytest.fixture
def controller(lolli_command: list[str]) -> Iterator[Controller]:
    with Controller([*lolli_command, "gtp", "--game", "go", "--size", "5", "--seed", "1"]) as made:
        yield made


def moves(report: str, form: re.Pattern[str]) -> list[dict[str, str]]:
    """The moves of a report, which must be nothing but moves."""
    found = list(form.finditer(report))
    assert " ".join(match[0] for match in found) == report
    return [match.groupdict() for match in found]


def test_reports_until_the_next_line(controller: Controller) -> None:
    controller.send("17 lz-analyze b 10")
    assert controller.expect(".*") == ["=17"]
    visits: list[int] = []
    while len(visits) < 3 or visits[-1] == visits[0]:  # on a busy machine a report may have nothing new
        (report,) = controller.expect(".*")
        found = moves(report, LEELA)
        assert [int(move["order"]) for move in found] == list(range(len(found)))
        assert all(0 <= int(move["lcb"]) <= int(move["winrate"]) <= 10_000 for move in found)
        assert all(move["pv"].split()[0] == move["move"] for move in found)
        visits.append(sum(int(move["visits"]) for move in found))
    assert visits == sorted(visits), "the tree grows"
    controller.send("name")
    *_, last, end, name, after = [*controller.expect("= .*"), *controller.expect("")]
    assert moves(last, LEELA)
    assert (end, name, after) == ("", "= Lolli", "")
    assert controller.get("showboard").endswith("black to move"), "nothing was played"


@pytest.mark.parametrize("line", ["", "# interrupt", "# a comment"])
def test_an_empty_line_ends_it_too(controller: Controller, line: str) -> None:
    controller.send("lz-analyze 1000")
    controller.expect("=")
    controller.send(line)
    report, end = controller.expect("")
    assert moves(report, LEELA)
    assert end == ""
    controller.get("search-limits playouts=20")
    controller.get("genmove b")


@pytest.mark.parametrize("line", ["", "# a comment"])
def test_an_empty_line_may_come_before_it_has_begun(controller: Controller, line: str) -> None:
    controller.get("search-limits playouts=5")
    for _ in range(5):
        controller.send("genmove b", "undo", "lz-analyze 5", line)
        controller.answer()
        controller.answer()
        assert controller.answer().text.startswith("\ninfo move ")


def test_a_line_that_comes_at_once_waits_for_one_report(controller: Controller) -> None:
    controller.send("lz-analyze 20", "name", "kata-analyze b 20 maxmoves 3 ownership true")
    assert controller.answer().text.startswith("\ninfo move ")
    assert controller.answer().text == "Lolli"
    controller.hang_up()
    last = controller.answers()
    assert len(last) == 1, "the end of the input ends it"
    told, _, owners = last[0].lines[-1].partition(" ownership ")
    found = moves(told, KATAGO)
    assert 1 <= len(found) <= 3
    assert len({move["lead"] for move in found}) == 1
    assert -25 <= float(found[0]["lead"] or 0) + 7.5 <= 25, "the board, less komi"
    assert len(owners.split()) == 25
    assert all(0 <= float(move["lcb"]) <= float(move["winrate"]) <= 1 for move in found)


@pytest.mark.parametrize(
    ("rules", "searcher", "visited"),
    [
        ("tictactoe", "minimax", True),
        ("virus players=3", "uct-fast", True),
        ("tree lecture", "random", False),
    ],
)
def test_any_game_and_searcher(controller: Controller, rules: str, searcher: str, visited: bool) -> None:
    controller.get(f"set_game {rules}")
    controller.get(f"search-algorithm {searcher}")
    controller.send("kata-analyze p1 10", "name")
    (report,) = controller.answer().lines[1:]
    found = moves(report, KATAGO)
    assert found[0]["lead"] is None
    assert (int(found[0]["visits"]) > 0) == visited
    assert controller.answer().text == "Lolli"


@pytest.mark.parametrize(("estimate", "rate"), [(3, "10000"), (-3, "0")])
def test_an_estimate_beyond_the_payoffs_is_the_greatest_or_the_least_rate(
    lolli_command: list[str], tmp_path: Path, estimate: int, rate: str
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(f"def estimate(state):\n    return {estimate}\n")
    words = ["gtp", "--game", "tictactoe", "--searcher", str(mine), "--option", "depth=1"]
    with Controller([*lolli_command, *words]) as made:
        made.send("lz-analyze b 10", "cgos-genmove_analyze b")
        (found,) = moves(made.answer().lines[1], LEELA)
        assert found["winrate"] == rate
        assert f'"winrate": {int(rate) / 10_000}' in made.answer().text


def test_a_won_game_is_not_written_again_and_again(controller: Controller) -> None:
    controller.get("set_game tictactoe XX./OO./...")
    controller.send("lz-analyze 10")
    assert controller.expect(".*") == ["="]
    controller.send("name")
    before = controller.expect("= Lolli")
    assert len(before) < 20
    assert "info move C3 " in before[0]


@pytest.mark.parametrize("searcher", ["uct-fast", "puct-fast"])
def test_moves_to_avoid_and_moves_to_look_at(controller: Controller, searcher: str, is_pure: bool) -> None:
    """As KataGo has them; the tree of the analysis before does not come back."""
    if is_pure:
        pytest.skip("without compiled networks PUCT has nothing to ask")
    controller.get("set_game connectfour")
    controller.get(f"search-algorithm {searcher}")
    for keys, named in (
        ("", {"A1", "B1", "C1", "D1", "E1", "F1", "G1"}),
        ("avoid b D1,E1 1", {"A1", "B1", "C1", "F1", "G1"}),
        ("avoid b D1 1 avoid b E1,C1 3 maxmoves 9", {"A1", "B1", "F1", "G1"}),
        ("allow b A1,G1,H9 1", {"A1", "G1"}),
        ("allow b A1,B1 1 avoid b A1 1", {"B1"}),
        ("avoid w D1 1", {"A1", "B1", "C1", "D1", "E1", "F1", "G1"}),
        ("", {"A1", "B1", "C1", "D1", "E1", "F1", "G1"}),
    ):
        controller.send(f"lz-analyze b 10 {keys}", "name")
        found = moves(controller.answer().lines[1], LEELA)
        assert {move["move"] for move in found} <= named
        controller.answer()
    controller.get("search-limits playouts=50")
    assert "play A1" in controller.get("lz-genmove_analyze b allow b A1 1")
    controller.get("undo")
    controller.get("genmove b")
    assert {"A1", "D1"} <= set(controller.get("search-visits").split())
    controller.get("undo")
    for keys in ("avoid b A1,B1,C1,D1,E1,F1,G1 1", "allow b Z9 1"):
        assert controller.fail(f"lz-analyze b {keys}") == "no sensible move is left to search"
    for keys in ("avoid b D1", "avoid", "allow b D1 0", "avoid red D1 1", "allow b D1 x"):
        assert controller.fail(f"lz-analyze b {keys}") == "syntax error"
    controller.get("search-algorithm alphabeta depth=1")
    told = controller.fail("kata-analyze avoid b D1 1")
    assert told == "alphabeta cannot avoid moves: choose uct-fast or puct-fast"


def test_a_settled_game_is_won_and_avoiding_holds_there_too(controller: Controller) -> None:
    """Black has three columns of five, and leads by 3.5 points."""
    controller.get("komi 1.5")
    for line in (
        *(f"b C{row}" for row in range(1, 6)),
        "b B2",
        "b B4",
        *(f"w D{row}" for row in range(1, 6)),
    ):
        controller.get(f"play {line}")
    controller.get("play w E3")
    controller.get("search-limits playouts=50")
    for keys in ("", "allow b pass 1", "avoid w pass 1"):
        report, move = controller.get(f"lz-genmove_analyze b 100 {keys}").strip().split("\n")
        assert report == "info move pass visits 0 winrate 10000 lcb 10000 order 0 pv pass"
        assert move == "play pass"
        assert controller.get("search-value").startswith("1")
        controller.get("undo")
    for keys in ("avoid b pass 1", "allow b A1,A2 1"):
        report, move = controller.get(f"lz-genmove_analyze b 1000 {keys}").strip().split("\n")
        named = {each["move"] for each in moves(report, LEELA)}
        assert move.split()[1] in named
        assert "pass" not in named
        controller.get("undo")


def test_with_dice_the_ten_best_moves_have_equities(controller: Controller) -> None:
    controller.get("set_game backgammon")
    controller.get("play dice 31")
    legal = controller.get("legal_moves").split()
    for command in ("kata-analyze b 10", "kata-genmove_analyze b"):
        controller.send(command, "undo")
        told = next(line for line in controller.answer().lines if line.startswith("info"))
        rates = {move: float(rate) for move, rate in re.findall(r"info move (\S+) .*? winrate (\S+)", told)}
        assert len(rates) == 10
        assert set(rates) < set(legal)
        assert next(iter(rates)) == "8/5,6/5", "the best of this roll by far"
        assert list(rates.values()) == sorted(rates.values(), reverse=True)
        controller.answer()
        if command.startswith("kata-analyze"):
            controller.get("play dice 31")


@pytest.mark.parametrize("command", ["lz-analyze", "kata-analyze"])
def test_the_policy_is_the_prior(lolli_command: list[str], command: str) -> None:
    options = ["--searcher", "puct-fast", "--option", "batch=4"]
    with Controller([*lolli_command, "gtp", "--game", "connectfour", *options]) as made:
        made.send(f"{command} 10")
        assert made.expect(".*") == ["="]
        priors: list[float] = []
        while len(priors) < 7:  # a report names the moves tried so far
            (told,) = made.expect(".*")
            priors = [float(prior) for prior in re.findall(r" prior (\S+)", told)]
    priors = [prior / (10_000 if command == "lz-analyze" else 1) for prior in priors]
    assert sum(priors) == pytest.approx(1, abs=0.001)
    assert max(priors) > 2 * min(priors), "it knows something"


def test_what_waits_behind_it_is_searched_in_full(controller: Controller) -> None:
    """Lines that come while it goes on end it, and nothing but it."""
    playouts = 3000 if COMPILED else 100
    controller.get(f"search-limits playouts={playouts}")
    controller.send("lz-analyze b 1000")
    controller.expect("=")
    controller.send("genmove b", "search-stats", "name")
    controller.expect("")
    controller.answer()
    assert re.search(rf"^playouts {playouts}$", controller.answer().text, re.MULTILINE)
    assert controller.answer().text == "Lolli"


@pytest.mark.alone
def test_the_end_of_a_game_is_foretold(controller: Controller) -> None:
    """Black has the three upper rows of five: seen by either player, the highest row first."""
    for stones in ("b A3 B3 C3 D3 E3", "w A2 B2 C2 D2 E2"):
        colour, *points = stones.split()
        for point in points:
            controller.get(f"play {colour} {point}")
    for colour, sign in (("b", 1), ("w", -1)):
        controller.send(f"kata-analyze {colour} 10 ownership true rootInfo true maxmoves 0", "name")
        told, _, owners = controller.answer().lines[1].partition(" ownership ")
        told, _, root = told.partition(" rootInfo ")
        assert controller.answer().text == "Lolli"
        (found,) = moves(told, KATAGO)
        assert sign * (5 - 7.5) == pytest.approx(float(found["lead"] or 0), abs=3)
        assert re.fullmatch(
            rf"visits \d+ utility {NUMBER} winrate {NUMBER} scoreMean {NUMBER} scoreLead {NUMBER}", root
        )
        assert f"scoreLead {found['lead']}" in root
        expected = 15 * [sign] + 10 * [-sign]
        assert [float(owner) for owner in owners.split()] == pytest.approx(expected, abs=0.35)


@pytest.mark.parametrize("searcher", ["uct-fast", "uct-fast policy=0", "uct"])
def test_each_move_has_a_line(controller: Controller, searcher: str) -> None:
    """And a prior, where a policy has been asked."""
    controller.get(f"search-algorithm {searcher}")
    controller.send("kata-analyze b 20")
    controller.expect("=")
    has_policy = searcher == "uct-fast"
    lines, priors = [""], 0.0
    while len(lines[-1].split()) < 2 or (has_policy and priors < 0.9):
        (told,) = controller.expect(".*")
        found = moves(told, KATAGO)
        assert max(float(move["lcb"]) for move in found) < 1, "a few wins are no proof"
        lines = [move["pv"] for move in found][:2]
        priors = sum(float(move["prior"] or 0) for move in found)
    assert priors <= (1.001 if has_policy else 0)


@pytest.mark.alone
def test_a_search_anew_that_was_stopped_does_not_take_the_place_of_a_longer_one(
    controller: Controller,
) -> None:
    controller.get("search-algorithm montecarlo")
    controller.send("lz-analyze b 30")
    controller.expect("=")
    counts = []
    for _ in range(3):
        (told,) = controller.expect(".*")
        counts.append(sum(int(move["visits"]) for move in moves(told, LEELA)))
    controller.send("name")
    *_, last, _, _, _ = [*controller.expect("= .*"), *controller.expect("")]
    assert sum(int(move["visits"]) for move in moves(last, LEELA)) >= counts[-1] / 2


@pytest.mark.parametrize(
    ("command", "form"), [("lz-genmove_analyze", LEELA), ("kata-genmove_analyze", KATAGO)]
)
def test_a_move_with_reports(controller: Controller, command: str, form: re.Pattern[str]) -> None:
    """The same move as without them, as the tree is kept from one to the next."""
    playouts = 40_000 if COMPILED else 100  # which take longer than the interval between two reports
    controller.get(f"search-limits playouts={playouts}")
    expected = controller.get("genmove b")
    controller.get("undo")
    controller.get("clear_board")
    *reports, played = controller.get(f"{command} b 1").split("\n")[1:]
    assert played == f"play {expected}"
    visits = [sum(int(move["visits"]) for move in moves(report, form)) for report in reports]
    assert len(visits) > 1
    assert visits == sorted(visits), "the tree grows"
    assert controller.get("showboard").endswith("white to move")
    assert re.search(rf"^playouts {playouts}$", controller.get("search-stats"), re.MULTILINE)
    assert controller.fail(f"{command} red") == "syntax error"


def test_reports_stop_with_the_search(controller: Controller) -> None:
    controller.get("search-limits seconds=1000")
    controller.send("kata-genmove_analyze b 5")
    controller.expect("info .*")
    controller.send("# interrupt")
    controller.expect("play .*")
