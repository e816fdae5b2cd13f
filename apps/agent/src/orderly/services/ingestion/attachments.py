"""Registers attachments as documents before their carrier is published, so that a crash loses none.

Idempotent: the store identifies attachments by content.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from orderly.errors import DocumentNotFound, StorageFailed
from orderly.models import Attachment
from orderly.services.document_processor import DocumentProcessor
from orderly.services.files import MEGABYTE, Spool, open_spool, put_once, visible_name
from orderly.services.ingestion.claims import Claim
from orderly.settings import Settings
from orderly.store.base import Blobs
from orderly.store.functions.attachments import (
    RegisteredAttachment,
    attachment_stored,
    register_attachment,
    withdraw_attachment,
)
from orderly.store.functions.ingestion import AttachmentReport

MAX_LISTED = 100
"""Files beyond a limit that are listed by name."""


@dataclass(frozen=True, slots=True)
class RegisteredAttachments:
    entries: tuple[AttachmentReport, ...] = ()
    """For the health report, in the order of the carrier."""
    incomplete: tuple[str, ...] = ()
    """Reasons why the carrier is incomplete."""


@dataclass(frozen=True, slots=True)
class AttachmentRegistrar:
    claim: Claim
    blobs: Blobs
    processor: DocumentProcessor
    settings: Settings

    async def register(self, attachments: Sequence[Attachment]) -> RegisteredAttachments:
        """Registers and stores attachments. Raises TakenOver, StorageFailed."""
        entries: list[AttachmentReport] = []
        incomplete: list[str] = []
        oversized = 0
        for number, attachment in enumerate(attachments, start=1):
            name = visible_name(attachment.name, f"attachment {number}")
            if len(attachment.data) > self.settings.max_file_mb * MEGABYTE:
                oversized += 1
                entries.append(_entry(attachment, name, "too large"))
                continue
            registered = await self._register(attachment, name)
            outcome = registered["outcome"]
            if outcome in ("too many", "too deep"):
                left_out = attachments[number - 1 : number - 1 + MAX_LISTED]
                entries += [_entry(a, visible_name(a.name, "unnamed"), outcome) for a in left_out]
                incomplete.append(self._limit_reason(outcome, len(attachments), number - 1))
                break
            entries.append(_entry(attachment, name, outcome, registered))
        if oversized:
            incomplete.append(
                f"{oversized} attached file{'' if oversized == 1 else 's'} larger than {self.settings.max_file_mb} MB, "
                "the most that is accepted, could not be taken in"
            )
        return RegisteredAttachments(tuple(entries), tuple(incomplete))

    async def _register(self, attachment: Attachment, name: str) -> RegisteredAttachment:
        async with open_spool(name, self.settings.max_file_mb) as spool:
            await asyncio.to_thread(_write, attachment, spool)
            content_type = await self.processor.detect(spool.path, name)
            registered = await register_attachment(
                self.claim.worker, self.claim.document["id"], claim=self.claim.number, filename=name, content_type=content_type,
                size_bytes=spool.size, sha256=spool.sha256, family_limit=self.settings.max_attachments,
                depth_limit=self.settings.max_attachment_depth,
            )  # fmt: skip
            if registered["document_id"] and registered["storage_key"]:
                await self._store(registered["document_id"], registered["storage_key"], spool)
        return registered

    async def _store(self, document_id: str, storage_key: str, spool: Spool) -> None:
        try:
            await put_once(self.blobs, storage_key, spool.path, spool.sha256)
        except StorageFailed:
            await withdraw_attachment(self.claim.worker, document_id, storage_key)
            raise
        try:
            await attachment_stored(self.claim.worker, document_id, storage_key)
        except DocumentNotFound:  # deleted between the two calls
            await self.blobs.delete(storage_key)

    def _limit_reason(self, outcome: str, total: int, registered: int) -> str:
        if outcome == "too deep":
            depth = self.settings.max_attachment_depth
            return (
                f"the {_files(total)} attached to it could not be taken in: {depth} levels of files inside files are the limit"
            )
        return (
            f"it has {_files(total)} attached, and only {registered:,} of them were taken in: "
            f"{self.settings.max_attachments:,} are the limit for one file and all that lies in it"
        )


def _write(attachment: Attachment, spool: Spool) -> None:
    spool.write(attachment.data)
    spool.finish()


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"


def _entry(attachment: Attachment, name: str, outcome: str, registered: RegisteredAttachment | None = None) -> AttachmentReport:
    return {
        "name": name,
        "type": attachment.content_type,
        "bytes": len(attachment.data),
        "outcome": outcome,
        "document_id": registered["document_id"] if registered else None,
        "note": _note(outcome, registered),
    }


def _note(outcome: str, registered: RegisteredAttachment | None) -> str:
    if registered and outcome == "known" and not registered["own"]:
        return f"the same content is in this matter already, as {registered['filename']}"
    if registered and outcome == "deleted":
        return f"deleted by a person on {str(registered['deleted_at'])[:10]}, and not taken in again"
    return {
        "too many": "not taken in: too many files",
        "too deep": "not taken in: too many levels of files inside files",
        "too large": "not taken in: too large",
    }.get(outcome, "")
