"""Texts of search results, extractions and clause reports."""

from __future__ import annotations

from collections.abc import Sequence

from orderly.agent.rendering.brief_search import brief_texts
from orderly.agent.rendering.coverage import not_found
from orderly.agent.rendering.cutting import cut_to
from orderly.agent.rendering.places import closing_notes, indented, no_documents, place, reading_notes, source, unread_notes
from orderly.agent.rendering.visuals import visual_hit
from orderly.errors import EngineAccountBlocked, EngineFailed, EngineKeyRejected
from orderly.services.citations import NEAREST_HEADING
from orderly.services.documents import (
    STANDARD_CLAUSES,
    ClauseReport,
    ExtractionResult,
    coverage_of_revision,
    main_headings,
    outer_clauses,
    shown_clauses,
)
from orderly.services.search import SearchResult
from orderly.services.text import Passage, citation_label

MAX_NAMED = 10
"""Documents named in one note."""

MAIN_HEADINGS = "Main headings:"
NO_CONTRACT = "This document does not appear to be a contract. Clause analysis works best on agreements."
NUMBERED = "THE CLAUSES IN ORDER"
MAX_CLAUSE_EXCERPT = 320
"""Characters of a clause in a clause report; a cut is marked."""


def search_results(result: SearchResult, *, brief: bool = False) -> str:
    """The results, best first. `brief`: passages are cut for a language model (`brief_search`)."""
    if not result.documents:
        return no_documents(scoped=result.scoped)
    lines = []
    if result.failure is not None:
        lines += [f"{_unavailable(result.failure)} Falling back to keyword search...", ""]
    if not result.passages and not result.raw:
        lines.append(f"No relevant documents found for query: '{result.query}'")
    else:
        count = len(result.passages) + len(result.raw)
        what = "excerpt" if count == 1 else "excerpts"
        where = "all your matters" if result.matter["id"] == "all" else f"matter {result.matter['number']}"
        lines.append(f"Found {count} relevant {what} in {where}:")
        lines += _passages(result, brief=brief)
        lines += _raw_passages(result)
    if result.seen is not None and result.seen.hits:
        lines += ["", "Pages found by what they show, that none of these excerpts comes from:"]
        for number, hit in enumerate(result.seen.hits, len(result.passages) + len(result.raw) + 1):
            lines += visual_hit(number, hit, result.seen)
    proof = not_found(result.read, result.stages) if result.read else []
    unread = unread_notes(result.documents, result.raw_searched, result.raw_unread)
    notes = [*unread, *_search_notes(result), *proof]
    return "\n".join([*lines, *closing_notes(notes, result.engine)])


def _passages(result: SearchResult, *, brief: bool) -> list[str]:
    lines = []
    texts = brief_texts(result) if brief else (passage.text for passage in result.passages)
    for number, (passage, text) in enumerate(zip(result.passages, texts, strict=True), 1):
        score = f" (Relevance: {passage.score:.2f})" if passage.score is not None else ""
        quoted = [indented(f'"{text}"')] if text else []
        lines += ["", f"{number}. {source(passage)}{score}", *quoted, f"   ID: {passage.id}"]
        if passage.document_id in result.matter_numbers:
            lines.append(f"   Matter: {result.matter_numbers[passage.document_id]}")
    return lines


def _unavailable(failure: EngineFailed) -> str:
    """A rejected key or a blocked account lasts until somebody acts, so the text names it instead of "temporarily"."""
    lasting = isinstance(failure, EngineKeyRejected | EngineAccountBlocked)
    return failure.message if lasting else "Search temporarily unavailable."


def _raw_passages(result: SearchResult) -> list[str]:
    """Pieces of files, which cannot be quoted yet, because a quotation is checked against the indexed text."""
    if not result.raw:
        return []
    lines = ["", "From the raw text of documents that are not indexed yet (not to be quoted before they are):"]
    for number, piece in enumerate(result.raw, len(result.passages) + 1):
        where = f"{piece.document_name}, Page {piece.page}" if piece.paged else piece.document_name
        lines += ["", f"{number}. [{where}]", indented(f'"{piece.text}"'), f"   ID: {piece.document_id}"]
        if piece.document_id in result.matter_numbers:
            lines.append(f"   Matter: {result.matter_numbers[piece.document_id]}")
    return lines


def _search_notes(result: SearchResult) -> list[str]:
    """Sentences about the parts that the search omitted, with the reason."""
    notes = []
    if result.stages == ("raw text",) and not result.raw_searched:
        notes.append("These documents are not indexed yet: the raw text was searched word by word.")
    if result.named:
        where = "In the matters with documents that the query names, searched" if result.matter["id"] == "all" else "Searched"
        notes.append(f"{where} only what the query names: {', '.join(result.named)}.")
    if result.sight_failed:
        notes.append(f"Not searched by sight: {result.sight_failed}")
    if result.words_only:
        notes.append(f"Searched by words only, for want of vectors of this engine: {_first_names(result.words_only)}.")
    if result.repeated:
        what = "passage that repeats" if result.repeated == 1 else "passages that repeat"
        notes.append(f"Left out: {result.repeated} {what} one shown above.")
    return notes


def _first_names(names: Sequence[str]) -> str:
    """The first `MAX_NAMED` names and the number of the others."""
    return ", ".join(names[:MAX_NAMED]) + (f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else "")


