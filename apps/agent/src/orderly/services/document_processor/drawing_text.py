"""Text of DrawingML bodies: shapes of PowerPoint and Excel, titles of charts, SmartArt."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from orderly.services.document_processor.office_markup import MATH, A, shown_elements


def body_text(body: etree._Element, struck: list[str] | None = None) -> str:
    """The paragraphs of a text body, a line each. Struck words are left out and appended to `struck`."""
    return "\n".join(line for line in body_lines(body, struck) if line.strip())


def body_lines(body: etree._Element, struck: list[str] | None = None) -> Iterator[str]:
    for paragraph in body.iter(A + "p"):
        yield "".join(_words(paragraph, struck)).strip()


def _words(paragraph: etree._Element, struck: list[str] | None) -> Iterator[str]:
    for node in shown_elements(paragraph):
        if node.tag == A + "br":
            yield "\n"
        elif node.tag == A + "tab":
            yield "\t"
        elif node.tag == MATH + "t":
            yield node.text or ""
        elif node.tag == A + "t":
            words = (node.text or "").replace("\x0b", "\n")
            if struck is None or not _is_struck(node):
                yield words
            elif words.strip():
                struck.append(words)


def _is_struck(text: etree._Element) -> bool:
    run = text.getparent()
    properties = None if run is None else run.find(A + "rPr")
    return properties is not None and properties.get("strike", "noStrike") != "noStrike"
