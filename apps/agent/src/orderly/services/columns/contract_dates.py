"""Finds the date of an agreement, the date when it takes effect and the date when it ends."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.named_items import starting_date
from orderly.services.columns.wording import Wording
from orderly.services.values import DateValue, Duration, add_duration, find_dates, find_durations

UNSTATED = 0.4
"""Confidence of a date beside a signature, which a person has to confirm."""
DECIDED = 0.95
"""Confidence of the date in a judgment's title."""
TITLE = 600
OPENING = 9_000
"""Characters in which an agreement is dated."""
OF_CLOSING, OF_EFFECTIVE_DATE = 0.6, 0.55
"""Scores of the day of signing, and of an item "Effective Date", which dates an agreement that states no other day."""
STATED = 0.9
"""Confidence from which the day that a clause states precedes the one that an item's period gives."""
UNSTATED_START = " The day on which it begins was not found: it is counted from the agreement's date."
SHORTEST_TERM = 90
"""Days. A shorter period in days is a notice or a grace period."""
DISTANT = 5_000
"""Distance from the start of the text, in characters, that lowers a date's score by 1."""
BEFORE, AFTER = 140, 90
"""Characters around a date that say what the date is."""

_WORDING = Wording("contract_dates")
_OTHER_LINE = re.compile(r"(?:\bsource\s*:|\beffective\s+dates?\s*:|\bfiled\b|\brev(?:ised|ision)?\b)[^\n]{0,60}$", re.I)
_RENEWED = re.compile(r"\b(?:further|additional|successive|renew\w*|extend\w*|extension|option\w*)\b[^.;]{0,40}$", re.I)
_TERM_ITEM = re.compile(
    r"^[ \t|*]*(?:(?:item\s)?(?:\d{1,2}(?:\.\d+)*[.:]?|[A-Z][.)])\s{1,4})?"
    r"(?:(?:initial |minimum |fixed |lease |contract )?term|(?:initial|minimum|fixed) period"
    r"|(?:supply|hire|contract|lease|licen[cs]e|rental|service|subscription) (?:term|period))(?: of (?:this |the )?\w+)?"
    r"(?:[ \t*]*[:|\t]|[ ]{2})"
    r"(?P<words>[^\n]{3,80})",
    re.I | re.M,
)
"""An item of a schedule: "Item 3. Term: five years"."""
_CITED = re.compile(r"\[(?:19|20)\d\d\] [A-Z][A-Za-z]{1,9}(?: (?:Civ|Crim|Admin|Comm))? \d{1,5}\b")
"""The neutral citation of a judgment, which its title has."""
_DECIDED = re.compile(
    r"(?:\([^()\n]{1,20}\))?\s*\(\Z|^\W*(?:(?:Hand(?:ed)? down|Date)[^\n:]{0,30}:\W*)?(?:[A-Z][a-z]+day\W+)?\Z", re.M
)
"""What stands between the citation, or the beginning of a line, and the date of the decision."""
_REDACTED = re.compile(r"\[[^\S ]*+[*●•…. ][\s*●•….]*+\]|\*{3,}|_{4,}")


@dataclass(frozen=True, slots=True)
class ContractDates:
    agreement: Finding | None
    effective: Finding | None
    expiry: Finding | None


