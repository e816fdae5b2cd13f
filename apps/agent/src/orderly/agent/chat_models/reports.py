"""Reports of the document agent: the answer, the evidence, then gaps and failures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.agent.chat_models.answer_reports import answer_report
from orderly.agent.chat_models.listed_names import documents_meant
from orderly.agent.chat_models.notebook import Notebook
from orderly.agent.chat_models.quoting import clause_parts, quote
from orderly.agent.chat_models.table_reports import table_report
from orderly.agent.chat_models.tool_texts import Clause, clauses_in, document_answers_in, failure_in, headings_in, notes_in

HEADING = 50
"""Characters up to which a clause may be no more than its heading."""


def report(notes: Notebook) -> str:
    """Writes the report for the kind of the question."""
    if notes.table is not None and notes.answers is None:
        return table_report(notes.table, notes.where)
    if notes.answers is not None and not notes.readings:
        result = document_answers_in(notes.answers)
        meant = () if notes.named else documents_meant(notes.question, notes.documents)
        return _with_notes(answer_report(result, notes.documents, meant), [notes.answers])
    if not notes.readings:
        names = "\n".join(f"- {d.name}" for d in notes.documents)
        return f"Which document do you mean? Name one of these:\n\n{names}"
    texts = [text for _, _, text in notes.readings]
    if notes.intent.kind in ("read", "count"):
        return "\n\n".join(texts)
    return _with_notes(_review(notes), texts)


def _review(notes: Notebook) -> str:
    parts = []
    for args, _, text in notes.readings:
        document = notes.document_name(args["document_id"])
        clauses, headings = clauses_in(text, document), headings_in(text)
        if not clauses and not headings:
            parts.append(f"**{document}**: {failure_in(text) or text.strip().splitlines()[0]}")
            continue
        lines = [f"Main headings of **{document}**:", "", *(f"- {heading}" for heading in headings), ""] if headings else []
        if not clauses and "✗ " not in text:
            parts.append("\n".join([*lines, text.strip().splitlines()[0]]))
            continue
        lines.append(f"Clauses of **{document}**:")
        for kind in dict.fromkeys(c.kind for c in clauses):
            lines += ["", f"**{kind.capitalize()}**", *_format_clauses([c for c in clauses if c.kind == kind])]
        absent = [line[2:].removesuffix(" - Not found").lower() for line in text.split("\n") if line.startswith("✗ ")]
        if absent:
            lines += ["", f"Not found: {', '.join(absent)}."]
        parts.append("\n".join(lines))
    more = len(notes.documents) - len(notes.readings)
    if more > 0 and not notes.named:
        parts.append(f"{more} more documents of this matter were not reviewed; name them to review them.")
    if re.search(r"summar|overview", notes.question, re.IGNORECASE):
        parts.append("These are clauses in their own words. A summary takes a language model, which is not configured.")
    return "\n\n".join(parts)


def _format_clauses(clauses: Sequence[Clause]) -> list[str]:
    """A line for each clause, without those that are only a heading where others say something."""
    lines = [f"- {' '.join(f'{quote(part)} [{clause.source}]' for part in clause_parts(clause.text))}" for clause in clauses]
    worded = [line for line, clause in zip(lines, clauses, strict=True) if len(clause.text) > HEADING]
    return worded or lines


def _with_notes(text: str, outputs: Sequence[str]) -> str:
    lines = dict.fromkeys(line for output in outputs for line in notes_in(output) if line not in text)
    return "\n".join([text, "", *lines]) if lines else text
