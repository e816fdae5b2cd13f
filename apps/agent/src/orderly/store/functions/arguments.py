"""Optional arguments of SQL functions."""

from __future__ import annotations

from orderly.store.base import Json


def given(**optional: Json) -> dict[str, Json]:
    """The arguments that are not None. One that is left out has the default of its SQL function."""
    return {name: value for name, value in optional.items() if value is not None}