def contract_dates(text: str, sentences: list[Span]) -> ContractDates:
    """The three dates of an agreement. `sentences`: the sentences of `text`, in order."""
    dates = [value for value in find_dates(text) if value.iso]
    signed = [
        v
        for v in dates
        if v.start > min(OPENING, len(text) // 2) and _WORDING["signed"].search(text, max(0, v.start - 60), v.start)
    ]
    agreement = _agreement_date(text, dates, signed)
    effective = _effective_date(text, sentences, dates, signed, agreement)
    return ContractDates(agreement, effective, _expiry(text, sentences, dates, agreement, effective))


def _decision_date(text: str, dates: list[DateValue]) -> DateValue | None:
    """The date of a judgment: behind the citation of its title, or a line of its own below."""
    cited = _CITED.search(text, 0, TITLE)
    below = [v for v in dates if cited and cited.end() <= v.start <= cited.end() + TITLE and not v.partial]
    return next((v for v in below if cited and _DECIDED.search(text[cited.end() : v.start])), None)


def _agreement_date(text: str, dates: list[DateValue], signed: list[DateValue]) -> Finding | None:
    if (decided := _decision_date(text, dates)) is not None:
        return _stated(decided, DECIDED)
    best: tuple[float, DateValue] | None = None
    for value in dates:
        before, after = text[max(0, value.start - BEFORE) : value.start], text[value.end : value.end + AFTER]
        if value in signed or _OTHER_LINE.search(before) or _WORDING["other_label"].search(before):
            continue
        score = 0.0
        if value.start <= OPENING:
            score = 2.0 * bool(_WORDING["made"].search(before)) + 1.5 * bool(_WORDING["as_of_after"].search(after))
            score += _stands_alone(text, value) - 3.0 * bool(_WORDING["other_document"].search(before)) - value.start / DISTANT
        if _WORDING["effective_label"].search(before):
            score = min(score, OF_EFFECTIVE_DATE)
        if _WORDING["closing"].search(before):
            score = max(score, OF_CLOSING)
        if score > 0.5 and (best is None or score > best[0]):
            best = score, value
    if best is not None:
        return _stated(best[1], min(0.95, 0.6 + best[0] / 10))
    closing = [value for value in signed if not value.partial]
    if closing:
        last = max(closing, key=lambda value: value.iso or "")
        return _stated(last, UNSTATED, "The date beside the last signature; the agreement does not state its date.")
    return None


def _stands_alone(text: str, value: DateValue) -> bool:
    """Whether the date follows the title, or is a line of its own near it."""
    if value.start < TITLE and _WORDING["titled"].search(text, 0, value.start):
        return True
    line_start, line_end = text.rfind("\n", 0, value.start) + 1, text.find("\n", value.end)
    rest = text[line_start : value.start] + text[value.end : line_end if line_end >= 0 else len(text)]
    return value.start < 2_000 and len(rest.strip(" \t\n*_#")) <= 8


def _effective_date(
    text: str, sentences: list[Span], dates: list[DateValue], signed: list[DateValue], agreement: Finding | None
) -> Finding | None:
    for value in dates:
        if _WORDING["defined_after"].search(text[value.end : value.end + AFTER]):
            return _stated(value, 0.95)
    for meaning in _WORDING["effective_means"].finditer(text):
        found = _meant(meaning.span("rest"), meaning.span(), text, dates, signed, agreement)
        if found is not None:
            return found
    for value in dates:
        before = text[max(0, value.start - BEFORE) : value.start]
        if value not in signed and _WORDING["takes_effect"].search(before) and not _WORDING["other_document"].search(before):
            return _stated(value, 0.8)
    for meaning in _WORDING["effective_on"].finditer(text):
        found = _meant(meaning.span(str(meaning.lastgroup)), meaning.span(), text, dates, signed, agreement)
        if found is not None:
            return found
    if (named := starting_date(text, sentences, dates)) is not None:
        return replace(_stated(named[0], 0.8), quotations=((named[0].start, named[0].end), named[1]))
    return None


def _meant(
    rest: Span, whole: Span, text: str, dates: list[DateValue], signed: list[DateValue], agreement: Finding | None
) -> Finding | None:
    """The date that a definition names, in words or by reference."""
    inside = [value for value in dates if rest[0] <= value.start and value.end <= rest[1]]
    if inside:
        return _stated(inside[0], 0.85)
    words = text[slice(*rest)]
    if _WORDING["last_signature"].search(words) and (closing := [value for value in signed if not value.partial]):
        last = max(closing, key=lambda value: value.iso or "")
        return Finding(
            last.iso or "", (whole, (last.start, last.end)), 0.7, not last.ambiguous, "The date beside the last signature."
        )
    if agreement is not None and _WORDING["agreement_date"].search(words):
        return Finding(
            agreement.value,
            (whole, *agreement.quotations[:1]),
            0.8,
            agreement.settled,
            "The date of the agreement, to which it refers.",
        )
    return None


def _stated(value: DateValue, confidence: float, note: str = "") -> Finding:
    if value.ambiguous:
        note = "Day and month may be exchanged: the document does not show their order."
    elif value.partial:
        note = "The document leaves a part of the date blank."
    return Finding(value.iso or "", ((value.start, value.end),), confidence, not value.ambiguous, note)


def _expiry(
    text: str, sentences: list[Span], dates: list[DateValue], agreement: Finding | None, effective: Finding | None
) -> Finding | None:
    for value in dates:
        if _WORDING["expiry_label"].search(text[max(0, value.start - BEFORE) : value.start]):  # an item of a schedule
            line = max(text.rfind("\n", 0, value.start) + 1, value.start - BEFORE)
            return Finding(value.iso or "", ((line, value.end),), 0.9, not value.ambiguous)
    by_item: Finding | None = None
    for item in _TERM_ITEM.finditer(text):
        ends = next((d for d in dates if item.start("words") < d.start < item.end() and _ends_on(text, item, d)), None)
        if ends is not None:
            return Finding(ends.iso or "", (item.span(),), 0.9, not ends.ambiguous)
        periods = find_durations(item["words"])
        if periods and by_item is None:
            by_item = _computed(text, item.span(), periods[0], agreement, effective, 0.0)
    found: list[Finding] = []
    for start, end in sentences:
        words = text[start:end]
        if (
            not _WORDING["term"].search(words)
            or not _WORDING["of_agreement"].search(words)
            or _WORDING["definition"].search(words)
        ):
            continue
        finding = _end_of(text, (start, end), dates, agreement, effective)
        if finding is not None:
            found.append(finding)
    best = max(found, key=lambda finding: finding.confidence, default=None)
    is_stated = best is not None and best.confidence >= STATED
    return best if by_item is None or is_stated else by_item


def _ends_on(text: str, item: re.Match[str], value: DateValue) -> bool:
    return _WORDING["ends_on"].search(text[item.start("words") : value.start]) is not None


def _end_of(
    text: str, sentence: Span, dates: list[DateValue], agreement: Finding | None, effective: Finding | None
) -> Finding | None:
    start, end = sentence
    words = text[start:end]
    doubt = 0.25 * bool(_WORDING["not_term"].search(words))
    inside = [value for value in dates if start <= value.start and value.end <= end]
    for value in inside:
        if _WORDING["ends_on"].search(text[max(start, value.start - 60) : value.start]):
            return Finding(value.iso or "", (sentence,), 0.9 - doubt, not value.ambiguous)
    if year := _WORDING["end_of_year"].search(words):
        return Finding(f"{year['year']}-12-31", (sentence,), 0.8 - doubt)
    for period in (
        find_durations(words)
        if _WORDING["runs"].search(words) and not re.match(r"\W*+(?:[\w.]++\W++){0,3}During\b", words)
        else ()
    ):
        if period.unit == "D" and period.count < SHORTEST_TERM:
            continue
        counted = _WORDING["period_of"].search(words[max(0, period.start - 50) : period.start])
        if _RENEWED.search(words[: period.start]):
            continue
        if (counted or "anniversary" in words[period.start : period.end].lower()) and not _notice(words, period):
            own = next((v for v in inside if _WORDING["takes_effect"].search(text[start : v.start])), None)
            return _computed(text, sentence, period, agreement, effective if own is None else _stated(own, 0.8), doubt)
    if _REDACTED.search(words):
        return None
    periods = [period for period in find_durations(words) if not _notice(words, period)]
    if _WORDING["open_ended"].search(words) and _WORDING["runs"].search(words) and not periods and not inside:
        return Finding("perpetual", (sentence,), 0.55 - doubt)
    return None


def _notice(words: str, period: Duration) -> bool:
    return (
        re.search(
            r"^\W*(?:prior\s+)?(?:written\s+)?notice|^['’]?\s*(?:written|prior)|^\s+(?:after|prior|before)\b",
            words[period.end :],
            re.I,
        )
        is not None
    )


def _computed(
    text: str, sentence: Span, period: Duration, agreement: Finding | None, effective: Finding | None, doubt: float
) -> Finding | None:
    """The end of a period that starts on a date which the agreement states, with the quotations of both."""
    words = text[slice(*sentence)]
    anchor = _WORDING["anchor"].search(words)
    if _WORDING["open_start"].search(words) or (
        _WORDING["other_anchor"].search(words, period.end) and not (anchor and anchor.start() > period.end)
    ):
        return None
    made = agreement if anchor is None or anchor["made"] or not _WORDING["defines_effective"].search(text) else None
    base = made if anchor and anchor["made"] else effective or made
    if base is None or len(str(base.value)) < 4 or not str(base.value)[:4].isdigit():
        return None
    value = _later(str(base.value), period)
    if value is None:
        return None
    unstated = anchor is not None and not anchor["made"] and effective is None
    note = f"Computed: {base.value} plus {period.iso}.{UNSTATED_START if unstated else ''}"
    confidence = min(0.8 if anchor else 0.6, base.confidence) - doubt
    return Finding(
        value,
        (sentence, *base.quotations),
        confidence,
        base.settled and not unstated and period.agrees and not _WORDING["either"].search(words),
        note,
        computed=True,
    )


def _later(iso: str, period: Duration) -> str | None:
    if len(iso) == len("2019-03-05"):
        return add_duration(date.fromisoformat(iso), period.iso).isoformat()
    if period.unit == "Y" and iso.isdigit():
        return str(int(iso) + period.count)
    return None
