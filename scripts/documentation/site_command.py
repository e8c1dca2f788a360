"""`scripts/site`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click

from scripts.documentation.page_source import DocumentationError, filled
from scripts.documentation.shell import ROOT
from scripts.documentation.site_pages import SitePages, in_navigation

SITE = ROOT / "build" / "site"
_CONFIGURATION = Path(__file__).parent / "zensical.toml.in"
_ZENSICAL = (sys.executable, "-m", "zensical", "build", "--strict", "--clean", "--config-file")
_ASSETS = ("iframe-worker.js", "site.css")


@click.command()
def command() -> None:
    """Build the site of all pages into build/site, to be read from there or from any server.

    A link that leads nowhere, or a page that the navigation lacks, ends the build with exit status 1, and
    the old site stays. Reading needs no network; the search works from files, too.
    """
    build(SITE, SITE.with_name("site-pages"))
    click.echo(f"{SITE.relative_to(ROOT)}/index.html", err=True)


def build(site: Path, work: Path) -> None:
    """Build the site from a folder to work in, beside it. Raises DocumentationError."""
    shutil.rmtree(work, ignore_errors=True)
    pages = SitePages(work / "pages")
    written = pages.write()
    (work / "pages" / "assets").mkdir()
    for name in _ASSETS:
        shutil.copy(_CONFIGURATION.with_name(name), work / "pages" / "assets")
    commands = "\n".join(f'    {{ "lolli {name}" = "commands/{name}.md" }},' for name in pages.commands)
    text = filled(_CONFIGURATION.read_text(encoding="utf-8"), {"commands": commands})
    configuration = work / "zensical.toml"
    configuration.write_text(text, encoding="utf-8")
    if missing := written - in_navigation(tomllib.loads(text)["project"]["nav"]):
        raise DocumentationError(f"{_CONFIGURATION.name}: no place for {', '.join(sorted(missing))}")
    done = subprocess.run(
        [*_ZENSICAL, configuration], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        raise DocumentationError(
            f"zensical: exit status {done.returncode}\n{done.stdout.decode(errors='replace')}"
        )
    shutil.rmtree(site, ignore_errors=True)
    (work / "site").rename(site)
