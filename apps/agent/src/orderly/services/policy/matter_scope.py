"""A question may be kept to some of the caller's matters. That narrows what they may see anyway, and never widens it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from orderly.errors import Invalid
from orderly.models import Caller
from orderly.store.functions.matters import MatterName

M = TypeVar("M", bound=MatterName)


def kept(caller: Caller, matters: Sequence[M]) -> list[M]:
    """Of the caller's matters, those that the question is kept to."""
    return [matter for matter in matters if caller.kept_to is None or matter["id"] in caller.kept_to]


def only_kept(caller: Caller, matter: MatterName) -> None:
    """Raises Invalid for a matter of the caller's that this question is not about."""
    if not kept(caller, [matter]):
        raise Invalid(f"This question is kept to other matters; {matter['number']} is not one of them.")
