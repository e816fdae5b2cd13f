"""Terms of a sentence that turn its quotation round: before for after, the lower for the higher, consent that is not needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from orderly.services.support.bounds import events_of
from orderly.services.support.joined import find_made_up, find_other_joint, find_turned_contrast
from orderly.services.support.with_and_without import find_barred_exception, find_covered_exception, find_with_of_without
from orderly.services.support.words import content_stems
from orderly.services.values import parse_words

_CONTRAST = re.compile(
    r"\b(?:not|never|neither|nor|cannot|rather|instead|unless|except|until|only|but|no|even)\b|n['’]t\b", re.IGNORECASE
)
_DENIES = re.compile(r"\b(?:not|never|neither|rather|instead)\b", re.IGNORECASE)
_BEFORE = r"before|prior\s+to|ahead\s+of|in\s+advance(?:\s+of)?|preceding"
_AFTER = r"after|following|from|later\s+than|later|of|since"
_COUNT = r"(?P<count>\d[\d,.]*|[a-z]+(?:-[a-z]+)?)(?:\s*\(\s*\w+\s*\))?"
_PERIOD = re.compile(
    rf"\b{_COUNT}['’]?\s+(?:(?:business|working|calendar|clear|full)\s+)?(?P<unit>hour|day|week|month|year)s?['’]?\s+"
    rf"(?:(?:written|prior|notice)\s+){{0,2}}(?:(?P<before>{_BEFORE})|(?P<after>{_AFTER}))\b",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:(?P<before>before|prior\s+to|ahead\s+of|in\s+advance\s+of)|(?P<after>(?<!there)(?<!here)after|following|upon|on))\s+"
    r"(?:(?:the|an?|any|its|such|each|every|his|her|their)\s+){0,2}(?P<event>[^\W\d_]+(?:\s+[^\W\d_]+)?)",
    re.IGNORECASE,
)
_MORE = r"later|latest|last|greater|greatest|higher|highest|larger|largest|longer|longest|bigger|more|maximum"
_LESS = r"earlier|earliest|first|sooner|lesser|least|lower|lowest|smaller|smallest|shorter|shortest|less|minimum"
_CHOICE = re.compile(
    r"\b(?:whichever\s+(?:\w+\s+){0,3}?(?:is|are|occurs|comes|happens|expires|falls|ends)\s+(?:the\s+)?|the\s+)"
    rf"(?:(?P<more>{_MORE})|(?P<less>{_LESS}))\b(?P<of>\s+(?:to\s+occur\s+)?of\b|(?!\s+\w)|(?=\s*[,.;:]))?",
    re.IGNORECASE,
)
_WHICHEVER = re.compile(r"\bwhichever\b", re.IGNORECASE)
_CONSENT = r"(?:consent|approval|permission|authori[sz]ation|agreement)"
_UNASKED = re.compile(
    rf"\b(?:(?P<may>may|can|is\s+free\s+to|are\s+free\s+to|is\s+entitled\s+to)\b(?!\s+not|not)[^.;]{{0,120}}?\bwithout\b[^.;,]{{0,60}}?\b{_CONSENT}|"
    rf"(?:needs?|requires?)\s+no\s+(?:\w+\s+){{0,3}}{_CONSENT}|no\s+(?:\w+\s+){{0,3}}{_CONSENT}\s+(?:\w+\s+){{0,4}}(?:needed|required|necessary))\b",
    re.IGNORECASE,
)
_ASKED = re.compile(
    rf"\b(?:not|no|neither|never)\b[^.;]{{0,240}}?\bwithout\b[^.;]{{0,80}}?\b{_CONSENT}\b|"
    rf"\b(?:only\s+with|subject\s+to|with)\s+(?:\S+\s+){{0,5}}?{_CONSENT}\b",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(r"\b(?:except\w*|provided|unless|however|but)\b", re.IGNORECASE)
_REMAINS = re.compile(r"\bbut\s+(?:\w+\s+)?(?:remains?|is\s+(?:still|always))\b", re.IGNORECASE)
_SOLE = re.compile(
    r"\b(?:sole|absolute|unfettered|own)\s+(?:and\s+\w+\s+)?discretion\b|\bfor\s+any\s+reason\s+or\s+(?:none|no\s+reason)\b",
    re.IGNORECASE,
)
_REASONABLE = re.compile(
    r"\bunreasonably\s+(?:\w+\s+){0,3}?(?:with-?held|refused?|delayed|condition\w*|deny|denied|withhold)", re.IGNORECASE
)
_NEITHER = re.compile(
    r"\b(?P<who>neither\s+(?:of\s+the\s+)?part(?:y|ies)|no\s+party)\s+(?:may|can|shall|must|will)\b", re.IGNORECASE
)
_EITHER = re.compile(
    r"\b(?P<who>(?:either|each|both|any|every)\s+(?:of\s+the\s+)?part(?:y|ies))\b"
    r"(?=\s+(?:may|can|shall|must|will|has|is|to|upon|on|agrees))",
    re.IGNORECASE,
)
_NEED_NOT = re.compile(
    r"\bmay\b\W+but\s+(?:need\s+not|(?:is|are|shall)\s+not\s+(?:be\s+)?(?:required|obliged|obligated|bound)\s+to)\b",
    re.IGNORECASE,
)
_MUST = re.compile(r"\b(?:must|has\s+to|have\s+to|is\s+required\s+to|is\s+obliged\s+to|needs?\s+to)\b", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:may|can|not|optional|free|choice|choose\w*|discretion\w*)\b|n['’]t\b", re.IGNORECASE)
_CURRENCIES: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern)
    for name, pattern in (
        ("dollar", r"\$|(?i:\bdollars?\b)|\b(?:USD|AUD|CAD|NZD|SGD|HKD)\b"), ("euro", r"€|(?i:\beuros?\b)|\bEUR\b"),
        ("pound", r"£|(?i:\bpounds?\s+sterling\b|\bsterling\b)|\bGBP\b"), ("yen", r"¥|(?i:\byen\b)|\bJPY\b"),
        ("yuan", r"(?i:\b(?:renminbi|yuan)\b)|\b(?:RMB|CNY)\b"), ("franc", r"(?i:\bswiss\s+francs?\b)|\bCHF\b"),
        ("rupee", r"(?i:\brupees?\b)|\bINR\b"),
    )
}  # fmt: skip
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_DAY = re.compile(rf"\b(?:{'|'.join(_DAYS)})(?=s?\b)", re.IGNORECASE)


def find_turned(statement: str, evidence: str) -> str | None:
    return next((word for find in _FINDERS if (word := find(statement, evidence)) is not None), None)


def _other_order(statement: str, evidence: str) -> str | None:
    """A period that ends where the evidence's begins, and "after the hearing" for "before the hearing"."""
    ours = list(_periods(statement))
    known = list(_periods(evidence)) if ours else []
    for count, before, words in ours:
        if {other for same, other, _ in known if same == count} == {not before}:
            return words
    events = list(_events(statement))
    if not events or _CONTRAST.search(statement) or _CONTRAST.search(evidence):
        return None
    theirs = list(_events(evidence))
    for before, stems, words in events:
        same = {other for other, others, _ in theirs if stems & others or events_of(stems) & events_of(others)}
        if same == {not before}:
            return words
    return None


