"""Outline level and numbering of paragraph styles, resolved along `basedOn`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from lxml import etree

from orderly.services.document_processor.docx_package import W

_HEADING_NAME = re.compile(r"heading ([1-9])$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Style:
    outline: int | None = None
    """0-based; None for body text."""
    num_id: str | None = None
    ilvl: int | None = None


NO_STYLE = Style()


def read_styles(root: etree._Element | None) -> tuple[Mapping[str, Style], str | None]:
    """Reads paragraph styles by id, and the id of the default style."""
    if root is None:
        return {}, None
    nodes = {node.get(W + "styleId", ""): node for node in root.iter(W + "style") if node.get(W + "type") == "paragraph"}
    resolved: dict[str, Style] = {}
    for style_id in nodes:
        _resolve(style_id, nodes, resolved, frozenset())
    default = next((key for key, node in nodes.items() if node.get(W + "default") in ("1", "true", "on")), None)
    return resolved, default


def _resolve(style_id: str, nodes: Mapping[str, etree._Element], resolved: dict[str, Style], seen: frozenset[str]) -> Style:
    if style_id in resolved:
        return resolved[style_id]
    node = nodes.get(style_id)
    if node is None or style_id in seen:
        return NO_STYLE
    based_on = node.find(W + "basedOn")
    parent = based_on.get(W + "val", "") if based_on is not None else ""
    base = _resolve(parent, nodes, resolved, seen | {style_id}) if parent else NO_STYLE
    resolved[style_id] = _own(node, base)
    return resolved[style_id]


def _own(node: etree._Element, base: Style) -> Style:
    outline = value_of(node, "pPr/outlineLvl")
    name = node.find(W + "name")
    by_name = _HEADING_NAME.match(name.get(W + "val", "")) if name is not None else None
    style = base
    if (level := whole_number(outline)) is not None:
        style = replace(style, outline=level if level < 9 else None)
    elif by_name:
        style = replace(style, outline=int(by_name[1]) - 1)
    num_id, ilvl = value_of(node, "pPr/numPr/numId"), value_of(node, "pPr/numPr/ilvl")
    if num_id is not None:
        style = replace(style, num_id=num_id, ilvl=None)
    place = whole_number(ilvl)
    return replace(style, ilvl=place) if place is not None else style


def whole_number(text: str | None) -> int | None:
    """The number of an attribute; None for anything else, as a malformed or hostile file has it."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else None


def children(node: etree._Element | None) -> Mapping[str, etree._Element]:
    """The elements right below `node` by their tags."""
    return {} if node is None else {str(child.tag): child for child in node}


def properties_of(node: etree._Element, tag: str) -> etree._Element | None:
    """The element that states the properties of a paragraph (w:pPr) or a run (w:rPr): the first in it, as a rule."""
    if len(node) and node[0].tag == tag:
        return node[0]
    return node.find(tag)


def is_on(switch: etree._Element | None) -> bool:
    """Whether an element such as w:vanish is there and not switched off."""
    return switch is not None and switch.get(W + "val", "1") not in ("0", "false", "off")


def value_of(node: etree._Element, path: str) -> str | None:
    """The w:val of the element at `path` ("pPr/numPr/numId"), or None."""
    found = node.find(_qualified(path))
    return found.get(W + "val") if found is not None else None


@cache
def _qualified(path: str) -> str:
    return "/".join(W + step for step in path.split("/"))
