"""Validates keys of stored files, `{tenant}/{matter}/{document}/{name}`, against path traversal."""

from __future__ import annotations

import re

from orderly.errors import StorageFailed

_KEY = re.compile(r"(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/){3}[A-Za-z0-9_-][A-Za-z0-9._-]{0,119}")


def validate_key(key: str) -> str:
    """Returns `key`. Raises StorageFailed if SQL could not have generated it."""
    if not _KEY.fullmatch(key):
        raise StorageFailed("That is not the key of a stored file.")
    return key
