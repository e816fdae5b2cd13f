"""Finds the sentence that answers a column of text: the rate of interest, the state in which premises are given back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.list_items import ITEM, LEADS, LONGEST, matching
from orderly.services.columns.references import referred, with_label
from orderly.services.columns.wording import Wording
from orderly.services.values import pointed_items

_WORDING = Wording("stated_texts")
SHORTEST = 40
"""Characters of a sentence."""
CONFIDENCE = 0.75
_LEAVES_OPEN = re.compile(r"\b(?:for|than|with|as|in|of)\Z", re.I)
"""The last word before the term that answers: "use it only for the Purpose"."""
_TERM_NEXT = re.compile(
    r"\s*(?:the|its|that)\s+(?-i:[A-Z])[\w-]*(?:\s[A-Z][\w-]*){0,3}(?=[.,;]|\s(?:and|or|as|in|by|unless|without)\b)"
)
_FIRST_ITEM = re.compile(rf"{LEADS.pattern}|[(]a[)]|[(]i[)]")


def is_stated_text(subject: str) -> bool:
    """Whether the subject of a column is answered in words."""
    return not subject.startswith("other than ") and subject.replace(" ", "_") in _WORDING


def stated_text(subject: str, text: str, sentences: Sequence[Span]) -> Finding | None:
    """The first sentence that states the subject, with the list that it leads to. The value is its words."""
    name = subject.replace(" ", "_")
    states, other = _WORDING[name], _WORDING.get(f"other_than_{name}")
    for places in matching(states, text, sentences):
        start, _ = places[0]
        whole = start, _end_of_list(text, [span for span in sentences if span[0] >= start], states)
        if whole[1] - start >= SHORTEST and not (other and any(other.search(text, *place) for place in places)):
            said = _left_to_another_place(text, whole, states)
            value = " ".join(text[slice(*(said or whole))].split())
            return Finding(value, (with_label(text, said), whole) if said else (whole,), CONFIDENCE)
    return None


def _left_to_another_place(text: str, sentence: Span, states: re.Pattern[str]) -> Span | None:
    """What the item or the definition says that a sentence names in place of an answer: "other than that in Item 10"."""
    if pointed_items(text[slice(*sentence)]):
        return next(referred(text, *sentence), None)
    match = states.search(text, *sentence)
    term = match and _LEAVES_OPEN.search(match[0]) and _TERM_NEXT.match(text, match.end(), sentence[1])
    return next(referred(text, *term.span()), None) if term else None


def _end_of_list(text: str, sentences: Sequence[Span], states: re.Pattern[str]) -> int:
    (start, end), *following = sentences
    stands_alone = ITEM.match(text, start, end) and not LEADS.search(text, start, end)
    if not stands_alone and not _FIRST_ITEM.search(text, start, end):
        return end
    for item in following:
        if item[1] - start > LONGEST or not ITEM.match(text, *item) or (stands_alone and not states.search(text, *item)):
            break
        end = item[1]
    return end
