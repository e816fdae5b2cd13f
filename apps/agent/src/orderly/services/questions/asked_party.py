"""Holds an answer to the party of whom a question asks: what the customer may do says nothing of the supplier."""

from __future__ import annotations

import re
from dataclasses import replace

from orderly.services.questions.party_roles import ROLE_NAMES
from orderly.services.questions.presence import MOST_LIKELY, DocumentAnswer
from orderly.services.text import RevisionView

_ROLES = "|".join(sorted(ROLE_NAMES))
_ASKED = re.compile(rf"^\W*(?:and |but |so )?(?:can|could|may|must|does|should) the (?P<role>{_ROLES})s?\b", re.IGNORECASE)
_ACTS = re.compile(rf"\bthe (?P<role>{_ROLES})s?\s+(?:may|must|shall|can|is entitled|has the right|will)\b", re.IGNORECASE)
_ANYONE = re.compile(
    r"\b(?:either|each|neither|both|any|no|a|the other|the) part(?:y|ies)\b|\bparties\b|\b(?:you|we|us)\b", re.IGNORECASE
)


def held_to_party(answer: DocumentAnswer, view: RevisionView, question: str) -> DocumentAnswer:
    """The answer with the passages first that speak of the party; at most likely if all say only what another party does."""
    asked = _ASKED.match(question)
    if asked is None or answer.presence != "answer":
        return answer
    role = re.compile(rf"\b{asked['role']}s?\b", re.IGNORECASE)
    if not answer.value:
        answer = replace(answer, passages=tuple(sorted(answer.passages, key=lambda p: role.search(p.text) is None)))
    shown = " ".join(passage.text for passage in answer.passages)
    acting = {match["role"].lower() for match in _ACTS.finditer(shown)}
    if not acting or role.search(shown) or _ANYONE.search(shown) or not role.search(view.text):
        return answer
    return replace(answer, presence="likely", passages=answer.passages[:MOST_LIKELY])
