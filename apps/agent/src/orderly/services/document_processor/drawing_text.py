"""Text of DrawingML bodies: shapes of PowerPoint and Excel, titles of charts, SmartArt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lxml import etree

from orderly.services.document_processor.docx_styles import whole_number
from orderly.services.document_processor.drafts import raised_digits
from orderly.services.document_processor.list_numbers import write_number
from orderly.services.document_processor.office_markup import MATH, A, shown_elements
from orderly.services.document_processor.office_math import formula
from orderly.services.document_processor.symbol_fonts import as_drawn, is_symbol_font

_NUMBERS = re.compile(r"[\d\s,–-]+")
_AUTO = re.compile(r"(?P<form>arabic|alphaLc|alphaUc|romanLc|romanUc)(?P<around>ParenBoth|ParenR|Period|Plain)")
_FORMS = {
    "arabic": "decimal", "alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman",
}  # fmt: skip
_AROUND = {"ParenBoth": ("(", ")"), "ParenR": ("", ")"), "Period": ("", "."), "Plain": ("", "")}
_PRIVATE = re.compile("[\uf020-\uf0ff]")
Apart = Callable[[etree._Element | None, str], bool]
"""Keeps words apart by the properties of their run (a:rPr); False: they are live."""


def body_text(body: etree._Element, apart: Apart | None = None) -> str:
    """The paragraphs of a text body, a line each, without the words that `apart` keeps."""
    return "\n".join(line for line in body_lines(body, apart) if line.strip())


def body_lines(body: etree._Element, apart: Apart | None = None) -> Iterator[str]:
    numbers = _Numbers()
    for paragraph in body.iter(A + "p"):
        words = "".join(_words(paragraph, apart)).strip()
        yield numbers.label(paragraph) + words if words else ""


class _Numbers:
    """Automatic numbers of paragraphs (a:buAutoNum), which are drawn and not stored."""

    def __init__(self) -> None:
        self._counted: dict[int, tuple[str, int]] = {}
        """Form and last number by level."""

    def label(self, paragraph: etree._Element) -> str:
        properties = paragraph.find(A + "pPr")
        level = whole_number(properties.get("lvl", "0")) or 0 if properties is not None else 0
        self._counted = {at: counted for at, counted in self._counted.items() if at <= level}
        auto = None if properties is None else properties.find(A + "buAutoNum")
        found = None if auto is None else _AUTO.fullmatch(auto.get("type", ""))
        if auto is None or found is None:
            self._counted.pop(level, None)
            return ""
        form, last = self._counted.get(level, ("", 0))
        number = last + 1 if form == found[0] else whole_number(auto.get("startAt")) or 1
        self._counted[level] = (found[0], number)
        before, after = _AROUND[found["around"]]
        return f"{before}{write_number(number, _FORMS[found['form']])}{after} "


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
