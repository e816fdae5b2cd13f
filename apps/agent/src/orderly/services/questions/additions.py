"""Holds an answer to what a follow-up adds to the earlier question: "and if she falls ill?"."""

from __future__ import annotations

from dataclasses import replace

from orderly.services.engines.local import stems
from orderly.services.questions.clause_parts import is_heading
from orderly.services.questions.follow_ups import QUESTION_WORD
from orderly.services.questions.objects import SENTENCE, names, speaks, words_of
from orderly.services.questions.premises import asked_of
from orderly.services.questions.presence import DocumentAnswer, apart, without_number
from orderly.services.text import RevisionView


def held_to_addition(answer: DocumentAnswer, view: RevisionView, added: str) -> DocumentAnswer:
    """The answer if its passages say as much of the addition as any sentence of the document.

    Otherwise it repeats the earlier answer. The sentence that says most of the addition then comes first: as likely if it says
    what the addition ends with ("dismissed for misconduct"), as nearest if it does not ("on public holidays").
    """
    _, things = asked_of(view, added)
    asks_for_the_value = bool(answer.value) and QUESTION_WORD.match(added) is not None  # "and when does it start?"
    if answer.failure or not things or asks_for_the_value:
        return answer
    words = words_of(view.text)

    shown = frozenset(stems(" ".join(passage.text for passage in answer.passages)))
    found = sum(words.rarity(thing) for thing in things if speaks(thing, shown))
    named = {n: sum(words.rarity(thing) for thing in things if names(thing, own)) for n, own in enumerate(words.stems)}
    whole = [n for n, (start, end) in enumerate(words.spans) if end - start >= SENTENCE]
    best = max(whole, key=lambda n: (named[n], -n), default=None)
    if found and (best is None or found >= named[best]):
        return answer
    if best is None or not named[best]:
        return replace(answer, presence="none", passages=(), nearest=apart((*answer.passages, *answer.nearest)))
    place = without_number(view, view.passage(*words.spans[best]))
    if is_heading(view, place):
        return answer
    if names(things[-1], words.stems[best]):
        return replace(answer, presence="likely", passages=(place,), nearest=())
    return replace(answer, presence="none", passages=(), nearest=apart((place, *answer.passages, *answer.nearest)))
