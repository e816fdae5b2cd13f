"""Restricts a run to some of the caller's matters. The restriction only narrows access."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from orderly.errors import Invalid
from orderly.models import Caller
from orderly.store.functions.matters import MatterName

M = TypeVar("M", bound=MatterName)


def restrict_matters(caller: Caller, matters: Sequence[M]) -> list[M]:
    """Returns the matters in the run's scope."""
    return [matter for matter in matters if caller.kept_to is None or matter["id"] in caller.kept_to]


def require_in_scope(caller: Caller, matter: MatterName) -> None:
    """Raises Invalid for a matter outside the run's scope."""
    if not restrict_matters(caller, [matter]):
        raise Invalid(f"This question is kept to other matters; {matter['number']} is not one of them.")
