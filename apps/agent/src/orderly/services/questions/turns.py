"""Completes a follow-up by the questions before it: "and in the other agreement?", "and notice?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from orderly.services.questions.document_names import Named, named_documents
from orderly.services.questions.many_documents import asks_of_all
from orderly.services.questions.nameable import Nameable

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
_REFERS = re.compile(
    r"\b(?:it|its|there|therein|thereof|(?:this|that|the|the same) (?:agreement|contract|deed|lease|document|one))\b",
    re.IGNORECASE,
)
"""Words that stand for the document of the turn before."""
_BOTH = re.compile(r"\b(?:both|these|those|them)\b", re.IGNORECASE)
"""Words for the documents of earlier turns, if those named several."""
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


def complete(turns: Sequence[str], documents: Sequence[Nameable]) -> Asked:
    """Completes the last turn.

    A turn that names only a document keeps the question; one that names no document, and not several, keeps the document.
    """
    named = [named_documents(turn, documents) for turn in turns]
    last = named[-1]
    follows = len(turns) > 1 and bool(_LEAD.match(turns[-1]))
    subject = _LEAD.sub("", last.question).strip() if follows else last.question
    asks = content(subject)
    if not asks and len(turns) > 1:
        earlier = next((n for n in reversed(named[:-1]) if content(_LEAD.sub("", n.question))), None)
        if earlier is None:
            return Asked(last.question, last.documents, last, unclear=True)
        return Asked(_LEAD.sub("", earlier.question), last.documents or _documents(named), last)
    if last.documents or len(turns) == 1:
        return Asked(subject, last.documents, last, implied=last.in_passing)
    if asks_of_all(turns[-1]):
        before = tuple(dict.fromkeys(d for n in named[:-1] for d in n.documents)) if _BOTH.search(turns[-1]) else ()
        return Asked(subject, before if len(before) > 1 else (), last)
    carrier = next((n for n in reversed(named[:-1]) if n.documents), last)
    says_so = follows or len(asks) < SHORT or bool(_REFERS.search(turns[-1]))
    return Asked(subject, carrier.documents, carrier, implied=bool(carrier.documents) and not says_so)


def _documents(named: Sequence[Named]) -> tuple[str, ...]:
    return next((n.documents for n in reversed(named) if n.documents), ())


def content(question: str) -> list[str]:
    """The words of a question that ask for something."""
    return [word for word in re.findall(r"[^\W_]+", question.lower()) if word not in _EMPTY]
