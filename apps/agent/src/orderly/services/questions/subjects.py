"""The known subject of a question: a clause that contracts have or not, a date, a period, the governing law."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from orderly.services.columns import SUBJECTS
from orderly.services.documents import STANDARD_CLAUSES
from orderly.services.engines import LegalEngine
from orderly.services.engines.local import presence_types
from orderly.services.questions.ages import asks_age
from orderly.services.values import find_jurisdictions
from orderly.services.words import ROLE_NAMES

SURE_WEIGHT = 0.4
"""Weight from which a question is about a subject."""
_PARTS = {"notice of termination": "termination for convenience"}
"""Subjects of questions that the clause on another subject answers."""
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
    def is_classified(self) -> bool:
        """Whether only the classifier of clauses knows it: what it finds is there, what it does not find may be."""
        return not self.answer_type and self.name not in presence_types()

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
    known = {*SUBJECTS, *presence_types(), *STANDARD_CLAUSES}
    found = await engine.subjects(_ROLE.sub("the agreement", question))
    name = _PARTS.get(found[0][0], found[0][0]) if found else ""
    if name not in known or found[0][1] < SURE_WEIGHT:
        return None
    weight = found[0][1]
    only = frozenset(j.name for j in find_jurisdictions(question)) if name == "governing law" else frozenset()
    return Subject(name, SUBJECTS.get(name, ""), only, bool(only) and _DENIES.search(question) is not None, weight)


def named_clause(question: str) -> str | None:
    """The standard clause that a question calls by its name: "a confidentiality clause"."""
    words = " ".join(question.casefold().split())
    return next((name for name in STANDARD_CLAUSES if f"{name} clause" in words or f"{name} provision" in words), None)
