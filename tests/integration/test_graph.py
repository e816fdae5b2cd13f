"""The graph, driven by a scripted model over OpenAI's HTTP protocol."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pymupdf
import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

from integration.graph_runs import Put, delegating, once, run
from orderly.agent.middleware.earlier_results import LEFT_OUT
from orderly.agent.middleware.run_context import RunContext
from orderly.agent.tools import DEFAULT_TOOLS, DOCUMENT_TOOLS
from orderly.errors import Denied
from orderly.graph import build_graph, document_agent
from orderly.models import Caller
from orderly.services.library import Library
from orderly.settings import Settings, machine_zone
from orderly.sign_in.identity import seal
from orderly.wiring.services import Services
from support.lease import LEASE
from support.scripted_model import Reply, Script, serve, texts, tool_names

Acting = Callable[[Caller], dict[str, Any]]
Add = Callable[..., Awaitable[str]]
TRUE_QUOTE = (
    "Either party may terminate this Lease by giving not less than ninety (90) days' written notice to the other party."
)


async def test_a_question_is_delegated_researched_and_answered_with_verified_citations(
    put: Put, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    research = once(
        ("isaacus_search", {"matter_id": matter["id"], "query": "termination on notice"}),
        ("get_document_text", {"document_id": document}),
        then=f"“{TRUE_QUOTE}” [lease.txt, Section 3.1]",
    )
    script = delegating(lambda request: f"On ninety days' notice: “{TRUE_QUOTE}” [lease.txt, Section 3.1]", research)
    state, model = await put(script, "How can the lease be ended?", RunContext(matter_id=matter["id"]))
    assert state["messages"][-1].text == (
        f"On ninety days' notice: “{TRUE_QUOTE}” [1]\n\nSources:\n- [1] lease.txt, Section 3.1"
    )
    [citation] = state["citations"]
    assert citation["number"] == 1
    stored = await services.store.rpc(ada, "get_citation", {"citation_id": citation["citation_id"]})
    assert (stored["start"], stored["quote"]) == (citation["start"], TRUE_QUOTE)
    assert citation["document_id"] == document
    assert LEASE.find(citation["text"]) == citation["start"]
    assert len(model.requests) == 4


@pytest.mark.parametrize(
    "false",
    [
        TRUE_QUOTE.replace("ninety (90)", "thirty (30)"),
        "The Lessee waives every right to terminate this Lease.",
        "Either party may terminate this Lease ... to the third party.",
        "The Lessor (the “Owner”) may terminate this Lease at any time.",
        "six years",
    ],
)
async def test_a_quotation_that_is_not_in_the_documents_never_leaves_the_graph(
    put: Put, matter: dict[str, Any], add_file: Add, false: str
) -> None:
    document = await add_file("lease.txt", LEASE)
    research = once(("get_document_text", {"document_id": document}), then="Read.")
    script = delegating(lambda request: f"It says “{false}” [lease.txt, Section 3.1].", research)
    state, model = await put(script, "How can the lease be ended?")
    answer = state["messages"][-1]
    assert false not in str(state["messages"]) and not state.get("citations")
    assert answer.text.startswith("It says “…”.\n\nCheck before you rely on it:\n- It says ‘…’ — Words in quotation marks")
    [check] = answer.additional_kwargs["checks"]
    assert (check["start"], check["end"], check["verdict"]) == (0, len("It says “…”."), "not found")
    mending = [text for r in model.requests for text in texts(r, "user") if text.startswith("Of the answer")]
    assert len(mending) == 1 and f"“{false}”" in mending[0], "the model is asked once for these words"


async def test_a_subagent_and_its_tools_receive_what_the_model_wrote_and_people_see_no_false_quotation(
    put: Put, matter: dict[str, Any], add_file: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add_file("lease.txt", LEASE)
    false = "The Lessee shall deliver ten tonnes of zirconium to the Lessor at the end of every quarter."
    asked = f"Find any “limitation of liability” clause, and whether it says “{false}” [lease.txt]."
    search = once(("isaacus_search", {"matter_id": matter["id"], "query": asked}), then="Read.")

    def script(request: dict[str, Any]) -> Reply:
        if "task" not in tool_names(request):
            return search(request)
        return "Done." if texts(request, "tool") else [("task", {"description": asked, "subagent_type": "document-agent"})]

    looked: list[str] = []
    search_for = Library.search

    async def noting(self: Library, caller: Caller, matter_ref: str, query: str, *more: Any) -> Any:
        looked.append(query)
        return await search_for(self, caller, matter_ref, query, *more)

    monkeypatch.setattr(Library, "search", noting)
    state, model = await put(script, "How can the lease be ended?")
    reports = [request for request in model.requests if "task" not in tool_names(request)]
    assert reports and all(texts(request, "user")[-1] == asked for request in reports)
    assert looked == [asked]
    assert "zirconium" not in str(state)
    assert "“limitation of liability” clause" in str(state)


TWO_PAGES = (
    "1. RENT\nThe Lessee shall pay rent of nine hundred dollars a month.",
    "2. TERM\nThe term of the lease is seven years.",
)
RENT = "The Lessee shall pay rent of nine hundred dollars a month."


@pytest.mark.parametrize(
    ("cited", "mark", "instead"),
    [
        ("[two.pdf, Page 1]", "[1]", ""),
        ("[two.pdf, Page 2]", "[1]", "Page 2"),
        ("[two.pdf, Section 2 (TERM), Page 1]", "[1]", ""),
        ("[Master Deed 2019.pdf, Page 99]", "[1]", "Master Deed 2019.pdf"),
        ("([other.txt, Section 1])", "([1])", "other.txt"),
    ],
)
async def test_a_wrong_citation_of_a_true_quotation_is_numbered_at_its_true_place_and_told(
    put: Put, add_file: Add, cited: str, mark: str, instead: str
) -> None:
    document = pymupdf.open()
    for text in TWO_PAGES:
        document.new_page().insert_textbox((72, 72, 520, 770), text)
    ids = [await add_file("two.pdf", document.tobytes()), await add_file("other.txt", LEASE)]
    document.close()
    research = once(*(("get_document_text", {"document_id": id}) for id in ids), then="Read.")
    script = delegating(lambda request: f"It says “{RENT}” {cited}.", research)
    state, _ = await put(script, "What is the rent?")
    answer, place = state["messages"][-1], "two.pdf, Page 1, Section 1 (RENT)"
    assert answer.text.startswith(f"It says “{RENT}” {mark}.\n\n") and answer.text.endswith(f"\n\nSources:\n- [1] {place}")
    told = [(check["reason"], check["place"]) for check in answer.additional_kwargs["checks"] if check["reason"]]
    assert told == ([(f"The quoted words stand in {place}, not in {instead}.", place)] if instead else [])
    [citation] = state["citations"]
    assert answer.additional_kwargs["source_ids"] == [citation["citation_id"]]
    assert citation["document_name"] == "two.pdf"
    [box] = citation["rectangles"]
    assert box["page"] == 1
    assert box["box"][0] < box["box"][2]


DENIED = "disclose them to any third party"
JOINED = "“Either party may terminate this Lease ... written notice to the other party.”"


@pytest.mark.parametrize(
    ("written", "shown", "told"),
    [
        (f"May it “{DENIED}” [lease.txt]?", f"May it “{DENIED}” [1]?", "The quotation leaves out these words of its sentence: “shall not disclose”."),
        (f"It says {JOINED} [lease.txt, Section 3.1]", f"It says {JOINED} [1] [2]", ""),
        ("The rent is “$4,500” monthly, “rent” being due.", "The rent is “$4,500” monthly, “rent” being due.", ""),
        ("The rent is “$5,400” monthly.", "The rent is “$5,400” monthly.", "‘$5,400’ is given as words of a document and stands in none that was read."),
        (f"It says “{TRUE_QUOTE[:-1]},” and so on.", f"It says “{TRUE_QUOTE[:-1]},” [1] and so on.", ""),
        ("Rent is monthly [lease.txt, Section 2.1].", "Rent is monthly [1].", ""),
        ("Rent is monthly [Deed.pdf, Page 3].", "Rent is monthly [Deed.pdf, Page 3].", "No document of that name was read."),
        (f"It says “{TRUE_QUOTE}” [7].\n\nSources:\n[7] Deed.pdf, Page 9\n", f"It says “{TRUE_QUOTE}” [1].", ""),
        ("It was held in Smith v Jones [2019] NSWSC 12 at [42].", "It was held in Smith v Jones [2019] NSWSC 12 at [42].", ""),
        (f"> {TRUE_QUOTE}\n\n[lease.txt]", f"> {TRUE_QUOTE}\n\n[1]", ""),
    ],
)  # fmt: skip
async def test_an_answer_is_sent_as_written_with_numbers_and_what_is_wrong_is_told(
    put: Put, add_file: Add, written: str, shown: str, told: str
) -> None:
    document = await add_file("lease.txt", LEASE)
    research = once(("get_document_text", {"document_id": document}), then="Read.")
    state, _ = await put(delegating(lambda request: written, research), "What does it say?")
    answer = state["messages"][-1]
    body = answer.text[: answer.additional_kwargs["body"]].strip()
    assert (body, [check["reason"] for check in answer.additional_kwargs["checks"] if check["reason"]]) == (
        shown,
        [told] * bool(told),
    )
    assert [told in line for line in answer.text.partition("Check before you rely on it:\n")[2].splitlines()[:1]] == [
        True
    ] * bool(told)


async def test_the_model_is_asked_for_the_words_alone_and_the_rest_of_the_answer_stays(put: Put, add_file: Add) -> None:
    document = await add_file("lease.txt", LEASE)
    false = TRUE_QUOTE.replace("ninety (90)", "thirty (30)")
    research = once(("get_document_text", {"document_id": document}), then="Read.")

    def answer(request: dict[str, Any]) -> str:
        if texts(request, "user")[-1].startswith("Of the answer that you have just been writing"):
            return TRUE_QUOTE
        return f"It may be ended. By notice: “{false}” [lease.txt, Section 3.1]. That is all."

    state, model = await put(delegating(answer, research), "How can the lease be ended?")
    [mending] = [text for r in model.requests for text in texts(r, "user") if text.startswith("Of the answer")]
    assert f"“{false}”" in mending and f"The nearest words of a document: “{TRUE_QUOTE}”" in mending
    assert state["messages"][-1].text.startswith(f"It may be ended. By notice: “{TRUE_QUOTE}” [1]. That is all.\n\nSources:")


async def test_a_model_reads_earlier_answers_without_ending_and_with_ids_in_place_of_numbers(
    settings: Settings, services: Services, ada: Caller, acting: Acting, add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)

    def script(request: dict[str, Any]) -> Reply:
        read = any("Read." in text for text in texts(request, "tool")) or "task" not in tool_names(request)
        research = once(("get_document_text", {"document_id": document}), then="Read.")
        return (
            delegating(lambda _: f"It pays [D1 9.9], by “{TRUE_QUOTE}” [D1 3.1].", research)(request)
            if read
            else [("task", {"description": "D1", "subagent_type": "document-agent"})]
        )

    with serve(script) as model:
        changed = {"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url}
        graph = build_graph(settings.model_copy(update=changed))
        graph.checkpointer = InMemorySaver()
        config: Any = {"configurable": {**acting(ada)["configurable"], "thread_id": "t"}}
        for question in ("How does it end?", "Again?"):
            state = await graph.ainvoke({"messages": [HumanMessage(question)]}, config, context=RunContext())
    assert "Check before you rely on it:" in state["messages"][-1].text and "” [1]" in state["messages"][-1].text
    [earlier] = [text for text in texts(model.requests[-1], "assistant") if "It pays" in text]
    assert earlier == f"It pays [D1 9.9], by “{TRUE_QUOTE}” [D1 3.1]."


async def test_source_numbers_continue_through_a_conversation(
    settings: Settings, services: Services, ada: Caller, acting: Acting, add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    rent = "The Lessee shall pay rent of $4,500 per month"
    research = once(("get_document_text", {"document_id": document}), then="Read.")

    def answer(request: dict[str, Any]) -> str:
        return f"“{rent}”" if "rent" in texts(request, "user")[-1] else f"“{TRUE_QUOTE}”"

    def script(request: dict[str, Any]) -> Reply:
        if request["messages"][-1]["role"] == "user" and "task" in tool_names(request):
            return [("task", {"description": "Read it", "subagent_type": "document-agent"})]
        return answer(request) if "task" in tool_names(request) else research(request)

    with serve(script) as model:
        with_model = settings.model_copy(update={"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url})
        graph = build_graph(with_model)
        graph.checkpointer = InMemorySaver()
        config = {"configurable": {**acting(ada)["configurable"], "thread_id": "t"}}
        said = []
        for question in ("How does it end?", "What is the rent?", "How does it end, again?"):
            state = await graph.ainvoke({"messages": [HumanMessage(question)]}, config, context=RunContext())  # type: ignore[arg-type]
            said.append(state["messages"][-1].text.partition("\n")[0])
    assert [text[-3:] for text in said] == ["[1]", "[2]", "[1]"]
    assert [c["number"] for c in state["citations"]] == [1, 2]


async def test_a_quotation_from_a_document_that_was_not_read_is_refused(
    put: Put, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("lease.txt", LEASE)
    script = delegating(lambda request: f"“{TRUE_QUOTE}” [lease.txt]", lambda request: "I read nothing.")
    state, _ = await put(script, "How can the lease be ended?")
    assert TRUE_QUOTE not in state["messages"][-1].text


async def test_the_briefing_names_today_and_only_the_callers_matters(
    put: Put, settings: Settings, stranger: Caller, acting: Acting, matter: dict[str, Any]
) -> None:
    _, seen = await put(lambda r: "Done.", "Hello", RunContext(matter_id=matter["id"]))
    [prompt] = texts(seen.requests[0], "system")
    assert datetime.now(ZoneInfo(machine_zone())).strftime("%-d %B %Y") in prompt
    assert f"{matter['number']} | {matter['title']}" in prompt
    assert "bound to this matter" in prompt
    assert "$" not in prompt
    _, theirs = await run(settings, lambda r: "Done.", acting(stranger), "Hello", RunContext(matter_id=matter["id"]))
    [prompt] = texts(theirs.requests[0], "system")
    assert matter["title"] not in prompt
    assert f"Matter {matter['id']} not found or you don't have access." in prompt


async def test_a_forbidden_document_appears_missing_in_the_graph_and_the_run_continues(
    settings: Settings, services: Services, stranger: Caller, acting: Acting, add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    research = once(("isaacus_extract", {"document_id": document, "question": "What is the rent?"}), then="Not there.")
    _, model = await run(settings, delegating(lambda r: "Nothing.", research), acting(stranger), "What is the rent?")
    [result] = [t for request in model.requests for t in texts(request, "tool") if t.startswith("Error")]
    assert result == f"Error: Document {document} not found or you don't have access."


async def test_a_failing_tool_is_marked_as_an_error(put: Put, matter: dict[str, Any]) -> None:
    wrong = {"matter_id": "no-such-matter"}
    script: Script = lambda r: "Sorry." if texts(r, "tool") else [("list_matter_documents", wrong), ("list_matters", {})]  # noqa: E731
    state, _ = await put(script, "List them")
    status = {m.name: m.status for m in state["messages"] if isinstance(m, ToolMessage)}
    assert status == {"list_matter_documents": "error", "list_matters": "success"}


async def test_all_tasks_of_one_message_report_back(put: Put, matter: dict[str, Any], add_file: Add) -> None:
    document = await add_file("lease.txt", LEASE)

    def script(request: dict[str, Any]) -> Reply:
        if "task" not in tool_names(request):
            question = texts(request, "user")[-1]
            return once(("isaacus_extract", {"document_id": document, "question": question}), then=f"report on {question}")(
                request
            )
        if reports := texts(request, "tool"):
            return " + ".join(sorted(reports))
        return [
            ("task", {"description": q, "subagent_type": "document-agent"}) for q in ("Who is the Lessor?", "What is the rent?")
        ]

    state, _ = await put(script, "Both please")
    assert state["messages"][-1].text == "report on What is the rent? + report on Who is the Lessor?"


async def test_the_runs_number_of_results_reaches_the_search(put: Put, matter: dict[str, Any], add_file: Add) -> None:
    for n in range(3):
        await add_file(f"lease{n}.txt", f"{LEASE}\nCopy number {n}")
    research = once(("isaacus_search", {"matter_id": matter["id"], "query": "rent"}), then="Done.")
    for wanted in (1, 2):
        context = RunContext(matter_id=matter["id"], max_results=wanted)
        _, model = await put(delegating(lambda r: "Done.", research), "What is the rent?", context)
        [found] = [t for request in model.requests for t in texts(request, "tool") if t.startswith("Found")]
        assert len(re.findall(r"^\d+\. \[", found, re.M)) == wanted


@pytest.mark.parametrize("odd", [{"max_results": "abc"}, {"matter_id": 5}, {"matter_id": ["a"]}, {"document_tools": "yes"}])
async def test_a_run_context_of_the_wrong_type_is_ignored_and_logged(put: Put, odd: dict[str, Any]) -> None:
    _, model = await put(lambda r: "Done.", "Hello", RunContext(**odd))
    [prompt] = texts(model.requests[0], "system")
    assert f"not usable and left out: {next(iter(odd))}" in prompt


async def test_tools_called_in_one_message_run_concurrently(
    put: Put, matter: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call waits for the other, so sequential calls would deadlock."""
    together = asyncio.Barrier(2)
    listed = Library.documents

    async def waiting(self: Library, *arguments: Any) -> Any:
        await asyncio.wait_for(together.wait(), timeout=20)
        return await listed(self, *arguments)

    monkeypatch.setattr(Library, "documents", waiting)

    def script(request: dict[str, Any]) -> Reply:
        if "task" not in tool_names(request):
            only = {"matter_id": matter["id"], "filename_pattern": texts(request, "user")[-1]}
            return once(("list_matter_documents", only), then="Listed.")(request)
        if texts(request, "tool"):
            return "Both."
        return [("task", {"description": q, "subagent_type": "document-agent"}) for q in ("One", "Two")]

    state, _ = await put(script, "Both please")
    assert state["messages"][-1].text == "Both."


