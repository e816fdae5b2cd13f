"""Claims over documents, "all five leases", "none of the agreements", which no single quotation supports: they are counted."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from orderly.services.support.statements import has_verb, is_aside
from orderly.services.values import NUMBER_WORDS, parse_words

Kind = Literal["all", "most", "none", "number"]

_NUMBER = rf"(?:\d{{1,4}}|{NUMBER_WORDS})"
_ONE = r"(?:document|file|agreement|contract|lease|deed|policy|licen[cs]e|judgment|instrument)"
_MANY = r"(?:documents|files|agreements|contracts|leases|deeds|policies|licen[cs]es|judgments|instruments)"
_OF = r"(?:out\s+)?of\s+"
_THE = r"(?:(?:the|these|those|your|our|their)\s+)?"
_KIND = r"(?:[a-z]+\s+){0,2}?"
"""Up to two words that say of what kind they are."""
_CLAIM = re.compile(
    r"(?:\A|[,;:.–—]\s+|\(|\b(?:that|and|but|so|because|while|whereas|in|across|under|by)\s+)[*_\s]*(?P<claim>(?:"
    rf"(?P<all>all|both)\s+(?:{_OF})?{_THE}(?:(?P<every>{_NUMBER})\s+)?{_KIND}{_MANY}|"
    rf"(?P<each>each|every|no|neither)\s+{_KIND}{_ONE}|(?P<no>no)\s+{_KIND}{_MANY}|"
    rf"(?P<most>most|the\s+majority|more\s+than\s+half|nearly\s+all|almost\s+all)\s+(?:{_OF})?{_THE}(?:(?P<of_most>{_NUMBER})\s+)?{_KIND}{_MANY}|"
    rf"(?P<none>none|neither|not\s+one|not\s+any|each|every\s+one)\s+{_OF}{_THE}(?:(?P<of_none>{_NUMBER})\s+)?{_KIND}{_MANY}|"
    rf"(?P<count>{_NUMBER})\s+{_OF}{_THE}(?:(?P<of>{_NUMBER})\s+)?{_KIND}{_MANY})\b(?!\s+(?:of|between|with)\b))",
    re.IGNORECASE,
)
_NONE = ("no", "none", "neither", "not")
_OTHERS = re.compile(r"\b(?:other|remaining|rest)\b", re.IGNORECASE)


class Claim(NamedTuple):
    kind: Kind
    words: str
    number: int | None
    """How many documents are said to agree, where that is a number."""
    total: int | None
    """Of how many documents the claim speaks, if it says so."""
    is_of_others: bool
    """Whether it speaks of those that are not quoted."""


def find_claim(sentence: str, quoted: str) -> Claim | None:
    """The claim over documents with which a sentence or clause begins; None if the quoted words make it themselves."""
    found = _CLAIM.search(sentence)
    if found is None:
        return None
    rest = sentence[found.end() :].lstrip(" ,")
    if is_aside(rest) or not has_verb(rest):
        return None  # "Across all five documents I found …" and "I searched all five documents for …" speak of the work
    first = (found["all"] or found["each"] or found["no"] or found["most"] or found["none"] or "").casefold()
    if first and re.search(rf"\b{re.escape(first)}\b(?:\s+\w+){{0,3}}?\s+(?:{_ONE}|{_MANY})\b", quoted, re.IGNORECASE):
        return None
    kind: Kind = "number" if found["count"] else "most" if found["most"] else "none" if first.split()[0] in _NONE else "all"
    total = _value(found["every"] or found["of_most"] or found["of_none"] or found["of"])
    total = total or (2 if first in ("both", "neither") else None)
    return Claim(kind, found["claim"], _value(found["count"]), total, _OTHERS.search(found["claim"]) is not None)


def _value(written: str | None) -> int | None:
    if written is None:
        return None
    return int(written) if written.isdigit() else parse_words(written.casefold())
