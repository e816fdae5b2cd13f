"""Completes a follow-up by the questions before it: "and in the other agreement?", "and notice?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from orderly.services.questions.document_names import Named, named_documents
from orderly.services.questions.kinds import kind_of
from orderly.services.questions.many_documents import asks_of_all
from orderly.services.questions.nameable import Nameable
from orderly.services.words import ROLE_NAMES

_LEAD = re.compile(
    r"^\W*(?:(?:and|but|so|then|also|now|ok(?:ay)?|what about|how about|what of|same (?:question )?(?:for|in|about)|the same|"
    r"likewise)\b[\s,]*)+",
    re.IGNORECASE,
)
"""Words that begin a follow-up."""
_EMPTY_LIST = (
    "in for of under from about on by with to at the a an this that these those it its there agreement contract deed lease "
    "document one ones does do did is are was were say says provide same question please answer situation position case "
    "too as well how what here deal deals handle handles treat treats address addresses cover covers regulate regulates "
    "true all each every both them apply applies hold holds different differ compare check again else now then and or also "
    "like if look looks"
)
_EMPTY = frozenset(_EMPTY_LIST.split())
"""Words that ask for nothing themselves."""
_GENERAL_LIST = "must may can shall will give get pay pays be been have has long much many soon often"
_GENERAL = frozenset(_GENERAL_LIST.split())
"""Words of a turn that say nothing about its subject."""
_REPEATS = re.compile(
    r"^\W*(?:(?:and|so|but)\s+)?(?:where (?:does|is|do)\b.*\b(?:that|this|it|so)\b.*"
    r"|(?:in )?(?:which|what) (?:clause|section|page|paragraph)(?: (?:says?|is|was|does) (?:that|this|it)\b.*)?"
    r"|(?:who|what|which|anyone|anything|where) else|says who|why)\W*\Z",
    re.IGNORECASE,
)
"""Asks for the place of the answer before, or for more of it."""
_ANAPHORA = re.compile(
    r"\b(?:that|this|these|those|he|him|his|she|her|they|them|their)\b(?!\s+(?:agreement|contract|deed|lease|document|one|ones)\b)"
    r"|(?:^|\bif |\bwhen |\bunless )it\b",
    re.IGNORECASE,
)
"""Words that stand for something that the turn before speaks of."""
_THING = re.compile(
    r"\b(?:it|they)\b[^?]*\b(?:pa(?:id|yable)|due|ow(?:ed|ing)|charged|calculated|worked out|measured|put up|go(?:es)? up"
    r"|increased?|raised?|reduced|reviewed|adjusted|refunded|returned|repaid|capped|limited|lodged|held|kept|shared|divided)\b",
    re.IGNORECASE,
)
"""What is said of a sum or another thing that the turn before speaks of, and of no document: "is it paid monthly?"."""
_NAMED_THING = re.compile(
    r"^\W*(?:(?:what|which|how much)\s+(?:is|are|was|were)\s+(?:(?:the|its|his|her|their|our|my)\s+)?(?:agreement\s+)?"
    r"(?P<of>(?:(?!(?:of|in|on|under|for|by|to|at|that|which|is|are|due|payable|the)\b)[\w-]+\s*){1,3}?)(?=\W*\Z|\b(?:of|in|on|under|for|by|to"
    r"|at|that|which|due|payable|\w+ed)\b)|(?:what|which|how much)\s+(?P<before>(?:(?!(?:is|are|do|does)\b)[\w-]+\s+){1,2}?)"
    r"(?=(?:do|does|did|is|are|must|may|can|will|has|have)\b))",
    re.IGNORECASE,
)
"""The thing of which an earlier turn asks for the value: "what is the interest rate on the loan", "what rent does she pay"."""
QUESTION_WORD = re.compile(
    r"^\W*(?:(?:for|by|until|from|in|with|after|within)\s+)?"
    r"(?:how (?:long|much|many|soon|often|far)|when|who|whom|why|whose|what (?:date|amount|rate|period|notice))\b"
    r"(?:\s+(?:is|are|does|do|did|must|may|can|shall|will|would|should|has|have)\b)?",
    re.IGNORECASE,
)
"""A question word that opens a turn which may leave out what it asks about."""
_OTHERWISE = re.compile(
    r"^\W*(?:in|if|when|where|during|after|before|upon|unless|until|within|at|for|on)\s(?:(?!\b(?:does|do|did|is|are|must|may|can|shall|will)\b"
    r"|\b(?:agreement|contract|deed|lease|document|ones?)\b)[^?,])+\?*\s*\Z"
    r"|^\W*otherwise\W*\Z",
    re.IGNORECASE,
)
"""A follow-up that says only in which other circumstance: "and in winter?"."""
_ROLE = "|".join(sorted(ROLE_NAMES))
_PARTY = re.compile(rf"\bthe (?:{_ROLE})\b", re.IGNORECASE)
_DOES_SO = re.compile(
    rf"^\W*(?:can|could|may|must|does|should) (?P<party>the (?:{_ROLE})) do (?:that|so|it|this|the same)\b",
    re.IGNORECASE,
)
"""Asks whether another party may do what the turn before speaks of: "can the guarantor do that too?"."""
_NOUN = r"one|agreement|contract|deed|lease|document|judgment|policy|case"
_OTHER = re.compile(rf"\bthe other(?:\s+(?P<noun>{_NOUN}))?\b(?!\s+\w)", re.IGNORECASE)
"""Another document than that of the turn before."""
_REFERS = re.compile(
    r"\b(?:it|its|there|therein|thereof|(?:this|that|the|the same) (?:agreement|contract|deed|lease|document|one))\b",
    re.IGNORECASE,
)
"""Words that stand for the document of the turn before."""
_BOTH = re.compile(r"\b(?:both|these|those|them)\b", re.IGNORECASE)
"""Words for the documents of earlier turns, if those named several."""
LEFT_OUT = 2
"""Words of content up to which a turn that opens with a question word leaves out what it asks about."""
SHORT = 4
"""Words of content of a question that is too short to stand alone."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the last of several turns asks, complete."""

    question: str
    documents: tuple[str, ...]
    """Ids of the documents that are meant; none: the whole matter."""
    named: Named
    """Names in the turn that named the documents."""
    implied: bool = False
    """Whether nothing but the earlier turn says that its documents are meant."""
    widened: bool = False
    """Whether all documents were asked, because those that were implied say nothing."""
    unclear: bool = False
    """Whether the turn asks for nothing that can be told from the earlier ones."""
    written: str = ""
    """The turn as it was written, with names, if it stands alone; else empty."""

    @property
    def read(self) -> str:
        """What a reader of words is asked; `question` is for those who know subjects, to whom names say nothing."""
        return self.written or self.question


