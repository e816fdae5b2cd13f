"""How a run looks: hidden, struck out, white, tiny or raised, by itself or by its styles and what they are based on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from lxml import etree

from orderly.services.document_processor.docx_package import W
from orderly.services.document_processor.docx_styles import is_on, properties_of
from orderly.services.document_processor.office_markup import is_nearly_white
from orderly.services.document_processor.symbol_fonts import is_symbol_font

_TINY = ("0", "1", "2")
"""Font sizes of invisible text, in half points."""

_COLOUR, _SIZE, _PLACE, _SHADE = W + "color", W + "sz", W + "vertAlign", W + "shd"
_RISE, _MARKER, _FONTS = W + "position", W + "highlight", W + "rFonts"
_PROPERTIES, _STYLE, _VALUE = W + "rPr", W + "rStyle", W + "val"
_FONT, _FONT_OF_ASCII = W + "hAnsi", W + "ascii"
_GROUNDS = frozenset((_SHADE, _MARKER))


@dataclass(frozen=True, slots=True)
class Look:
    """Properties of a run, or of a style. None: not stated."""

    vanish: bool | None = None
    strike: bool | None = None
    dstrike: bool | None = None
    white: bool | None = None
    tiny: bool | None = None
    raised: bool | None = None
    shaded: bool | None = None
    blotted: bool | None = None
    """The letters have the colour of their own ground, as where somebody blacks them out."""
    symbols: str | None = None
    """The symbol font; "" for a font of letters."""

    @property
    def is_struck(self) -> bool:
        return bool(self.strike or self.dstrike)

    @property
    def is_white(self) -> bool:
        return bool(self.white and not self.shaded)


PLAIN = Look()
_NAMES = tuple(field.name for field in fields(Look))


class Looks:
    """The looks that a document's styles give."""

    def __init__(self, root: etree._Element | None) -> None:
        self._nodes = {} if root is None else {node.get(W + "styleId", ""): node for node in root.iter(W + "style")}
        self._styles: dict[str, Look] = {}
        """Of the styles that were asked for: a file defines many more than it uses."""
        self._paragraphs: dict[str, Look] = {}
        """By the paragraph's style, outside tables whose style has a look."""
        default = None if root is None else root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        self._default = PLAIN if default is None else _stated(default)

    def table(self, table: etree._Element) -> Look:
        """The look that a table's style gives to its text."""
        style = table.find(f"{W}tblPr/{W}tblStyle")
        return PLAIN if style is None else self._style(style.get(W + "val", ""))

    def paragraph(self, style_id: str, ground: etree._Element | None, table: Look = PLAIN) -> Look:
        """The look of a paragraph's runs that state none, on a ground (w:shd), in a table whose style has the look `table`."""
        look = self._paragraphs.get(style_id) if table is PLAIN else None
        if look is None:
            base = self._default if table is PLAIN else _over(self._default, table)
            look = _settled(_over(base, self._style(style_id)))
            if table is PLAIN:
                self._paragraphs[style_id] = look
        return look if ground is None or not _is_coloured(ground) else replace(look, shaded=True)

    def run(self, run: etree._Element, base: Look) -> Look:
        """The look of a run in a paragraph of look `base`; `PLAIN` itself for ordinary text."""
        properties = properties_of(run, _PROPERTIES)
        if properties is None or not len(properties):
            return base
        found = _found(properties)
        style = properties[0] if properties[0].tag == _STYLE else properties.find(_STYLE)
        if style is not None and (named := self._style(style.get(W + "val", ""))) != PLAIN:
            base = _combined(base, named)
        if not found or (base is PLAIN and not any(found.values())):
            return base
        return _settled(_over(base, Look(**found)))

    def _style(self, style_id: str, seen: frozenset[str] = frozenset()) -> Look:
        node = self._nodes.get(style_id)
        if style_id in self._styles or node is None or style_id in seen:
            return self._styles.get(style_id, PLAIN)
        based_on = node.find(W + "basedOn")
        base = PLAIN if based_on is None else self._style(based_on.get(W + "val", ""), seen | {style_id})
        properties, paragraph = node.find(W + "rPr"), node.find(W + "pPr")
        look = base if properties is None else _over(base, _stated(properties))
        if paragraph is not None and _is_shaded(paragraph):
            look = replace(look, shaded=True)
        self._styles[style_id] = look
        return look