def extraction(result: ExtractionResult, *, brief: bool = False) -> str:
    """The answers, then candidates. `brief`: for a language model, candidates cut to what is nearest to the question."""
    notes = reading_notes(result.document_status, result.document_reason, result.revision.health)
    if not result.answers:
        lines = [f"No answer found for: '{result.question}'. The document may not contain this information."]
        lines += _candidates(NEAREST_HEADING, result, brief=brief)
        engine = result.engine if result.candidates else None
        if result.inextractability_score is not None:
            notes.append(f"Best score: {result.confidence:.4f}; inextractability score: {result.inextractability_score:.4f}.")
        return "\n".join([*lines, *closing_notes([*notes, *not_found([coverage_of_revision(result.revision)])], engine)])
    lines = [f"Answer found in [{result.document_name}]:", "", f'Question: "{result.question}"']
    for number, answer in enumerate(result.answers):
        confidence = answer.score if number and answer.score is not None else result.confidence
        lines += [
            "",
            f'Answer: "{answer.text}"',
            "",
            f"Source: {place(answer) or result.document_name}",
            f"Confidence: {confidence:.2f}",
            *_inextractability(result),
            f"ID: {answer.id}",
        ]
    lines += _candidates("Further candidates, less sure:", result, brief=brief)
    return "\n".join([*lines, *closing_notes(notes, result.engine)])


def _inextractability(result: ExtractionResult) -> list[str]:
    score = result.inextractability_score
    return [] if score is None else [f"Inextractability score: {score:.4f}"]


def _candidates(heading: str, result: ExtractionResult, *, brief: bool) -> list[str]:
    lines = ["", heading] if result.candidates else []
    for number, passage in enumerate(result.candidates, 1):
        where = f"[{place(passage) or passage.document_name}]"
        text = cut_to(result.question, passage.text) if brief else passage.text
        lines += [f"{number}. {where}", indented(f'"{text}"'), f"   ID: {passage.id}"]
    return lines


def clause_report(report: ClauseReport) -> str:
    notes = reading_notes(report.document_status, report.document_reason, report.revision.health)
    if not report.is_contract:
        headings = main_headings(report.revision) if tuple(report.found) == STANDARD_CLAUSES else []
        shown = ["", MAIN_HEADINGS, *(f"  - {_heading(passage)}" for passage in headings)] if headings else []
        return "\n".join([NO_CONTRACT, *shown])
    clauses = {kind: shown_clauses(report.revision, kind, found) for kind, found in report.found.items()}
    headings = main_headings(report.revision) if tuple(clauses) == STANDARD_CLAUSES else []
    total = sum(len(found) for found in clauses.values())
    if not total and not headings and tuple(clauses) == STANDARD_CLAUSES and (parts := outer_clauses(report.revision)):
        shown = [
            line for part in parts for line in (f'  • {_clause_place(part)}: "{excerpt(part.text)}"', f"    ID: {part.id}")
        ]
        heading = f"✓ {NUMBERED} (Found: {len(parts)} clauses)"
        return "\n".join(
            [f"Clause Analysis for [{report.document_name}]:", "", heading, *shown, *closing_notes(notes, report.engine)]
        )
    if not total and not headings:
        none = "No clauses matching the specified types were found in this document."
        return "\n".join([none, *closing_notes([*notes, *not_found([coverage_of_revision(report.revision)])], None)])
    lines = [f"Clause Analysis for [{report.document_name}]:"]
    if headings:
        lines += ["", MAIN_HEADINGS, *(f"  - {_heading(passage)}" for passage in headings)]
    for clause_type, found in clauses.items():
        if found:
            what = "clause" if len(found) == 1 else "clauses"
            lines += ["", f"✓ {clause_type.upper()} (Found: {len(found)} {what})"]
            for passage in found:
                lines += [f'  • {_clause_place(passage)}: "{excerpt(passage.text)}"', f"    ID: {passage.id}"]
    absent = [t for t, found in clauses.items() if not found]
    if absent:
        lines += ["", *(f"✗ {clause_type.upper()} - Not found" for clause_type in absent)]
    categories = len(clauses) - len(absent)
    lines += [
        "",
        f"Summary: Found {total} {'clause' if total == 1 else 'clauses'} across "
        f"{categories} {'category' if categories == 1 else 'categories'}.",
    ]
    proof = not_found([coverage_of_revision(report.revision)]) if absent else []
    return "\n".join([*lines, *closing_notes([*notes, *proof], report.engine)])


def _heading(passage: Passage) -> str:
    reference = citation_label(passage.section_label, passage.section_title)
    return f"{reference}, page {passage.page_first}" if passage.paged else reference


def _clause_place(passage: Passage) -> str:
    label = citation_label(passage.section_label, None) or passage.section_title or "Unnumbered"
    if not passage.paged:
        return label
    return f"{label} (Page {passage.page_first})"


def excerpt(text: str) -> str:
    """Returns the beginning of a clause on one line. A longer text is cut at a word and ends with "..."."""
    flat = " ".join(text.split())
    if len(flat) <= MAX_CLAUSE_EXCERPT:
        return flat
    return flat[:MAX_CLAUSE_EXCERPT].rsplit(" ", 1)[0] + "..."
