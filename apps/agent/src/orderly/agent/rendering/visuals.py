"""Text of a visual search."""

from __future__ import annotations

from orderly.agent.rendering.places import closing_notes
from orderly.services.visuals import VisualHit, VisualResult

MAX_CHARACTERS = 240
"""Characters of the words of a page; a cut is marked."""

MAX_NAMED = 20
"""Documents named as not searched."""

EMBEDDED_INDEX = (
    "Index: the embedded one, of figures, drawings, tables, signatures and stamps by their captions and words; "
    "it does not see what a page looks like."
)


def visual_results(result: VisualResult) -> str:
    if not result.document_count:
        return "No documents found in this matter. Upload documents first."
    where = "all your matters" if result.matter == "all" else f"matter {result.matter}"
    if not result.hits:
        lines = [f"No pages found in {where} that show: '{result.query}'"]
    else:
        count = len(result.hits)
        lines = [f"Found {count} {'page' if count == 1 else 'pages'} in {where} for '{result.query}':"]
    for number, hit in enumerate(result.hits, 1):
        lines += visual_hit(number, hit, result)
    return "\n".join([*lines, *closing_notes(_notes(result), None)])


def visual_hit(number: int, hit: VisualHit, result: VisualResult) -> list[str]:
    score = f" (Relevance: {hit.score:.2f})" if hit.score is not None else ""
    lines = ["", f"{number}. [{hit.document_name}, Page {hit.page}]{score}"]
    if hit.kinds:
        lines.append(f"   - Shows: {', '.join(hit.kinds)}")
    if hit.caption:
        lines.append(f"   - Caption: {hit.caption}")
    if hit.words:
        lines.append(f"   - Words there: {shorten(hit.words)}")
    if hit.description:
        lines.append(f"   - Described by {result.described_by} (no quotation): {' '.join(hit.description.split())}")
    if result.matter == "all":
        lines.append(f"   - Matter: {hit.matter_number}")
    return [*lines, f"   ID: {hit.document_id} (to see it: view_page with page_number={hit.page})"]


def shorten(words: str) -> str:
    return words if len(words) <= MAX_CHARACTERS else words[:MAX_CHARACTERS].rsplit(" ", 1)[0] + "..."


def _notes(result: VisualResult) -> list[str]:
    notes = [] if result.by_sight else [EMBEDDED_INDEX]
    for name, reason in result.not_looked_at[:MAX_NAMED]:
        explanation = reason.rstrip(".") or "it was taken in before, or while it was not set up; take it in again"
        notes.append(f"Not looked at, or not in full: {name} ({explanation}).")
    if len(result.not_looked_at) > MAX_NAMED:
        notes.append(f"Not looked at: {len(result.not_looked_at) - MAX_NAMED} more documents.")
    return [*notes, *result.failures]