async def test_both_agents_are_offered_few_tools_and_others_when_the_work_needs_them(put: Put) -> None:
    few = set(DEFAULT_TOOLS) & {tool.name for tool in DOCUMENT_TOOLS}
    script = delegating(lambda r: "Done.", lambda r: "Report.")
    _, usual = await put(script, "What is the rent?")
    assert [tool_names(r) for r in usual.requests] == [few | {"task"}, few, few | {"task"}]
    _, seen = await put(script, "Which pages are signed?")
    assert tool_names(seen.requests[0]) == few | {"task", "view_page", "visual_search"}
    _, named = await put(lambda r: "Done.", "Use read_around on the last passage.")
    assert tool_names(named.requests[0]) == few | {"task", "read_around"}
    _, long = await put(lambda r: "Done.", "Who pays rent? How much? When? Until when?")
    assert tool_names(long.requests[0]) == few | {"task", "write_todos"}
    pasted = f"Which pages are signed?\n{'rent ' * 5_000}folder {'rent ' * 5_000}\nHow often is that mentioned?"
    _, ends = await put(lambda r: "Done.", pasted)
    assert tool_names(ends.requests[0]) == few | {"task", "view_page", "visual_search", "search_keyword", "write_todos"}
    _, every = await put(lambda r: "Done.", "Hello", RunContext(document_tools=True))
    assert tool_names(every.requests[0]) >= {tool.name for tool in document_agent["tools"]}  # type: ignore[union-attr]


