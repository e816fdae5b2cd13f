"""Compares the store's typed coroutines with the catalogue: functions, arguments, types, defaults and roles."""

from __future__ import annotations

import ast
import asyncio
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypedDict, Union, get_args, get_origin, is_typeddict

import psycopg
import pytest

import orderly
from orderly.models import Caller
from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.retention import list_retention, set_retention
from orderly.store.functions.usage import EngineUsage, engine_usage_totals, record_document_usage
from support.result_shapes import coroutines, hints, mismatches

CATALOGUE = """
select p.proname, coalesce(p.proargnames[:p.pronargs], '{}'), p.pronargdefaults,
  array(select format_type(t, null) from unnest(p.proargtypes::oid[]) with ordinality as a (t, n) order by n),
  array(select role from unnest(array['anon', 'authenticated', 'service_role']) role
    where has_function_privilege(role, p.oid, 'execute')), format_type(p.prorettype, null), p.proretset
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname = 'public' and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
order by p.proname
"""

PYTHON_TYPES: Mapping[str, type] = {
    "text": str,
    "timestamp with time zone": str,
    "integer": int,
    "bigint": int,
    "double precision": float,
    "boolean": bool,
}
"""SQL type -> Python type. jsonb corresponds to lists, dicts and typed dicts."""

SCHEMAS = Path(__file__).parents[2] / "supabase" / "schemas"

CALLER = Caller("00000000-0000-0000-0000-000000000001")


@dataclass(frozen=True)
class Signature:
    arguments: dict[str, str]
    """Argument name -> SQL type."""
    optional: frozenset[str]
    roles: tuple[str, ...]


@pytest.fixture(scope="module")
def catalogue(embedded_postgres, template_database) -> dict[str, Signature]:
    with psycopg.connect(embedded_postgres.url_of(template_database)) as connection:
        rows = connection.execute(CATALOGUE).fetchall()
    assert all((kind, many) == ("jsonb", False) for *_, kind, many in rows), "every function returns one jsonb"
    found = {}
    for name, names, defaults, types, roles, *_ in rows:
        if roles:
            assert name not in found, f"{name} is overloaded"
            arguments = dict(zip(names, types, strict=True))
            found[name] = Signature(arguments, frozenset(names[len(names) - defaults :]), tuple(roles))
    return found


def test_client_functions_and_coroutines_correspond_one_to_one(catalogue):
    assert coroutines().keys() == catalogue.keys()


def test_each_module_names_the_schema_files_of_its_functions():
    schemas = {path.name: path.read_text() for path in sorted(SCHEMAS.glob("*.sql"))}
    for name, coroutine in coroutines().items():
        [file] = [file for file, text in schemas.items() if f"function public.{name}(" in text]
        module = inspect.getmodule(coroutine)
        assert module is not None and file in (module.__doc__ or ""), f"{module} does not name {file}"


def own_parameters(coroutine: Any) -> dict[str, inspect.Parameter]:
    """Returns the parameters without store and caller."""
    parameters = dict(inspect.signature(coroutine).parameters)
    return {name: p for name, p in parameters.items() if hints(coroutine)[name] not in (Store, WorkerCalls, Caller)}


def sql_types(declared: Any) -> set[str]:
    """Returns the SQL types that correspond to a parameter's annotation, without null."""
    kinds = [k for k in get_args(declared) if k is not NoneType] if get_origin(declared) in (Union, UnionType) else [declared]
    found: set[str] = set()
    for kind in kinds:
        if get_origin(kind) in (list, dict) or is_typeddict(kind):
            found.add("jsonb")
            continue
        plain = str if get_origin(kind) is Literal and all(isinstance(v, str) for v in get_args(kind)) else kind
        found |= {sql for sql, python in PYTHON_TYPES.items() if python is plain}
    return found


def test_a_coroutine_takes_the_arguments_of_its_function(catalogue):
    for name, coroutine in coroutines().items():
        parameters, signature = own_parameters(coroutine), catalogue[name]
        assert parameters.keys() == signature.arguments.keys(), name
        for argument, sql in signature.arguments.items():
            assert sql in sql_types(hints(coroutine)[argument]), f"{argument} of {name} is {sql}"
        assert {n for n, p in parameters.items() if p.default is not p.empty} == signature.optional, name
        assert all(p.default is None for n, p in parameters.items() if n in signature.optional), (
            f"{name}: only SQL may define default values"
        )


@dataclass
class RecordedCall:
    """Records one call; serves as Store and as WorkerStore."""

    role: str = ""
    function: str = ""
    params: Mapping[str, Any] | None = None
    repeatable: bool = False

    async def call(self, caller: Caller | None, function: str, params: Mapping[str, Any], *, repeatable: bool = False) -> None:
        self.role = "anon" if caller is None else "authenticated"
        assert caller in (None, CALLER)
        self.function, self.params, self.repeatable = function, params, repeatable

    async def work(self, function: str, params: Mapping[str, Any]) -> None:
        self.role, self.function, self.params = "service_role", function, params


class _Store:
    def __init__(self, rpc: Any) -> None:
        self.rpc = rpc


