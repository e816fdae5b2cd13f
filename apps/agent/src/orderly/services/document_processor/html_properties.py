"""What the values of style properties mean for words: a word of this module, or "" for nothing. Nothing else is kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from orderly.services.document_processor.html_elements import LIST_STYLES
from orderly.services.document_processor.office_markup import is_nearly_white
from orderly.services.document_processor.symbol_fonts import is_symbol_font

NONE = "none"
"""Nothing is shown, or nothing is left of a size."""
WHITE = "white"
STATED = "stated"
IMPORTANT = "!"
"""Before the name of a property that holds before those of other rules and of the element itself."""
STRUCK = "line-through"

_NOTHING = re.compile(r"0+(?:\.0*)?(?:px|pt|em|rem|%|in|cm|mm)?")
_FAR_AWAY = re.compile(r"-\d{3,}(?:\.\d+)?(?:px|pt|em|rem)")
_CUT = re.compile(r"rect\s*\(\s*[01](?:px)?[\s,)]")
_NO_COLOUR = re.compile(r"transparent|rgba\((?:[^,]*,){3}0(?:\.0*)?%?\)|#[0-9a-f]{3}0|#[0-9a-f]{6}00")
_HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})(?:[0-9a-f]{1,2})?")
_RGB = re.compile(r"rgba?\((\d+),(\d+),(\d+)[,)]")
_WRITES = re.compile(r"counters?\(|attr\(|[\"'][^\"']*\w\w")
_ESCAPED = re.compile(r"\\[0-9a-f]{1,6}")
"""Bullets and icons, which are no words."""
_NO_SIZE = re.compile(r"scale[xy]?\(0(?:\.0*)?[,)]|inset\((?:50|100)%|circle\(0")
"""Of a transformation, or of what is clipped: nothing is left."""


@lru_cache(maxsize=1024)  # a page repeats few declarations in many styles
def read_declaration(text: str) -> tuple[str, str] | None:
    """The property of a declaration and what it says; None for a property that does not decide how words look."""
    name, colon, value = text.partition(":")
    name = name.strip().lower()
    kind = _PROPERTIES.get(name) if colon else None
    if kind is None:
        return None
    stated, mark, _ = value.strip().lower().partition("!")
    return (IMPORTANT if mark else "") + name, kind(stated.strip())


def _size(value: str) -> str:
    return NONE if _NOTHING.fullmatch(value) else ""


def _place(value: str) -> str:
    return NONE if _FAR_AWAY.fullmatch(value) else ""


def _clip(value: str) -> str:
    return NONE if _CUT.match(value) else ""


def _shape(value: str) -> str:
    return NONE if _NO_SIZE.search(value) else ""


def _colour(value: str) -> str:
    value = value.replace(" ", "") if value.startswith("rgb") else value
    if _NO_COLOUR.fullmatch(value):
        return NONE
    if found := _HEX.fullmatch(value):
        white = is_nearly_white(found[1] if len(found[1]) == 6 else "".join(sign * 2 for sign in found[1]))
    elif parts := _RGB.match(value):
        white = is_nearly_white("".join(f"{min(int(part), 255):02x}" for part in parts.groups()))
    else:
        white = value == WHITE
    return WHITE if white else ""


def _line(value: str) -> str:
    return NONE if NONE in value else STRUCK if STRUCK in value else ""


def _font(value: str) -> str:
    first = value.partition(",")[0]
    return first if is_symbol_font(first) else ""


def _label(value: str) -> str:
    return next((word for word in reversed(value.split()) if word in LIST_STYLES), "")


def _only(*words: str) -> Callable[[str], str]:
    return lambda value: value if value in words else ""


_PROPERTIES: dict[str, Callable[[str], str]] = {
    "display": _only(NONE),
    "visibility": lambda value: NONE if value in ("hidden", "collapse") else "",
    **dict.fromkeys(("font-size", "opacity", "height", "max-height", "width", "max-width"), _size),
    **dict.fromkeys(("text-indent", "left", "top"), _place),
    **dict.fromkeys(("transform", "clip-path"), _shape),
    "clip": _clip,
    "color": _colour,
    **dict.fromkeys(("background", "background-color", "background-image"), lambda value: STATED),
    **dict.fromkeys(("text-decoration", "text-decoration-line"), _line),
    "font-family": _font,
    **dict.fromkeys(("list-style", "list-style-type"), _label),
    "overflow": _only("hidden"),
    "position": _only("absolute"),
    "vertical-align": _only("super"),
    "content": lambda value: STATED if _WRITES.search(_ESCAPED.sub("", value)) else "",
}
