"""Finds the Act or regulations whose title a question holds in small letters: "long service leave"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.models import Span
from orderly.services.questions.nameable import Nameable

KINDS = frozenset(("act", "regulations"))
LEAST = 2
"""Words of a title that tell what an Act is about."""
_NO_TITLE = re.compile(
    r"\b(?:acts?|regs?|regulations?|rules?|statutes?|law|bill|au|australia|cth|commonwealth|nsw|vic|qld|sa|wa|tas|act|nt|uk|nz|us|v|copy|current"
    r"|compilation|consolidated|as|amended|no|\d+)\b"
)
"""Words of a file name that say what kind of law it is, of which place, of which time."""
_LAW = re.compile(r"\s+(?:acts?|laws?|legislation|regulations?|regs|rules)\b", re.IGNORECASE)
"""A word behind a title by which it is a name, and not the subject of the question."""


def named_act(question: str, documents: Sequence[Nameable]) -> tuple[str, Span] | None:
    """The only Act or regulations with a title that stands in the question, and its place."""
    laws = [d for d in documents if KINDS & d.kinds or "regs" in d.name.split()]
    found = [(law.id, span) for law in laws if (span := _title_in(question, law.name))]
    return found[0] if len(found) == 1 and len(documents) > 1 else None


def _title_in(question: str, name: str) -> Span | None:
    """The place of a title's words in a question, side by side; of two, also as "second of first"."""
    words = re.findall(r"[^\W\d_]+", _NO_TITLE.sub(" ", name))
    if len([word for word in words if len(word) > 3]) < LEAST:
        return None
    forms = [rf"{re.escape(word.removesuffix('s'))}s?" for word in words]
    title = r"[\s-]+".join(forms)
    turned = rf"|{forms[1]}\s+(?:of|for)\s+(?:the\s+)?{forms[0]}" if len(forms) == 2 else ""
    match = re.search(rf"(?<![\w-])(?:{title}{turned})(?![\w-])", question, re.IGNORECASE)
    return match.span() if match else None


def ends_name(question: str, end: int) -> int | None:
    """The end of the word for a law behind a title: "the long service leave legislation"; None if there is none."""
    law = _LAW.match(question, end)
    return law.end() if law else None
