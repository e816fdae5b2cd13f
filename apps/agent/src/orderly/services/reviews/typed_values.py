"""Values of cells: from what rules have found, or read from the words of a quotation."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from orderly.services.columns import Finding
from orderly.services.values import (
    Money,
    Number,
    add_duration,
    find_dates,
    find_durations,
    find_jurisdictions,
    find_money,
    find_numbers,
    find_parties,
)
from orderly.store.functions.review_cells import AnswerType, CellValue

_UNITS = {"D": "day", "W": "week", "M": "month", "Y": "year"}
_CLAUSE_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,2})*\.?\s+(?=[A-Z(])")
"""The number of a clause before its words."""
_SOME_DAY = date(2001, 1, 1)
"""A duration in days is counted from here, for sorting."""


def value_of_finding(answer_type: AnswerType, finding: Finding, text: str) -> CellValue:
    """`text`: of the document, for the names that it gives its parties."""
    if answer_type == "parties":
        return _parties(text)
    if answer_type == "yes_no":
        return {"type": "yes_no", "text": "yes" if finding.value else "no", "yes": bool(finding.value)}
    words = str(finding.value)
    if answer_type == "choice":
        return {"type": "choice", "text": words, "choice": words}
    if answer_type == "text":
        return {"type": "text", "text": words}
    value: CellValue = (
        read_value("money", words) or {"type": "money", "text": words}
        if answer_type == "money"
        else date_value(words)
        if answer_type == "date"
        else duration_value(words)
        if answer_type == "duration"
        else {"type": "jurisdiction", "text": words, "jurisdiction": words}
    )
    if finding.computed:
        value["computed"] = finding.note
    elif not finding.settled:
        value["conflict"] = finding.note
    return value


def read_value(answer_type: AnswerType, words: str, options: Sequence[str] = ()) -> CellValue | None:
    """Reads the one value of a type that a quotation states; None if it states none, or several that differ."""
    match answer_type:
        case "date":
            dates = [d for d in find_dates(words) if d.iso is not None]
            value = date_value(dates[0].iso or "") if len({d.iso for d in dates}) == 1 else None
            return _with_conflict(value, "day and month could be exchanged") if value and dates[0].ambiguous else value
        case "duration":
            periods = find_durations(words)
            if len({p.iso for p in periods}) != 1:
                return None
            value = duration_value(periods[0].iso)
            if periods[0].business_days:
                value |= {"business_days": True, "text": value["text"].replace(" ", " business ", 1)}
            return value if periods[0].agrees else _with_conflict(value, _disagreement(words, periods[0].start, periods[0].end))
        case "money":
            return _one_money(words, find_money(words))
        case "number":
            return _one_number(words, find_numbers(words[number.end() if (number := _CLAUSE_NUMBER.match(words)) else 0 :]))
        case "jurisdiction":
            names = {j.name for j in find_jurisdictions(words)}
            return {"type": "jurisdiction", "text": min(names), "jurisdiction": min(names)} if len(names) == 1 else None
        case "choice":
            return _one_choice(words, options)
        case _:
            return None


def value_words(value: str) -> str:
    """A date or duration in ISO 8601 form in words: "90 days"; any other value as it is."""
    if re.fullmatch(r"\d{4}-\d\d(?:-\d\d)?", value):
        return date_value(value)["text"]
    return duration_value(value)["text"]


def date_value(iso: str) -> CellValue:
    """A date in ISO 8601 form, also partial; or "perpetual"."""
    if iso == "perpetual":
        return {"type": "date", "text": "no end date", "iso": None, "perpetual": True}
    parts = iso.split("-")
    named = [calendar.month_name[int(parts[1])], parts[0]] if len(parts) > 1 else parts
    value: CellValue = {"type": "date", "text": " ".join([str(int(parts[2])), *named] if len(parts) > 2 else named), "iso": iso}
    if len(parts) < 3:
        value["partial"] = True
    return value


def duration_value(iso: str) -> CellValue:
    """A duration of one unit in ISO 8601 form; anything else, such as "perpetual", is its own text."""
    match = re.fullmatch(r"P(\d+)([YMWD])", iso)
    if match is None:
        return {"type": "duration", "text": iso, "perpetual": True} if iso == "perpetual" else {"type": "duration", "text": iso}
    count, unit = int(match[1]), _UNITS[match[2]]
    days = (add_duration(_SOME_DAY, iso) - _SOME_DAY).days if count < 1000 else None
    return {"type": "duration", "text": f"{count} {unit}{'' if count == 1 else 's'}", "iso": iso, "number": days}


def _one_money(words: str, amounts: Sequence[Money]) -> CellValue | None:
    if len({(m.amount, m.currency) for m in amounts}) != 1:
        return None
    found = amounts[0]
    value: CellValue = {
        "type": "money", "text": f"{found.currency} " * bool(found.currency) + f"{found.amount:,}", "amount": str(found.amount),
        "currency": found.currency, "number": float(found.amount),
    }  # fmt: skip
    if found.currency is None:
        value["text"], value["partial"] = f"${found.amount:,}", True
    return value if found.agrees else _with_conflict(value, _disagreement(words, found.start, found.end))


def _one_number(words: str, numbers: Sequence[Number]) -> CellValue | None:
    if len({n.value for n in numbers}) != 1:
        return None
    found = numbers[0]
    value: CellValue = {"type": "number", "text": f"{Decimal(found.value):,}", "number": float(found.value)}
    return value if found.agrees else _with_conflict(value, _disagreement(words, found.start, found.end))


def _one_choice(words: str, options: Sequence[str]) -> CellValue | None:
    """Of two options that overlap the longer counts: "non-exclusive" does not name "exclusive"."""
    longest_first = "|".join(re.escape(option) for option in sorted(options, key=len, reverse=True))
    named = {match[0].lower() for match in re.finditer(rf"(?<!\w)(?:{longest_first})(?!\w)", words, re.I)}
    found = [option for option in options if option.lower() in named]
    return {"type": "choice", "text": found[0], "choice": found[0]} if len(found) == 1 else None


def _with_conflict(value: CellValue, why: str) -> CellValue:
    return {**value, "conflict": why}


def _disagreement(words: str, start: int, end: int) -> str:
    return f"words and digits differ: “{' '.join(words[start:end].split())}”"


def _parties(text: str) -> CellValue:
    parties = find_parties(text)
    return {
        "type": "parties",
        "text": "; ".join(party.text for party in parties),
        "parties": [{"name": party.name, "defined": party.defined_as} for party in parties],
    }
