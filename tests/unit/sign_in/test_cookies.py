"""A session cookie is accepted only from the installation's own page."""

from __future__ import annotations

import pytest

from orderly.sign_in.cookies import by_own_page, cookie_token, may_change, same_origin

HOST = {"host": "orderly.firm.example"}


@pytest.mark.parametrize(
    ("headers", "own", "same"),
    [
        ({"sec-fetch-site": "same-origin"}, True, True),
        ({"sec-fetch-site": "none"}, False, True),  # address bar: may read, may not change anything
        ({"sec-fetch-site": "cross-site", "origin": "https://orderly.firm.example"}, False, False),
        ({"sec-fetch-site": "same-site", "x-requested-with": "orderly"}, False, False),
        ({"origin": "https://orderly.firm.example"}, True, True),
        ({"origin": "https://evil.example"}, False, False),
        ({"origin": "https://evil.example", "sec-fetch-site": "same-origin"}, False, False),
        ({"origin": "https://evil.example", "x-requested-with": "orderly"}, False, False),
        ({"origin": "http://[", "x-requested-with": "orderly"}, False, False),
        ({"x-requested-with": "orderly"}, True, False),
        ({}, False, False),
    ],
)
def test_the_origin_of_a_request_is_recognised_by_its_headers(headers: dict[str, str], own: bool, same: bool) -> None:
    assert by_own_page({**HOST, **headers}) is own
    assert same_origin({**HOST, **headers}) is same


def test_the_session_token_is_found_among_other_cookies() -> None:
    assert cookie_token({"cookie": "theme=dark; session=ord_abc; other=1"}) == "ord_abc"
    assert cookie_token({"cookie": "theme=dark"}) == ""
    assert cookie_token({}) == ""


@pytest.mark.parametrize(
    ("method", "headers", "allowed"),
    [
        ("DELETE", {}, True),
        ("PUT", {}, True),
        ("POST", {}, False),
        ("POST", {"x-requested-with": "orderly"}, True),
        ("DELETE", {"origin": "https://evil.example"}, False),
        ("DELETE", {"origin": "null"}, False),
        ("DELETE", {"sec-fetch-site": "same-site"}, False),
        ("POST", {"sec-fetch-site": "cross-site", "x-requested-with": "orderly"}, False),
        ("POST", {"origin": "https://orderly.firm.example"}, True),
    ],
)
def test_what_may_change_something_with_a_cookie(method: str, headers: dict[str, str], allowed: bool) -> None:
    assert may_change(method, {**HOST, **headers}) is allowed
