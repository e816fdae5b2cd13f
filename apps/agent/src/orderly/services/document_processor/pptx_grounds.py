"""What a slide lies on: the shapes of its layout and master, and whether its ground is white."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lxml import etree

from orderly.services.document_processor.office_markup import A, choose_alternates, is_nearly_white

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_FILLS = ("solidFill", "gradFill", "pattFill", "blipFill")
_PLACES = (f"{_P}spPr/{A}xfrm", f"{_P}grpSpPr/{A}xfrm", _P + "xfrm")
_GROUND = ("bg1", "lt1")
"""Colours of the theme that are its ground, as a rule white."""


@dataclass(frozen=True, slots=True)
class _Layout:
    shapes: list[Any]
    """Of the layout and its master, without placeholders: those show their own texts nowhere."""
    is_white: bool


class Grounds:
    """What the slides of a presentation lie on. Layouts serve many slides, and are looked at once."""

    def __init__(self) -> None:
        self._layouts: dict[str, _Layout] = {}

    def shapes_beneath(self, slide: Any) -> list[Any]:
        """The shapes of master and layout that the slide shows."""
        return [] if _is_off(slide._element) else self._layout(slide).shapes

    def is_white(self, slide: Any) -> bool:
        """Whether nothing but white can lie under the slide's words: no picture, filled shape or ground of another colour."""
        return self._layout(slide).is_white and _is_white_sheet(slide._element)

    def _layout(self, slide: Any) -> _Layout:
        layout = slide.slide_layout
        name = str(layout.part.partname)
        if name not in self._layouts:
            master = layout.slide_master
            shown = (layout,) if _is_off(layout._element) else (master, layout)
            for sheet in shown:
                choose_alternates(sheet._element)
            shapes = [shape for sheet in shown for shape in sheet.shapes if not shape.is_placeholder]
            self._layouts[name] = _Layout(shapes, all(_is_white_sheet(sheet._element) for sheet in (layout, master)))
        return self._layouts[name]


def is_white_run(properties: etree._Element | None) -> bool:
    """Whether a run states white letters."""
    fill = None if properties is None else properties.find(A + "solidFill")
    return fill is not None and _is_white_fill(fill)


def is_off_slide(shape: Any, width: int, height: int) -> bool:
    """Whether the shape lies beside the slide. Shapes without a place of their own have that of their layout."""
    place = next((found for path in _PLACES if (found := shape._element.find(path)) is not None), None)
    corner, size = (None, None) if place is None else (place.find(A + "off"), place.find(A + "ext"))
    if corner is None or size is None:
        return False
    left, top = int(corner.get("x", "0")), int(corner.get("y", "0"))
    across = left + int(size.get("cx", "0")) <= 0 or left >= width
    return across or top + int(size.get("cy", "0")) <= 0 or top >= height


def _is_off(sheet: etree._Element) -> bool:
    return sheet.get("showMasterSp") in ("0", "false")


def _is_white_sheet(root: etree._Element) -> bool:
    return not _is_filled(root) and all(_is_white_fill(ground) for ground in root.iter(_P + "bg"))


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
