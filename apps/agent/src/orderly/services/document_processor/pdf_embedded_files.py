"""Files embedded in a PDF: packages, portfolios, associated files, and wrappers around an encrypted PDF."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymupdf
from pymupdf import mupdf

from orderly.errors import Protected
from orderly.models import Attachment
from orderly.services.document_processor.mupdf import RIGHTS_MANAGEMENT

_PLATFORMS = ("UF", "F", "Unix", "Mac", "DOS")
"""Keys of a file's name and content, the most exact first."""

_MAX_DEPTH = 40


def embedded_files(document: pymupdf.Document) -> tuple[list[Attachment], int]:
    """Files embedded in the document, and the number of those without readable content. Blocking.

    Raises:
        Protected: the document is no more than a cover around its encrypted self.

    """
    found: list[Attachment] = []
    lost = 0
    for stated, specification in _specifications(document):
        if _is_encrypted_document(specification):
            raise Protected.by(RIGHTS_MANAGEMENT, "document")
        data = _content(specification)
        if data is None:
            lost += 1
        else:
            found.append(Attachment(bare_name(_file_name(specification) or stated, len(found) + 1), None, data))
    return found, lost


def bare_name(name: str, number: int) -> str:
    """A name without folders; "attachment 3" for the third file if it has none."""
    return " ".join((name or f"attachment {number}").replace("/", "_").replace("\\", "_").split())


def _specifications(document: pymupdf.Document) -> Iterator[tuple[str, Any]]:
    """Names and file specifications of the tree of embedded files and of the associated files, each once."""
    catalogue = mupdf.pdf_dict_get(mupdf.pdf_trailer(pymupdf._as_pdf_document(document)), mupdf.PDF_ENUM_NAME_Root)
    seen: set[int] = set()
    tree = _get(_get(catalogue, "Names"), "EmbeddedFiles")
    for name, specification in (*_leaves(tree, seen, 0), *(("", item) for item in _items(_get(catalogue, "AF")))):
        number = mupdf.pdf_to_num(specification)
        if mupdf.pdf_is_dict(specification) and not (number and number in seen):
            seen.add(number)
            yield name, specification


def _leaves(node: Any, seen: set[int], depth: int) -> Iterator[tuple[str, Any]]:
    """Entries of a name tree. Damaged trees may lead back to themselves."""
    number = mupdf.pdf_to_num(node)
    if depth > _MAX_DEPTH or (number and number in seen):
        return
    seen.add(number)
    entries = _items(_get(node, "Names"))
    for name, specification in zip(entries[::2], entries[1::2], strict=False):
        yield mupdf.pdf_to_text_string(name), specification
    for kid in _items(_get(node, "Kids")):
        yield from _leaves(kid, seen, depth + 1)


def _is_encrypted_document(specification: Any) -> bool:
    relation = _get(specification, "AFRelationship")
    return bool(mupdf.pdf_is_dict(_get(specification, "EP")) or mupdf.pdf_to_name(relation) == "EncryptedPayload")


def _file_name(specification: Any) -> str:
    names = (mupdf.pdf_to_text_string(_get(specification, key)) for key in _PLATFORMS)
    return next((name for name in names if name), "")


def _content(specification: Any) -> bytes | None:
    """None: the file lies outside the document, or its content is damaged."""
    for key in _PLATFORMS:
        stream = _get(_get(specification, "EF"), key)
        if mupdf.pdf_is_stream(stream):
            try:
                return bytes(mupdf.fz_buffer_extract(mupdf.pdf_load_stream(stream)))
            except mupdf.FzErrorBase:
                return None
    return None


def _get(node: Any, key: str) -> Any:
    return mupdf.pdf_dict_gets(node, key)


def _items(array: Any) -> list[Any]:
    return [mupdf.pdf_array_get(array, at) for at in range(mupdf.pdf_array_len(array))]
