"""Whether quotations support a statement: its figures, names and references, and the words that it repeats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal

from orderly.services.support.alterations import find_altered
from orderly.services.support.computed import (
    FREQUENCY_OF,
    follows_as_date,
    follows_as_period,
    follows_as_share,
    follows_as_sum,
    is_next_number,
)
from orderly.services.support.counting import counts, is_known_place
from orderly.services.support.defined_names import as_defined
from orderly.services.support.evidence import NEAR, Evidence
from orderly.services.support.facts import Facts, read_facts
from orderly.services.support.illustration import without_illustrations
from orderly.services.support.judges import find_judges
from orderly.services.support.names import is_law, is_proper, is_word_of, wrong_name
from orderly.services.support.places import names_place, wrong_reference
from orderly.services.support.words import subject_stems
from orderly.services.values import DateValue, Duration, find_jurisdictions
from orderly.services.words import ANY_MONTH, MONTHS

_MONTHS = {"Y": 12, "M": 1}
_DAYS = {"W": 7, "D": 1}
_UNIT_WORDS = {"Y": r"year|annu|anniversar", "M": r"month", "W": r"week", "D": r"day"}


def find_unsupported(statement: str, evidence: Evidence) -> str | None:
    """The first figure, reference or name of a statement that the evidence does not support, or the word that it alters."""
    statement = _without_files(as_defined(statement, evidence.text, evidence.before), evidence)
    near = f"{evidence.before[-NEAR:]} {evidence.text} {evidence.after}"
    judge, known = find_judges(statement, near, lambda: evidence.judges)
    if judge is not None and evidence.documents:
        return judge
    for start, end in known:
        statement = statement[:start] + " " * (end - start) + statement[end:]
    facts = read_facts(without_illustrations(statement, evidence))
    for find in CHECKS:
        if (wrong := find(facts, evidence)) is not None:
            return " ".join(wrong.split())
    name = wrong_name(facts, evidence)
    is_known = name is not None and (is_word_of(name, evidence) or name.casefold() in evidence.near)
    if name is not None and not is_known and is_proper(name, statement) and not is_law(name, evidence):
        return name
    return find_altered(statement, evidence.text)


def _without_files(statement: str, evidence: Evidence) -> str:
    """The statement without the names of the files that it quotes: "According to Lease.txt, …"."""
    for name in evidence.documents:
        statement = re.sub(
            rf"(?<!\w){re.escape(name)}(?!\w)", lambda found: " " * len(found[0]), statement, flags=re.IGNORECASE
        )
    return statement


def shares_subject(statement: str, evidence: Evidence, share: float = 0.0) -> bool:
    """Whether a statement has words of meaning in common with the evidence: one, or the share given."""
    said = subject_stems(statement)
    if len(said) < 2 or (not share and not read_facts(statement).is_empty):
        return True  # the figures are compared
    common = len(said & evidence.stems)
    return common >= 1 and common >= share * len(said)


def _wrong_date(facts: Facts, evidence: Evidence) -> str | None:
    for date in facts.dates:
        if not any(_same_date(date, other) for other in evidence.facts.dates):
            if date.month is None and date.year is not None and date.year in evidence.facts.values:
                continue
            if follows_as_date(date, facts, evidence.facts):
                continue
            return facts.text[date.start : date.end]
    return None


def _wrong_law(facts: Facts, evidence: Evidence) -> str | None:
    """Finds a jurisdiction where the evidence names others alone."""
    laws = find_jurisdictions(facts.text)
    known = {j.name for j in find_jurisdictions(evidence.text)} if laws else set()
    for said in laws:
        words = facts.text[said.start : said.end]
        if known and said.name not in known and words.casefold() not in f"{evidence.text} {evidence.labels}".casefold():
            return words
    return None


def _wrong_month(facts: Facts, evidence: Evidence) -> str | None:
    """Finds a month that the evidence, which names months, does not name: also in a date that is none, "31 November"."""
    known = {m[0].casefold() for m in _MONTH.finditer(evidence.text)}
    following = [d for d in facts.dates if follows_as_date(d, facts, evidence.facts)]
    known |= {MONTHS[d.month - 1].lower() for d in (*evidence.facts.dates, *following) if d.month is not None}
    return next((m[0] for m in _MONTH.finditer(facts.text) if known and m[0].casefold() not in known), None)


_MONTH = re.compile(rf"(?<=\d )(?:{ANY_MONTH})\b|\b(?:{ANY_MONTH})(?= \d)")


def _same_date(said: DateValue, known: DateValue) -> bool:
    if said.ambiguous and (said.year, said.day, said.month) == (known.year, known.month, known.day):
        return True
    pairs = ((said.year, known.year), (said.month, known.month), (said.day, known.day))
    return all(a is None or a == b for a, b in pairs)


def _wrong_period(facts: Facts, evidence: Evidence) -> str | None:
    for said in facts.durations:
        if not any(_same_period(said, known) for known in evidence.facts.durations):
            if follows_as_period(said, facts, evidence.facts) or _is_frequency(said, facts, evidence.facts):
                continue
            unit = re.compile(rf"\b(?:{_UNIT_WORDS[said.unit]})", re.IGNORECASE)
            written = not evidence.facts.durations and said.count in evidence.facts.values and unit.search(evidence.text)
            if not written or (said.business_days and not re.search(r"\b(?:business|working)\b", evidence.text, re.IGNORECASE)):
                return facts.text[said.start : said.end]
        if not said.agrees and facts.text[said.start : said.end].casefold() not in evidence.text.casefold():
            return facts.text[said.start : said.end]
    return None


def _is_frequency(said: Duration, facts: Facts, known: Facts) -> bool:
    """Whether "every two weeks" is a frequency of the evidence."""
    intervals = {interval for _, _, unit in known.frequencies for interval in FREQUENCY_OF.get(unit, ())}
    return (said.unit, said.count) in intervals and re.search(r"\bevery\s+\Z", facts.text[: said.start], re.I) is not None


def _same_period(said: Duration, known: Duration) -> bool:
    for units in (_MONTHS, _DAYS):
        if said.unit in units and known.unit in units:
            return (
                said.count * units[said.unit] == known.count * units[known.unit] and said.business_days == known.business_days
            )
    return False


def _wrong_money(facts: Facts, evidence: Evidence) -> str | None:
    for said in facts.money:
        known = evidence.facts.money
        same = any(said.amount == m.amount and _same_currency(said.currency, m.currency) for m in known)
        if not same and follows_as_sum(said, facts, evidence.facts):
            continue
        if not (same and said.agrees) and not (not known and said.amount in evidence.facts.values):
            return facts.text[said.start : said.end]
    return None


_DOLLARS = {None, "AUD", "USD", "CAD", "NZD", "HKD", "SGD", "FJD", "TWD"}


def _same_currency(one: str | None, other: str | None) -> bool:
    """Whether two sums can be of one currency. None is a dollar of any country."""
    return one == other or (None in (one, other) and {one, other} <= _DOLLARS)


def _wrong_percent(facts: Facts, evidence: Evidence) -> str | None:
    wrong = (share for share in facts.percents if not follows_as_share(share, facts, evidence.facts))
    return next((facts.text[share.start : share.end] for share in wrong), None)


def _wrong_number(facts: Facts, evidence: Evidence) -> str | None:
    place = f"{evidence.labels} {evidence.section or ''}"
    for start, end, value, agrees in facts.numbers:
        words = facts.text[start:end].strip()
        if value in evidence.facts.values or re.search(rf"(?<![\d.,]){re.escape(words)}(?![\d]|[.,]\d)", evidence.text):
            if not agrees and facts.text[start:end].casefold() not in evidence.text.casefold():
                return facts.text[start:end]
        elif not (
            is_next_number(value, facts.text[end:], evidence.facts)
            or counts(words, facts.text[:start], facts.text[end:], evidence)
            or is_known_place(words, value, evidence)
            or re.search(rf"(?<!\w){re.escape(words)}(?!\w)", place)
            or names_place(facts.text, start, end, evidence)
        ):
            return facts.text[start:end]
    return None


_FREQUENCY_WORDS = {"annu": r"annu|annivers|year", "day": r"day|daily|diem", "fortnight": r"fortnight|two weeks"}


def _rates(facts: Facts) -> Iterator[tuple[Decimal, str, tuple[int, int]]]:
    """Sums and percentages for a time: amount, unit, place of the unit."""
    figures = [(m.end, m.amount) for m in facts.money] + [(share.end, share.percent) for share in facts.percents]
    for end, amount in figures:
        for start, until, unit in facts.frequencies:
            if not facts.text[end:start].strip():
                yield amount, unit, (start, until)


def _wrong_frequency(facts: Facts, evidence: Evidence) -> str | None:
    known = list(_rates(evidence.facts))
    for amount, unit, (start, end) in _rates(facts):
        units = {other for same, other, _ in known if same == amount}
        if units and unit not in units:
            return facts.text[start:end]
    same = {unit for _, _, unit in evidence.facts.frequencies}
    for start, end, unit in facts.frequencies:
        if unit in same or any((d.unit, d.count) in FREQUENCY_OF.get(unit, ()) for d in evidence.facts.durations):
            continue
        if any(follows_as_sum(money, facts, evidence.facts) for money in facts.money):
            continue
        if not re.search(rf"\b(?:{_FREQUENCY_WORDS.get(unit, unit)})", evidence.text, re.IGNORECASE):
            return facts.text[start:end]
    return None


CHECKS: tuple[Callable[[Facts, Evidence], str | None], ...] = (
    _wrong_law, _wrong_date, _wrong_month, _wrong_period, _wrong_money, _wrong_percent, _wrong_number, _wrong_frequency,
    wrong_reference,
)  # fmt: skip
