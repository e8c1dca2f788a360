"""Self-contained HTML pages: one file each, which needs no network and allows no script but its own."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from protocol import about
from protocol.cli.reports.board_image import shared_definitions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_FOLDER = Path(__file__).parent / "page"
_STYLE, _BOARD = _FOLDER / "report.css", _FOLDER / "board.js"


def html_page(
    template: Path,
    *,
    title: str,
    style: Path | None = None,
    script: Path | None = None,
    data: Any = None,
    filters: Mapping[str, Callable[..., str]] | None = None,
    **values: Any,
) -> str:
    """The page that a template makes of `values`, which are escaped unless they are `trusted`.

    It has the common style, and that of the file `style` after it. With `script` it has a board: board.js,
    then that file, which finds `data` as JSON in the page.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([template.parent, _FOLDER]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters or {})
    code = "" if script is None else _text(_BOARD) + _text(script)
    return environment.get_template(template.name).render(
        about=about,
        title=title,
        style=trusted(_text(_STYLE) + ("" if style is None else _text(style))),
        script=trusted(code),
        script_hash=base64.b64encode(hashlib.sha256(code.encode()).digest()).decode(),
        definitions=trusted(shared_definitions()),
        data=data,
        **values,
    )


def trusted(markup: str) -> Markup:
    """Markup that is not escaped: of our own files, of python-chess, or made of numbers."""
    return Markup(markup)  # noqa: S704 - see above


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
