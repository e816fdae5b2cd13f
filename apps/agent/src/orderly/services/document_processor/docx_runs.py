"""A paragraph's text as Word shows it when every tracked change is accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from orderly.services.document_processor.docx_controls import control_state
from orderly.services.document_processor.docx_fields import Fields, is_unseen
from orderly.services.document_processor.docx_looks import PLAIN, Look, Looks
from orderly.services.document_processor.docx_notes import NoteOrder
from orderly.services.document_processor.docx_objects import OBJECTS, is_invisible
from orderly.services.document_processor.docx_package import W
from orderly.services.document_processor.drafts import Draft, raised_digits, struck_entry
from orderly.services.document_processor.office_markup import MATH, MC, A, chosen
from orderly.services.document_processor.office_math import formula
from orderly.services.document_processor.symbol_fonts import as_drawn, is_symbol_font
from orderly.services.text import drop_break_hints

_RUN, _TEXT, _MARK, _CODE = W + "r", W + "t", W + "fldChar", W + "instrText"

_TYPE = W + "type"
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
        "pPr", "rPr", "delInstrText", "fldData", "rt", "rubyPr", "sdtPr", "sdtEndPr",
        "commentReference", "bookmarkStart", "bookmarkEnd", "proofErr", "lastRenderedPageBreak",
        "annotationRef", "footnoteRef", "endnoteRef",
    )
)  # fmt: skip

ALTERNATES = MC + "AlternateContent"
_SHOWN_THINGS = OBJECTS | {MATH + "oMath", W + "sym", W + "footnoteReference", W + "endnoteReference"}
_SYMBOL_FONT = re.compile("[\uf020-\uf0ff]")
"""Signs of a symbol font, typed as text in a font that nothing names."""

_INSERTED = frozenset({W + "ins", W + "moveTo"})
DELETED = {W + "del": "deletion", W + "moveFrom": "move away"}
_RAISED = re.compile(r"[\d\s,;–-]*\d[\d\s,;–-]*")


@dataclass(slots=True)
class Aside:
    """Findings of the walk that are not part of the running text."""

    changes: list[dict[str, object]] = field(default_factory=list)
    """{kind, author, date, text, at}; `Story.write` sets the offset `at`."""
    hidden: list[str] = field(default_factory=list)
    boxes: list[etree._Element] = field(default_factory=list)
    """Text boxes and other objects in order, until the paragraph that anchors them is written."""
    footnotes: NoteOrder = field(default_factory=NoteOrder)
    endnotes: NoteOrder = field(default_factory=lambda: NoteOrder("e"))
    fields: Fields = field(default_factory=Fields)
    looks: Looks = field(default_factory=lambda: Looks(None))
    base: Look = PLAIN
    """The look of the paragraph that is read."""
    table: Look = PLAIN
    """The look that the innermost table around it gives."""
    switched_off: list[str] = field(default_factory=list)
    """Headers and footers that no page shows."""
    imported: list[Draft] = field(default_factory=list)
    """Files that the document imports, as read."""
    unread: list[str] = field(default_factory=list)
    """What could not be read, in words."""
    strikes_on: bool = False
    """The last words were struck out: struck words that follow belong to them."""


def text_of(paragraph: etree._Element, aside: Aside, base: Look = PLAIN) -> str:
    """The text of a paragraph, whose runs have the look `base` unless they state another."""
    aside.base, aside.strikes_on = base, False
    text = "".join(_walk(paragraph, aside))
    if text.isascii():
        return text
    text = drop_break_hints(text).replace("\xa0", " ")
    return _SYMBOL_FONT.sub(lambda found: as_drawn(found[0], None), text) if _SYMBOL_FONT.search(text) else text


def _walk(node: etree._Element, aside: Aside) -> Iterator[str]:
    fields = aside.fields
    for child in node:
        tag = child.tag
        if tag == _TEXT:
            if not fields.in_code:
                yield "".join(map(str, child.itertext())) if len(child) else child.text or ""  # entities are shown by name
        elif tag == _RUN:
            yield from _run(child, aside)
        elif tag == _MARK:
            yield fields.mark(child)
        elif tag == _CODE:
            fields.instruct(child.text or "")
        elif tag in _FIXED:
            if not fields.in_code:
                yield PAGE_BREAK if child.get(_TYPE) == "page" else _FIXED[tag]
        elif tag not in _SKIPPED:
            yield from _special(child, aside)


def _run(run: etree._Element, aside: Aside) -> Iterator[str]:
    look = aside.looks.run(run, aside.base)
    if look is PLAIN:
        aside.strikes_on = False
        yield from _walk(run, aside)
    elif look.vanish or look.tiny or look.blotted or (look.is_white and not _has_background(run)):
        _keep_hidden(run, aside)
    elif look.is_struck:
        _keep_struck("".join(_walk(run, aside)), aside)
    else:
        aside.strikes_on = False
        text = "".join(_walk(run, aside))
        if look.symbols:
            text = as_drawn(text, look.symbols)
        yield raised_digits(text) if look.raised and _RAISED.fullmatch(text) else text


def _keep_hidden(run: etree._Element, aside: Aside) -> None:
    boxes, footnotes, endnotes = len(aside.boxes), aside.footnotes.place(), aside.endnotes.place()
    words = ["".join(_walk(run, aside)), *(plain_text(box, W + "t") for box in aside.boxes[boxes:])]
    del aside.boxes[boxes:]
    aside.footnotes.return_to(footnotes)  # Word does not count notes of hidden text
    aside.endnotes.return_to(endnotes)
    aside.hidden += [text.strip() for text in words if text.strip()]


def _keep_struck(text: str, aside: Aside) -> None:
    if aside.strikes_on and text:
        aside.changes[-1]["text"] = f"{aside.changes[-1]['text']}{text}"
    elif text.strip():
        aside.changes.append(struck_entry(text))
        aside.strikes_on = True


def _special(node: etree._Element, aside: Aside) -> Iterator[str]:
    tag = node.tag
    if tag == ALTERNATES:
        form = chosen(node)
        if form is not None:
            yield from _walk(form, aside)
    elif tag in DELETED:
        note_change(DELETED[tag], node, aside, "".join(_deleted_text(node)))
    elif tag in _INSERTED:
        text = "".join(_walk(node, aside))
        note_change("insertion" if tag == W + "ins" else "move here", node, aside, text)
        yield text
    elif tag == W + "sdt":
        text = "".join(_walk(node, aside))
        yield text if text.strip() or aside.fields.in_code else control_state(node) or text
    elif is_invisible(node):
        if words := plain_text(node, W + "t", A + "t").strip():
            aside.hidden.append(words)
    elif tag not in _SHOWN_THINGS:
        yield from () if is_unseen(node.get(W + "instr", "")) else _walk(node, aside)
    elif not aside.fields.in_code:
        yield _shown_thing(node, aside)


def _shown_thing(node: etree._Element, aside: Aside) -> str:
    """What stands in the text for a symbol, a formula, a note's reference or an object."""
    if node.tag == MATH + "oMath":
        return formula(node)
    if node.tag == W + "sym":
        return _symbol(node)
    if node.tag == W + "footnoteReference":
        return aside.footnotes.refer(node)
    if node.tag == W + "endnoteReference":
        return aside.endnotes.refer(node)
    aside.boxes.append(node)
    return ""


def note_change(kind: str, node: etree._Element, aside: Aside, text: str) -> None:
    """Records a tracked change with text; changes of formatting and paragraph marks are skipped."""
    if text.strip():
        author, date = node.get(W + "author", ""), node.get(W + "date", "")
        aside.changes.append({"kind": kind, "author": author, "date": date, "text": text})


def _deleted_text(node: etree._Element) -> Iterator[str]:
    for found in node.iter(W + "delText", W + "t", W + "tab"):
        yield "\t" if found.tag == W + "tab" else found.text or ""


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


def _symbol(node: etree._Element) -> str:
    try:
        sign = chr(int(node.get(W + "char", ""), 16))
    except (ValueError, OverflowError):
        return "\ufffd"
    font = node.get(W + "font")
    return as_drawn(sign, font) if is_symbol_font(font) or _SYMBOL_FONT.match(sign) else sign


def plain_text(node: etree._Element, *tags: str) -> str:
    """The text of all elements below `node` with these tags, deleted or not."""
    return "".join([found.text or "" for found in node.iter(*tags)])
