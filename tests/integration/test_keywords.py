"""The search_keyword tool: exact words and regular expressions."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pymupdf
import pytest
from langchain_core.tools import BaseTool

from orderly.agent import tools
from orderly.agent.tools.time_limits import LIMITS
from orderly.models import Caller
from orderly.services.isolation.pool import ProcessPool
from orderly.services.isolation.process_limits import ProcessLimits
from orderly.services.isolation.regex import REGEX, RegexMatcher
from orderly.services.search.keyword_queries import KeywordQuery
from orderly.settings import Settings
from orderly.wiring.services import Services, open_services
from support.lease import LEASE

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
Add = Callable[..., Awaitable[str]]
Acting = Callable[[Caller], dict[str, Any]]
Publish = Callable[..., Awaitable[str]]
Search = Callable[..., Awaitable[str]]

EFFORTS = (
    "1. Supply\nThe Seller shall use best efforts to supply. Best\nefforts are those of a prudent seller.\n\n"
    "2. Refund\nThe Seller makes reasonable efforts, and its best  efforts, to refund ERROR-4021 and $4,500 (s 18A(2)).\n\n"
    "3. Term\nNothing here is effortless. The term of the Seller’s promise is ten years.\n"
)


@pytest.fixture
def search(ada: Caller, acting: Acting, matter: dict[str, Any]) -> Search:
    async def invoke(query: str, caller: Caller | None = None, **arguments: Any) -> str:
        given = {"matter_id": matter["id"], "query": query, **arguments}
        text: str = await tools.search_keyword.ainvoke(given, acting(caller or ada))
        return text

    return invoke


@pytest.fixture
async def efforts(ada: Caller, matter: dict[str, Any], publish_text: Publish) -> str:
    return await publish_text(ada, matter["id"], "efforts.txt", EFFORTS)


async def test_every_match_is_counted_and_quoted_with_its_lines(search: Search, efforts: str) -> None:
    text = await search("best efforts", context_lines=0)
    assert text.startswith("Found 3 matches for 'best efforts' in 1 of 1 document searched in matter M-")
    quotes = [
        q.replace("\n    ", "\n")
        for q in re.findall(rf'^\d+\. \[efforts\.txt[^\]]*\]\n   "(.*?)"\n   ID: {UUID}', text, re.M | re.S)
    ]
    assert quotes and all(quote in EFFORTS for quote in quotes)
    assert sum("efforts" in quote for quote in quotes) == len(quotes)
    assert text.endswith(f"[Places 1 to {len(quotes)} of {len(quotes)}.]")


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("efforts", 4),
        ("effort", 0),
        ("effort*", 5),
        ("ERROR-4021", 1),
        ("$4,500", 1),
        ("s 18A(2)", 1),
        ("Seller's promise", 1),
        ("Seller’s promise", 1),
        ('"best efforts" refund', 5),
        ('"best efforts" zebra', 0),
    ],
)
async def test_words_are_matched_literally(search: Search, efforts: str, query: str, count: int) -> None:
    text = await search(query)
    found = re.match(r"Found (\d+) match", text)
    assert (int(found[1]) if found else 0) == count, text


async def test_case_matters_on_request(search: Search, efforts: str) -> None:
    assert (await search("Best efforts", case_sensitive=True)).startswith("Found 1 match ")
    none = await search("BEST EFFORTS", case_sensitive=True)
    assert none.startswith("No exact matches for 'BEST EFFORTS' (1 document searched in matter M-")


async def test_a_word_hyphenated_at_a_line_end_is_found(
    search: Search, ada: Caller, matter: dict[str, Any], publish_text: Publish
) -> None:
    await publish_text(ada, matter["id"], "divided.txt", "The indem-\nnity lasts.")
    assert (await search("indemnity lasts")).startswith("Found 1 match ")


async def test_other_inflections_are_suggested_when_nothing_matches(search: Search, efforts: str, stranger: Caller) -> None:
    text = await search("refunding sellers")
    assert text.startswith("No exact matches for 'refunding sellers' (1 document searched in matter M-")
    assert "Passages with these words or forms of them, best first (" in text and "to refund ERROR-4021" in text


async def test_results_have_page_section_and_ids_for_further_tools(
    search: Search, add_file: Add, ada: Caller, acting: Acting
) -> None:
    document = pymupdf.open()
    for page in ("1. RENT\nThe Lessee shall pay rent.", "2. TERM\nThe term is seven years."):
        document.new_page().insert_textbox((72, 72, 520, 770), page)
    await add_file("two.pdf", document.tobytes())
    document.close()
    text = await search("seven years")
    assert "1. [two.pdf, Page 2]" in text
    hit = re.search(rf"^   ID: ({UUID})$", text, re.M)[1]  # type: ignore[index]
    around = await tools.read_around.ainvoke({"chunk_id": hit}, acting(ada))
    assert "The Lessee shall pay rent." in around


async def test_regular_expressions_match_line_by_line(search: Search, efforts: str) -> None:
    text = await search(r"^\d\. (Supply|Term)$", mode="regex")
    assert text.startswith("Found 2 matches ") and "Matched: '1. Supply'" in text
    assert (await search(r"error-\d{4}", mode="regex")).startswith("Found 1 match ")
    assert (await search(r"error-\d{4}", mode="regex", case_sensitive=True)).startswith("No matches of the expression 'error-")
    assert (await search(r"(?<=best )\s*efforts", mode="regex")).startswith("Found 2 matches ")


@pytest.mark.parametrize("wrong", ["(", "[a-", "a{99999999999}", "(" * 5000 + ")" * 5000, r"\p{L}", "(?P<n>a)(?P<n>b)"])
async def test_an_invalid_expression_is_refused(search: Search, efforts: str, wrong: str) -> None:
    assert (await search(wrong, mode="regex")).startswith("Error: The regular expression cannot be used: ")


async def test_empty_oversized_and_malformed_queries_are_refused(search: Search, efforts: str) -> None:
    assert await search("   ") == "Error: The query is empty."
    assert await search('""') == "Error: The query is empty."
    assert (await search("x" * 1_000_000, mode="regex")).startswith("Error: The query is longer than 10,000 characters.")
    assert (await search("a\x00b")).startswith("Error: The query contains characters that are not text.")


@pytest.mark.parametrize("evil", [r"(a+)+$", r"(a|a)*c", r"((a*)*)*b", r"(?:a?){40}a{40}c"])
async def test_a_slow_expression_delays_neither_the_search_nor_other_documents(
    search: Search,
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    publish_text: Publish,
    evil: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("orderly.services.search.keywords.SLOW_DOCUMENT", 0.5)
    await publish_text(ada, matter["id"], "trap.txt", "a" * 60 + "!")
    await publish_text(ada, matter["id"], "plain.txt", "Nothing of that letter here: bc.")
    began = time.monotonic()
    text = await search(evil, mode="regex")
    assert time.monotonic() - began < 30
    assert "Not counted: the expression took too long in trap.txt." in text
    assert "1 document searched" in text


LIMITED = [
    (tools.list_contents, {}, "The listing took longer than 0.0001 seconds"),
    (tools.find, {"name": "x"}, "The listing took longer than"),
    (tools.get_info, {"path_part_id": "x"}, "The listing took longer than"),
    (tools.list_matter_documents, {"matter_id": "x"}, "The listing took longer than"),
    (tools.read, {"path_part_id": "x"}, "Reading took longer than 0.0001 seconds"),
    (tools.read_around, {"chunk_id": "x"}, "Reading took longer than"),
    (tools.get_document_text, {"document_id": "x"}, "Reading took longer than"),
]


@pytest.mark.parametrize(("tool", "arguments", "message"), LIMITED, ids=lambda v: getattr(v, "name", ""))
async def test_every_tool_stops_at_its_time_limit_with_its_own_message(
    services: Services,
    ada: Caller,
    acting: Acting,
    monkeypatch: pytest.MonkeyPatch,
    tool: BaseTool,
    arguments: dict[str, Any],
    message: str,
) -> None:
    monkeypatch.setitem(LIMITS, tool.name, LIMITS[tool.name]._replace(seconds=0.0001))
    text = await tool.ainvoke(arguments, acting(ada))
    assert text.startswith(f"Error: {message}") and "was stopped." in text


@pytest.mark.parametrize("tool", [tools.isaacus_search, tools.search_keyword], ids=lambda v: v.name)
async def test_a_search_stops_at_the_time_limit_of_the_settings(
    settings: Settings, services: Services, ada: Caller, acting: Acting, tool: BaseTool
) -> None:
    async with open_services(settings.model_copy(update={"search_seconds": 0.0001})):
        text = await tool.ainvoke({"matter_id": "x", "query": "y"}, acting(ada))
    assert text.startswith("Error: The search took longer than 0.0001 seconds and was stopped.")


async def test_a_search_that_times_out_reports_its_progress(
    services: Services, ada: Caller, matter: dict[str, Any], publish_text: Publish, search: Search
) -> None:
    for n in range(3):
        await publish_text(ada, matter["id"], f"trap{n}.txt", "a" * 60 + "!")
    object.__setattr__(services.keywords, "seconds", 2.0)
    text = await search(r"(a+)+$", mode="regex")
    assert "Partial: the time for a search was up after 0 documents." in text


async def test_a_search_that_never_gets_its_turn_says_so(
    services: Services, search: Search, efforts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = ProcessPool(REGEX, ProcessLimits(processes=1))
    monkeypatch.setitem(vars(services), "keywords", replace(services.keywords, matcher=RegexMatcher(pool), seconds=2.5))
    endless = RegexMatcher(pool).match("(a+)+$", "a" * 60 + "!", None, ignore_case=False, seconds=60)
    others = asyncio.create_task(endless)
    try:
        await asyncio.sleep(0.5)
        began = time.monotonic()
        text = await search(r"efforts", mode="regex")
        assert "Partial: the time for a search was up after 0 documents." in text
        assert time.monotonic() - began < 30, "the other search takes 60 seconds"
        others.cancel()
        assert (await search(r"efforts", mode="regex")).startswith("Found ")
    finally:
        others.cancel()
        pool.close()


async def test_long_lines_are_cut_at_words_around_the_match(
    services: Services, ada: Caller, matter: dict[str, Any], publish_text: Publish
) -> None:
    line = "word " * 1000 + "needle " + "word " * 1000
    await publish_text(ada, matter["id"], "long.txt", line)
    found = await services.keywords.search(ada, matter["id"], KeywordQuery("needle"))
    [place] = found.places
    assert "needle" in place.passage.text and len(place.passage.text) <= 1_200
    assert line[place.passage.start : place.passage.end] == place.passage.text
    assert place.passage.text.startswith("word ") and place.passage.text.endswith(" word")


async def test_result_pages_continue_across_documents(
    search: Search, services: Services, ada: Caller, matter: dict[str, Any], publish_text: Publish
) -> None:
    for n in range(3):
        body = "\n\n\n\n\n\n".join(f"Needle {n}.{m} is here." for m in range(4))
        await publish_text(ada, matter["id"], f"d{n}.txt", body)
    seen: list[str] = []
    offset: str | None = "0"
    while offset is not None:
        text = await search("needle", limit=5, offset=int(offset))
        assert text.startswith("Found 12 matches for 'needle' in 3 of 3 documents")
        assert "- d1.txt: 4 (ID: " in text
        seen += re.findall(r"Needle (\d\.\d) is", text)
        more = re.search(r"make the same call with offset=(\d+);", text)
        offset = more[1] if more else None
    assert seen == [f"{n}.{m}" for n in range(3) for m in range(4)]


async def test_within_restricts_to_documents_and_sections(
    search: Search, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    await add_file("other.txt", LEASE + "\nA copy.")
    assert " in 1 of 1 document searched" in await search("Lessor", within=[document])
    sections = (await services.store.rpc(ada, "get_revision", {"document_id": document}))["sections"]
    [termination] = [s["id"] for s in sections if s["title"] == "Termination"]
    assert (await search("Lessee", within=[termination])).startswith("Found 1 match ")
    wrong = await search("Lessee", within=["00000000-0000-4000-8000-000000000000"])
    assert wrong == "Error: Document 00000000-0000-4000-8000-000000000000 not found or you don't have access."


async def test_all_searches_the_callers_matters_and_no_others(
    search: Search,
    services: Services,
    ada: Caller,
    stranger: Caller,
    efforts: str,
    publish_text: Publish,
    matter: dict[str, Any],
) -> None:
    second = await services.store.rpc(ada, "create_matter", {"title": "Second"})
    await publish_text(ada, second["id"], "second.txt", "With best efforts.")
    text = await search("best efforts", matter_id="ALL")
    assert text.startswith("Found 4 matches for 'best efforts' in 2 of 2 documents searched in all your matters:")
    assert f"Matter: {second['number']}" in text
    assert (
        await search("best efforts", stranger, matter_id="all") == "No documents found in this matter. Upload documents first."
    )
    for id in (matter["id"], "none", "a\nb"):
        assert await search("best efforts", stranger, matter_id=id) == f"Error: Matter {id} not found or you don't have access."
    assert "[efforts.txt" in await search("best efforts", matter_id="all", within=[efforts])


async def test_unreadable_documents_are_named(search: Search, efforts: str, add_file: Add) -> None:
    await add_file("broken.pdf", b"%PDF-1.7\nnothing that follows")
    assert "Not searched: broken.pdf could not be read (" in await search("best efforts")


@pytest.mark.parametrize(
    "tool", [tools.search_keyword, tools.isaacus_search, tools.list_matter_documents], ids=lambda t: t.name
)
async def test_a_document_id_in_place_of_a_matter_is_answered_with_its_matter(
    tool: BaseTool, ada: Caller, stranger: Caller, acting: Acting, matter: dict[str, Any], efforts: str
) -> None:
    query = {} if tool is tools.list_matter_documents else {"query": "efforts"}
    text = await tool.ainvoke({"matter_id": efforts, **query}, acting(ada))
    assert text == (
        f"Error: {efforts} is a document (efforts.txt), not a matter. Its matter is {matter['number']}: name that, "
        "and keep to this id with within, where the tool has it."
    )
    refused = await tool.ainvoke({"matter_id": efforts, **query}, acting(stranger))
    assert refused == f"Error: Matter {efforts} not found or you don't have access."


async def test_a_matter_id_in_place_of_a_document_is_answered_with_the_listing_tool(
    ada: Caller, acting: Acting, matter: dict[str, Any]
) -> None:
    for tool, more in (
        (tools.isaacus_extract, {"question": "Rent?"}),
        (tools.isaacus_classify, {}),
        (tools.get_document_text, {}),
    ):
        text = await tool.ainvoke({"document_id": matter["id"], **more}, acting(ada))
        assert text.startswith(f"Error: {matter['id']} is a matter (") and text.endswith(
            "Use list_contents to see what is in it."
        )
