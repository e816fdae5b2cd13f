"""Texts of listings, searches by name, and the facts about one id."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from orderly.agent.rendering.apart import kept_apart
from orderly.agent.rendering.listings import local_time, size
from orderly.agent.rendering.places import past_the_last, reading_notes
from orderly.services.documents import Info, Listing, Node, estimate_tokens, section_name
from orderly.store.functions.documents import ReadableDocument
from orderly.store.functions.ingestion import Health
from orderly.store.functions.nodes import DocumentItem, Item
from orderly.store.functions.revisions import Section

MAX_OUTLINED = 60
"""Sections in the outline of a document. `read` lists all."""


def contents(listing: Listing) -> str:
    node = listing.node
    if node is None:
        head, empty, call = "Your matters", "You have no matters yet.", "list_contents with "
    else:
        where = path([node["matter"]["name"], *(folder["name"] for folder in node["folders"])])
        head, empty = f"Contents of {where}", f"{where} is empty."
        call = f"list_contents with path_part_id={node['id']}, "
    if not listing.total:
        return empty
    lines = [f"{head} ({listing.total} {_plural(listing.total, 'item')}):", *_items(listing)]
    return "\n".join([*lines, "", position(listing, call)])


def found_by_name(found: Listing, name: str, kind: str | None) -> str:
    what = {None: "matter, folder or document", "FOLDER": "matter or folder", "DOCUMENT": "document"}[kind]
    if not found.total:
        return f"No {what} has '{name}' in its name."
    lines = [f"Found {found.total} {_plural(found.total, 'item')} with '{name}' in the name:", *_items(found)]
    more = f", kind={kind}" if kind else ""
    return "\n".join([*lines, "", position(found, f"find with name={name}{more}, ")])


def position(listing: Listing, call: str) -> str:
    """The range of items on this page and, if there are more, the call for the next page."""
    if not listing.items:
        return past_the_last(listing.total, "item", listing.offset)
    last = listing.offset + len(listing.items)
    next_page = f" To go on, call {call}offset={listing.next_offset}." if listing.next_offset is not None else ""
    return f"[Items {listing.offset + 1} to {last} of {listing.total}.{next_page}]"


def path(names: Sequence[str]) -> str:
    return " > ".join(names)


def _items(listing: Listing) -> list[str]:
    lines = []
    for number, item in enumerate(listing.items, listing.offset + 1):
        lines += ["", f"{number}. {item['name']} [{item['kind']}]", f"   - {_facts(item)}"]
        if listing.found_at and item["kind"] != "matter":
            place = listing.found_at[number - listing.offset - 1]
            lines.append(f"   - In: {path([place['matter_number'], *(folder['name'] for folder in place['folders'])])}")
        lines.append(f"   ID: {item['id']}")
    return lines


def _facts(item: Item) -> str:
    if item["kind"] == "document":
        return ", ".join(_document_facts(item))
    documents = f"{item['document_count']} {_plural(item['document_count'], 'document')}"
    if item["kind"] == "matter":
        return documents + (", archived" if item["archived"] else "")
    return f"{item['folder_count']} {_plural(item['folder_count'], 'folder')}, {documents}"


def _document_facts(document: DocumentItem) -> list[str]:
    facts = [document["content_type"]]
    if document["paged"]:
        pages = document["page_count"] or 0
        facts.append(f"{pages} {_plural(pages, 'page')}")
    if document["char_count"] is not None:
        facts.append(f"about {estimate_tokens(document['char_count']):,} tokens")
    reason = f" ({document['status_reason']})" if document["status_reason"] else ""
    return [*facts, document["status"] + reason]


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def info(found: Info, zone: ZoneInfo) -> str:
    node = found.node
    lines = [f"{node.kind.capitalize()}: {node.name}", f"ID: {node.id}", f"Path: {path(node.path)}"]
    if node.row["parent_id"]:
        lines.append(f"Parent ID: {node.row['parent_id']}")
    lines.append(f"Matter: {node.matter['number']} (ID: {node.matter['id']})")
    if node.kind == "matter":
        lines += [f"Documents: {node.matter['document_count']}", f"Your role: {node.matter['role']}"]
    if node.document is not None:
        lines += _document_lines(node.document, zone, found.sections) if node.kind == "document" else _part_lines(node)
    return "\n".join([*lines, *_outline(found.sections), "", _next_step(node)])


def _document_lines(document: ReadableDocument, zone: ZoneInfo, sections: Sequence[Section]) -> list[str]:
    reason = f" ({document['status_reason']})" if document["status_reason"] else ""
    lines = [
        f"Type: {document['content_type']}",
        f"Size: {size(document['size_bytes'])}",
        f"Status: {document['status']}{reason}",
        f"Uploaded: {local_time(document['created_at'], zone)}",
    ]
    revision = document["revision"]
    if revision is None:
        return lines
    if revision["paged"]:
        lines.append(f"Pages: {revision['page_count']}")
    lines.append(f"Text: {revision['char_count']:,} characters, about {estimate_tokens(revision['char_count']):,} tokens")
    lines.append(f"Passages: {revision['chunk_count']}")
    return [*lines, *_health(document, revision["health"]), *kept_apart(revision["health"], sections)]


def _health(document: ReadableDocument, health: Health) -> list[str]:
    summary, confidence = health.get("summary"), health.get("ocr_confidence")
    lines = [f"Reading: {summary}"] if summary else []
    if confidence is not None:
        lines.append(f"Recognised from images: {len(health['ocr_pages'])} pages, mean confidence {confidence:.0f} %")
    for flag, numbers in health.get("flags", {}).items():
        lines.append(f"Pages with {flag.replace('_', ' ')}: {_first_numbers(numbers)}")
    return lines + reading_notes(document["status"] if document["has_revision"] else "", document["status_reason"], health)


def _first_numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:20])) + (f" and {len(numbers) - 20} more" if len(numbers) > 20 else "")


def _part_lines(node: Node) -> list[str]:
    assert node.document is not None
    lines = [f"Document: {node.document['filename']} (ID: {node.document['id']})"]
    if not node.row["current"]:
        lines.append("Version: an earlier one; the document has been replaced since.")
    citation, span = node.row["citation"], node.row["span"]
    if citation is not None:
        where = f" (page {citation['page']})" if citation["paged"] else ""
        return [*lines, f'Quotation{where}: "{citation["quote"]}"']
    place = node.row["passage"] or node.row["sections"][-1]
    assert span is not None
    if node.document["revision"] and node.document["revision"]["paged"]:
        first, last = place["page_first"], place["page_last"]
        lines.append(f"Pages: {first}" if first == last else f"Pages: {first}-{last}")
    lines.append(f"Text: {span['char_count']:,} characters, about {estimate_tokens(span['char_count']):,} tokens")
    return [*lines, f"Passages: {span['chunk_count']}"]


def _outline(sections: Sequence[Section]) -> list[str]:
    if not sections:
        return []
    top = min(s["level"] for s in sections)
    shown = [s for s in sections if s["level"] <= top + 1]
    lines = ["Outline:"]
    lines += [f"{'  ' * (s['level'] - top)}- {section_name(s)} (ID: {s['id']})" for s in shown[:MAX_OUTLINED]]
    if len(shown) > MAX_OUTLINED:
        lines.append(f"  … and {len(shown) - MAX_OUTLINED} more sections; call read for all of them.")
    return lines


def _next_step(node: Node) -> str:
    if node.kind in ("matter", "folder"):
        return f"[To see what is in it, call list_contents with path_part_id={node.id}.]"
    if node.kind == "citation":
        return f"[To see it on its page, call view_page with document_id={node.id}.]"
    return f"[To read it, call read with path_part_id={node.id}.]"
