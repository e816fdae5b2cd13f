"""Facts of a text that can be compared: dates, periods, money, percentages, numbers, frequencies, references, names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

from orderly.services.support.shares import Share, find_shares
from orderly.services.support.spelt_measures import FREQUENCY, HAS_MEASURE, eras, frequency_of, groups
from orderly.services.support.words import names_in
from orderly.services.values import (
    NUMBER_WORDS,
    ORDINAL_WORDS,
    PARTS,
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
    rf"\d|{NUMBER_WORDS}|{ORDINAL_WORDS}|\b(?:{'|'.join(PARTS)}|months?|years?|annual)\b",
    re.IGNORECASE,
)
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
    rf"\bhalf\s+a\s+year\b|\b(?P<years>an?|{NUMBER_WORDS}|\d{{1,3}})\s+years?\s+and\s+a\s+half\b|"
    rf"\b(?P<mixed>{NUMBER_WORDS}|\d{{1,3}})\s+and\s+a\s+half\s+years?\b",
    re.IGNORECASE,
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
    rf"\b(?:(?P<digits>\d{{1,3}})(?:st|nd|rd|th)|(?:the|each|every|on|of)\s+(?P<words>{ORDINAL_WORDS}))\b(?!\s+(?:part(?:y|ies)|persons?)\b)",
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
    percents: list[Share] = field(default_factory=list)
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
    if not any(form.search(text) for form in (_HAS_NUMBER, _FREQUENCY, HAS_MEASURE, FREQUENCY)):
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
    shares = {place for share in facts.percents for place in range(share.start, share.end)}
    facts.names = [name for name in facts.names if shares.isdisjoint(range(name[0], name[1]))]  # "Two-thirds" is no name
    return facts


def _add_every_number(facts: Facts, rest: str) -> None:
    facts.values = {n.value for n in find_numbers(rest)} | {
        Decimal(m[0].replace(",", "")) for m in _PLAIN_NUMBER.finditer(rest)
    }
    facts.digits = {match[0].replace(",", "") for match in _DIGITS.finditer(rest)}
    for found in FREQUENCY.finditer(rest):
        facts.frequencies.append((*found.span(), frequency_of(found)))
    rest = FREQUENCY.sub(lambda found: " " * len(found[0]), rest)
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
    facts.percents = find_shares(rest)
    return _blank_all(rest, facts.percents)


def _read_durations(facts: Facts, rest: str) -> str:
    halves = [Duration(*m.span(), 12 * _whole(m["years"] or m["mixed"]) + 6, "M") for m in _HALVES.finditer(rest)]
    halves += eras(rest)
    rest = _blank_all(rest, halves)
    found = [d for d in find_durations(rest) if not _SOME_DAY.search(rest, max(d.start - 12, 0), d.end)]
    facts.durations = halves + [d for d in found if re.search(r"\d|\b(?!an?\b)\w+", rest[d.start : d.end])]
    rates = {span[:2] for span in facts.frequencies}
    facts.durations = [d for d in facts.durations if not any(a <= d.start and d.end <= b for a, b in rates)]
    facts.values |= {Decimal(duration.count) for duration in facts.durations}
    return _blank_all(rest, facts.durations)


def _whole(written: str | None) -> int:
    """Years of "a year and a half"; 0 for "half a year"."""
    if written is None or written.isdigit():
        return int(written or 0)
    return parse_words(written) or 1


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
    for group in groups(rest):
        facts.numbers.append(group)
        facts.values.add(group[2])
        rest = _blank(rest, *group[:2])
    for number in find_numbers(rest):
        if not _WORD_NUMBER.fullmatch(rest, number.start, number.end):
            facts.numbers.append((number.start, number.end, number.value, number.agrees))
            rest = _blank(rest, number.start, number.end)
    facts.numbers += [(*m.span(), Decimal(re.sub(r"[^\d].*", "", m[0])), True) for m in _DIGITS.finditer(rest)]
    return rest


def _blank_all(text: str, found: Sequence[DateValue | Money | Duration | Share]) -> str:
    for one in found:
        text = _blank(text, one.start, one.end)
    return text


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]
