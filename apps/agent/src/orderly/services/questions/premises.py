"""Holds a decision about a document to the question's own words: what is asked about must stand in or near what is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from orderly.services.engines.local import stems, words_asked_with
from orderly.services.questions.clause_parts import is_heading
from orderly.services.questions.nameable import filename_words
from orderly.services.questions.objects import DocumentWords, labels_of, objects_of, says, speaks, words_of
from orderly.services.questions.presence import MOST_LIKELY, DocumentAnswer, apart, without_number
from orderly.services.questions.quantities import may_state, states, wanted_quantity
from orderly.services.questions.subjects import ROLES, Subject
from orderly.services.text import Passage, RevisionView

SURE = 0.5
"""Weight from which a subject answers even if words of the question occur neither in its vocabulary nor in the document."""
STRANGE, MOST_STRANGE = 0.5, 1
"""Share, and number, of a question's objects that may be strange to the subject and lacking in what is shown."""
MOST_MISSING = 0.7
"""Share of a question's objects, rare ones counting more, that an answer in its own words may leave unsaid."""
BACKED = 0.2
"""Confidence from which an extraction is likely although it says nothing of what is asked about in those words."""
NEARLY, SAID = 0.06, 0.3
"""Confidence, and share of a question's objects that are said, from which the nearest provision of one document is likely."""
_RARE = 2
"""Sentences of a document that may have a word for it to tell what the question is about."""
_MENTIONS = re.compile(r"\b(?:mention(?:s|ed|ing)?|refer(?:s|red|ring)? to|references? to)\b", re.IGNORECASE)
"""Asks where a word stands."""
_PRESUMES = re.compile(
    r"^\W*(?:why|since|given|when|how (?:much|many|long|often|soon|far|high)|on what (?:ground|day|date)s?)\b", re.IGNORECASE
)
"""A question that takes for granted that the document has what it asks about."""


def held_to_question(
    answer: DocumentAnswer,
    view: RevisionView,
    question: str,
    known: DocumentAnswer | None,
    subject: Subject | None,
    *,
    thorough: bool = False,
    of_many: bool = False,
) -> DocumentAnswer:
    """The answer, at most likely if it does not speak of what is asked about, and only near if it speaks of nothing of it.

    A sentence that denies everything asked about then comes first. Where nothing was found, a sentence that says everything
    asked about is likely, or nearest if the subject's own model found nothing. `known`: what `subject` decided. `thorough`: of
    few documents, so that a provision that says part of what is asked about is likely too. `of_many`: of many documents, most
    of which speak of something else, so that a passage that leaves most of it unsaid is only near.
    """
    objects, things = asked_of(view, question)
    if not objects:
        return answer
    words = words_of(view.text)
    if answer.presence == "none":
        found = _with_what_is_said(answer, view, words, objects, known, question, thorough=thorough)
        return _promoted(found, words, things, question) if thorough and known is None else found
    if known is None and _says_nothing(answer, words, things):
        if thorough and answer.confidence >= BACKED:
            return _unconfirmed(answer)
        return replace(answer, presence="none", passages=(), nearest=answer.passages)
    if answer.presence == "likely":
        is_apart = of_many and known is None and not _says_most(answer, words, things)
        return replace(answer, presence="none", passages=(), nearest=answer.passages) if is_apart else answer
    if known is None or known.presence != "answer":
        return answer if _says_most(answer, words, things) else _unconfirmed(answer)
    if subject is None or subject.answer_type:
        return answer
    held = _held_to_objects(answer, view, words, question, objects, subject)
    own = words_asked_with(subject.name)
    return _from_telling(held, [o for o in things if o not in own]) if thorough else held


def asked_of(view: RevisionView, question: str) -> tuple[list[str], list[str]]:
    """What a question asks about besides the document's name: all of it, and without parties if anything is left."""
    named = stems(filename_words(view.name).lower())
    objects = [o for o in objects_of(question) if o not in named]
    return objects, [o for o in objects if o not in ROLES] or objects


