"""Operations for every SQL function that a signed-in user may execute, read from the catalogue."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol
from uuid import uuid4

import psycopg

from orderly.store.base import Json, claims_of
from orderly.store.postgres import Role, call
from security.cases import SLOTS, Answer, Operation
from security.people import PEOPLE as ALL
from security.people import Keeper, Need, Outcome, Person
from security.undone import Desk
from security.world import WORDS, World, text_of, word_of
from support.result_shapes import type_errors
from support.revisions import TEST_MODEL, vector_of, vector_text

EXECUTABLE = """
select p.proname, coalesce(p.proargnames[:p.pronargs], '{}'), p.pronargdefaults,
  array(select format_type(t, null) from unnest(p.proargtypes::oid[]) with ordinality as a (t, n) order by n)
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname = 'public' and has_function_privilege('authenticated', p.oid, 'execute')
  and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
order by p.proname
"""

NEEDS: dict[str, Need] = {
    "add_matter_member": "owner",
    "remove_matter_member": "owner",
    "delete_document": "owner",
    "hold_document": "owner",
    "register_document": "editor",
    "document_stored": "editor",
    "withdraw_upload": "editor",
    "find_duplicates": "editor",
    "reprocess_document": "editor",
    "create_folder": "editor",
    "rename_folder": "editor",
    "move_folder": "editor",
    "delete_folder": "editor",
    "move_document": "editor",
    "edit_document": "editor",
    "edit_folder": "editor",
    "edit_matter": "owner",
    **dict.fromkeys(
        (
            "create_review",
            "edit_review",
            "delete_review",
            "add_review_columns",
            "edit_review_column",
            "delete_review_column",
            "run_review",
            "cancel_review",
            "judge_cell",
        ),
        "editor",
    ),
    "list_audit": "owner",
    "add_matter_screen": "owner or officer",
    "list_matter_screens": "owner or officer",
    "lift_matter_screen": "officer",
    "list_screens": "officer",
    **dict.fromkeys(
        (
            "add_person",
            "set_person",
            "firm_matters",
            "firm_matter_members",
            "set_firm_member",
            "create_group",
            "delete_group",
            "set_group_member",
            "grant_tool",
            "set_firm_processors",
        ),
        "admin",
    ),
    "restrict_document": "owner",
    "set_matter_processors": "owner",
}
"""Function -> role that it needs; other functions need a viewer."""

KEEPERS: Mapping[str, Keeper] = {
    "get_response": "its maker", "delete_response": "its maker", "replay_run": "its maker or an owner",
}  # fmt: skip

NEVER_WORK: Mapping[str, str] = {
    "document_stored": "the world's files have all arrived",
    "delete_group": "documents are kept for the world's groups",
    "delete_folder": "only an empty one, and the world's hold documents",
}
"""Functions that refuse every caller in this world for a reason that is checked after access."""

FILTERS = {
    "passage_similarities": frozenset({"chunk_ids"}),
    "review_rows": frozenset({"document_ids"}),
    "record_answer": frozenset({"citations[].document_id"}), "hidden_text": frozenset({"document_ids"}),
}  # fmt: skip

NESTED: Mapping[str, Mapping[str, str]] = {
    "edit_document": {"changes.folder_id": "folder"},
    "edit_folder": {"changes.parent_id": "folder"},
    "record_answer": {"citations[].document_id": "document"},
    "add_review_columns": {"columns[].document_ids": "document"},
}
"""Function -> ids inside JSON arguments; [] marks a list."""

CURSORS: Mapping[str, Json] = {"after": 0, "after_seq": 0}
"""Optional cursor arguments, with the value that selects everything."""

PAGED: Mapping[str, Mapping[str, Json]] = {"review_changes": {"match_count": 2}}
"""Function -> arguments with which its answer has several parts, so that their borders may not depend on hidden things."""

WITH: Mapping[str, Mapping[str, Json]] = {"version_of": {"on_duplicate": "new_version"}}
"""Argument -> further arguments that it needs to take effect."""

LISTED = {"within", "document_ids", "chunk_ids", "matters", "file_ids"}
"""Arguments that take a list of ids."""

USAGE = [{"engine": "isaacus", "model": "kanon", "endpoint": "/rerankings", "requests": 1, "input_tokens": 7}]

PLAIN: Mapping[str, Json] = {
    "member_role": "viewer",
    "query": "Ohio",
    "words": "Ohio",
    "name": "Papers",
    "filename": "new.txt",
    "content_type": "text/plain",
    "size_bytes": 1,
    "sha256": hashlib.sha256(b"x").hexdigest(),
    "storage_key": "none",
    "query_embedding": vector_text(vector_of("Ohio")),
    "model": TEST_MODEL,
    "engine": "embedded",
    "spans": [[0, 6]],
    "start": 0,
    "end": 6,
    "entries": USAGE,
    "new_id": "resp_" + "a" * 32,
    "thread_id": "t",
    "checkpoint_id": "c",
    "body": {"output": []},
    "title": "Of one's own",
    "function_name": "get_matter",
    "refs": {"matter_ref": "nothing"},
    "answer_sha256": "0" * 64,
    "reason": "Conflict",
    "email": "new@firm.example",
    "group_name": "New group",
    "client_id": "mcp",
    "cell_limit": 1000,
}
"""Values of arguments that take no id. Arguments that are not listed get a value by their type."""

BY_FUNCTION: Mapping[tuple[str, str], Json] = {
    ("add_review_columns", "columns"): [{"title": "Law", "question": "Which law?", "answer_type": "text"}],
    ("edit_review", "changes"): {"name": "Renamed"},
    ("edit_review_column", "changes"): {"question": "Which state?"},
    ("judge_cell", "verdict"): "accepted",
    # The edition of the world's cells: made, then answered.
    ("judge_cell", "seen"): 2,
    ("edit_document", "changes"): {"filename": "renamed.txt"},
    ("edit_folder", "changes"): {"name": "Renamed"},
    ("edit_matter", "changes"): {"title": "Renamed"},
    # A word that every name in the world contains.
    ("find_by_name", "name"): WORDS,
    # The digest of a file that only a group may see.
    ("find_duplicates", "filename"): f"file-{word_of('restricted')}.txt",
    ("find_duplicates", "sha256"): hashlib.sha256(text_of(word_of("restricted"))[0].encode()).hexdigest(),
}

BY_TYPE: Mapping[str, Json] = {
    "text": "x", "integer": 1, "bigint": 1, "boolean": False, "jsonb": [], "timestamp with time zone": "2999-01-01",
    "real": 0.5, "double precision": 0.5, "text[]": [], "uuid[]": [], "date": "2026-01-01",
}  # fmt: skip

NO_IDS = frozenset({"thread_id", "client_id", "last_event_id"})
"""Arguments named like ids that identify nothing protected."""

NAMES_OF_IDS = ("_id", "_ids", "_ref", "_of")


class UnknownArgument(AssertionError):
    """The matrix has no value for an argument."""


class CallFunction(Protocol):
    async def __call__(self, person: Person, function: str, params: Mapping[str, Any]) -> Answer: ...


async def catalogue(desk: Desk) -> list[tuple[str, list[str], int, list[str]]]:
    async with desk.undone():
        found: Any = await (await desk.connection.execute(EXECUTABLE)).fetchall()
    return list(found)


def operations(catalogue: list[tuple[str, list[str], int, list[str]]], calling: CallFunction) -> Iterator[Operation]:
    for function, names, defaults, types in catalogue:
        required = names[: len(names) - defaults]
        plain = {
            n: _plain(function, n, t) for n, t in zip(names, types, strict=True) if n in required and not _slot(function, n, t)
        }
        needed = [n for n, t in zip(names, types, strict=True) if n in required and _slot(function, n, t)]
        optional = [n for n, t in zip(names, types, strict=True) if n not in required and _slot(function, n, t)]
        for more in ([], *([name] for name in optional)):
            for slots in _kinds([*needed, *more]):
                yield _operation(function, slots, {**plain, **WITH.get("".join(more), {})}, calling)
        for cursor in CURSORS.keys() & set(names[len(required) :]):
            for slots in _kinds(needed):
                yield _operation(function, slots, {**plain, cursor: CURSORS[cursor]}, calling)
        for slots in _kinds(needed) if function in PAGED else ():
            yield _operation(function, slots, {**plain, **PAGED[function]}, calling)
        for slot, kind in NESTED.get(function, {}).items():
            yield _operation(function, {**next(_kinds(needed)), slot: kind}, plain, calling)


def _operation(function: str, slots: Mapping[str, str], plain: Mapping[str, Any], calling: CallFunction) -> Operation:
    async def invoke(person: Person, params: Mapping[str, Any]) -> Answer:
        return await calling(person, function, params)

    return Operation(
        function,
        invoke,
        slots,
        plain,
        need=NEEDS.get(function, "viewer"),
        keeper=KEEPERS.get(function, ""),
        names_by_id=function in ("list_audit", "replay_run"),
        lists=frozenset(slot for slot in slots if slot.rpartition(".")[2] in LISTED),
        filters=FILTERS.get(function, frozenset()),
        tolerated="it says that only readable documents are quoted" if function == "save_response" else "",
    )


def _kinds(names: list[str]) -> Iterator[dict[str, str]]:
    if not names:
        yield {}
        return
    first, *others = names
    for kind in SLOTS[first]:
        for rest in _kinds(others):
            yield {first: kind, **rest}


def _slot(function: str, name: str, kind: str) -> bool:
    if name == "thread_id" and function != "check_thread":  # other functions accept any thread id and return nothing about it
        return False
    return name in SLOTS and kind == ("jsonb" if name in LISTED else "text")


def _plain(function: str, name: str, kind: str) -> Json:
    if (function, name) in BY_FUNCTION:
        return BY_FUNCTION[function, name]
    if name in PLAIN:
        return PLAIN[name]
    if name.endswith(NAMES_OF_IDS) and name not in NO_IDS:
        raise UnknownArgument(
            f"{function} takes {name}, and tests/security/cases.py does not know of what it is the id: see SLOTS"
        )
    if kind not in BY_TYPE:
        raise UnknownArgument(f"{function} takes {name}, a {kind}: tests/security/functions.py has no value for it")
    return BY_TYPE[kind]


PEOPLE = tuple(p for p in ALL if p.credential not in ("expired", "revoked", "forged"))
"""Persons with an invalid sign-in reach the database as `anon`, which the anonymous person covers."""

OUTCOMES = {"OR404": Outcome.ABSENT, "OR403": Outcome.FORBIDDEN, "OR401": Outcome.UNSIGNED}


def call_as_role(desk: Desk, world: World) -> CallFunction:
    """Returns a function that calls with the caller's database role and rolls back."""

    async def invoke(person: Person, function: str, params: Mapping[str, Any]) -> Answer:
        role, claims = identity(person, world)
        try:
            async with desk.undone_as(role, claims) as connection:
                result = await call(connection, function, params)
                written = await desk.recorded_in(after=world.last_entry)
        except psycopg.Error as error:
            return refusal(error, role)
        # A caller who may not know a matter must write nothing into its audit record.
        # A mutant can return a row that no access rule lets through, with fields that the declared type does not have.
        return Answer(
            Outcome.THROUGH, f"{json.dumps(result)} {written}", worked=True, broken=bool(type_errors(function, result))
        )

    return invoke


def identity(person: Person, world: World) -> tuple[Role, dict[str, Json]]:
    """Returns the database role and the claims of a person; `anon` without a valid sign-in."""
    if person.credential == "no profile":
        return "authenticated", {"sub": str(uuid4())}
    if not person.has_claims:
        return "anon", {}
    return "authenticated", claims_of(world.caller(person))


def refusal(error: psycopg.Error, role: Role) -> Answer:
    text = " | ".join(
        filter(None, (error.sqlstate, error.diag.message_primary, error.diag.message_detail, error.diag.message_hint))
    )
    if error.sqlstate == "42501" and role == "anon":
        return Answer(Outcome.UNSIGNED, text)
    return Answer(OUTCOMES.get(error.sqlstate or "", Outcome.THROUGH), text)
