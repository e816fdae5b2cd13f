from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from zoneinfo import ZoneInfo

import click

from orderly.agent.rendering import local_time, size
from orderly.cli.session import json_option, runs, session, show
from orderly.services.documents import EDITION
from orderly.store.functions.health import AttachmentState, HealthReport, NotablePage, TrackedChange, Version
from orderly.store.functions.ingestion import Health, HiddenText

NAMED_CHANGES = {
    "insertion": "inserted",
    "deletion": "deleted",
    "move away": "moved away",
    "move here": "moved here",
    "struck": "struck out",
}


@click.command()
@click.argument("document_id")
@json_option
@runs
async def health(document_id: str, as_json: bool) -> None:
    """Report how a document was read: pages, tracked changes, comments, hidden text, attachments, versions."""
    async with session() as s:
        report = await s.services.library.health(s.caller, document_id)
        zone = ZoneInfo(s.services.settings.timezone)
    show(report, health_text(report, zone), as_json)


def health_text(report: HealthReport, zone: ZoneInfo) -> str:
    document = report["document"]
    found: Health = report["health"] or {}
    reason = f": {document['status_reason']}" if document["status_reason"] else ""
    lines = [f"{document['filename']}: {document['status']}{reason}"]
    if carrier := document["attached_to"]:
        lines.append(f"Attached to: {carrier['filename']} (ID: {carrier['id']})")
    if document["legal_hold"]:
        lines.append("Under a legal hold.")
    failed = document["status"] in ("failed", "unsupported")
    if found and failed:
        lines.append("Its newest file could not be read. What follows is of its earlier version, which is searched and quoted.")
    lines += [found["summary"]] if found else ["Nothing of it has been read yet."]
    if found and not failed and found.get("edition", 0) < EDITION:
        lines.append("Read by an earlier edition of the readers; `orderly reingest --outdated` reads such documents again.")
    lines += found.get("sentences", [])
    lines += found.get("notes", [])
    lines += _section("Pages read from images", [_page(p) for p in report["pages"] if p["source"] == "ocr"])
    lines += _section("Tracked changes", [_change(c) for c in report["changes"]])
    comments = cast(list[dict[str, Any]], found.get("details", {}).get("comments", []))
    lines += _section("Comments", [f"{_who(c)}: {c['text']}" for c in comments])
    hidden = found.get("hidden_text", [])
    lines += _section("Hidden text, not part of what is searched or quoted", [_hidden(h) for h in hidden])
    lines += _section("Attached files", [_attachment(a) for a in report["attachments"]])
    lines += _section("Versions", [_version(v, zone) for v in report["versions"]])
    return "\n".join(lines)


def _section(title: str, entries: list[str]) -> list[str]:
    return ["", f"{title} ({len(entries)}):", *(f"- {entry}" for entry in entries)] if entries else []


def _page(page: NotablePage) -> str:
    sure = f", confidence {page['confidence']:.0f} of 100" if page["confidence"] is not None else ""
    flags = f" ({', '.join(flag.replace('_', ' ') for flag in page['flags'])})" if page["flags"] else ""
    return f"page {page['number']}: {page['characters']:,} characters by {page['ocr_engine']}{sure}{flags}"


def _change(change: TrackedChange) -> str:
    where = f", in {change['section']}" if change["section"] else ""
    return f"{_who(change)}{where}, {NAMED_CHANGES.get(change['kind'], change['kind'])}: “{change['text']}”"


def _who(entry: Mapping[str, Any]) -> str:
    """Author, page and time of a change or comment. Word stores the author's local time as UTC, so it is not converted."""
    page = f"page {entry['page']}, " if entry.get("page") else ""
    date = str(entry.get("date") or "")
    when = f", {date[:16].replace('T', ' ')}" if date else ""
    return f"{page}{entry.get('author') or 'unnamed'}{when}"


def _hidden(entry: HiddenText) -> str:
    page = f"page {entry['page']}: " if entry["page"] else ""
    return f"{page}“{entry['text']}”"


def _attachment(entry: AttachmentState) -> str:
    state = entry["status"] or "not taken in"
    reason = f": {entry['status_reason']}" if entry["status_reason"] else ""
    note = f" ({entry['note']})" if entry["note"] else ""
    where = f"  ID: {entry['document_id']}" if entry["document_id"] else ""
    return f"{entry['name']} ({size(entry['bytes'])}): {state}{reason}{note}{where}"


def _version(version: Version, zone: ZoneInfo) -> str:
    current = any(r["current"] for r in version["revisions"])
    if version["unread_reason"]:
        state = f"could not be read: {version['unread_reason']}"
    elif current:
        state = "what is read now"
    else:
        state = "earlier version" if version["revisions"] else "not read yet, or replaced before it was"
    weight = f", {size(version['size_bytes'])}" if version["size_bytes"] is not None else ""
    by = f" from {version['received_by']}" if version["received_by"] else ""
    return f"{version['filename']}{weight}, received {local_time(version['received_at'], zone)}{by}: {state}"
