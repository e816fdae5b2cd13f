"""Finds documents that a question names in small letters, by words of their file names: "the power of attorney"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orderly.models import Span
from orderly.services.questions.nameable import TOKEN, Nameable, word_forms
from orderly.services.questions.written_names import LONGEST, QUESTION_WORDS, SMALL

_BESIDE = re.compile(
    r",?\s+(?:and|or|with|to|against|versus|vs\.?)\s+(?:in\s+|of\s+)?(?:(?:the|our|my|this)\s+)?", re.IGNORECASE
)
"""What stands between the names of two documents."""


def with_passing(
    question: str, found: list[str], spans: list[Span], passing: Sequence[tuple[str, Span]]
) -> tuple[list[str], list[Span]]:
    """Adds what is named in passing beside a name: "the power of attorney and the Acme lease" are two documents."""
    for id, place in passing:
        if id in found:
            continue
        if any(_BESIDE.fullmatch(question[place[1] : start]) for start, _ in spans):
            found, spans = [id, *found], sorted([place, *spans])
        elif any(_BESIDE.fullmatch(question[end : place[0]]) for _, end in spans):
            found, spans = [*found, id], sorted([place, *spans])
    return found, spans


def in_passing(question: str, documents: Sequence[Nameable]) -> Iterator[tuple[str, Span]]:
    """Documents whose file name alone has two or more words that stand together behind an article, and the words' places."""
    tokens = [(m[0].lower(), *m.span()) for m in TOKEN.finditer(question)]
    for first in range(1, len(tokens)):
        if tokens[first - 1][0] not in ("the", "our", "my", "this") or tokens[first][0] in SMALL:
            continue
        run = _adjoining(question, tokens[first : first + LONGEST])
        for last in range(len(run), 1, -1):
            words = [forms for word, _, _ in run[:last] if word not in SMALL for forms in [word_forms(word)]]
            if run[last - 1][0] in SMALL or len(words) < 2:
                continue
            fits = [d.id for d in documents if all(not d.in_name.isdisjoint(forms) for forms in words)]
            if len(fits) == 1:
                yield fits[0], (run[0][1], run[last - 1][2])
                break


def _adjoining(question: str, tokens: Sequence[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """The tokens up to a mark or a word of a question."""
    found = list(tokens[:1])
    for token in tokens[1:]:
        if question[found[-1][2] : token[1]].strip(" -/&") or token[0] in QUESTION_WORDS - SMALL:
            break
        found.append(token)
    return found
