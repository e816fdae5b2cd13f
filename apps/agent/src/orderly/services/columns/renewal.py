"""Finds the length of a renewal and the notice that prevents it."""

from __future__ import annotations

import re

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.wording import Wording
from orderly.services.values import Duration, find_durations

_WORDING = Wording("renewal")


def renewal_term(text: str, sentences: list[Span]) -> Finding | None:
    """The length of the first renewal."""
    best: Finding | None = None
    for start, end in sentences:
        words = text[start:end]
        cue = _WORDING["renews"].search(words)
        if cue is None or not _WORDING["of_agreement"].search(words):
            continue
        for period in find_durations(words):
            if period.unit == "D" or period.end < cue.start() or _is_notice(words, period):
                continue
            before = (
                words[max(cue.start(), period.start - 70) : period.start] or words[max(0, period.start - 70) : period.start]
            )
            if not (_WORDING["renewal_period"].search(before) or cue.start() >= period.start):
                continue
            confidence = (
                0.5
                + 0.2 * bool(re.search(r"renew", words, re.I))
                + 0.2 * bool(re.search(r"automatic|successive|renewal term", words, re.I))
            )
            confidence -= 0.3 * bool(_WORDING["other_extension"].search(words)) + 0.15 * (
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
        if not _WORDING["notice"].search(words) or not _WORDING["non_renewal"].search(words):
            continue
        before = text[slice(*sentences[index - 1])] if index else ""
        renews = re.search(
            r"\brenew|\brolls?\s+over|automatically\s+(?:be\s+)?extend|extended\s+automatically"
            r"|\bfrom\s+year\s+to\s+year\b|\b(?:be|so)\s+extended\b|\bextends?\s+for\b"
            r"|\bcontinues?\s+for\s+(?:another|(?:an?\s+|another\s+)?(?:further|successive|additional))\b",
            words,
            re.I,
        )
        if not renews:
            continue
        for period in find_durations(words):
            if not _is_notice(words, period) or (
                _WORDING["renewal_period"].search(words[max(0, period.start - 40) : period.start])
                and not _WORDING["at_least"].search(words[max(0, period.start - 40) : period.start])
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
    return _WORDING["before_end"].search(words[period.end : period.end + 80]) is not None


def _difference(period: Duration) -> str:
    return "" if period.agrees else "The number in words and the number in digits differ."
