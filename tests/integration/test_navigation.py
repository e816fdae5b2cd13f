"""Browsing and reading with the tools, by the ids that they print."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from langchain_core.tools import BaseTool

from orderly.agent import tools
from orderly.errors import Conflict, Denied, Invalid, NotFound
from orderly.models import Caller
from orderly.wiring.services import Operator, Services
from support.lease import LEASE
from support.revisions import publish, revision_of

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
Add = Callable[..., Awaitable[str]]
Acting = Callable[[Caller], dict[str, Any]]
Call = Callable[..., Awaitable[str]]


def clause(number: int, subject: str, sentences: int) -> str:
    body = " ".join(
        f"The parties agree on point {n} of the {subject} as the schedule for point {n} says." for n in range(sentences)
    )
    return f"{number}. {subject.title()}\n{number}.1 {body}\n{number}.2 This clause {number} survives the end of the deed.\n"


MANUAL = "SUPPLY MANUAL DEED\n\nThis deed is made on 4 May 2023 between Acacia Pty Ltd and Boronia Pty Ltd.\n\n" + "\n".join(
    clause(n, subject, 60 if n == 3 else 12)
    for n, subject in enumerate(["definitions", "supply", "quality control", "payment", "insurance", "notices"], 1)
)


@pytest.fixture
def call(ada: Caller, acting: Acting) -> Call:
    async def invoke(tool: BaseTool, caller: Caller | None = None, **arguments: Any) -> str:
        text: str = await tool.ainvoke(arguments, acting(caller or ada))
        return text

    return invoke


@pytest.fixture
async def folder(services: Services, ada: Caller, matter: dict[str, Any]) -> str:
    made = await services.navigation.create_folder(ada, matter["number"], "Reports")
    return str(made["id"])


@pytest.fixture
def small_budget(services: Services) -> None:
    """Lowers the output budget, so that short texts exceed it."""
    object.__setattr__(services.reader, "budget", 800)


def ids(text: str) -> list[str]:
    return re.findall(rf"ID: ({UUID})", text)


def printed(text: str, quotation: str) -> bool:
    return " ".join(quotation.split()) in " ".join(text.split())


# Workflows of the specification, with the number of calls that it names.


async def test_root_folders_are_browsed_in_one_call(call: Call, matter: dict[str, Any]) -> None:
    text = await call(tools.list_contents)
    assert text.startswith("Your matters (1 item):\n\n1. ")
    assert f"1. {matter['number']} {matter['title']} [matter]" in text
    assert ids(text) == [matter["id"]]
    assert text.endswith("[Items 1 to 1 of 1.]")


async def test_a_folder_is_found_and_browsed_in_two_calls(
    call: Call, services: Services, ada: Caller, folder: str, add_file: Add
) -> None:
    document = await add_file("q4.txt", LEASE)
    await services.navigation.move_document(ada, document, folder)
    await services.navigation.create_folder(ada, (await services.library.matters(ada))[0]["id"], "Old", folder)
    [found] = ids(await call(tools.find, name="report"))
    assert found == folder
    text = await call(tools.list_contents, path_part_id=found)
    assert re.findall(r"^\d+\. (.+)$", text, re.M) == ["Old [folder]", "q4.txt [document]"]
    assert document in ids(text) and "Contents of M-" in text and " > Reports (2 items):" in text


async def test_a_small_document_is_found_and_read_in_two_calls(call: Call, add_file: Add) -> None:
    document = await add_file("Access Policy.txt", LEASE)
    [found] = ids(await call(tools.find, name="POLICY"))
    assert found == document
    text = await call(tools.read, path_part_id=found)
    for line in LEASE.splitlines():
        assert printed(text, line)
    assert re.search(r"\[Complete: \d+ passages?\.\]$", text)


async def test_a_large_document_is_found_and_its_section_read_in_three_calls(
    call: Call, add_file: Add, small_budget: None
) -> None:
    await add_file("manual.txt", MANUAL)
    [found] = ids(await call(tools.find, name="manual"))
    contents = await call(tools.read, path_part_id=found)
    assert "Too long for one answer" in contents and "point 7 of the supply" not in contents
    assert printed(contents, "made on 4 May 2023 between Acacia Pty Ltd")
    rows = re.findall(
        rf"^ *- (Section [^:]+): (\d+) passages?, about ([\d,]+) tokens(?:, \d+ subsections)? ID: ({UUID})$", contents, re.M
    )
    assert [r[0] for r in rows if "." not in r[0]][:2] == ["Section 1 (Definitions)", "Section 2 (Supply)"]
    [section] = [r[3] for r in rows if r[0] == "Section 5 (Insurance)"]
    text = await call(tools.read, path_part_id=section)
    assert text.startswith("Section: Section 5 (Insurance)\nPath: M-")
    for line in clause(5, "insurance", 12).splitlines():
        assert printed(text, line)
    assert "of the notices" not in text and "of the payment" not in text


async def test_a_search_result_is_expanded_in_two_calls(call: Call, matter: dict[str, Any], add_file: Add) -> None:
    await add_file("manual.txt", MANUAL)
    hit = ids(await call(tools.isaacus_search, matter_id=matter["id"], query="insurance of the parties"))[0]
    alone = await call(tools.read, path_part_id=hit)
    around = await call(tools.read_around, chunk_id=hit)
    assert "(the passage asked for)" in around and len(ids(around)) >= 2
    assert len(around) > len(alone)
    assert re.search(r"\[Passages \d+ to \d+ of \d+; the one asked for is number \d here\. Section .+ shown in full", around)


async def test_the_location_of_an_id_is_returned_in_one_call(call: Call, folder: str, matter: dict[str, Any]) -> None:
    text = await call(tools.get_info, path_part_id=folder)
    assert f"Path: {matter['number']} {matter['title']} > Reports\nParent ID: {matter['id']}" in text


async def test_from_a_result_up_to_its_folder_in_two_calls(
    call: Call, services: Services, ada: Caller, folder: str, add_file: Add
) -> None:
    document = await add_file("q4.txt", LEASE)
    await services.navigation.move_document(ada, document, folder)
    text = await call(tools.get_info, path_part_id=document)
    parent = re.search(rf"^Parent ID: ({UUID})$", text, re.M)[1]  # type: ignore[index]
    assert "q4.txt" in await call(tools.list_contents, path_part_id=parent)


# Ids of every kind.


async def test_get_info_accepts_every_id_that_a_tool_prints(
    call: Call, matter: dict[str, Any], add_file: Add, services: Services, ada: Caller, folder: str
) -> None:
    document = await add_file("lease.txt", LEASE)
    revision = (await services.store.rpc(ada, "get_document", {"document_id": document}))["revision"]["id"]
    span = {"document_id": document, "revision_id": revision, "start": 0, "end": 26}
    citation = (await services.store.rpc(ada, "save_citation", span))["id"]
    seen = {matter["number"], citation}
    for text in (
        await call(tools.list_contents),
        await call(tools.list_contents, path_part_id=matter["id"]),
        await call(tools.read, path_part_id=document),
        await call(tools.get_info, path_part_id=document),
        await call(tools.isaacus_extract, document_id=document, question="Which law governs the lease?"),
    ):
        seen |= set(ids(text))
    kinds = {(await call(tools.get_info, path_part_id=id)).partition(":")[0] for id in seen}
    assert kinds == {"Matter", "Folder", "Document", "Section", "Passage", "Citation"}
    assert f'Quotation: "{LEASE[:26]}"' in await call(tools.get_info, path_part_id=citation)


async def test_an_id_of_the_wrong_kind_is_answered_with_the_tool_that_accepts_it(
    call: Call, matter: dict[str, Any], add_file: Add, folder: str
) -> None:
    document = await add_file("lease.txt", LEASE)
    hit = ids(await call(tools.read, path_part_id=document))[0]
    for tool, argument, id, sentence in (
        (
            tools.list_contents,
            "path_part_id",
            document,
            f"{document} is a document (lease.txt), not a matter or folder. Use read",
        ),
        (tools.list_contents, "path_part_id", hit, "Use read to see it, or read_around"),
        (
            tools.read,
            "path_part_id",
            folder,
            f"{folder} is a folder (Reports), not a document, section or passage. Use list_contents",
        ),
        (tools.read, "path_part_id", matter["number"], "Use list_contents to see what is in it."),
        (tools.read_around, "chunk_id", document, "is a document (lease.txt), not a passage. Use read"),
    ):
        text = await call(tool, **{argument: id})
        assert text.startswith("Error: ") and sentence in text, text


@pytest.mark.parametrize(
    ("tool", "argument"),
    [
        (tools.list_contents, "path_part_id"),
        (tools.get_info, "path_part_id"),
        (tools.read, "path_part_id"),
        (tools.read_around, "chunk_id"),
    ],
    ids=lambda v: getattr(v, "name", ""),
)
async def test_forbidden_ids_read_like_missing_ids(
    call: Call, matter: dict[str, Any], add_file: Add, folder: str, stranger: Caller, tool: BaseTool, argument: str
) -> None:
    document = await add_file("lease.txt", LEASE)
    hit = ids(await call(tools.read, path_part_id=document))[0]
    for id in (matter["id"], matter["number"], folder, document, hit, "no-id", "00000000-0000-4000-8000-000000000000", "a\nb"):
        text = await call(tool, stranger, **{argument: id})
        assert text == f"Error: Item {id} not found or you don't have access."


async def test_names_are_found_only_in_the_callers_matters(call: Call, add_file: Add, folder: str, stranger: Caller) -> None:
    await add_file("lease.txt", LEASE)
    assert "lease.txt" in await call(tools.find, name="lease", kind="DOCUMENT")
    assert await call(tools.find, stranger, name="e") == "No matter, folder or document has 'e' in its name."
    assert await call(tools.list_contents, stranger) == "You have no matters yet."


async def test_a_deleted_document_is_missing_from_every_tool(
    call: Call, services: Services, ada: Caller, add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    [*hits] = ids(await call(tools.read, path_part_id=document))
    await services.store.rpc(ada, "delete_document", {"document_id": document})
    matter = (await services.library.matters(ada))[0]
    assert (await call(tools.list_contents, path_part_id=matter["number"])).endswith(" is empty.")
    for id in (document, hits[0]):
        assert await call(tools.read, path_part_id=id) == f"Error: Item {id} not found or you don't have access."
    assert (await call(tools.find, name="lease.txt")).startswith("No matter, folder or document")


# Finding.


async def test_find_matches_wildcard_characters_literally_and_filters_by_kind(
    call: Call, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("100%_done.txt", LEASE)
    await add_file("100 done.txt", LEASE + "x")
    assert len(ids(await call(tools.find, name="0%_d"))) == 1
    assert len(ids(await call(tools.find, name="100"))) == 2
    assert (await call(tools.find, name="100", kind="FOLDER")).startswith("No matter or folder has")
    assert ids(await call(tools.find, name=matter["title"][:5].upper(), kind="FOLDER")) == [matter["id"]]
    assert await call(tools.find, name="  ") == "Error: Give the name, or a part of it."


async def test_pages_of_a_listing_are_consecutive(call: Call, services: Services, ada: Caller, matter: dict[str, Any]) -> None:
    for n in range(7):
        await services.navigation.create_folder(ada, matter["id"], f"Folder {n}")
    seen: list[str] = []
    text = await call(tools.list_contents, path_part_id=matter["id"], limit=3)
    while True:
        seen += re.findall(r"^\d+\. (Folder \d) \[folder\]$", text, re.M)
        more = re.search(r"To go on, call list_contents with path_part_id=(\S+), offset=(\d+)\.\]$", text)
        if more is None:
            break
        text = await call(tools.list_contents, path_part_id=more[1], limit=3, offset=int(more[2]))
    assert seen == [f"Folder {n}" for n in range(7)]
    assert "is past the last one" in await call(tools.list_contents, path_part_id=matter["id"], offset=99)
    assert "[Items 1 to 7 of 7.]" in await call(tools.list_contents, path_part_id=matter["id"], limit=10_000, offset=-5)


# Reading.


async def test_pages_of_a_long_section_add_up_to_the_section(call: Call, add_file: Add, small_budget: None) -> None:
    document = await add_file("manual.txt", MANUAL)
    contents = await call(tools.read, path_part_id=document)
    [section] = re.findall(rf"Section 3 \(Quality Control\): .* ID: ({UUID})$", contents, re.M)
    read: list[str] = []
    text = await call(tools.read, path_part_id=section)
    assert "[Passages 1 to " in text
    while True:
        read += re.findall(r"point (\d+) of the quality control as", text)
        more = re.search(r"To read on, call read with path_part_id=(\S+), offset=(\d+)\.\]$", text)
        if more is None:
            break
        text = await call(tools.read, path_part_id=more[1], offset=int(more[2]))
    assert text.endswith(": this is the end.]")
    assert list(dict.fromkeys(read)) == [str(n) for n in range(60)]
    one = await call(tools.read, path_part_id=section, limit=1, offset=1)
    assert len(ids(one)) == 1


async def test_no_output_exceeds_its_budget(call: Call, add_file: Add, small_budget: None) -> None:
    document = await add_file("manual.txt", MANUAL)
    for offset in (0, 1, 5):
        text = await call(tools.read, path_part_id=document, limit=100, offset=offset)
        assert len(text) < 2 * 800 * 4


async def test_a_truncated_contents_page_says_how_to_continue(call: Call, add_file: Add, services: Services) -> None:
    object.__setattr__(services.reader, "budget", 500)
    many = "DEED OF MANY CLAUSES\n\n" + "\n".join(clause(n, f"subject {n}", 4) for n in range(1, 31))
    document = await add_file("many.txt", many)
    contents = await call(tools.read, path_part_id=document)
    left = re.search(r"\[(\d+) more sections follow\. .* offset=(\d+)\.\]", contents)
    assert left is not None
    first_left = 30 - int(left[1]) + 1
    following = await call(tools.read, path_part_id=document, offset=int(left[2]), limit=1)
    assert f"of the subject {first_left} as" in following


async def test_a_document_without_passages_is_read_in_pieces(
    call: Call, ada: Caller, matter: dict[str, Any], publish_text: Callable[..., Awaitable[str]], services: Services
) -> None:
    document = await publish_text(ada, matter["id"], "raw.txt", MANUAL, chunked=False)
    text = await call(tools.read, path_part_id=document, limit=2)
    assert "no passages of this document yet" in text and "[Pieces 1 to 2 of " in text
    shown = ""
    offset = 0
    while True:
        reading = await services.reader.read(ada, document, 2, offset)
        shown += "".join(p.text for p in reading.passages)
        if reading.next_offset is None:
            break
        offset = reading.next_offset
    assert shown == MANUAL


async def test_passages_are_slices_of_the_text(services: Services, ada: Caller, add_file: Add) -> None:
    document = await add_file("manual.txt", MANUAL)
    reading = await services.reader.read(ada, document)
    assert reading.contents is None
    view = await services.store.rpc(ada, "get_revision", {"document_id": document})
    assert all(view["text"][p.start : p.end] == p.text for p in reading.passages)
    assert all(one.end <= other.start for one, other in zip(reading.passages, reading.passages[1:], strict=False))
    assert "".join("".join(p.text for p in reading.passages).split()) == "".join(view["text"].split())


async def test_a_document_that_is_processing_or_unreadable_is_named_as_such(
    call: Call, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    upload = {"filename": "new.txt", "content_type": "text/plain", "size_bytes": 1, "sha256": "0" * 64, "on_duplicate": "keep"}
    made = await services.store.rpc(ada, "register_document", {"matter_ref": matter["id"], **upload})
    pending = made["document"]["id"]
    await services.store.rpc(ada, "document_stored", {"document_id": pending})
    assert await call(tools.read, path_part_id=pending) == "Document is still being processed. Please wait and try again."
    assert "Status: queued" in await call(tools.get_info, path_part_id=pending)
    broken = await add_file("broken.pdf", b"%PDF-1.7\nnothing that follows")
    assert (await call(tools.read, path_part_id=broken)).startswith("Error: Could not extract text from document.\n")


async def test_a_section_of_an_earlier_version_points_to_the_document(
    call: Call, services: Services, operator: Operator, ada: Caller, add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    old = (await services.store.rpc(ada, "get_revision", {"document_id": document}))["sections"][0]["id"]
    await services.store.rpc(ada, "reprocess_document", {"document_id": document})
    await publish(operator.worker, revision_of(document, LEASE.replace("five (5) years", "six (6) years")))
    text = await call(tools.read, path_part_id=old)
    assert text == (
        f"Error: {old} belongs to an earlier version of lease.txt. Read the document as it is now: its id is {document}."
    )
    assert "six (6) years" in await call(tools.read, path_part_id=document)


# Folders.


async def test_folders_are_created_renamed_moved_and_deleted(
    services: Services, ada: Caller, matter: dict[str, Any], folder: str, call: Call
) -> None:
    way = services.navigation
    inner = await way.create_folder(ada, matter["id"], "Inner", folder)
    with pytest.raises(Conflict, match="of that name already"):
        await way.create_folder(ada, matter["id"], "INNER", folder)
    with pytest.raises(Invalid, match="into itself"):
        await way.move_folder(ada, folder, inner["id"])
    with pytest.raises(Conflict, match="Only an empty folder"):
        await way.delete_folder(ada, folder)
    await way.rename_folder(ada, inner["id"], "Outer")
    await way.move_folder(ada, inner["id"], None)
    assert re.findall(r"^\d+\. (.+)$", await call(tools.list_contents, path_part_id=matter["id"]), re.M) == [
        "Outer [folder]",
        "Reports [folder]",
    ]
    await way.delete_folder(ada, inner["id"])
    with pytest.raises(NotFound):
        await way.rename_folder(ada, inner["id"], "Gone")
    for odd in ("", "  ", "two\nlines", "a\u202eb", "x" * 256):
        with pytest.raises(Invalid):
            await way.create_folder(ada, matter["id"], odd)


async def test_folders_of_other_matters_and_other_users_cannot_be_used(
    services: Services, ada: Caller, stranger: Caller, matter: dict[str, Any], folder: str, add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    second = await services.store.rpc(ada, "create_matter", {"title": "Second"})
    with pytest.raises(NotFound):
        await services.navigation.create_folder(ada, second["id"], "Inner", folder)
    elsewhere = await services.navigation.create_folder(ada, second["id"], "Elsewhere")
    with pytest.raises(NotFound):
        await services.navigation.move_document(ada, document, elsewhere["id"])
    with pytest.raises(NotFound):
        await services.navigation.rename_folder(stranger, folder, "Mine")
    member = {"matter_ref": matter["id"], "member_email": "stranger@firm.example", "member_role": "viewer"}
    await services.store.rpc(ada, "add_matter_member", member)
    with pytest.raises(Denied):
        await services.navigation.rename_folder(stranger, folder, "Mine")


async def test_a_folder_can_be_searched_by_its_id(
    call: Call, services: Services, ada: Caller, matter: dict[str, Any], folder: str, add_file: Add
) -> None:
    await add_file("other.txt", LEASE.replace("New South Wales", "Victoria"))
    document = await add_file("lease.txt", LEASE)
    await services.navigation.move_document(ada, document, folder)
    text = await call(tools.isaacus_search, matter_id=matter["id"], query="governing law", within=[folder])
    assert "[lease.txt" in text and "[other.txt" not in text
