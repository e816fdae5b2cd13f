"""What a search covers, and what it says that it covered, at the doors that users meet."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from langchain_core.tools import BaseTool

from orderly.agent import tools
from orderly.models import Caller
from orderly.services.search import KeywordQuery
from orderly.wiring.services import Operator, Services
from support.lease import LEASE

Add = Callable[..., Awaitable[str]]
Acting = Callable[[Caller], dict[str, Any]]
Call = Callable[..., Awaitable[str]]
Queue = Callable[..., Awaitable[str]]
NOTHING = "zygote xylophone quasar"


@pytest.fixture
def call(ada: Caller, acting: Acting) -> Call:
    async def invoke(tool: BaseTool, **arguments: Any) -> str:
        text: str = await tool.ainvoke(arguments, acting(ada))
        return text

    return invoke


@pytest.fixture
def queue(services: Services, ada: Caller, matter: dict[str, Any], tmp_path: Path) -> Queue:
    """Stores a file whose ingestion has not begun; gives the document's id."""

    async def add(name: str, content: str | bytes) -> str:
        data = content.encode() if isinstance(content, str) else content
        upload = {
            "matter_ref": matter["id"],
            "filename": name,
            "content_type": "application/pdf" if name.endswith(".pdf") else "text/plain",
            "size_bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "on_duplicate": "keep",
        }
        registered = await services.store.rpc(ada, "register_document", upload)
        (tmp_path / "stored").write_bytes(data)
        await services.blobs.put(registered["storage_key"], tmp_path / "stored")
        document: str = registered["document"]["id"]
        await services.store.rpc(ada, "document_stored", {"document_id": document})
        return document

    return add


def pdf(*pages: str) -> bytes:
    document = pymupdf.open()
    for text in pages:
        document.new_page().insert_textbox((72, 72, 520, 770), text)
    data: bytes = document.tobytes()
    document.close()
    return data


async def section_of(services: Services, ada: Caller, document: str, number: int) -> str:
    contents = await services.store.rpc(ada, "document_contents", {"document_id": document})
    id: str = contents["sections"][number]["id"]
    return id


# An empty filter


@pytest.mark.parametrize("tool", [tools.isaacus_search, tools.search_keyword], ids=lambda tool: tool.name)
async def test_an_empty_filter_is_no_filter(call: Call, matter: dict[str, Any], add_file: Add, tool: BaseTool) -> None:
    await add_file("lease.txt", LEASE)
    everything = await call(tool, matter_id=matter["id"], query="insolvent")
    assert "becomes insolvent" in everything
    assert await call(tool, matter_id=matter["id"], query="insolvent", within=[]) == everything
    assert "becomes insolvent" in await call(tool, matter_id="all", query="insolvent", within=[])


# The proof of absence


async def test_the_proof_names_the_documents_in_scope_and_no_others(call: Call, matter: dict[str, Any], add_file: Add) -> None:
    document = await add_file("two.pdf", pdf("First page.", "Second page."))
    await add_file("other.pdf", pdf("A third page."))
    search = {"matter_id": matter["id"], "query": NOTHING}
    assert "Read: 2 documents, all 3 pages." in await call(tools.isaacus_search, **search)
    assert "Read: two.pdf, all 2 pages." in await call(tools.isaacus_search, **search, within=[document])
    assert "Read: two.pdf, all 2 pages." in await call(tools.search_keyword, **search, within=[document])


