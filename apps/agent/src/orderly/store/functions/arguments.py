"""Optional arguments of SQL functions."""

from __future__ import annotations

from orderly.store.base import Json


def given(**optional: Json) -> dict[str, Json]:
    """Returns the arguments that are not None. SQL defaults apply to the others."""
    return {name: value for name, value in optional.items() if value is not None}