def complete_question(turns: Sequence[str], documents: Sequence[Nameable]) -> Asked:
    """Completes the last turn.

    A turn that names only a document keeps the question; one that names no document, and not several, keeps the document.
    """
    named = [named_documents(turn, documents) for turn in turns]
    before = _documents(named[:-1])
    if named[-1].by_role and before:  # "the company" is the one of the document that is spoken of
        named[-1] = Named(named[-1].question)
    if named[-1].bare and not content(_LEAD.sub("", named[-1].bare)):  # "and the partnership?" asks nothing of its own
        named[-1] = replace(named[-1], question=named[-1].bare, bare="", in_passing=False)
    last = named[-1]
    follows = len(turns) > 1 and bool(_LEAD.match(turns[-1]))
    subject = _LEAD.sub("", last.question).strip() if follows else last.question
    if len(turns) > 1 and (asked := _completed(turns, documents, subject, last, before)) is not None:
        return asked
    asks = content(subject)
    if last.documents or len(turns) == 1:
        return Asked(subject, last.documents, last, implied=last.in_passing, written=turns[-1])
    if asks_of_all(turns[-1]):
        before = tuple(dict.fromkeys(d for n in named[:-1] for d in n.documents)) if _BOTH.search(turns[-1]) else ()
        return Asked(subject, before if len(before) > 1 else (), last, written=turns[-1])
    carrier = next((n for n in reversed(named[:-1]) if n.documents), last)
    says_so = follows or len(asks) < SHORT or bool(_REFERS.search(turns[-1]))
    implied = bool(carrier.documents) and not says_so
    return Asked(subject, carrier.documents, carrier, implied=implied, written=turns[-1])


