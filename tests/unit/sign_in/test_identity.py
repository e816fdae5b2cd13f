from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from orderly.errors import Denied
from orderly.sign_in.identity import SEAL_SECONDS, USER_KEY, caller_of, seal

SECRET = b"s" * 32
USER = "3f0c8a52-0000-4000-8000-000000000001"


def test_a_sealed_user_is_the_caller_as_object_and_as_mapping() -> None:
    sealed = seal(USER, SECRET)
    assert caller_of({USER_KEY: sealed}, SECRET).user_id == USER
    assert caller_of({USER_KEY: SimpleNamespace(**sealed)}, SECRET).user_id == USER


def test_the_caller_has_the_thread_of_the_run() -> None:
    assert caller_of({USER_KEY: seal(USER, SECRET), "thread_id": "t1"}, SECRET).thread_id == "t1"


@pytest.mark.parametrize(
    "forged",
    [
        {},
        {"identity": USER},
        {"orderly_user": USER},
        {**seal(USER, SECRET), "orderly_user": "3f0c8a52-0000-4000-8000-000000000002"},
        {**seal(USER, SECRET), "orderly_expires": str(int(time.time()) + 10**9)},
        seal(USER, b"another secret of 32 bytes......"),
        {**seal(USER, SECRET), "orderly_seal": "é"},
        "root",
    ],
)
def test_a_user_without_a_valid_seal_is_denied(forged: object) -> None:
    with pytest.raises(Denied):
        caller_of({USER_KEY: forged}, SECRET, local_user=USER)


def test_a_seal_expires() -> None:
    old = seal(USER, SECRET, now=time.time() - SEAL_SECONDS - 1)
    with pytest.raises(Denied, match="expired"):
        caller_of({USER_KEY: old}, SECRET)


def test_the_local_user_is_used_for_direct_calls_only() -> None:
    assert caller_of({}, SECRET, local_user=USER).user_id == USER
    for run in ({"thread_id": "t"}, {"run_id": "r"}, {"user_id": "x"}, {"assistant_id": "a", "__pregel_send": 1}):
        with pytest.raises(Denied):
            caller_of(run, SECRET, local_user=USER)


def test_a_call_without_a_user_is_denied_when_there_is_no_local_user() -> None:
    with pytest.raises(Denied):
        caller_of({}, SECRET)
