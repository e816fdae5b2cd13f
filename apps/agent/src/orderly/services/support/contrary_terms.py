"""Terms of which a clause has one or the other: alone or together, ahead or behind, the same or different."""

from __future__ import annotations

import re

_CONTRAST = re.compile(
    r"\b(?:not|never|neither|nor|no|cannot|rather|instead|unless|except|until|without)\b|n['’]t\b", re.IGNORECASE
)
_ALONE = r"\b(?:sole(?:ly)?|alone|exclusive(?:ly)?)\b"
_TOGETHER = r"\b(?:joint(?:ly)?|together|shared?|non-?\s?exclusive(?:ly)?|both\s+parties)\b"
_AHEAD = r"\b(?:before(?:hand)?|prior|ahead|preced\w+|in\s+advance|preference)\b"
_BEHIND = r"\b(?:after(?:wards)?|follow(?:s|ing)|behind|subsequent\w*|subordinate\w*)\b"
_BEST = r"\b(?:best\s+(?:efforts|endeavou?rs)|guarantees?|every\s+effort)\b"
_REASONABLE = r"\breasonable\s+(?:\w+\s+)?(?:efforts|endeavou?rs|steps)\b"
_SAME, _DIFFERENT = r"\b(?:same|identical)\b", r"\b(?:different|dissimilar)\b"
_FREE = r"\b(?:may\s+(?:refuse|choose|decline|decide)|(?:is|are)\s+free\s+to|can\s+choose|optional)\b"
_BOUND = (
    r"\A(?!.*\b(?:may|can|entitled|option\w*|right|discretion|unless|if|elects?|other\s+than|except)\b)"
    r".*?\b(?P<known>shall|must|obliged|required)\b"
)
_TERMS = tuple(
    (re.compile(ours, re.IGNORECASE), re.compile(theirs, re.IGNORECASE | re.DOTALL))
    for ours, theirs in (
        (_ALONE, _TOGETHER),
        (_TOGETHER, _ALONE),
        (_SAME, _DIFFERENT),
        (_DIFFERENT, _SAME),
        (_BEST, _REASONABLE),
        (_REASONABLE, _BEST),
        (_FREE, _BOUND),
        (r"\b(?:behind|afterwards|subordinate)\b", _AHEAD),
        (r"\b(?:ahead\s+of|beforehand|precedes?)\b", _BEHIND),
    )
)
"""What a sentence says and what its quotation says instead."""


def find_contrary_term(statement: str, evidence: str) -> str | None:
    """The sentence's term and the quotation's, where each has one alone of two that exclude each other."""
    if _CONTRAST.search(statement):
        return None
    for ours, theirs in _TERMS:
        said = ours.search(statement)
        if said and not theirs.search(statement) and not ours.search(evidence) and (known := theirs.search(evidence)):
            return f"{said[0]}; quoted: {known.groupdict().get('known', known[0])}"
    return None
