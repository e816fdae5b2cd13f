"""Egress policy: outside processors get nothing of a matter that forbids them, and the user is informed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pymupdf
import pytest
import respx
from langchain_core.messages import HumanMessage
from pydantic import SecretStr

from orderly.agent.middleware.local_answers import NOTICE
from orderly.agent.middleware.run_context import RunContext
from orderly.errors import Denied, EngineRefused, Invalid
from orderly.graph import build_graph
from orderly.models import Caller
from orderly.services.ingestion.reembedding import Reembedder
from orderly.settings import Settings
from orderly.wiring.services import Operator, Services, open_operator, open_services
from support.isaacus_peer import KEY, IsaacusPeer
from support.lease import LEASE
from support.scripted_model import Reply, serve

Add = Callable[..., Awaitable[str]]
Acting = Callable[[Caller], dict[str, Any]]
FIXTURES = Path(__file__).parents[1] / "fixtures" / "files"


@pytest.fixture
def peer(respx_mock: respx.MockRouter) -> IsaacusPeer:
    return IsaacusPeer().mount(respx_mock)


@pytest.fixture
def settings(settings: Settings, request: pytest.FixtureRequest) -> Settings:
    with_isaacus = "peer" in request.fixturenames
    return settings.model_copy(update={"isaacus_api_key": SecretStr(KEY) if with_isaacus else None})


async def allow(services: Services, caller: Caller, matter: dict[str, Any], *processors: str) -> None:
    params = {"matter_ref": matter["id"], "processors": list(processors)}
    await services.store.rpc(caller, "set_matter_processors", params)


async def test_the_firm_limits_processors_and_a_matter_limits_them_further(
    services: Services, ada: Caller, matter: dict[str, Any], make_user: Callable[..., Awaitable[Caller]]
) -> None:
    rpc, named = services.store.rpc, {"matter_ref": matter["number"]}
    everything = ["model", "isaacus", "vision", "colivara"]
    assert await rpc(ada, "get_processors", named) == {"firm": None, "matter": None, "allowed": everything}
    root = await make_user("root@firm.example", is_admin=True)
    await rpc(root, "set_firm_processors", {"processors": ["model", "vision"]})
    await rpc(ada, "set_matter_processors", {**named, "processors": ["isaacus", "vision"]})
    assert (await rpc(ada, "get_processors", named))["allowed"] == ["vision"]
    other = await rpc(ada, "create_matter", {"title": "Other"})
    assert await rpc(ada, "allowed_processors", {"matter_ref": other["id"]}) == ["model", "vision"]
    assert await rpc(ada, "allowed_processors", {}) == ["vision"]
    for wrong in (["fax"], {"model": True}, "model", ["model", "fax"]):
        with pytest.raises(Invalid):
            await rpc(ada, "set_matter_processors", {**named, "processors": wrong})
    with pytest.raises(Denied):
        await rpc(ada, "set_firm_processors", {"processors": None})


async def test_isaacus_gets_nothing_of_a_matter_that_forbids_it(
    peer: IsaacusPeer, services: Services, operator: Operator, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    await allow(services, ada, matter, "model")
    document = await add_file("lease.txt", LEASE)
    library = services.library
    found = await library.search(ada, matter["id"], "how can the lease be terminated", 5)
    assert found.passages
    assert "vectors" in found.stages
    assert "may not be sent to Isaacus" in found.engine and found.engine.startswith("Offline engine")
    assert (await library.search(ada, "all", "how can the lease be terminated", 5)).passages
    assert (await library.extract(ada, document, "Which law governs the lease?")).engine == found.engine
    assert (await library.classify(ada, document, ["termination"])).engine == found.engine
    assert await library.relevant(ada, matter["id"], "termination of the lease by notice", 3, 0.1)
    report = await Reembedder(operator.worker, services.engine).run(matter["id"], lambda *_: None)
    assert [reason for _, reason in report.refused] == ["This matter's documents may not be sent to Isaacus."]
    with pytest.raises(EngineRefused):
        await services.engine.embed(["of nobody knows which matter"], task="retrieval/query")
    assert not peer.requests
    await allow(services, ada, matter, "isaacus")
    report = await Reembedder(operator.worker, services.engine).run(matter["id"], lambda *_: None)
    assert (report.documents, report.refused) == (1, [])
    assert (await library.search(ada, matter["id"], "how can the lease be terminated", 5)).engine.startswith("Isaacus")


@pytest.mark.parametrize("bound", [True, False])
async def test_the_chat_model_gets_nothing_of_a_matter_that_forbids_it(
    settings: Settings, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add, acting: Acting, *, bound: bool
) -> None:
    """The model is never called when the matter is bound; otherwise until the conversation has read the matter."""
    await add_file("lease.txt", LEASE)
    asked: list[str] = []

    def script(request: dict[str, Any]) -> Reply:
        asked.append(str(request["messages"]))
        return "I do not know."

    state = await answered(settings, script, acting(ada), RunContext(matter_id=matter["id"]))
    assert asked, "the configured model must be called when the policy allows it"
    asked.clear()
    await allow(services, ada, matter, "isaacus")
    context = RunContext(matter_id=matter["id"]) if bound else RunContext()
    state = await answered(settings, script, acting(ada), context)
    assert asked == []
    assert "laws of New South Wales" in state["messages"][-1].text
    assert NOTICE in state["messages"][-1].text
    run = await services.store.rpc(ada, "replay_run", {"run_id": "run-2"})
    assert run["model"] == "offline-planner"


runs = iter(range(1, 100))


async def answered(settings: Settings, script: Any, config: dict[str, Any], context: RunContext) -> dict[str, Any]:
    with serve(script) as model:
        with_model = settings.model_copy(update={"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url})
        graph = build_graph(with_model)
        config["configurable"] |= {"run_id": "run-2"}
        question = {"messages": [HumanMessage("Which law governs the lease?")]}
        state: dict[str, Any] = await graph.ainvoke(question, config, context=context)
    return state


@pytest.fixture
async def with_vision_processors(settings: Settings) -> AsyncIterator[tuple[Services, Operator, list[str]]]:
    """Services with ColiVara and a vision endpoint, and the list of requests to both."""
    asked: list[str] = []

    def colivara(request: Any) -> Any:
        asked.append(f"colivara {request.url.path}")
        return httpx.Response(500)

    def vision(request: dict[str, Any]) -> Reply:
        asked.append("vision")
        return "What the scan says."

    with respx.mock(assert_all_called=False) as mock, serve(vision) as endpoint:
        mock.route(host="api.colivara.com").mock(side_effect=colivara)
        mock.route(host="127.0.0.1").pass_through()
        keys = {"colivara_api_key": SecretStr("cv"), "deepseek_api_key": SecretStr("v"), "ocr_base_url": endpoint.base_url}
        async with open_services(settings.model_copy(update=keys)) as services, open_operator(services) as operator:
            yield services, operator, asked


@pytest.mark.parametrize("kept", [True, False])
async def test_scans_and_pages_of_a_matter_that_forbids_egress_are_processed_locally(
    with_vision_processors: tuple[Services, Operator, list[str]],
    ada: Caller,
    matter: dict[str, Any],
    tmp_path: Path,
    *,
    kept: bool,
) -> None:
    services, operator, asked = with_vision_processors
    if kept:
        await allow(services, ada, matter, "model", "isaacus")
    report = await operator.file_ingestor.add(ada, matter["id"], FIXTURES / "scan1_first_page.pdf")
    health = await services.library.health(ada, report.document_id)
    said = str(health)
    blank = tmp_path / "plan.pdf"
    with pymupdf.open() as drawing:
        drawing.new_page().draw_rect((100, 100, 300, 300))
        drawing.save(blank)
    await operator.file_ingestor.add(ada, matter["id"], blank)
    if kept:
        assert asked == []
        assert "may not be sent to the endpoint that reads scans" in said and "tesseract" in said
        seen = await services.visuals.search(ada, matter["id"], "plan of the building")
        assert not seen.by_sight
        assert asked == []
    else:
        assert "vision" in asked
        assert any(call.startswith("colivara") for call in asked)
