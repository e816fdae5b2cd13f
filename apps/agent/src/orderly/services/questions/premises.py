"""Holds a decision about a document to the question's own words: what is asked about must stand in or near what is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from orderly.services.engines.local import said_otherwise, stem, stems, words_asked_with
from orderly.services.questions.clause_parts import is_heading
from orderly.services.questions.nameable import filename_words
from orderly.services.questions.objects import DocumentWords, labels_of, objects_of, says, speaks, words_of
from orderly.services.questions.presence import MOST_LIKELY, Certainty, DocumentAnswer, apart, without_number
from orderly.services.questions.quantities import may_state, states, wanted_quantity
from orderly.services.questions.subjects import ROLES, Subject
from orderly.services.text import Passage, RevisionView

SURE_WEIGHT = 0.5
"""Weight from which a subject answers even if words of the question occur neither in its vocabulary nor in the document."""
STRANGE, MOST_STRANGE = 0.5, 1
"""Share, and number, of a question's objects that may be strange to the subject and lacking in what is shown."""
MOST_MISSING = 0.7
"""Share of a question's objects, rare ones counting more, that an answer in its own words may leave unsaid."""
UNSAID_CONFIDENCE = 0.2
"""Confidence from which an extraction is likely although it says nothing of what is asked about in those words."""
NEARLY, SAID = 0.05, 0.3
"""Confidence, and share of a question's objects that are said, from which the nearest provision of one document is likely."""
_PAYING_LIST = "pay paid payable cost costs charge charged earn earned receive received owe owed worth"
_PAYING = frozenset(map(stem, _PAYING_LIST.split()))
"""What a passage says that states a sum of money."""
_RARE = 2
"""Sentences of a document that may have a word for it to tell what the question is about."""
_MENTIONS = re.compile(
    r"\b(?:mention(?:s|ed|ing)?|says? (?:any|some)thing (?:about|on)|refer(?:s|red|ring)? to|references? to)\b", re.IGNORECASE
)
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
    words = words_of(view.text)
    if not objects:
        is_near = thorough and known is None and wanted_quantity(question)
        return _promoted(answer, words, (), question) if is_near else answer
    if answer.presence == "none":
        found = _with_what_is_said(answer, view, words, objects, known, question, thorough=thorough)
        return (
            _promoted(found, words, _beside_the_figure(objects, things, question), question)
            if thorough and known is None
            else found
        )
    if known is None and _says_nothing(answer, words, things):
        if thorough and answer.confidence >= UNSAID_CONFIDENCE:
            return _unconfirmed(answer)
        return replace(answer, presence="none", passages=(), nearest=answer.passages)
    strange = strange_to(subject, view, question) if subject else []
    if of_many and subject is not None and not subject.answer_type and subject.weight < SURE_WEIGHT and strange:
        held = answer if answer.presence == "likely" else _held_to_objects(answer, view, words, question, objects, subject)
        return _held_to_strange(held, view, words, strange) if held.presence == "likely" else held
    if known is None or known.presence != "answer":
        literal = None if known else _said_elsewhere(answer, view, words, things, question)
        return _held_to_words(answer, words, things, literal, is_strict=of_many and known is None)
    if answer.presence == "likely" or subject is None or subject.answer_type:
        return answer
    held = _held_to_objects(answer, view, words, question, objects, subject)
    return _from_telling(held, strange) if thorough else held


def asked_of(view: RevisionView, question: str) -> tuple[list[str], list[str]]:
    """What a question asks about besides the document's name: all of it, and without parties if anything is left."""
    named = stems(filename_words(view.name).lower())
    objects = [o for o in objects_of(question) if o not in named]
    return objects, [o for o in objects if o not in ROLES] or objects


