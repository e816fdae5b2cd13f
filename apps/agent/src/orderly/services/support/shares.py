"""Shares of a whole, in percent: "66.7 %", "two-thirds", "half of", "3/4", "three votes in every four", "nine out of ten"."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from orderly.services.values import NUMBER_WORDS, PARTS, parse_words

_PART = "|".join(sorted(PARTS, key=len, reverse=True))
_NUMBER = rf"(?:{NUMBER_WORDS}|(?<![\w.,])\d{{1,3}}(?![\w.,]*\d))"
_SPELT = rf"{NUMBER_WORDS}(?:\s+and\s+(?:a|one)[\s-](?:half|quarter))?(?:\s+\(?\d+(?:\.\d+)?%?\)?)?"
PERCENT = re.compile(
    rf"(?P<number>(?<!\d)\d[\d,]{{0,30}}(?:\.\d+)?|{_SPELT})\s*(?:%|per\s?cent\b|percent\b)(?P<points>(?:age)?\s+points?\b)?|"
    rf"(?P<more>{_NUMBER})\s+percentage\s+points?\b",
    re.IGNORECASE,
)
_OF_TIME = r"(?!\s+of\s+(?:the\s+|each\s+|a\s+|any\s+)?(?:calendar\s+|financial\s+)?(?:year|\d{4})\b)"
"""A quarter of a year is a time."""
FRACTION = re.compile(
    rf"(?<!first )(?<!second )(?:\b(?P<count>{NUMBER_WORDS})(?P<dash>[\s-])(?P<part>{_PART})\b(?!\s+(?:day|week|month|year))"
    rf"|(?:\ba\s+)?\b(?P<single>half|third|quarter|fifth|tenth)(?=\s+of\b)|\b(?P<half>half)(?=\s+(?:the|its|their|that|any)\b)"
    rf"|(?<![\d/.])(?P<over>\d)/(?P<under>2|3|4|5|10)(?![\d/])){_OF_TIME}",
    re.IGNORECASE,
)
RATIO = re.compile(
    rf"\b(?P<over>{_NUMBER})\s+(?:[a-z]+\s+){{0,2}}?(?:(?:in|of|out\s+of)\s+(?:every|each)|out\s+of|in(?=\s+(?:{NUMBER_WORDS})\W))\s+(?P<under>{_NUMBER})",
    re.IGNORECASE,
)
_SHARE_BEHIND = re.compile(r"\s+(?:of\b|shares?\b|parts?\b|majority|interests?\b|portion|stake|vote)", re.IGNORECASE)


class Share(NamedTuple):
    start: int
    end: int
    percent: Decimal
    is_difference: bool = False
    """Whether it is a distance in percentage points."""


def find_shares(text: str) -> list[Share]:
    found = [share for match in PERCENT.finditer(text) if (share := _percent(match)) is not None]
    taken = {place for share in found for place in range(share.start, share.end)}
    for pattern in (RATIO, FRACTION):
        for match in pattern.finditer(text):
            if taken.isdisjoint(range(*match.span())) and (share := _share(text, match)) is not None:
                found.append(share)
                taken.update(range(*match.span()))
    return sorted(found)


def _percent(match: re.Match[str]) -> Share | None:
    written = match["number"] or match["more"]
    digits = re.search(r"\d[\d,]*(?:\.\d+)?", written)
    if digits:
        value: Decimal | None = Decimal(digits[0].replace(",", ""))
    else:
        whole, _, part = written.casefold().partition(" and a ")
        count = parse_words(whole)
        value = None if count is None else count + (1 / Decimal(PARTS[part.strip()]) if part.strip() in PARTS else Decimal(0))
    return None if value is None else Share(*match.span(), value, bool(match["points"] or match["more"]))


def _share(text: str, match: re.Match[str]) -> Share | None:
    """Rounded to hundredths of a percent."""
    groups = match.groupdict()
    if groups["over"]:
        over, under = _count(groups["over"]), _count(groups["under"])
    elif groups["dash"] == " " and not _SHARE_BEHIND.match(text, match.end()):
        return None
    else:
        over = _count(groups["count"]) if groups["count"] else 1
        under = PARTS[(groups["part"] or groups["single"] or groups["half"]).casefold()]
    return Share(*match.span(), round(Decimal(100 * over) / under, 2)) if over and under and over <= under else None


def _count(written: str) -> int:
    return int(written) if written.isdigit() else parse_words(written) or 0
