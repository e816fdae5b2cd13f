"""How HTML elements look: hidden, struck out or raised, by their tag, their style or the page's style sheets."""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml.html import HtmlElement

from orderly.services.document_processor.drafts import raised_digits
from orderly.services.document_processor.html_properties import IMPORTANT, NONE, STRUCK, WHITE
from orderly.services.document_processor.html_styles import Fitting, Style, StyleSheets, read_declarations

_STRUCK = frozenset(("s", "strike", "del"))
_HIDING = (
    "display", "visibility", "color", "transform", "clip-path", "font-size", "opacity", "text-indent", "left", "top",
)  # fmt: skip
_SIDES = ("height", "max-height", "width", "max-width")
_NUMBERS = re.compile(r"[\d\s,–-]+")


class Look(NamedTuple):
    """How an element looks by itself."""

    hidden: bool = False
    white: bool = False
    """Its letters are hidden unless it or an element around it has a ground."""
    ground: bool = False
    struck: bool = False
    raised: bool = False
    symbol_font: str = ""
    list_style: str = ""


_FONT = ("color", "font-family")
"""What the attributes of a font element mean."""
_OWN = {"font": ("color", "face"), "dialog": ("open",)}
"""Attributes by which some elements look as they do, besides class, id, style, `hidden` and `popover`."""


class Looks:
    """Judges the elements of a page. Elements with the same tag, attributes and rules look alike and are judged once."""

    def __init__(self) -> None:
        self._sheets = StyleSheets()
        self._judged: dict[tuple[object, ...], Look] = {}

    @property
    def words_by_sheet(self) -> bool:
        return self._sheets.write

    def add_sheets(self, root: HtmlElement) -> None:
        """Takes the rules of the page's style elements."""
        for sheet in root.iter("style"):
            self.add_sheet(sheet.text or "")

    def add_sheet(self, sheet: str) -> None:
        self._sheets.add(sheet)
        self._judged.clear()

    def of(self, node: HtmlElement) -> Look:
        tag, style = str(node.tag), node.get("style")
        fitting = self._sheets.fitting(node)
        hidden = node.get("hidden") is not None or node.get("popover") is not None
        own = tuple(map(node.get, _OWN[tag])) if tag in _OWN else ()
        key = (tag, style, fitting, hidden, own)
        look = self._judged.get(key)
        if look is None:
            look = self._judged[key] = self._judge(tag, style, fitting, hidden, own)
        return look

    def is_hidden(self, node: HtmlElement, look: Look) -> bool:
        """Whether an element is hidden. White letters are, unless the element or one around it has a ground."""
        if look.hidden or not look.white:
            return look.hidden
        return not any(up.get("bgcolor") or self.of(up).ground for up in (node, *node.iterancestors()))

    def list_style(self, node: HtmlElement) -> str:
        """The stated list-style-type of a list item or the list around it; "" if none is."""
        around = next(node.iterancestors("ol", "ul", "menu"), None)
        return self.of(node).list_style or (self.of(around).list_style if around is not None else "")

    def _judge(self, tag: str, style: str | None, fitting: Fitting, hidden: bool, own: tuple[str | None, ...]) -> Look:
        said = self._sheets.style(fitting)
        if tag == "font":
            said |= read_declarations(";".join(f"{name}:{value}" for name, value in zip(_FONT, own, strict=True) if value))
        if style:
            said |= read_declarations(style)
        said |= {name[1:]: value for name, value in said.items() if name.startswith(IMPORTANT)}
        if tag == "dialog" and own[0] is None:
            hidden = hidden or said.get("display", NONE) == NONE
        line = said.get("text-decoration")
        return Look(
            hidden or _is_hidden(said),
            said.get("color") == WHITE,
            any(said.get(name) for name in ("background", "background-color", "background-image")),
            line != NONE if tag in _STRUCK else STRUCK in (line, said.get("text-decoration-line")),
            tag == "sup" or said.get("vertical-align") == "super",
            said.get("font-family", ""),
            said.get("list-style-type") or said.get("list-style", ""),
        )


def raised_number(node: HtmlElement) -> str:
    """The raised signs of a raised number, so that it is no digit of a sum before it; "" for other words."""
    text = node.text_content().strip()
    return raised_digits(text) if _NUMBERS.fullmatch(text) else ""


def _is_hidden(said: Style) -> bool:
    return any(said.values()) and (
        any(said.get(name) == NONE for name in _HIDING)
        or (said.get("position") == "absolute" and said.get("clip") == NONE)
        or (said.get("overflow") == "hidden" and any(said.get(side) == NONE for side in _SIDES))
    )
