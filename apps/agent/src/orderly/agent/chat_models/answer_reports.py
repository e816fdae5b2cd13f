"""Reports on one question to one or several documents: what answers, what likely does, then what was asked and not read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.agent.chat_models.quoting import cite
from orderly.agent.chat_models.tool_texts import LIKELY_HEADING, NEAREST_HEADING, DocumentAnswers, Excerpt, Listed

MAX_PASSAGES = 3
"""Passages that are near."""
LONGEST_VALUE = 40
"""Characters of a value beside the name of its document."""
MAX_NAMED = 12
"""Documents named in one line."""


def answer_report(result: DocumentAnswers, documents: Sequence[Listed], meant: Sequence[Listed] = ()) -> str:
    """Writes the report.

    Args:
        result: Result of ask_documents.
        documents: Documents of the matter.
        meant: Documents that a word of the question seems to mean. Their answers come first.
    """
    if result.failure:
        return result.failure
    names = [d.name for d in documents]
    first = [d.name for d in meant]
    answered = _meant_first(_distinct(result.answered), names, first)
    likely = _meant_first(_distinct([e for e in result.likely if e not in answered]), names, first)
    lines = [*result.head, *([""] if result.head else [])]
    found = {_document(e, names) for e in answered}
    confirmed = _answered(answered, names, result)
    unconfirmed = _likely(likely, names, result)
    if first and likely and not found & set(first) and _document(likely[0], names) in first:
        lines += [*unconfirmed, "", *confirmed]
    else:
        lines += [*confirmed, *unconfirmed]
    if not answered and not likely:
        where = f"**{result.one}**" if result.one else f"{result.asked} documents"
        lines.append(f"I found no answer to that in {where}.")
        if result.nearest:
            nearest = _distinct(result.nearest)[:MAX_PASSAGES]
            lines += ["", NEAREST_HEADING, *(_rows(nearest, names) if result.asked > 1 else (f"- {cite(e)}" for e in nearest))]
    return "\n".join([*lines, "", *_coverage(result)]).strip()


def _answered(excerpts: Sequence[Excerpt], names: Sequence[str], result: DocumentAnswers) -> list[str]:
    if not excerpts:
        return []
    if result.asked > 1:
        found = len({_document(e, names) for e in excerpts})
        return [f"In {found} of {result.asked} documents:", "", *_rows(excerpts, names)]
    return [*_in(result.one), *(cite(e) for e in excerpts)]


def _likely(excerpts: Sequence[Excerpt], names: Sequence[str], result: DocumentAnswers) -> list[str]:
    if not excerpts:
        return []
    rows = _rows(excerpts, names) if result.asked > 1 else [f"- {cite(e)}" for e in excerpts]
    return ["", LIKELY_HEADING, "", *rows]


def _in(name: str) -> list[str]:
    return [f"In **{name}**:", ""] if name else []


def _coverage(result: DocumentAnswers) -> list[str]:
    """One line on what was asked, then lines on what was not found, not read and not asked."""
    asked = f"Asked: {result.one}." if result.one else f"Asked: {result.asked} of {result.total} documents."
    return [asked, *(_shortened(note) for note in result.notes if result.one == "" or not note.startswith("Searched"))]


def _shortened(note: str) -> str:
    head, _, names = note.rstrip(".").partition(" in: ")
    listed = names.split(", ")
    if not head.startswith("Searched") or len(listed) <= MAX_NAMED:
        return note
    return f"{head} in: {', '.join(listed[:MAX_NAMED])} and {len(listed) - MAX_NAMED} more."


def _rows(excerpts: Sequence[Excerpt], names: Sequence[str]) -> list[str]:
    """A line for each document with its name, its value if one was read, and its quotations one after the other."""
    by_document: dict[str, list[Excerpt]] = {}
    for excerpt in excerpts:
        by_document.setdefault(_document(excerpt, names), []).append(excerpt)
    lines = []
    for name, found in by_document.items():
        value = next((e.value for e in found if e.value and len(e.value) <= LONGEST_VALUE), "")
        lines.append(f"- **{name}**{f' ({value})' if value else ''}: {' '.join(map(cite, found))}")
    return lines


def _distinct(excerpts: Sequence[Excerpt]) -> list[Excerpt]:
    """Drops a passage whose words another one has already shown from the same source."""
    kept: list[Excerpt] = []
    for excerpt in excerpts:
        flat = _flat(excerpt)
        if not any(_flat(other) == flat and other.source == excerpt.source for other in kept):
            kept.append(excerpt)
    return kept


def _flat(excerpt: Excerpt) -> str:
    return re.sub(r"\W+", " ", excerpt.text).strip().lower()


def _document(excerpt: Excerpt, names: Sequence[str]) -> str:
    """The longest name of a document with which the source begins."""
    fitting = [n for n in names if excerpt.source == n or excerpt.source.startswith(f"{n},")]
    return max(fitting, key=len, default=excerpt.source)


def _meant_first(excerpts: Sequence[Excerpt], names: Sequence[str], meant: Sequence[str]) -> list[Excerpt]:
    return sorted(excerpts, key=lambda e: _document(e, names) not in meant)
