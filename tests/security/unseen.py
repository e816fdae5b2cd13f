"""Non-interference: a person gets the same answers in a world without the things hidden from them.

So numbers, ranks and other derived values reveal nothing about hidden things.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from security.cases import Case, Operation, arguments
from security.functions import PEOPLE
from security.people import BY_NAME, COMPARTMENTS, Person, names, role_in, sees
from security.runs import Report, everything
from security.undone import Desk
from security.world import World

HOLDERS = """
select c.oid::regclass::text, a.attname from pg_class c join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attname in ('revision_id', 'document_id', 'matter_id')
where n.nspname in ('public', 'private') and c.relkind = 'r' order by a.attname desc, 1
"""
ABOUT_THE_PAST = frozenset({"list_audit", "replay_run", "my_threads"})
"""Operations on the audit record and the caller's threads, which may show that hidden things exist."""

STAYS = frozenset({"audit_log", "receipts", "thread_reads", "private.document_changes", "private.matter_changes"})
"""Tables of history, which also keep rows about deleted things."""

GONE = {
    "revision_id": "(select r.id from public.document_revisions r where r.document_id = any ({documents}))",
    "document_id": "(select unnest({documents}))",
    "matter_id": "(select unnest(%(matters)s::uuid[]))",
}
DOCUMENTS = "array(select d.id from public.documents d where d.id = any (%(documents)s::uuid[]) or d.matter_id = any (%(matters)s::uuid[]))"

VARYING = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\b[0-9a-f]{32,64}\b|(?<=--)[0-9a-f]{8}\b|(?<=/)[0-9a-f]{8}(?=-)|\b1\d{15}\b|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(?:[+-]\d\d:\d\d|Z)?"
)
"""Ids (a slug ends in the beginning of one, a key of a version begins with one), digests and times, which differ at every call."""


def _watchers() -> Iterator[tuple[Person, str]]:
    """Yields one person for each combination of role, groups and offices, with a compartment that they can see."""
    known = set()
    for person in PEOPLE:
        home = next((c.name for c in COMPARTMENTS if sees(person, c)), "main")
        rank = role_in(person, BY_NAME[home])
        what = (person.firm, home, rank, person.groups, person.admin, person.officer, person.conversation)
        if person.signed_in and (rank or person.admin or person.officer) and what not in known:
            known.add(what)
            yield person, home


async def without_the_unseen(desk: Desk, world: World, person: Person) -> None:
    """Deletes, without triggers, the rows of documents hidden from the person and of matters whose name they may not know."""
    hidden = [world.places[c.name] for c in COMPARTMENTS if not sees(person, c) and not c.deleted]
    gone = {
        "documents": [place[kind] for place in hidden for kind in ("document", "unsearched")],
        "matters": [world.places[c.name]["matter"] for c in COMPARTMENTS if c.name == c.matter and not names(person, c)],
    }
    execute = desk.connection.execute
    await execute("select set_config('session_replication_role', 'replica', true)")
    for table, column in await (await execute(HOLDERS)).fetchall():
        if table not in STAYS and table != "document_revisions" and not (table == "documents" and column == "matter_id"):
            await execute(f"delete from {table} where {column} in {GONE[column].format(documents=DOCUMENTS)}", gone)
    await execute(f"delete from document_revisions where document_id = any ({DOCUMENTS})".encode(), gone)
    await execute(f"delete from documents where id = any ({DOCUMENTS})".encode(), gone)
    await execute("delete from matters where id = any (%(matters)s::uuid[])", gone)
    await execute("select set_config('session_replication_role', 'origin', true)")


async def run_unseen(
    desk: Desk,
    world: World,
    operations: Iterable[Operation],
    *,
    wanted: Callable[[Case], bool] = everything,
    first_failure: bool = False,
) -> Report:
    """Runs every operation twice, with and without the hidden things. `wanted`: selects cases."""
    report, operations = Report(), [o for o in operations if o.name not in ABOUT_THE_PAST]
    for person, home in _watchers():
        cases = [c for o in operations if wanted(c := Case(o, person, dict.fromkeys(o.slots, home)))]
        said = [await _answer_text(world, case) for case in cases]
        async with desk.undone():
            await without_the_unseen(desk, world, person)
            for case, before in zip(cases, said, strict=True):
                report.cases += 1
                if (after := await _answer_text(world, case)) != before:
                    report.failures.append(f"{case} depends on hidden things: {_difference(before, after)}")
                    if first_failure:
                        return report
    return report


async def _answer_text(world: World, case: Case) -> str:
    answer = await case.operation.invoke(case.person, arguments(world, case))
    return VARYING.sub("…", answer.text)


def _difference(before: str, after: str) -> str:
    at = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after)))
    return f"{before[max(at - 60, 0) : at + 60]!r}, and without it {after[max(at - 60, 0) : at + 60]!r}"
