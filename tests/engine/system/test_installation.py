"""How Lolli was installed, and the commands that advice names."""

import sys
from pathlib import Path

import pytest

from engine.system import installation


@pytest.mark.parametrize(
    ("left", "installer", "command"),
    [
        ("pipx_metadata.json", "pipx", "pipx install --force 'lolli[report]'"),
        ("uv-receipt.toml", "uv tool", "uv tool install 'lolli[report]'"),
        ("INSTALLER", "uv", "uv pip install 'lolli[report]'"),
        ("nothing", "pip", f"{sys.executable} -m pip install 'lolli[report]'"),
    ],
)
def test_what_the_installers_leave(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, left: str, installer: str, command: str
) -> None:
    (tmp_path / left).touch()
    monkeypatch.setattr(installation, "_TOP", tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(installation, "_metadata", lambda name: "uv\n" if left == name else "")
    assert installation.installer() == installer
    assert installation.to_add("report") == command
    repaired, compiled = installation.to_repair(), installation.to_compile()
    assert "--force" in repaired or "--reinstall" in repaired
    assert compiled.startswith("LOLLI_MARCH=native ")
    assert "--no-binary" in compiled


def test_where_it_came_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(installation, "_TOP", tmp_path)
    told = '{"url": "https://example.org/lolli.git", "vcs_info": {"vcs": "git"}}'
    monkeypatch.setattr(installation, "_metadata", lambda name: told if name == "direct_url.json" else "")
    assert installation.to_add("report").endswith("'lolli[report] @ git+https://example.org/lolli.git'")
    assert installation.to_compile().endswith("'git+https://example.org/lolli.git'")


@pytest.mark.checkout
def test_a_checkout_and_a_bundle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert installation.installer() == "checkout"
    assert installation.to_compile() == "scripts/build --force"
    file = tmp_path / "lolli"
    file.touch()
    monkeypatch.setattr(installation, "_TOP", tmp_path)
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(file / "__main__.py"), raising=False)
    assert installation.installer() == "bundle"
    assert "scripts/bundle" in installation.to_repair()
    assert "use a checkout" in installation.to_add("report")