def _completed(
    turns: Sequence[str], documents: Sequence[Nameable], subject: str, last: Named, before: tuple[str, ...]
) -> Asked | None:
    """The last turn with what it takes from the turns before; None if it takes no words from them."""
    other = None if last.documents else _OTHER.search(turns[-1])
    if other and before:
        kind = kind_of(other["noun"] or "")
        others = tuple(d.id for d in documents if d.id not in before and (kind is None or kind in d.kinds))
        return replace(
            complete_question(turns[:-1], documents), documents=others, named=Named(last.question, alike=others), implied=False
        )
    if not content(subject) or _REPEATS.match(turns[-1]):
        earlier = complete_question(turns[:-1], documents)
        unclear = earlier.unclear or not content(earlier.question)
        return Asked(earlier.question, last.documents or earlier.documents or before, last, unclear=unclear)
    follows = subject != last.question
    earlier_question = "" if asks_of_all(turns[-1]) else _full_question(turns[:-1], documents)
    if (does_so := _DOES_SO.match(subject)) and _PARTY.search(earlier_question):
        return Asked(_PARTY.sub(does_so["party"], earlier_question, count=1), last.documents or before, last)
    if follows and (other_party := _of_other_party(subject, earlier_question)):
        return Asked(other_party, last.documents or before, last)
    if earlier_question and _leaves_out(subject, follows=follows):
        named_thing = _NAMED_THING.match(earlier_question) if _THING.search(subject) else None
        if named_thing and (thing := (named_thing["of"] or named_thing["before"]).strip()):
            return Asked(re.sub(r"\b(?:it|they)\b", f"the {thing}", subject, count=1), last.documents or before, last)
        return Asked(f"{subject.rstrip(' ?.')}: {earlier_question}", last.documents or before, last)
    return None


def _of_other_party(turn: str, question: str) -> str:
    """The earlier question about the party of which alone a turn speaks: "and the landlord?"; empty if there is none."""
    spoken = [word for word in content(QUESTION_WORD.sub("", turn)) if word not in _GENERAL]
    if len(spoken) != 1 or spoken[0].title() not in ROLE_NAMES:
        return ""
    replaced, count = _PARTY.subn(f"the {spoken[0]}", question, count=1)
    return replaced if count else ""


def _full_question(turns: Sequence[str], documents: Sequence[Nameable]) -> str:
    """The last question that asks for something by itself, without names."""
    asked = (_LEAD.sub("", named_documents(turn, documents).question).strip() for turn in reversed(turns))
    full = [q for q in asked if content(q) and not _REPEATS.match(q)]
    return next((q for q in full if not _leaves_out(q, follows=False)), full[-1] if full else "")


def _leaves_out(question: str, *, follows: bool) -> bool:
    """Whether a turn says only in what it differs from the one before: "for how long?", "and if it is late?"."""
    asks = content(question)
    rest = [word for word in content(QUESTION_WORD.sub("", question)) if word not in _GENERAL]
    if _THING.search(question):
        return True
    if _ANAPHORA.search(question):
        return len(asks) <= SHORT
    if follows and _OTHERWISE.match(question):
        return True
    return QUESTION_WORD.match(question) is not None and len(rest) <= (LEFT_OUT if follows else 0)


def _documents(named: Sequence[Named]) -> tuple[str, ...]:
    return next((n.documents for n in reversed(named) if n.documents), ())


def content(question: str) -> list[str]:
    """The words of a question that ask for something."""
    return [word for word in re.findall(r"[^\W_]+", question.lower()) if word not in _EMPTY]
