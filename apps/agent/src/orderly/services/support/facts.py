"""Facts of a text that can be compared: dates, periods, money, percentages, numbers, frequencies, references, names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

from orderly.services.support.words import names_in
from orderly.services.values import (
    DateValue,
    Duration,
    Money,
    find_dates,
    find_durations,
    find_money,
    find_numbers,
    parse_words,
)

_HAS_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|fou?rty|fifty|sixty|seventy|eighty|ninety|"
    r"hundred|thousand|million|billion|months?|years?|annual|second|thirds?|fourth|fifths?|\w+ths?|half|halves|quarters?)\b",
    re.IGNORECASE,
)
_TENS = r"twenty|thirty|fou?rty|fifty|sixty|seventy|eighty|ninety|hundred"
_WORDS = rf"(?:a|and|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{{3,5}}teen|{_TENS}|half|quarter)"
_SPELT = rf"(?:\b{_WORDS}[\s-]++){{0,12}}?\b{_WORDS}(?:\s+\(?\d+(?:\.\d+)?%?\)?)?"
_AND_A_PART = re.compile(r"\s+and\s+(?:a|one)[\s-](?P<part>half|quarter)\Z", re.IGNORECASE)
_PERCENT = re.compile(rf"(?P<number>(?<!\d)\d[\d,]{{0,30}}(?:\.\d+)?|{_SPELT})\s*(?:%|per\s?cent\b|percent\b)", re.IGNORECASE)
_FRACTION = re.compile(
    r"(?<!first )(?<!second )(?:"
    r"\b(?P<count>one|two|three|four|seven|nine)(?P<dash>[\s-])(?P<part>half|halves|thirds?|quarters?|fifths?|tenths?)\b"
    r"|(?:\ba\s+)?\b(?P<single>half|third|quarter|fifth|tenth)(?=\s+of\b)|\b(?P<half>half)(?=\s+(?:the|its|their|that|any)\b)"
    r"|(?<![\d/.])(?P<over>\d)/(?P<under>2|3|4|5|10)(?![\d/]))"
    r"(?!\s+of\s+(?:the\s+|each\s+|a\s+|any\s+)?(?:calendar\s+|financial\s+)?(?:year|\d{4})\b)",
    re.IGNORECASE,
)
"""A share in words: "two-thirds", "a quarter of", "half the", "3/4". A quarter of a year is a time."""
_SHARE_BEHIND = re.compile(r"\s+(?:of\b|share|part|majority|interest|portion|stake)", re.IGNORECASE)
_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_REFERENCE = re.compile(
    r"\b(?P<kind>(?:sub-?)?(?:clauses?|cls?|sections?|paragraphs?)|articles?|arts?|paras?|schedules?|annexures?|exhibits?|appendix|part|items?|pages?|p|"
    r"(?<!['’])ss?(?=\.?\s+\d))\.?\s+"
    r"(?P<label>(?:\d[\w.]*(?:\([\w]{1,4}\))*|[A-Z]\b|[IVX]+\b|\([a-z]{1,4}\)))"
    r"(?P<law>\s+(?:of|to)\s+(?:the\s+)?[A-Z][^.;]{0,80}?\b(?:Act|Regulations?|Code|Law|Constitution|Rules)\b(?:\s+(?:1[89]|20)\d\d\b)?)?",
    re.IGNORECASE,
)
_FREQUENCY = re.compile(
    r"\b(?:(?:per|an?|each|every)\s+(?:calendar\s+)?(?P<unit>annum|year|month|quarter|week|fortnight|day|hour)\b|"
    r"(?P<adverb>annual(?:ly)?|yearly|monthly|quarterly|weekly|fortnightly|daily|hourly)\b)",
    re.IGNORECASE,
)
_LASTS = re.compile(
    r"\b(?:for|within|of|in|after|than|by|lasts?|is|was|takes?|over|under|about|around|roughly|nearly|almost|half|has|have|gets?|only|just)\s+\Z",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"(?:['’]s?)?\s*(?:later|before|after|ago|earlier|from|prior|notice|or\s+(?:more|less|longer)|and\s+a\s+half)\b",
    re.IGNORECASE,
)
"""Words around "a year" that make it a period, not a frequency."""
_HALVES = re.compile(
    r"\b(?P<half>half\s+a\s+year)\b|\b(?:a|one)\s+year\s+and\s+a\s+half\b|\bone\s+and\s+a\s+half\s+years\b", re.IGNORECASE
)
_SOME_DAY = re.compile(r"\b(?:may|might|could|would|will)\s+one\s+day\Z", re.IGNORECASE)
_UNITS = ("year", "month", "week", "day")
_STEMS = {
    **dict.fromkeys(("annum", "year", "annual", "annually", "yearly"), "annu"),
    **{f"{unit}ly": unit for unit in ("month", "quarter", "week", "fortnight", "hour")},
    "daily": "day",
}
_DIGITS = re.compile(r"\d+(?:[.,:/]\d+)*")
_ORDINAL = re.compile(
    r"\b(?:(?P<digits>\d{1,3})(?:st|nd|rd|th)|(?:the|each|every|on|of)\s+(?P<words>(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[\s-])?"
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|\w+tieth)))\b(?!\s+(?:part(?:y|ies)|persons?)\b)",
    re.IGNORECASE,
)
_ACT = re.compile(
    r"\b[A-Z][A-Za-z()&' ]{3,80}?\b(?:Act|Regulations?|Code|Rules|Constitution)\s+(?:1[89]|20)\d\d(?:\s*\([A-Za-z]+\))?"
    r"|\[(?:1[89]|20)\d\d\]\s+[A-Z]\w+\s+\d+"
)
_STATUTE_BOOK = re.compile(r"\b\d+\s+(?:U\.?S\.?C\.?|C\.?F\.?R\.?|Stat\.)\s*(?:§+\s*)?[\w.()-]*|§+\s*\d[\w.()-]*")
"""A section of a code, by its volume: "42 U.S.C. § 1437d(l)(2)"."""
_DECADE = re.compile(r"(?<!\w)(?:['’]\d0|(?:1[89]|20)\d0)['’]?s\b")
_PLAIN_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_WORD_NUMBER = re.compile(r"one\b", re.IGNORECASE)


@dataclass(slots=True)
class Facts:
    text: str
    dates: list[DateValue] = field(default_factory=list)
    durations: list[Duration] = field(default_factory=list)
    money: list[Money] = field(default_factory=list)
    percents: list[tuple[int, int, Decimal]] = field(default_factory=list)
    numbers: list[tuple[int, int, Decimal, bool]] = field(default_factory=list)
    """Numbers that are no part of another fact; the last field is whether words and digits agree."""
    values: set[Decimal] = field(default_factory=set)
    """Every number of the text, also those inside other facts."""
    digits: set[str] = field(default_factory=set)
    frequencies: list[tuple[int, int, str]] = field(default_factory=list)
    references: list[tuple[int, int, str, str]] = field(default_factory=list)
    law_references: list[tuple[int, int, str]] = field(default_factory=list)
    """Sections of a statute: "section 39 of the Act"."""
    names: list[tuple[int, int, str]] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether there is no figure of any kind."""
        return not (self.dates or self.durations or self.money or self.percents or self.numbers)


