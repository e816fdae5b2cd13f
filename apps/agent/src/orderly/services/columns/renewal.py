"""Finds the length of a renewal and the notice that prevents it."""

from __future__ import annotations

import re

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.wording import load
from orderly.services.values import Duration, find_durations

_WORDING = load("renewal")
_RENEWS = _WORDING["renews"]
_OF_AGREEMENT = _WORDING["of_agreement"]
_RENEWAL_PERIOD = _WORDING["renewal_period"]
_OTHER_EXTENSION = _WORDING["other_extension"]
_NON_RENEWAL = _WORDING["non_renewal"]
_AT_LEAST = _WORDING["at_least"]
_NOTICE = _WORDING["notice"]
_BEFORE_END = _WORDING["before_end"]


def renewal_term(text: str, sentences: list[Span]) -> Finding | None:
    """The length of the first renewal."""
    best: Finding | None = None
    for start, end in sentences:
        words = text[start:end]
        cue = _RENEWS.search(words)
        if cue is None or not _OF_AGREEMENT.search(words):
            continue
        for period in find_durations(words):
            if period.unit == "D" or period.end < cue.start() or _is_notice(words, period):
                continue
            before = (
                words[max(cue.start(), period.start - 70) : period.start] or words[max(0, period.start - 70) : period.start]
            )
            if not (_RENEWAL_PERIOD.search(before) or cue.start() >= period.start):
                continue
            confidence = (
                0.5
                + 0.2 * bool(re.search(r"renew", words, re.I))
                + 0.2 * bool(re.search(r"automatic|successive|renewal term", words, re.I))
            )
            confidence -= 0.3 * bool(_OTHER_EXTENSION.search(words)) + 0.15 * (
                re.match(r"thereafter", cue[0], re.I) is not None
            )
            if best is None or confidence > best.confidence:
                best = Finding(period.iso, ((start, end),), confidence, period.agrees, _difference(period))
            break
    return best


def renewal_notice(text: str, sentences: list[Span]) -> Finding | None:
    """The notice that a party gives to prevent a renewal."""
    best: Finding | None = None
    for index, (start, end) in enumerate(sentences):
        words = text[start:end]
        if not _NOTICE.search(words) or not _NON_RENEWAL.search(words):
            continue
        before = text[slice(*sentences[index - 1])] if index else ""
        renews = re.search(
            r"\brenew|\brolls?\s+over|automatically\s+(?:be\s+)?extend|extended\s+automatically"
            r"|\bcontinues?\s+for\s+(?:an?\s+|another\s+)?(?:further|successive|additional)\b",
            words,
            re.I,
        )
        if not renews:
            continue
        for period in find_durations(words):
            if not _is_notice(words, period) or (
                _RENEWAL_PERIOD.search(words[max(0, period.start - 40) : period.start])
                and not _AT_LEAST.search(words[max(0, period.start - 40) : period.start])
            ):
                continue
            confidence = (
                0.6
                + 0.2 * bool(re.search(r"automatic|successive", words + before, re.I))
                + 0.1 * bool(re.search(r"prior to|before", words[period.end :], re.I))
            )
            if best is None or confidence > best.confidence:
                best = Finding(period.iso, ((start, end),), confidence, period.agrees, _difference(period))
            break
    return best


def _is_notice(words: str, period: Duration) -> bool:
    return _BEFORE_END.search(words[period.end : period.end + 80]) is not None


def _difference(period: Duration) -> str:
    return "" if period.agrees else "The number in words and the number in digits differ."
