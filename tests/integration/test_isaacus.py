"""The product on the Isaacus engine: usage per matter, failures, and changing engines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx
from pydantic import SecretStr

from orderly.agent import rendering, tools
from orderly.errors import EngineFailed, MatterNotFound, Misconfigured
from orderly.models import Caller
from orderly.services.engines.local import LocalEngine
from orderly.services.ingestion.reembedding import Reembedder
from orderly.settings import Settings
from orderly.wiring.services import Operator, Services, open_operator, open_services
from support.isaacus_peer import KEY, IsaacusPeer
from support.lease import LEASE

Add = Callable[..., Awaitable[str]]


@pytest.fixture
def peer(respx_mock: respx.MockRouter) -> IsaacusPeer:
    return IsaacusPeer().mount(respx_mock)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"isaacus_api_key": SecretStr(KEY)})


@pytest.fixture
async def local(settings: Settings) -> AsyncIterator[tuple[Services, Operator]]:
    """The same installation without an Isaacus key."""
    without = settings.model_copy(update={"isaacus_api_key": None})
    async with open_services(without) as services, open_operator(services) as operator:
        yield services, operator


async def usage(services: Services, caller: Caller, matter: str | None = None) -> dict[str, tuple[int, int]]:
    rows = await services.store.rpc(caller, "list_engine_usage", {"matter_ref": matter})
    return {row["endpoint"]: (row["requests"], row["input_tokens"]) for row in rows}


async def test_a_matters_usage_is_counted_from_ingestion_to_answers(
    peer: IsaacusPeer, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    assert list(await usage(services, ada, matter["id"])) == ["/embeddings"]
    library = services.library
    found = await library.search(ada, matter["number"], "how can the lease be terminated", 5)
    assert found.passages and set(found.stages) == {"vectors", "full text", "reranking"}
    await library.extract(ada, document, "Which law governs the lease?")
    await library.classify(ada, document, ["termination", "payment terms"])
    counted = await usage(services, ada, matter["id"])
    assert {path: requests for path, (requests, _) in counted.items()} == {
        path: peer.count(path) for path in ("/embeddings", "/rerankings", "/extractions/qa", "/classifications/universal")
    }  # fmt: skip
    # A statement, two clause types, and the clauses of the chunk that holds both clauses of termination.
    assert counted["/classifications/universal"][0] == 4
    assert sum(tokens for _, tokens in counted.values()) == peer.tokens


async def test_concurrent_questions_are_counted_on_their_own_matters(
    peer: IsaacusPeer, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("lease.txt", LEASE)
    other = await services.store.rpc(ada, "create_matter", {"title": "Another"})
    before = (await usage(services, ada, matter["id"]))["/embeddings"][0]
    await asyncio.gather(*(services.library.search(ada, matter["id"], f"rent {n}", 3) for n in range(12)))
    counted = await usage(services, ada, matter["id"])
    assert counted["/rerankings"][0] == 12 == peer.count("/rerankings")
    assert counted["/embeddings"][0] == before + 12
    assert await usage(services, ada, other["id"]) == {}


async def test_a_search_of_all_matters_counts_its_joint_reranking_on_no_matter(
    peer: IsaacusPeer, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("lease.txt", LEASE)
    await services.library.search(ada, "all", "rent", 3)
    rows = await services.store.rpc(ada, "list_engine_usage", {})
    own = [row for row in rows if row["matter_id"] is None]
    assert [(row["endpoint"], row["requests"]) for row in own] == [("/rerankings", 1)]
    assert (await usage(services, ada, matter["id"]))["/rerankings"][0] == 1
    assert peer.count("/rerankings") == 2


async def test_usage_of_a_failed_question_is_counted(
    peer: IsaacusPeer, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    real, calls = peer.answer, []

    def second_fails(path: str, body: dict[str, Any]) -> httpx.Response:
        calls.append(path)
        return real(path, body) if len(calls) < 3 else httpx.Response(402)

    peer.answer = second_fails  # type: ignore[method-assign]
    with pytest.raises(EngineFailed):
        await services.library.classify(ada, document, ["termination", "payment terms", "assignment"])
    assert (await usage(services, ada, matter["id"]))["/classifications/universal"][0] == 2


async def test_usage_is_visible_to_members_only(
    peer: IsaacusPeer, services: Services, ada: Caller, stranger: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("lease.txt", LEASE)
    assert await services.store.rpc(stranger, "list_engine_usage", {}) == []
    for function, params in (("list_engine_usage", {}), ("record_engine_usage", {"entries": []})):
        with pytest.raises(MatterNotFound):
            await services.store.rpc(stranger, function, {**params, "matter_ref": matter["id"]})


@pytest.mark.parametrize("path", ["/embeddings", "/rerankings"])
async def test_when_isaacus_is_down_search_uses_keywords_and_no_other_engine(
    peer: IsaacusPeer, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add, path: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    await add_file("lease.txt", LEASE)
    peer.failing[path] = httpx.Response(503, headers={"x-should-retry": "false"})

    async def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("the offline engine was asked")

    monkeypatch.setattr(LocalEngine, "embed", never)
    monkeypatch.setattr(LocalEngine, "rerank", never)
    found = await services.library.search(ada, matter["id"], "written notice", 5)
    text = rendering.search_results(found)
    assert text.startswith("Search temporarily unavailable. Falling back to keyword search...\n")
    assert "written notice" in text and "Relevance" not in text
    assert ("vectors" in found.stages) is (path == "/rerankings")


async def test_documents_of_another_engine_are_found_by_keywords_and_named(
    peer: IsaacusPeer, local: tuple[Services, Operator], services: Services, ada: Caller, matter: dict[str, Any],
    add_file: Add, tmp_path: Path,
) -> None:  # fmt: skip
    old = tmp_path / "old lease.txt"
    old.write_text(LEASE.replace("ninety (90)", "thirty (30)"))
    await local[1].file_ingestor.add(ada, matter["id"], old)
    for mode in ("hybrid", "semantic"):
        found = await services.library.search(ada, matter["id"], "written notice", 5, mode=mode)  # type: ignore[arg-type]
        assert "thirty (30)" in " ".join(p.text for p in found.passages), mode
        assert found.words_only == ("old lease.txt",)
        note = "Searched by words only, for want of vectors of this engine: old lease.txt."
        assert note in rendering.search_results(found)
    await add_file("new lease.txt", LEASE)
    document = found.passages[0].document_id
    found = await services.library.search(ada, matter["id"], "written notice", 5)
    assert found.words_only == ("old lease.txt",) and "vectors" in found.stages
    only_old = await services.library.search(ada, matter["id"], "written notice", 5, within=[document])
    assert only_old.words_only == ("old lease.txt",)


async def test_documents_stay_searchable_while_the_engine_changes(
    peer: IsaacusPeer, local: tuple[Services, Operator], services: Services, ada: Caller, matter: dict[str, Any], tmp_path: Path
) -> None:
    before, operator = local
    for n in range(3):
        file = tmp_path / f"lease {n}.txt"
        file.write_text(f"{LEASE}\nCopy {n}.")
        await operator.file_ingestor.add(ada, matter["id"], file)

    async def semantic(of: Services) -> tuple[bool, int]:
        found = await of.library.search(ada, matter["id"], "ending the lease", 5, mode="semantic")
        return "vectors" in found.stages and bool(found.passages), len(found.words_only)

    async with open_operator(services) as new:
        work = Reembedder(new.worker, services.engine)
        steps: list[str] = []
        halfway = httpx.Response(402)
        real = peer.answer

        def breaks_off(path: str, body: dict[str, Any]) -> httpx.Response:
            return real(path, body) if len(peer.requests) < 1 else halfway

        peer.answer = breaks_off  # type: ignore[method-assign]
        report = await work.run(matter["id"], lambda name, done, total: steps.append(name))
        assert (report.documents, len(report.refused)) == (1, 2), "refused documents must not stop the others"
        assert await semantic(before) == (True, 0)
        peer.answer = real  # type: ignore[method-assign]
        assert (await semantic(services))[1] == 2
        report = await work.run(matter["id"], lambda name, done, total: steps.append(name))
        assert report.documents == 2 and not report.refused
        assert await semantic(before) == (True, 0) and await semantic(services) == (True, 0)
        assert (await work.run(None, lambda *_: None)).documents == 0
        assert await work.drop_others(matter["id"]) == (3, report.vectors // 2 * 3)
    assert await semantic(services) == (True, 0)
    assert (await semantic(before))[1] == 3


async def test_a_custom_clause_type_is_sent_as_a_statement_whatever_its_text(
    peer: IsaacusPeer, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add, acting: Callable[..., Any]
) -> None:
    document = await add_file("lease.txt", LEASE)
    hostile = ["{IS clause} OR {IS right}", "IS termination clause", 'a" > {x} + \\{y\\} AND NOT z', "{IS termination clause}"]
    await tools.isaacus_classify.ainvoke({"document_id": document, "clause_types": hostile}, acting(ada))
    asked = [body for path, body in peer.requests if path == "/classifications/universal"]
    assert len([body for body in asked if len(body["texts"]) == 1]) == 1 + len(hostile)
    assert not any(body["is_iql"] for body in asked)
    assert {body["query"] for body in asked[1:]} == {f"This is a clause about {label}." for label in hostile}
    before = len(peer.requests)
    for odd in (["x" * 10_000], [f"type {n}" for n in range(60)], ["a\x00b"]):
        text = await tools.isaacus_classify.ainvoke({"document_id": document, "clause_types": odd}, acting(ada))
        assert text.startswith("Error: "), odd
    assert len(peer.requests) == before


STATUTE = "An Act of Parliament.\n\n" + LEASE


@pytest.fixture
async def enriching(settings: Settings) -> AsyncIterator[tuple[Services, Operator]]:
    with_it = settings.model_copy(update={"enrich": True})
    async with open_services(with_it) as services, open_operator(services) as operator:
        yield services, operator


async def test_enrichment_at_ingestion_gives_the_document_type_and_is_counted(
    peer: IsaacusPeer, enriching: tuple[Services, Operator], ada: Caller, matter: dict[str, Any], tmp_path: Path
) -> None:
    services, operator = enriching
    real = peer.answer

    def statute(path: str, body: dict[str, Any]) -> httpx.Response:
        reply = real(path, body)
        return (
            httpx.Response(200, text=reply.text.replace('"type":"contract"', '"type":"statute"'))
            if path == "/enrichments"
            else reply
        )

    peer.answer = statute  # type: ignore[method-assign]
    path = tmp_path / "act.txt"
    path.write_text(STATUTE)
    report = await operator.file_ingestor.add(ada, matter["id"], path)
    assert (report.status, report.reason) == ("ready", "")
    assert (await usage(services, ada, matter["id"]))["/enrichments"][0] == 1
    clauses = await services.library.classify(ada, report.document_id, None)
    assert not clauses.is_contract
    assert peer.count("/classifications/universal") == 0, "a known type needs no classification"
    assert rendering.clause_report(clauses).startswith("This document does not appear to be a contract.")


async def test_a_document_is_ingested_although_enrichment_fails(
    peer: IsaacusPeer, enriching: tuple[Services, Operator], ada: Caller, matter: dict[str, Any], tmp_path: Path
) -> None:
    peer.failing["/enrichments"] = httpx.Response(402)
    path = tmp_path / "lease.txt"
    path.write_text(LEASE)
    report = await enriching[1].file_ingestor.add(ada, matter["id"], path)
    assert report.status == "partial" and "could not be enriched" in report.reason
    found = await enriching[0].library.search(ada, matter["id"], "written notice", 5)
    assert found.passages and "reranking" in found.stages
    assert found.passages[0].section_label


async def test_enrichment_without_isaacus_is_misconfigured(settings: Settings) -> None:
    without = settings.model_copy(update={"enrich": True, "isaacus_api_key": None})
    async with open_services(without) as services:
        with pytest.raises(Misconfigured, match="ORDERLY_ENRICH"):
            async with open_operator(services):
                pass
