"""Results as the contract's text. The formats are those of the specification's example outputs, line for line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from orderly.models import PENDING_STATUSES
from orderly.services.answering import ClauseReport, ExtractionResult
from orderly.services.passages import Passage
from orderly.services.reading import DocumentText, Part
from orderly.services.searching import SearchResult
from orderly.services.structure import citation_label

CLAUSE_EXCERPT = 320
"""Characters of a clause shown in an analysis; the rest is one read away, and the cut is marked."""


def place(passage: Passage) -> str:
    """Such as "Page 8, Section 12.1 (Termination)"; without fixed pages the section alone."""
    parts = []
    if passage.paged:
        one = passage.page_first == passage.page_last
        parts.append(f"Page {passage.page_first}" if one else f"Page {passage.page_first}-{passage.page_last}")
    if reference := citation_label(passage.section_label, passage.section_title):
        parts.append(reference)
    return ", ".join(parts)


def source(passage: Passage) -> str:
    """The bracket of a search result: the page where there are pages, else the section, else the name alone."""
    where = place(passage).split(", Section ")[0] if passage.paged else place(passage)
    return f"[{passage.document_name}, {where}]" if where else f"[{passage.document_name}]"


def search_results(result: SearchResult) -> str:
    if not result.documents:
        return "No documents found in this matter. Upload documents first."
    lines = []
    if result.engine_failed:
        lines += ["Search temporarily unavailable. Falling back to keyword search...", ""]
    if not result.passages:
        lines.append(f"No relevant documents found for query: '{result.query}'")
    else:
        count = len(result.passages)
        what = "excerpt" if count == 1 else "excerpts"
        where = "all your matters" if result.matter["id"] == "all" else f"matter {result.matter['number']}"
        lines.append(f"Found {count} relevant {what} in {where}:")
        for number, passage in enumerate(result.passages, 1):
            shown = f" (Relevance: {passage.score:.2f})" if passage.score is not None else ""
            lines += ["", f"{number}. {source(passage)}{shown}", _indented(f'"{passage.text}"'), f"   ID: {passage.id}"]
            if passage.document_id in result.matter_numbers:
                lines.append(f"   Matter: {result.matter_numbers[passage.document_id]}")
    return "\n".join([*lines, *_notes([*unread_notes(result.documents), *_search_notes(result)], result.engine)])


def _search_notes(result: SearchResult) -> list[str]:
    """What the search left out, and why."""
    notes = []
    if result.stages == ("raw text",):
        notes.append("These documents are not indexed yet: the raw text was searched word by word.")
    if result.named:
        notes.append(f"Searched only what the query names: {', '.join(result.named)}.")
    if result.repeated:
        what = "passage that repeats" if result.repeated == 1 else "passages that repeat"
        notes.append(f"Left out: {result.repeated} {what} one shown above.")
    return notes


def unread_notes(documents: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for every document that was not searched, or not in full."""
    notes = []
    for d in documents:
        name, reason = d["filename"], (d["status_reason"] or "").rstrip(".")
        if d["chunk_count"] is not None and d["status"] in PENDING_STATUSES:
            notes.append(f"Searched in its earlier version: {name}, whose new one is still being processed ({d['status']}).")
        elif d["chunk_count"] is not None and d["status"] in ("failed", "unsupported"):
            notes.append(f"Searched in its earlier version: {name}, whose new one could not be read ({reason}).")
        elif d["status"] in PENDING_STATUSES:
            notes.append(f"Not searched: {name} is still being processed ({d['status']}).")
        elif d["status"] == "failed":
            notes.append(f"Not searched: {name} could not be read ({reason}).")
        elif d["status"] == "unsupported":
            notes.append(f"Not searched: {name} is of an unsupported type ({reason}).")
        elif d["status"] == "partial":
            notes.append(f"Searched in part: {name} ({reason}).")
    return notes


def extraction(result: ExtractionResult) -> str:
    notes = _partly(result.document_status, result.document_reason, result.revision.health)
    if result.answer is None:
        lines = [f"No answer found for: '{result.question}'. The document may not contain this information."]
        lines += _candidates("Nearest passages, not confirmed as an answer:", result.candidates)
        engine = result.engine if result.candidates else None
        return "\n".join([*lines, *_notes(notes, engine)])
    lines = [
        f"Answer found in [{result.document_name}]:",
        "",
        f'Question: "{result.question}"',
        "",
        f'Answer: "{result.answer.text}"',
        "",
        f"Source: {place(result.answer) or result.document_name}",
        f"Confidence: {result.confidence:.2f}",
        f"ID: {result.answer.id}",
        *_candidates("Further candidates, less sure:", result.candidates),
    ]
    return "\n".join([*lines, *_notes(notes, result.engine)])


def _candidates(heading: str, passages: Sequence[Passage]) -> list[str]:
    lines = ["", heading] if passages else []
    for number, passage in enumerate(passages, 1):
        where = f"[{place(passage) or passage.document_name}]"
        lines += [f"{number}. {where}", _indented(f'"{passage.text}"'), f"   ID: {passage.id}"]
    return lines


