"""The main path with Supabase in the place of the embedded store: database through supabase-py, files in Storage."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import respx
from langchain_core.messages import HumanMessage
from pydantic import SecretStr

from lease import LEASE
from orderly.errors import Misconfigured
from orderly.graph import build_graph
from orderly.identity import USER_KEY, seal
from orderly.middleware.briefing import RunContext
from orderly.models import Caller
from orderly.services.spooling import spooled
from orderly.settings import Settings
from orderly.wiring import Services, open_operator, open_services
from storage_peer import StoragePeer
from store.postgrest_peer import JWT_SECRET, key_of, serving

STORAGE = StoragePeer(key_of("service_role"), anon_key=key_of("anon"), jwt_secret=JWT_SECRET)


@pytest.fixture
async def on_supabase(database_url: str, models: Path, tmp_path: Path) -> AsyncIterator[Services]:
    (tmp_path / "models").symlink_to(models)
    async with serving(database_url) as url:
        settings = Settings(
            home=tmp_path,
            supabase_url=url,
            supabase_anon_key=key_of("anon"),
            supabase_service_key=key_of("service_role"),
            supabase_jwt_secret=JWT_SECRET,
            secret=SecretStr("s" * 32),
            _env_file=None,
        )
        with respx.mock(assert_all_called=False) as mock:
            mock.route(path__startswith="/storage/v1/").mock(side_effect=STORAGE)
            mock.route(path__startswith="/rest/v1/").pass_through()
            async with open_services(settings) as services:
                yield services


async def test_a_file_is_taken_in_and_a_question_about_it_answered(
    on_supabase: Services, make_user: Callable[..., Awaitable[Caller]], tmp_path: Path
) -> None:
    ada = await make_user("ada@firm.example")
    matter = await on_supabase.store.rpc(ada, "create_matter", {"title": "Lease"})
    (tmp_path / "lease.txt").write_text(LEASE)
    async with open_operator(on_supabase) as operator:
        report = await operator.receiver.add(ada, matter["id"], tmp_path / "lease.txt")
    assert report.status == "ready"
    assert list(STORAGE.files.values()) == [LEASE.encode()]
    config = {"configurable": {USER_KEY: seal(ada.user_id, on_supabase.secret)}}
    question = {"messages": [HumanMessage("Which law governs the lease?")]}
    state = await build_graph(on_supabase.settings).ainvoke(question, config, context=RunContext(matter_id=matter["number"]))
    assert "laws of New South Wales" in state["messages"][-1].text
    assert all(LEASE[c["start"] : c["end"]] == c["text"] for c in state["citations"])


async def test_the_agents_side_works_without_the_service_key_and_opens_files_as_its_user(
    on_supabase: Services, make_user: Callable[..., Awaitable[Caller]]
) -> None:
    settings = on_supabase.settings.model_copy(update={"supabase_service_key": None})
    ada = await make_user("ada@firm.example")
    matter = await on_supabase.store.rpc(ada, "create_matter", {"title": "Lease"})
    STORAGE.callers.clear()
    async with open_services(settings) as services:
        async with spooled("lease.txt", 1) as kept:
            kept.write(LEASE.encode())
            kept.finish()
            received = await services.intake.take_in(ada, matter["id"], kept)
        assert received.document["status"] == "queued"
        text = await services.library.text(ada, received.document["id"])
        assert text.parts[0].text.strip() == LEASE.strip()
        with pytest.raises(Misconfigured, match="SUPABASE_SERVICE_ROLE_KEY"):
            async with open_operator(services):
                pass
    assert STORAGE.callers == [("POST", ada.user_id), ("GET", ada.user_id)]


async def test_nobody_is_the_local_user_there(on_supabase: Services) -> None:
    assert on_supabase.local_user is None