@lru_cache(maxsize=512)
def read_facts(text: str) -> Facts:
    """Reads the facts of a sentence or a quotation."""
    facts = Facts(text, names=names_in(_STATUTE_BOOK.sub(lambda book: " " * len(book[0]), text)))
    if _HAS_NUMBER.search(text) is None and not _FREQUENCY.search(text):
        return facts
    rest = _DECADE.sub(lambda decade: " " * len(decade[0]), text)
    for found in _STATUTE_BOOK.finditer(text):
        rest = _blank(rest, *found.span())
    for found in _REFERENCE.finditer(rest):
        if found["law"]:
            facts.law_references.append((*found.span(), found["label"].rstrip(".")))
        else:
            facts.references.append((*found.span(), found["kind"].lower(), found["label"].rstrip(".")))
        rest = _blank(rest, *found.span())
    for found in _ACT.finditer(rest):
        rest = _blank(rest, *found.span())
    _add_every_number(facts, rest)
    for read in (_read_dates, _read_money, _read_percents, _read_durations, _read_ordinals, _read_numbers):
        rest = read(facts, rest)
    shares = {place for start, end, _ in facts.percents for place in range(start, end)}
    facts.names = [name for name in facts.names if shares.isdisjoint(range(name[0], name[1]))]  # "Two-thirds" is no name
    return facts