def _periods(text: str) -> Iterator[tuple[str, bool, str]]:
    for match in _PERIOD.finditer(text):
        value = parse_words(match["count"].casefold())
        count = match["count"] if value is None else str(value)
        if count[:1].isdigit():
            yield f"{count} {match['unit'].casefold()}", match["before"] is not None, match["before"] or match["after"]


def _events(text: str) -> Iterator[tuple[bool, set[str], str]]:
    for match in _EVENT.finditer(text):
        if stems := content_stems(match["event"]):
            yield match["before"] is not None, stems, match["before"] or match["after"]


def _other_choice(statement: str, evidence: str) -> str | None:
    """The lower of two where the evidence has the higher."""
    ours = list(_choices(statement))
    known = {kind for kind, _ in _choices(evidence)} if ours else set()
    for kind, words in ours:
        if known == {not kind} and not _DENIES.search(statement):
            return words
    return None


def _choices(text: str) -> Iterator[tuple[bool, str]]:
    for match in _CHOICE.finditer(text):
        if match["of"] is not None and (match["of"].strip() or _WHICHEVER.match(text, match.start())):
            yield match["more"] is not None, match["more"] or match["less"]


def _needless_consent(statement: str, evidence: str) -> str | None:
    """An act that needs no consent, of one that needs it."""
    unasked = _UNASKED.search(statement)
    if unasked is None or _UNASKED.search(evidence) or not (asked := _ASKED.search(evidence)):
        return None
    if _EXCEPTION.search(evidence[: asked.end()]) or (
        _EXCEPTION.search(evidence[asked.end() :].partition(",")[2]) and not _REMAINS.search(evidence)
    ):
        return None
    return None if _CONTRAST.search(statement[: unasked.start()]) else " ".join(unasked[0].split()[-3:])


def _free_consent(statement: str, evidence: str) -> str | None:
    """A discretion to refuse a consent that must not be refused without reason."""
    sole = _SOLE.search(statement)
    if sole is None or _SOLE.search(evidence) or not _REASONABLE.search(evidence):
        return None
    return None if _CONTRAST.search(statement[max(sole.start() - 40, 0) : sole.start()]) else sole[0]


def _must_of_need_not(statement: str, evidence: str) -> str | None:
    must = _MUST.search(statement)
    return must[0] if must and _NEED_NOT.search(evidence) and not _OPEN.search(statement) else None


def _other_parties(statement: str, evidence: str) -> str | None:
    """What neither party may, of what either may, and the other way round."""
    for said, known in ((_NEITHER, _EITHER), (_EITHER, _NEITHER)):
        ours = said.search(statement)
        if ours is None or said.search(evidence) or not known.search(evidence):
            continue
        denied = _CONTRAST.search(evidence) if said is _NEITHER else None
        if denied is None and not _CONTRAST.search(statement[: ours.start()] + statement[ours.end() :]):
            return ours["who"]
    return None


def _other_currency(statement: str, evidence: str) -> str | None:
    said = {name: found[0] for name, pattern in _CURRENCIES.items() if (found := pattern.search(statement))}
    known = {name for name, pattern in _CURRENCIES.items() if pattern.search(evidence)} if said else set()
    return next((word for name, word in said.items() if known and name not in known), None)


def _other_day(statement: str, evidence: str) -> str | None:
    said = [m[0] for m in _DAY.finditer(statement)]
    known = {m[0].casefold() for m in _DAY.finditer(evidence)} if said else set()
    return next((day for day in said if known and day.casefold() not in known), None)


_FINDERS: tuple[Callable[[str, str], str | None], ...] = (
    _other_order, _other_choice, _needless_consent, _free_consent, _must_of_need_not, _other_parties,
    _other_currency, _other_day, find_other_joint, find_turned_contrast, find_made_up,
    find_with_of_without, find_barred_exception, find_covered_exception,
)  # fmt: skip
