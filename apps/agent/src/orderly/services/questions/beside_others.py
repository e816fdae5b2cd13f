"""Compares what documents say: about one thing, a passage is not likely that says less of it than another document's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from orderly.services.engines.local import stems
from orderly.services.questions.many_documents import asks_of_all
from orderly.services.questions.objects import objects_of, speaks
from orderly.services.questions.presence import DocumentAnswer
from orderly.services.questions.subjects import ROLES


def beside_others(answers: Sequence[DocumentAnswer], question: str) -> list[DocumentAnswer]:
    """The answers; of a question that is not about several documents, a likely one is only near if another says all that it
    says of what is asked, and more.
    """
    objects = [o for o in objects_of(question) if o not in ROLES]  # a document may say "you" of its employee
    if asks_of_all(question) or len(objects) < 2:
        return list(answers)
    said = {a.document_id: _said(a, objects) for a in answers if a.presence != "none" and not a.subject}
    return [_near(a) if a.presence == "likely" and _is_outdone(a.document_id, said) else a for a in answers]


def _said(answer: DocumentAnswer, objects: Sequence[str]) -> frozenset[str]:
    own = frozenset(stems(" ".join(f"{p.section_title or ''} {p.text}" for p in answer.passages)))
    return frozenset(o for o in objects if speaks(o, own))


def _is_outdone(id: str, said: Mapping[str, frozenset[str]]) -> bool:
    return id in said and any(said[id] < other for other in said.values())


def _near(answer: DocumentAnswer) -> DocumentAnswer:
    return replace(answer, presence="none", passages=(), nearest=answer.passages)
