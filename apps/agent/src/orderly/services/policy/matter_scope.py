"""Restricts a run to some of the caller's matters or documents. The restriction only narrows access."""

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


def require_document_in_scope(caller: Caller, document_id: str) -> None:
    """Raises Invalid for a document outside the run's scope."""
    if caller.documents is not None and document_id not in caller.documents:
        raise Invalid("This question is kept to chosen documents; that document is not one of them.")


def restrict_within(caller: Caller, within: Sequence[str] | None) -> Sequence[str] | None:
    """Ids to search within: the documents of the run's scope, or those of them that are given."""
    if caller.documents is None:
        return within
    return [id for id in within or () if id in caller.documents] or caller.documents
