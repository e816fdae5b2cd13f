"""Who bears a cost, by a sentence and by its quotation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orderly.services.support.parties import ROLES
from orderly.services.support.words import SYNONYMS

_NAME = rf"(?P<{{0}}>(?:[A-Z][\w&-]*(?:\s+[A-Z][\w&-]*){{{{0,2}}}}|(?:{'|'.join(ROLES)})))"
_BEARS = (
    r"(?:(?:shall|must|will|agrees?\s+to|has\s+to|is\s+to|is\s+required\s+to|is\s+obliged\s+to|also|alone|solely|further)\s+){0,3}"
    r"(?:pays?|bears?|covers?|meets?|reimburses?|funds?|(?:be|is)\s+(?:solely\s+)?responsible\s+for(?:\s+the)?(?:\s+payment\s+of)?)\b"
)
_PAYER = re.compile(
    rf"\b{_NAME.format('active')}\s+{_BEARS}|"
    rf"\b(?:paid|borne|covered|met|reimbursed|payable)\s+(?:(?:solely|only|in\s+full)\s+)?by\s+(?:the\s+)?{_NAME.format('passive')}(?!\w)|"
    rf"\bat\s+(?:the\s+)?{_NAME.format('own')}['’]s?\s+(?:own\s+|sole\s+)?(?:cost|expense)"
)
_COST = re.compile(
    r"\b(?:costs?|expenses?|fees?|charges?|tax(?:es)?|rent|price|premiums?|royalt\w+|reimburse\w*|compensation|interest|freight|deposit|salar\w+|payments?)\b|[$€£]",
    re.IGNORECASE,
)
_NOBODY = frozenset(
    "each either neither both all any no we you i they it he she this that who which party parties person".split()
)
_LAST_WORD = re.compile(r"[\w&-]+\Z")


def find_other_payer(statement: str, evidence: str) -> str | None:
    """The party that pays by the sentence, if others pay by the evidence."""
    if not _COST.search(statement) or not _COST.search(evidence):
        return None
    known = {_one(name) for name in _payers(evidence)}
    if not known or not known.isdisjoint(_NOBODY):
        return None
    for name in _payers(statement):
        payer = _one(name)
        if payer not in _NOBODY and payer not in known and not any(payer in other or other in payer for other in known):
            return name
    return None


def _payers(text: str) -> Iterator[str]:
    return (m["active"] or m["passive"] or m["own"] for m in _PAYER.finditer(text))


def _one(name: str) -> str:
    last = _LAST_WORD.search(name)
    folded = (last[0] if last else name).casefold()
    return min(folded, SYNONYMS.get(folded, folded))
