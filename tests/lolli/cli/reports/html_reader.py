"""A page of HTML taken apart, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset(("br", "hr", "img", "input", "link", "meta"))
_LOADING = frozenset(("action", "background", "data", "formaction", "poster", "src", "srcset"))


@dataclass
class Element:
    """An element of a page with the text that stands in it, that of elements in it included."""

    name: str
    attributes: dict[str, str | None]
    text: str = ""


@dataclass
class Page(HTMLParser):
    source: str
    elements: list[Element] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[Element] = []
        self.feed(self.source)
        self.close()
        self.faults += [f"<{element.name}> is not closed" for element in self._open]
        self._check_references()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) < len(names):
            self.faults.append(f"<{tag}> has an attribute twice")
        element = Element(tag, dict(attrs))
        self.elements.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1].name != tag:
            self.faults.append(f"</{tag}> closes nothing")
        else:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"<![{data}]>")

    def all(self, name: str, **attributes: str) -> list[Element]:
        return [
            element
            for element in self.elements
            if element.name == name
            and all(element.attributes.get(key) == value for key, value in attributes.items())
        ]

    def one(self, name: str, **attributes: str) -> Element:
        (element,) = self.all(name, **attributes)
        return element

    def _check_references(self) -> None:
        ids = [element.attributes["id"] for element in self.elements if "id" in element.attributes]
        self.faults += [f"the id {each} is there twice" for each in set(ids) if ids.count(each) > 1]
        for element in self.elements:
            told = element.attributes
            wanted = [told.get("for"), told.get("aria-labelledby")]
            for name in ("href", "xlink:href"):
                target = told.get(name) or ""
                if target.startswith("#"):
                    wanted.append(target[1:])
                elif target:
                    self.faults.append(f"{name} leads to {target}")
            self.faults += [f"there is no id {each}" for each in wanted if each and each not in ids]
            self.faults += [f"<{element.name}> loads {told[name]}" for name in _LOADING & set(told)]
            self.faults += [f"<{element.name}> has {name}" for name in told if name.startswith("on")]
