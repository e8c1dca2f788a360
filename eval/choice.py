"""The evaluators that can be used: by name, how to make one, and what its values mean."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.files import FilePath
from eval.evaluator import Evaluator
from eval.linear import Linear
from eval.material import Material
from eval.outcome import OutcomeModel
from eval.weight_file import MATERIAL, STANDARD, WeightsError, load, load_outcome

DEFAULT = "linear"
"""The evaluator that plays and that `bench` searches with, unless another is chosen."""
NAMES = ("material", "linear")
"""All evaluators of this program, whether or not they can be loaded."""


class EvaluatorError(ValueError):
    """Why an evaluator cannot be used, in one line."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One evaluator. `make` gives a new one for each thread; its weights are shared.

    `outcome` turns its values into chances, or is None if these are not known. The centipawns of a `learned`
    evaluator are its own, and are shown on the scale of that model.
    """

    name: str
    make: Callable[[], Evaluator]
    outcome: OutcomeModel | None
    learned: bool

    @property
    def normalises(self) -> bool:
        """Whether its values are shown on the scale of the model."""
        return self.learned and self.outcome is not None


class Choices:
    """The evaluators that can be used here; they can grow in number, `problems` can become fewer."""

    def __init__(self, linear: FilePath = STANDARD, material: FilePath = MATERIAL) -> None:
        """Reads the files once; never raises."""
        self._standard = linear
        self._reasons: dict[str, str] = {}  # why an evaluator is not among the choices
        self._doubts: list[str] = []
        self._choices = {"material": Choice("material", Material, self._outcome(material), learned=False)}
        try:
            self.load_linear()
        except WeightsError as error:
            self._reasons["linear"] = str(error)

    @property
    def names(self) -> tuple[str, ...]:
        """Those that can be used; the first is the default."""
        return tuple(sorted(self._choices, key=lambda name: name != DEFAULT))

    @property
    def problems(self) -> list[str]:
        """What cannot be loaded: one line each, with the file and the reason."""
        missing = [f"Eval {name} cannot be used: {reason}" for name, reason in self._reasons.items()]
        return missing + self._doubts

    def __getitem__(self, name: str) -> Choice:
        """Raises EvaluatorError where it cannot be used."""
        if name in self._choices:
            return self._choices[name]
        raise EvaluatorError(self._reasons.get(name, f"unknown evaluator {name!r}"))

    def load_linear(self, path: FilePath | None = None) -> None:
        """Read other weights for `linear`; None for those that came with the program.

        Raises WeightsError and leaves everything as it was where the file cannot be used.
        """
        weights = load(path or self._standard)
        self._choices["linear"] = Choice("linear", lambda: Linear(weights), weights.outcome, learned=True)
        self._reasons.pop("linear", None)

    def _outcome(self, path: FilePath) -> OutcomeModel | None:
        try:
            return load_outcome(path)
        except WeightsError as error:
            self._doubts.append(f"the chances under Eval material are not known: {error}")
            return None