def _stated(properties: etree._Element) -> Look:
    """The look that a w:rPr element states by itself."""
    return Look(**_found(properties))


def _found(properties: etree._Element) -> dict[str, Any]:
    found: dict[str, Any] = {}
    has_ground = False
    for node in properties:
        tag = node.tag
        if tag in _READERS:
            name, read = _READERS[tag]
            if (value := read(node)) is not None:
                found[name] = found.get(name) or value
        has_ground = has_ground or tag in _GROUNDS
    if has_ground and _is_blotted(properties):
        found["blotted"] = True
    return found


def _is_tiny(size: etree._Element) -> bool:
    return size.get(_VALUE) in _TINY


def _is_superscript(place: etree._Element) -> bool:
    return place.get(_VALUE) == "superscript"


def _is_risen(rise: etree._Element) -> bool | None:
    stated = rise.get(_VALUE, "0")
    return stated != "0" if stated.isdecimal() else None


def _symbols(fonts: etree._Element) -> str | None:
    font = fonts.get(_FONT) or fonts.get(_FONT_OF_ASCII)
    return None if font is None else font if is_symbol_font(font) else ""


def _is_blotted(properties: etree._Element) -> bool:
    """Black letters under a black marker, or letters on a ground of their colour.

    Letters of automatic colour are not: Word shows them white on a dark ground.
    """
    colour, marker, ground = (properties.find(tag) for tag in (_COLOUR, _MARKER, _SHADE))
    stated = "AUTO" if colour is None else colour.get(W + "val", "auto").upper()
    if marker is not None and marker.get(W + "val") == "black":
        return stated in ("AUTO", "000000")
    return ground is not None and stated != "AUTO" and ground.get(W + "fill", "").upper() == stated


def _is_white(colour: etree._Element) -> bool:
    """Whether it is nearly white, or the colour of the theme's ground."""
    by_theme = colour.get(W + "themeColor")
    if by_theme is None:
        return is_nearly_white(colour.get(W + "val", ""))
    return by_theme in ("background1", "light1") and colour.get(W + "themeShade", "FF").upper() == "FF"


def _over(base: Look, own: Look) -> Look:
    stated = {name: value for name in _NAMES if (value := getattr(own, name)) is not None}
    return replace(base, **stated) if stated else base


def _settled(look: Look) -> Look:
    return look if any(getattr(look, name) for name in _NAMES) else PLAIN


def _combined(paragraph: Look, character: Look) -> Look:
    """A character style in a paragraph: what both switch on is off, as in Word (17.7.3 of the standard)."""
    look = _over(paragraph, character)
    if character.vanish and paragraph.vanish:
        look = replace(look, vanish=False)
    if character.strike and paragraph.strike:
        look = replace(look, strike=False)
    return _settled(look)


def _is_shaded(properties: etree._Element) -> bool:
    ground = properties.find(_SHADE)
    return ground is not None and _is_coloured(ground)


def _is_coloured(ground: etree._Element) -> bool:
    return ground.get(W + "fill", "auto").upper() not in ("AUTO", "FFFFFF")


_READERS: Mapping[object, tuple[str, Callable[[etree._Element], bool | str | None]]] = {
    **{W + name: (name, is_on) for name in ("vanish", "strike", "dstrike")},
    _COLOUR: ("white", _is_white),
    _SIZE: ("tiny", _is_tiny),
    _PLACE: ("raised", _is_superscript),
    _RISE: ("raised", _is_risen),
    _SHADE: ("shaded", lambda node: _is_coloured(node) or None),
    _FONTS: ("symbols", _symbols),
}
"""For each element in a w:rPr: what of the look it states, and how it is read. None: nothing."""
