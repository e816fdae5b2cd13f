"""The known subject of a question: a clause that contracts have or not, a date, a period, the governing law."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from orderly.services.columns import SUBJECTS
from orderly.services.documents import STANDARD_CLAUSES
from orderly.services.engines import LegalEngine
from orderly.services.engines.local import presence_types, stem, stems, words_asked_with
from orderly.services.questions.ages import asks_age
from orderly.services.questions.party_roles import ROLE_NAMES
from orderly.services.values import find_jurisdictions

SURE_WEIGHT, POSSIBLE_WEIGHT = 0.25, 0.15
"""Weights from which a question is about a subject, and may be."""
UNVOUCHED = 0.6
"""Weight from which a question is about a clause although none of its words is one that people ask for the clause with."""
_ROLE_LIST = (
    "landlord tenant lessor lessee owner supplier customer buyer seller vendor purchaser licensor licensee employer employee "
    "lender borrower guarantor distributor client provider franchisor franchisee company"
)
ROLES = frozenset(map(stem, _ROLE_LIST.split()))
"""Parties, who say nothing about the clause."""
_VAGUE = frozenset(map(stem, ["pay", "say", "go", "goes", "made", "thing", "kind"]))
"""Words of questions about any clause: "redundancy pay" is no cap on liability, though people ask for that with "pay"."""
_NOT_ASKED = {
    "termination for convenience": re.compile(
        r"\b(?:grounds?|(?:for|with) (?:good )?cause|breach\w*|default|without (?:any )?(?:notice|warning)|summar(?:y|ily)"
        r"|misconduct|insolven\w+|on the spot)\b",
        re.IGNORECASE,
    ),
}
"""Words of a question that show that it is about something else than the subject."""
_ONLY_ASKED = {
    "uncapped liability": re.compile(
        r"\b(?:un(?:capped|limited)|carve[sd]?|carve-outs?|exceptions?|except|exclu\w+|without (?:any )?(?:cap|limit)"
        r"|no (?:cap|limit)|not|outside|beyond)\b|n['’]t\b",
        re.IGNORECASE,
    ),
    "price restrictions": re.compile(
        r"\b(?:increas\w*|ris(?:e|es|ing)|rais\w+|go(?:es)? (?:up|down)|up|chang\w+|vary|varied|varying|variation"
        r"|adjust\w*|review\w*|escalat\w+|index\w*|cpi|inflation|fix\w*|freez\w+|frozen|lock\w*|cap\w*|ceiling|limit\w*|restrict\w*|maximum|protect\w*"
        r"|control\w*|reduc\w+|lower\w*|discount\w*|dearer|set|resale|allowed)\b",
        re.IGNORECASE,
    ),
    "most favoured nation": re.compile(
        r"\b(?:favou?r\w*|mf[nc]|better|best|lowest|parity|equal\w*|same|match\w*|preferential|worse|treated|treatment|compar\w+"
        r"|others?|else|elsewhere|anyone|nobody|less|cheaper|as good)\b",
        re.IGNORECASE,
    ),
    "minimum commitment": re.compile(
        r"\b(?:minim\w+|least|smallest|floor|lower limit|quota|targets?|shortfall|commit\w*|guaranteed?|required|take.or.pay"
        r"|volume|oblig\w+|must [^?]*\b(?:buy|bought|order\w*|purchase\w*|take\w*|spen[dt])"
        r"|ha(?:s|ve) to (?:buy|order|purchase|take|spend))\b",
        re.IGNORECASE,
    ),
}
"""Words that a question about the subject has: one about a cap on liability, or about the price, has none of them."""
_DENIES = re.compile(r"\b(?:not|other than|except|outside)\b|n['’]t\b", re.IGNORECASE)

_ROLE = re.compile(rf"\bthe (?:{'|'.join(sorted(ROLE_NAMES))})\b(?:['’]s)?")
"""A party by its role, written as documents write it. Subjects are learned from questions without parties."""


@dataclass(frozen=True, slots=True)
class Subject:
    name: str
    """Concept of the offline engine's lexicon."""
    answer_type: str
    """Type of the value that rules read; "" for a clause that is there or not."""
    only: frozenset[str] = frozenset()
    """Values that are asked for ("New York"); empty: any."""
    is_excluded: bool = False
    """Whether every value but those is asked for: "not governed by the law of New York"."""
    weight: float = field(default=1.0, compare=False)
    """0..1: how surely the question is about the subject."""

    @property
    def wanted(self) -> str:
        """The subject with the values that are asked for: "governing law (New York)"."""
        if not self.only:
            return self.name
        return f"{self.name} ({'other than ' if self.is_excluded else ''}{' or '.join(sorted(self.only))})"

    def of_any_value(self) -> Subject:
        """The same without the values that are asked for."""
        return replace(self, only=frozenset())


async def find_subject(engine: LegalEngine, question: str) -> Subject | None:
    """Returns the subject of a question, of those that can be decided for a document; None if it is not sure."""
    if asks_age(question):
        return Subject("agreement date", SUBJECTS["agreement date"])
    known = {*SUBJECTS, *presence_types()}
    found = await engine.subjects(_ROLE.sub("the agreement", question))
    named = [_subject(name, question, weight) for name, weight in found if name in known and weight >= POSSIBLE_WEIGHT]
    named = [s for s in named if _is_vouched_for(s, question) and not _is_excluded(s, question)]
    best = next((name for name, _ in found if not _is_excluded(_subject(name, question, 1.0), question)), "")
    if named and named[0].name == best and named[0].weight >= SURE_WEIGHT:
        return named[0]
    return None


def named_clause(question: str) -> str | None:
    """The standard clause that a question calls by its name: "a confidentiality clause"."""
    words = " ".join(question.casefold().split())
    return next((name for name in STANDARD_CLAUSES if f"{name} clause" in words or f"{name} provision" in words), None)


def _is_excluded(subject: Subject, question: str) -> bool:
    other, needed = _NOT_ASKED.get(subject.name), _ONLY_ASKED.get(subject.name)
    return (other is not None and other.search(question) is not None) or (
        needed is not None and needed.search(question) is None
    )


def _is_vouched_for(subject: Subject, question: str) -> bool:
    """Whether the question has a word for the clause: "can the landlord move us?" has none for an assignment.

    A value that rules read needs none: a document that does not state it gives no answer.
    """
    if subject.answer_type or subject.weight >= UNVOUCHED:
        return True
    return not words_asked_with(subject.name).isdisjoint({*stems(question)} - ROLES - _VAGUE)


def _subject(name: str, question: str, weight: float) -> Subject:
    only = frozenset(j.name for j in find_jurisdictions(question)) if name == "governing law" else frozenset()
    return Subject(name, SUBJECTS.get(name, ""), only, bool(only) and _DENIES.search(question) is not None, weight)
