"""Runs that are stopped, overtaken by another question or cut off by a restart, with the stock SDK: the answer is right, and nothing
is said twice in the conversation."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from support.installation import Office, Server, started
from support.scripted_model import Reply, ScriptedModel, Stream, serve, texts, tool_names

pytestmark = pytest.mark.server

QUOTED = "governed by and construed in accordance with the laws of New South Wales"
ANSWER = f"It is “{QUOTED}” [lease.txt, Section 5.1]."
HELD = "Which law governs, and who pays?"
NEXT = "Which law governs?"
REPORT = "The lessee pays."


class Gate:
    """Holds the reports of the document agent back until it is opened."""

    def __init__(self) -> None:
        self.opened = threading.Event()

    def script(self, request: dict[str, Any]) -> Reply:
        if "task" not in tool_names(request):
            return Stream([{"content": REPORT}], after=self.opened)
        if request["messages"][-1]["role"] == "tool":
            return ANSWER
        search = ("isaacus_search", {"query": "Which law governs?"})
        if texts(request, "user")[-1] == HELD:
            return [search, ("task", {"description": "Who pays?", "subagent_type": "document-agent"})]
        return [search]


@pytest.fixture(scope="module")
def gate() -> Gate:
    return Gate()


@pytest.fixture(scope="module")
def model(gate: Gate) -> Iterator[ScriptedModel]:
    with serve(gate.script) as scripted:
        yield scripted


@pytest.fixture(scope="module")
def server(office: Office, model: ScriptedModel) -> Iterator[Server]:
    with started(office, {"OPENAI_API_KEY": "scripted", "OPENAI_BASE_URL": model.base_url}) as running:
        yield running


@pytest.fixture
async def sdk(server: Server) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=server.url, headers={"Authorization": f"Bearer {server.office.token}"}) as client:
        yield client


@pytest.fixture
async def held(sdk: LangGraphClient, server: Server, gate: Gate) -> tuple[str, str]:
    """Thread and run whose search has finished while the document agent works."""
    gate.opened.clear()
    return await begin(sdk, server.office)


async def begin(sdk: LangGraphClient, office: Office) -> tuple[str, str]:
    thread = (await sdk.threads.create())["thread_id"]
    run = (await start(sdk, thread, office, HELD))["run_id"]

    async def found() -> bool:
        state: Any = await sdk.threads.get_state(thread)
        return QUOTED in str([task.get("result") for task in state["tasks"]])

    await until(found)
    return thread, run


async def start(sdk: LangGraphClient, thread: str, office: Office, question: str, **options: Any) -> Any:
    asked: Any = {"messages": [{"role": "user", "content": question}]}
    return await sdk.runs.create(thread, "orderly", input=asked, context={"matter_id": office.matter}, **options)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    for _ in range(1200):
        if await holds():
            return
        await asyncio.sleep(0.1)
    raise AssertionError("two minutes have passed")


async def messages(sdk: LangGraphClient, thread: str) -> list[tuple[str, str, str]]:
    state: Any = await sdk.threads.get_state(thread)
    return [(m["type"], m.get("name") or "", str(m["content"])) for m in state["values"]["messages"]]


async def test_what_a_stopped_run_had_found_stays_and_the_next_question_is_answered(
    sdk: LangGraphClient, server: Server, held: tuple[str, str]
) -> None:
    thread, run = held
    await sdk.runs.cancel(thread, run, wait=True)
    await sdk.runs.join(thread, (await start(sdk, thread, server.office, NEXT))["run_id"])
    check_stopped_and_answered(await messages(sdk, thread))


async def test_interrupt_stops_the_first_question_and_keeps_what_it_had_found(
    sdk: LangGraphClient, server: Server, held: tuple[str, str]
) -> None:
    thread, _ = held
    second = await start(sdk, thread, server.office, NEXT, multitask_strategy="interrupt")
    await sdk.runs.join(thread, second["run_id"])
    check_stopped_and_answered(await messages(sdk, thread))
    assert {run["status"] for run in await sdk.runs.list(thread)} == {"interrupted", "success"}


async def test_rollback_removes_the_first_question(sdk: LangGraphClient, server: Server, held: tuple[str, str]) -> None:
    thread, _ = held
    second = await start(sdk, thread, server.office, NEXT, multitask_strategy="rollback")
    await sdk.runs.join(thread, second["run_id"])
    said = await messages(sdk, thread)
    assert [kind for kind, _, _ in said] == ["human", "ai", "tool", "ai"]
    assert said[0][2] == NEXT
    assert said[-1][2].startswith(f"It is “{QUOTED}” [1].")


@pytest.mark.parametrize("strategy", ["reject", "enqueue"])
async def test_the_first_question_is_finished_and_the_second_refused_or_answered_after_it(
    sdk: LangGraphClient, server: Server, gate: Gate, held: tuple[str, str], strategy: Any
) -> None:
    thread, run = held
    asking = start(sdk, thread, server.office, NEXT, multitask_strategy=strategy)
    if strategy == "reject":
        with pytest.raises(httpx.HTTPStatusError) as refused:
            await asking
        assert refused.value.response.status_code == 409
    else:
        run = (await asking)["run_id"]
    gate.opened.set()
    await sdk.runs.join(thread, run)
    said = await messages(sdk, thread)
    expected = ["human", "ai", "tool", "tool", "ai"] + (["human", "ai", "tool", "ai"] if strategy == "enqueue" else [])
    assert [kind for kind, _, _ in said] == expected
    assert [text for _, name, text in said if name == "task"] == [REPORT]
    assert all(text.startswith(f"It is “{QUOTED}” [1].") for kind, _, text in said if kind == "ai" and text)


async def test_a_run_goes_on_after_a_restart_in_the_middle_of_its_tools(
    own_office: Office, model: ScriptedModel, gate: Gate
) -> None:
    """The development server repeats the run with its question when it starts again."""
    gate.opened.clear()
    environment = {"OPENAI_API_KEY": "scripted", "OPENAI_BASE_URL": model.base_url}
    signed_in = {"Authorization": f"Bearer {own_office.token}"}
    with started(own_office, environment) as server:
        async with get_client(url=server.url, headers=signed_in) as sdk:
            thread, run = await begin(sdk, own_office)
    gate.opened.set()
    with started(own_office, environment) as server:
        async with get_client(url=server.url, headers=signed_in) as sdk:
            await sdk.runs.join(thread, run)
            said = await messages(sdk, thread)
    assert [kind for kind, _, _ in said] == ["human", "ai", "tool", "tool", "ai"]
    assert [text for _, name, text in said if name == "task"] == [REPORT]
    assert said[-1][2].startswith(f"It is “{QUOTED}” [1].")


def check_stopped_and_answered(said: list[tuple[str, str, str]]) -> None:
    assert [kind for kind, _, _ in said] == ["human", "ai", "tool", "tool", "human", "ai", "tool", "ai"]
    stopped = {name: text for _, name, text in said[2:4]}
    assert QUOTED in stopped["isaacus_search"]
    assert "did not complete" in stopped["task"]
    assert said[-1][2].startswith(f"It is “{QUOTED}” [1].")
