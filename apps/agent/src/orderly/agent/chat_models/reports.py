"""Reports of the document agent: the answer, the evidence, then gaps and failures."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from orderly.agent.chat_models.tool_texts import Clause, Excerpt, Found, clauses_in, extraction_in, failure_in, notes_in

if TYPE_CHECKING:
    from orderly.agent.chat_models.research import Notebook

MAX_PASSAGES = 3
CONFIDENCE_GAP = 0.25
"""An answer whose confidence is lower than the best by more than this is listed as evidence."""

MIN_CONFIDENCE_UNRANKED = 0.8
"""Confidence from which an answer is accepted from a document that the search did not rank."""

MAX_EXCERPT = 420
"""Characters of a search result in a report; a cut is marked."""

_INNER_MARKS = str.maketrans("“”„«»", '"""""')


def report(notes: Notebook) -> str:
    """Writes the report for the kind of the question."""
    kind = notes.intent.kind
    if not notes.readings:
        return _nothing_to_read(notes)
    if kind in ("read", "count"):
        return "\n\n".join(text for _, _, text in notes.readings)
    if kind == "review":
        return _with_notes(_review(notes), notes)
    found = [extraction_in(text, notes.document_name(args["document_id"])) for args, _, text in notes.readings]
    found = [f if position < notes.first else _demote(f) for position, f in enumerate(found)]
    if kind == "compare":
        return _with_notes(_comparison(notes, found), notes)
    return _with_notes(_fact(notes, found), notes)


def _demote(found: Found) -> Found:
    """Turns uncertain answers of a document that the search did not rank into candidates, to limit false positives."""
    if not found.answers or found.confidence >= MIN_CONFIDENCE_UNRANKED:
        return found
    return replace(found, answers=(), candidates=(*found.answers, *found.candidates))


def _fact(notes: Notebook, found: list[Found]) -> str:
    answered = sorted((f for f in found if f.answers), key=lambda f: -f.confidence)
    if not answered:
        return _absent(notes, found)
    meant = {document.name for document in notes.meant}
    if meant and not any(f.document in meant for f in answered):
        return _meant_is_silent(found, answered, meant)
    asked = [f for f in answered if f.document in meant] or answered
    best = [f for f in asked if f.confidence >= asked[0].confidence - CONFIDENCE_GAP]
    lines = [_cite(answer) for f in best for answer in f.answers]
    evidence = [f.answers[0] for f in answered if f not in best]
    if notes.intent.kind == "find":
        evidence += [c for f in best for c in f.candidates]
    if evidence:
        lines += ["", "Also:", *(f"- {_cite(e)}" for e in evidence[:MAX_PASSAGES])]
    silent = [f.document for f in found if not f.answers and not f.failure]
    if silent:
        lines += ["", f"No answer was found in: {', '.join(silent)}."]
    if len(found) < len(notes.documents) and not notes.named:
        lines += ["", _coverage(notes, found)]
    return "\n".join([*lines, *_failures(found)])


def _meant_is_silent(found: list[Found], answered: list[Found], meant: set[str]) -> str:
    """The report if only documents answer that the question does not seem to mean."""
    silent = [f for f in found if f.document in meant]
    lines = [f"No answer is confirmed in what the question seems to mean: {', '.join(f.document for f in silent)}."]
    if nearest := [f"- {_cite(c)}" for f in silent for c in f.candidates][:MAX_PASSAGES]:
        lines += ["", "Its nearest passages, not confirmed as an answer:", *nearest]
    lines += ["", "Answers in other documents:", *(f"- {_cite(f.answers[0])}" for f in answered[:MAX_PASSAGES])]
    others = [f.document for f in found if not f.answers and not f.failure and f.document not in meant]
    if others:
        lines += ["", f"No answer was found in: {', '.join(others)}."]
    return "\n".join([*lines, *_failures(found)])


def _absent(notes: Notebook, found: list[Found]) -> str:
    asked = [f for f in found if not f.failure]
    lines = []
    if asked:
        nearest = [f"- {_cite(c)}" for c in _nearest(notes, asked)]
        if nearest and notes.intent.kind == "find":
            lines += [
                "These passages come nearest; none is confirmed as what was asked for:",
                *nearest,
                "",
                _coverage(notes, asked),
            ]
        else:
            lines += [f"I found no answer to that. {_coverage(notes, asked)}"]
            lines += ["", "Nearest passages, not confirmed as an answer:", *nearest] if nearest else []
    return "\n".join([*lines, *_failures(found)]).strip()


