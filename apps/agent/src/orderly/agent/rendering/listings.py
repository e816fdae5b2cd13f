"""Texts of lists of matters and documents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from orderly.store.functions.documents import Document
from orderly.store.functions.matters import Matter, MatterName


def document_list(matter: MatterName, documents: Sequence[Document], zone: ZoneInfo) -> str:
    lines = [f"Documents in matter {matter['number']} ({len(documents)} total):"]
    for number, d in enumerate(documents, 1):
        status = d["status"] + (f" ({d['status_reason']})" if d["status_reason"] else "")
        if d["has_revision"] and d["status"] in ("failed", "unsupported"):
            status += "; its earlier version is searched and quoted"
        lines += [
            "",
            f"{number}. {d['filename']}",
            f"   - Type: {d['content_type']}",
            f"   - Size: {size(d['size_bytes'])}",
            f"   - Status: {status}",
            f"   - Uploaded: {local_time(d['created_at'], zone)}",
            *([f"   - Attached to: {d['attached_to']['filename']}"] if d["attached_to"] else []),
            f"   ID: {d['id']}",
        ]
    return "\n".join(lines)


def matter_list(matters: Sequence[Matter]) -> str:
    lines = [f"Your matters ({len(matters)} total):"]
    for number, m in enumerate(matters, 1):
        count = m["document_count"]
        lines += [
            "",
            f"{number}. {m['number']} {m['title']}",
            f"   - Slug: {m['slug']}",
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
