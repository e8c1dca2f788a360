"""The evaluators that can be used: by name, how to make one, and what its values mean."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.board.position import Position
from engine.system import files
from engine.system.files import FilePath
from eval import network_file
from eval.evaluator import Evaluator, Explanation
from eval.linear import Linear
from eval.material import Material
from eval.network import Network
from eval.network_file import is_network, load_network
from eval.outcome import OutcomeModel
from eval.weight_file import MATERIAL, STANDARD, WeightsError, load, load_outcome

NAMES = ("material", "linear", "network")
"""All evaluators of this program, whether or not they can be loaded; the last that can be is the default."""
STANDARDS = {"linear": STANDARD, "network": network_file.STANDARD}
"""Where the weights of the learned ones are, which come with the program."""


class EvaluatorError(ValueError):
    """Why an evaluator cannot be used, in one line."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One evaluator. `make` gives a new one for each thread; its weights are shared.

    `outcome` turns its values into chances; None: not known. A `learned` evaluator's centipawns are its own,
    and are shown on the scale of that model.
    """

    name: str
    make: Callable[[], Evaluator]
    outcome: OutcomeModel | None
    learned: bool

    @property
    def normalises(self) -> bool:
        return self.learned and self.outcome is not None


class Choices:
    """The evaluators that can be used here; more can be loaded later, and `problems` solved."""

    def __init__(
        self,
        linear: FilePath = STANDARDS["linear"],
        material: FilePath = MATERIAL,
        network: FilePath = STANDARDS["network"],
    ) -> None:
        """Reads the files once; never raises."""
        self._standards = {"linear": linear, "network": network}
        self._reasons: dict[str, str] = {}  # why an evaluator is not among the choices
        self._doubts: list[str] = []
        self._choices = {"material": Choice("material", Material, self._outcome(material), learned=False)}
        for name, path in self._standards.items():
            try:
                self._choices[name] = _read(name, path)
            except WeightsError as error:
                self._reasons[name] = str(error)

    @property
    def names(self) -> tuple[str, ...]:
        """Those that can be used; the first is the default."""
        usable = [name for name in NAMES if name in self._choices]
        return usable[-1], *usable[:-1]

    @property
    def problems(self) -> list[str]:
        """What cannot be loaded: one line each, with the file and the reason."""
        reasons = [f"Eval {name} cannot be used: {reason}" for name, reason in self._reasons.items()]
        return reasons + self._doubts

    def __getitem__(self, name: str) -> Choice:
        """Raises EvaluatorError where it cannot be used."""
        if name in self._choices:
            return self._choices[name]
        raise EvaluatorError(self._reasons.get(name, f"unknown evaluator {name!r}"))

    def explanations(self, name: str, position: Position) -> list[tuple[Choice, Explanation]]:
        """An evaluator's explanation of its value; after a network's, if it can be used, that of `linear`."""
        names = [name] if name != "network" or "linear" not in self._choices else [name, "linear"]
        return [(self[each], self[each].make().explain(position)) for each in names]

    def load(self, path: FilePath) -> str:
        """Read other weights for the evaluator that they are for; its name. WeightsError changes nothing."""
        name = owner(path)
        self._choices[name] = _read(name, path)
        self._reasons.pop(name, None)
        return name

    def restore(self) -> None:
        """Read the weights that came with the program again. WeightsError changes nothing."""
        found = {}
        for name, path in self._standards.items():
            try:
                found[name] = _read(name, path)
            except WeightsError:
                if name in self._choices:
                    raise
        self._choices |= found
        for name in found:
            self._reasons.pop(name, None)

    def _outcome(self, path: FilePath) -> OutcomeModel | None:
        try:
            return load_outcome(path)
        except WeightsError as error:
            self._doubts.append(f"the chances under Eval material are not known: {error}")
            return None


def owner(path: FilePath) -> str:
    """The name of the evaluator that a file of weights is for, as its first bytes tell; else `linear`."""
    try:
        with files.open_file(path, network_file.LARGEST_FILE) as file:
            return "network" if is_network(file.read(8)) else "linear"
    except OSError:  # why, will be said where it is loaded
        return "linear"


def _read(name: str, path: FilePath) -> Choice:
    if name == "network":
        network = load_network(path)
        return Choice(name, lambda: Network(network), network.outcome, learned=True)
    weights = load(path)
    return Choice(name, lambda: Linear(weights), weights.outcome, learned=True)