async def test_the_proof_for_a_folder_counts_its_documents_alone(
    call: Call, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    folder = await services.navigation.create_folder(ada, matter["id"], "Annexes")
    inside = await add_file("inside.pdf", pdf("Inside."))
    await add_file("outside.pdf", pdf("Outside.", "Outside."))
    search = {"matter_id": matter["id"], "query": NOTHING, "within": [folder["id"]]}
    assert await call(tools.isaacus_search, **search) == "No documents found in the given folders."
    assert await call(tools.search_keyword, **search) == "No documents found in the given folders."
    await services.navigation.move_document(ada, inside, folder["id"])
    assert "Read: inside.pdf, all 1 page." in await call(tools.isaacus_search, **search)
    assert "Read: inside.pdf, all 1 page." in await call(tools.search_keyword, **search)


async def test_the_proof_for_sections_claims_no_more_than_their_pages(
    call: Call, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    filler = "The parties agree on this matter in all its parts. " * 30
    document = await add_file("deed.pdf", pdf(f"1. DELIVERY\n{filler}", f"2. NOTICES\n{filler}", f"3. LAW\n{filler}"))
    section = await section_of(services, ada, document, 1)
    for tool in (tools.isaacus_search, tools.search_keyword):
        text = await call(tool, matter_id=matter["id"], query=NOTHING, within=[section])
        assert re.search(r"^Read: the given sections of deed\.pdf, all [12] pages?\.$", text, re.M), text


async def test_documents_that_the_query_names_are_the_only_ones_in_the_proof_of_all_matters(
    call: Call, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add, operator: Operator, tmp_path: Path
) -> None:
    await add_file("deed.txt", "This deed is made with Wattle Mining Pty Ltd.")
    await add_file("letter.txt", "This letter is about nothing in particular.")
    second = await services.store.rpc(ada, "create_matter", {"title": "Another"})
    (tmp_path / "deed.txt").write_text("A deed of the same name with nobody in particular.")
    await operator.file_ingestor.add(ada, second["id"], tmp_path / "deed.txt")
    result = await services.library.search(ada, "all", f"Wattle Mining: {NOTHING}", 5)
    assert not result.passages and result.named == ("deed.txt",)
    assert len(result.read) == 2, "the named deed of the one matter, and all of the other"


async def test_a_keyword_search_without_matches_says_what_was_read(call: Call, matter: dict[str, Any], add_file: Add) -> None:
    await add_file("two.pdf", pdf("First page.", "Second page."))
    text = await call(tools.search_keyword, matter_id=matter["id"], query=NOTHING)
    assert text.startswith(f"No exact matches for '{NOTHING}' (1 document searched in matter ")
    assert "Read: two.pdf, all 2 pages." in text


# Documents that are not indexed yet


async def test_a_document_in_the_queue_is_searched_word_by_word(
    call: Call, matter: dict[str, Any], queue: Queue, add_file: Add
) -> None:
    document = await queue("lease.txt", LEASE)
    text = await call(tools.isaacus_search, matter_id=matter["id"], query="insolvent")
    assert "becomes insolvent" in text and f"ID: {document}" in text
    assert (
        "Searched word by word only, in its raw text, as it is not indexed: lease.txt is still being processed (queued)."
        in text
    )
    found = await call(tools.search_keyword, matter_id=matter["id"], query="becomes insolvent")
    assert found.startswith("Found 1 match for 'becomes insolvent' in 1 of 1 document searched")
    await add_file("other.txt", f"{LEASE}\nInsolvency again.")
    both = await call(tools.isaacus_search, matter_id=matter["id"], query="insolvent")
    assert "[other.txt" in both and "[lease.txt]" in both


async def test_a_file_that_was_not_searched_is_never_said_to_have_been(
    call: Call, matter: dict[str, Any], queue: Queue, services: Services, ada: Caller
) -> None:
    scan = pymupdf.open()
    scan.new_page().insert_image(pymupdf.Rect(0, 0, 500, 700), pixmap=pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 50, 70)))
    await queue("scan.pdf", scan.tobytes())
    for tool in (tools.isaacus_search, tools.search_keyword):
        text = await call(tool, matter_id=matter["id"], query=NOTHING)
        assert "Not searched: scan.pdf is still being processed (queued). " in text
        assert "raw text" not in text and "Read: scan.pdf" not in text


async def test_a_proof_over_raw_text_names_it(call: Call, matter: dict[str, Any], queue: Queue) -> None:
    await queue("two.pdf", pdf("First page.", "Second page."))
    text = await call(tools.isaacus_search, matter_id=matter["id"], query=NOTHING)
    assert text.startswith(f"No relevant documents found for query: '{NOTHING}'")
    assert "Read: two.pdf, all 2 pages." in text and "Looked for by: raw text." in text


async def test_what_is_outside_the_scope_is_not_searched_as_raw_text(
    call: Call, matter: dict[str, Any], queue: Queue, add_file: Add
) -> None:
    await queue("waiting.txt", "The zygote clause.")
    document = await add_file("lease.txt", LEASE)
    text = await call(tools.isaacus_search, matter_id=matter["id"], query="zygote", within=[document])
    assert "waiting.txt" not in text


# The text of a document that is not indexed yet


async def test_the_text_of_a_file_obeys_the_budget_and_the_pages(call: Call, queue: Queue) -> None:
    page = "All work and no play makes a dull contract. " * 60
    document = await queue("long.pdf", pdf(*(f"Page marker {n}. {page}" for n in range(1, 41))))
    whole = await call(tools.get_document_text, document_id=document)
    assert len(whole) < 60_000 and "Pages: 40" in whole
    assert re.search(r"\[Shown: pages 1 to \d+ of 40; [\d,]+ characters in all\. To read on, call get_document_text", whole)
    third = await call(tools.get_document_text, document_id=document, first_page=3, last_page=3)
    assert "Page marker 3." in third and "Page marker 2." not in third and "Page marker 4." not in third
    wrong = await call(tools.get_document_text, document_id=document, first_page=41)
    assert wrong == "Error: long.pdf has pages 1 to 40; first_page and last_page must lie within."


