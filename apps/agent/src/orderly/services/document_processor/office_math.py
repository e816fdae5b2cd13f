"""Formulas of Word and PowerPoint (OMML) in one line: a fraction is "1/2", not "12"."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from orderly.services.document_processor.drafts import raised_digits
from orderly.services.document_processor.office_markup import MATH

_DELETED = ("del", "moveFrom")
_PROPERTIES = ("Pr", "rPr")
_OPERATORS = "+-−±=<>≤≥ ·×÷/"


def formula(node: etree._Element) -> str:
    """The text of an element of a formula."""
    return "".join(_parts(node))


def _parts(node: etree._Element) -> Iterator[str]:
    for child in node:
        tag = etree.QName(child).localname if isinstance(child.tag, str) else ""
        if not tag or tag in _DELETED or tag.endswith(_PROPERTIES):
            continue
        if tag == "t":
            yield child.text or ""
        elif (write := _WRITERS.get(tag)) and child.tag.startswith(MATH):
            yield write(child)
        else:
            yield formula(child)


def _fraction(node: etree._Element) -> str:
    return f"{_grouped(_of(node, 'num'))}/{_grouped(_of(node, 'den'))}"


def _raised(node: etree._Element) -> str:
    power = _of(node, "sup")
    shown = raised_digits(power) if power.isdecimal() else f"^{_grouped(power)}" if power else ""
    low = _of(node, "sub")
    return f"{_grouped(_of(node, 'e'))}{f'_{_grouped(low)}' if low else ''}{shown}"


def _radical(node: etree._Element) -> str:
    degree = _of(node, "deg")
    return f"{raised_digits(degree)}√({_of(node, 'e')})"


def _sum(node: etree._Element) -> str:
    low, high = _of(node, "sub"), _of(node, "sup")
    limits = f"{f'_{_grouped(low)}' if low else ''}{f'^{_grouped(high)}' if high else ''}"
    return f"{_stated(node, 'naryPr', 'chr', '∫')}{limits} {_of(node, 'e')}"


def _bracketed(node: etree._Element) -> str:
    between = _stated(node, "dPr", "sepChr", "|")
    inner = between.join(formula(part) for part in node.iterfind(MATH + "e"))
    return f"{_stated(node, 'dPr', 'begChr', '(')}{inner}{_stated(node, 'dPr', 'endChr', ')')}"


def _matrix(node: etree._Element) -> str:
    rows = (", ".join(formula(part) for part in row.iterfind(MATH + "e")) for row in node.iterfind(MATH + "mr"))
    return "; ".join(rows)


_WRITERS = {
    "f": _fraction, "sSup": _raised, "sSub": _raised, "sSubSup": _raised, "rad": _radical, "nary": _sum, "d": _bracketed,
    "m": _matrix,
}  # fmt: skip


def _of(node: etree._Element, name: str) -> str:
    part = node.find(MATH + name)
    return "" if part is None else formula(part).strip()


def _grouped(text: str) -> str:
    """The text in brackets if it would be read otherwise beside an operator."""
    return f"({text})" if any(sign in text[1:] for sign in _OPERATORS) and not text.startswith("(") else text


def _stated(node: etree._Element, properties: str, name: str, otherwise: str) -> str:
    stated = node.find(f"{MATH}{properties}/{MATH}{name}")
    return otherwise if stated is None else stated.get(MATH + "val", "")
