"""What Word, Excel and PowerPoint files have in common: names of elements, alternates, the Strict notation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
V = "{urn:schemas-microsoft-com:vml}"

_NEARLY_WHITE = 0xF0
"""Each part of a colour that nobody sees on white."""

_STRICT_MARK = b"http://purl.oclc.org/ooxml/"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_KNOWN = ("http://schemas.microsoft.com/office/", "http://schemas.openxmlformats.org/")
"""Namespaces that Office's own programs understand begin so."""


def is_nearly_white(colour: str) -> bool:
    """Whether a colour ("FFFFFF", or with its opacity before it) cannot be seen on white."""
    try:
        parts = bytes.fromhex(colour[-6:])
    except ValueError:
        return False
    return len(parts) == 3 and min(parts) >= _NEARLY_WHITE


def is_strict(part: bytes) -> bool:
    return _STRICT_MARK in part


def as_usual(part: bytes) -> bytes:
    """A part of an ISO Strict file with the usual names: the two notations differ in their namespaces only."""
    if not is_strict(part):
        return part
    return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", part)


def chosen(alternates: etree._Element) -> etree._Element | None:
    """The one form of an mc:AlternateContent that Office shows: the first that it understands, else the fallback."""
    for choice in alternates.findall(MC + "Choice"):
        wanted = [choice.nsmap.get(prefix) or "" for prefix in choice.get("Requires", "").split()]
        if all(name.startswith(_KNOWN) for name in wanted):
            return choice
    return alternates.find(MC + "Fallback")


def choose_alternates(root: etree._Element) -> None:
    """Puts the form that Office shows in the place of each mc:AlternateContent below `root`."""
    for node in list(root.iter(MC + "AlternateContent")):
        parent, form = node.getparent(), chosen(node)
        if parent is None:
            continue
        for child in reversed([] if form is None else list(form)):
            node.addnext(child)
        parent.remove(node)


def shown_elements(node: etree._Element) -> Iterator[etree._Element]:
    """All elements below `node`, of alternates the form that Office shows."""
    for child in node:
        if child.tag == MC + "AlternateContent":
            form = chosen(child)
            if form is not None:
                yield from shown_elements(form)
        elif isinstance(child.tag, str):
            yield child
            yield from shown_elements(child)