def sent_by(name: str, *, optional: bool) -> tuple[RecordedCall, dict[str, object]]:
    """Calls a coroutine with a unique value per argument; returns the recorded call and the values."""
    coroutine, sent = coroutines()[name], RecordedCall()
    types = hints(coroutine)
    given = {n: object() for n, p in own_parameters(coroutine).items() if optional or p.default is p.empty}
    for parameter in inspect.signature(coroutine).parameters:
        if types[parameter] is Store:
            first = {parameter: _Store(sent.call)}
        elif types[parameter] is WorkerCalls:
            first = {parameter: _Store(sent.work)}
    callers = {n: CALLER for n in inspect.signature(coroutine).parameters if types[n] is Caller}
    asyncio.run(coroutine(**first, **callers, **given))
    return sent, given


@pytest.mark.parametrize("optional", [True, False], ids=["all arguments", "required ones"])
def test_a_coroutine_passes_its_arguments_to_its_function_in_its_role(optional, catalogue):
    for name in coroutines():
        sent, given = sent_by(name, optional=optional)
        assert (sent.function, sent.params) == (name, given)
        assert catalogue[name].roles == (sent.role,), name
        if sent.repeatable:
            assert all(argument.endswith(("_id", "_ids")) for argument in given), f"{name} repeats more than a read by id"


def test_the_calls_at_the_start_of_a_run_are_repeatable():
    assert {name for name in coroutines() if sent_by(name, optional=False)[0].repeatable} == {
        "allowed_processors",
        "chat_workspace",
        "check_thread",
        "hidden_text",
        "list_matters",
        "run_opening",
        "withheld_tools",
    }


def test_results_and_arguments_have_precise_types():
    """Any and untyped objects are allowed only for JSON that is passed through unchanged."""
    handed_through = {"add_revision_rows", "get_response", "redact_response", "responses_of", "save_response"}
    for name, coroutine in coroutines().items():
        for place, declared in hints(coroutine).items():
            for kind in parts_of(declared):
                assert kind is not Any or name in handed_through, f"{place} of {name}"
                assert kind not in (dict, list), f"{place} of {name}"


def parts_of(declared: Any) -> list[Any]:
    inner = hints(declared).values() if is_typeddict(declared) else get_args(declared)
    return [declared, *(part for kind in inner if not isinstance(kind, str) for part in parts_of(kind))]


async def test_the_operators_listings_have_the_declared_types(worker_store, make_user, make_matter, publish_text):
    """The autouse fixture `check_result_types` checks the results; other tests call the other functions."""
    ada = await make_user("ada@firm.example")
    matter = await make_matter(ada)
    document = await publish_text(ada, matter["id"], "lease.txt", "One page.")
    used: EngineUsage = {"engine": "e", "model": "m", "endpoint": "/e", "requests": 2, "input_tokens": 3}
    await record_document_usage(worker_store, document, [used])
    assert await engine_usage_totals(worker_store) == [used]
    await set_retention(worker_store, "Firm", kind="audit", keep_days=7)
    assert await list_retention(worker_store) == [{"tenant": "Firm", "matter_number": None, "kind": "audit", "keep_days": 7}]


class Row(TypedDict):
    id: str
    score: float
    place: tuple[int, str]
    note: str | None


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ({"id": "a", "score": 1, "place": [1, "x"], "note": None}, None),
        ({"id": "a", "score": 1, "place": [1, "x"]}, "note is missing"),
        ({"id": "a", "score": 1, "place": [1, "x"], "note": "", "more": 1}, "more is not declared"),
        ({"id": 1, "score": 1, "place": [1, "x"], "note": ""}, "is no str"),
        ({"id": "a", "score": True, "place": [1, "x"], "note": ""}, "is no float"),
        ({"id": "a", "score": 1, "place": [1], "note": ""}, "1 places for 2"),
        ({"id": "a", "score": 1, "place": ["x", 1], "note": ""}, "is no int"),
        ({"id": "a", "score": 1, "place": [1, "x"], "note": 1}, "is no str"),
    ],
)
def test_a_result_of_another_type_is_found(row, wrong):
    found = list(mismatches([row], list[Row], "rows"))
    assert (not found) if wrong is None else wrong in found[0]


PACKAGE = Path(orderly.__file__).parent


def modules(*, inside_store: bool) -> list[Path]:
    """Returns the package's modules except the typed functions."""
    store = PACKAGE / "store"
    others = [p for p in sorted(PACKAGE.rglob("*.py")) if not p.is_relative_to(store / "functions")]
    return [p for p in others if p.is_relative_to(store) == inside_store]


def strings_in(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def names_in(path: Path) -> set[str]:
    """Returns the attributes and strings in a module."""
    attributes = {n.attr for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Attribute)}
    return strings_in(path) | attributes


def test_nothing_outside_the_store_calls_a_function_by_its_name():
    naming = [path for path in modules(inside_store=False) if "rpc" in path.read_text(encoding="utf-8")]
    assert [path for path in naming if "rpc" in names_in(path)] == []


def test_adapters_know_no_function_by_its_name():
    assert {path: names for path in modules(inside_store=True) if (names := strings_in(path) & coroutines().keys())} == {}
