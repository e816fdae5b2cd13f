"""Readers for plain text and Markdown. Line ends are unified; Markdown loses its HTML, its emphasis and its escapes."""

from __future__ import annotations

import html
import re
from pathlib import Path

from orderly.errors import Empty
from orderly.models import Heading
from orderly.services.document_processor.drafts import Draft, PageDraft
from orderly.services.document_processor.encoding import decode
from orderly.services.document_processor.html_elements import BLOCKS
from orderly.services.document_processor.limits import Limits

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(?!<)(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_INLINE = (
    "a|abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|img|ins|kbd|label|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var"
)
_CELLS = frozenset(("col", "colgroup", "table", "tbody", "td", "tfoot", "th", "thead"))
_CODE = r"(?P<code>^ {0,3}(?P<fence>```|~~~).*?(?:^ {0,3}(?P=fence)|\Z)|(?P<ticks>`+)[^`\n]+(?P=ticks))"
_HTML = re.compile(
    rf"{_CODE}"
    r"|<!--(?P<comment>.*?)-->"
    rf"|</?(?P<tag>br|{_INLINE}|{'|'.join(sorted(_CELLS | BLOCKS))})(?:\s[^<>]{{0,2000}})?/?>"
    r"|&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]\w{1,30});",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)

_MARKS = re.compile(
    rf"{_CODE}"
    r"|^[ \t]*(?P<rule>\*{3,})[ \t]*$"
    r"|(?<![\[*])(?P<strong>\*{2,3})(?![\]*])"
    r"|(?<![\w*])\*(?=[^\s*])(?P<starred>[^*\n]{1,2000}?)(?<=\S)\*(?![\w*])"
    r"|(?<!\w)(?P<lines>_{1,3})(?=[^\s_])(?P<lined>[^_\n]{1,2000}?)(?P=lines)(?!\w)"
    r"|\\(?P<escaped>[\\`*_{}\[\]()#+\-.!|~<>])",
    re.MULTILINE | re.DOTALL,
)
"""Marks of emphasis and escapes; not the rule "***", nor "[***]" for words left out."""


def read_text(path: Path, limits: Limits) -> Draft:
    """Reads plain text. Blocking. Raises Empty, or Unsupported for bytes that are not text."""
    text, encoding = decode(path.read_bytes())
    if not text.strip():
        raise Empty("The file is empty.")
    return Draft(f"text {encoding}", paged=False, pages=[PageDraft(1, text)])


def read_markdown(path: Path, limits: Limits) -> Draft:
    """Reads Markdown, with its headings.

    Tags, marks of emphasis and escapes are left out, entities are decoded, comments are reported as hidden text.
    Blocking. Raises as `read_text`.
    """
    draft = read_text(path, limits)
    text = draft.pages[0].text = _without_marks(_without_html(draft))
    fences = [match.span() for match in _FENCE.finditer(text)]
    draft.headings = tuple(
        Heading(match.start(1), match.end(2), len(match[1]), None, match[2])
        for match in _HEADING.finditer(text)
        if not any(start <= match.start() < end for start, end in fences)
    )
    return draft


def _without_html(draft: Draft) -> str:
    hidden: list[str] = []

    def shown(found: re.Match[str]) -> str:
        if found["code"]:
            return found[0]
        if found["comment"] is not None:
            hidden.extend([found["comment"].strip()] if found["comment"].strip() else [])
            return ""
        if found["tag"] is None:
            return html.unescape(found[0])
        tag = found["tag"].lower()
        if tag == "br" or (tag in BLOCKS and not found.string.startswith("\n", found.start() - 1)):
            return "\n"
        return " " if tag in _CELLS else ""

    text = _HTML.sub(shown, draft.pages[0].text)
    if not text.strip():
        raise Empty("The file has no text.")
    draft.report_hidden(hidden)
    return text


def _without_marks(text: str) -> str:
    def shown(found: re.Match[str]) -> str:
        if found["code"] or found["rule"]:
            return found[0]
        emphasised = found["starred"] or found["lined"]
        return _without_marks(emphasised) if emphasised else found["escaped"] or ""

    return _MARKS.sub(shown, text)
