"""Finds the parties to an agreement that is a letter: who offers, and who is addressed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orderly.models import Span
from orderly.services.values.party_names import SUFFIX

OPENING = 3_000
"""Characters in which a letter has its letterhead, its address and its first sentence."""
MOST_WORDS = 6
"""Words of a person's name with title."""
_DEAR = re.compile(r"^[ \t*]*Dear[ \t]+(?P<name>[^\n,:*]{2,60})", re.M)
_OFFERS = re.compile(
    r"\b(?:offer (?:of|you)\b|(?:offer|appoint|engage|invite|employ)\w*\s+you\b|invitation\s+for\s+you\b"
    r"|your\s+(?:appointment|engagement)\b|letter\s+of\s+(?:offer|engagement|appointment)\b|accept\s+(?:this|the|our)\s+(?:offer|terms|letter)\b"
    r"|\bby\s+signing\b[^.]{0,60}\bagree|(?:counter)?sign\w*\b[^.]{0,120}\b(?:agree|accept|confirm)\w*|\b(?:agreed|accepted)\s+(?:for|by|on\s+behalf)\b)",
    re.I,
)
"""Words of a letter that becomes an agreement, when it is accepted."""
_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Sir|Madam|Dame)\b\.?")
_LINE = re.compile(r"[^\n]+")
_FOR = re.compile(
    r"^[ \t*]*(?:signed[ \t]+)?(?:for[ \t]+and[ \t]+)?on[ \t]+behalf[ \t]+of[ \t:*]+(?P<name>(?-i:[A-Z])[^\n,;(*]{2,80})",
    re.M | re.I,
)
_NAME = rf"(?P<name>[A-Z][\w.&'’-]*(?: [\w.&'’-]+){{0,6}}? {SUFFIX})"
_JOINS = re.compile(rf"\b(?:join|employed by|employment (?:with|by|at)|position (?:with|at)|work for|behalf of)\s+{_NAME}")
_COMPANY = re.compile(rf"{_NAME}(?:[ \t]*\(?(?:ACN|ABN|A\.C\.N\.|A\.B\.N\.)[\d \t]+\)?)?$")
_NOBODY = re.compile(r"(?:Directors?|Sirs?|Madam|Board|Colleagues?|Team|All|Secretary|Manager|Sir\s*(?:/|or)\s*Madam)\W*$")
"""A salutation that has no name: the company in the address is meant."""


def letter_parties(text: str) -> list[Span]:
    """The one who offers and the one who is addressed, in text order; none if the text is no letter with an offer."""
    dear = _DEAR.search(text, 0, OPENING)
    if dear is None or _OFFERS.search(text, 0, dear.end() + OPENING) is None:
        return []
    if _NOBODY.match(text, *dear.span("name")):
        companies = [found.span("name") for line in _lines(text, dear.start()) if (found := _COMPANY.match(text, *line))]
        return [companies[0], companies[-1]] if len(companies) > 1 else []
    writer, addressee = _writer(text, dear.start()), _addressee(text, dear)
    return sorted([writer, addressee]) if writer and addressee else []


def _writer(text: str, head: int) -> Span | None:
    """By the signature, else by the letterhead, else by the words of the offer."""
    if signed := _FOR.search(text, head):
        return _trimmed(text, *signed.span("name"))
    for start, end in _lines(text, head):
        if company := _COMPANY.match(text, start, end):
            return company.span("name")
    joined = _JOINS.search(text, head, head + OPENING)
    return joined.span("name") if joined else None


def _addressee(text: str, dear: re.Match[str]) -> Span | None:
    """The line of the address that has the name of the salutation, else the salutation with a name of two words."""
    called = _without_title(text, *dear.span("name"))
    wanted = set(text[slice(*called)].split())
    if not wanted:
        return None
    for line in _lines(text, dear.start()):
        words = text[slice(*line)].split()
        if wanted <= set(words) and len(words) <= MOST_WORDS:
            return _without_title(text, *line)
    return called if len(wanted) > 1 and all(word[0].isupper() for word in wanted) else None


def _lines(text: str, until: int) -> Iterator[Span]:
    for match in _LINE.finditer(text, 0, until):
        start = match.end() - len(match[0].lstrip(" \t*"))
        yield start, start + len(text[start : match.end()].rstrip(" \t*"))


def _without_title(text: str, start: int, end: int) -> Span:
    while title := _TITLE.match(text, start, end):
        start = title.end()
        start += len(text[start:end]) - len(text[start:end].lstrip())
    return _trimmed(text, start, end)


def _trimmed(text: str, start: int, end: int) -> Span:
    return start, start + len(text[start:end].rstrip(" .\t"))
