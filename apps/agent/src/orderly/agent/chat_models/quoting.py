"""Quotations with their citations, as the citation gate reads them."""

from __future__ import annotations

import re

from orderly.agent.chat_models.tool_texts import Excerpt

_NUMBER = r"(?:\d{1,3}\.\d{1,3}(?:\.\d{1,3})*|\d{1,3}\.)"
_MARK = r"#{1,6}\s+"
_BEGINS = re.compile(
    rf"{_MARK}(?=\S)|(?:(?:Section|SECTION|Article|ARTICLE)\s+)?{_NUMBER}\s+(?![a-z])"
    r"(?:(?!(?:Clauses?|Sections?|Articles?|Items?|Subject|Under)\b)(?:[A-Z][^.\d]{2,60}?\s+(?=\d{1,3}\.\d)|[A-Z][^.\d]{2,60}\.\s+(?=[A-Z])))?"
)
"""The mark of a heading; or the number of a clause, and its title if a further number or a sentence follows."""
_NEXT = re.compile(rf"(?<=[.;:)])\s+(?=(?:{_MARK})?{_NUMBER}\s+[A-Z])")
LABELS = 3
"""Marks, and numbers with their titles, before the words of a clause: "## 9. Termination 9.1"."""
CUT = "..."
LEAST = 40
"""Characters of a sentence that is quoted without the cut one after it."""
_INNER_MARKS = str.maketrans("“”„«»", '"""""')


def cite(excerpt: Excerpt) -> str:
    return f"{quote(excerpt.text)} [{excerpt.source}]"


def quote(text: str) -> str:
    """Quotes a text on one line, with straight quotation marks inside. Nothing else of a quotation may change."""
    return "“" + " ".join(text.split()).translate(_INNER_MARKS) + "”"


def clause_parts(text: str) -> list[str]:
    """The sub-clauses of a clause without their numbers and titles; a cut sentence at the end is left out if others stand."""
    parts = [without_label(part) for part in _NEXT.split(text)]
    if parts[-1].endswith(CUT):
        whole = re.match(r".*[.;](?=\s)", parts[-1].removesuffix(CUT), re.DOTALL)
        kept = [whole[0]] if whole and len(whole[0]) >= LEAST else []
        parts = [*parts[:-1], *kept] or parts
    return parts


def without_label(text: str) -> str:
    """A clause without its heading's mark, its number and its title."""
    for _ in range(LABELS):
        begin = _BEGINS.match(text)
        if begin is None or len(text) - begin.end() < LEAST:
            break
        text = text[begin.end() :]
    return text
