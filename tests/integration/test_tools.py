"""The tools' contract: output formats and every row of the error table, for direct calls."""

from __future__ import annotations

import re
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pymupdf
import pytest
import respx
from langchain_core.tools import BaseTool
from pydantic import SecretStr

from orderly.agent import rendering, tools
from orderly.errors import EngineUnavailable, Invalid
from orderly.models import Caller
from orderly.services.documents import read_revision
from orderly.services.engines.local import LocalEngine
from orderly.services.library import Library
from orderly.settings import Settings
from orderly.wiring.services import Operator, Services, open_services
from support.lease import LEASE
from support.revisions import claim

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

NOT_A_CONTRACT = (
    "Dear Margaret,\n\nThank you for the lovely dinner on Saturday. The weather at the coast has been fine and the children "
    "swam every day. We saw a whale from the headland on Tuesday. Please remember me to your sister.\n\nWith love,\nRuth\n"
) * 3

Add = Callable[..., Awaitable[str]]
Acting = Callable[[Caller], dict[str, Any]]


@pytest.fixture
def call(ada: Caller, acting: Acting) -> Callable[..., Awaitable[str]]:
    async def invoke(tool: BaseTool, caller: Caller | None = None, **arguments: Any) -> str:
        text: str = await tool.ainvoke(arguments, acting(caller or ada))
        return text

    return invoke


Call = Callable[..., Awaitable[str]]


