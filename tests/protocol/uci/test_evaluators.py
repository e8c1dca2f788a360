"""Evaluators, weights and chances in the real process."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from engine.board.fen import parse_fen
from eval.choice import STANDARDS, Choices
from eval.linear import Linear
from eval.network import Network
from eval.network_file import save_network
from eval.weight_file import save
from tests.eval.some_networks import random_network
from tests.eval.some_weights import random_weights
from tests.protocol.uci.dialogue import INFO, Dialogue, field, infos
from tests.pure import ROOT

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
DEPTH = 3


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    save(tmp_path / "my weights.json", random_weights())
    return tmp_path / "my weights.json"


def test_bad_weights_change_nothing(lolli_command: list[str], weights: Path) -> None:
    """The same search takes the same nodes before and after."""
    broken = weights.with_name("broken.json")
    broken.write_text(weights.read_text().replace('"version": 1', '"version": 99'))
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(f"setoption name EvalFile value {weights}", "setoption name Eval value linear")
        table = dialogue.ask("eval")
        before = infos(dialogue.go(f"depth {DEPTH}")[0])[-1]
        (answer,) = dialogue.ask(f"setoption name EvalFile value {broken}")
        assert answer == f"info string EvalFile stays as it was: {broken}: is of version 99, not 1"
        assert dialogue.ask("ucinewgame", "eval") == table
        assert field(infos(dialogue.go(f"depth {DEPTH}")[0])[-1], "nodes") == field(before, "nodes")
        dialogue.ask("setoption name EvalFile value <standard>")
        assert dialogue.ask("eval") != table


def test_a_network_of_ones_own_is_recognised_by_what_it_holds(
    lolli_command: list[str], weights: Path, tmp_path: Path
) -> None:
    """Whatever it is called, it is for `Eval network`, and leaves the weights of `linear` alone."""
    path = tmp_path / "a network.json"
    save_network(path, random_network())
    position = parse_fen(KIWIPETE)
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(f"setoption name EvalFile value {weights}", f"setoption name EvalFile value {path}")
        dialogue.ask("setoption name Eval value network", f"position fen {KIWIPETE}")
        table = dialogue.ask("eval")
        value = Network(random_network()).explain(position).value
        assert any(line.startswith(f"Value: {value / 100:+.2f} pawns") for line in table)
        assert dialogue.go(f"depth {DEPTH}")[1] != "(none)"
        path.write_bytes(path.read_bytes()[:-1])
        (answer,) = dialogue.ask(f"setoption name EvalFile value {path}")
        assert answer.startswith(
            f"info string EvalFile stays as it was: {path}: is not a whole file of a network"
        )
        assert dialogue.ask("eval") == table
        dialogue.ask("setoption name Eval value linear")
        value = Linear(random_weights()).explain(position).value
        assert any(line.startswith(f"Value: {value / 100:+.2f} pawns") for line in dialogue.ask("eval"))


@pytest.mark.parametrize("evaluator", Choices().names)
def test_every_evaluator_plays_with_threads_and_chances(lolli_command: list[str], evaluator: str) -> None:
    with Dialogue(lolli_command) as dialogue:
        answers = dialogue.ask(
            f"setoption name Eval value {evaluator}",
            "setoption name Threads value 3",
            "setoption name UCI_ShowWDL value true",
        )
        assert answers == []
        lines, best = dialogue.go("depth 4")
        for line in infos(lines):
            chances = line.partition(" wdl ")[2].split()[:3]
            assert sum(map(int, chances)) == 1000
            assert re.fullmatch(INFO, line.replace(f" wdl {' '.join(chances)}", ""))
        assert best != "(none)"


def test_the_evaluator_of_the_command_is_declared_as_the_default(lolli_command: list[str]) -> None:
    """Also once another is in use: clients ask again."""
    with Dialogue([*lolli_command, "uci", "--eval", "material"]) as dialogue:
        told = [*dialogue.ask("uci"), *dialogue.ask("setoption name Eval value linear", "uci")]
    declared = [line for line in told if line.startswith("option name Eval type ")]
    assert [line.partition(" var ")[0] for line in declared] == [
        "option name Eval type combo default material"
    ] * 2


def test_bench_searches_with_the_usual_evaluator(lolli_command: list[str], weights: Path) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("bench 1")
        usual = dialogue.expect(r"\d+ nodes \d+ nps")[-1].split()[0]
        dialogue.ask(f"setoption name EvalFile value {weights}", "setoption name Eval value material")
        dialogue.send("bench 1")
        assert dialogue.expect(r"\d+ nodes \d+ nps")[-1].split()[0] == usual


@pytest.mark.checkout
def test_an_installation_without_its_weights_says_so_and_plays(tmp_path: Path, is_pure: bool) -> None:
    """On stderr at the start, after `uci`, and whenever they are asked for."""
    missing = [Path(path).name for path in STANDARDS.values()]
    for package in ("engine", "eval", "protocol", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", *missing, *(["*.so"] if is_pure else []))
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    code = f"import sys; sys.path[0] = {str(tmp_path)!r}; from lolli.__main__ import main; main()"
    weights = tmp_path / "eval" / "weights"
    problems = [
        f"Eval {name} cannot be used: {weights / Path(path).name}: there is no such file"
        for name, path in STANDARDS.items()
    ]
    with Dialogue([sys.executable, "-c", code], quiet=False) as dialogue:
        dialogue.send("uci")
        answer = dialogue.expect("uciok")
        assert {f"info string {problem}" for problem in problems} <= {*answer}
        assert "option name Eval type combo default material var material" in answer
        (refusal,) = dialogue.ask("setoption name Eval value linear")
        assert refusal == "info string Eval must be one of material, not 'linear'"
        assert dialogue.go("depth 2")[1] != "(none)"
    assert dialogue.stderr.splitlines() == [f"lolli: {problem}" for problem in problems]
