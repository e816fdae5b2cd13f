"""What happens at once around a person's access: tokens are issued while it is revoked, and a subject signs in with two addresses."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from orderly.models import Caller
from store.conftest import Admin

ISSUE = "select issue_token('ada@firm.example', repeat('a', 64), '2999-01-01')"
REVOKE = "select revoke_user('ada@firm.example')"
VALID = "select count(*) from private.access_tokens where revoked_at is null"


def by_provider(email: str, token: str) -> str:
    return (
        f"select sign_in_by_provider('https://id.example', 'ada', '{email}', true, 'Ada', 'Firm', '[\"member\"]',"
        f" repeat('{token}', 64), '2999-01-01') ->> 'user_id'"
    )


@pytest.fixture
async def ada(make_user) -> Caller:
    return await make_user("ada@firm.example")


@pytest.fixture
def other(database_url: str) -> Iterator[Admin]:
    with psycopg.connect(database_url) as connection:
        yield connection


def after(admin: Admin, first: str, other: Admin, second: str) -> Any:
    """The result of the second statement, which begins before the transaction of the first has ended."""
    with ThreadPoolExecutor() as threads:
        with other.transaction():
            other.execute(first)
            waiting: Future[Any] = threads.submit(lambda: admin.execute(second).fetchone())
            with pytest.raises(TimeoutError):
                waiting.result(0.5)
        [result] = waiting.result(10)
        return result


@pytest.mark.parametrize("issue", [ISSUE, by_provider("ada@firm.example", "b")], ids=["operator", "provider"])
def test_nobody_gets_a_token_while_their_access_is_being_revoked(ada: Caller, admin: Admin, other: Admin, issue: str) -> None:
    with pytest.raises(psycopg.Error, match=r"revoked|ended"):
        after(admin, REVOKE, other, issue)
    assert admin.execute(VALID).fetchone() == (0,)


@pytest.mark.parametrize("issue", [ISSUE, by_provider("ada@firm.example", "b")], ids=["operator", "provider"])
def test_a_token_that_is_being_issued_is_void_after_a_revocation(ada: Caller, admin: Admin, other: Admin, issue: str) -> None:
    assert after(admin, issue, other, REVOKE) == 1
    assert admin.execute(VALID).fetchone() == (0,)


def test_a_subject_that_signs_in_with_two_addresses_at_once_is_one_person(ada: Caller, admin: Admin, other: Admin) -> None:
    first, second = by_provider("ada@firm.example", "b"), by_provider("ada.lovelace@firm.example", "c")
    assert after(admin, first, other, second) == ada.user_id
