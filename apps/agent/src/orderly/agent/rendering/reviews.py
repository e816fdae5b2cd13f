"""Reviews as text: the list, one review, its cells."""

from __future__ import annotations

from collections.abc import Sequence

from orderly.services.reviews import TableReading, effective_note, effective_state, effective_value
from orderly.store.functions.review_cells import Cell, ReviewRow
from orderly.store.functions.reviews import Column, Review

STATES = {
    "queued": "not answered yet",
    "found": "found",
    "candidate": "not confirmed",
    "not_found": "nothing found",
    "failed": "failed",
    "stale": "stale: the document or the question has changed",
    "accepted": "accepted",
    "corrected": "corrected by hand, without a quotation",
    "rejected": "rejected",
}


def review_line(review: Review) -> str:
    """One line: name, status, size."""
    size = f"{_counted(review['documents'], 'document')} × {_counted(len(review['columns']), 'column')}"
    waiting = f", {review['waiting']} cells waiting" if review["waiting"] else ""
    return f"{review['name']}: {review['status']}, {size}{waiting}"


def review_text(review: Review) -> str:
    """The review with one line per column."""
    lines = [review_line(review), f"ID: {review['id']}"]
    return "\n".join([*lines, *(column_line(column) for column in review["columns"])])


def review_list(reviews: Sequence[Review]) -> str:
    """The reviews of a matter with their columns."""
    if not reviews:
        return "There are no reviews in this matter."
    return "\n\n".join(map(review_text, reviews))


def review_reading(reading: TableReading) -> str:
    """One page of a table, then counts and what the filters leave open."""
    scope = f"{reading.matching} of {reading.total} documents" + (" for which the filters hold." if reading.filtered else ".")
    lines = [f"{review_line(reading.review)}", scope]
    if reading.counts is not None:
        lines += [f"- {value}: {number}" for value, number in reading.counts.items()]
    rows = [row_text(row, reading.columns) for row in reading.rows]
    if reading.undecided:
        names = ", ".join(row["document"]["filename"] for row in reading.undecided)
        rows.append(f"Not decided, because a value is open, partial or not found: {names}.")
    if reading.more:
        rows.append(f"{reading.more} more documents. Go on with offset={reading.offset + len(reading.rows)}.")
    return "\n\n".join(["\n".join(lines), *rows])


def column_line(column: Column) -> str:
    counts = ", ".join(f"{n} {STATES[state].partition(':')[0]}" for state, n in sorted(column["states"].items()))
    kind = column["answer_type"].replace("_", "/")
    verdicts = f", {column['verdicts']} checked by a person" if column["verdicts"] else ""
    return f"- {column['title']} ({kind}): {column['question']} [{counts or 'not run'}{verdicts}]"


def row_text(row: ReviewRow, columns: Sequence[Column]) -> str:
    """A document with its cells: value, state, quotation and place."""
    document = row["document"]
    if document["current_revision_id"] is None:
        reason = document["status_reason"] or document["status"]
        return f"{document['filename']}: not read, so it has no answers ({reason})"
    cells = {cell["column_id"]: cell for cell in row["cells"]}
    lines = [f"{document['filename']}", f"ID: {document['id']}"]
    return "\n".join([*lines, *(f"  {c['title']}: {cell_text(cells.get(c['id']))}" for c in columns)])


def cell_text(cell: Cell | None) -> str:
    """Value and state, then the quotation with its place, then what a reader has to know."""
    if cell is None:
        return STATES["queued"]
    words, state = cell_words(cell), STATES[effective_state(cell)]
    parts = [words if words == state else f"{words} [{state}]", *(f"“{quote}” ({place})" for quote, place in quotations(cell))]
    if cell["verdict"] is not None:
        parts.append(_verdict(cell))
    if note := effective_note(cell):
        parts.append(note)
    if cell["state"] == "not_found" and cell["read"] is not None and cell["read"]["incomplete"]:
        parts.append(f"not all of it was read: {cell['read']['incomplete']}")
    return " — ".join(parts)


def cell_words(cell: Cell) -> str:
    """The value; without one, the state. What was accepted without a value is that nothing was found."""
    value, state = effective_value(cell), effective_state(cell)
    return value["text"] if value is not None else STATES["not_found" if state == "accepted" else state]


def quotations(cell: Cell) -> list[tuple[str, str]]:
    """The quotations of the answer with their places. A value that was corrected by hand has none."""
    if effective_state(cell) in ("corrected", "rejected"):
        return []
    return [
        (" ".join(c["quote"].split()), _place(c["page"] if c["paged"] else None, c["section_label"])) for c in cell["citations"]
    ]


def _place(page: int | None, section: str | None) -> str:
    return ", ".join(filter(None, (f"page {page}" if page else "", f"section {section}" if section else ""))) or "in the text"


def _verdict(cell: Cell) -> str:
    verdict = cell["verdict"]
    assert verdict is not None
    who = f"{verdict['verdict']} by {verdict['by'] or 'somebody'} on {verdict['at'][:10]}"
    earlier = "" if verdict["current"] else ", of an earlier version or question"
    return f"{who}{earlier}{': ' + verdict['note'] if verdict['note'] else ''}"


def review_kept(review: Review) -> str:
    """Says where a question is kept, and how many of its cells wait for a worker."""
    return f"Kept as a column of the review {review_line(review)}. `read_review` shows it."


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"
