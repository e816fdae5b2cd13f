"""What a slide lies on: the shapes of its layout and master, and whether its ground is white."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from orderly.services.document_processor.office_markup import A, choose_alternates, is_nearly_white

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_FILLS = ("solidFill", "gradFill", "pattFill", "blipFill")
_GROUND = ("bg1", "lt1")
"""Colours of the theme that are its ground, as a rule white."""


def shapes_beneath(slide: Any) -> Iterator[Any]:
    """The shapes of master and layout that the slide shows, without placeholders: those show their own texts nowhere."""
    layout = slide.slide_layout
    if _is_off(slide._element):
        return
    for sheet in (*(() if _is_off(layout._element) else (layout.slide_master,)), layout):
        choose_alternates(sheet._element)
        yield from (shape for shape in sheet.shapes if not shape.is_placeholder)


def has_white_ground(slide: Any) -> bool:
    """Whether nothing but white can lie under the slide's words: no picture, no filled shape, no ground of another colour."""
    sheets = (slide, slide.slide_layout, slide.slide_layout.slide_master)
    roots = [sheet._element for sheet in sheets]
    if any(_is_filled(root) for root in roots):
        return False
    return all(_is_white_fill(ground) for root in roots for ground in root.iter(_P + "bg"))


def is_white_run(properties: etree._Element | None) -> bool:
    """Whether a run states white letters."""
    fill = None if properties is None else properties.find(A + "solidFill")
    return fill is not None and _is_white_fill(fill)


def is_off_slide(shape: Any, width: int, height: int) -> bool:
    """Whether the shape lies beside the slide. Shapes without a place of their own have that of their layout."""
    if shape.left is None or shape.top is None or shape.width is None or shape.height is None:
        return False
    across = shape.left + shape.width <= 0 or shape.left >= width
    return bool(across or shape.top + shape.height <= 0 or shape.top >= height)


def _is_off(sheet: etree._Element) -> bool:
    return sheet.get("showMasterSp") in ("0", "false")


def _is_filled(root: etree._Element) -> bool:
    if next(root.iter(A + "blip", A + "tbl"), None) is not None:
        return True
    styled = any(style.find(A + "fillRef") is not None for style in root.iter(_P + "style"))
    return styled or any(shape.find(A + fill) is not None for shape in root.iter(_P + "spPr") for fill in _FILLS)


def _is_white_fill(node: etree._Element) -> bool:
    """Whether every colour below `node` is white: stated, or the ground of the theme without a change to it."""
    stated = [colour for colour in node.iter(A + "srgbClr", A + "schemeClr", A + "sysClr", A + "prstClr")]
    return bool(stated) and all(_is_white(colour) for colour in stated)


def _is_white(colour: etree._Element) -> bool:
    if colour.tag == A + "schemeClr":
        return colour.get("val") in _GROUND and not len(colour)
    if colour.tag == A + "srgbClr":
        return is_nearly_white(colour.get("val", ""))
    return colour.get("val") in ("white", "window")
