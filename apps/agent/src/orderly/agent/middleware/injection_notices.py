"""Notices about prompt injection and hidden text in documents. The answer ends with these notices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import ToolMessage

from orderly.agent.caller import current_caller
from orderly.agent.middleware.run_ledger import Ledger
from orderly.services.text import find_injections
from orderly.wiring.services import current_services

Record = dict[str, Any]


def merge_notices(stored: list[Record] | None, new: list[Record] | None) -> list[Record]:
    """Merges two lists of notices, without duplicates; the later notice wins."""
    return list({(n["document_id"], n["text"]): n for n in (*(stored or ()), *(new or ()))}.values())


async def find_notices(message: ToolMessage, records: Sequence[Mapping[str, Any]], ledger: Ledger) -> list[Record]:
    """Finds prompt injection and hidden text in a tool's result.

    Returns:
        {document_id, document_name, text, run}: `text` is verbatim. A notice of hidden text has an empty `text` and the number
        of `hidden` places.
    """
    documents = {record["document_id"]: record["document_name"] for record in records}
    found = [_notice(r, r["text"][a:b], ledger) for r in records if r.get("text") for a, b in find_injections(r["text"])]
    whole = [record for record in records if not record.get("text")]
    if len(whole) == 1:
        found += [_notice(whole[0], message.text[a:b], ledger) for a, b in find_injections(message.text)]
    unchecked = {id: name for id, name in documents.items() if id not in ledger.checked_ids}
    return [*found, *await _find_hidden_text(unchecked, ledger)]


async def _find_hidden_text(documents: Mapping[str, str], ledger: Ledger) -> list[Record]:
    if not documents:
        return []
    services = await current_services()
    caller = current_caller(services)
    hidden = await services.library.hidden_text(caller, list(documents))
    ledger.checked_ids.update(documents)
    names = [(id, name, hidden[id]) for id, name in documents.items() if id in hidden]
    return [{**_notice({"document_id": id, "document_name": n}, "", ledger), "hidden": places} for id, n, places in names]


def _notice(record: Mapping[str, Any], text: str, ledger: Ledger) -> Record:
    return {"document_id": record["document_id"], "document_name": record["document_name"], "text": text, "run": ledger.run}
