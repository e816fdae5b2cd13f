"""Cells that rules leave open, filled by a language model: the gate checks quotation and value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from integration.doors.test_reviews import cells, events, made, until_done
from orderly.settings import Settings
from support.lease import LEASE
from support.scripted_model import Failure, Reply, ScriptedModel, serve

MEMO = """MEMORANDUM

Paid in at the bank in Wagga: AUD 12,500.00, held by Ms Doe until 30 June 2031 or until 1 May 2032, whichever suits.
The key of the shed is blue.
"""
PROPOSALS = {
    "Sum": ("Paid in at the bank in Wagga: AUD 12,500.00", "12,500.00 AUD"),
    "Until": ("held by Ms Doe until 30 June 2031 or until 1 May 2032", "2032-05-01"),
    "Holder": ("held by Ms Doe", "Ms Doe"),
    "Other holder": ("held by Ms Doe", "Mr Roe"),
    "Keys": ("The key of the shed is blue", "7"),
    "Colour": ("The key of the shed is red", "red"),
    "Shed": ("The key of the shed is blue", "yes"),
    "Secrecy": ("shall not disclose them to any third party", "yes"),
}
TYPES = {"Sum": "money", "Until": "date", "Keys": "number", "Shed": "yes_no", "Secrecy": "yes_no"}
COLUMNS = [{"title": t, "question": f"Zyxwvu tsrqpon {t}?", "answer_type": TYPES.get(t, "text")} for t in PROPOSALS]
SECRECY = {**COLUMNS.pop(), "question": "Is disclosure of the terms to third parties prohibited?"}
LAW = {"title": "Law", "question": "Which law governs?", "answer_type": "jurisdiction", "subject": "governing law"}


def proposing(request: dict[str, Any]) -> Reply:
    [prompt] = [str(message["content"]) for message in request["messages"]]
    if "fails" in prompt:
        return Failure(400)
    listed = re.findall(r"^(\d+)\. ([^:\n]+): ", prompt.rpartition("Columns:")[2], re.MULTILINE)
    proposed = [
        (int(n), *PROPOSALS[title])
        for n, title in listed
        if title in PROPOSALS and ("MEMORANDUM" in prompt or PROPOSALS[title][0] in prompt)
    ]
    reply = {"cells": [{"column": n, "quotation": q, "value": v} for n, q, v in proposed]}
    return f"```json\n{json.dumps(reply)}\n```"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with serve(proposing) as scripted:
        yield scripted


@pytest.fixture
def settings(settings: Settings, model: ScriptedModel) -> Settings:
    return settings.model_copy(update={"openai_api_key": SecretStr("sk"), "openai_base_url": model.base_url})


async def test_a_proposal_counts_if_the_document_has_the_words_and_they_state_the_value(
    http: httpx.AsyncClient, matter: dict[str, Any], add_file: Any, model: ScriptedModel
) -> None:
    await add_file("memo.txt", MEMO)
    await add_file("lease.txt", LEASE)
    reviews = f"/api/matters/{matter['number']}/reviews"
    review = f"{reviews}/{(await made(http, reviews, LAW, *COLUMNS))['id']}"
    async with events(http, review, **{"Last-Event-ID": "0"}) as stream:
        await until_done(stream)
    found = {title: cell for (name, title), cell in (await cells(http, review)).items() if name == "memo.txt"}
    assert {title for title, cell in found.items() if cell["state"] == "found"} == {"Sum", "Until", "Holder"}
    assert (found["Sum"]["value"]["amount"], found["Sum"]["value"]["currency"]) == ("12500.00", "AUD")
    assert found["Until"]["value"]["iso"] == "2032-05-01"
    assert {found[t]["state"] for t in ("Other holder", "Keys", "Shed")} == {"candidate"}
    assert "do not state this value" in found["Other holder"]["note"]
    assert found["Colour"]["state"] != "found" and found["Colour"]["model"] is None
    for cell in found.values():
        assert all(MEMO[c["start"] : c["end"]] == c["quote"] for c in cell["citations"])
    assert found["Sum"]["model"]
    assert len(model.requests) == 2, "one request for all columns of a document"
    lease = next(r for r in model.requests if "MEMORANDUM" not in str(r))
    assert "Which law governs?" not in str(lease), "rules have found it"


async def test_a_proposed_value_stands_before_words_from_which_rules_read_none_and_keeps_them(
    http: httpx.AsyncClient, matter: dict[str, Any], add_file: Any
) -> None:
    await add_file("lease.txt", LEASE)
    reviews = f"/api/matters/{matter['number']}/reviews"
    review = f"{reviews}/{(await made(http, reviews, SECRECY))['id']}"
    async with events(http, review, **{"Last-Event-ID": "0"}) as stream:
        await until_done(stream)
    [cell] = (await cells(http, review)).values()
    assert (cell["state"], cell["value"]["yes"]) == ("candidate", True)
    proposed, *kept = (citation["quote"] for citation in cell["citations"])
    assert proposed == "shall not disclose them to any third party"
    assert any("shall keep the terms of this Lease confidential" in quote for quote in kept)


async def test_a_model_that_fails_leaves_what_rules_found_and_says_so(
    http: httpx.AsyncClient, matter: dict[str, Any], add_file: Any
) -> None:
    await add_file("lease.txt", LEASE + "\nThis fails.\n")
    reviews = f"/api/matters/{matter['number']}/reviews"
    review = f"{reviews}/{(await made(http, reviews, LAW, COLUMNS[0]))['id']}"
    async with events(http, review, **{"Last-Event-ID": "0"}) as stream:
        await until_done(stream)
    found = await cells(http, review)
    assert found["lease.txt", "Law"]["state"] == "found"
    assert "The language model could not be asked: it did not answer." in found["lease.txt", "Sum"]["note"]
