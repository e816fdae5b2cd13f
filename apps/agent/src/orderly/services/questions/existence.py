"""Questions for whether documents have something: "is there a confidentiality clause?", "which agreements pay a royalty?"."""

from __future__ import annotations

import re
from dataclasses import replace

from orderly.services.documents import STANDARD_CLAUSES
from orderly.services.engines.local import stem, stems
from orderly.services.questions.many_documents import asks_of_all
from orderly.services.questions.objects import has_circumstance, objects_of, speaks, words_of
from orderly.services.questions.premises import asked_of
from orderly.services.questions.presence import LIKELY_OF_MANY, DocumentAnswer
from orderly.services.questions.quantities import wanted_quantity
from orderly.services.text import Passage, RevisionView

_HAVING = (
    r"\b(?:ha(?:ve|s)(?! to\b)|contains?|includes?|mentions?|addresse?s?|regulates?|impose?s?|covers?|pays?|grants?|gives?"
    r"|provides? for|deals? with|refers? to|says? (?:anything|something|nothing|how|where|when|who)|with an?|lacks?)\b"
)
_LEAD = r"^\W*(?:(?:and|but|so)\s+)?"
_WHETHER = re.compile(rf"{_LEAD}(?:is|are|was|were) there\b|{_LEAD}(?:does|do|did)\b[^?]*?{_HAVING}", re.IGNORECASE)
_AMONG = re.compile(_HAVING, re.IGNORECASE)
LEAST_SAID = 0.5
"""Share of what is asked about, rare words counting more, that a passage says to be likely."""
BARE_WORDS = 2
"""Words of a question that only names a known clause."""
_COMPARING = frozenset(map(stem, ("compare", "contrast", "summarise", "summarize", "review")))
_TYPES = {name: frozenset(objects_of(name)) for name in STANDARD_CLAUSES}
_ALSO = {"termination": frozenset(map(stem, ["cancel", "cancelled", "cancellation", "ended"]))}
"""Other words that a question may have beside the name of the clause."""


def asks_whether(question: str) -> bool:
    """Whether a question asks if documents have something, and not what they say of it."""
    return _WHETHER.search(question) is not None or (asks_of_all(question) and _AMONG.search(question) is not None)


def standard_clause(question: str) -> str | None:
    """The standard clause, and nothing else, of which a question asks whether documents have it, or what several say of it."""
    objects = frozenset(objects_of(question)) - _COMPARING
    if not objects or wanted_quantity(question) or not (asks_whether(question) or asks_of_all(question)):
        return None
    return next(
        (
            name
            for name, own in _TYPES.items()
            if own and all(speaks(o, own | _ALSO.get(name, frozenset())) for o in objects) and _says_all(own, objects)
        ),
        None,
    )


def is_wider(clause: str | None, subject: str) -> bool:
    """Whether a standard clause, which a question names, is more than a subject: "termination", and "termination for cause"."""
    return clause is not None and set(stems(clause)) < set(stems(subject))


def _says_all(stems_of_type: frozenset[str], objects: frozenset[str]) -> bool:
    return all(speaks(own, objects) for own in stems_of_type)


def held_to_existence(
    answer: DocumentAnswer, view: RevisionView, question: str, known: DocumentAnswer | None
) -> DocumentAnswer:
    """The likely answer to whether a document has something, only near if the document does not speak of it.

    `known`: the decision about a known subject. Where it found nothing, a passage has to be surer if no more than
    its name was asked for.
    """
    things = asked_of(view, question)[1]
    if answer.presence != "likely" or not things or not asks_whether(question):
        return answer
    words = words_of(view.text)
    if known is None:
        is_absent = not all(speaks(o, words.all) for o in things)
    elif known.presence == "none" and len(things) <= BARE_WORDS and not has_circumstance(question):
        is_absent = answer.confidence < LIKELY_OF_MANY
    else:
        return answer
    total = sum(words.rarity(o) for o in things)

    def speaks_of_it(passage: Passage) -> bool:
        own = _stems_with_title(view, passage)
        said = sum(words.rarity(o) for o in things if speaks(o, own))
        return said > 0 and said >= LEAST_SAID * total

    speaking = tuple(p for p in answer.passages if speaks_of_it(p))
    if is_absent or not speaking:
        return replace(answer, presence="none", passages=(), nearest=answer.passages)
    return replace(answer, passages=speaking)


def _stems_with_title(view: RevisionView, passage: Passage) -> frozenset[str]:
    section = view.section_at(passage.start)
    return frozenset(stems(f"{section['title'] or ''} {passage.text}" if section else passage.text))
