"""Shows first the section that has the name of a known subject as its title: "Effect of Termination"."""

from __future__ import annotations

from dataclasses import replace

from orderly.services.engines.local import content_words, stem
from orderly.services.questions.objects import SENTENCE, words_of
from orderly.services.questions.presence import MOST_LIKELY, MOST_PLACES, Certainty, DocumentAnswer, apart, without_number
from orderly.services.text import Passage, RevisionView

TELLING = 80
"""Characters from which the beginning of a section says something."""


def with_titled_section(answer: DocumentAnswer, view: RevisionView, subject: str) -> DocumentAnswer:
    """The answer with the first sentence of the section of that title, unless a passage of the section is shown."""
    wanted = _named(subject)
    section = next((s for s in view.sections if wanted and s["title"] and _named(s["title"]) == wanted), None)
    if section is None or any(section["start"] <= p.start < section["end"] for p in answer.passages):
        return answer
    first = _first_sentences(view, section["start"], section["end"], section["title"] or "")
    if first is None:
        return answer
    presence: Certainty = "answer" if answer.presence == "answer" else "likely"
    most = MOST_PLACES if presence == "answer" else MOST_LIKELY
    return replace(answer, presence=presence, passages=apart((first, *answer.passages))[:most], nearest=())


def _named(title: str) -> frozenset[str]:
    return frozenset(stem(word) for word in content_words(title))


def _first_sentences(view: RevisionView, start: int, end: int, title: str) -> Passage | None:
    """The first sentences of a section, as many as say something; None if it has no more than its heading."""
    spans = [(first, last) for first, last in words_of(view.text).spans if start <= first and last <= end]
    begun = next((n for n, (first, last) in enumerate(spans) if last - first >= SENTENCE + len(title)), None)
    if begun is None:
        return None
    first = spans[begun][0]
    last = next((last for _, last in spans[begun:] if last - first >= TELLING + len(title)), spans[-1][1])
    return without_number(view, view.passage(first, last))
