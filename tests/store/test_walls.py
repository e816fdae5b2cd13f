"""Ethical walls take effect at once for everyone, are managed by officers without read access, and are audited."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from orderly.errors import Conflict, Denied, Invalid, MatterNotFound, NotFound
from orderly.store.functions.matters import list_matters


@pytest.fixture
async def ada(make_user):
    return await make_user("ada@firm.example", is_admin=True)


@pytest.fixture
async def sue(make_user):
    return await make_user("sue@firm.example")


@pytest.fixture
async def officer(make_user, worker_store):
    made = await make_user("officer@firm.example")
    await worker_store.rpc("set_conflicts_officer", {"email": "officer@firm.example", "is_officer": True})
    return made


@pytest.fixture
async def matter(make_matter, ada, sue):
    return await make_matter(ada, viewers=["sue@firm.example"])


def wall(matter, email="sue@firm.example", **more):
    return {"matter_ref": matter["number"], "member_email": email, "reason": "Acted for the other side", **more}


def days(count):
    return (datetime.now(UTC) + timedelta(days=count)).isoformat()


async def test_a_wall_takes_effect_at_once_even_for_an_owner_and_administrator(store, ada, officer, matter):
    made = await store.rpc(officer, "add_matter_screen", wall(matter, "ada@firm.example"))
    assert made["in_force"]
    assert (made["created_by"], made["reason"]) == ("officer@firm.example", "Acted for the other side")
    with pytest.raises(MatterNotFound):
        await store.rpc(ada, "get_matter", {"matter_ref": matter["id"]})
    for function, params in (
        ("list_matter_screens", {"matter_ref": matter["id"]}),
        ("lift_matter_screen", {"matter_ref": matter["id"], "screen_id": made["id"]}),
    ):
        with pytest.raises(MatterNotFound):
            await store.rpc(ada, function, params)
    lifted = await store.rpc(officer, "lift_matter_screen", {"matter_ref": matter["id"], "screen_id": made["id"]})
    assert (lifted["in_force"], lifted["lifted_by"], lifted["starts_at"]) == (False, "officer@firm.example", made["starts_at"])
    assert await store.rpc(ada, "get_matter", {"matter_ref": matter["id"]})
    with pytest.raises(NotFound):
        await store.rpc(officer, "lift_matter_screen", {"matter_ref": matter["id"], "screen_id": made["id"]})


@pytest.mark.parametrize(
    ("starts", "ends", "stands"), [(-1, None, True), (-1, 1, True), (1, 2, False), (None, 1, True), (1, None, False)]
)
async def test_a_wall_is_in_force_between_its_dates(store, officer, sue, matter, starts, ends, stands):
    dates = {"starts_at": starts and days(starts), "ends_at": ends and days(ends)}
    made = await store.rpc(officer, "add_matter_screen", wall(matter, **dates))
    assert made["in_force"] is stands
    assert bool(await list_matters(store, sue)) is not stands


async def test_an_expired_wall_is_not_in_force(store, officer, sue, matter, admin):
    await store.rpc(officer, "add_matter_screen", wall(matter))
    admin.execute("update matter_screens set starts_at = now() - interval '2 days', ends_at = now() - interval '1 second'")
    assert await list_matters(store, sue)
    assert await store.rpc(officer, "list_screens", {}) == []
    assert len(await store.rpc(officer, "list_screens", {"lifted": True})) == 1


async def test_invalid_dates_and_duplicate_walls_are_refused(store, officer, matter):
    for dates in ({"ends_at": days(-1)}, {"starts_at": days(2), "ends_at": days(1)}):
        with pytest.raises(Invalid):
            await store.rpc(officer, "add_matter_screen", wall(matter, **dates))
    for reason in ("", "  "):
        with pytest.raises(Invalid):
            await store.rpc(officer, "add_matter_screen", wall(matter) | {"reason": reason})
    with pytest.raises(NotFound):
        await store.rpc(officer, "add_matter_screen", wall(matter, "nobody@firm.example"))
    await store.rpc(officer, "add_matter_screen", wall(matter, ends_at=days(5)))
    with pytest.raises(Conflict):
        await store.rpc(officer, "add_matter_screen", wall(matter, ends_at=days(3)))
    await store.rpc(officer, "add_matter_screen", wall(matter))


async def test_an_officer_sees_the_walls_of_the_firm_and_none_of_its_matters(
    store, ada, officer, matter, make_user, worker_store
):
    await store.rpc(ada, "add_matter_screen", wall(matter))
    [listed] = await store.rpc(officer, "list_screens", {})
    assert (listed["matter_number"], listed["email"]) == (matter["number"], "sue@firm.example")
    assert await store.rpc(officer, "list_matter_screens", {"matter_ref": matter["id"]}) == [listed]
    assert await list_matters(store, officer) == []
    for function in ("get_matter", "list_documents", "list_matter_members"):
        with pytest.raises(MatterNotFound):
            await store.rpc(officer, function, {"matter_ref": matter["id"]})
    other = await make_user("eve@other.example", tenant="Other")
    await worker_store.rpc("set_conflicts_officer", {"email": "eve@other.example", "is_officer": True})
    assert await store.rpc(other, "list_screens", {"lifted": True}) == []
    with pytest.raises(MatterNotFound):
        await store.rpc(other, "list_matter_screens", {"matter_ref": matter["id"]})


async def test_owners_raise_walls_and_only_officers_lift_them(store, ada, sue, officer, matter):
    made = await store.rpc(officer, "add_matter_screen", wall(matter))
    [seen] = await store.rpc(ada, "list_matter_screens", {"matter_ref": matter["id"]})
    assert seen["reason"] is None
    for function, params in (
        ("lift_matter_screen", {"matter_ref": matter["id"], "screen_id": made["id"]}),
        ("list_screens", {}),
    ):
        with pytest.raises(Denied):
            await store.rpc(ada, function, params)


async def test_nobody_lifts_a_wall_against_themselves(store, ada, officer, matter, worker_store, make_user):
    made = await store.rpc(ada, "add_matter_screen", wall(matter, "officer@firm.example"))
    lift = {"matter_ref": matter["id"], "screen_id": made["id"]}
    with pytest.raises(Denied):
        await store.rpc(officer, "lift_matter_screen", lift)
    second = await make_user("second@firm.example")
    await worker_store.rpc("set_conflicts_officer", {"email": "second@firm.example", "is_officer": True})
    assert (await store.rpc(second, "lift_matter_screen", lift))["lifted_by"] == "second@firm.example"


async def test_every_change_of_a_wall_is_in_the_matters_record(store, officer, matter, admin):
    made = await store.rpc(officer, "add_matter_screen", wall(matter))
    await store.rpc(officer, "list_matter_screens", {"matter_ref": matter["id"]})
    await store.rpc(officer, "lift_matter_screen", {"matter_ref": matter["id"], "screen_id": made["id"]})
    rows = admin.execute(
        "select action, user_id::text from audit_log where matter_id = %s order by seq desc limit 3", (matter["id"],)
    )
    assert list(rows) == [
        (name, officer.user_id) for name in ("lift_matter_screen", "list_matter_screens", "add_matter_screen")
    ]
