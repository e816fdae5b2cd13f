"""Reader for HTML: text displayed by a browser. Hidden text is reported and left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from orderly.errors import Empty
from orderly.services.document_processor.blocks import Blocks
from orderly.services.document_processor.drafts import Draft, PageDraft, struck_entry
from orderly.services.document_processor.encoding import decode
from orderly.services.document_processor.html_elements import (
    BLOCKS,
    SKIPPED,
    field_text,
    is_hidden,
    is_struck,
    list_label,
    raised_number,
)
from orderly.services.document_processor.html_tables import is_layout_row, table_rows
from orderly.services.document_processor.limits import Limits

_CHARSET = re.compile(rb"""<(?:meta|\?xml)[^>]+?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_SPACE = re.compile(r"\s+")


def read_html(path: Path, limits: Limits) -> Draft:
    """Reads HTML. Blocking. Raises Empty, or Unsupported for bytes that are not text."""
    data = path.read_bytes()
    found = _CHARSET.search(data[:4096])
    source, encoding = decode(data, found[1].decode() if found else None)
    page = HtmlPage()
    page.read(source)
    draft = Draft(f"html {encoding}", paged=False, pages=[PageDraft(1, page.blocks.text)])
    draft.headings = tuple(page.blocks.headings)
    draft.report_struck([struck_entry(text) for text in page.struck])
    draft.report_hidden(page.hidden)
    return draft


def html_text(source: str) -> str:
    """Visible text of an HTML string; may be empty. Struck words stay, marked, because nobody is told of them otherwise."""
    page = HtmlPage(mark_struck=True)
    try:
        page.read(source)
    except Empty:
        return ""
    return page.blocks.text


class HtmlPage:
    """Collects the visible blocks and the hidden text of an HTML document."""

    def __init__(self, mark_struck: bool = False) -> None:
        self._mark_struck = mark_struck
        self.blocks = Blocks()
        self.hidden: list[str] = []
        self.struck: list[str] = []
        self._line: list[str] = []
        self._label = ""

    def read(self, source: str) -> None:
        """Parses and collects. Raises Empty for a string without elements."""
        try:
            # Without `huge_tree` libxml2 silently drops content nested deeper than 256 levels.
            root = document_fromstring(_DECLARATION.sub("", source), parser=HTMLParser(encoding=None, huge_tree=True))
        except (etree.ParserError, etree.XMLSyntaxError) as exc:
            raise Empty("The file is empty.") from exc
        self._read_children(root)
        self._flush()

    def _read_children(self, node: HtmlElement) -> None:
        self._append_text(node.text)
        for child in node:
            if isinstance(child.tag, str):
                self._read_element(child)
            self._append_text(child.tail)

    def _read_element(self, node: HtmlElement) -> None:
        tag = str(node.tag)
        if tag in SKIPPED:
            return
        if is_hidden(node) or is_struck(node):
            self._set_aside(node)
        elif tag == "br":
            self._line.append("\n")
        elif tag == "pre":
            self._flush()
            self.blocks.write(node.text_content().strip("\n"))
        elif tag == "table":
            self._flush()
            self._read_table(node)
        elif tag in BLOCKS:
            self._read_block(node, tag)
        else:
            self._read_inline(node)

    def _read_inline(self, node: HtmlElement) -> None:
        if mark := raised_number(node):
            self._line.append(mark)
        else:
            self._line.append(field_text(node))
            self._read_children(node)

    def _set_aside(self, node: HtmlElement) -> None:
        text = _SPACE.sub(" ", node.text_content()).strip()
        if not text:
            return
        if is_hidden(node):
            self.hidden.append(text)
            return
        self.struck.append(text)
        if self._mark_struck:
            self._line.append(f"[struck: {text}]")

    def _read_block(self, node: HtmlElement, tag: str) -> None:
        self._flush()
        if tag == "li":
            self._label = list_label(node)
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self._read_children(node)
            self.blocks.write_heading(self._take_line(), int(tag[1]))
            return
        self._read_children(node)
        self._flush()

    def _read_table(self, node: HtmlElement) -> None:
        for caption in node.findall("caption"):
            self._read_block(caption, "caption")
        gap = "\n\n"
        for cells in table_rows(node):
            if is_layout_row(cells):
                self._write_cells_as_blocks(cells)
                gap = "\n\n"
            elif any(texts := [self._read_cell(cell) for cell in cells]):
                self.blocks.write("\t".join(texts).rstrip("\t"), gap)
                gap = "\n"

    def _write_cells_as_blocks(self, cells: Sequence[HtmlElement | None]) -> None:
        for cell in cells:
            if cell is not None:
                self._read_children(cell)
                self._flush()

    def _read_cell(self, node: HtmlElement | None) -> str:
        if node is None:
            return ""
        inner = HtmlPage(self._mark_struck)
        inner._read_children(node)
        inner._flush()
        self.hidden += inner.hidden
        self.struck += inner.struck
        return inner.blocks.text.replace("\n\n", "\n")

    def _append_text(self, text: str | None) -> None:
        if text:
            self._line.append(_SPACE.sub(" ", text))

    def _take_line(self) -> str:
        lines = "".join(self._line).split("\n")
        self._line.clear()
        label, self._label = self._label, ""
        return (label + "\n".join(_SPACE.sub(" ", line).strip() for line in lines)).strip()

    def _flush(self) -> None:
        if any(piece.strip() for piece in self._line):
            self.blocks.write(self._take_line())
        else:
            self._line.clear()
