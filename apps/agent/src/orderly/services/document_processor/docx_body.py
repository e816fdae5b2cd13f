"""Walks a story of a Word file (body, note, header) in order and writes its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lxml import etree

from orderly.models import Heading
from orderly.services.document_processor.docx_chunks import read_chunk
from orderly.services.document_processor.docx_fields import Fields
from orderly.services.document_processor.docx_numbering import Numbering
from orderly.services.document_processor.docx_objects import BOX, Source
from orderly.services.document_processor.docx_package import W
from orderly.services.document_processor.docx_rows import cells_of, grid_before, has_table, is_continued, span
from orderly.services.document_processor.docx_runs import (
    ALTERNATES,
    DELETED,
    PAGE_BREAK,
    Aside,
    note_change,
    plain_text,
    text_of,
)
from orderly.services.document_processor.docx_styles import (
    NO_STYLE,
    Style,
    children,
    is_on,
    properties_of,
    value_of,
    whole_number,
)
from orderly.services.document_processor.drafts import struck_entry
from orderly.services.document_processor.office_markup import chosen

_PROPERTIES, _RUN_PROPERTIES, _VALUE = W + "pPr", W + "rPr", W + "val"
_STYLE, _LIST, _OUTLINE, _SHADE = W + "pStyle", W + "numPr", W + "outlineLvl", W + "shd"
_SECTION, _BREAK_BEFORE, _DELETED_MARK, _VANISH = W + "sectPr", W + "pageBreakBefore", W + "del", W + "vanish"


@dataclass(slots=True)
class Story:
    """Builds the text of a story: a blank line between paragraphs, a line feed between table rows."""

    styles: Mapping[str, Style]
    default_style: str | None
    numbering: Numbering
    aside: Aside = field(default_factory=Aside)
    is_part: bool = False
    """The story is a cell, note or text box, whose offsets are not offsets of the document."""
    headings: list[Heading] = field(default_factory=list)
    source: Source | None = None
    """The part that is read, for the objects that it anchors; None: they are left out."""
    page_breaks: list[int] = field(default_factory=list)
    """Offsets of hard page breaks."""
    _pieces: list[str] = field(default_factory=list)
    _length: int = 0
    _opens_page: bool = False
    _placed: int = 0
    """Number of tracked changes whose offset is set."""
    _joined_from_previous: str = ""
    """Text of a paragraph whose paragraph mark is deleted: it continues in the next paragraph."""
    _opening: str = ""
    """Text of a paragraph whose paragraph mark is hidden, with its number: the next paragraph goes on in its line."""
    _opening_heading: Heading | None = None

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def write(self, text: str, gap: str = "\n\n") -> int:
        """Appends a block of text and returns its offset."""
        if self._pieces:
            self._pieces.append(gap)
            self._length += len(gap)
        start = self._length
        self._pieces.append(text)
        self._length += len(text)
        if not self.is_part:
            self._place_changes(start)
        return start

    def text_of_part(self, node: etree._Element, source: Source | None = None, *, in_cell: bool = False) -> str:
        """Reads a cell, note, header or text box as a story, with the styles and numbering of the document.

        `source`: the part that holds it, if it is another. `in_cell`: fields may begin before it and end after it.
        """
        part = Story(self.styles, self.default_style, self.numbering, self.aside, is_part=True)
        part.source = source or self.source
        fields = self.aside.fields
        if not in_cell:
            self.aside.fields = Fields()
            self.aside.fields.begin(node)
        part.read(node)
        self.aside.fields = fields
        return part.text

    def _place_changes(self, start: int) -> None:
        """Sets the offset of changes found since the last paragraph; those of a deleted paragraph get the next offset."""
        for change in self.aside.changes[self._placed :]:
            change["at"] = start
        self._placed = len(self.aside.changes)

    def read(self, parent: etree._Element) -> None:
        """Appends the text below `parent`."""
        self._walk(parent)
        if self._joined_from_previous.strip():
            self.write(self._joined_from_previous.strip())
        self._joined_from_previous = ""
        self._write_opening()
        self._write_boxes()

    def _walk(self, parent: etree._Element) -> None:
        for node in parent:
            if node.tag == W + "p":
                self._paragraph(node)
            elif node.tag == W + "tbl":
                self._table(node)
            elif node.tag in DELETED:
                note_change(DELETED[node.tag], node, self.aside, plain_text(node, W + "delText", W + "t"))
            elif node.tag == ALTERNATES:
                form = chosen(node)
                if form is not None:
                    self._walk(form)
            elif node.tag == W + "altChunk":
                self._import(node)
            elif node.tag not in (W + "sectPr", W + "sdtPr", W + "sdtEndPr", W + "pPr"):
                self._walk(node)

    def _paragraph(self, node: etree._Element) -> None:
        stated = children(properties_of(node, _PROPERTIES))
        mark = children(stated.get(_RUN_PROPERTIES))
        style_id, numbered, outline = self._style_number_and_outline(stated)
        base = self.aside.looks.paragraph(style_id, stated.get(_SHADE), self.aside.table)
        raw = self._joined_from_previous + text_of(node, self.aside, base)
        if _SECTION in stated:
            self.aside.footnotes.end_section()
            self.aside.endnotes.end_section()
        if _DELETED_MARK in mark:
            self._joined_from_previous = raw
            return
        self._joined_from_previous, text = "", raw.strip()
        counts = numbered and (text or not (base.vanish or _VANISH in mark))
        label, separator = self.numbering.next(*numbered) if numbered and counts else ("", "")
        opens, self._opens_page = self._breaks_around(is_on(stated.get(_BREAK_BEFORE)), raw)
        if not text:
            self._opens_page |= opens
            self._write_opening()
            self._write_boxes()
            return
        begun = self._opening.rstrip() + " " * (self._opening[-1:].isspace() or (raw[0].isspace() and bool(self._opening)))
        whole = begun + label + separator + text.replace(PAGE_BREAK, "\n")
        heading = self._opening_heading
        if outline is not None and len(text) <= 300 and not begun:
            bare = label.strip().rstrip(".)") if label != "•" else ""
            heading = Heading(0, len(whole), outline + 1, bare or None, text)
        self._opening, self._opening_heading = whole + raw[len(raw.rstrip()) :], heading
        if is_on(mark.get(_VANISH)):
            self._opens_page = opens
            return
        start = self._write_opening()
        self.page_breaks += [start] if opens else []
        if PAGE_BREAK in text:
            first = start + len(begun + label + separator) + 1
            self.page_breaks += [first + at for at, sign in enumerate(text) if sign == PAGE_BREAK]
        self._write_boxes()

    def _write_opening(self) -> int:
        """Writes the line that is begun, and returns its offset."""
        text, heading = self._opening.strip(), self._opening_heading
        self._opening, self._opening_heading = "", None
        start = self.write(text) if text else self._length
        if heading is not None:
            self.headings.append(replace(heading, start=start, end=start + heading.end))
        return start

    def _write_boxes(self) -> None:
        """Writes text boxes after the paragraph that anchors them."""
        waiting, self.aside.boxes = self.aside.boxes, []
        for node in waiting:
            if text := self._box(node):
                self.write(text)

    def _box(self, node: etree._Element) -> str:
        if node.tag == BOX:
            text = self.text_of_part(node)
            return f"[Text box]\n{text}" if text else ""
        struck: list[str] = []
        text, found = self.source.object_text(node, struck) if self.source else ("", False)
        self.aside.changes += [struck_entry(words) for words in struck]
        if not found:
            self.aside.unread.append("a drawing")
        return text

    def _breaks_around(self, wanted: bool, raw: str) -> tuple[bool, bool]:
        """Returns whether the paragraph starts a new page, as may be wanted, and whether the next one does."""
        if PAGE_BREAK not in raw:
            return self._opens_page or wanted, False
        leading = PAGE_BREAK in raw[: len(raw) - len(raw.lstrip())]
        trailing = PAGE_BREAK in raw[len(raw.rstrip()) :] and bool(raw.strip())
        return self._opens_page or wanted or leading, trailing

    def _style_number_and_outline(self, stated: Mapping[str, etree._Element]) -> tuple[str, tuple[str, int] | None, int | None]:
        named = stated.get(_STYLE)
        style_id = (None if named is None else named.get(_VALUE)) or self.default_style or ""
        style = self.styles.get(style_id, NO_STYLE)
        outline, num_id, ilvl = style.outline, style.num_id, style.ilvl
        if num_id is not None and ilvl is None:
            ilvl = self.numbering.level_of_style(num_id, style_id)
        if (list_properties := stated.get(_LIST)) is not None:
            own = value_of(list_properties, "numId")
            num_id = own if own is not None else num_id
            place = whole_number(value_of(list_properties, "ilvl"))
            ilvl = place if place is not None else ilvl
        if _OUTLINE in stated and (level := whole_number(stated[_OUTLINE].get(_VALUE))) is not None:
            outline = level if level < 9 else None
        return style_id, (num_id, ilvl or 0) if num_id and num_id != "0" else None, outline

    def _table(self, table: etree._Element) -> None:
        self._write_opening()
        around, self.aside.table = self.aside.table, self.aside.looks.table(table)
        self._write_rows(table)
        self.aside.table = around

    def _write_rows(self, table: etree._Element) -> None:
        """Writes rows as lines. A table of one column is written as paragraphs; a deleted row becomes a tracked change."""
        rows = [row for row in table.iter(W + "tr") if _table_of(row) is table]
        one_column = all(len(cells_of(row)) <= 1 and not grid_before(row) for row in rows)
        gap = "\n\n"
        for row in rows:
            deleted, hidden = row.find(f"{W}trPr/{W}del"), row.find(f"{W}trPr/{W}hidden")
            if deleted is not None:
                words = "\t".join(plain_text(cell, W + "t", W + "delText") for cell in cells_of(row))
                note_change("deletion", deleted, self.aside, words)
            elif is_on(hidden):
                words = "\t".join(plain_text(cell, W + "t") for cell in cells_of(row)).strip()
                self.aside.hidden += [words] if words else []
            elif one_column:
                for cell in cells_of(row):
                    self._walk(cell)
            elif text := self._row(row):
                self.write(text, gap)
                gap = "\n"

    def _row(self, row: etree._Element) -> str:
        """The cells of a row with tabs between them, an empty one for each further column that a cell spans.

        A vertically merged cell is written in its first row only. If a cell holds a table, the cells are written one below the
        other, since rows of two tables on one line would read as one row.
        """
        texts, holds_table = [""] * grid_before(row), False
        for cell in cells_of(row):
            text = "" if is_continued(cell) else self._cell(cell).replace("\n\n", "\n")
            texts += [text, *[""] * (span(cell) - 1)]
            holds_table = holds_table or has_table(cell)
        return "\n".join(filter(None, texts)) if holds_table else "\t".join(texts).rstrip("\t ")

    def _cell(self, cell: etree._Element) -> str:
        deleted = cell.find(f"{W}tcPr/{W}cellDel")
        if deleted is None:
            return self.text_of_part(cell, in_cell=True)
        note_change("deletion", deleted, self.aside, plain_text(cell, W + "t", W + "delText"))
        return ""

    def _import(self, node: etree._Element) -> None:
        """Writes the text of an imported file, where Word shows it."""
        self._write_opening()
        draft = read_chunk(self.source, node) if self.source else None
        if draft is None:
            self.aside.unread.append("an imported file")
            return
        text = draft.pages[0].text.strip("\n")
        self.aside.imported.append(draft)
        if text.strip():
            start = self.write(text) - (len(draft.pages[0].text) - len(draft.pages[0].text.lstrip("\n")))
            self.headings += [replace(one, start=one.start + start, end=one.end + start) for one in draft.headings]


def _table_of(row: etree._Element) -> etree._Element | None:
    return next(row.iterancestors(W + "tbl"), None)
