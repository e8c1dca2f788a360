"""Pages from templates, the files that pages and pictures are written to, and the packages needed."""

from __future__ import annotations

import base64
import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedWriter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.system import files, installation
from lolli.cli import given_file
from lolli.cli.given_file import STDIO
from lolli.cli.terminal.console import messages
from protocol import about
from protocol.text import escaped_lines

if TYPE_CHECKING:
    from markupsafe import Markup

_PACKAGES = frozenset(("matplotlib", "numpy", "resvg_py"))


class ReportError(Exception):
    """Why a picture or a page cannot be made, in one line."""


@contextmanager
def needing_packages(command: str) -> Iterator[None]:
    """For imports that need the extra `report`. Raises ReportError if it is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise ReportError(f"{command} needs additional packages: {installation.to_add('report')}") from None


def picture_kind(name: str) -> str:
    """`svg` or `png`, from the ending of a file's name. Raises ReportError for any other."""
    kind = Path(name).suffix.lower().removeprefix(".")
    if kind not in {"svg", "png"}:
        raise ReportError(f"{name}: unsupported image type {Path(name).suffix!r}: use .svg or .png")
    return kind


def check_target(name: str, *sources: str) -> None:
    """Raises ReportError if the file cannot be created, or is one of the sources."""
    path = Path(name)
    if name == STDIO:
        return
    if not name:
        raise ReportError("the name of the file is empty")
    if path.is_dir():
        raise ReportError(f"{name} is a folder")
    if not path.parent.is_dir():
        raise ReportError(f"{name}: no such folder")
    for source in sources:
        if Path(source).exists() and path.exists() and path.samefile(source):
            raise ReportError(f"{source} would be overwritten: choose another name")


def write_result(name: str, content: str | bytes) -> None:
    """Write to the file of that name, and report it on stderr; `-` is stdout. Raises ReportError."""
    data = content.encode() if isinstance(content, str) else content
    if name == STDIO:
        sys.stdout.buffer.write(escaped_lines(data) if sys.stdout.isatty() else data)
        sys.stdout.buffer.flush()
        return
    try:
        if given_file.is_stream(name):
            with BufferedWriter(given_file.open_stream(name)) as file:
                file.write(data)
        else:
            files.write_whole(name, data)
    except OSError as error:
        raise ReportError(f"{name}: {error.strerror}") from None
    messages().print(f"wrote {name}")


_FOLDER = Path(__file__).parent / "page"
STYLE, BOARD = _FOLDER / "report.css", _FOLDER / "board.js"
"""The style of all pages of games, and the script of those with a board."""


def html_page(
    template: Path,
    *,
    title: str,
    styles: Sequence[Path] = (STYLE,),
    scripts: Sequence[Path] = (),
    definitions: str = "",
    data: Any = None,
    filters: Mapping[str, Callable[..., str]] | None = None,
    **values: Any,
) -> str:
    """A self-contained page, which needs no network and allows no script but its own.

    A template, which extends frame.html, makes it of `values`, which are escaped unless they are `trusted`.
    `definitions` are what its drawings share. The scripts find `data` as JSON in the page.
    """
    import jinja2  # noqa: PLC0415 - for pages alone

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([template.parent, _FOLDER]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters or {})
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    style, script = (
        "".join(path.read_text(encoding="utf-8") for path in paths) for paths in (styles, scripts)
    )
    return environment.get_template(template.name).render(
        about=about,
        title=title,
        style=trusted(style),
        script=trusted(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        definitions=trusted(definitions),
        data=data,
        **values,
    )


def trusted(markup: str) -> Markup:
    """Markup that is not escaped: of our own files, of python-chess, or made of numbers."""
    from markupsafe import Markup  # noqa: PLC0415 - an extra

    return Markup(markup)  # noqa: S704 - see above
