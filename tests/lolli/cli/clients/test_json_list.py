"""Items of a list in a JSON file: what is added, and that every other byte stays as it was."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lolli.cli.clients import JsonList, JsonStyle

STYLES = (
    JsonStyle("\t", " : ", "\n", sort_keys=True),
    JsonStyle(" ", sort_keys=True),
    JsonStyle("    ", ascii_only=False),
)
ITEM = {"name": "Lolli", "options": [{"name": "Hash", "value": 16}], "path": "/ö/run"}

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
layouts = st.sampled_from([{}, {"indent": 1}, {"indent": "\t"}, {"indent": 4, "ensure_ascii": False}])


@given(st.lists(values, max_size=4), layouts, st.sampled_from(STYLES), st.sampled_from(["", "\n", "\r\n "]))
def test_an_item_more(items: list[Any], layout: dict[str, Any], style: JsonStyle, ending: str) -> None:
    text = ending + json.dumps(items, **layout) + ending
    listed = JsonList(text, style)
    assert listed.items == items
    longer = listed.with_item(ITEM)
    assert json.loads(longer) == [*items, ITEM]
    assert longer.startswith(text.rstrip()[:-1].rstrip())
    assert longer.endswith("]" + ending)


@given(st.lists(values, min_size=1, max_size=4), layouts, st.sampled_from(STYLES), st.data())
def test_another_item_in_place_of_one(
    items: list[Any], layout: dict[str, Any], style: JsonStyle, data: st.DataObject
) -> None:
    text = json.dumps(items, **layout)
    index = data.draw(st.integers(0, len(items) - 1))
    changed = JsonList(text, style).with_replaced(index, ITEM)
    assert json.loads(changed) == [*items[:index], ITEM, *items[index + 1 :]]
    assert changed.startswith(json.dumps(items[:index], **layout)[:-1].rstrip())
    assert changed.endswith(json.dumps(items[index + 1 :], **layout)[1:].lstrip())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[{"name": "Fruit"}', "line 1"),
        ('[\n{"name" "Fruit"}\n]', "line 2"),
        ('{"name": "Fruit"}', "not a list"),
        ("null", "not a list"),
        ("[1] [2]", "Extra data"),
    ],
)
def test_what_is_not_a_list(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        JsonList(text, STYLES[0])


def test_line_ends_of_windows() -> None:
    text = '[\r\n\t{\r\n\t\t"name" : "Fruit"\r\n\t}\r\n]\r\n'
    longer = JsonList(text, STYLES[0]).with_item(ITEM)
    assert longer.count("\n") == longer.count("\r\n")
