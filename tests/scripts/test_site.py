"""The site: what its build refuses, and the built one, as files and in a browser."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt

from lolli.cli.group import COMMANDS, group
from scripts.documentation.screens import DocumentationError
from scripts.documentation.site import SOURCES, build, options
from tests.compiled import ROOT

ELSEWHERE = re.compile(r"(https?:)?//|mailto:|data:")
STRUCTURE = {"h1", "h2", "h3", "img", "li", "pre", "table", "td"}


class Page(HTMLParser):
    """What a page has: anchors, links, what it loads, and how many elements of each kind its article has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.elements: Counter[str] = Counter()
        self._in_article = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value for name, value in attrs if value is not None}
        self._in_article |= tag == "article"
        self.elements[tag] += self._in_article
        if "id" in attributes:
            self.anchors.add(attributes["id"])
        found = [attributes[name] for name in ("href", "src") if name in attributes]
        if tag == "a":
            self.links += found
        else:
            self.loads += found

    def handle_endtag(self, tag: str) -> None:
        self._in_article &= tag != "article"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a build: `site`, and what it was made from in `work`."""
    folder = tmp_path_factory.mktemp("site")
    build(folder / "site", folder / "work")
    return folder


@pytest.fixture(scope="module")
def pages(work: Path) -> dict[Path, Page]:
    """All pages of the site by their files, without the one for addresses that do not exist."""
    files = sorted((work / "site").rglob("*.html"))
    return {file: Page(file.read_text(encoding="utf-8")) for file in files if file.name != "404.html"}


@pytest.fixture(scope="module")
def readable(work: Path, pages: dict[Path, Page]) -> list[Path]:
    return [file for file in pages if file.relative_to(work / "site").parts[0] != SOURCES]


class TestFiles:
    """The built site."""

    def test_every_link_and_picture_is_there(self, pages: dict[Path, Page]) -> None:
        dead = []
        for file, page in pages.items():
            for link in (*page.links, *page.loads):
                path, _, anchor = link.partition("#")
                target = (file.parent / path).resolve() if path else file
                if ELSEWHERE.match(link):
                    continue
                if not target.exists() or (
                    anchor and target in pages and anchor not in pages[target].anchors
                ):
                    dead.append(f"{file.name}: {link}")
        assert dead == []
        assert len(pages) > 100

    def test_nothing_is_loaded_from_elsewhere(self, pages: dict[Path, Page]) -> None:
        assert {load for page in pages.values() for load in page.loads if ELSEWHERE.match(load)} == set()

    def test_pages_are_built_as_github_shows_them(self, work: Path, readable: list[Path]) -> None:
        """Both kinds of Markdown differ in lists, tables and code where one is careless."""
        github = MarkdownIt("commonmark").enable("table")
        for file in readable:
            source = work / "work" / "pages" / file.relative_to(work / "site").with_suffix(".md")
            expected = Page(
                f"<article>{github.render(source.read_text(encoding='utf-8'))}</article>"
            ).elements
            found = Page(file.read_text(encoding="utf-8")).elements
            assert {tag: found[tag] for tag in STRUCTURE} == {tag: expected[tag] for tag in STRUCTURE}, source

    @pytest.mark.parametrize("name", COMMANDS)
    def test_a_command_has_a_page_with_its_options(self, work: Path, name: str) -> None:
        assert (work / "site" / "commands" / f"{name}.html").exists()
        told = options(name)
        shown = CliRunner().invoke(group, [name, "--help"], prog_name="lolli").stdout
        for option in re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, re.MULTILINE):
            assert re.search(rf"^\| `[^`]*{option}\b", told, re.MULTILINE), option


class TestRefusals:
    """What does not become a site."""

    @pytest.fixture
    def copy(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        root = tmp_path / "checkout"
        root.mkdir()
        for file in ROOT.iterdir():
            if file.name == "docs":
                shutil.copytree(file, root / "docs")
            elif not file.name.startswith(".") and file.name != "build":
                (root / file.name).symlink_to(file)
        monkeypatch.setattr("scripts.documentation.site.ROOT", root)
        return root

    def test_a_link_to_a_heading_that_is_not_there(self, copy: Path, tmp_path: Path) -> None:
        with (copy / "docs" / "gui.md").open("a", encoding="utf-8") as page:
            page.write("\n[nowhere](uci.md#nowhere)\n")
        (tmp_path / "site").mkdir()
        with pytest.raises(DocumentationError, match="anchor does not exist"):
            build(tmp_path / "site", tmp_path / "work")
        assert (tmp_path / "site").exists()  # the old one

    def test_a_link_to_a_source_that_is_not_there(self, copy: Path, tmp_path: Path) -> None:
        (copy / "docs" / "gui.md").write_text("[nowhere](../engine/nowhere.py)", encoding="utf-8")
        with pytest.raises(DocumentationError, match=re.escape("links to engine/nowhere.py")):
            build(tmp_path / "site", tmp_path / "work")

    def test_a_page_without_a_place(self, copy: Path, tmp_path: Path) -> None:
        (copy / "docs" / "more.md").write_text("# More\n", encoding="utf-8")
        with pytest.raises(DocumentationError, match=r"no place for more\.md"):
            build(tmp_path / "site", tmp_path / "work")