async def test_search_returns_ranked_excerpts_in_the_specified_format(
    call: Call, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("lease.txt", LEASE)
    text = await call(tools.isaacus_search, matter_id=matter["id"], query="how can the lease be terminated")
    head, first = text.split("\n\n")[:2]
    count = int(re.fullmatch(rf"Found (\d+) relevant excerpts? in matter {matter['number']}:", head)[1])  # type: ignore[index]
    assert 1 <= count <= 10
    pattern = rf'1\. \[lease\.txt(?:, Section [^\]]+)?\] \(Relevance: [01]\.\d\d\)\n   "(?P<quote>[^"]+)"\n   ID: {UUID}'
    match = re.fullmatch(pattern, first, re.S)
    assert match is not None, first
    assert "\n".join(line.removeprefix("    ") for line in match["quote"].split("\n")) in LEASE
    assert "ninety (90) days" in first
    assert "Offline engine" in text


async def test_search_names_the_page_of_a_paged_document(call: Call, matter: dict[str, Any], add_file: Add) -> None:
    use = "The parties agree on the use of the premises. " * 25
    mail = "Notices shall be sent by registered mail to the Lessor. " * 20
    await add_file("notice.pdf", pdf(f"1. USE OF PREMISES\n{use}", f"2. NOTICES\n{mail}"))
    text = await call(tools.isaacus_search, matter_id=matter["number"], query="notices by registered mail")
    assert re.search(r"^\d+\. \[notice\.pdf, Page 2\] \(Relevance: [01]\.\d\d\)$", text, re.M)


async def test_search_can_be_restricted_to_documents_and_sections(call: Call, matter: dict[str, Any], add_file: Add) -> None:
    lease, other = await add_file("lease.txt", LEASE), await add_file("other.txt", f"{LEASE}\nAnother copy.")
    text = await call(tools.isaacus_search, matter_id=matter["id"], query="written notice", within=[other])
    assert "[other.txt" in text and "[lease.txt" not in text
    forbidden = await call(tools.isaacus_search, matter_id=matter["id"], query="notice", within=[str(uuid.uuid4())])
    assert forbidden.startswith("Error: ")
    assert lease not in text


async def test_all_searches_every_matter_of_the_caller_and_no_other(
    call: Call,
    services: Services,
    ada: Caller,
    stranger: Caller,
    matter: dict[str, Any],
    add_file: Add,
    operator: Operator,
    tmp_path: Path,
) -> None:
    await add_file("lease.txt", LEASE)
    second = await services.store.rpc(ada, "create_matter", {"title": "Second"})
    path = tmp_path / "deed.txt"
    path.write_text("1. Notice\nEvery written notice under this deed is given by registered mail to the trustee.")
    await operator.file_ingestor.add(ada, second["id"], path)
    text = await call(tools.isaacus_search, matter_id="all", query="written notice")
    assert text.startswith("Found ") and " in all your matters:" in text.split("\n")[0]
    assert f"Matter: {matter['number']}" in text and f"Matter: {second['number']}" in text
    nothing = await call(tools.isaacus_search, stranger, matter_id="all", query="written notice")
    assert nothing == "No documents found in this matter. Upload documents first."


async def test_semantic_mode_ranks_by_vectors_only(
    call: Call, matter: dict[str, Any], add_file: Add, services: Services, ada: Caller
) -> None:
    await add_file("lease.txt", LEASE)
    assert "written notice" in await call(
        tools.isaacus_search, matter_id=matter["id"], query="ending the lease", mode="semantic"
    )
    result = await services.library.search(ada, matter["id"], "ending the lease", 5, mode="semantic")
    assert "full text" not in result.stages and "vectors" in result.stages


async def test_an_excerpts_id_is_accepted_as_its_document(
    call: Call, matter: dict[str, Any], add_file: Add, stranger: Caller
) -> None:
    await add_file("lease.txt", LEASE)
    found = await call(tools.isaacus_search, matter_id=matter["id"], query="governing law")
    excerpt = re.search(rf"^   ID: ({UUID})$", found, re.M)[1]  # type: ignore[index]
    answer = await call(tools.isaacus_extract, document_id=excerpt, question="Which law governs the lease?")
    assert answer.startswith("Answer found in [lease.txt]:")
    assert (await call(tools.get_document_text, document_id=excerpt)).startswith("Document: lease.txt")
    refused = await call(tools.isaacus_extract, stranger, document_id=excerpt, question="Which law?")
    assert refused == f"Error: Document {excerpt} not found or you don't have access."


@pytest.mark.parametrize("odd", ["a\x00b", "\udcff", "a\nb"])
async def test_malformed_ids_and_questions_get_the_usual_errors(
    call: Call, matter: dict[str, Any], add_file: Add, odd: str
) -> None:
    document = await add_file("lease.txt", LEASE)
    assert await call(tools.list_matter_documents, matter_id=odd) == f"Error: Matter {odd} not found or you don't have access."
    assert await call(tools.get_document_text, document_id=odd) == f"Error: Document {odd} not found or you don't have access."
    if "\n" not in odd:
        refused = "Error: The question contains characters that are not text."
        assert await call(tools.isaacus_extract, document_id=document, question=odd) == refused


async def test_max_results_is_clamped_to_1_and_50(
    call: Call, matter: dict[str, Any], add_file: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add_file("lease.txt", LEASE)
    wanted: list[int] = []
    search = Library.search

    async def noting(self: Library, caller: Caller, matter_ref: str, query: str, max_results: int, *more: Any) -> Any:
        wanted.append(max_results)
        return await search(self, caller, matter_ref, query, max_results, *more)

    monkeypatch.setattr(Library, "search", noting)
    for asked in (1, 0, -3, 999):
        text = await call(tools.isaacus_search, matter_id=matter["id"], query="lease", max_results=asked)
        assert 1 <= len(re.findall(r"^\d+\. \[", text, re.M)) <= wanted[-1]
    assert wanted == [1, 1, 1, 50]


def pdf(*pages: str) -> bytes:
    document = pymupdf.open()
    for text in pages:
        document.new_page().insert_textbox((72, 72, 520, 770), text)
    data: bytes = document.tobytes()
    document.close()
    return data


async def test_extract_returns_quotation_source_and_confidence(call: Call, add_file: Add) -> None:
    document = await add_file("lease.txt", LEASE)
    text = await call(tools.isaacus_extract, document_id=document, question="Which law governs the lease?")
    match = re.match(
        r'Answer found in \[lease\.txt\]:\n\nQuestion: "Which law governs the lease\?"\n\nAnswer: "(?P<answer>[^"]+)"\n\n'
        rf"Source: (?P<source>Section 5[^\n]*)\nConfidence: (?P<confidence>[01]\.\d\d)\nID: {UUID}\n",
        text,
    )
    assert match is not None, text
    assert match["answer"] in LEASE
    assert "New South Wales" in match["answer"]
    assert "Offline engine" in text


async def test_an_answer_in_several_places_has_several_entries(call: Call, add_file: Add) -> None:
    document = await add_file("lease.txt", LEASE)
    text = await call(tools.isaacus_extract, document_id=document, question="Who are the parties?")
    entry = rf'\nAnswer: "(?P<NAME>[^"]+)"\n\nSource: [^\n]+\nConfidence: [01]\.\d\d\nID: {UUID}\n'
    entries = entry.replace("NAME", "one") + entry.replace("NAME", "other")
    match = re.match(r'Answer found in \[lease\.txt\]:\n\nQuestion: "Who are the parties\?"\n' + entries, text)
    assert match is not None, text
    assert match["one"] in LEASE and match["other"] in LEASE


async def test_extract_names_page_and_section_of_a_pdf(call: Call, add_file: Add) -> None:
    clause = "12.1 Termination. Either party may terminate this Agreement on ninety days written notice."
    document = await add_file(
        "agreement.pdf", pdf("SERVICE AGREEMENT between A Pty Ltd and B Pty Ltd", "12. TERMINATION", clause)
    )
    text = await call(tools.isaacus_extract, document_id=document, question="What is the termination notice period?")
    assert re.search(r"^Source: Page 3, Section 12\.1 \(Termination\)$", text, re.M), text


async def test_extract_declines_with_the_specified_message(call: Call, add_file: Add) -> None:
    document = await add_file("lease.txt", LEASE)
    question = "What is the chemical formula of the fertiliser?"
    text = await call(tools.isaacus_extract, document_id=document, question=question)
    assert text.startswith(f"No answer found for: '{question}'. The document may not contain this information.")


async def test_classify_lists_found_and_absent_clauses(call: Call, add_file: Add) -> None:
    document = await add_file("lease.txt", LEASE)
    text = await call(tools.isaacus_classify, document_id=document)
    assert text.startswith("Clause Analysis for [lease.txt]:\n")
    assert re.search(r"^✓ TERMINATION \(Found: \d+ clauses?\)$", text, re.M)
    assert re.search(rf'^  • Section 5[^:]*: "[^\n]*New South Wales[^\n]*"\n    ID: {UUID}$', text, re.M)
    assert re.search(r"^✗ FORCE MAJEURE - Not found$", text, re.M)
    found = sum(int(n) for n in re.findall(r"\(Found: (\d+)", text))
    categories = len(re.findall(r"^✓", text, re.M))
    assert re.search(rf"^Summary: Found {found} clauses? across {categories} categor(y|ies)\.$", text, re.M)


async def test_classify_finds_custom_types(call: Call, add_file: Add) -> None:
    document = await add_file("lease.txt", LEASE)
    text = await call(tools.isaacus_classify, document_id=document, clause_types=["interest on late payment", "drone flights"])
    assert "✓ INTEREST ON LATE PAYMENT (Found: 1 clause)" in text
    assert "✗ DRONE FLIGHTS - Not found" in text
    assert "TERMINATION" not in text


async def test_text_is_returned_complete_with_its_header(call: Call, add_file: Add) -> None:
    document = await add_file("lease.txt", LEASE)
    text = await call(tools.get_document_text, document_id=document)
    assert text.startswith("Document: lease.txt\nPages: ")
    assert LEASE.strip() in text


async def test_text_of_pages_is_marked_and_can_be_requested(call: Call, add_file: Add) -> None:
    document = await add_file("three.pdf", pdf("first page words", "second page words", "third page words"))
    whole = await call(tools.get_document_text, document_id=document)
    assert whole.startswith("Document: three.pdf\nPages: 3\n")
    part = await call(tools.get_document_text, document_id=document, first_page=2, last_page=2)
    assert "second page words" in part and "first page words" not in part
    beyond = await call(tools.get_document_text, document_id=document, first_page=9)
    assert beyond.startswith("Error: three.pdf has pages 1 to 3")


async def test_a_long_text_is_never_truncated_silently(
    call: Call, add_file: Add, settings: Settings, ada: Caller, acting: Acting
) -> None:
    words = "".join(f"{n}. Clause {n}\n{'The parties agree on matter number ' * 30}{n}.\n\n" for n in range(1, 61))
    document = await add_file("long.txt", words)
    text = await call(tools.get_document_text, document_id=document)
    shown = re.search(r"\[Shown: parts 1 to (\d+) of (\d+); [\d,]+ characters in all\. .*first_page=(\d+)\.\]", text)
    assert shown is not None
    rest = await call(tools.get_document_text, document_id=document, first_page=int(shown[3]))
    assert "matter number 60." in rest


async def test_a_listing_has_the_specified_lines(call: Call, matter: dict[str, Any], add_file: Add) -> None:
    document = await add_file("lease.txt", LEASE)
    text = await call(tools.list_matter_documents, matter_id=matter["id"])
    assert text.startswith(
        f"Documents in matter {matter['number']} (1 total):\n\n1. lease.txt\n   - Type: text/plain\n   - Size: 869 bytes\n"
    )
    assert re.search(rf"   - Status: ready\n   - Uploaded: \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d\n   ID: {document}$", text)


async def test_a_listing_can_be_narrowed(call: Call, matter: dict[str, Any], add_file: Add) -> None:
    await add_file("Lease.txt", LEASE)
    await add_file("notice.pdf", pdf("Notices shall be sent by mail."))
    named = await call(tools.list_matter_documents, matter_id=matter["id"], filename_pattern="LE*.TXT")
    assert "1. Lease.txt" in named and "notice.pdf" not in named
    typed = await call(tools.list_matter_documents, matter_id=matter["id"], content_type="application/")
    assert "1. notice.pdf" in typed and "Lease.txt" not in typed
    none = await call(tools.list_matter_documents, matter_id=matter["id"], filename_pattern="*.docx")
    assert none == "No documents in this matter match that filter."


async def test_matters_are_listed_with_their_ids(call: Call, matter: dict[str, Any], stranger: Caller) -> None:
    text = await call(tools.list_matters)
    assert f"1. {matter['number']} {matter['title']}" in text and f"ID: {matter['id']}" in text
    assert await call(tools.list_matters, stranger) == "You have no matters yet."


async def test_think_tool_records_the_reflection() -> None:
    assert await tools.think_tool.ainvoke({"reflection": "compare both"}) == "Reflection recorded: compare both"


MATTER_TOOLS = [(tools.isaacus_search, {"query": "rent"}), (tools.list_matter_documents, {})]
DOCUMENT_TOOLS = [
    (tools.isaacus_extract, {"question": "What is the rent?"}),
    (tools.isaacus_classify, {}),
    (tools.get_document_text, {}),
]
WRONG_IDS = [str(uuid.uuid4()), "not-an-id", "'; drop table documents; --", "M-9999-999"]


@pytest.mark.parametrize(("tool", "arguments"), MATTER_TOOLS, ids=lambda v: getattr(v, "name", ""))
async def test_a_matter_that_is_missing_or_forbidden_reads_the_same(
    call: Call, matter: dict[str, Any], add_file: Add, stranger: Caller, tool: BaseTool, arguments: dict[str, Any]
) -> None:
    await add_file("lease.txt", LEASE)
    for matter_id in (*WRONG_IDS, matter["id"], matter["number"]):
        text = await call(tool, stranger, matter_id=matter_id, **arguments)
        assert text == f"Error: Matter {matter_id} not found or you don't have access."


@pytest.mark.parametrize(("tool", "arguments"), DOCUMENT_TOOLS, ids=lambda v: getattr(v, "name", ""))
async def test_a_document_that_is_missing_or_forbidden_reads_the_same(
    call: Call, add_file: Add, stranger: Caller, tool: BaseTool, arguments: dict[str, Any]
) -> None:
    document = await add_file("lease.txt", LEASE)
    for document_id in (*WRONG_IDS, document):
        text = await call(tool, stranger, document_id=document_id, **arguments)
        assert text == f"Error: Document {document_id} not found or you don't have access."


async def test_an_empty_matter_says_so(call: Call, matter: dict[str, Any]) -> None:
    assert await call(tools.isaacus_search, matter_id=matter["id"], query="rent") == (
        "No documents found in this matter. Upload documents first."
    )
    assert await call(tools.list_matter_documents, matter_id=matter["id"]) == "No documents found in this matter."


async def test_a_search_without_results_says_so(call: Call, matter: dict[str, Any], add_file: Add) -> None:
    await add_file("lease.txt", LEASE)
    text = await call(tools.isaacus_search, matter_id=matter["id"], query="zygote xylophone quasar")
    assert text.startswith("No relevant documents found for query: 'zygote xylophone quasar'")


async def test_a_letter_is_not_a_contract(call: Call, add_file: Add) -> None:
    document = await add_file("letter.txt", NOT_A_CONTRACT)
    assert await call(tools.isaacus_classify, document_id=document) == (
        "This document does not appear to be a contract. Clause analysis works best on agreements."
    )


async def test_an_absent_clause_type_is_reported(call: Call, add_file: Add) -> None:
    document = await add_file("lease.txt", LEASE)
    text = await call(tools.isaacus_classify, document_id=document, clause_types=["drone flights over vineyards"])
    assert text.startswith("No clauses matching the specified types were found in this document.")


async def test_a_document_in_the_queue_is_not_ready(
    call: Call, services: Services, ada: Caller, matter: dict[str, Any]
) -> None:
    registered = await register(services, ada, matter)
    await services.store.rpc(ada, "document_stored", {"document_id": registered["document"]["id"]})
    arguments = {"document_id": registered["document"]["id"]}
    not_ready = "Document is still being processed. Please wait and try again."
    assert await call(tools.isaacus_extract, question="What is the rent?", **arguments) == not_ready
    assert await call(tools.isaacus_classify, **arguments) == not_ready
    listing = await call(tools.isaacus_search, matter_id=matter["id"], query="rent")
    assert "Not searched: lease.txt is still being processed (queued)." in listing


async def register(services: Services, ada: Caller, matter: dict[str, Any], name: str = "lease.txt") -> dict[str, Any]:
    registered: dict[str, Any] = await services.store.rpc(
        ada,
        "register_document",
        {
            "matter_ref": matter["id"],
            "filename": name,
            "content_type": "text/plain",
            "size_bytes": len(LEASE),
            "sha256": "0" * 64,
            "on_duplicate": "keep",
        },
    )
    return registered


async def test_text_is_read_from_the_file_when_no_revision_is_stored(
    call: Call, services: Services, ada: Caller, matter: dict[str, Any], tmp_path: Path
) -> None:
    registered = await register(services, ada, matter)
    (tmp_path / "stored").write_text(LEASE)
    await services.blobs.put(registered["storage_key"], tmp_path / "stored")
    await services.store.rpc(ada, "document_stored", {"document_id": registered["document"]["id"]})
    text = await call(tools.get_document_text, document_id=registered["document"]["id"])
    assert LEASE.strip() in text
    assert "not indexed yet" in text


async def test_text_of_a_missing_file_is_an_error(call: Call, services: Services, ada: Caller, matter: dict[str, Any]) -> None:
    registered = await register(services, ada, matter)
    await services.store.rpc(ada, "document_stored", {"document_id": registered["document"]["id"]})
    text = await call(tools.get_document_text, document_id=registered["document"]["id"])
    assert text == "Error: Could not download document from storage."


async def test_text_of_an_unreadable_file_is_an_error(call: Call, add_file: Add, matter: dict[str, Any]) -> None:
    document = await add_file("broken.pdf", b"%PDF-1.7\nnothing that follows")
    for tool, arguments in DOCUMENT_TOOLS:
        text = await call(tool, document_id=document, **arguments)
        head, reason = text.split("\n")
        assert head == "Error: Could not extract text from document."
        assert "damaged" in reason
    listing = await call(tools.list_matter_documents, matter_id=matter["id"])
    assert re.search(r"   - Status: failed \(.+\)", listing)
    searched = await call(tools.isaacus_search, matter_id=matter["id"], query="rent")
    assert "Not searched: broken.pdf could not be read (" in searched


async def test_an_empty_question_is_refused(call: Call, matter: dict[str, Any], add_file: Add) -> None:
    document = await add_file("lease.txt", LEASE)
    assert await call(tools.isaacus_search, matter_id=matter["id"], query="   ") == "Error: The query is empty."
    assert (await call(tools.isaacus_extract, document_id=document, question="x" * 10_001)).startswith(
        "Error: The question is longer"
    )


@respx.mock(assert_all_called=False)
async def test_a_failing_engine_falls_back_to_keywords_and_says_so(
    respx_mock: respx.MockRouter,
    settings: Settings,
    services: Services,
    ada: Caller,
    acting: Acting,
    matter: dict[str, Any],
    add_file: Add,
) -> None:
    await add_file("lease.txt", LEASE)
    respx_mock.post("https://api.isaacus.com/v1/embeddings").mock(
        return_value=httpx.Response(503, headers={"x-should-retry": "false"})
    )
    with_isaacus = settings.model_copy(update={"isaacus_api_key": SecretStr("iuak_v1_test")})
    async with open_services(with_isaacus) as other:
        assert "Isaacus" in other.engine.description
        text = await tools.isaacus_search.ainvoke({"matter_id": matter["id"], "query": "written notice"}, acting(ada))
    assert text.startswith("Search temporarily unavailable. Falling back to keyword search...\n\nFound ")
    assert "ninety (90) days" in text
    assert "Relevance" not in text


class _ImpairedEngine(LocalEngine):
    """The offline engine with one failing method."""

    def __init__(self, lost: str) -> None:
        super().__init__()
        self.lost = lost

    async def embed(self, texts: Any, *, task: Any = "retrieval/document") -> Any:
        if self.lost == "embed":
            raise EngineUnavailable("It does not answer.")
        return await super().embed(texts, task=task)

    async def rerank(self, query: str, documents: Any, **options: Any) -> Any:
        if self.lost == "rerank":
            raise EngineUnavailable("It does not answer.")
        return await super().rerank(query, documents, **options)


async def test_a_search_without_reranking_says_so_and_shows_no_score(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("lease.txt", LEASE)
    library = replace(services.library, engine=_ImpairedEngine("rerank"))
    text = rendering.search_results(await library.search(ada, matter["id"], "written notice", 5))
    assert text.startswith("Search temporarily unavailable. Falling back to keyword search...")
    assert "ninety (90) days" in text and "Relevance" not in text


async def test_a_document_that_cannot_be_embedded_is_partial_and_found_by_keywords(
    services: Services, operator: Operator, ada: Caller, matter: dict[str, Any], tmp_path: Path, call: Call
) -> None:
    (tmp_path / "lease.txt").write_text(LEASE)
    ingestor = replace(operator.ingestor, engine=_ImpairedEngine("embed"))
    report = await replace(operator.file_ingestor, ingestor=ingestor).add(ada, matter["id"], tmp_path / "lease.txt")
    assert report.status == "partial" and "searched by words only" in report.reason
    text = await call(tools.isaacus_search, matter_id=matter["id"], query="written notice")
    assert "ninety (90) days" in text and "Searched in part: lease.txt" in text


async def test_documents_without_chunks_are_searched_as_raw_text(
    call: Call, ada: Caller, matter: dict[str, Any], publish_text: Callable[..., Awaitable[str]], services: Services
) -> None:
    await publish_text(ada, matter["id"], "raw.txt", LEASE, chunked=False)
    text = await call(tools.isaacus_search, matter_id=matter["id"], query="insolvent")
    assert "[raw.txt" in text and "becomes insolvent" in text
    assert "not indexed yet" in text


async def test_a_file_over_the_limit_is_refused_by_name(
    operator: Operator, settings: Settings, ada: Caller, matter: dict[str, Any], tmp_path: Path
) -> None:
    big = tmp_path / "big.txt"
    big.write_bytes(b"x" * (1024 * 1024 + 1))
    file_ingestor = replace(operator.file_ingestor, settings=settings.model_copy(update={"max_file_mb": 1}))
    with pytest.raises(Invalid, match=r"big\.txt is larger than 1 MB"):
        await file_ingestor.add(ada, matter["id"], big)


async def test_a_hostile_file_name_stays_one_line_of_a_listing(
    operator: Operator, ada: Caller, matter: dict[str, Any], tmp_path: Path, call: Call
) -> None:
    name = f"evil\n   - Status: ready\n   ID: {uuid.uuid4()}\n\n9. other\u202e.txt"
    (tmp_path / name).write_text(LEASE)
    await operator.file_ingestor.add(ada, matter["id"], tmp_path / name)
    listing = await call(tools.list_matter_documents, matter_id=matter["id"])
    assert len(re.findall(r"^\d+\. ", listing, re.M)) == 1
    assert len(re.findall(r"^   ID: ", listing, re.M)) == 1
    assert "\u202e" not in listing


async def test_tracked_changes_are_reported_wherever_the_document_is_quoted(call: Call, add_file: Add) -> None:
    changed = (Path(__file__).parents[1] / "fixtures/files/own_tracked_changes.docx").read_bytes()
    document = await add_file("changed.docx", changed)
    assert re.search(r"^Note: .*tracked", await call(tools.get_document_text, document_id=document), re.M | re.I)
    answer = await call(tools.isaacus_extract, document_id=document, question="What is the term?")
    assert re.search(r"^Note: .*tracked", answer, re.M | re.I)


async def test_a_call_without_a_caller_is_refused(services: Services, matter: dict[str, Any]) -> None:
    text = await tools.list_matter_documents.ainvoke({"matter_id": matter["id"]})
    assert text == "Error: You are not signed in."


def test_the_model_sees_only_its_own_arguments() -> None:
    seen = {tool.name: set(tool.tool_call_schema.model_json_schema()["properties"]) for tool in tools.DOCUMENT_TOOLS}  # type: ignore[union-attr]
    assert seen == {
        "isaacus_search": {"matter_id", "query", "mode", "within", "max_results"},
        "ask_documents": {"clause_type", "question", "matter_id", "document_ids", "first", "keep_as"},
        "isaacus_extract": {"document_id", "question"},
        "isaacus_classify": {"document_id", "clause_types"},
        "get_document_text": {"document_id", "first_page", "last_page"},
        "list_matter_documents": {"matter_id", "filename_pattern", "content_type"},
        "list_contents": {"path_part_id", "limit", "offset"},
        "find": {"name", "kind", "limit", "offset"},
        "get_info": {"path_part_id"},
        "read": {"path_part_id", "limit", "offset"},
        "read_around": {"chunk_id", "window"},
        "read_review": {"matter_id", "review", "where", "columns", "count_by", "limit", "offset"},
        "search_keyword": {
            "matter_id",
            "query",
            "mode",
            "case_sensitive",
            "context_lines",
            "within",
            "limit",
            "offset",
        },
        "view_page": {"document_id", "page_number", "highlight"},
        "visual_search": {"matter_id", "query", "max_results"},
        "resolve_citation": {"document_id", "quote", "page", "section"},
        "think_tool": {"reflection"},
    }


NOTICE = "giving not less than ninety (90) days' written notice"


@pytest.mark.parametrize("section", ["Section 3.1", "3.1", "clause 3", "Section 3 (Termination)", None])
async def test_a_quotation_is_verified_in_the_section_that_holds_it(call: Call, add_file: Add, section: str | None) -> None:
    document = await add_file("lease.txt", LEASE)
    text = await call(tools.resolve_citation, document_id=document, quote=NOTICE, section=section)
    assert text.startswith("Citation verified: [lease.txt, Section 3.1]")


@pytest.mark.parametrize("section", ["Section 2.1", "Section 3.2", "Article IV", "Schedule 1", "Section 3.1(a)", "Section 31"])
async def test_a_quotation_with_a_wrong_section_is_not_verified(call: Call, add_file: Add, section: str) -> None:
    document = await add_file("lease.txt", LEASE)
    text = await call(tools.resolve_citation, document_id=document, quote=NOTICE, section=section)
    assert "Citation verified" not in text
    assert f"The words stand in Section 3.1, not in {section}." in text
    assert "The document says [lease.txt, Section 3.1]:" in text


async def test_the_id_of_another_section_is_not_verified(call: Call, add_file: Add, services: Services, ada: Caller) -> None:
    document = await add_file("lease.txt", LEASE)
    sections = {section["label"]: section["id"] for section in (await read_revision(services.store, ada, document)).sections}
    assert (await call(tools.resolve_citation, document_id=sections["3"], quote=NOTICE)).startswith("Citation verified")
    refused = await call(tools.resolve_citation, document_id=sections["2"], quote=NOTICE)
    assert "The words stand in Section 3.1, not in Section 2 (Rent)." in refused


async def test_a_stored_citation_is_not_verified_in_another_section(call: Call, add_file: Add) -> None:
    document = await add_file("lease.txt", LEASE)
    text = await call(tools.resolve_citation, document_id=document, quote=NOTICE)
    citation = text.rsplit("ID: ", 1)[1].strip()
    assert "Citation verified" in await call(tools.resolve_citation, document_id=citation, quote=NOTICE, section="Section 3")
    refused = await call(tools.resolve_citation, document_id=citation, quote=NOTICE, section="Section 4")
    assert "The words stand in Section 3.1, not in Section 4." in refused


async def test_a_partly_read_document_is_named_as_such(
    call: Call, matter: dict[str, Any], add_file: Add, database_url: str
) -> None:
    document = await add_file("lease.txt", LEASE)
    reason = "text recognition failed on page 3"
    with psycopg.connect(database_url) as db:
        db.execute("update documents set status = 'partial', status_reason = %s where id = %s", (reason, document))
    assert "Searched in part: lease.txt (text recognition failed on page 3)." in await call(
        tools.isaacus_search, matter_id=matter["id"], query="rent"
    )
    for tool, arguments in DOCUMENT_TOOLS:
        assert "read in part only (text recognition failed on page 3)" in await call(tool, document_id=document, **arguments)


async def test_while_a_new_version_is_processed_the_old_one_answers_and_says_so(
    call: Call, services: Services, operator: Operator, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    await services.store.rpc(ada, "reprocess_document", {"document_id": document})
    found = await call(tools.isaacus_search, matter_id=matter["id"], query="rent")
    assert "Searched in its earlier version: lease.txt, whose new one is still being processed (queued)." in found
    assert "$4,500 per month" in found
    for tool, arguments in DOCUMENT_TOOLS:
        shown = await call(tool, document_id=document, **arguments)
        assert "Note: this is the earlier version of the document; the new one is still being processed." in shown
    held = {"document_id": document, "claim": await claim(operator.worker, document)}
    failure = {"status": "failed", "reason": "The file is damaged."}
    await operator.worker.rpc("set_document_status", {**held, **failure})
    found = await call(tools.isaacus_search, matter_id=matter["id"], query="rent")
    assert "Searched in its earlier version: lease.txt, whose new one could not be read (The file is damaged)." in found
    for tool, arguments in DOCUMENT_TOOLS:
        assert "the new one could not be read (The file is damaged)." in await call(tool, document_id=document, **arguments)