def strange_to(subject: Subject, view: RevisionView, question: str) -> list[str]:
    """What a question asks about beside the subject. The term of an agreement is asked for with words of every other thing."""
    own = frozenset() if subject.name == "term and expiry" else words_asked_with(subject.name)
    return [o for o in asked_of(view, question)[1] if o not in own]


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
        presence: Certainty = "answer" if _mentions_all(said[0], question) else "likely"
        return replace(answer, presence=presence, passages=tuple(said), nearest=())
    if not said and (span := words.closest(objects)) and not is_heading(view, passage := _passage(view, span)):
        said = [passage]
    near = tuple(p for p in answer.nearest if not is_heading(view, p))
    first = near[:1]
    if first and not any(speaks(o, frozenset(stems(first[0].text))) for o in objects):
        return replace(answer, nearest=apart((*said, *near)))
    return replace(answer, nearest=apart((*first, *said, *near[1:])))


def _mentions_all(passage: Passage, question: str) -> bool:
    """Whether a question asks only where words stand, and the passage has all of them: "which documents mention mediation?"."""
    asked = _MENTIONS.search(question)
    wanted = stems(question[asked.end() :]) if asked else []
    return bool(wanted) and set(wanted) <= set(stems(passage.text))


def _held_to_words(
    answer: DocumentAnswer, words: DocumentWords, things: Sequence[str], literal: Passage | None, *, is_strict: bool
) -> DocumentAnswer:
    """What was extracted. `literal`: of `_said_elsewhere`. `is_strict`: what is likely must say most of what is asked about."""
    if literal:
        return replace(answer, presence="likely", passages=apart((literal, *answer.passages))[:MOST_LIKELY])
    if _says_most(answer, words, things) or (answer.presence == "likely" and not is_strict):
        return answer
    if answer.presence == "likely":
        return replace(answer, presence="none", passages=(), nearest=answer.passages)
    return _unconfirmed(answer)


def _said_elsewhere(
    answer: DocumentAnswer, view: RevisionView, words: DocumentWords, things: Sequence[str], question: str
) -> Passage | None:
    """The sentence that says what is asked about in its own words, if what is shown lacks the most telling one."""
    shown = frozenset(stems(" ".join(passage.text for passage in answer.passages)))
    if says(min(things, key=lambda thing: sum(says(thing, own) for own in words.own)), shown):
        return None
    quantity = wanted_quantity(question)
    spans = (span for span in words.saying(things) if not quantity or may_state(quantity, view.text[slice(*span)]))
    passages = (_passage(view, span) for span in spans)
    return next((passage for passage in passages if not is_heading(view, passage)), None)


def _beside_the_figure(objects: Sequence[str], things: Sequence[str], question: str) -> list[str]:
    """What is asked about beside what a sum says itself: "how much is the employee paid" is answered by "receives $100"."""
    if wanted_quantity(question) != "money":
        return list(things)
    return [o for o in things if o not in _PAYING] or [o for o in objects if o not in _PAYING] or list(things)


def _promoted(answer: DocumentAnswer, words: DocumentWords, objects: Sequence[str], question: str) -> DocumentAnswer:
    """The answer with its nearest provision as likely, if that says part of what is asked about and states the figure."""
    if answer.presence != "none" or not answer.nearest or answer.confidence < NEARLY:
        return answer
    best, *others = answer.nearest
    own = frozenset(stems(best.text))
    otherwise = said_otherwise(question, own)
    said = sum(words.rarity(o) for o in objects if o in otherwise or speaks(o, own))
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
    if len(strange) > MOST_STRANGE and len(strange) >= STRANGE * len(objects) and (elsewhere or subject.weight < SURE_WEIGHT):
        return _unconfirmed(answer)
    return answer


def _held_to_strange(
    answer: DocumentAnswer, view: RevisionView, words: DocumentWords, strange: Sequence[str]
) -> DocumentAnswer:
    """The likely clause of a subject that a question may be about, if it speaks of what the subject does not name.

    Of "which documents cover fire?", what says nothing of fire is near; a sentence elsewhere that does is likely.
    """
    shown = frozenset(stems(" ".join(p.text for p in answer.passages)))
    unsaid = [o for o in strange if not speaks(o, shown)]
    spans = words.saying(unsaid) if unsaid else []
    if said := [p for span in spans if not is_heading(view, p := _passage(view, span))]:
        return replace(answer, passages=tuple(said[:1]))
    if len(unsaid) == len(strange):
        return replace(answer, presence="none", passages=(), nearest=answer.passages)
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
