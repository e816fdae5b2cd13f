"""Whether words that stand right before a quotation turn its meaning round."""

from __future__ import annotations

import re

_NEGATORS = frozenset({
    "not", "no", "nor", "never", "neither", "none", "nobody", "cannot", "without", "except", "excepting", "excluding", "unless",
})  # fmt: skip
_OPENERS = frozenset({"no", "neither", "nor", "none"})
"""At the beginning of a clause these deny all that follows in it: "Neither party shall", "No waiver of a breach shall"."""

_OPENING_REACH = 6
"""Words behind such a beginning."""

_PASSED_OVER = frozenset({
    "be", "been", "being", "is", "are", "was", "were", "have", "has", "had", "do", "does", "did", "to", "any", "ever",
    "otherwise", "or", "and", "thereby", "also", "then", "further", "way", "manner", "time", "in", "at", "by", "of",
    "for", "itself", "himself", "themselves", "permit", "allow", "cause", "obligation", "obligations", "duty", "right",
    "rights", "liability", "power", "authority", "intention", "longer", "require", "required", "permitted", "entitled",
    "obliged", "allowed", "authorised", "authorized", "bound",
})  # fmt: skip
"""Words that may stand between a negator and what it denies: "shall not directly or indirectly", "no obligation to"."""

_IN_NO_EVENT = re.compile(r"\b(?:in|under|at|on|to)\s+no\s+(?:event|circumstances?|time|case|account|extent)\b", re.I)
_CLAUSE_END = re.compile(r"[.;:!?()\[\]•]|\n[ \t]*\n|\f")
_ASIDE = re.compile(r"\b(not|never|nor),[^,]*,", re.I)
_WORD = re.compile(r"[^\W_]+(?:['’]\w+)?|,")
_QUANTITY = re.compile(
    r"\b(?:not|no)\s+(?:less|fewer|more|later|earlier|longer|greater)\s+than\b|\bnot\s+only\b|\bno\.\s*\d", re.I
)
"""Idioms that limit a quantity and deny nothing."""

_LOOK_BACK = 240
"""Characters before a quotation."""


def denied_by(text: str, start: int) -> int | None:
    """Where the phrase begins that denies the words at `start`: the offset of "shall not" in "shall not disclose".

    None where no negator stands right before them in the same clause.
    """
    before = text[max(start - _LOOK_BACK, 0) : start]
    ends = [match.end() for match in _CLAUSE_END.finditer(before)]
    clause = before[ends[-1] if ends else 0 :]
    for hidden in (_ASIDE, _QUANTITY):
        clause = hidden.sub(lambda m: _blanked(m[0], keep=m[1] if m.re is _ASIDE else ""), clause)
    if denied := _IN_NO_EVENT.search(clause):
        return start - len(clause) + denied.start()
    words = list(_WORD.finditer(clause))
    at = _negator(words)
    if at is None:
        return None
    return start - len(clause) + words[at - 1 if at and words[at - 1][0] != "," else at].start()


def _blanked(passage: str, keep: str) -> str:
    return keep + " " * (len(passage) - len(keep))


def _negator(words: list[re.Match[str]]) -> int | None:
    """The index of the word that denies what follows the last one."""
    for at in range(len(words) - 1, -1, -1):
        word = words[at][0].lower()
        if word == ",":
            if at < len(words) - 1:
                break
            continue  # "shall not, directly or": an aside that the quotation begins with
        if word in _NEGATORS or word.endswith(("n't", "n’t")):
            return at
        if word not in _PASSED_OVER and not word.endswith("ly"):
            break
    behind = len(words) - 1
    if words and words[0][0].lower() in _OPENERS and behind <= _OPENING_REACH and not any(w[0] == "," for w in words):
        return 0
    return None
