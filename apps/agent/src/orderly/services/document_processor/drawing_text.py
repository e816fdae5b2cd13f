"""Text of DrawingML bodies: shapes of PowerPoint and Excel, titles of charts, SmartArt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lxml import etree

from orderly.services.document_processor.drafts import raised_digits
from orderly.services.document_processor.office_markup import MATH, A, shown_elements
from orderly.services.document_processor.office_math import formula
from orderly.services.document_processor.symbol_fonts import as_drawn, is_symbol_font

_NUMBERS = re.compile(r"[\d\s,–-]+")
_PRIVATE = re.compile("[\uf020-\uf0ff]")
Apart = Callable[[etree._Element | None, str], bool]
"""Keeps words apart by the properties of their run (a:rPr); False: they are live."""


def body_text(body: etree._Element, apart: Apart | None = None) -> str:
    """The paragraphs of a text body, a line each, without the words that `apart` keeps."""
    return "\n".join(line for line in body_lines(body, apart) if line.strip())


def body_lines(body: etree._Element, apart: Apart | None = None) -> Iterator[str]:
    for paragraph in body.iter(A + "p"):
        yield "".join(_words(paragraph, apart)).strip()


def without_struck(struck: list[str]) -> Apart:
    """Keeps struck words apart, in `struck`."""

    def keep(properties: etree._Element | None, words: str) -> bool:
        if not is_struck(properties):
            return False
        struck.append(words)
        return True

    return keep


def is_struck(properties: etree._Element | None) -> bool:
    return properties is not None and properties.get("strike", "noStrike") != "noStrike"


def _words(paragraph: etree._Element, apart: Apart | None) -> Iterator[str]:
    for node in shown_elements(paragraph):
        if node.tag == A + "br":
            yield "\n"
        elif node.tag == A + "tab":
            yield "\t"
        elif node.tag == MATH + "oMath":
            yield formula(node)
        elif node.tag == A + "t":
            words = (node.text or "").replace("\x0b", "\n")
            properties = _properties(node)
            if apart is None or not words.strip() or not apart(properties, words):
                yield words if properties is None else _as_drawn(words, properties)


def _as_drawn(words: str, properties: etree._Element) -> str:
    """A raised number is no digit of a sum before it, and letters of a symbol font are drawn as other signs."""
    for font in properties.iterchildren(A + "latin", A + "sym"):
        if is_symbol_font(font.get("typeface")) and (font.tag == A + "latin" or _PRIVATE.search(words)):
            return as_drawn(words, font.get("typeface"))
    raised = properties.get("baseline", "0")
    return raised_digits(words) if raised.rstrip("%").isdecimal() and raised != "0" and _NUMBERS.fullmatch(words) else words


def _properties(text: etree._Element) -> etree._Element | None:
    run = text.getparent()
    return None if run is None else run.find(A + "rPr")
