"""Reader for HTML: text displayed by a browser. Hidden text is reported and left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from orderly.errors import Empty
from orderly.services.document_processor.blocks import Blocks
from orderly.services.document_processor.drafts import Draft, PageDraft, VisibleText, struck_entry
from orderly.services.document_processor.encoding import decode
from orderly.services.document_processor.html_elements import BLOCKS, FIELDS, SKIPPED, field_text, list_label
from orderly.services.document_processor.html_looks import Look, Looks, raised_number
from orderly.services.document_processor.html_tables import is_layout_row, table_rows
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.symbol_fonts import as_drawn

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
    draft.report_struck([struck_entry(words) for words in page.struck])
    draft.report_hidden(page.hidden)
    if page.words_by_sheet:
        draft.notes.append("The page's style sheet writes numbers or words of its own before some words; they were not read.")
    return draft


def visible_text(source: str, sheets: Sequence[str] = ()) -> VisibleText:
    """Reads an HTML string, which may show nothing. `sheets`: style sheets beside it."""
    looks = Looks()
    for sheet in sheets:
        looks.add_sheet(sheet)
    page = HtmlPage(looks)
    try:
        page.read(source)
    except Empty:
        return VisibleText("")
    return VisibleText(page.blocks.text, page.hidden, page.struck)


class HtmlPage:
    """Collects the visible blocks and the hidden text of an HTML document."""

    def __init__(self, looks: Looks | None = None) -> None:
        self._looks = looks or Looks()
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
        self._looks.add_sheets(root)
        self._read_children(root)
        self._flush()

    @property
    def words_by_sheet(self) -> bool:
        return self._looks.words_by_sheet

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
        look = self._looks.of(node)
        if self._set_aside(node, look):
            return
        if tag == "br":
            self._line.append("\n")
        elif tag == "pre":
            self._flush()
            self.blocks.write("".join(self._written(node)).strip("\n"))
        elif tag == "table":
            self._flush()
            self._read_table(node)
        elif tag in BLOCKS:
            self._read_block(node, tag)
        else:
            self._read_inline(node, tag, look)

    def _read_inline(self, node: HtmlElement, tag: str, look: Look) -> None:
        if look.raised and (number := raised_number(node)):
            self._line.append(number)
            return
        if look.symbol_font:
            self._line.append(as_drawn(_single_spaced(node.text_content()), look.symbol_font))
            return
        if tag in FIELDS:
            self._line.append(field_text(node))
        elif tag == "q":
            self._line.append("“")
        if tag != "select":
            self._read_children(node)
        if tag == "q":
            self._line.append("”")

    def _set_aside(self, node: HtmlElement, look: Look | None = None) -> bool:
        """Keeps a hidden or struck element out of the text."""
        look = look or self._looks.of(node)
        hidden = self._looks.is_hidden(node, look)
        if not hidden and not look.struck:
            return False
        if text := _single_spaced(node.text_content()).strip():
            (self.hidden if hidden else self.struck).append(text)
        return True

    def _written(self, node: HtmlElement) -> Iterator[str]:
        """The text of an element as written, without what is set aside in it."""
        yield node.text or ""
        for child in node:
            if child.tag == "br":
                yield "\n"
            elif isinstance(child.tag, str) and not self._set_aside(child):
                yield from self._written(child)
            yield child.tail or ""

    def _read_block(self, node: HtmlElement, tag: str) -> None:
        self._flush()
        if tag == "li":
            self._label = list_label(node, self._looks.list_style(node))
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
        for row, cells in table_rows(node):
            if self._set_aside(row):
                continue
            if is_layout_row(cells):
                self._write_cells_as_blocks(cells)
                gap = "\n\n"
            elif any(texts := [self._read_cell(cell) for cell in cells]):
                self.blocks.write("\t".join(texts).rstrip("\t"), gap)
                gap = "\n"

    def _write_cells_as_blocks(self, cells: Sequence[HtmlElement | None]) -> None:
        for cell in cells:
            if cell is not None and not self._set_aside(cell):
                self._read_children(cell)
                self._flush()

    def _read_cell(self, node: HtmlElement | None) -> str:
        if node is None or self._set_aside(node):
            return ""
        inner = HtmlPage(self._looks)
        inner._read_children(node)
        inner._flush()
        self.hidden += inner.hidden
        self.struck += inner.struck
        return inner.blocks.text.replace("\n\n", "\n")

    def _append_text(self, text: str | None) -> None:
        if text:
            self._line.append(_single_spaced(text))

    def _take_line(self) -> str:
        lines = "".join(self._line).split("\n")
        self._line.clear()
        label, self._label = self._label, ""
        return (label + "\n".join(_single_spaced(line).strip() for line in lines)).strip()

    def _flush(self) -> None:
        if any(piece.strip() for piece in self._line):
            self.blocks.write(self._take_line())
        else:
            self._line.clear()


def _single_spaced(text: str) -> str:
    """A text with one space for every run of space, as a browser shows it. Most texts have nothing else."""
    return text if "  " not in text and text.isprintable() else _SPACE.sub(" ", text)
