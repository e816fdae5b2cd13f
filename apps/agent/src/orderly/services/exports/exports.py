"""Exports a review to a file, off the event loop."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args
from zoneinfo import ZoneInfo

from orderly.models import Caller
from orderly.services.documents import PageImages
from orderly.services.exports.csv_file import csv_file
from orderly.services.exports.exhibits import exhibits
from orderly.services.exports.table import ExportTable, export_table
from orderly.services.reviews import Reviews
from orderly.store.base import Store
from orderly.store.functions.firm import whoami
from orderly.store.functions.reviews import Review

Format = Literal["xlsx", "csv", "docx"]
FORMATS: tuple[Format, ...] = get_args(Format)
MEDIA_TYPES: dict[Format, str] = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


@dataclass(frozen=True, slots=True)
class Exports:
    store: Store
    reviews: Reviews
    pages: PageImages
    timezone: str

    async def export(self, caller: Caller, review: Review, format: Format) -> bytes:
        """The review as a file, from the rows that the caller may see."""
        person = (await whoami(self.store, caller))["email"]
        table = await self.reviews.table(caller, review)
        made = export_table(table, person, datetime.now(ZoneInfo(self.timezone)))
        if format == "csv":
            return await asyncio.to_thread(csv_file, made)
        if format == "xlsx":
            return await asyncio.to_thread(_workbook, made)
        shown = await exhibits(self.pages, caller, made)
        from orderly.services.exports.report import report  # noqa: PLC0415 - python-docx takes 0.1 s to import

        return await asyncio.to_thread(report, made, shown)


def _workbook(table: ExportTable) -> bytes:
    from orderly.services.exports.workbook import workbook  # noqa: PLC0415 - openpyxl takes 0.2 s to import

    return workbook(table)
