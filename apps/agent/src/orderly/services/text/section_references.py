"""Compares references to sections: "Section 10.2(a)" and "10.2 (a)" are equal, and both stand within "Article X"."""

from __future__ import annotations

import re

from orderly.services.text.clause_numbers import parse_roman

_PART = re.compile(r"\w+")
_UNIT = frozenset(
    ("section", "sections", "sec", "clause", "paragraph", "para", "subsection", "subclause", "item", "article", "no", "part")
)
_ARTICLE = frozenset(("article", "part"))
_SAME_ATTACHMENT = {"annexure": "annex", "appendices": "appendix"}

Reference = tuple[str, ...]
"""Parts from the outermost to the innermost: ("schedule", "1", "3") for "Schedule 1, item 3"."""


_ABBREVIATED_UNIT = frozenset(["cl", "cls", "s", "ss", "sec", "para", "paras", "art", "arts", "sch", "pt"])
"""Before a number alone: "s" may also be an item, "12(s)"."""


def section_reference(text: str) -> Reference:
    """The parts of a reference, in lower case, without words such as "Section"; Roman numerals of articles become digits."""
    parts: list[str] = []
    before = ""
    for match in _PART.finditer(text.lower()):
        word = match[0]
        roman = parse_roman(word) if before in _ARTICLE else 0
        if word not in _UNIT and (parts or word not in _ABBREVIATED_UNIT):
            parts.append(str(roman) if roman else _SAME_ATTACHMENT.get(word, word))
        before = word
    return tuple(parts)


def is_within_section(inner: Reference, outer: Reference) -> bool:
    """Whether `inner` is `outer` or stands within it: "12.1(a)" within "12.1", but "12.2" not within "12.1"."""
    return bool(outer) and inner[: len(outer)] == outer
