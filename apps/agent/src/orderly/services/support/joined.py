"""How a sentence joins what its quotation names: "and" for "or", "a right, not a privilege" for the contrary, "a" for "no"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orderly.services.support.tokens import read_words

_DENIES = re.compile(
    r"\b(?:not|no|never|neither|nor|none|nothing|without|cannot|lack\w*|absen\w+|den\w+|refus\w+|exclud\w+|fail\w*|unless|except|only|until)\b|n['’]t\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|only|means|needs?|requires?|must|where|when)\b", re.IGNORECASE)
_REACH = 6
"""Words on either side of "and" in which the words that it joins stand."""
_CONTRAST = re.compile(
    r"\b(?:is|are|be|as)\s+(?:an?\s+|the\s+)?(?P<yes>\w+),?\s+(?:and\s+|but\s+)?(?:not|rather\s+than)\s+(?:an?\s+|the\s+)?(?P<no>\w+)",
    re.IGNORECASE,
)
_THERE_IS_NO = re.compile(
    r"\bthere\s+(?:is|was|are|were|has\s+been|have\s+been|shall\s+be|will\s+be)\s+no\s+(?P<noun>\w+)", re.IGNORECASE
)


def find_other_joint(statement: str, evidence: str) -> str | None:
    """Finds "or" between words that the evidence joins by "and", and the other way round in a condition."""
    if _DENIES.search(statement) or _DENIES.search(evidence):
        return None
    known = list(_joints(evidence))
    for joint, left, right in _joints(statement):
        others = {other for other, *pair in known if pair == [left, right]}
        if others and joint not in others and (joint == "or" or _CONDITION.search(statement)):
            return joint
    return None


def _joints(text: str) -> Iterator[tuple[str, str, str]]:
    """Each "and" and "or" with the stems of the words of meaning that it stands between, within its clause."""
    words = read_words(text)
    for at, word in enumerate(words):
        if word.folded not in ("and", "or"):
            continue
        left = next((w for w in reversed(words[max(at - _REACH, 0) : at]) if w.has_content or w.text in ".;:"), None)
        right = next((w for w in words[at + 1 : at + 1 + _REACH] if w.has_content or w.text in ".;:"), None)
        if left and right and left.has_content and right.has_content:
            yield word.folded, left.stem, right.stem


def find_turned_contrast(statement: str, evidence: str) -> str | None:
    """What the sentence says and denies the other way round: "a right, not a privilege"."""
    known = {(m["yes"].casefold(), m["no"].casefold()) for m in _CONTRAST.finditer(evidence)}
    for match in _CONTRAST.finditer(statement):
        yes, no = match["yes"].casefold(), match["no"].casefold()
        if any(no == said or yes == denied for said, denied in known):
            return match["yes"]
    return None


def find_made_up(statement: str, evidence: str) -> str | None:
    """A thing of which the evidence says that there is none."""
    none = _THERE_IS_NO.search(evidence)
    if none is None or _DENIES.search(statement) or _CONDITION.search(evidence):
        return None
    noun = read_words(none["noun"])[0]
    return next((word.text for word in read_words(statement) if word.stem == noun.stem), None)
