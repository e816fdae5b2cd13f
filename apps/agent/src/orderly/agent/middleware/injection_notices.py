"""Notes what documents tried: text that speaks to the assistant, and hidden text. The user is told at the end of the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import ToolMessage

from orderly.agent.caller import current_caller
from orderly.agent.middleware.run_ledger import Ledger
from orderly.services.text import find_injections
from orderly.wiring.services import current_services

Record = dict[str, Any]


def merge_notices(held: list[Record] | None, new: list[Record] | None) -> list[Record]:
    """Each notice once, as last noted."""
    return list({(n["document_id"], n["text"]): n for n in (*(held or ()), *(new or ()))}.values())


async def noticed(message: ToolMessage, records: Sequence[Mapping[str, Any]], ledger: Ledger) -> list[Record]:
    """{document_id, document_name, text, run}: `text` as the document has it; empty for hidden text, with `hidden` places."""
    documents = {record["document_id"]: record["document_name"] for record in records}
    found = [_notice(r, r["text"][a:b], ledger) for r in records if r.get("text") for a, b in find_injections(r["text"])]
    whole = [record for record in records if not record.get("text")]
    if len(whole) == 1:
        found += [_notice(whole[0], message.text[a:b], ledger) for a, b in find_injections(message.text)]
    return [*found, *await _hidden({id: name for id, name in documents.items() if id not in ledger.looked_at}, ledger)]


async def _hidden(documents: Mapping[str, str], ledger: Ledger) -> list[Record]:
    if not documents:
        return []
    services = await current_services()
    caller = current_caller(services)
    hidden = await services.library.hidden_text(caller, list(documents))
    ledger.looked_at.update(documents)
    names = [(id, name, hidden[id]) for id, name in documents.items() if id in hidden]
    return [{**_notice({"document_id": id, "document_name": n}, "", ledger), "hidden": places} for id, n, places in names]


def _notice(record: Mapping[str, Any], text: str, ledger: Ledger) -> Record:
    return {"document_id": record["document_id"], "document_name": record["document_name"], "text": text, "run": ledger.run}
