"""Numbers, periods and frequencies by words of their own are compared with figures."""

from __future__ import annotations

import pytest

from orderly.services.support import Evidence, find_unsupported


def unsupported(statement: str, quoted: str) -> str | None:
    return find_unsupported(statement, Evidence(quoted, "lease", None, None))


@pytest.mark.parametrize(
    ("quoted", "statement", "words"),
    [
        ("The rent is reviewed every five years.", "The rent is reviewed once a decade", "a decade"),
        ("The term is five years.", "The lease runs for two decades", "two decades"),
        ("The term is five years.", "The term is a century", "a century"),
        ("The rent is payable monthly.", "The rent is payable half-yearly", "half-yearly"),
        ("The rent is payable monthly.", "The rent is payable semi-annually", "semi-annually"),
        ("The rent is payable monthly.", "The rent is payable once a year", "a year"),
        ("The rent is payable monthly.", "The rent is payable twice a month", "twice a month"),
        ("The rent is payable monthly.", "The rent is payable every other month", "every other month"),
        ("The Supplier delivers six crates.", "The Supplier delivers a dozen crates", "a dozen"),
        ("The Supplier delivers six crates.", "The Supplier delivers two dozen crates", "two dozen"),
    ],
)
def test_another_measure_in_words_is_not_supported(quoted: str, statement: str, words: str) -> None:
    assert unsupported(statement, quoted) == words


@pytest.mark.parametrize(
    ("quoted", "statement"),
    [
        ("The term is ten years.", "The term is a decade"),
        ("The term is twenty years.", "The lease runs for two decades"),
        ("The term is five years.", "The term is half a decade"),
        ("The Supplier delivers 12 crates.", "The Supplier delivers a dozen crates"),
        ("The Supplier delivers a dozen crates.", "The Supplier delivers 12 crates"),
        ("The Supplier delivers six crates.", "The Supplier delivers half a dozen crates"),
        ("The rent is payable every six months.", "The rent is payable half-yearly"),
        ("The rent is payable half-yearly.", "The rent is payable every six months"),
        ("The rent is payable twice a year.", "The rent is payable half-yearly"),
        ("The rent is payable in half-yearly instalments.", "The rent is payable semi-annually"),
        ("The rent is payable annually.", "The rent is payable once a year"),
        ("The rent is payable every two months.", "The rent is payable every other month"),
    ],
)
def test_the_same_measure_in_words_or_figures_is_supported(quoted: str, statement: str) -> None:
    assert unsupported(statement, quoted) is None
