"""Lists what a party has to do under a document: "what are the key obligations of the tenant?"."""

from __future__ import annotations

import re
from dataclasses import replace

from orderly.services.engines.local import sentences
from orderly.services.questions.party_roles import ROLE_NAMES, party_roles
from orderly.services.questions.presence import DocumentAnswer, found_at, without_number
from orderly.services.text import Passage, RevisionView

MOST = 12
"""Obligations that are shown, of as many clauses."""
LEAST = 2
"""Clauses with an obligation from which a list answers."""
_DUTIES = (
    r"(?:all\s+)?(?:the\s+)?(?:(?:key|main|principal|most important|important|major|chief|general|contractual|respective)\s+)*"
    r"(?:obligations?|duties|responsibilities|undertakings|commitments)"
)
_WHO = r"(?:the\s+|an?\s+)?(?P<who>[\w'’&. -]{3,40}?)"
_UNDER = r"(?:\s+(?:under|in|by|according\s+to|pursuant\s+to)\b.*)?\W*\Z"
_ASKS = (
    re.compile(rf"\bwhat\s+(?:are|were)\s+{_DUTIES}\s+(?:of|on|for)\s+{_WHO}{_UNDER}", re.IGNORECASE),
    re.compile(rf"\bwhat\s+(?:are|were)\s+{_WHO}['’]s?\s+{_DUTIES}{_UNDER}", re.IGNORECASE),
    re.compile(rf"\b(?:list|summari[sz]e|set\s+out|outline)\s+{_DUTIES}\s+of\s+{_WHO}{_UNDER}", re.IGNORECASE),
    re.compile(rf"\A\W*what\s+(?:must|does|do|shall)\s+{_WHO}\s+(?:do|have\s+to\s+do|need\s+to\s+do){_UNDER}", re.IGNORECASE),
)
_EVERYONE = re.compile(
    r"(?:(?:each|both|every|either|all|the)\s+)?(?:part(?:y|ies)|sides?|agreement|contract|document|policy|act)\Z",
    re.IGNORECASE,
)
_MUST = (
    r"(?:shall|must|will|agrees?\s+to|undertakes?\s+to|covenants?\s+to|is\s+(?:required|obliged|obligated)\s+to"
    r"|is\s+responsible\s+for|has\s+to)\b"
)
_NO_DUTY = (
    r"(?!\s+(?:(?:not\s+)?be\s+(?:entitled|deemed|taken|liable|construed|released|required|obliged)"
    r"|have\s+(?:the\s+right|no\b)))"
)


def asked_duties(question: str) -> str | None:
    """The party whose obligations are asked for, "" for every party; None if a question asks for something else."""
    for ask in _ASKS:
        if match := ask.search(question):
            who = re.sub(r"['’]s?\Z", "", match["who"].strip())
            return "" if _EVERYONE.fullmatch(who) else who
    return None


def list_duties(view: RevisionView, who: str) -> DocumentAnswer | None:
    """The first obligation of each clause; None where the document binds no such party in these words."""
    bound = [re.escape(name) for name in _names(view.text, who)]
    if not bound:
        return None
    binds = re.compile(rf"(?:\A|\b(?:the)\s+)(?:{'|'.join(bound)})\s+(?:also\s+)?{_MUST}{_NO_DUTY}", re.IGNORECASE)
    found: dict[str, Passage] = {}
    for sentence in sentences(view.text):
        if binds.search(view.text[sentence.start : sentence.end]):
            section = view.section_at(sentence.start)
            clause = _clause(section["label"] if section else None) or sentence.heading or str(sentence.start)
            found.setdefault(clause, without_number(view, view.passage(sentence.start, sentence.end)))
    if len(found) < LEAST:
        return None
    more = f", of {len(found)} clauses the first {MOST}" if len(found) > MOST else ""
    note = f"the first obligation of each clause of {view.name} is shown{more}."
    return replace(found_at(view, tuple(found.values())[:MOST]), notes=(note,))


def _names(text: str, who: str) -> list[str]:
    """What the document calls the party."""
    roles = party_roles(text)
    if not who:
        used = {role for role in ROLE_NAMES if len(re.findall(rf"\bThe {role} (?:shall|must|will)\b", text)) >= LEAST}
        return sorted(used | set(roles.values()))
    words = [word.lower() for word in re.findall(r"[\w&-]+", who)]
    named = {roles[word] for word in words if word in roles}
    return sorted(named) or [" ".join(words)]


def _clause(label: str | None) -> str:
    """The number of the main clause: "7" of "7.2"."""
    match = re.search(r"\d+", label or "")
    return match[0] if match else ""
