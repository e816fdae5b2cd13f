"""Source numbers and lists of sources that a model writes. Only the gate numbers sources."""

from __future__ import annotations

import re

from orderly.models import Span

_OPEN, _CLOSE = (
    r"(?:\\?\[|[［【〔⟦]|&#(?:91|[xX]5[bB]);|&l(?:sqb|brack);)",
    r"(?:\\?\]|[］】〕⟧]|&#(?:93|[xX]5[dD]);|&r(?:sqb|brack);)",
)
_MODEL_NUMBER = re.compile(
    rf"[ \t]?{_OPEN}[ \t*_^]{{0,4}}0{{0,9}}\d{{1,3}}(?:†[^\]】\n]{{0,60}})?[ \t*_]{{0,4}}{_CLOSE}(?!\()"
    r"|<sup>\s*\[?\d{1,3}\]?\s*</sup>|[⁽\[]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}[⁾\]]?"
)
"""A source number written by the model, in brackets or raised; only the gate numbers sources."""

_RAISED = re.compile(r"<sup>|[⁰¹²³⁴⁵⁶⁷⁸⁹]")
_POWER = re.compile(r"(?:\d|\b(?:[mkcd]?m|ft|in|yd|mi|s|x|n|r))\Z")
"""Text before a raised number that is a power: m², 10³."""

_REPORT = re.compile(
    r"(?:\[(?:1[89]|20)\d\d\][ \t]+[A-Z]\w*(?:[ \t][A-Z]\w*)?[ \t]+\d+|\(\d{4}\)[ \t]+\d+[ \t]+[A-Z]+[ \t]+\d+)[,;]?[ \t]*\Z"
)
"""A law report's citation, behind which a paragraph's number may stand."""

_BEFORE_PARAGRAPH_NUMBER = re.compile(r"\b(?:at|paras?|paragraphs?)[ \t]*\Z", re.IGNORECASE)
"""Text before the number of a judgment's paragraph."""

_BETWEEN_PARAGRAPH_NUMBERS = re.compile(r"[ \t]*(?:,|–|-|,?[ \t]*and|to)?[ \t]*", re.IGNORECASE)

_MODEL_SOURCES = re.compile(
    r"^(?:[#*_ \t]*Sources?:?[*_ ]*(?:\n|\Z)|[ \t]*(?:[-*•][ \t]*)?\[\d{1,2}\]:?[ \t][^\n]*(?:\n|\Z))", re.MULTILINE
)


def find_model_numbering(piece: str) -> list[Span]:
    """Finds source numbers and lists of sources written by the model; a number after a paragraph's number is one too."""
    marks: list[Span] = []
    paragraph_end: int | None = None
    for match in _MODEL_NUMBER.finditer(piece):
        start, end = match.span()
        follows = paragraph_end is not None and _BETWEEN_PARAGRAPH_NUMBERS.fullmatch(piece, paragraph_end, start)
        is_raised = piece[start] not in " \t" and _RAISED.search(match[0]) is not None
        if is_raised:
            if not _POWER.search(piece, max(start - 4, 0), start):
                marks.append((start, end))
        elif follows or any(p.search(piece, max(start - 40, 0), start) for p in (_BEFORE_PARAGRAPH_NUMBER, _REPORT)):
            paragraph_end = end
        else:
            marks.append((start, end))
    return [*(match.span() for match in _MODEL_SOURCES.finditer(piece)), *marks]
