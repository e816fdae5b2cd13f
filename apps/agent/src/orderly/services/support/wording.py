"""Words of one meaning, written one way, before sentences are compared."""

from __future__ import annotations

import re
from functools import lru_cache

_NUMBER = r"(?=\(?\d|[$€£]|(?:one|two|three|four|five|six|seven|eight|nine|ten|\w+teen|\w+ty)\b)"
_IDIOMS = tuple(
    (re.compile(pattern, re.IGNORECASE), plain)
    for pattern, plain in (
        (
            r"\b(?:free\s+of\s+(?:any\s+)?charge|(?:with(?:out)?|at|for|is|are)?\s*no\s+(?:charge|cost|fee)s?|without\s+(?:any\s+)?charge)\b",
            " gratis",
        ),
        (r"\b(?:has|have)\s+the\s+right\s*+(?:,\s*+)?but\s+not\s+the\s+(?:obligation|duty)\s*+(?:,\s*+)?to\b", "may"),
        (r"\b(?:exclusive\s+of|excluding|exclud(?:es|ed))\s+(GST|VAT|tax(?:es)?)\b|\bex\s+(GST)\b", r"plus \1\2"),
        (
            r"\b(?:must|shall|may|will)\s+not\s+((?:be\s+)?\w+)\s+([^.;,]{0,80}?)\b(?:for\s+any\s+\w+|in\s+any\s+\w+|to\s+anyone|anything)\s+(?:other\s+than|except)\b",
            r"may \1 \2 only",
        ),
        (r"\b(?:neither|no)\s+(\w+\s+)needs?\s+(?:an?\s+|any\s+)?(?:reason|cause|ground)s?\b", r"either \1without cause"),
        (
            r"\b(?:in\s+no\s+(?:event|case)|under\s+no\s+circumstances?|at\s+no\s+time)\s+(shall|will|may|must|can)\s+([^.;:]{1,140}?)\s+"
            r"(exceed|be|have|constitute|operate|affect|include|apply|pay|disclose|use)\b",
            r"\2 \1 not \3",
        ),
        (r"\bno\s+longer\b(?!\s+than)", "not"),
        (r"\b(?:go|goes|come|comes)\s+down\b", "decrease"),
        (
            r"\b(?:go|goes)\s+up\b|\braises?\b(?=\s+(?:(?:the|its|their|his|her|your)\s+)?(?:\w+\s+)?(?:rent|salary|pay|price|fee|rate|charge|wage)s?\b)",
            "increase",
        ),
        (r"\bcannot\b", "can not"),
        (rf"\bonly\s+{_NUMBER}(?=\w+\s+\w)", "at most "),
        (r"\bneeds?\s+no\s+(?:reason|cause|ground)s?\b", "without cause"),
        (
            rf"\b(?:no|neither)\s+((?:\w+\s+){{1,3}}?)(may|shall|will|can|must)\s+((?:\w+\s+){{1,3}}?)(?:more\s+than|exceed)\s+{_NUMBER}",
            r"a \1\2 \3at most ",
        ),
        (
            rf"\b(may|shall|will|can|must)\s+not\s+((?:\w+\s+){{1,3}}?)(?:more\s+than|exceed)\s+{_NUMBER}",
            r"\1 \2at most ",
        ),
        (r"\b(?:may|shall|must|will|can)\s*not\s+(\w+)\s+(\w+)\s+or\s+more\b", r"may \1 fewer than \2"),
        (
            rf"\b(?:shall|will|must|may|does|do|can)?\s*(?:not|never)\s+(?:to\s+)?exceed(?:ing)?\s+(?:in\s+(?:the\s+)?(?:aggregate|total)\s+)?{_NUMBER}",
            " at most ",
        ),
        (rf"\b(?:not|no)\s+(?:more|later|longer|greater)\s+than\s+{_NUMBER}", "at most "),
        (rf"\b(?:not|no)\s+(?:less|fewer|earlier|sooner)\s+than\s+{_NUMBER}", "at least "),
        (
            r"(?:,\s*(?:and\s+)?|\b(?:and|but)\s+)(?:is\s+|are\s+)?not\s+(?:(?:an?|the|any)\s+)?(?:\w+\s+)?"
            r"(?:duty|obligation|requirement|right|option|power|required|obliged|mandatory|optional|compulsory|obligatory|bound)\b(?!\s+to\b)",
            " ",
        ),
    )
)
"""Patterns and what stands for them. The last removes a contrast: "an option, not a duty"."""


_NOT_WITHOUT = re.compile(
    r"(\bnot\b[^.;]{0,160}?)\bwithout\s+(?:first\s+)?(?:obtaining\s+)?((?:\S+\s+){0,4}?)(?:prior\s+)?(?:written\s+)?(?:consent|approval|permission)\b",
    re.IGNORECASE,
)
"""A consent without which something must not be done: no negation of its own."""
_MAY_ONLY = re.compile(r"\bmay\s+only\s+((?:be\s+)?\w+)", re.IGNORECASE)


@lru_cache(maxsize=512)
def without_idioms(text: str) -> str:
    for pattern, plain in _IDIOMS:
        text = pattern.sub(plain, text)
    return text


def as_said(statement: str) -> str:
    """A sentence for comparison. "May only" says neither "may" nor "must" alone."""
    return _MAY_ONLY.sub(r"only \1", without_idioms(statement))


def as_known(evidence: str) -> str:
    """Quoted words for comparison. What "may only" be done so may be done, and must be done so."""
    return _MAY_ONLY.sub(r"may \1 and must \1 only", _NOT_WITHOUT.sub(r"\1unless \2consents", without_idioms(evidence)))
