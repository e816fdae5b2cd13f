"""Determines the answer type of a question and finds expressions of this type in a sentence."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from orderly.services.values import party_names
from orderly.services.words import ANY_MONTH

AnswerType = Literal["title", "parties", "date", "duration", "money", "percentage", "law", "person", "passage"]

TYPE_OF_CONCEPT: dict[str, AnswerType] = {
    "document title": "title",
    "parties": "parties",
    "agreement date": "date",
    "effective date": "date",
}
"""Answer types of concepts that are answered by one expression."""
LONGEST_PARTIES = 300
"""Characters. Longer matches contain addresses and recitals, so the whole sentence is returned."""

_NUMBER = (
    r"(?:\d+(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|eighteen|twenty(?:-four)?|"
    r"thirty|forty-five|forty|sixty|ninety|one hundred(?: and)? (?:twenty|eighty))"
)

_WORD = r"(?!(?:This|THIS|The|THE|Exhibit|EXHIBIT)\b)[A-Z][\w&'’/-]{0,60}"
_AGREEMENT_NOUNS = ("Agreement", "Contract", "Deed", "Lease", "Addendum", "Amendment", "Licence", "License", "Terms")
_TITLE_ENDS = "|".join(f"{kind}|{kind.upper()}" for kind in _AGREEMENT_NOUNS)
_JOINED = r"(?:[ \n](?:and|or|of|for|to|the|in|&|AND|OR|OF|FOR|TO|THE|IN)){0,2}"
_PATTERNS: dict[AnswerType, re.Pattern[str]] = {
    "title": re.compile(
        rf"\b(?:{_WORD},?{_JOINED}[ \n]){{1,9}}?(?:{_TITLE_ENDS})\b"
        rf"(?!{_JOINED}[ \n]+(?:{_WORD},?[ \n]+){{0,2}}(?:{_TITLE_ENDS})\b)"
    ),
    "parties": re.compile(r"(?<=\s)(?:between|among(?:st)?|BETWEEN|AMONG)\s*:?\s+(?P<answer>[(\"“]?[\w(\"“].*)", re.S),
    "date": re.compile(
        rf"\b(?:(?:{ANY_MONTH})\s++(?:(?:\d{{1,2}}(?:st|nd|rd|th)?|_+|\[[^\]]{{0,80}}\])\s*+)?(?:,\s*+)?(?:\d{{4}}|_+)"
        rf"|(?:the\s+)?\d{{1,2}}\s?(?:st|nd|rd|th)?\s+(?:day\s+of\s+)?(?:{ANY_MONTH})\s*+(?:,\s*+)?\d{{4}}"
        r"|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\d{4}-\d\d-\d\d)"
        rf"|(?:\b\d{{0,2}}|(?<!_)_++)(?:st|nd|rd|th)?\s*day\s+of\s+(?:{ANY_MONTH}|_+)\s*+(?:,\s*+)?(?:in\s+the\s+year\s+)?(?:\d{{2,4}}_*|_+)",
        re.I,
    ),
    "duration": re.compile(
        rf"\b(?:{_NUMBER}\s*)?(?:\(\s*\d+\s*\)\s*)?(?<=[\w)]\s)"
        r"(?:(?:calendar|business|working|consecutive|full|additional|successive)\s+)?"
        r"(?:days?|weeks?|months?|years?)\b(?:['’])?|\b" + _NUMBER + r"[- ](?:day|week|month|year)\b",
        re.I,
    ),
    "money": re.compile(
        r"(?:A\$|US\$|AU\$|C\$|\$|€|£|USD|AUD|EUR|GBP)\s?\d[\d,]*(?:\.\d+)?(?:\s+(?:thousand|million|billion))?"
        r"|\b\d[\d,]{0,30}(?:\.\d+)?\s+(?:dollars|euros|pounds)\b",
        re.I,
    ),
    "percentage": re.compile(r"\b\d+(?:\.\d+)?\s*(?:%|per\s?cent\b)", re.I),
    "law": re.compile(r"\blaws?\s+of\b|\blaws?\s+in\s+force\b|\b[A-Z][a-z]+ law\b", re.I),
    "person": re.compile(r"\b(?:Inc|Ltd|LLC|Corp|Corporation|Limited|Company|Pty|L\.P|GmbH|S\.A|N\.V|plc)\b\.?"),
}
_DATE_CUE = re.compile(
    r"\b(?:dated|as of|made|into|effective|executed|signed|commence\w*|begin\w*|start\w*)\W*(?:\w+\W+){0,4}?$",
    re.I,
)
"""Words before the date of the agreement itself."""
_QUESTION_CUES: tuple[tuple[AnswerType, re.Pattern[str]], ...] = (
    ("duration", re.compile(r"\bhow (?:long|many (?:days|weeks|months|years))\b", re.I)),
    ("duration", re.compile(r"\b(?:duration|length of|(?:notice|cure|grace|renewal|warranty) period)\b", re.I)),
    ("duration", re.compile(r"\bhow much (?:advance |prior )?notice\b", re.I)),
    ("date", re.compile(r"\b(?:what|which) (?:date|day)\b|\bwhen\b|\b(?:expiry|effective|commencement|signing) date\b", re.I)),
    ("money", re.compile(r"\bhow much\b|\bwhat (?:amount|sum|fee|price|salary|rent)\b|\b(?:amount|price) of\b", re.I)),
    ("percentage", re.compile(r"\bwhat (?:percentage|share|rate|proportion)\b", re.I)),
    ("law", re.compile(r"\b(?:which|what|whose)\b[^?]{0,30}\blaws?\b", re.I)),
    ("person", re.compile(r"\bwho(?:m|se)?\b|\bwhich (?:party|parties|company|companies|person)\b", re.I)),
)  # fmt: skip


@lru_cache(maxsize=64)  # asked for every sentence of a document
def expected_type(question: str) -> AnswerType:
    """Answer type by question words; "passage" if they set no type."""
    return next((kind for kind, pattern in _QUESTION_CUES if pattern.search(question)), "passage")


def contains(kind: AnswerType, sentence: str) -> bool:
    """Whether the sentence contains an expression of this type."""
    pattern = _PATTERNS.get(kind)
    return pattern is not None and pattern.search(sentence) is not None


def narrow(kind: AnswerType, text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Narrows the sentence at [start, end) to the expression that answers; returns the sentence if there is no single one.

    Only "parties" returns several spans; they may extend beyond the sentence.
    """
    if kind == "parties":
        return party_names(text, start, end) or [_parties_span(text, start, end)]
    found = [match.span() for match in _PATTERNS[kind].finditer(text, start, end)] if kind in ("title", "date") else []
    if kind == "date" and len(found) > 1:
        found = [span for span in found if _DATE_CUE.search(text, max(start, span[0] - 60), span[0])]
        found = found if len(found) == 1 else []
    return found[:1] or [(start, end)]


def _parties_span(text: str, start: int, end: int) -> tuple[int, int]:
    match = _PATTERNS["parties"].search(text, start, end)
    if match and match.end() - match.start("answer") <= LONGEST_PARTIES:
        return match.span("answer")
    return start, end
