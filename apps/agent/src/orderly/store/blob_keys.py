"""Keys of stored files, `{tenant}/{matter}/{document}/{name}`: made by SQL, checked again before they touch a disk."""

from __future__ import annotations

import re

from orderly.errors import StorageFailed

_KEY = re.compile(r"(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/){3}[A-Za-z0-9_-][A-Za-z0-9._-]{0,119}")


def checked(key: str) -> str:
    """`key` itself. Raises StorageFailed for anything that the store would not have made, above all a way out of it."""
    if not _KEY.fullmatch(key):
        raise StorageFailed("That is not the key of a stored file.")
    return key
