"""Numbers that count what a sentence or its quotation names: "two formalities", "the two", "the second attempt"."""

from __future__ import annotations

import re
from decimal import Decimal

from orderly.services.support.evidence import Evidence
from orderly.services.support.words import stem, subject_stems
from orderly.services.values import ORDINAL_WORDS, find_numbers, parse_words

_MOST = 12
"""Things that a sentence counts by itself at most."""
_SMALL_ORDINAL = 3
_THINGS = re.compile(r"\s+(?:of\s+(?:the|its|their|these|those)\s+)?(?P<words>(?:[\w’'-]+\s+){0,2}?[a-z’'-]{2,}(?:s|en))\b")
_KNOWN_THINGS = re.compile(r"\b(?:the|these|those|its|their|all|any)\s+\Z", re.IGNORECASE)
_OF_THEM = re.compile(r"\s+of\s+(?:them|us|these|those)\b|\s*[.,;]|\s*\Z", re.IGNORECASE)
_OTHER_COUNTS = {3, 4, 5, 6, 7}
_ITEM = re.compile(r"(?:\A|\s)\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[).]\s")
_ORDINAL = re.compile(ORDINAL_WORDS, re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_REACH, _REACH_OF_ONE = 3, 6
"""Words behind a number, one of which it counts. "One further term" may be two options to another writer."""


def counts(number: str, before: str, behind: str, evidence: Evidence) -> bool:
    """Whether a number in words counts things of which the evidence states no other number."""
    value = parse_words(number.strip().casefold())
    if value is None or not 2 <= value <= _MOST:
        return False
    is_known = _KNOWN_THINGS.search(before) is not None
    if value == 2 and is_known and _OTHER_COUNTS.isdisjoint(evidence.facts.values):
        return True  # "the two"
    things = _THINGS.match(behind)
    if things is None:
        return is_known and _OF_THEM.match(behind) is not None and _OTHER_COUNTS.isdisjoint(evidence.facts.values)
    if len(_ITEM.findall(evidence.text)) == value:
        return True
    return not _is_counted("" if is_known else behind, subject_stems(things["words"]), evidence)


def _is_counted(behind: str, things: set[str], evidence: Evidence) -> bool:
    """Whether the evidence gives a number of one of the things, or is about one thing of what the sentence goes on to say."""
    said = _stems(behind, _REACH_OF_ONE)
    for found in find_numbers(evidence.text):
        counted = evidence.text[found.end : found.end + 80]
        if not _stems(counted, _REACH).isdisjoint(things) or (
            found.value == 1 and not _stems(counted, _REACH_OF_ONE).isdisjoint(said)
        ):
            return True
    return False


def _stems(text: str, count: int) -> set[str]:
    return {stem(word) for word in _WORD.findall(text)[:count] if len(word) > 3}


def is_known_place(number: str, value: Decimal, evidence: Evidence) -> bool:
    """Whether an ordinal in words is a number of the evidence in digits, or a small one beside none: "the second attempt"."""
    if not _ORDINAL.fullmatch(number.strip()):
        return False
    if re.search(rf"(?<![\d.]){value}(?!\d)", evidence.text):
        return True
    return value <= _SMALL_ORDINAL and _ORDINAL.search(evidence.text) is None
