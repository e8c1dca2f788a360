"""The sdist and the wheel: what they hold, and that the wheel alone is enough to play."""

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import textwrap
import zipfile
from pathlib import Path

import pytest

from tests.compiled import ROOT, SHARED, SUFFIX, compiled_names

pytestmark = [
    pytest.mark.alone,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler"),
]
PACKAGES = ("engine", "eval", "protocol")
ON_X86 = "x86-64 x86-64-v3"


def tracked() -> set[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a checkout")
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory, is_pure: bool) -> Path:
    if is_pure:
        pytest.skip("the same in both modes")
    tree = tmp_path_factory.mktemp("tree")
    for name in tracked():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    subprocess.run([sys.executable, "setup.py", "--quiet", "sdist"], cwd=tree, check=True)
    return next(tree.glob("dist/*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(sdist: Path) -> Path:
    """A wheel built from the sdist, as pip builds it, but with the Cython that is here."""
    words = ("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(sdist.parent))
    settings = {"LOLLI_REQUIRE_COMPILED": "1", "LOLLI_MARCH": ON_X86, "LOLLI_CFLAGS": "-O0"}
    subprocess.run(
        [sys.executable, "-m", "pip", *words, str(sdist)], env={**os.environ, **settings}, check=True
    )
    return next(sdist.parent.glob("*.whl"))


def test_the_sdist_holds_all_that_is_tracked(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames() if archive.getmember(name).isfile()}
    made = {"PKG-INFO", "setup.cfg"}
    assert {name for name in names - made if not name.startswith("lolli.egg-info/")} == tracked()


def test_the_wheel_holds_one_package(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {f"lolli/{name}" for name in tracked() if name.partition("/")[0] in PACKAGES}
    expected |= {name for name in tracked() if name.startswith("lolli/")}
    compiled = {name.replace(".", "/") + SUFFIX for name in (*compiled_names(), SHARED)}
    expected |= {f"lolli/{path}" for path in compiled}
    better = {name.removeprefix("lolli/x86-64-v3/") for name in names if name.startswith("lolli/x86-64-v3/")}
    assert better < compiled
    assert {f"engine/search/alphabeta{SUFFIX}", f"eval/network{SUFFIX}"} < better
    assert f"engine/system/cpu{SUFFIX}" not in better
    assert names - {f"lolli/x86-64-v3/{name}" for name in better} == expected


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel, which borrows all else from this one."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    made = folder / "bin" / "python"
    run(made, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel)
    site = Path(run(made, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (site / "borrowed.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return made


def run(*words: str | Path, **settings: str) -> str:
    """The output of a program that knows nothing of this checkout and finds no compiler."""
    environment = {"PATH": "", "HOME": tempfile.gettempdir(), "LOLLI_CONFIG": "", **settings}
    done = subprocess.run(
        words,
        cwd=tempfile.gettempdir(),
        env=environment,
        input="uci\nquit\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_installed_lolli_speaks_uci(python: Path) -> None:
    for words in ([python.with_name("lolli")], [python, "-m", "lolli"]):
        assert run(*words).endswith("uciok\n")


def test_it_needs_no_cython(python: Path) -> None:
    code = "import sys; sys.modules.update(cython=None, Cython=None); from lolli.__main__ import main; main()"
    assert run(python, "-c", code).endswith("uciok\n")


def test_it_occupies_no_other_name(python: Path, tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("name = 'of somebody else'\n")
    code = """
        import importlib.util, sys
        for name in ("eval", "protocol", "scripts", "tests"):
            assert importlib.util.find_spec(name) is None, name
        import engine, lolli.engine.session, lolli.eval.network
        print(engine.name, lolli.engine.session.Session.__module__)
    """
    told = run(python, "-c", textwrap.dedent(code), PYTHONPATH=str(tmp_path))
    assert told == "of somebody else lolli.engine.session\n"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="not x86-64")
def test_the_kernel_is_that_for_the_processor(python: Path) -> None:
    """Also where the processor lacks something, which a stand-in for the look at it says."""
    code = """
        import sys, types
        class Poorer(types.ModuleType):
            choices = staticmethod(lambda: ["x86-64", "x86-64-v3"])
            missing = staticmethod(lambda march: "avx2" if march == "x86-64-v3" and {poorer} else None)
        sys.modules["lolli.engine.system.cpu"] = Poorer("lolli.engine.system.cpu")
        from lolli.engine.search import alphabeta, parameters
        from lolli.protocol.uci.replies import mode
        print(mode(), "v3" in alphabeta.__file__, "v3" in parameters.__file__)
    """

    def told(poorer: bool, **settings: str) -> str:
        return run(python, "-c", textwrap.dedent(code).format(poorer=poorer), **settings)

    assert told(False) == "compiled for x86-64-v3 True False\n"
    assert told(True) == "compiled for x86-64 False False\n"
    assert told(False, LOLLI_MARCH="x86-64") == "compiled for x86-64 False False\n"


def test_the_quick_tests_pass_with_it(python: Path) -> None:
    words = (python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--installed", "--lane", "quick")
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