def _with_what_is_said(
    answer: DocumentAnswer,
    view: RevisionView,
    words: DocumentWords,
    objects: Sequence[str],
    known: DocumentAnswer | None,
    question: str,
    *,
    thorough: bool,
) -> DocumentAnswer:
    quantity, labels = wanted_quantity(question), labels_of(question)
    saying = [span for span in words.saying(objects) if not quantity or may_state(quantity, view.text[slice(*span)])]
    if labels:
        saying = [span for span in words.saying_any(objects) if all(label.search(view.text, *span) for label in labels)]
    is_telling = bool(labels or _MENTIONS.search(question)) or len(objects) > 1 or (thorough and len(saying) <= _RARE)
    passages = [passage for span in saying if not is_heading(view, passage := _passage(view, span))]
    said = passages[:1] if is_telling else []
    if said and known is None:
        return replace(answer, presence="likely", passages=tuple(said), nearest=())
    if not said and (span := words.closest(objects)) and not is_heading(view, passage := _passage(view, span)):
        said = [passage]
    near = tuple(p for p in answer.nearest if not is_heading(view, p))
    first = near[:1]
    if first and not any(speaks(o, frozenset(stems(first[0].text))) for o in objects):
        return replace(answer, nearest=apart((*said, *near)))
    return replace(answer, nearest=apart((*first, *said, *near[1:])))


def _promoted(answer: DocumentAnswer, words: DocumentWords, objects: Sequence[str], question: str) -> DocumentAnswer:
    """The answer with its nearest provision as likely, if that says part of what is asked about and states the figure."""
    if answer.presence != "none" or not answer.nearest or answer.confidence < NEARLY:
        return answer
    best, *others = answer.nearest
    own = frozenset(stems(best.text))
    said = sum(words.rarity(o) for o in objects if speaks(o, own))
    quantity = wanted_quantity(question)
    if said < SAID * sum(words.rarity(o) for o in objects) or (quantity and not states(quantity, best.text)):
        return answer
    return replace(answer, presence="likely", passages=(best,), nearest=tuple(others))


def _held_to_objects(
    answer: DocumentAnswer, view: RevisionView, words: DocumentWords, question: str, objects: Sequence[str], subject: Subject
) -> DocumentAnswer:
    """The clause of a subject that the document has."""
    shown = frozenset(stems(" ".join(p.text for p in answer.passages)))
    if (
        _PRESUMES.match(question)
        and len(objects) > 1
        and not all(speaks(o, shown) for o in objects)
        and (denied := words.saying(objects, denied=True))
    ):
        passages = apart((_passage(view, denied[0]), *answer.passages))
        return replace(answer, presence="likely", passages=passages[:MOST_LIKELY])
    near = words.near(answer.passages)
    lacking = [o for o in objects if not speaks(o, near)]
    strange = [o for o in lacking if o not in words_asked_with(subject.name)]
    elsewhere = any(says(o, words.all) for o in strange)
    if len(strange) > MOST_STRANGE and len(strange) >= STRANGE * len(objects) and (elsewhere or subject.weight < SURE):
        return _unconfirmed(answer)
    return answer


def _from_telling(answer: DocumentAnswer, strange: Sequence[str]) -> DocumentAnswer:
    """The answer from the first passage on that speaks of what the subject does not name, if any does."""
    telling = (n for n, p in enumerate(answer.passages) if any(speaks(o, frozenset(stems(p.text))) for o in strange))
    first = next(telling, 0)
    return replace(answer, passages=answer.passages[first:]) if first else answer


def _says_most(answer: DocumentAnswer, words: DocumentWords, objects: Sequence[str]) -> bool:
    near = words.near(answer.passages)
    missing = sum(words.rarity(o) for o in objects if not speaks(o, near))
    return missing <= MOST_MISSING * sum(words.rarity(o) for o in objects)


def _says_nothing(answer: DocumentAnswer, words: DocumentWords, objects: Sequence[str]) -> bool:
    near = words.near(answer.passages)
    return not any(speaks(o, near) for o in objects)


def _unconfirmed(answer: DocumentAnswer) -> DocumentAnswer:
    return replace(answer, presence="likely", passages=answer.passages[:MOST_LIKELY])


def _passage(view: RevisionView, span: tuple[int, int]) -> Passage:
    return without_number(view, view.passage(*span))
