"""Text of a keyword search: counts by document, then the places of the matches."""

from __future__ import annotations

from dataclasses import replace

from orderly.agent.rendering.apart import found_apart
from orderly.agent.rendering.coverage import not_found
from orderly.agent.rendering.cutting import cut_to
from orderly.agent.rendering.places import closing_notes, indented, no_documents, past_the_last, source, unread_notes
from orderly.services.isolation import MOST_MATCHES
from orderly.services.search import KeywordResult, Place

MAX_DOCUMENTS = 50
"""Documents listed with their counts."""

MAX_NAMED = 20
"""Documents named in one note."""

MAX_SIMILAR = 6
"""Passages that a brief result shows, cut, where the words as written are nowhere."""


def keyword_results(result: KeywordResult, *, brief: bool = False) -> str:
    """The places. `brief`: of passages that have not the words as written, the first `MAX_SIMILAR` are shown, cut."""
    if not result.documents:
        return no_documents(scoped=result.scoped)
    if brief and result.word_forms:
        result = replace(result, places=[_cut(place, result.query) for place in result.places[:MAX_SIMILAR]])
    lines = [*_head(result), *_counts(result)]
    for number, place in enumerate(result.places, result.offset + 1):
        lines += _place(number, place, result)
    lines += ["", _position(result)] if result.count else []
    lines += found_apart(result.apart)
    unread = unread_notes(result.documents, result.raw_searched, result.raw_unread)
    proof = not_found(result.read) if result.read else []
    return "\n".join([*lines, *closing_notes([*_limits(result), *unread, *proof], None)])


def _cut(place: Place, query: str) -> Place:
    return replace(place, passage=replace(place.passage, text=cut_to(query, place.passage.text)))


def _head(result: KeywordResult) -> list[str]:
    where = "all your matters" if result.matter == "all" else f"matter {result.matter}"
    if result.word_forms:
        lines = [f"No exact matches for '{result.query}' ({_documents(len(result.searched))} searched in {where})."]
        if result.place_count:
            lines.append(f"Passages with these words or forms of them, best first ({result.place_count}):")
        return lines
    if not result.count:
        what = "matches of the expression" if result.mode == "regex" else "exact matches for"
        return [f"No {what} '{result.query}' ({_documents(len(result.searched))} searched in {where})."]
    matches = "match" if result.count == 1 else "matches"
    found = f"Found {result.count:,} {matches} for '{result.query}' in {len(result.by_document)} of "
    return [f"{found}{_documents(len(result.searched))} searched in {where}:"]


def _documents(count: int) -> str:
    return f"{count:,} document{'s' if count != 1 else ''}"


def _counts(result: KeywordResult) -> list[str]:
    if len(result.by_document) < 2 and len(result.places) == result.place_count:
        return []
    ranked = sorted(result.by_document, key=lambda d: -d.count)
    lines = [f"- {d.name}: {d.count:,} (ID: {d.document_id})" for d in ranked[:MAX_DOCUMENTS]]
    if len(ranked) > MAX_DOCUMENTS:
        rest = ranked[MAX_DOCUMENTS:]
        lines.append(f"- {len(rest)} more documents: {sum(d.count for d in rest):,}")
    return lines


def _place(number: int, place: Place, result: KeywordResult) -> list[str]:
    lines = ["", f"{number}. {source(place.passage)}", indented(f'"{place.passage.text}"'), f"   ID: {place.passage.id}"]
    if place.raw:
        lines.append("   From the raw text of a document that is not indexed yet: not to be quoted before it is.")
    if place.matched:
        lines.append(f"   Matched: {'; '.join(repr(text[:200]) for text in place.matched[:5])}")
    elif place.matches > 1:
        lines.append(f"   Matches here: {place.matches}")
    if result.matter == "all":
        lines.append(f"   Matter: {place.matter_number}")
    return lines


def _position(result: KeywordResult) -> str:
    if not result.places:
        return past_the_last(result.place_count, "place", result.offset)
    last = result.offset + len(result.places)
    shown = f"Places {result.offset + 1} to {last} of {result.place_count:,}."
    if result.next_offset is None:
        return f"[{shown}]"
    return f"[{shown} To go on, make the same call with offset={result.next_offset}; to narrow it, give ids in within.]"


def _limits(result: KeywordResult) -> list[str]:
    notes = []
    if result.too_slow:
        more = f" and {len(result.too_slow) - MAX_NAMED} more" if len(result.too_slow) > MAX_NAMED else ""
        notes.append(
            f"Not counted: the expression took too long in {', '.join(result.too_slow[:MAX_NAMED])}{more}. "
            "Write it without nested repetition, or search for plain words."
        )
    if any(document.count > MOST_MATCHES for document in result.by_document):
        notes.append(f"Of a document with more matches only the first {MOST_MATCHES:,} can be shown; all are counted.")
    if result.out_of_time:
        notes.append(
            f"Partial: the time for a search was up after {_documents(len(result.searched))}. Narrow it with within, "
            "document by document or folder by folder."
        )
    return notes
