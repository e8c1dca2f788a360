"""Which kernel of a wheel is used: on better and poorer processors, and if LOLLI_MARCH asks for another."""

from collections.abc import Callable

import pytest

from engine.system import processor

Lacking = Callable[[str], None]


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> Lacking:
    """Make the engine one of three kernels, on a processor that lacks a feature; "" for none."""
    needs = {"x86-64": [], "x86-64-v3": ["popcnt", "avx2"], "x86-64-v4": ["popcnt", "avx2", "avx512f"]}
    monkeypatch.setattr(processor, "choices", lambda: list(needs))
    monkeypatch.delenv("LOLLI_MARCH", raising=False)

    def set_lacking(feature: str) -> None:
        monkeypatch.setattr(processor, "missing", lambda march: feature if feature in needs[march] else None)

    return set_lacking


@pytest.mark.parametrize(
    ("feature", "march"),
    [("", "x86-64-v4"), ("avx512f", "x86-64-v3"), ("avx2", "x86-64"), ("popcnt", "x86-64")],
)
def test_the_best_that_the_processor_has_is_used(lacking: Lacking, feature: str, march: str) -> None:
    lacking(feature)
    assert processor.built_for() == march
    assert processor.problem() is None


@pytest.mark.parametrize(
    ("asked", "march"),
    [("x86-64-v3", "x86-64-v3"), ("x86-64", "x86-64"), ("", "x86-64"), ("native", "x86-64-v4")],
)
def test_lolli_march_wins(lacking: Lacking, monkeypatch: pytest.MonkeyPatch, asked: str, march: str) -> None:
    lacking("")
    monkeypatch.setenv("LOLLI_MARCH", asked)
    assert processor.built_for() == march
    assert processor.problem() is None


def test_what_cannot_be_used_is_named(lacking: Lacking, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking("avx2")
    monkeypatch.setenv("LOLLI_MARCH", "x86-64-v3")
    assert (processor.problem() or "").startswith("this processor lacks avx2")
    monkeypatch.setenv("LOLLI_MARCH", "znver3")
    told = processor.problem()
    assert told == "LOLLI_MARCH=znver3: this engine was built for x86-64 and x86-64-v3 and x86-64-v4 alone"


def test_with_one_kernel_lolli_march_is_for_builds_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "choices", lambda: ["znver3"])
    monkeypatch.setattr(processor, "missing", lambda _: "avx2")
    monkeypatch.setenv("LOLLI_MARCH", "x86-64")
    assert processor.built_for() == "znver3"
    assert (processor.problem() or "").startswith("this processor lacks avx2")


def test_packages_look_in_the_folder_for_the_processor_first(lacking: Lacking) -> None:
    lacking("avx512f")
    for package in ("lolli.engine", "lolli.engine.board"):
        inner = package.removeprefix("lolli.").replace(".", "/")
        path = [f"/site/lolli/{inner}"]
        processor.best_first(path, package)
        assert path == [f"/site/lolli/x86-64-v3/{inner}", f"/site/lolli/{inner}"]
    lacking("popcnt")
    path = ["/site/lolli/engine"]
    processor.best_first(path, "lolli.engine")
    assert path == ["/site/lolli/engine"]
