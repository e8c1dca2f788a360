"""The shape of the project: its layers, and which of its modules are compiled."""

import pytest

from tests.compiled import ROOT, cimports, compiled_names, source

PACKAGES = ("engine", "eval", "protocol")
# For C; the .py is for the plain run.
HEADERS_ONLY = {
    "engine.system.bits",
    "engine.system.portable",
    "engine.board.bitboard",
    "engine.board.move",
    "engine.games.networks.convolution",
    "engine.games.rules.game",
    "engine.games.rules.othello_lines",
    "engine.search.constants",
    "eval.features",
    "eval.training.layout",
    "eval.network_shape",
}
SHARED = ("engine.system",)
LAYERS = (*SHARED, "engine.board", "eval", "engine.search", "engine.session")
HOUSES = (
    LAYERS,
    (*SHARED, "engine.games.rules", "engine.games.search", "engine.games.networks", "engine.games.fast"),
)
# In each house a layer may cimport from those before it.

MOST_MODULES, MOST_LINES = 299, 71_274


def modules(suffix: str) -> set[str]:
    """The dotted names of all files in our packages that end in `suffix`, packages themselves excepted."""
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob(f"*{suffix}"))
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths if path.stem != "__init__"
    }


def layer(name: str, house: tuple[str, ...]) -> int | None:
    """The place of a module in a house; None for a module outside of it."""
    return next((i for i, top in enumerate(house) if name == top or name.startswith(f"{top}.")), None)


def test_modules_with_c_types_are_those_that_are_compiled() -> None:
    assert modules(".pxd") - HEADERS_ONLY == set(compiled_names())


@pytest.mark.parametrize("name", sorted(compiled_names()))
def test_compiled_module_is_in_a_package_open_to_cimport(name: str) -> None:
    assert source(name, ".py").exists()
    assert source(name, ".py").with_name("__init__.pxd").exists()


@pytest.mark.parametrize("name", sorted(compiled_names()))
def test_compiled_module_does_not_ask_where_it_is(name: str) -> None:
    """A wheel for several processors has it in a folder for each, without the files beside its source."""
    assert "__file__" not in source(name, ".py").read_text("utf-8")


@pytest.mark.parametrize("name", sorted(modules(".pxd")))
def test_cimports_obey_the_order_of_layers(name: str) -> None:
    for other in cimports(name):
        places = [(layer(name, house), layer(other, house)) for house in HOUSES]
        assert any(mine is not None and theirs is not None and theirs <= mine for mine, theirs in places), (
            f"{name} may not cimport {other}"
        )


def test_the_house_has_not_grown() -> None:
    """What grows it past this is a decision, and raises the numbers."""
    folders = ("engine", "eval", "lolli", "protocol", "scripts")
    files = [
        path for top in folders for path in (ROOT / top).rglob("*.p[xy]*") if path.suffix in {".py", ".pxd"}
    ]
    assert sum(path.suffix == ".py" for path in files) <= MOST_MODULES
    assert sum(len(path.read_text().splitlines()) for path in files) <= MOST_LINES
