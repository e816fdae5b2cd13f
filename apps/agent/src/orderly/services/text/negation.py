"""Detects a negation directly before a quotation, which reverses its meaning."""

from __future__ import annotations

import re

from orderly.services.words import NEGATIONS

_NEGATORS = NEGATIONS | {"nor", "without", "except", "excepting", "excluding", "unless"}
_OPENERS = frozenset({"no", "neither", "nor", "none"})
"""Words that at the start of a clause negate the whole clause: "Neither party shall", "No waiver of a breach shall"."""

_OPENER_MAX_WORDS = 6
"""Most words between such an opener and the quotation."""

_SKIPPED_WORDS = frozenset({
    "be", "been", "being", "is", "are", "was", "were", "have", "has", "had", "do", "does", "did", "to", "any", "ever",
    "otherwise", "or", "and", "thereby", "also", "then", "further", "way", "manner", "time", "in", "at", "by", "of",
    "for", "itself", "himself", "themselves", "permit", "allow", "cause", "obligation", "obligations", "duty", "right",
    "rights", "liability", "power", "authority", "intention", "longer", "require", "required", "permitted", "entitled",
    "obliged", "allowed", "authorised", "authorized", "bound",
})  # fmt: skip
"""Words allowed between a negator and the negated words: "shall not directly or indirectly", "no obligation to"."""

_IN_NO_EVENT = re.compile(r"\b(?:in|under|at|on|to)\s+no\s+(?:event|circumstances?|time|case|account|extent)\b", re.I)
_CLAUSE_END = re.compile(r"[.;:!?()\[\]•]|\n[ \t]*\n|\f")
_ASIDE = re.compile(r"\b(not|never|nor),[^,]*,", re.I)
_WORD = re.compile(r"[^\W_]+(?:['’]\w+)?|,")
_QUANTITY = re.compile(
    r"\b(?:not|no)\s+(?:less|fewer|more|later|earlier|longer|greater)\s+than\b|\bnot\s+only\b|\bno\.\s*\d", re.I
)
"""Idioms that limit a quantity and negate nothing."""

_LOOKBACK_CHARS = 240
"""Characters searched before a quotation."""


def find_negation(text: str, start: int) -> int | None:
    """Finds the negating phrase before `start`: the offset of "shall not" in "shall not disclose".

    None where no negator directly precedes the words in the same clause.
    """
    before = text[max(start - _LOOKBACK_CHARS, 0) : start]
    ends = [match.end() for match in _CLAUSE_END.finditer(before)]
    clause = before[ends[-1] if ends else 0 :]
    for hidden in (_ASIDE, _QUANTITY):
        clause = hidden.sub(lambda m: _blank_out(m[0], keep=m[1] if m.re is _ASIDE else ""), clause)
    if negated := _IN_NO_EVENT.search(clause):
        return start - len(clause) + negated.start()
    words = list(_WORD.finditer(clause))
    at = _find_negator(words)
    if at is None:
        return None
    return start - len(clause) + words[at - 1 if at and words[at - 1][0] != "," else at].start()


def _blank_out(passage: str, keep: str) -> str:
    return keep + " " * (len(passage) - len(keep))


def _find_negator(words: list[re.Match[str]]) -> int | None:
    """Index of the word that negates the text after the last word; None if there is none."""
    for at in range(len(words) - 1, -1, -1):
        word = words[at][0].lower()
        if word == ",":
            if at < len(words) - 1:
                break
            continue  # "shall not, directly or": the quotation begins with the aside
        if word in _NEGATORS or word.endswith(("n't", "n’t")):
            return at
        if word not in _SKIPPED_WORDS and not word.endswith("ly"):
            break
    following = len(words) - 1
    if words and words[0][0].lower() in _OPENERS and following <= _OPENER_MAX_WORDS and not any(w[0] == "," for w in words):
        return 0
    return None
