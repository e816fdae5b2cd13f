"""Who consents, decides, pays, owns, is responsible and is liable, by a sentence and by its quotation."""

from __future__ import annotations

import re
from collections.abc import Mapping

from orderly.services.support.parties import canonical_role, names_of

_CONSENT = r"(?:consent|approval|permission|authori[sz]ation|agreement)"
_CHOICE = r"(?:discretion|option|instructions?|election|direction|request)"
_MODAL = r"(?:(?:must|shall|will|may|has\s+to|alone|also)\s+){0,2}"
_ADVERBS = r"(?:\w+\s+(?:and\s+)?){0,3}?"
_NAME = r"(?P<{0}>[Pp]arty\s+[A-Z]\b|[A-Za-z][\w-]*)"


def _pattern(*forms: str) -> re.Pattern[str]:
    """Joins forms in which "NAME" stands for the party."""
    return re.compile("|".join(form.replace("NAME", _NAME.format(f"name{at}")) for at, form in enumerate(forms)))


_CONSENTS = _pattern(
    rf"\bNAME(?:['’]s|(?<=s)['’])\s+{_ADVERBS}{_CONSENT}\b",
    rf"\b{_CONSENT}\s+(?:in\s+writing\s+)?(?:of|from|by)\s+(?:the\s+)?NAME",
)
_DECIDES = _pattern(
    rf"\b(?:at|upon|on|in)\s+(?:the\s+)?NAME(?:['’]s|(?<=s)['’])\s+{_ADVERBS}{_CHOICE}\b",
    rf"\b(?:at|upon|on|in)\s+(?:the\s+)?{_ADVERBS}{_CHOICE}\s+of\s+(?:the\s+)?NAME",
    rf"\bNAME\s+{_MODAL}(?:decides?|chooses?|elects?|determines?)\b",
    r"\bdetermined\s+(?:[\w’'-]+\s+){0,3}?by\s+(?:the\s+)?NAME",
)
_PAYS = _pattern(
    rf"\bNAME\s+{_MODAL}(?:pays?|bears?|funds?|(?:meets?|covers?)\s+the\s+costs?)\b",
    r"\bat\s+(?:the\s+)?NAME(?:['’]s|(?<=s)['’])\s+(?:own\s+|sole\s+)?(?:costs?|expense)",
    r"\bat\s+the\s+(?:sole\s+)?(?:costs?|expense)\s+of\s+(?:the\s+)?NAME",
    r"\b(?:paid|borne|met)\s+(?:solely\s+)?by\s+(?:the\s+)?NAME",
)
_LIABLE = _pattern(
    rf"\bNAME(?:['’]s|(?<=s)['’])\s+{_ADVERBS}(?:liabilit(?:y|ies)|exposure)\b",
    r"\b(?:liability|exposure)\s+of\s+(?:the\s+)?NAME",
    rf"\bNAME\s+{_MODAL}(?:is|be)\s+{_ADVERBS}liable\b",
)

_OWNS = _pattern(
    r"\b(?:belongs?|belonging)\s+to\s+(?:the\s+)?NAME",
    r"\b(?:owned\s+by|(?:vests?|vested)\s+in|(?:the\s+)?property\s+of)\s+(?:the\s+)?NAME",
    r"\b(?:is|are|remains?|stays?)\s+(?:the\s+)?NAME['’]s?(?=\s*(?:[.:;,]|\Z|property\b))",
    rf"\bNAME\s+{_MODAL}(?:owns?|retains?\s+(?:ownership|title))\b",
)
_RESPONSIBLE = _pattern(
    r"\bNAME(?:['’]s|(?<=s)['’])\s+(?:(?:sole|own)\s+)?(?:responsibility|duty|job|obligation|task)\b",
    r"\b(?:responsibility|duty|job|obligation|task)\s+of\s+(?:the\s+)?NAME",
    r"\bNAME\s+(?:is|are|remains?)\s+(?:solely\s+)?(?:responsible\s+for|in\s+charge\s+of)\b",
    r"\bNAME\s+(?:looks?\s+after|takes?\s+care\s+of|sees?\s+to|attends?\s+to)\b",
    r"\b(?:falls?|left)\s+(?:on|to|upon)\s+(?:the\s+)?NAME",
)
_OBLIGED = _pattern(r"\bNAME\s+(?:(?:must|shall|agrees\s+to|undertakes\s+to)(?!\s+not\b)|will(?!\s+not\b)|is\s+responsible)\b")


def find_other_bearer(statement: str, evidence: str) -> str | None:
    """The party that consents, decides, pays or is liable by the sentence, and the one that is it by the evidence."""
    names = names_of(statement) | names_of(evidence)
    for said, known in (*((one, one) for one in (_CONSENTS, _DECIDES, _PAYS, _LIABLE, _OWNS)), (_RESPONSIBLE, _OBLIGED)):
        ours = _bearers(said, statement, names)
        theirs = _bearers(known, evidence, names) if ours else {}
        if ours and theirs and not ours.keys() & theirs.keys():
            return f"{next(iter(ours.values()))}; quoted: {next(iter(theirs.values()))}"
    return None


def _bearers(pattern: re.Pattern[str], text: str, names: frozenset[str]) -> Mapping[str, str]:
    """Parties by their role or name, as written."""
    found = {}
    for match in pattern.finditer(text):
        written = next(name for name in match.groupdict().values() if name)
        folded = written.casefold()
        role = canonical_role(folded)
        if role or folded in names or folded.startswith("party "):
            found[role or folded] = written
    return found
