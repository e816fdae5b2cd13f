"""Expressions mean the same on every Python that Orderly runs on."""

from __future__ import annotations

import importlib
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from re import _constants, _parser
from typing import Any

import orderly
from orderly.services.columns.wording import Wording

WORDING = Path(orderly.__file__).parent / "services/columns/wording.toml"


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The expressions of all modules and of wording.toml, with where they stand."""
    for found in pkgutil.walk_packages(orderly.__path__, "orderly."):
        try:
            module = importlib.import_module(found.name)
        except ImportError:  # of an extra that is not installed
            continue
        for name, value in vars(module).items():
            yield from ((f"{found.name}.{name}", pattern) for pattern in _inside(value))
    for table in tomllib.loads(WORDING.read_text(encoding="utf-8")):
        if table != "shared":
            yield from ((f"wording.toml {table}.{name}", pattern) for name, pattern in Wording(table).items())


def _inside(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _inside(one)
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _inside(one)


def possessive_groups(parsed: Any) -> Iterator[Any]:
    """Groups that are repeated possessively, "(?:ab?)*+"."""
    if isinstance(parsed, _parser.SubPattern | tuple | list):
        if isinstance(parsed, tuple) and parsed and parsed[0] is _constants.POSSESSIVE_REPEAT:
            inner = parsed[1][2]
            if len(inner) != 1 or inner[0][0] not in (
                _constants.IN,
                _constants.LITERAL,
                _constants.NOT_LITERAL,
                _constants.ANY,
            ):
                yield parsed
        for one in parsed:
            yield from possessive_groups(one)


def test_no_group_is_repeated_possessively() -> None:
    """Python before 3.11.5 (Debian 12 has 3.11.2) forgets where such a match ends; "(?>(?:ab?)*)" means the same and is right
    (https://github.com/python/cpython/issues/106052)."""
    found = dict(patterns())
    assert len(found) > 500
    wrong = [name for name, pattern in found.items() if any(possessive_groups(_parser.parse(pattern.pattern, pattern.flags)))]
    assert wrong == []
