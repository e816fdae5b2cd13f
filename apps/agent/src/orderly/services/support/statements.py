"""What a sentence of an answer is about: the work, the law, or a document."""

from __future__ import annotations

import re

from orderly.services.support.facts import read_facts

VERB = (
    r"\b(?:is|are|was|were|has|have|had|shall|must|may|will|can|cannot|do|does|did|says?|provides?|requires?|allows?|permits?|prohibits?|obliges?|"
    r"pays?|owes?|ends?|begins?|starts?|expires?|terminates?|applies|governs?|includes?|excludes?|limits?|grants?|gives?|agrees?|runs?|lasts?|renews?|covers?|contains?|sets?)\b"
)
"""Finite verbs of statements about documents."""
_VERB = re.compile(VERB, re.IGNORECASE)
_OPEN_QUESTION = re.compile(
    r"\A\W*(?:you\s+(?:should|may\s+want\s+to|might|could|can)\s+|please\s+)?(?:check|ask|confirm|consider|verify|clarify|see)\s+(?:\w+\s+){0,3}(?:whether|if)\b",
    re.IGNORECASE,
)
"""Advice to find something out."""
_WORK = (
    r"search|look|read|found|find|check|review|quot|summar|list|compar|note|conclu|assum|answer|help|recommend|suggest|ask|put|took|take|need|hope|"
    r"understand|delegat|see|say|said|cannot|can['’]t|am|was|do\s+not|don['’]t|did\s+not|didn['’]t|use|call|draft|abbreviat|report|tell|show|give|now|next|start|begin"
)
_ABOUT_WORK = re.compile(
    rf"\A\W*(?:if\s+you\s[^,.;:]{{0,60}},\s+)?(?:(?:I|we)(?:['’](?:ve|ll|m|re|d))?\s+(?:(?:have|had|will|could|can|would|not|also|then|first|only|therefore)\s+){{0,3}}(?:{_WORK})|"
    r"(?:let\s+me|let['’]s|as\s+(?:you\s+)?(?:asked|requested)|here\s+(?:is|are)|these\s+are|this\s+(?:answer|report|summary|search|list)|"
    r"my\s+(?:search|question|note|answer|summary)|the\s+(?:search|question|answer|documents?\s+(?:searched|read|found|could|that\s+(?:was|were))|matter\s+(?:has|holds)|user|tool|passages?|results?|following)|"
    r"(?:no|nothing|none|not)\s[^.]{0,60}\b(?:found|searched|read|answers?|confirmed|results?)|searched|found|all\s+\d+\s+documents|"
    r"(?:\d+|some|these|those|the\s+other|more)\s+(?:more\s+)?documents?|answers?\s+in|nearest|likely,|engine:|asked:|read:|searched:|not\s+(?:asked|read)|also:|side\s+by\s+side|see|sources?|warning|error|offline|"
    r"sorry|hello|hi|thanks?|thank\s+you|of\s+course|certainly|sure|done|yes\W*\Z|no\W*\Z|do\s+you|would\s+you|in\s+short\W*\Z)(?!\w))",
    re.IGNORECASE,
)
"""Sentences about the search and the conversation."""
_AS_FOUND = re.compile(
    r"\b(?:so|as)\s+far\s+as\s+(?:I|we)\s+(?:have\s+)?(?:found|see|read|searched|can\s+(?:see|tell|find))\b", re.IGNORECASE
)
_ADVICE = re.compile(
    r"\A\W*(?:you\s+(?:should|might|(?:may|will|would)\s+(?:want|wish|like|need|prefer))|consider|please|ask|check|confirm|ensure|make\s+sure|seek|obtain|review|"
    r"it\s+(?:would|may|might|is)\s+(?:be\s+)?(?:worth|prudent|advisable|wise|sensible|best)|i(?:'d|’d|\s+would)?\s+(?:recommend|suggest))\b",
    re.IGNORECASE,
)
_POSSIBLE = re.compile(r"\A\W*you\s+(?:may|could|can|need|will|would)\b", re.IGNORECASE)
"""Advice, where it is not about what the document gives the reader."""
_REPORT = r"\[(?:1[89]|20)\d\d\]|\b[A-Z]\w+\s+v\s+[A-Z]|\(\d{4}\)\s+\d+\s+[A-Z]+\s+\d+"
_NAMED = rf"\b(?:Act|Regulations?|Rules|Code|Constitution)\s+(?:1[89]|20)\d\d|\b(?:Consumer|National)\s+Law\b|{_REPORT}"
_LAW = re.compile(
    rf"{_NAMED}|\b(?:[Cc]ourts?|[Tt]ribunals?|CJ|JJ?A?|common\s+law|[Ee]quity|statutes?|legislation|case\s+law|precedents?|judges?|doctrine|in\s+Australia|"
    r"Australian\s+law|\w+\s+Act|Parliament|maxim)\b"
)
PARTS = (
    r"lease|agreement|contract|deed|policy|licen[cs]e|parties|lessees?|lessors?|tenant|landlord|buyer|seller|purchaser|vendor|supplier|customer|client|"
    r"licensee|licensor|employee|employer|borrower|lender|contractor|principal|recipient|discloser|franchisee|franchisor|distributor|premises|insured|"
    r"insurer|trustee|rent|deposit"
)
_OF_DOCUMENT = re.compile(
    rf"\b(?:the|this|these|its|their|your|our|said|each|either|neither|both)\s+(?:\w+\s+)?(?:{PARTS}|document|party|fees?|price|term|notice\s+period)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"\b(?:clause|schedule|annexure)\s+\(?\d", re.IGNORECASE)
_FORUM = re.compile(r"\b(?:governs?|governed|disputes?|forum|venue|exclusive\w*|non-exclusive\w*|submit\w*)\b", re.IGNORECASE)
"""Words of a clause on the courts that decide, beside which "court" is no word of the law."""
_COUNT = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|all|both)"
_COUNTED = re.compile(
    rf"\b{_COUNT}\s+(?:of\s+(?:the\s+)?(?:{_COUNT}\s+)?)?(?:more\s+|other\s+)?(?:documents?|passages?|pages?|results?|files?|matters?|tool|places)\b",
    re.IGNORECASE,
)
"""Numbers of what was searched or read."""


def has_verb(sentence: str) -> bool:
    """Whether a sentence has a finite verb of statements about documents."""
    return _VERB.search(sentence) is not None


def is_definite(sentence: str) -> bool:
    """Whether a sentence gives a figure: a date, a period, money, a percentage or a number other than of documents."""
    return not read_facts(_COUNTED.sub("", sentence)).is_empty


def is_question_or_law(sentence: str) -> bool:
    """Whether a sentence asks something, or speaks of the law and of no document."""
    text = sentence.strip()
    if text.endswith(("?", "?)", "?”")) or _OPEN_QUESTION.match(text) is not None:
        return True
    of_document = _OF_DOCUMENT.search(text) or _CLAUSE.search(text) or _FORUM.search(text)
    return _LAW.search(text) is not None and not of_document


def is_aside(sentence: str) -> bool:
    """Whether a sentence speaks of the work or the conversation, or gives advice."""
    text = sentence.strip()
    if _ABOUT_WORK.match(text) or _ADVICE.match(text) or _AS_FOUND.search(text):
        return True
    return _POSSIBLE.match(text) is not None and _OF_DOCUMENT.search(text) is None
