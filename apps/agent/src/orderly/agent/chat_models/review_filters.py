"""Questions that compare values of many documents, as filters of a review that has columns for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

COVERED = 0.5
"""Share of a condition's words that its column has."""
ALIKE = 5
"""Letters with which two words begin alike: "renews", "renewal"."""

_ASKS = re.compile(
    r"^\W*(?:which|what|list|show|how many|do any|are there)(?: (?:me|all|any|of|the|these|those|our|other))*(?: [\w-]+)?"
    r" (?:agreements|contracts|deeds|leases|licen[cs]es|documents|files|ones|them)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?P<word>not? (?:later|more|longer) than|not? (?:less|earlier|shorter) than|at least|at most|before|after|earlier than"
    r"|later than|(?:more|longer|greater) than|(?:less|shorter|fewer) than|over|under|above|below)\s+(?P<operand>.+)",
    re.IGNORECASE,
)
_OPERATORS = (
    (r"not? (?:later|more|longer) than|at most", "<="),
    (r"not? (?:less|earlier|shorter) than|at least", ">="),
    (r"before|earlier than|less than|shorter than|fewer than|under|below", "<"),
    (r".+", ">"),
)
_DIVIDES = re.compile(r"\s*(?:,(?=\s)|;|\band\b|\bbut\b|\bthat\b|\bwhich\b)\s*", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:not|no|never|without|lacks?)\b|n['’]t\b", re.IGNORECASE)
_SMALL_LIST = (
    "a an the of to in on for by with at as or is are be was has have had do does did can may must it its their they there"
)
_SMALL = frozenset(_SMALL_LIST.split())
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DATES = (
    re.compile(r"(?P<year>\d{4})-(?P<month>\d\d)(?:-(?P<day>\d\d))?"),
    re.compile(rf"(?:the )?(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?)?{_MONTH},? (?P<year>\d{{4}})", re.IGNORECASE),
    re.compile(rf"{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})", re.IGNORECASE),
    re.compile(r"(?P<year>(?:19|20)\d\d)(?![\d,.])(?P<month>)(?P<day>)"),
)
_PERIOD = re.compile(r"\d+ (?:day|week|month|year)s?\b", re.IGNORECASE)
_AMOUNT = re.compile(r"(?:[A-Z]{2,3} ?)?[$€£]? ?(?P<amount>\d[\d,]*(?:\.\d+)?)")
_REVIEW = re.compile(
    r"^[^\n]+?: done, (?P<documents>\d+) documents? × \d+ columns?[^\n]*\nID: (?P<id>\S+)\n(?:- [^\n]*\n?)*",
    re.M,
)
_COLUMN = re.compile(r"^- (?P<title>.+?) \((?P<kind>[a-z/]+)\): (?P<question>.*?) \[[^\n]*\]$", re.M)


@dataclass(frozen=True, slots=True)
class Filters:
    review: str
    """Id."""
    where: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Condition:
    words: tuple[str, ...]
    kinds: tuple[str, ...]
    """Types of columns that fit, the best first."""
    filters: dict[str, str]
    """What follows the column's title, by its type."""


def compares_values(question: str) -> bool:
    """Whether the question is for documents by a value before or after, above or below another."""
    return _ASKS.match(question) is not None and any("yes/no" not in c.kinds for c in _conditions(question))


def filters_for(question: str, listed: str, documents: int) -> Filters | None:
    """The first finished review in the output of `read_review` with a column for every condition of the question.

    It has to have at least that many documents: a review of some says nothing about the others.
    """
    conditions = list(_conditions(question))
    for review in _REVIEW.finditer(listed):
        if int(review["documents"]) < documents:
            continue
        columns = [
            (m["title"], m["kind"], frozenset(_words(f"{m['title']} {m['question']}"))) for m in _COLUMN.finditer(review[0])
        ]
        chosen = [_column(condition, columns) for condition in conditions]
        if conditions and all(chosen):
            found = [
                (title, condition.filters[kind])
                for condition, (title, kind) in zip(conditions, filter(None, chosen), strict=True)
            ]
            where = tuple(f"{title} {rest}" for title, rest in found)
            return Filters(review["id"], where, tuple(dict.fromkeys(title for title, _ in found)))
    return None


def _conditions(question: str) -> Iterator[_Condition]:
    asked = _ASKS.sub("", question).strip(" ?.!")
    for part in filter(None, _DIVIDES.split(asked)):
        compared = _COMPARES.search(part)
        words = tuple(_words(_DENIES.sub("", part[: compared.start()] if compared else part)))
        if compared and (operand := _operand(compared["operand"])):
            kind, value = operand
            operator = next(sign for pattern, sign in _OPERATORS if re.fullmatch(pattern, compared["word"], re.I))
            yield _Condition(words, (kind,), {kind: f"{operator} {value}"})
        elif words:
            denied = _DENIES.search(part) is not None
            there = "missing" if denied else "present"
            kinds = ("yes/no", "duration", "date", "money", "text")
            yield _Condition(words, kinds, dict.fromkeys(kinds, there) | {"yes/no": "= no" if denied else "= yes"})


def _operand(words: str) -> tuple[str, str] | None:
    """The type and the value that a condition compares with."""
    if date := next((m for pattern in _DATES if (m := pattern.match(words))), None):
        return "date", _iso(date["year"], date["month"], date["day"])
    if period := _PERIOD.match(words):
        return "duration", period[0]
    amount = _AMOUNT.match(words)
    return ("money", amount["amount"].replace(",", "")) if amount else None


def _iso(year: str, month: str | None, day: str | None) -> str:
    if month and not month.isdigit():
        month = f"{_MONTHS.index(month.lower()) + 1:02}"
    return "-".join(filter(None, (year, month, day and day.zfill(2))))


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[^\W_]+", text.lower()) if word not in _SMALL]


def _column(condition: _Condition, columns: Sequence[tuple[str, str, frozenset[str]]]) -> tuple[str, str] | None:
    """Title and type of the column that has most words of the condition."""

    def share(known: frozenset[str]) -> float:
        begun = {word[:ALIKE] for word in known}
        alike = [word for word in condition.words if word in known or (len(word) >= ALIKE and word[:ALIKE] in begun)]
        return len(alike) / max(len(condition.words), 1)

    fitting = [
        (share(known), -condition.kinds.index(kind), title, kind) for title, kind, known in columns if kind in condition.kinds
    ]
    best = max(fitting, key=lambda found: found[:2], default=None)
    return (best[2], best[3]) if best is not None and best[0] >= COVERED else None
