"""Finds how a court disposed of a case, where a question asks who won or what was decided."""

from __future__ import annotations

import re

from orderly.services.engines.local import sentences, stems
from orderly.services.questions.objects import objects_of, says
from orderly.services.questions.presence import MOST_LIKELY
from orderly.services.text import Span

_CASE = r"(?:appeals?|applications?|claims?|cross-claims?|proceedings?|motions?|actions?|petitions?|summons|case)"
_ASKS = re.compile(
    r"\bwho\s+(?:won|lost|succeeded|prevailed)\b"
    rf"|\b(?:outcome|result|disposition)\s+(?:of|in)\s+(?:the\s+)?(?:{_CASE}|hearing|trial|judgment|agreement|dispute)\b"
    r"|\bwhat\s+(?:did|does|has|was)\b[^?]{0,60}\b(?:court|judge|tribunal|judgment|decision|justice|registrar)\b[^?]{0,40}"
    r"\b(?:decide[sd]?|h[eo]ld|order(?:ed)?|conclude[sd]?)\b"
    r"|\bwhat\s+(?:(?:orders?|relief|penalt(?:y|ies))\s+(?:did|was|were)|was\s+(?:decided|ordered|held|the\s+(?:outcome|result|decision)))\b"
    rf"|\b(?:was|were|did)\s+(?:the\s+)?(?:\w+\s+)?{_CASE}\s+(?:allowed|dismissed|successful|succeed|fail|upheld|granted|refused)\b"
    r"|\bhow\s+(?:was|did)\s+(?:the\s+)?(?:\w+\s+){0,3}(?:decided|end|resolved)\b",
    re.IGNORECASE,
)
_DISPOSES = re.compile(
    rf"\b{_CASE}\b[^.;]{{0,80}}?\b(?:is|are|be|must\s+be|should\s+be|will\s+be)\s+(?:therefore\s+|accordingly\s+|hereby\s+)?"
    r"(?:dismissed|allowed|upheld|granted|refused|struck\s+out)\b"
    rf"|\bI\s+(?:\w+\s+){{0,3}}?(?:dismiss|allow|uphold|grant|refuse)\b[^.;]{{0,60}}\b{_CASE}\b"
    r"|\bI\s+(?:(?:would|will|shall|propose\s+to|therefore|accordingly)\s+){1,3}(?:order|declare|impose|make\s+(?:an?|the|those)\s+)"
    r"|\bthere\s+(?:will|shall|must|should)\s+(?:therefore\s+|accordingly\s+)?be\s+(?:an?\s+)?(?:orders?|judgment|declarations?|grant\s+of)\b"
    r"|\bcourt\s+(?:hereby\s+)?(?:orders|declares)\b"
    r"|\bjudgment\s+(?:is|be|should\s+be|will\s+be|must\s+be)\s+(?:entered\s+|given\s+)?(?:for|in\s+favour)\b"
    r"|\bappropriate\s+(?:penalty|sentence|award|fine|sum)\s+(?:is|would\s+be)\b"
    rf"|\b{_CASE}\b\s+(?:therefore\s+|accordingly\s+)?(?:succeeds|fails)\b",
    re.IGNORECASE,
)
_ORDERS = re.compile(r"\bcourt\s+(?:hereby\s+)?(?:orders|declares)\b", re.IGNORECASE)


def asks_outcome(question: str) -> bool:
    """Whether a question asks how a case was decided."""
    return _ASKS.search(question) is not None


def disposing_sentences(text: str, question: str = "") -> list[Span]:
    """The court's orders where they are set out, else the last sentences that dispose of a case: reasons come before them.

    Those that say what the question asks for, as the penalties, come before others.
    """
    found = [(s.start, s.end) for s in sentences(text) if _DISPOSES.search(text, s.start, s.end)]
    orders = [span for span in found if _ORDERS.search(text, *span)]
    asked = objects_of(question)
    saying = [span for span in found if any(says(o, frozenset(stems(text[slice(*span)]))) for o in asked)]
    return saying[-MOST_LIKELY:] or orders[:MOST_LIKELY] or found[-MOST_LIKELY:]