def clause_report(report: ClauseReport) -> str:
    notes = _partly(report.document_status, report.document_reason, report.revision.health)
    if not report.is_contract:
        return "This document does not appear to be a contract. Clause analysis works best on agreements."
    total = sum(len(found) for found in report.found.values())
    if not total:
        return "\n".join(["No clauses matching the specified types were found in this document.", *_notes(notes, None)])
    lines = [f"Clause Analysis for [{report.document_name}]:"]
    for clause_type, found in report.found.items():
        if found:
            what = "clause" if len(found) == 1 else "clauses"
            lines += ["", f"✓ {clause_type.upper()} (Found: {len(found)} {what})"]
            for passage in found:
                lines += [f'  • {_clause_place(passage)}: "{excerpt(passage.text)}"', f"    ID: {passage.id}"]
    absent = [t for t, found in report.found.items() if not found]
    if absent:
        lines += ["", *(f"✗ {clause_type.upper()} - Not found" for clause_type in absent)]
    categories = len(report.found) - len(absent)
    lines += [
        "",
        f"Summary: Found {total} {'clause' if total == 1 else 'clauses'} across "
        f"{categories} {'category' if categories == 1 else 'categories'}.",
    ]
    return "\n".join([*lines, *_notes(notes, report.engine)])


def _clause_place(passage: Passage) -> str:
    label = citation_label(passage.section_label, None) or passage.section_title or "Unnumbered"
    if not passage.paged:
        return label
    return f"{label} (Page {passage.page_first})"


def excerpt(text: str) -> str:
    """The beginning of a clause on one line, cut at a word, with the cut marked."""
    flat = " ".join(text.split())
    if len(flat) <= CLAUSE_EXCERPT:
        return flat
    return flat[:CLAUSE_EXCERPT].rsplit(" ", 1)[0] + "..."


def document_text(text: DocumentText) -> str:
    unit = "page" if text.paged else "part"
    total = f"Pages: {text.total}" if text.paged else "Pages: 1 (this format has no fixed pages)"
    lines = [f"Document: {text.name}", total]
    if text.revision_id is None:
        lines.append("Note: not indexed yet; read from the stored file just now.")
    lines += _partly(text.status if text.revision_id else "", text.status_reason, {"notes": text.notes})
    for part in text.parts:
        marked = text.paged or text.total > 1
        lines += ["", *([_marker(unit, part)] if marked else []), part.text]
    if not text.complete:
        last = text.parts[-1].number
        lines += [
            "",
            f"[Shown: {unit}s {text.parts[0].number} to {last} of {text.total}; {text.character_count:,} characters in all. "
            f"To read on, call get_document_text with first_page={last + 1}.]",
            "Outline:",
            *(f"- {citation_label(s['label'], s['title'])} ({_where(s, text.paged)})" for s in text.outline),
        ]
    return "\n".join(lines)


def _marker(unit: str, part: Part) -> str:
    flags = f" ({', '.join(flag.replace('_', ' ') for flag in part.flags)})" if part.flags else ""
    return f"[{unit.capitalize()} {part.number}{flags}]"


def _where(section: Mapping[str, Any], paged: bool) -> str:
    return f"page {section['page_first']}" if paged else f"ID: {section['id']}"


def document_list(matter: Mapping[str, Any], documents: Sequence[Mapping[str, Any]], zone: ZoneInfo) -> str:
    lines = [f"Documents in matter {matter['number']} ({len(documents)} total):"]
    for number, d in enumerate(documents, 1):
        status = d["status"] + (f" ({d['status_reason']})" if d["status_reason"] else "")
        lines += [
            "",
            f"{number}. {d['filename']}",
            f"   - Type: {d['content_type']}",
            f"   - Size: {size(d['size_bytes'])}",
            f"   - Status: {status}",
            f"   - Uploaded: {local_time(d['created_at'], zone)}",
            f"   ID: {d['id']}",
        ]
    return "\n".join(lines)


def matter_list(matters: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"Your matters ({len(matters)} total):"]
    for number, m in enumerate(matters, 1):
        count = m["document_count"]
        lines += [
            "",
            f"{number}. {m['number']} {m['title']}",
            f"   - Documents: {count}",
            f"   ID: {m['id']}",
        ]
    return "\n".join(lines)


def size(count: int) -> str:
    if count < 1024:
        return f"{count} bytes"
    if count < 1024 * 1024:
        return f"{round(count / 1024)} KB"
    return f"{count / 1024 / 1024:.1f} MB"


def local_time(iso: str, zone: ZoneInfo) -> str:
    return datetime.fromisoformat(iso).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")


def _partly(status: str, reason: str, health: Mapping[str, Any]) -> list[str]:
    """What a careful reader must know about how the document was read."""
    partly = []
    if status == "partial":
        partly = [f"Note: this document was read in part only ({reason.rstrip('.')})."]
    elif status in PENDING_STATUSES:
        partly = ["Note: this is the earlier version of the document; the new one is still being processed."]
    elif status in ("failed", "unsupported"):
        partly = [f"Note: this is the earlier version of the document; the new one could not be read ({reason.rstrip('.')})."]
    return partly + [f"Note: {note}" for note in health.get("notes") or ()]


def _notes(notes: Sequence[str], engine: str | None) -> list[str]:
    lines = [*notes, *([f"Engine: {engine}"] if engine else [])]
    return ["", *lines] if lines else []


def _indented(quotation: str) -> str:
    """Three spaces, and one more where the text goes on, so that it stands behind its quotation mark."""
    first, *others = quotation.split("\n")
    return "\n".join([f"   {first}", *(f"    {line}" if line else line for line in others)])
