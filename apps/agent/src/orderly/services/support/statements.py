"""Which sentences of an answer state something about a document."""

from __future__ import annotations

import re

from orderly.services.support.clauses import NAME, has_verb, later_clauses
from orderly.services.support.facts import read_facts

_MIN_WORDS = 4
_MOST_LABEL = 4
"""Words of the longest label before a colon."""
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_OPENING = re.compile(
    r"\A\W*(?:(?:I|we)\s+(?:have\s+)?(?:found|note[d]?|see|saw|can\s+confirm|confirm(?:ed)?|conclude[d]?|think|believe|understand|read)\s+(?:that|in\s+\S+(?:\s\S+){0,6}\s+that)\b,?|"
    r"it\s+(?:appears|seems|follows)\s+that\b|in\s+(?:my|our)\s+(?:view|opinion|reading),?|you\s+should\s+(?:know|note|be\s+aware)\s+that\b|note\s+that\b|"
    r"(?:please\s+)?(?:note|remember|be\s+aware)\s*(?:that\b|:))\s*",
    re.IGNORECASE,
)
"""Words of the writer before a statement."""
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
_NAMED_LAW = re.compile(_NAMED)
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
_OF_DOCUMENT_STRICT = re.compile(
    r"\b(?:the|this|your|our|said)\s+(?:\w+\s+){0,2}(?:lease|agreement|contract|deed|licen[cs]e|policy|lessees?|lessors?|tenant|landlord|premises)\b"
    r"|\b(?:clause|schedule|annexure)\s+\d",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"\w[\w ]{2,30}\s*[–—:;-]\s*\w")
"""A label and its value: "Venue – Denver"."""
_FORUM = re.compile(r"\b(?:governs?|governed|disputes?|forum|venue|exclusive\w*|non-exclusive\w*|submit\w*)\b", re.IGNORECASE)
"""Words of a clause on the courts that decide, beside which "court" is no word of the law."""
_LEAD_IN = re.compile(
    r"\A\W*+(?:(?:and|but|so|thus|also|further|in\s+full|under|in|at|by|per|pursuant\s+to|according\s+to|on\s+the\s+first\s+page\s+of)\s+)?"
    r"(?:(?:(?:clause|section|article|schedule|paragraph|page)\s++\S++|[\w.'’()-]++)\s*+(?>(?:,\s*+)?)){0,9}"
    r"(?:says?|states?|reads?|provides?(?:\s+that)?|(?:is|are)\s+as\s+follows|follows|that|says\s+that|states\s+that|in\s+these\s+words|here|wording|clause|text)?\W*\Z",
    re.IGNORECASE,
)


_COUNT = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|all|both)"
_COUNTED = re.compile(
    rf"\b{_COUNT}\s+(?:of\s+(?:the\s+)?(?:{_COUNT}\s+)?)?(?:more\s+|other\s+)?(?:documents?|passages?|pages?|results?|files?|matters?|tool|places)\b",
    re.IGNORECASE,
)
"""Numbers of what was searched or read."""


def is_definite(sentence: str) -> bool:
    """Whether a sentence gives a figure: a date, a period, money, a percentage or a number other than of documents."""
    return not read_facts(_COUNTED.sub("", sentence)).is_empty


def is_about_work(beginning: str) -> bool:
    """Whether a sentence, by its words so far, speaks of the work or the conversation, and has not turned to what was found."""
    return _TALK.match(beginning) is not None and _FINDING.search(beginning) is None and not is_definite(beginning)


_TALK = re.compile(
    r"\A\W*(?:I(?:['’](?:ll|m|re)|\s+(?:will|can|could|would|shall|am|are))\b|let\s+(?:me|us)\b|hello\b|hi\b|thanks?\b|of\s+course\b|certainly\b|"
    r"sure\b|sorry\b|do\s+you\b|would\s+you\b|tell\s+me\b)",
    re.IGNORECASE,
)
_FINDING = re.compile(
    r"\b(?i:that|find(?:s|ing)?|found|sees?|saw|seen|notes?|noted|confirm\w*|conclud\w*|believe|think|understand|says?|said|states?|shows?|means?|must|is|was|were|"
    r"has|had|pays?|expires?|terminates?|ends?|because|since|lessees?|lessors?|tenants?|landlords?|buyers?|sellers?|shall(?!\s+(?:I|we)))\b"
    r"|(?<=[a-z,] )(?!I\b)[A-Z]\w+"
)
"""Words by which a sentence about the work turns to what a document says, or to whom it names."""


