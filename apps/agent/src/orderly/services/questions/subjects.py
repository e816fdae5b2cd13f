"""The known subject of a question: a clause that contracts have or not, a date, a period, the governing law."""

from __future__ import annotations

import re
from dataclasses import dataclass

from orderly.services.columns import SUBJECTS
from orderly.services.engines import LegalEngine
from orderly.services.engines.local import presence_types
from orderly.services.values import find_jurisdictions

SURE = 0.3
"""Weight from which a question is about a subject."""

_SEVERAL = re.compile(
    r"\b(?:(?:in|under|for) )?(?:which|what|any|all|each|every|how many)(?: (?:of|the|these|those|our|my|other|single))*"
    r" (?:agreements?|contracts?|deals?|documents?|files?|deeds?|leases?|papers?|ones|them|these)\b"
    r"(?: (?:that|which|do|does|is|are)\b)*",
    re.IGNORECASE,
)
"""Words for the documents of a matter, which say nothing about the subject."""
_ASKING = re.compile(r"^\W*(?:(?:please|list|show|name|give|find|me|where|in|and|the)\b\W*)+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Subject:
    name: str
    """Concept of the offline engine's lexicon."""
    answer_type: str
    """Type of the value that rules read; "" for a clause that is there or not."""
    only: frozenset[str] = frozenset()
    """Values that are asked for ("New York"); empty: any."""


async def find_subject(engine: LegalEngine, question: str) -> Subject | None:
    """Returns the subject of a question that is about one alone; None if the engine knows none, or several."""
    plain = subject_words(question)
    found = await engine.subjects(plain) if plain else []
    name, weight = found[0] if found else ("", 0.0)
    if weight < SURE or name not in {*SUBJECTS, *presence_types()}:
        return None
    only = frozenset(j.name for j in find_jurisdictions(question)) if name == "governing law" else frozenset()
    return Subject(name, SUBJECTS.get(name, ""), only)


def subject_words(question: str) -> str:
    """The question without the words that only say which documents are asked."""
    plain = _ASKING.sub("", _SEVERAL.sub(" ", question))
    return " ".join(plain.split()).strip(" ?.") or question
