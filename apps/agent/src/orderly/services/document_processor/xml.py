"""Reader for XML: text of all elements in order, labelled by tag. External entities are never loaded."""

from __future__ import annotations

import re
from pathlib import Path

from lxml import etree

from orderly.services.document_processor.blocks import Blocks
from orderly.services.document_processor.drafts import Draft, PageDraft
from orderly.services.document_processor.encoding import decode
from orderly.services.document_processor.html import read_html
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.office_xml import is_office_xml, read_office_xml
from orderly.services.document_processor.plain_text import read_text

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")


def read_xml(path: Path, limits: Limits) -> Draft:
    """Reads XML. Blocking. Raises Empty, Unsupported, or Damaged for a Word file in one XML file that cannot be unpacked.

    XML that is not well-formed is read as plain text, with a note.
    """
    try:
        root = etree.parse(path, _parser()).getroot()
    except etree.XMLSyntaxError:
        if (decoded := _parse_decoded(path)) is None:
            draft = read_text(path, limits)
            draft.notes.append("The XML is not well-formed: it was read as it is typed, tags and all.")
            return draft
        root = decoded
    if etree.QName(root).localname == "html":
        return read_html(path, limits)
    if is_office_xml(root):
        return read_office_xml(root, limits)
    blocks = Blocks()
    _write_element(root, blocks, 0)
    return Draft("xml", paged=False, pages=[PageDraft(1, blocks.text)])


def _parse_decoded(path: Path) -> etree._Element | None:
    """Parses XML whose encoding the parser cannot tell, such as UTF-16 without mark or declaration; None if malformed."""
    source, _ = decode(path.read_bytes())
    try:
        return etree.fromstring(_DECLARATION.sub("", source).encode(), _parser())
    except etree.XMLSyntaxError:
        return None


def _parser() -> etree.XMLParser:
    # "internal": resolves entities defined in the file, never external ones. lxml's stubs declare a bool only.
    return etree.XMLParser(
        resolve_entities="internal",  # type: ignore[arg-type]
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )


def _write_element(node: etree._Element, blocks: Blocks, depth: int) -> None:
    """Writes an element: mixed content as one paragraph, child elements as separate lines."""
    head = _head(node)
    if len(node) == 0 or _is_mixed(node):
        text = " ".join("".join(map(str, node.itertext())).split())
        if text or node.attrib:
            blocks.write(head if not text else text if _is_mixed(node) and not node.attrib else f"{head}: {text}", "\n")
        return
    if node.attrib:
        blocks.write(head, "\n\n" if depth < 2 else "\n")
    for child in node:
        _write_element(child, blocks, depth + 1)


def _is_mixed(node: etree._Element) -> bool:
    return len(node) > 0 and any((text or "").strip() for text in (node.text, *(child.tail for child in node)))


def _head(node: etree._Element) -> str:
    named = ", ".join(f"{etree.QName(key).localname}={value!s}" for key, value in node.attrib.items())
    name = etree.QName(node).localname
    return f"{name} [{named}]" if named else name
