"""Pages from templates, and the packages that they need."""

from __future__ import annotations

import base64
import hashlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.system import installation
from lolli.cli.given_file import BadInputError
from protocol import about

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from markupsafe import Markup

_PACKAGES = frozenset(("matplotlib", "numpy", "resvg_py"))


@contextmanager
def needing_packages(command: str) -> Iterator[None]:
    """For imports that need the extra `report`. Raises BadInputError if it is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        advice = installation.to_add("report")
        raise BadInputError(f"{command} needs additional packages: {advice}") from None


def picture_kind(name: str) -> str:
    """`svg` or `png`, from the ending of a file's name. Raises BadInputError for any other."""
    kind = Path(name).suffix.lower().removeprefix(".")
    if kind not in {"svg", "png"}:
        raise BadInputError(f"{name}: unsupported image type {Path(name).suffix!r}: use .svg or .png")
    return kind


_FOLDER = Path(__file__).parent / "page"
STYLE, BOARD = _FOLDER / "report.css", _FOLDER / "board.js"


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

    `values` are escaped unless they are `trusted`. The scripts find `data` as JSON in the page. What UTF-8
    cannot hold, as in the names of some files, becomes a question mark.
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
    page = environment.get_template(template.name).render(
        about=about,
        title=title,
        style=trusted(style),
        script=trusted(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        definitions=trusted(definitions),
        data=data,
        **values,
    )
    return page.encode(errors="replace").decode()


def trusted(markup: str) -> Markup:
    """Markup that is not escaped: of our own files, of python-chess, or made of numbers."""
    from markupsafe import Markup  # noqa: PLC0415 - an extra

    return Markup(markup)  # noqa: S704 - see above