def _coverage(notes: Notebook, asked: list[Found]) -> str:
    names = ", ".join(f.document for f in asked)
    return f"The question was put to {len(asked)} of {len(notes.documents)} documents in the matter: {names}."


def _nearest(notes: Notebook, asked: list[Found]) -> list[Excerpt]:
    """Candidates of the extraction, then search results from the same documents."""
    names = [f.document for f in asked]
    searched = [hit for hit in notes.hits if any(hit.source == n or hit.source.startswith(f"{n},") for n in names)]
    return ([c for f in asked for c in f.candidates] + [_shorten(hit) for hit in searched])[:MAX_PASSAGES]


def _failures(found: list[Found]) -> list[str]:
    failed = [f"- {f.document}: {f.failure}" for f in found if f.failure]
    return ["", "These documents could not be asked:", *failed] if failed else []


def _comparison(notes: Notebook, found: list[Found]) -> str:
    lines = ["Side by side:"]
    for f in found:
        lines += ["", f"**{f.document}**"]
        if f.failure:
            lines.append(f"Could not be asked: {f.failure}")
        elif f.answers:
            lines += [_cite(answer) for answer in f.answers]
        else:
            lines.append("No answer was found in this document.")
            lines += [f"- Nearest, not confirmed: {_cite(c)}" for c in _nearest(notes, [f])[:1]]
    return "\n".join(lines)


def _review(notes: Notebook) -> str:
    parts = []
    if re.search(r"summar|overview", notes.question, re.IGNORECASE):
        parts.append("A summary takes a language model, which is not configured. These are the clauses found:")
    for args, _, text in notes.readings:
        document = notes.document_name(args["document_id"])
        clauses = clauses_in(text, document)
        if not clauses:
            parts.append(f"**{document}**: {failure_in(text) or text.strip().splitlines()[0]}")
            continue
        lines = [f"Clauses of **{document}**:"]
        for kind in dict.fromkeys(c.kind for c in clauses):
            lines += ["", f"**{kind.capitalize()}**", *(_format_clause(c) for c in clauses if c.kind == kind)]
        absent = [line[2:].removesuffix(" - Not found").lower() for line in text.split("\n") if line.startswith("✗ ")]
        if absent:
            lines += ["", f"Not found: {', '.join(absent)}."]
        parts.append("\n".join(lines))
    more = len(notes.documents) - len(notes.readings)
    if more > 0 and not notes.named:
        parts.append(f"{more} more documents of this matter were not reviewed; name them to review them.")
    return "\n\n".join(parts)


def _format_clause(clause: Clause) -> str:
    return f"- {_quote(clause.text)} [{clause.source}]"


def _nothing_to_read(notes: Notebook) -> str:
    if notes.intent.kind == "read":
        names = "\n".join(f"- {d.name}" for d in notes.documents)
        return f"Which document do you mean? Name one of these:\n\n{names}"
    if failure := failure_in(notes.search or ""):
        return f"The documents could not be searched. {failure}"
    first = (notes.search or "").strip().split("\n\n")[0]
    return _with_notes(f"{first}\n\nAll {len(notes.documents)} documents of the matter were searched.", notes)


def _with_notes(text: str, notes: Notebook) -> str:
    lines = dict.fromkeys(line for output in _outputs(notes) for line in notes_in(output))
    return "\n".join([text, "", *lines]) if lines else text


def _outputs(notes: Notebook) -> list[str]:
    """Tool outputs whose notes belong in the report. If the question names documents, the search is left out."""
    return [*([] if notes.named else [notes.search or ""]), *(text for _, _, text in notes.readings)]


def _shorten(excerpt: Excerpt) -> Excerpt:
    flat = " ".join(excerpt.text.split())
    if len(flat) <= MAX_EXCERPT:
        return excerpt
    return Excerpt(excerpt.source, flat[:MAX_EXCERPT].rsplit(" ", 1)[0] + "...")


def _cite(excerpt: Excerpt) -> str:
    return f"{_quote(excerpt.text)} [{excerpt.source}]"


def _quote(text: str) -> str:
    """Quotes a text on one line, with straight quotation marks inside. Nothing else of a quotation may change."""
    return "“" + " ".join(text.split()).translate(_INNER_MARKS) + "”"
