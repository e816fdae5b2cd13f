"""Readers for plain text and Markdown. Only line ends are changed."""

from __future__ import annotations

import re
from pathlib import Path

from orderly.errors import Empty
from orderly.models import Heading
from orderly.services.document_processor.drafts import Draft, PageDraft
from orderly.services.document_processor.encoding import decode
from orderly.services.document_processor.limits import Limits

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(?!<)(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)


def read_text(path: Path, limits: Limits) -> Draft:
    """Reads plain text. Blocking. Raises Empty, or Unsupported for bytes that are not text."""
    text, encoding = decode(path.read_bytes())
    if not text.strip():
        raise Empty("The file is empty.")
    return Draft(f"text {encoding}", paged=False, pages=[PageDraft(1, text)])


def read_markdown(path: Path, limits: Limits) -> Draft:
    """Reads Markdown, with its headings. Blocking. Raises as `read_text`."""
    draft = read_text(path, limits)
    text = draft.pages[0].text
    fences = [match.span() for match in _FENCE.finditer(text)]
    draft.headings = tuple(
        Heading(match.start(1), match.end(2), len(match[1]), None, match[2])
        for match in _HEADING.finditer(text)
        if not any(start <= match.start() < end for start, end in fences)
    )
    return draft
