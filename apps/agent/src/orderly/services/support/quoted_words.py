"""What a sentence says of the few words that it quotes: that a document has them, that it lacks them, or neither."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from orderly.models import Span
from orderly.services.support.plain import plain_text
from orderly.services.support.statements import PARTS, VERB, is_aside, is_question_or_law

Use = Literal["claimed", "denied", "mentioned"]
"""Claimed: as a document's words. Denied: as words that no document has. Mentioned: as a term, label or name, or of the law."""

_REACH = 400
"""Characters of the sentence that are read on each side of a quotation."""
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bcl\.)(?<!\bs\.)[\"”’»)*_]*\s+|\n+")
_VERBAL = re.compile(
    rf"(?:{VERB}|\b(?:be|been|being|could|should|would|needs?|never|not|cannot)\b|\bno\s|\w(?:n['’]t|['’](?:ll|re))\b)",
    re.IGNORECASE,
)
"""Words by which a quotation says something by itself."""
_COMPLETES = re.compile(
    rf"{VERB}|\b[a-z]+(?:s|ed)\s+(?:(?:the|an?|that|as|it|only|no|to|by|for|on|with|of|words?|phrases?|terms?)\s+)*\W*\Z",
    re.IGNORECASE,
)
"""Words before a quotation that say something only together with it."""
_SUBJECT = re.compile(
    rf"\b(?:the|each|either|neither|both|this|its|said)\s+(?:\w+\s+)?(?:{PARTS}|party)\s*\Z|\b(?:Ltd|Inc|LLC|Corp|Limited)\.?\s*\Z",
    re.IGNORECASE,
)
_PREDICATE = re.compile(r"\W*[a-z]+(?:s|ed)\s+\w")
"""Words that a party before them does: "waives all rights"."""
_LABELS = re.compile(r"\w[\W_]*?(?:[:–—|]|\s-)\W*\Z")
"""A label before a quotation that is its value."""
_PLACE = re.compile(
    r"\W*\s(?:in|of|under|at)\s+(?:the\s+|this\s+)?(?:clause|section|schedule|article|page|lease|agreement|contract|deed)\b"
    r"|\W*\s\((?:clause|cl|section|s|page|p|schedule|item|paragraph|para)\.?\s+\d",
    re.IGNORECASE,
)
"""A place behind a quotation."""
_KIND = re.compile(
    r"[\W_]*\s(?:clause|provision|right|option|language|wording|mechanism|concept|test|standard|regime|principle|doctrine|rule|approach|"
    r"obligation|event|requirement)s?\b"
)
"""What a quotation calls by a short name."""
_FIRST = re.compile(r"\W*(?:(?:the|an?|these|both|words?|phrases?|expressions?|terms?|and|or)\b\W*)*\Z", re.IGNORECASE)
_BEGINS_LABEL = re.compile(r"\(\s*(?:(?:the|an?|each|together|collectively|hereafter)\b,?\s*)*[\W_]*\Z")
_SEEKS = re.compile(
    r"\b(?:search\w*|look\w*\s+(?:up|for)|drafts?|drafted|such\s+as|suggest\w*|propos\w*|recommend\w*|consider|add(?:ing)?|insert\w*|if|whether|"
    r"for\s+example|e\.g\.|(?:might|could|would|should)\s+(?:be|say|state|read|write|provide)|so-called|known\s+as|"
    r"(?:I|we|you|lawyers|courts|market|profession|people|nobody)\s+(?:would\s+)?(?:calls?|means?)|abbreviat\w+|rather\s+than|instead\s+of)\b[^.;:]*\Z",
    re.IGNORECASE,
)
"""Words before a quotation that nobody says to be a document's."""