def is_statement(sentence: str, *, has_documents: bool = True, is_quoting: bool = False) -> bool:
    """Whether a sentence says something about a document, so that a quotation must support it.

    Args:
        sentence: A sentence without markup, its quotations and citations removed.
        has_documents: Whether documents were read. If not, only sentences that speak of a document count.
        is_quoting: Whether the sentence quotes a document: what it says besides is of that document, in few words too.
    """
    text = sentence.strip()
    words = _WORD.findall(text)
    says_more = has_documents and _says_more(text)
    if not words or says_more or _is_question(text):
        return says_more
    opening, colon, rest = text.partition(": ")
    is_labelled = len(opening.split()) <= _MOST_LABEL and _is_exempt(rest)  # "Next steps: check the schedule"
    if colon and _WORD.search(rest) and (is_labelled or _is_exempt(opening)):
        return is_statement(rest, has_documents=has_documents, is_quoting=is_quoting)
    stripped = _OPENING.sub("", text)
    is_opened = len(stripped) < len(text)
    text = stripped.strip()
    definite = is_definite(text)
    if not has_documents:
        return len(words) >= _MIN_WORDS and _OF_DOCUMENT_STRICT.search(text) is not None and not _is_exempt(text)
    if (
        is_quoting
        and (len(words) >= 3 or _LABELLED.match(text))
        and _NAMED_LAW.search(text) is None
        and (_ABOUT_WORK.match(text) is None or _states_duty(text))
    ):
        return True
    if definite:
        return not _is_law(text, _NAMED_LAW) and not (text.rstrip().endswith(":") and len(words) < 4)
    if len(words) < _MIN_WORDS:
        return len(words) >= 3 and has_verb(text) and _OF_DOCUMENT.search(text) is not None
    is_lead_in = text.endswith(":") and (len(words) < 12 or _LEAD_IN.match(text))
    if is_lead_in or _is_law(text) or (not is_opened and _is_exempt(text)):
        return False
    is_whole = text.rstrip('*_ )"”’').endswith((".", "!"))
    return is_whole or has_verb(text)


def goes_on(sentence: str) -> bool:
    """Whether a sentence says something of its own behind its beginning: it has a further clause, or names somebody."""
    return any(later_clauses(sentence)) or NAME.search(sentence) is not None


def _is_question(text: str) -> bool:
    return text.endswith(("?", "?)", "?”")) or _OPEN_QUESTION.match(text) is not None


def _says_more(text: str) -> bool:
    """Whether a sentence that begins with words about the work, advice, a question or the law goes on to something else."""
    is_aside = _is_question(text) or _is_exempt(text)
    if not is_aside and not _is_law(text):
        return False
    for rest in later_clauses(text):
        if _is_exempt(rest) or _OPEN_QUESTION.match(rest) or _is_law(rest):
            continue
        if is_aside or _OF_DOCUMENT.search(rest) or NAME.search(rest):
            return True
    return False


def is_question_or_law(sentence: str) -> bool:
    """Whether a sentence asks something, or speaks of the law and of no document."""
    text = sentence.strip()
    return text.endswith(("?", "?)", "?”")) or _OPEN_QUESTION.match(text) is not None or _is_law(text)


def is_aside(sentence: str) -> bool:
    """Whether a sentence speaks of the work or the conversation, or gives advice."""
    return _is_exempt(sentence.strip())


def _states_duty(text: str) -> bool:
    """Whether words like those about the work say what a party must or may: "Nothing is payable by the tenant"."""
    return _DUTY.search(text) is not None and _PARTY.search(text) is not None and _WRITER.match(text) is None


_DUTY = re.compile(
    r"\b(?:must|shall|may|owes?|owing|payable|entitled|liable|required|obliged|responsible|pays?|bears?|terminates?)\b",
    re.IGNORECASE,
)
_PARTY = re.compile(rf"\b(?:the|each|either|neither|no|both)\s+(?:{PARTS}|party|company)\b|\bParty\s+[A-Z]\b", re.IGNORECASE)
_WRITER = re.compile(
    r"\A\W*(?:I|we|let|let['’]s|see|as|here|these|do|would|likely|searched|found|all|sorry|thanks?|the\s+(?:user|tool|following|passages?|search))(?!\w)",
    re.IGNORECASE,
)
"""Beginnings of sentences about the work, whatever follows."""


def _is_exempt(text: str) -> bool:
    if _ABOUT_WORK.match(text) or _ADVICE.match(text) or _AS_FOUND.search(text):
        return True
    return _POSSIBLE.match(text) is not None and _OF_DOCUMENT.search(text) is None


def _is_law(text: str, law: re.Pattern[str] = _LAW) -> bool:
    of_document = _OF_DOCUMENT.search(text) or _CLAUSE.search(text) or (law is _LAW and _FORUM.search(text))
    return law.search(text) is not None and not of_document
