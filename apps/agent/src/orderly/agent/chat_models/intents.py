"""Intents of questions, recognised by regular expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["matters", "list", "count", "read", "review", "compare", "find", "fact", "hello"]


@dataclass(frozen=True, slots=True)
class Intent:
    kind: Kind
    subject: str
    """The question without words of command, such as "find" or "compare"."""
    clause_types: tuple[str, ...] = ()


def _rule(pattern: str) -> re.Pattern[str]:
    """Compiles in verbose mode: a space in a pattern needs a backslash."""
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


_THERE = r"""
    (\ (are|is|there|do|does|did|i|we|you|have|has|been|got|the|this|that|my|our|all|here|now|yet|currently|please|and|their|
    names?|status|uploaded|ingested|added|stored|available|ready|read|open|so\ far))*
    (\ (in|of|for)(\ (?!(are|is|was|were|has|have|had|do|does|can|may|must|shall|will|that|which|about|with|says?|mentions?|
    contains?|includes?|provides?|deals?|covers?|requires?|limits?|governs?|refers?|allows?|gives?)\b)[\w.'’&-]+){1,8})?\W*$
"""
"""What may follow "which documents" if the question is which there are. Any other verb asks what they say."""

_SORT = r"(\ (of|the|these|those|my|our|all|other|are|is|else|kinds?|sorts?|types?))* (\ [\w-]+)? \ "
"""What may stand between "which" and "documents". A thing and a verb ask what they say: "which law governs the documents?"."""

_DEALING = r"deal(?:s|ing)?\ with|cover(?:s|ing)?|concern(?:s|ing)?"
_SECTION = (
    r"(?:clauses?|cl|sections?|s|paragraphs?|para|schedule|annexure|appendix|article|part|item)\.?\ \[?(?:\d|[A-Z]\b|[IVX]+\b)"
)

_ASKED_OF_TEXT = r"""
    ^\W*(?:(?:and|but|so|then)\ )?(?:(?:in|on|to|at|by|for|under|within|upon|from|of|with)\ )?
    (?:what|which|who|whom|whose|when|where|why|how|does|do|did|is|are|was|were|may|must|shall|should|can|could|will|would|has|have)\b
    (?!\ (?:is|are|would\ be)\ (?:the|an?|your)\ (?:\w+\ )?(?:summary|overview)\b) (?!.*\b(?:you|me|us|i|we)\b)
"""
"""The beginning of a question about what is written: "when may the Court review the contract?" is no command to review it."""

_RULES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "hello",
        _rule(r"^\W*(hi|hello|hey|good\ (morning|afternoon|evening)|thanks?(\ you)?|help|what\ can\ you\ do)\b[\W\w]{0,20}$"),
    ),
    ("matters", _rule(r"\b(which|what|list|show|all)\b [^.?]{0,20} \b(my\ |our\ )?matters\b")),
    ("count", _rule(r"\bhow\ (often|many\ times)\b .* \b(occurs?|appears?|used|mentioned|written|found|stands?|come\ up)\b")),
    # "Which documents say …" asks for a fact, although it begins like a request for a list.
    ("list", _rule(rf"(\b(list|show|how\ many)\b [^.?]{{0,30}} | \b(which|what)\b {_SORT}) \b(documents?|files?)\b {_THERE}")),
    # "Which agreements have confidentiality clauses?" is asked of every document; a review reads few.
    (
        "fact",
        _rule(
            r"""\b(which|what|list|show|find|how\ many)\b [^.?]{0,30}
            \b(documents|agreements|contracts|leases|deeds|files|of\ (them|these))\b [^.?]{0,40}
            \b(have|has|contain|contains|include|includes|with|lack|lacks)\b [^.?]{0,60} \bclauses?\b"""
        ),
    ),
    ("compare", _rule(r"\b(compare|comparison|differences?|differs?|versus|vs\.?)\b")),
    (
        "review",
        _rule(
            rf"""^(?!{_ASKED_OF_TEXT}) .* \b(review|analy[sz]e|classify|summari[sz]e|summary|overview)\b
            | \bare\ there\b [^.?]{{0,80}} \bclauses\b
            | \b(does|do)\b [^.?]{{0,80}} \b(have|contain|include)\b [^.?]{{0,80}} \bclauses\b
            | \bclause\ (analysis|review)\b
            | \b(which|what|list|identify|show|find)\b [^.?]{{0,60}} \bclauses\b
              (?: \ (?:on|for|regarding|matter|are\ missing|{_DEALING})\b
                | \ (?:do|does|did)\b [^.?]{{0,60}} \b(?:contain|have|include)\b | {_THERE} )"""
        ),
    ),
    (
        "read",
        _rule(
            rf"""\b(full|whole|entire|complete)\ (text|document|agreement|contract)\b (?!\ of\ {_SECTION})
            | \b(read|open|show)\b (?>(\ me)?) (?>(\ out)?) (?>(\ the)?) (?>(\ text\ of)?) (?>(\ the)?)
              \ (?!where|what|which|how|definition|meaning|{_SECTION}) [^?]{{0,80}}
              \b(out|aloud|text|document|agreement|contract|pages?\ \d+)\b"""
        ),
    ),
    ("find", _rule(r"\b(find|quote|search(\ for)?|locate|where\ (does|do|is|are)|mentions?\ of|references?\ to)\b")),
)
"""First match wins."""

_COMMAND = _rule(
    r"""^\W*
    ((please|can\ you|could\ you|would\ you|and|now|then)\s+)*
    ((find|quote|search\ for|search|locate|show\ me|show|tell\ me|give\ me|list|identify|compare|review|analy[sz]e|read)\b\s*
     (and\s+)?)*
    ((for|me|out)\b\s*)?"""
)
_SAYING = _rule(r"^where\ (does\ )?(?:(?!\bsays?\b)[^?.])*\bsays?\b\s*(that\b\s*)?")
_COMPARING = _rule(r"\b(differences?\ between|how\ do(es)?|differ(s|ence)?|versus|vs\.?)\b")
_CUSTOM = (
    _rule(
        r"""\b(?:what|which|list|find|show|identify)\s+(?:(?:me|all|any|every|each|the)\s+)*
        ((?:(?!\b(?:of|the|are|does|any|an?|for)\b)[a-z\ ,-]){4,60}?)\s+clauses?\b"""
    ),
    # Matches from the last article before "clause": "the agreement for any audit rights clause" names audit rights.
    _rule(r"\b(?:any|an?|the)\s+((?:(?!\b(?:any|an?|the)\b)[a-z\ -]){4,60}?)\s+clauses?\b"),
    _rule(
        rf"""\bclauses?\s+(?:(?:do|does)\b[^.?]{{0,60}}?\b(?:contain|have|include)\s+)?
        (?:on|about|for|regarding|{_DEALING})\s+([a-z][a-z\ ,&-]{{3,80}})"""
    ),
)
_AFTER_TYPE = _rule(
    r"""\b(?:in|from|under|within|of\s+(?:the|this|that|these|our|my|its)|that|which|do|does|did|is|are|was|were|has|have|can|could|
    may|must|shall|should|will|would|exists?|appears?|there)\b.*"""
)
"""What follows the name of a clause type: the place, or the rest of the question's verb."""
_NOT_A_TYPE = {"standard", "usual", "main", "key", "important", "following", "same", "relevant", "legal", "contract", "other"}


def intent_of(question: str) -> Intent:
    """Returns the intent of the first matching rule; "fact" if none matches."""
    flat = " ".join(re.sub(r"[“”\"]", "", question).split())
    kind: Kind = next((kind for kind, rule in _RULES if rule.search(flat)), "fact")
    if kind == "count":
        return Intent(kind, _words_to_count(question))
    return Intent(kind, _subject(flat, kind), _clause_types(flat) if kind == "review" else ())


def _subject(question: str, kind: Kind) -> str:
    if kind == "fact":
        return question
    subject = _COMMAND.sub("", question, count=1)
    if kind == "find":
        subject = _SAYING.sub("", subject, count=1) or subject
    if kind == "compare":
        subject = _COMPARING.sub(" ", subject)
    return " ".join(subject.split()).strip(" ?.") or question


_QUOTED = re.compile(r"""[“"‘']([^“”"‘’']+)[”"’'](?!\w)""")
_COUNTED = _rule(
    r"""\bhow\ (?:often|many\ times)\ (?:(?:does|do|did|is|are|has|have|the\ (?:words?|terms?|phrases?|expressions?))\ ){0,4}
    (.+?)\ (?:been\ )?(?:occurs?|appears?|used|mentioned|written|found|stands?|come\ up)\b"""
)


def _words_to_count(question: str) -> str:
    """The words in quotation marks, else those between the question word and the verb."""
    flat = " ".join(question.split())
    match = _QUOTED.search(flat) or _COUNTED.search(flat)
    return match[1].strip() if match else flat


def _clause_types(question: str) -> tuple[str, ...]:
    for rule in _CUSTOM:
        if match := rule.search(question):
            named = re.split(r",|\band\b|\bor\b", match[1])
            types = (_AFTER_TYPE.sub("", name).strip(" .?").lower() for name in named)
            return tuple(t for t in types if len(t) > 3 and not set(t.split()) & _NOT_A_TYPE)
    return ()


def questions_in(message: str) -> list[str]:
    """Splits a message that consists of several questions; any other message is one question."""
    *ended, rest = message.split("?")
    parts = [f"{part.strip()}?" for part in ended]
    if len(parts) < 2 or rest.strip() or any(len(part.split()) < 4 for part in parts):
        return [message.strip()]
    return parts
