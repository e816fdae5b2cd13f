"""Fields of a Word file: page numbers, and a table of contents with links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docx.document import Document as WordDocument
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_TAB_ALIGNMENT, WD_TAB_LEADER
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.section import Section
from docx.shared import Length, Pt
from docx.text.paragraph import Paragraph

SMALL = Pt(8)
UNKNOWN = "–"
"""Stands for the number of a page until the program has laid out the file."""


def number_pages(section: Section) -> None:
    """Numbers such as "3 / 12" at the foot of each page, as fields that the program fills in."""
    foot = section.footer.paragraphs[0]
    foot.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    for words in ("PAGE", " / ", "NUMPAGES"):
        run = foot.add_run("1" if words.isupper() else words)
        run.font.size = SMALL
        if words.isupper():
            field = OxmlElement("w:fldSimple")
            field.set(qn("w:instr"), words)
            run._r.addprevious(field)
            field.append(run._r)


def bookmark(heading: Paragraph, name: str, number: int) -> None:
    """Makes a heading a place that the contents lead to."""
    for tag in ("w:bookmarkStart", "w:bookmarkEnd"):
        mark = OxmlElement(tag)
        mark.set(qn("w:id"), str(number))
        if tag == "w:bookmarkStart":
            mark.set(qn("w:name"), name)
        heading._p.append(mark)


def add_contents(document: WordDocument, entries: Sequence[tuple[str, str]], width: Length) -> None:
    """Adds a line for each (bookmark, title): a link, with the page's number at the right margin."""
    for name, title in entries:
        line = document.add_paragraph()
        line.paragraph_format.space_after = Pt(2)
        line.paragraph_format.tab_stops.add_tab_stop(width, WD_TAB_ALIGNMENT.RIGHT, WD_TAB_LEADER.DOTS)
        link = OxmlElement("w:hyperlink")
        link.set(qn("w:anchor"), name)
        line._p.append(link)
        instruction = OxmlElement("w:instrText")
        instruction.set(qn("xml:space"), "preserve")
        instruction.text = f" PAGEREF {name} \\h "
        for part in (f"{title}\t", _field_mark("begin"), instruction, _field_mark("separate"), UNKNOWN, _field_mark("end")):
            run = line.add_run(part if isinstance(part, str) else "")
            if not isinstance(part, str):
                run._r.append(part)
            link.append(run._r)


def _field_mark(kind: str) -> Any:
    """Begins, divides or ends a field, whose stored result the program replaces when it opens the file."""
    mark = OxmlElement("w:fldChar")
    mark.set(qn("w:fldCharType"), kind)
    if kind == "begin":
        mark.set(qn("w:dirty"), "true")
    return mark