_QUOTED = '(?:[“"‘\'«][^“”"‘’«»\n]{1,80}[”"’\'»])'
_DETERMINERS = r"(?:(?:the|any|an?|words?|phrases?|expressions?|terms?|either)\s+)*"
_LIST = rf"{_DETERMINERS}(?:{_QUOTED}\s*(?:,|\bor\b|\band\b|\bnor\b)*\s*{_DETERMINERS})*"
_HAS = r"(?:uses?|used|mentions?|mentioned|defines?|contains?|includes?|refers?\s+to|speaks?\s+of|says?|states?)"
_DOCUMENT = r"\b(?:lease|agreement|contract|deed|document|policy|licen[cs]e|letter|schedule|clause\s+\S+|it|there)"
_DENIES_BEFORE = re.compile(
    rf"(?:\b(?:(?:does|do|did|has|have)\s+(?:not|never|nowhere)|doesn['’]t|don['’]t|nowhere|never)\s+(?:\w+ly\s+)?{_HAS}\s+{_LIST}"
    rf"|\b(?:no|none|nothing|neither)\b(?:\s+\w+){{1,5}}?\s+{_HAS}\s+{_LIST}"
    rf"|{_DOCUMENT}s?\s+(?:(?:has|have|contains?|includes?|is|are)\s+no(?:\s+such)?|(?:is|are)\s+silent\s+(?:on|about|as\s+to)|lacks?)\s+{_LIST})\W?\Z",
    re.IGNORECASE,
)
_AND_OTHERS = rf"\W?(?>(?:[,\s]|\bor\b|\band\b|\bnor\b|{_QUOTED})*)(?<=\s)"
_APPEAR = r"(?:appears?|occurs?|used|found|mentioned|there)\b(?!\s+(?:without|only|unless|except|until|before))"
_DENIES_AFTER = re.compile(
    rf"{_AND_OTHERS}(?:(?:does|do|is|are|was)\s+(?:not|nowhere|never)|doesn['’]t|don['’]t|isn['’]t|nowhere)\s+(?:be\s+)?{_APPEAR}",
    re.IGNORECASE,
)
_APPEARS = re.compile(rf"{_AND_OTHERS}(?:(?:is|are)\s+)?{_APPEAR}", re.IGNORECASE)
_NEITHER = re.compile(rf"\b(?:neither|nor)\s+{_LIST}\W?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuotedWords:
    use: Use
    span: Span
    """The quotation, with the words by which it is denied."""


def read_quoted_words(text: str, start: int, end: int, *, before: str = "") -> QuotedWords:
    """Reads what is said of the words that `text[start:end]` quotes.

    Args:
        text: A part of an answer.
        start: The beginning of the quotation, with its marks.
        end: Its end.
        before: What stands before the part.
    """
    far = max(start - _REACH, 0)
    first = max((m.end() for m in _SENTENCE.finditer(text, far, start)), default=far)
    ending = _SENTENCE.search(text, end, end + _REACH)
    last = ending.start() if ending else end + _REACH
    lead, rest = text[first:start], text[end:last]
    if (denial := _DENIES_BEFORE.search(lead)) is not None:
        return QuotedWords("denied", (first + denial.start(), end))
    if (denial := _DENIES_AFTER.match(rest)) is not None:
        return QuotedWords("denied", (start, end + denial.end()))
    if (denial := _NEITHER.search(lead)) is not None and (place := _APPEARS.match(rest)) is not None:
        return QuotedWords("denied", (first + denial.start(), end + place.end()))
    return QuotedWords(
        "claimed" if _is_claimed(lead, text[start:end], rest, _line_before((before + text[:first])[-_REACH:])) else "mentioned",
        (start, end),
    )


def _is_claimed(lead: str, quoted: str, rest: str, line_before: str) -> bool:
    whole = plain_text(f"{lead}{quoted}{rest}")
    words, said = plain_text(quoted), plain_text(lead)
    if is_question_or_law(whole) or _SEEKS.search(said):
        return False
    if _VERBAL.search(words):
        return True
    if _PLACE.match(rest) or (_PREDICATE.match(words) and _SUBJECT.search(said)):
        return True
    if is_aside(whole):
        return False
    is_row = lead.lstrip().startswith("|")
    if is_row and not line_before.lstrip().startswith("|"):
        return False  # the titles of a table's columns
    if _LABELS.search(lead):
        return True
    is_label = lead.lstrip().startswith("#") or (_BEGINS_LABEL.search(lead) and rest.lstrip("*_ ").startswith(")"))
    if is_label or _KIND.match(rest) or _FIRST.match(said):
        return False
    return _COMPLETES.search(said) is not None


def _line_before(text: str) -> str:
    return text.rstrip().rpartition("\n")[2]