async def test_the_text_of_a_file_without_pages_comes_in_parts(call: Call, queue: Queue) -> None:
    document = await queue("long.txt", "One line of a long text.\n" * 6_000)
    text = await call(tools.get_document_text, document_id=document)
    assert len(text) < 60_000 and "[Shown: parts 1 to 1 of 4;" in text


# Ids


async def test_ids_that_a_search_cannot_keep_to_are_explained(
    call: Call, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("lease.txt", LEASE)
    other = await services.store.rpc(ada, "create_matter", {"title": "Another"})
    folder = await services.navigation.create_folder(ada, other["id"], "Elsewhere")
    found = await services.library.search(ada, matter["id"], "notice", 1)
    for tool in (tools.isaacus_search, tools.search_keyword):
        search = {"matter_id": matter["id"], "query": "notice"}
        passage = await call(tool, **search, within=[found.passages[0].id])
        assert "is a passage" in passage and "read_around" in passage
        number = await call(tool, **search, within=[matter["number"]])
        assert f"{matter['number']} is a matter" in number and "matter_id" in number
        elsewhere = await call(tool, **search, within=[folder["id"]])
        assert f"is a folder (Elsewhere) of matter {other['number']}" in elsewhere


async def test_a_search_of_all_matters_can_keep_to_ids_of_several(
    call: Call, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add, operator: Operator, tmp_path: Path
) -> None:
    first = await add_file("first.txt", LEASE)
    await add_file("left-out.txt", f"{LEASE}\nA copy.")
    other = await services.store.rpc(ada, "create_matter", {"title": "Another"})
    (tmp_path / "second.txt").write_text(f"{LEASE}\nYet another.")
    second = (await operator.file_ingestor.add(ada, other["id"], tmp_path / "second.txt")).document_id
    for tool in (tools.isaacus_search, tools.search_keyword):
        text = await call(tool, matter_id="all", query="insolvent", within=[first, second])
        assert "first.txt" in text and "second.txt" in text and "left-out.txt" not in text
        assert (await call(tool, matter_id="all", query="insolvent", within=["nothing"])).startswith("Error: Document nothing")


async def test_a_passage_of_an_earlier_reading_is_explained(
    call: Call, services: Services, operator: Operator, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    passage = (await services.library.search(ada, matter["id"], "insolvent", 1)).passages[0].id
    await services.store.rpc(ada, "reprocess_document", {"document_id": document})
    await operator.file_ingestor.finish(document)
    told = f"Error: {passage} is a passage of an earlier reading of lease.txt, which has been read again since."
    for tool, argument in (
        (tools.read, "path_part_id"),
        (tools.get_info, "path_part_id"),
        (tools.read_around, "chunk_id"),
    ):
        text = await call(tool, **{argument: passage})
        assert text.startswith(told) and document in text
    assert (await call(tools.view_page, document_id=passage, page_number=1)).startswith(told)
    assert (await call(tools.isaacus_search, matter_id=matter["id"], query="rent", within=[passage])).startswith(told)
    assert "becomes insolvent" in await call(tools.get_document_text, document_id=passage)


async def test_a_stranger_learns_nothing_of_an_earlier_passage(
    services: Services, operator: Operator, ada: Caller, stranger: Caller, acting: Acting, matter: dict[str, Any], add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    passage = (await services.library.search(ada, matter["id"], "insolvent", 1)).passages[0].id
    await services.store.rpc(ada, "reprocess_document", {"document_id": document})
    await operator.file_ingestor.finish(document)
    text = await tools.read.ainvoke({"path_part_id": passage}, acting(stranger))
    assert text == f"Error: Item {passage} not found or you don't have access."


# Time


async def test_every_document_gets_its_share_of_the_time(
    call: Call, services: Services, ada: Caller, matter: dict[str, Any], publish_text: Callable[..., Awaitable[str]]
) -> None:
    trap = f"{'word ' * 30}!\n"
    for number in range(3):
        await publish_text(ada, matter["id"], f"trap{number}.txt", trap)
    await publish_text(ada, matter["id"], "last.txt", "plain words\n")
    began = time.monotonic()
    limited = replace(services.keywords, seconds=8.0)
    result = await limited.search(ada, matter["id"], KeywordQuery(r"^(\w+\s?)+$", "regex"))
    assert time.monotonic() - began < 8
    assert len(result.too_slow) == 3 and not result.out_of_time
    assert [document.name for document in result.by_document] == ["last.txt"]
