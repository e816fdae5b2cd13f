"""A paragraph's text as Word shows it when every tracked change is accepted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from orderly.services.document_processor.docx_package import W

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"

_FIXED = {
    W + "tab": "\t",
    W + "ptab": "\t",
    W + "br": "\n",
    W + "cr": "\n",
    W + "noBreakHyphen": "-",
    W + "softHyphen": "",
}
PAGE_BREAK = "\f"
"""Placeholder for a hard page break until the paragraph is written."""

_SKIPPED = frozenset(
    W + name
    for name in (
        "pPr", "rPr", "instrText", "delInstrText", "fldChar", "rt", "rubyPr", "sdtPr", "sdtEndPr",
        "commentReference", "bookmarkStart", "bookmarkEnd", "proofErr", "lastRenderedPageBreak",
        "annotationRef", "footnoteRef", "endnoteRef",
    )
) | {_MC + "Fallback"}  # fmt: skip
_TINY = ("0", "1", "2")
"""Font sizes of invisible text, in half points."""

_SYMBOLS = {0xA8: "☐", 0x6F: "☐", 0xFE: "☑", 0xFD: "☒", 0xFC: "✓", 0xFB: "✗", 0xB7: "•", 0xA7: "▪", 0xD8: "➢"}
_INSERTED = frozenset({W + "ins", W + "moveTo"})
_DELETED = frozenset({W + "del", W + "moveFrom"})


@dataclass(slots=True)
class Aside:
    """Findings of the walk that are not part of the running text."""

    changes: list[dict[str, object]] = field(default_factory=list)
    """{kind, author, date, text, at}; `Story.write` sets the offset `at`."""
    hidden: list[str] = field(default_factory=list)
    boxes: list[etree._Element] = field(default_factory=list)
    """w:txbxContent elements in order, until the paragraph that anchors them is written."""
    footnotes: list[str] = field(default_factory=list)
    """Ids in Word's numbering order."""
    endnotes: list[str] = field(default_factory=list)


def text_of(paragraph: etree._Element, aside: Aside) -> str:
    return "".join(_walk(paragraph, aside)).replace("\xa0", " ")


def _walk(node: etree._Element, aside: Aside) -> Iterator[str]:
    for child in node:
        tag = child.tag
        if tag == W + "t" or tag == _MATH_TEXT:
            yield "".join(map(str, child.itertext())) if len(child) else child.text or ""  # entities are shown by name
        elif tag == W + "r":
            if _is_hidden(child):
                aside.hidden.append(plain_text(child, W + "t"))
            else:
                yield from _walk(child, aside)
        elif tag in _FIXED:
            yield PAGE_BREAK if child.get(W + "type") == "page" else _FIXED[tag]
        elif tag not in _SKIPPED:
            yield from _special(child, aside)


def _special(node: etree._Element, aside: Aside) -> Iterator[str]:
    tag = node.tag
    if tag in _DELETED:
        note_change("deletion" if tag == W + "del" else "move away", node, aside, "".join(_deleted_text(node)))
    elif tag in _INSERTED:
        text = "".join(_walk(node, aside))
        note_change("insertion" if tag == W + "ins" else "move here", node, aside, text)
        yield text
    elif tag == W + "txbxContent":
        aside.boxes.append(node)
    elif tag == W + "sym":
        yield _symbol(node.get(W + "char", ""))
    elif tag == W + "footnoteReference":
        yield _reference(node, aside.footnotes, "")
    elif tag == W + "endnoteReference":
        yield _reference(node, aside.endnotes, "e")
    else:
        yield from _walk(node, aside)


def note_change(kind: str, node: etree._Element, aside: Aside, text: str) -> None:
    """Records a tracked change with text; changes of formatting and paragraph marks are skipped."""
    if text.strip():
        author, date = node.get(W + "author", ""), node.get(W + "date", "")
        aside.changes.append({"kind": kind, "author": author, "date": date, "text": text})


def _deleted_text(node: etree._Element) -> Iterator[str]:
    for found in node.iter(W + "delText", W + "t", W + "tab"):
        yield "\t" if found.tag == W + "tab" else found.text or ""


def _is_hidden(run: etree._Element) -> bool:
    """Whether a run is invisible: marked as hidden, white on white, or tiny."""
    properties = run.find(W + "rPr")
    if properties is None:
        return False
    mark, size = properties.find(W + "vanish"), properties.find(W + "sz")
    if mark is not None and mark.get(W + "val", "1") not in ("0", "false", "off"):
        return True
    if size is not None and size.get(W + "val") in _TINY:
        return True
    colour = properties.find(W + "color")
    return colour is not None and colour.get(W + "val", "").upper() == "FFFFFF" and not _has_background(run)


def _has_background(run: etree._Element) -> bool:
    """Whether run, paragraph, cell, table or drawing has a background on which white text is readable."""
    for node in (run, *run.iterancestors()):
        for properties in ("rPr", "pPr", "tcPr", "tblPr"):
            ground = node.find(f"{W}{properties}/{W}shd")
            if ground is not None and ground.get(W + "fill", "auto").upper() not in ("AUTO", "FFFFFF"):
                return True
        if node.tag == W + "txbxContent" or node.find(f"{W}rPr/{W}highlight") is not None:
            return True
        if node.tag == W + "tbl" and node.find(f"{W}tblPr/{W}tblStyle") is not None:
            return True  # a table's style may colour its cells
    return False


def _symbol(code: str) -> str:
    try:
        value = int(code, 16)
    except ValueError:
        return "\ufffd"
    if 0xF000 <= value <= 0xF0FF:
        return _SYMBOLS.get(value - 0xF000, "\ufffd")
    return chr(value)


def _reference(node: etree._Element, order: list[str], prefix: str) -> str:
    order.append(node.get(W + "id", ""))
    return f"[{prefix}{len(order)}]"


def plain_text(node: etree._Element, *tags: str) -> str:
    """The text of all elements below `node` with these tags, deleted or not."""
    return "".join([found.text or "" for found in node.iter(*tags)])