def _add_every_number(facts: Facts, rest: str) -> None:
    facts.values = {n.value for n in find_numbers(rest)} | {
        Decimal(m[0].replace(",", "")) for m in _PLAIN_NUMBER.finditer(rest)
    }
    facts.digits = {match[0].replace(",", "") for match in _DIGITS.finditer(rest)}
    for match in _FREQUENCY.finditer(rest):
        if (
            (match["unit"] or "").lower() in _UNITS
            and match[0][0] in "aA"
            and (_LASTS.search(rest, max(0, match.start() - 40), match.start()) or _LATER.match(rest, match.end()))
        ):
            continue
        unit = (match["unit"] or match["adverb"]).lower()
        facts.frequencies.append((*match.span(), _STEMS.get(unit, unit)))


def _read_dates(facts: Facts, rest: str) -> str:
    facts.dates = [d for d in find_dates(rest) if re.search(r"\d|[a-z]", rest[d.start : d.end], re.I)]
    for date in facts.dates:
        facts.values |= {Decimal(part) for part in (date.year, date.month, date.day) if part is not None}
    return _blank_all(rest, facts.dates)


def _read_money(facts: Facts, rest: str) -> str:
    facts.money = find_money(rest)
    facts.values |= {money.amount for money in facts.money}
    return _blank_all(rest, facts.money)


def _read_percents(facts: Facts, rest: str) -> str:
    for match in _PERCENT.finditer(rest):
        if (value := _percent(match["number"])) is not None:
            facts.percents.append((*match.span(), value))
            rest = _blank(rest, *match.span())
    for match in _FRACTION.finditer(rest):
        if match["dash"] != " " or _SHARE_BEHIND.match(rest, match.end()):
            facts.percents.append((*match.span(), _share(match)))
            rest = _blank(rest, *match.span())
    return rest


def _share(fraction: re.Match[str]) -> Decimal:
    """In percent, rounded to hundredths."""
    if fraction["over"]:
        over, under = int(fraction["over"]), int(fraction["under"])
    else:
        over = parse_words(fraction["count"]) or 1 if fraction["count"] else 1
        part = (fraction["part"] or fraction["single"] or fraction["half"]).casefold()
        under = _PARTS.get(part) or _PARTS[part.removesuffix("s")]
    return round(Decimal(100 * over) / under, 2)


def _read_durations(facts: Facts, rest: str) -> str:
    halves = [Duration(*m.span(), 6 if m["half"] else 18, "M") for m in _HALVES.finditer(rest)]
    rest = _blank_all(rest, halves)
    found = [d for d in find_durations(rest) if not _SOME_DAY.search(rest, max(d.start - 12, 0), d.end)]
    facts.durations = halves + [d for d in found if re.search(r"\d|\b(?!an?\b)\w+", rest[d.start : d.end])]
    rates = {span[:2] for span in facts.frequencies}
    facts.durations = [d for d in facts.durations if not any(a <= d.start and d.end <= b for a, b in rates)]
    facts.values |= {Decimal(duration.count) for duration in facts.durations}
    return _blank_all(rest, facts.durations)


def _read_ordinals(facts: Facts, rest: str) -> str:
    for match in _ORDINAL.finditer(rest):
        value = int(match["digits"]) if match["digits"] else parse_words(match["words"])
        if value is not None:
            start = match.start("digits") if match["digits"] else match.start("words")
            facts.values.add(Decimal(value))
            if value > 1 or match["digits"]:
                facts.numbers.append((start, match.end(), Decimal(value), True))
            rest = _blank(rest, start, match.end())
    return rest


def _read_numbers(facts: Facts, rest: str) -> str:
    for number in find_numbers(rest):
        if not _WORD_NUMBER.fullmatch(rest, number.start, number.end):
            facts.numbers.append((number.start, number.end, number.value, number.agrees))
            rest = _blank(rest, number.start, number.end)
    facts.numbers += [(*m.span(), Decimal(re.sub(r"[^\d].*", "", m[0])), True) for m in _DIGITS.finditer(rest)]
    return rest


def _blank_all(text: str, found: Sequence[DateValue | Money | Duration]) -> str:
    for one in found:
        text = _blank(text, one.start, one.end)
    return text


def _percent(text: str) -> Decimal | None:
    digits = re.search(r"\d[\d,]*(?:\.\d+)?", text)
    if digits:
        return Decimal(digits[0].replace(",", ""))
    more = _AND_A_PART.search(text)
    value = parse_words(text[: more.start()] if more else text)
    return None if value is None else value + (1 / Decimal(_PARTS[more["part"].casefold()]) if more else Decimal(0))


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]