async def test_the_beginning_of_a_conversations_prompts_stays_the_same(
    settings: Settings, services: Services, ada: Caller, acting: Acting, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("lease.txt", LEASE)

    def script(request: dict[str, Any]) -> Reply:
        searched = request["messages"][-1]["role"] == "tool"
        return "Found." if searched else [("isaacus_search", {"matter_id": matter["id"], "query": "rent"})]

    with serve(script) as model:
        with_model = settings.model_copy(update={"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url})
        graph = build_graph(with_model)
        graph.checkpointer = InMemorySaver()
        config = {"configurable": {**acting(ada)["configurable"], "thread_id": "t"}}
        for question in ("What is the rent?", "When is it due?"):
            await graph.ainvoke({"messages": [HumanMessage(question)]}, config, context=RunContext())  # type: ignore[arg-type]
    first, *_, last = model.requests
    assert len(model.requests) == 4
    assert first["messages"][0] == last["messages"][0]
    assert first["tools"] == last["tools"]
    assert [t for t in texts(last, "tool") if t.startswith("Found ")] == texts(last, "tool")[1:]
    assert texts(last, "tool")[0] == LEFT_OUT


@pytest.fixture
async def streamed(settings: Settings, services: Services, ada: Caller, acting: Acting) -> AsyncIterator[list[Any]]:
    with serve(lambda r: "A streamed answer. I can say more. The rest waits.") as model:
        with_model = settings.model_copy(update={"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url})
        stream = build_graph(with_model).astream(
            {"messages": [HumanMessage("Hello")]}, acting(ada), context=RunContext(), stream_mode="messages"
        )
        yield [chunk async for chunk, _ in stream]


async def test_the_answer_streams_by_sentence(streamed: list[Any]) -> None:
    pieces = [chunk.text for chunk in streamed if isinstance(chunk, AIMessage) and chunk.text]
    assert pieces == ["A streamed answer. ", "I can say more. ", "The rest waits."]


async def test_the_offline_planner_runs_the_same_graph(
    settings: Settings, services: Services, ada: Caller, acting: Acting, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("lease.txt", LEASE)
    graph = build_graph(settings)
    question = {"messages": [HumanMessage("Which law governs the lease?")]}
    state = await graph.ainvoke(question, acting(ada), context=RunContext(matter_id=matter["number"]))
    answer = state["messages"][-1].text
    assert "laws of New South Wales" in answer
    assert "Offline planner" in answer
    assert state["citations"]
    assert all(LEASE[c["start"] : c["end"]] == c["text"] for c in state["citations"])


async def test_a_run_without_a_sign_in_reads_nothing(
    settings: Settings, services: Services, ada: Caller, acting: Acting, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("lease.txt", LEASE)
    graph = build_graph(settings)
    context = RunContext(matter_id=matter["id"])
    config: Any = {"configurable": {"thread_id": "t", "user_id": ada.user_id, "langgraph_auth_user_id": ada.user_id}}
    question: Any = {"messages": [HumanMessage("Which documents are there?")]}
    signed_in = await graph.ainvoke(question, acting(ada), context=context)
    assert "lease.txt" in str(signed_in["messages"])
    state = await graph.ainvoke(question, config, context=context)
    assert "lease.txt" not in str(state["messages"])
    config["configurable"]["langgraph_auth_user"] = {"identity": ada.user_id, **seal(ada.user_id, b"another secret")}
    with pytest.raises(Denied, match="not signed in"):
        await graph.ainvoke(question, config, context=context)
