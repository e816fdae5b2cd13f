"""Text of one question's answers from many documents: a row each, then what was not found and not read."""

from __future__ import annotations

from collections.abc import Sequence

from orderly.agent.rendering.coverage import not_found
from orderly.agent.rendering.cutting import cut_to, telling_beginning
from orderly.agent.rendering.places import closing_notes, indented, source
from orderly.services.citations import LIKELY_HEADING, NEAREST_HEADING
from orderly.services.questions import DocumentAnswer, DocumentAnswers
from orderly.services.reviews import value_words
from orderly.services.text import Passage

FEW = 4
"""Up to this many documents, every place of an answer is shown; beyond, the first of each document."""
MAX_ROW, MAX_ANSWER = 420, 1_000
"""Characters of a passage that is likely or near, and of one that answers, of many documents. Of few, one that answers is never
cut, nor, for a person, one that is likely."""

SEARCHED = "Searched: {what} in: {names}."
SUBJECT = "clauses on {subject}; none found"
WORDS = "the words of the question; no clear match"
NEAREST_THERE = "What comes nearest there, not confirmed as an answer:"
MAX_NEAREST = 8
WHICH = "The name fits {count} documents:\n\n{names}\n\nWhich one is meant? Name it, or ask about all of them."
NAME_THE_CLAUSE = "No passage answers the question as it is put. About one clause, ask again with clause_type; or search."


def document_answers(result: DocumentAnswers, *, brief: bool = False, clause_type: str | None = None) -> str:
    """The rows. `brief`: for a language model, which also sees what comes nearest where nothing was found, cut."""
    asked = result.asked
    if result.choices:
        return WHICH.format(count=len(result.choices), names="\n".join(f"- {name}" for name in result.choices))
    if asked.unclear:
        return "It is not clear what is asked. Name the subject, for example: And the notice period?"
    by_presence = {
        kind: [a for a in result.answers if a.presence == kind and not a.failure] for kind in ("answer", "likely", "none")
    }
    few = len(result.answers) <= FEW
    lines = [f'Question: "{asked.question}"', _asked(result, by_presence)]
    if asked.named.corrected:
        lines.append("Read as: " + ", ".join(f"{word} for {written}" for written, word in asked.named.corrected) + ".")
    if len(alike := [a.document_name for a in result.answers if a.document_id in asked.named.alike]) > 1:
        lines.append(f"The name fits {len(alike)} documents alike; all of them were asked: {', '.join(alike)}.")
    if asked.widened:
        lines.append(_seemed(result))
    number = 0
    for kind, heading in (("answer", ""), ("likely", LIKELY_HEADING)):
        most = None if few else 2 if clause_type else 1
        rows = [(p, "" if n else _value(a, brief)) for a in by_presence[kind] for n, p in enumerate(a.passages[:most])]
        lines += ["", heading] if heading and rows else []
        size = (None if few else MAX_ANSWER) if kind == "answer" else None if few and not brief else MAX_ROW
        lines += _rows(rows, number, asked.question, size)
        number += len(rows)
    nearest = [] if number or (brief and not few) else _nearest(by_presence["none"], few)
    lines += ["", NEAREST_HEADING, *_rows(nearest, number, asked.question, MAX_ROW)] if nearest else []
    notes = _notes(result, by_presence["none"])
    if brief and not nearest and by_presence["none"]:
        notes += _nearest_there(asked.question, by_presence["none"])
        notes += [] if clause_type or number else [NAME_THE_CLAUSE]
    return "\n".join([*lines, *closing_notes(notes, result.engine)])


def _nearest(silent: Sequence[DocumentAnswer], few: bool) -> list[tuple[Passage, str]]:
    """What comes nearest: of few documents all, of many the first of those that come nearest."""
    if few:
        return [(p, "") for a in silent for p in a.nearest]
    return [(p, "") for a in sorted(silent, key=lambda a: -a.confidence)[:FEW] for p in a.nearest[:1]]


def _nearest_there(question: str, silent: Sequence[DocumentAnswer]) -> list[str]:
    rows = [f"- {source(p)} {' '.join(cut_to(question, p.text).split())} ID: {p.id}" for a in silent for p in a.nearest[:1]]
    more = [f"- and in {len(rows) - MAX_NEAREST} more documents"] if len(rows) > MAX_NEAREST else []
    return ["\n".join([NEAREST_THERE, *rows[:MAX_NEAREST], *more])] if rows else []


def _value(answer: DocumentAnswer, brief: bool) -> str:
    value = value_words(answer.value)
    if not value or not answer.computed:
        return value
    return f"{value} (computed, not in these words)" if brief else f"calculated: {value}"


def _asked(result: DocumentAnswers, by_presence: dict[str, list[DocumentAnswer]]) -> str:
    if len(result.answers) == 1:
        return f"Asked: {result.answers[0].document_name}."
    counts = f"answered in {len(by_presence['answer'])}, likely in {len(by_presence['likely'])}"
    asked = sum(not answer.failure for answer in result.answers)
    return f"Asked: {asked} of {result.total} documents; {counts}."


def _seemed(result: DocumentAnswers) -> str:
    """Says which document was asked first, if it was one."""
    meant = [answer.document_name for answer in result.answers if answer.document_id in result.asked.documents]
    name = f", {meant[0]}," if len(meant) == 1 else ""
    return f"The document that seemed to be meant{name} says nothing on this, so that all were asked."


def _rows(passages: Sequence[tuple[Passage, str]], before: int, question: str, size: int | None) -> list[str]:
    """`passages`: with the value that each states, if one was read. `size`: characters of a passage; None: all."""
    lines: list[str] = []
    for number, (passage, value) in enumerate(passages, before + 1):
        text = passage.text if size is None else telling_beginning(question, passage.text, size)
        lines += ["", f"{number}. {source(passage)}", indented(f'"{text}"'), f"   ID: {passage.id}"]
        lines += [f"   Value: {value}"] if value else []
    return lines


def _notes(result: DocumentAnswers, silent: Sequence[DocumentAnswer]) -> list[str]:
    notes = []
    if silent:
        what = SUBJECT.format(subject=silent[0].subject) if silent[0].subject else WORDS
        notes.append(SEARCHED.format(what=what, names=", ".join(a.document_name for a in silent)))
    notes += [f"Note: {note}" for a in result.answers for note in a.notes]
    undefined = [a for a in result.answers if a.undefined]
    if undefined and not any(a.presence == "answer" and not a.undefined for a in result.answers):
        # Without quotation marks: the term is the asker's, and no quotation of a document.
        names = ", ".join(a.document_name for a in undefined)
        notes.append(f"Note: no definition of the term {undefined[0].undefined} was found in {names}.")
    notes += [f"Not read: {a.document_name} ({a.failure})." for a in result.answers if a.failure]
    if result.more:
        notes.append(f"Not asked yet: {result.more} documents. Go on with first={result.first + len(result.answers)}.")
    read = [a.coverage for a in result.answers if a.coverage]
    return notes + [line for line in not_found(read) if line.startswith("Not read")]
