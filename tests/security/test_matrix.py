"""A sample of the leak matrix; `make security` runs all cases and the mutants."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from orderly.api.app import create_app
from security import agents_tools, functions, graph_resources, routes
from security.cases import Operation
from security.installed import installed
from security.people import PEOPLE
from security.rows import over_http, run_rows, tables
from security.runs import Report, any_in, one_in, run
from security.undone import Desk
from security.unseen import run_unseen
from security.world import World
from support.postgrest_peer import serving


async def test_every_function_follows_the_access_rule(desk: Desk, world: World) -> None:
    catalogue = await functions.catalogue(desk)
    tried = functions.operations(catalogue, functions.call_as_role(desk, world))
    assert_no_leak(
        await run(world, tried, people=functions.PEOPLE, wanted=one_in(64)), at_least=1_000, idle=functions.NEVER_WORK.keys()
    )


async def test_hidden_things_do_not_influence_answers(desk: Desk, world: World) -> None:
    tried = functions.operations(await functions.catalogue(desk), functions.call_as_role(desk, world))
    report = await run_unseen(desk, world, tried, wanted=any_in(12))
    assert report.failures == []
    assert report.cases > 150


async def test_every_tool_follows_the_access_rule(desk: Desk, world: World) -> None:
    async with installed(desk, world):
        tried = agents_tools.operations(agents_tools.call_in_run(desk, world))
        assert_no_leak(await run(world, tried, wanted=one_in(240)), at_least=90)


async def test_a_run_that_names_its_matter_reaches_no_other_matter_of_its_user(desk: Desk, world: World) -> None:
    bound = [person for person in PEOPLE if person.kept_to is not None]
    catalogue = await functions.catalogue(desk)
    in_sql = await run(world, functions.operations(catalogue, functions.call_as_role(desk, world)), people=bound)
    async with installed(desk, world):
        by_tool = await run(world, agents_tools.operations(agents_tools.call_in_run(desk, world)), people=bound)
    assert in_sql.failures == by_tool.failures == []
    assert in_sql.cases > 1_000
    assert by_tool.cases > 500


async def test_every_langgraph_resource_follows_the_access_rule(desk: Desk, world: World) -> None:
    async with installed(desk, world):
        tried = list(graph_resources.operations(desk, world))
        closed = {o.name for o in tried if not o.name.startswith(("threads.", "assistants.read", "assistants.search"))}
        assert_no_leak(await run(world, tried, people=routes.PEOPLE, wanted=one_in(60)), at_least=120, idle=closed)


async def test_every_route_follows_the_access_rule(desk: Desk, world: World) -> None:
    async with opened(desk, world) as tried:
        await assert_follows_the_rule(world, tried.operations())


async def test_every_tool_of_mcp_follows_the_access_rule(desk: Desk, world: World) -> None:
    async with opened(desk, world) as tried:
        await assert_follows_the_rule(world, tried.tools())


async def test_plain_selects_follow_the_access_rule_in_the_database_and_over_http(desk: Desk, world: World) -> None:
    public = [table for table in await tables(desk) if "." not in table]
    everywhere = await run_rows(desk, world, await tables(desk))
    async with serving(world.database_url) as address, over_http(address, world) as select:
        some = [p for p in functions.PEOPLE if p.name in ("owner", "viewer", "screened owner", "other tenant", "anonymous")]
        over = await run_rows(desk, world, public, some, select)
    assert everywhere.failures == over.failures == []
    assert everywhere.cases > 600
    assert over.cases > 100


def assert_no_leak(report: Report, *, at_least: int, idle: object = frozenset()) -> None:
    assert report.failures == []
    assert set(report.idle) <= set(idle), "these operations gave nobody a result, so their refusals prove nothing"  # type: ignore[call-overload]
    assert report.cases >= at_least


@asynccontextmanager
async def opened(desk: Desk, world: World) -> AsyncIterator[routes.Routes]:
    async with installed(desk, world):
        app = create_app()
        assert routes.undescribed(app) == []
        async with app.router.lifespan_context(app):
            yield routes.Routes(app, desk, world)


async def assert_follows_the_rule(world: World, operations: Iterable[Operation]) -> None:
    report = await run(
        world, operations, people=routes.PEOPLE, wanted=lambda case: one_in(320)(case) and routes.in_this_process(case)
    )
    assert_no_leak(report, at_least=40, idle=routes.NEVER_WORK.keys() | routes.ASKS_ITS_SERVER)
