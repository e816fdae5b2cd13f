"""Translation of errors: every exception of the database libraries becomes a domain error or is declared a bug."""

from __future__ import annotations

import inspect

import httpx
import psycopg
import psycopg_pool
import pytest
import respx
from postgrest.exceptions import APIError
from psycopg import errors
from pydantic import SecretStr

from orderly.errors import (
    Conflict,
    Denied,
    Invalid,
    MatterNotFound,
    NotFound,
    NotReady,
    OrderlyError,
    StoreUnavailable,
    UnknownCaller,
    Unreadable,
)
from orderly.models import Caller
from orderly.store import supabase
from orderly.store.postgres import open_pool, open_postgres, translate
from orderly.store.sqlstates import SqlFailure, domain_error
from orderly.store.supabase import HS256TokenSource, SupabaseStore

BUGS = {"Error", "DatabaseError", "ProgrammingError", "InternalError", "NotSupportedError", "IntegrityError"}
"""Exceptions without SQLSTATE that only a bug in Orderly can raise."""

BUG_CLASSES = set(
    [
        "02",
        "03",
        "09",
        "0A",
        "0B",
        "0F",
        "0L",
        "0P",
        "0Z",
        "10",
        "20",
        "21",
        "24",
        "26",
        "27",
        "2B",
        "2D",
        "2F",
        "34",
        "38",
        "39",
        "3B",
        "3F",
        "42",
        "44",
        "72",
        "HV",
        "P0",
        "XX",
    ]
)
"""SQLSTATE classes of invalid SQL, of a broken server, and of features that Orderly does not use."""

ME = Caller("8c0a1f9e-3b7e-4b60-9d3f-0c5ad2f3c111")


def psycopg_errors() -> list[type[psycopg.Error]]:
    found: list[type[psycopg.Error]] = []
    for module in (psycopg, errors, psycopg_pool):
        found += [c for _, c in inspect.getmembers(module, inspect.isclass) if issubclass(c, psycopg.Error)]
    return list(dict.fromkeys(found))


def test_every_psycopg_error_is_translated_or_declared_a_bug():
    kinds = psycopg_errors()
    assert len(kinds) > 200
    for kind in kinds:
        error = translate(kind())
        if (kind.sqlstate or "")[:2] in BUG_CLASSES - {"42"} or kind.__name__ in BUGS:
            assert error is None, kind
        elif (kind.sqlstate or "")[:2] == "42":
            assert isinstance(error, Denied) is (kind is errors.InsufficientPrivilege), kind
        else:
            assert isinstance(error, OrderlyError), (kind, kind.sqlstate)


@pytest.mark.parametrize(
    ("failure", "kind", "message"),
    [
        (SqlFailure("OR400", "Give a title."), Invalid, "Give a title."),
        (SqlFailure("OR401", "Sign in first."), UnknownCaller, "Sign in first."),
        (SqlFailure("OR403", "Owners only."), Denied, "Owners only."),
        (SqlFailure("OR404", "not found", "matter", "M-1"), MatterNotFound, "Matter M-1 not found or you don't have access."),
        (SqlFailure("OR404", "not found", "citation", "c"), NotFound, "Citation c not found or you don't have access."),
        (SqlFailure("OR409", "Taken."), Conflict, "Taken."),
        (SqlFailure("OR425", "not ready", "ocr"), NotReady, "Document is still being processed. Please wait and try again."),
        (SqlFailure("OR425", "not ready", "failed", "No text."), Unreadable, "No text."),
        (SqlFailure("OR425", "not ready", "unsupported", "A film."), Unreadable, "A film."),
        (SqlFailure("42501", "permission denied for table secrets"), Denied, "You may not do this."),
        (SqlFailure("22P02", "invalid input: 'secret'"), Invalid, "A value is not in the form the store expects."),
    ],
)
def test_a_sqlstate_becomes_an_error_with_its_own_message(failure, kind, message):
    error = domain_error(failure)
    assert type(error) is kind
    assert error.message == message


def test_invalid_sql_is_not_translated():
    for state in ("42883", "42P01", "42601", "XX000", "P0001", ""):
        assert domain_error(SqlFailure(state)) is None


async def test_every_kind_of_broken_connection_to_supabase_is_unavailable():
    kinds = [
        c for _, c in inspect.getmembers(httpx, inspect.isclass)
        if issubclass(c, httpx.HTTPError) and c not in (httpx.HTTPStatusError, httpx.HTTPError, httpx.RequestError)
    ]  # fmt: skip
    assert len(kinds) >= 12
    store = SupabaseStore("https://project.example", SecretStr("anon"), HS256TokenSource(SecretStr("s" * 32)))
    for kind in kinds:
        with respx.mock() as mock:
            mock.post("https://project.example/rest/v1/rpc/whoami").mock(side_effect=kind("broken at /secret/path"))
            with pytest.raises(StoreUnavailable) as caught:
                await store.rpc(ME, "whoami", {})
        assert "secret" not in caught.value.message
    await store.close()


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, {"code": "PGRST303", "message": "JWT expired", "details": None, "hint": None}, Denied),
        (401, {"code": "PGRST301", "message": "bad signature", "details": None, "hint": None}, Denied),
        (503, {"code": "PGRST000", "message": "no connection", "details": None, "hint": None}, StoreUnavailable),
        (504, {"code": "PGRST003", "message": "timed out", "details": None, "hint": None}, StoreUnavailable),
        (502, "<html>Bad Gateway</html>", StoreUnavailable),
        (429, "slow down", StoreUnavailable),
        (500, {"code": "57014", "message": "canceling statement", "details": None, "hint": None}, StoreUnavailable),
        (404, {"code": "PGRST202", "message": "no such function", "details": None, "hint": None}, APIError),
    ],
)
async def test_postgrests_errors_become_domain_errors_except_for_bugs(status, body, kind):
    store = SupabaseStore("https://project.example", SecretStr("anon"), HS256TokenSource(SecretStr("s" * 32)))
    with respx.mock() as mock:
        given = {"json": body} if isinstance(body, dict) else {"text": body}
        route = mock.post("https://project.example/rest/v1/rpc/whoami").respond(status, **given)
        with pytest.raises(kind):
            await store.rpc(ME, "whoami", {})
        assert route.call_count == 1, "a call that may have been executed must not be repeated"
    await store.close()


def test_all_of_postgrests_connection_error_codes_are_known():
    for code in ("PGRST000", "PGRST001", "PGRST002", "PGRST003", "PGRST300", "PGRST301", "PGRST302", "PGRST303"):
        assert supabase.translate(APIError({"code": code, "message": "m"})) is not None


async def test_an_unreachable_database_is_unavailable_and_its_address_is_not_revealed(tmp_path):
    with pytest.raises(StoreUnavailable) as caught:
        await open_pool(f"postgresql://u:secret@/nothing?host={tmp_path}", timeout=0.5)
    assert "secret" not in str(caught.value)
    assert str(tmp_path) not in caught.value.message


async def test_an_invalid_function_name_never_reaches_the_database(database_url):
    store = await open_postgres(database_url)
    for name in ("whoami(); drop table x", "pg_catalog.version", "", "Whoami"):
        with pytest.raises(AssertionError):
            await store.rpc(ME, name, {})
    await store.close()
